//! Stories: a step a line, with what is expected below it.
//!
//! ```text
//! day 0  remember a My glasses are on the table
//!        = new
//! day 3  recall Where are my glasses?
//!        = a
//! ```
//!
//! Steps: `remember NAME TEXT`, `event NAME TEXT` (told in a turn), `recall CUE`, `faded CUE`, `learn CUE` (keeps the
//! recall for `credit` and `correct`), `credit NAME…`, `correct NAME…`, `turn NAME…` (a turn that used these), `forget
//! NAME`, `rehearse NAME`, `pin NAME`, `unpin NAME`, `edit NAME TEXT`, `show NAME`, `list`, `restart`, `lab`.

use std::collections::BTreeMap;

use bethink_cognition::Profile;
use bethink_domain::{Cue, CueScope, RecallId, RecallMode, Recollection, TraceId};
use bethink_protocol::{
    Correct, Credit, Edit, Forget, ListTraces, MemoryError, Pin, Remember, ShowTrace, TraceFilter,
};

use crate::harness::{Awake, World, cue, day, told, told_in, turn, turn_id};

/// Plays a story and compares what is said with what is expected.
pub(crate) async fn check(story: &str) {
    let mut world = World::new();
    if story.lines().any(|line| line.trim() == "lab") {
        world.config.memory.profile = Profile::Lab;
    }
    let mut teller = Teller { awake: world.wake().await, names: BTreeMap::new(), recall: None, turns: 0 };
    let (mut expected, mut got) = (Vec::new(), Vec::new());
    let mut answer = None;
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "lab") {
        if let Some(text) = line.strip_prefix("= ") {
            expected.push(format!("= {text}"));
            got.push(format!("= {}", answer.take().unwrap_or_default()));
        } else if line == "restart" {
            teller.awake.sleep().await;
            teller.awake = world.wake().await;
        } else {
            expected.push(line.to_owned());
            got.push(line.to_owned());
            answer = Some(teller.step(line).await);
        }
    }
    assert_eq!(got.join("\n"), expected.join("\n"));
}

struct Teller {
    awake: Awake,
    names: BTreeMap<TraceId, String>,
    recall: Option<RecallId>,
    turns: u64,
}

impl Teller {
    async fn step(&mut self, line: &str) -> String {
        let rest = line.strip_prefix("day ").expect("because a step begins with its day");
        let (days, step) = rest.split_once(' ').expect("because a step has a verb");
        let days: f64 = days.parse().expect("because a day is a number");
        let (verb, rest) = step.trim().split_once(' ').unwrap_or((step.trim(), ""));
        let (name, text) = rest.split_once(' ').unwrap_or((rest, ""));
        let result = match verb {
            "remember" => {
                let answer = self.awake.remember(text, days).await;
                answer.map(|remembered| self.named(remembered.id, name, remembered.new))
            }
            "event" => self.event(name, text, days).await,
            "recall" | "faded" | "learn" => Ok(self.recalled(verb, rest, days).await),
            "credit" => {
                let (recall, ids, at) = (self.recall_id(), self.ids(rest), day(days));
                told(self.awake.memory.credit.ask(Credit { recall, ids, at }).send().await)
                    .map(|()| "done".into())
            }
            "correct" => {
                let (recall, ids, at) = (self.recall_id(), self.ids(rest), day(days));
                told(self.awake.memory.correct.ask(Correct { recall, ids, at }).send().await)
                    .map(|()| "done".into())
            }
            "turn" => self.used(rest, days).await,
            "forget" | "rehearse" => self.forget(name, days, verb == "rehearse").await,
            "pin" | "unpin" => {
                let pin = Pin { id: self.id(name), pinned: verb == "pin", at: day(days) };
                told(self.awake.memory.pin.ask(pin).send().await).map(|()| "done".into())
            }
            "edit" => {
                let edit = Edit { id: self.id(name), text: text.into(), at: day(days) };
                told(self.awake.memory.edit.ask(edit).send().await).map(|edited| edited.text)
            }
            "show" => self.show(name, days).await,
            "list" => self.list(days).await,
            other => panic!("no step `{other}`"),
        };
        result.unwrap_or_else(|error| anonymous(&error))
    }

    fn named(&mut self, id: TraceId, name: &str, new: bool) -> String {
        if new {
            self.names.insert(id, name.to_owned());
            return "new".into();
        }
        format!("same as {}", self.names[&id])
    }

