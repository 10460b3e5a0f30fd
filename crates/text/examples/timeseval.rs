use bethink_text::times::*;
use serde_json::{Value, json};
fn main() {
    let us = Locale::from_tag("en-US").unwrap();
    for line in std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap().lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let phrase = item["phrase"].as_str().unwrap();
        let reference = item["reference"].as_str().unwrap_or("2026-01-01T00:00:00");
        let now: jiff::civil::DateTime = reference.parse().unwrap();
        let stand = Standpoint { now, locale: us, default_time: jiff::civil::time(9, 0, 0, 0) };
        let moment = |m: &Moment| json!(m.date.to_datetime(m.time.unwrap_or(jiff::civil::Time::midnight())).strftime("%Y-%m-%dT%H:%M:%S").to_string());
        let dur = item["id"].as_str().unwrap().starts_with("dur");
        let result = if dur { length(phrase).map(|s| json!(s)) } else { match read(phrase, &stand) {
            Some(Reading::At(m)) => Some(moment(&m)),
            Some(Reading::After(l)) => l.after(now).map(|t| json!(t.strftime("%Y-%m-%dT%H:%M:%S").to_string())),
            Some(Reading::Unclear(d)) if d.why == DoubtKind::Past => d.options.first().map(moment),
            Some(Reading::Every(r)) => {
                let mut o = serde_json::Map::new();
                for part in r.rule.to_rrule().split(';') { let (k, v) = part.split_once('=').unwrap(); 
                    let v = if k == "UNTIL" { v[..8].to_owned() } else { v.to_owned() };
                    o.insert(k.to_lowercase(), json!(v)); }
                if let Some(s) = r.start { o.insert("dtstart".into(), json!(s.strftime("%Y%m%d").to_string())); }
                Some(Value::Object(o)) }
            _ => None } };
        println!("{}", json!({"id": item["id"], "result": result}));
    }
}
