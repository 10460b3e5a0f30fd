use jiff::civil;

use super::*;
use crate::times::{Locale, Moment};

fn stand() -> Standpoint {
    let now = civil::date(2026, 12, 1).at(8, 0, 0, 0);
    Standpoint { now, locale: Locale::from_tag("en-GB").unwrap(), default_time: civil::time(9, 0, 0, 0) }
}

fn moment(moment: &Moment) -> String {
    let time = moment.time.map(|time| time.strftime(" %H:%M").to_string()).unwrap_or_default();
    let zone = moment.zone.as_deref().map(|zone| format!(" {zone}")).unwrap_or_default();
    format!("{}{time}{zone}", moment.date)
}

fn reading(reading: &Reading) -> String {
    match reading {
        Reading::At(at) => moment(at),
        Reading::After(length) => length.after(stand().now).unwrap().strftime("%Y-%m-%d %H:%M").to_string(),
        Reading::Every(repetition) => repetition.rule.to_rrule().replace(";INTERVAL=1", ""),
        Reading::Unclear(doubt) => format!("{:?}", doubt.why),
    }
}

fn told(request: &Request) -> String {
    let mut parts = vec![request.what.clone()];
    parts.extend(request.when.as_ref().map(|when| format!("@ {}", reading(when))));
    parts.extend(request.event.as_ref().map(|event| format!("on {event}")));
    parts.extend(request.context.as_ref().map(|context| format!("near {context}")));
    parts.extend(request.about.iter().map(|tag| format!("#{tag}")));
    parts.join(" | ")
}