    async fn event(&mut self, name: &str, text: &str, days: f64) -> Result<String, MemoryError> {
        self.turns += 1;
        let remember = Remember { draft: told_in(turn_id(self.turns), text), at: day(days) };
        let remembered = told(self.awake.memory.remember.ask(remember).send().await)?;
        Ok(self.named(remembered.id, name, remembered.new))
    }

    async fn recalled(&mut self, verb: &str, text: &str, days: f64) -> String {
        let mode = if verb == "learn" { RecallMode::Learn } else { RecallMode::Observe };
        let scope = if verb == "faded" { CueScope::Faded } else { CueScope::Living };
        let recollection = self.awake.recall_as(mode, Cue { scope, ..cue(text, days) }).await;
        self.recall = recollection.recall.or(self.recall);
        self.say(&recollection)
    }

    fn say(&self, recollection: &Recollection) -> String {
        if !recollection.traces.is_empty() {
            let names: Vec<&str> =
                recollection.traces.iter().map(|trace| self.names[&trace.id].as_str()).collect();
            return names.join(" ");
        }
        let faded = recollection.feeling.faded.map(|(id, _)| format!(" {}", self.names[&id]));
        format!("nothing, {}{}", recollection.feeling.knowing.name(), faded.unwrap_or_default())
    }

    async fn used(&mut self, names: &str, days: f64) -> Result<String, MemoryError> {
        self.turns += 1;
        let mut turn = turn(turn_id(self.turns), days, "message", "reply");
        turn.used = self.ids(names);
        told(self.awake.memory.complete_turn.ask(turn).send().await).map(|_| "done".into())
    }

    async fn forget(&mut self, name: &str, days: f64, rehearse: bool) -> Result<String, MemoryError> {
        let forget = Forget { id: self.id(name), at: day(days), rehearse };
        let receipt = told(self.awake.memory.forget.ask(forget).send().await)?;
        let names: Vec<&str> = receipt.traces.iter().map(|(id, _)| self.names[id].as_str()).collect();
        Ok(format!("{} {}", if receipt.gone_from_memory { "gone" } else { "would go" }, names.join(" ")))
    }

    async fn show(&mut self, name: &str, days: f64) -> Result<String, MemoryError> {
        let show = ShowTrace { id: self.id(name), at: day(days) };
        let seen = told(self.awake.memory.show.ask(show).send().await)?;
        let age = day(days).since(seen.trace.recorded_at).as_days();
        let older = seen.folded.iter().flat_map(|fold| fold.mechanisms.iter().copied());
        let mechanisms: Vec<&str> = older.chain(seen.history.iter().map(|entry| entry.mechanism)).collect();
        Ok(format!(
            "age {age} uses {} evidence {} priority {:.2} stability {:.1} strength {:.2}{}; {}",
            seen.trace.stability.uses,
            seen.trace.evidence.0,
            seen.trace.priority,
            seen.stability_days,
            seen.strength,
            if seen.faded { " faded" } else { "" },
            mechanisms.join(" ")
        ))
    }

    async fn list(&mut self, days: f64) -> Result<String, MemoryError> {
        let list = ListTraces { filter: TraceFilter::default(), before: None, limit: 100, at: day(days) };
        let page = told(self.awake.memory.list.ask(list).send().await)?;
        let names: Vec<&str> = page.traces.iter().map(|view| self.names[&view.trace.id].as_str()).collect();
        Ok(if names.is_empty() { "-".into() } else { names.join(" ") })
    }

    fn recall_id(&self) -> RecallId {
        self.recall.unwrap_or(RecallId::from_raw(1))
    }

    fn ids(&self, names: &str) -> Vec<TraceId> {
        names.split_whitespace().map(|name| self.id(name)).collect()
    }

    fn id(&self, name: &str) -> TraceId {
        let known = self.names.iter().find(|(_, known)| known.as_str() == name);
        known.map_or(TraceId::from_raw(1), |(id, _)| *id)
    }
}

/// An error without its ids, which differ from run to run.
fn anonymous(error: &MemoryError) -> String {
    match error {
        MemoryError::NoSuchRecall(id) => error.to_string().replace(&id.to_string(), "RECALL"),
        MemoryError::NoSuch(_) => error.to_string().replace(&TraceId::from_raw(1).to_string(), "ID"),
        _ => error.to_string(),
    }
}
