//! Conversations and the questions about them, found by where their lines lie.

use std::collections::HashMap;
use std::path::Path;

use bethink_api::from_rfc3339;
use bethink_domain::Timestamp;
use serde::Deserialize;

use crate::error::EvaluationError;
use crate::lines::{Id, Lines, Spot};

/// One thing said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) id: Id,
    pub(super) session: Id,
    pub(super) at: Timestamp,
    pub(super) speaker: String,
    /// As it is remembered: "Speaker: text caption".
    pub(super) text: String,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) id: Id,
    pub(super) text: String,
    pub(super) at: Timestamp,
    /// Turns that hold the answer.
    pub(super) evidence: Vec<Id>,
}

/// One conversation with what is asked about it, both in the order of time and, within an instant, of their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conversation {
    pub(super) turns: Vec<Turn>,
    pub(super) questions: Vec<Question>,
}

/// Where the lines of each conversation lie.
pub(super) struct Corpus {
    turn_lines: Lines,
    question_lines: Lines,
    conversations: Vec<Spots>,
    pub(super) turns: usize,
    pub(super) questions: usize,
}

#[derive(Debug, Default)]
struct Spots {
    turns: Vec<Spot>,
    questions: Vec<Spot>,
}

#[derive(Debug, Deserialize)]
struct TurnLine {
    conv_id: Id,
    session_id: Id,
    turn_id: Id,
    timestamp: String,
    speaker: String,
    text: String,
    caption: Option<String>,
}

#[derive(Debug, Deserialize)]
struct QuestionLine {
    question_id: Id,
    conv_id: Id,
    question: String,
    asked_at: Option<String>,
    #[serde(default)]
    evidence: Vec<Id>,
}

impl Corpus {
    /// Reads both files once, and keeps no more of them than where lines lie.
    pub(super) fn index(turns: &Path, questions: &Path) -> Result<Self, EvaluationError> {
        let mut corpus = Self {
            turn_lines: Lines::open(turns)?,
            question_lines: Lines::open(questions)?,
            conversations: Vec::new(),
            turns: 0,
            questions: 0,
        };
        let mut places: HashMap<Id, usize> = HashMap::new();
        while let Some((spot, mut line)) = corpus.turn_lines.next::<TurnLine>()? {
            let conversation = std::mem::replace(&mut line.conv_id, Id::Number(0));
            line.turn().map_err(|reason| corpus.turn_lines.fault(spot, reason))?;
            let place = *places.entry(conversation).or_insert(corpus.conversations.len());
            if place == corpus.conversations.len() {
                corpus.conversations.push(Spots::default());
            }
            corpus.conversations[place].turns.push(spot);
            corpus.turns += 1;
        }
        while let Some((spot, line)) = corpus.question_lines.next::<QuestionLine>()? {
            let known = places.get(&line.conv_id).copied();
            let place = known.ok_or("no turn belongs to its `conv_id`".to_owned());
            let read = place.and_then(|place| line.question(Timestamp::default()).map(|_| place));
            let place = read.map_err(|reason| corpus.question_lines.fault(spot, reason))?;
            corpus.conversations[place].questions.push(spot);
            corpus.questions += 1;
        }
        if corpus.questions == 0 {
            return Err(EvaluationError::Empty { path: questions.to_owned(), what: "no question" });
        }
        // What nobody asks about is not stored.
        corpus.conversations.retain(|spots| !spots.questions.is_empty());
        corpus.turns = corpus.conversations.iter().map(|spots| spots.turns.len()).sum();
        Ok(corpus)
    }

    /// Conversations that something is asked about.
    pub(super) fn len(&self) -> usize {
        self.conversations.len()
    }

    /// Reads one conversation.
    pub(super) fn load(&mut self, number: usize) -> Result<Conversation, EvaluationError> {
        let spots = &self.conversations[number];
        let mut seen = HashMap::new();
        let mut turns = Vec::with_capacity(spots.turns.len());
        for spot in &spots.turns {
            let turn = self.turn_lines.at::<TurnLine>(*spot)?.turn();
            let turn = turn.map_err(|reason| self.turn_lines.fault(*spot, reason))?;
            if let Some(first) = seen.insert(turn.id.clone(), spot.line) {
                let reason = format!("its `turn_id` is already that of line {first}");
                return Err(self.turn_lines.fault(*spot, reason));
            }
            turns.push(turn);
        }
        turns.sort_by_key(|turn| turn.at);
        let newest = turns.last().map(|turn| turn.at).unwrap_or_default();
        let mut questions = Vec::with_capacity(spots.questions.len());
        for spot in &spots.questions {
            let question = self.question_lines.at::<QuestionLine>(*spot)?.question(newest);
            questions.push(question.map_err(|reason| self.question_lines.fault(*spot, reason))?);
        }
        questions.sort_by_key(|question| question.at);
        Ok(Conversation { turns, questions })
    }
}

impl TurnLine {
    fn turn(self) -> Result<Turn, String> {
        let Self { session_id, turn_id, timestamp, speaker, text, caption, .. } = self;
        let said = [Some(text.trim()), caption.as_deref().map(str::trim)];
        let said: Vec<&str> = said.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        Ok(Turn {
            id: turn_id,
            session: session_id,
            at: time(&timestamp)?,
            text: format!("{}: {}", speaker.trim(), said.join(" ")),
            speaker,
        })
    }
}

impl QuestionLine {
    /// `newest` is when the last turn of the conversation was said.
    fn question(self, newest: Timestamp) -> Result<Question, String> {
        let Self { question_id, question, asked_at, evidence, .. } = self;
        let at = asked_at.as_deref().map(time).transpose()?.unwrap_or(newest);
        Ok(Question { id: question_id, text: question, at, evidence })
    }
}

/// Reads a time or a day; without a zone it is in UTC.
fn time(text: &str) -> Result<Timestamp, String> {
    let written = text.trim();
    let in_utc =
        || from_rfc3339(&format!("{written}Z")).or_else(|_| from_rfc3339(&format!("{written}T00:00:00Z")));
    from_rfc3339(written).or_else(|fault| in_utc().map_err(|_| fault.to_string()))
}