fn check(cases: &[(&str, &str)], read: impl Fn(&str) -> Option<Request>) {
    let mut wrong = Vec::new();
    for (text, means) in cases {
        let got = read(text).as_ref().map_or("none".to_owned(), told);
        if got != *means {
            wrong.push(format!("{text}\n    is   {got}\n    not  {means}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wishes_are_read_with_their_triggers() {
    check(
        &[
            ("Remind me to check the build in 10 minutes", "check the build | @ 2026-12-01 08:10"),
            ("remind me in 10 minutes to check the build", "check the build | @ 2026-12-01 08:10"),
            ("Please remind me tomorrow at 9 to call Ann.", "call Ann | @ 2026-12-02 09:00"),
            (
                "Could you remind me to water the plants every Monday?",
                "water the plants | @ FREQ=WEEKLY;BYDAY=MO",
            ),
            ("flag this for follow-up tomorrow", "this | @ 2026-12-02"),
            (
                "alert me when the deployment completes",
                "the deployment completes | on the deployment completes",
            ),
            (
                "every weekday at 8:30 remind me to stretch",
                "stretch | @ FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=30",
            ),
            (
                "On the last Friday of each month remind me to send the invoice",
                "send the invoice | @ FREQ=MONTHLY;BYDAY=-1FR",
            ),
            ("in three weeks remind me that the lease ends", "the lease ends | @ 2026-12-22 08:00"),
            ("when I mention Oslo remind me to buy the tickets", "buy the tickets | near Oslo"),
            ("remind me to buy the tickets when I mention Oslo", "buy the tickets | near Oslo"),
            (
                "next time we talk about the budget, after Friday, remind me to ask for the figures",
                "ask for the figures | @ 2026-12-05 00:00 | near the budget",
            ),
            (
                "remind me to ask for the figures next time we talk about the budget, after Friday",
                "ask for the figures | @ 2026-12-05 00:00 | near the budget",
            ),
            ("Remind me at 09:05 to stretch", "stretch | @ 2026-12-01 09:05"),
            ("At 9 tomorrow send me the summary", "send me the summary | @ 2026-12-02 09:00"),
            (
                "remind me on 31st Oct at 10:30 to check the 5 Oct report",
                "check the 5 Oct report | @ 2027-10-31 10:30",
            ),
            ("tomorrow remind me to ask about the 9am slot", "ask about the 9am slot | @ 2026-12-02"),
            ("remind me tomorrow to ask about the 9am slot", "ask about the 9am slot | @ 2026-12-02"),
            ("remind me about the dentist next Tuesday at 3pm", "the dentist | @ 2026-12-08 15:00"),
            ("don't let me forget to post the letter tonight", "post the letter | @ 2026-12-01 20:00"),
            ("set a timer for 20 minutes", "timer | @ 2026-12-01 08:20"),
            ("set a reminder for Friday at 4pm to water the plants", "water the plants | @ 2026-12-04 16:00"),
            ("Set an alarm for 6:30am tomorrow", "alarm | @ 2026-12-02 06:30"),
            ("remind me to rotate the keys on deploy.finished", "rotate the keys | on deploy.finished"),
            ("remind me to water the plants", "water the plants"),
            (
                "remind me to pay rent on the 1st of every month #home",
                "pay rent | @ FREQ=MONTHLY;BYMONTHDAY=1 | #home",
            ),
            ("remind me to call Zoë on 5/6", "call Zoë | @ 2027-06-05"),
            ("remind me to call Bo yesterday", "call Bo | @ Past"),
            ("remind me soon to call Bo", "soon to call Bo"),
        ],
        |text| request(text, &stand()),
    );
}

#[test]
fn asking_to_be_told_again_wishes_nothing() {
    check(
        &[
            ("Remind me what I said about Oslo", "none"),
            ("Remind me — what was that thing about breathing?", "none"),
            ("Remind me who came to dinner", "none"),
            ("remind me when we met", "none"),
            ("She reminded me to call", "none"),
            ("That reminds me of Oslo", "none"),
            ("If you remind me I'll do it", "none"),
            ("Remind me of my sister's name", "none"),
            ("I need to buy milk", "none"),
            ("What are my reminders?", "none"),
            ("My alarm went off at 6", "none"),
            ("Tomorrow I fly to Oslo", "none"),
            ("At 9 tomorrow we meet", "none"),
            ("", "none"),
        ],
        |text| request(text, &stand()),
    );
}

#[test]
fn on_a_command_line_the_head_goes_without_saying() {
    check(
        &[
            ("18:30 AEDT feed cats", "feed cats | @ 2026-12-01 18:30 Australia/Sydney"),
            ("at 0630 swim", "swim | @ 2026-12-02 06:30"),
            ("1830 call", "call | @ 2026-12-01 18:30"),
            ("6.30 call", "call | @ 2026-12-01 18:30"),
            ("at 9pm CEST ring", "ring | @ 2026-12-01 21:00 Europe/Berlin"),
            ("feed the cats tomorrow", "feed the cats | @ 2026-12-02"),
            ("on 5 May pay rent", "pay rent | @ 2027-05-05"),
            ("water the plants", "water the plants"),
        ],
        |text| Some(bare_request(text, &stand())),
    );
}

#[test]
fn commands_name_what_they_mean() {
    let that = || Target::That;
    let named = |words: &str| Target::Named(words.to_owned());
    for (text, means) in [
        ("snooze that for an hour", Some(Command::Snooze(that(), "an hour".into()))),
        ("Snooze until tomorrow at 9", Some(Command::Snooze(that(), "tomorrow at 9".into()))),
        ("remind me again in 20 minutes", Some(Command::Snooze(that(), "in 20 minutes".into()))),
        (
            "snooze the dentist reminder for two days",
            Some(Command::Snooze(named("dentist"), "two days".into())),
        ),
        ("cancel the reminder about the dentist", Some(Command::Cancel(named("dentist")))),
        ("Cancel my dentist reminder", Some(Command::Cancel(named("dentist")))),
        ("never mind that reminder", Some(Command::Cancel(that()))),
        ("cancel my gym membership", None),
        ("what are my reminders?", Some(Command::List)),
        ("Show me my reminders", Some(Command::List)),
        ("move the dentist reminder to 4pm", Some(Command::Move(named("dentist"), "4pm".into()))),
        ("I did it", Some(Command::Done(that()))),
        ("done", Some(Command::Done(that()))),
        ("I'm done with this job", None),
        ("The snooze button is broken", None),
    ] {
        assert_eq!(command(text), means, "{text}");
    }
}

#[test]
fn where_somebody_is_is_heard() {
    for (text, means) in [
        ("I'm in Tokyo until Friday", Some(("Asia/Tokyo", Some("Friday")))),
        ("My time zone is Europe/Oslo.", Some(("Europe/Oslo", None))),
        ("I live in Berlin", Some(("Europe/Berlin", None))),
        ("I am in New York for two weeks", Some(("America/New_York", Some("two weeks")))),
        ("I'm in the kitchen", None),
        ("I'm in Paris and it rains", None),
        ("I'll be in Tokyo next week", None),
    ] {
        let found = whereabouts(text).map(|w| (w.zone, w.until));
        assert_eq!(found, means.map(|(zone, until)| (zone.to_owned(), until.map(str::to_owned))), "{text}");
    }
}

#[test]
fn every_pattern_can_be_built() {
    let all = [&POLITE, &HEAD, &NO_WISH, &IMPERATIVE, &CONTEXT, &EVENT, &EVENT_NAME, &TAG];
    assert!(all.iter().all(|pattern| !pattern.as_str().is_empty()));
}
