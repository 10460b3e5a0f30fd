//! What a model says, heard piece by piece and passed on as the user is to see it.

use bethink_protocol::{ExecuteError, TurnEvent};
use tokio::sync::mpsc;

use crate::tags::Stripper;

/// Longest reply. No model is asked for more, so one that writes more is stuck.
const REPLY_BYTES_MAX: usize = 1 << 20;
/// Stands between what is said before a round of tool calls and what is said after it.
const BETWEEN_ROUNDS: &str = "\n\n";

/// What was heard.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// As the model said it.
    pub(crate) raw: String,
    /// As the user saw it.
    pub(crate) shown: String,
}

/// Listens to the model and passes on what the user is to see, over all rounds of a turn. What is said before tools
/// are called is part of the reply, as a paragraph of its own.
pub(crate) struct Ear<'a> {
    words: &'a mpsc::Sender<TurnEvent>,
    heard: Heard,
    /// None for a responder that quotes: its words stay as they are.
    stripper: Option<Stripper>,
    generative: bool,
    /// Where this round began in what was heard.
    round: usize,
    /// Something of this round was shown.
    begun: bool,
}

impl<'a> Ear<'a> {
    pub(crate) fn new(words: &'a mpsc::Sender<TurnEvent>, generative: bool) -> Self {
        Self { words, heard: Heard::default(), stripper: None, generative, round: 0, begun: false }
    }

    /// A round begins, in which these tags can be cited.
    pub(crate) fn begin(&mut self, tags: &[String]) {
        if !self.heard.raw.is_empty() {
            self.heard.raw.push_str(BETWEEN_ROUNDS);
        }
        self.stripper = self.generative.then(|| Stripper::new(tags));
        (self.round, self.begun) = (self.heard.raw.len(), false);
    }

    /// What was heard in this round.
    pub(crate) fn this_round(&self) -> &str {
        &self.heard.raw[self.round..]
    }

    pub(crate) async fn hear(&mut self, event: TurnEvent) -> Result<(), ExecuteError> {
        // Only the Planner ends a turn.
        let TurnEvent::Text(piece) = event else { return Ok(()) };
        if self.heard.raw.len() + piece.len() > REPLY_BYTES_MAX {
            return Err(ExecuteError::Model(format!("the answer is longer than {REPLY_BYTES_MAX} bytes")));
        }
        self.heard.raw.push_str(&piece);
        let visible = match &mut self.stripper {
            Some(stripper) => stripper.push(&piece),
            None => piece,
        };
        self.show(visible).await
    }

    /// A round ends: what was held back of it is shown.
    pub(crate) async fn end(&mut self) -> Result<(), ExecuteError> {
        let held_back = self.stripper.take().map(Stripper::finish).unwrap_or_default();
        self.show(held_back).await
    }

    /// Adds words that are not the model's as a paragraph of their own.
    pub(crate) async fn add(&mut self, text: String) -> Result<(), ExecuteError> {
        self.begun = false;
        self.show(text).await
    }

    /// What the user has seen so far.
    pub(crate) fn shown(&self) -> &str {
        &self.heard.shown
    }

    pub(crate) fn heard(self) -> Heard {
        self.heard
    }

    async fn show(&mut self, text: String) -> Result<(), ExecuteError> {
        if text.is_empty() {
            return Ok(());
        }
        let first = !std::mem::replace(&mut self.begun, true);
        let text =
            if first && !self.heard.shown.is_empty() { format!("{BETWEEN_ROUNDS}{text}") } else { text };
        self.heard.shown.push_str(&text);
        self.words.send(TurnEvent::Text(text)).await.map_err(|_| ExecuteError::Cancelled)
    }
}
