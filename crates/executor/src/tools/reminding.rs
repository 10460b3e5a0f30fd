//! The tool that keeps a reminder. It is kept at once, whatever becomes of the turn: what was promised must come.

use bethink_domain::Source;
use bethink_protocol::{Schedule, Scheduled, Wish};
use bethink_text::mask_secrets;

use super::calling::Calling;

/// Reminders that one turn keeps; a model that keeps more is making a plan.
const REMINDERS_MAX: usize = 4;

impl Calling {
    /// Keeps a reminder of what, at a time in words; says what was understood, or what is to be asked.
    pub(super) async fn remind(&mut self, what: &str, when: &str) -> Result<String, String> {
        if self.gathered.reminded >= REMINDERS_MAX {
            return Err(format!("at most {REMINDERS_MAX} reminders are kept in one turn"));
        }
        let recurs = when.trim_start().to_lowercase().starts_with("every");
        let words = Some(mask_secrets(when).text);
        let (at, every) = if recurs { (None, words) } else { (words, None) };
        let wish = Wish::Parts {
            text: mask_secrets(what).text,
            at,
            within: None,
            every,
            event: None,
            context: None,
            answer: None,
        };
        let schedule = Schedule {
            wish,
            referent: None,
            tags: Vec::new(),
            zone: None,
            source: Source::AgentInference,
            turn: Some(self.plan.turn),
            at: self.plan.at,
        };
        match self.toolbox.schedule.ask(schedule).send().await {
            Ok(Scheduled::Kept(told)) => {
                self.gathered.reminded += 1;
                Ok(format!("Kept. Tell the user, with the time: {}", told.said))
            }
            Ok(Scheduled::Asks(question)) => {
                Ok(format!("Nothing is kept yet. Ask the user: {}", question.said))
            }
            Err(error) => {
                tracing::warn!(%error, "a tool could not keep a reminder");
                Err("no reminder could be kept".to_owned())
            }
        }
    }
}
