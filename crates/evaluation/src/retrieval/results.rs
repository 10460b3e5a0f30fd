//! The file of results.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use crate::error::EvaluationError;
use crate::lines::{Id, Written};

/// Something retrieved.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) id: Id,
    pub(super) score: f32,
    /// 0…1.
    pub(super) relevance: f32,
}

/// Results being written.
pub(super) struct Results {
    file: Written,
    /// Questions for which something was retrieved.
    pub(super) answered: usize,
}

#[derive(Serialize)]
struct Line<'a> {
    question_id: &'a Id,
    retrieved: Vec<&'a Id>,
    scores: Vec<f32>,
    signal: f32,
}

impl Results {
    pub(super) fn create(path: &Path) -> Result<Self, EvaluationError> {
        Ok(Self { file: Written::create(path)?, answered: 0 })
    }

    /// Writes what was found for a question: of equal ids the first, and at most `k`.
    pub(super) fn write(&mut self, question: &Id, found: &[Found], k: usize) -> Result<(), EvaluationError> {
        let mut seen = HashSet::new();
        let best: Vec<&Found> = found.iter().filter(|found| seen.insert(&found.id)).take(k).collect();
        self.answered += usize::from(!best.is_empty());
        self.file.line(&Line {
            question_id: question,
            retrieved: best.iter().map(|found| &found.id).collect(),
            scores: best.iter().map(|found| found.score).collect(),
            signal: found.iter().map(|found| found.relevance).fold(0.0, f32::max),
        })
    }

    pub(super) fn finish(self) -> Result<(), EvaluationError> {
        self.file.finish()
    }
}
