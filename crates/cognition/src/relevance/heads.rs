//! Linear readings of sentence vectors, learnt from examples by `scripts/make_heads.py`.

use std::sync::LazyLock;

use bethink_domain::{EmbedderIdentity, Intent, UnitVector};

static FILE: &[u8] = include_bytes!("../../data/heads.bin");
const MAGIC: &[u8] = b"HEADS1\0\0";

static EMBEDDED: LazyLock<Heads> = LazyLock::new(|| {
    Heads::parse(FILE).expect("because the file is part of the program and a test reads it")
});

/// The classes of intents, in the order of the file.
const INTENTS: [Intent; 3] = [Intent::Memory, Intent::Reasoning, Intent::General];
/// Aspects that a question asks for with less probability than this change nothing that shows.
const ASKED_MIN: f32 = 0.01;

/// What vectors of one embedder tell about questions and statements.
#[derive(Debug)]
pub struct Heads {
    model: &'static str,
    revision: &'static str,
    dimensions: usize,
    questions: Vec<Row>,
    statements: Vec<Row>,
    intents: Vec<Row>,
}

/// value = scale · (weights · vector) + bias.
#[derive(Debug)]
struct Row {
    scale: f32,
    bias: f32,
    /// Signed bytes.
    weights: &'static [u8],
}

/// A stored vector: component ≈ value · scale.
#[derive(Debug, Clone, Copy)]
pub struct Quantised<'a> {
    /// One byte a component, never −128.
    pub values: &'a [i8],
    /// Above 0.
    pub scale: f32,
}

/// What a question asks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// Aspects with their probabilities, 0…1.
    aspects: Vec<(usize, f32)>,
    /// Probability that it asks for everything about something, 0…1.
    pub(super) overview: f32,
}

impl Heads {
    /// The readings learnt for an embedder; none for embedders that they were not learnt for, whose vectors lie
    /// elsewhere.
    #[must_use]
    pub fn of(identity: &EmbedderIdentity) -> Option<&'static Self> {
        let heads = &*EMBEDDED;
        let learnt_for = *identity.model == *heads.model
            && *identity.revision == *heads.revision
            && usize::from(identity.dimensions) == heads.dimensions;
        learnt_for.then_some(heads)
    }

    /// The most probable of memory, reasoning and general for a message, and its probability, 0…1. None when the
    /// vector is of another size.
    #[must_use]
    pub fn intent(&self, meaning: &UnitVector) -> Option<(Intent, f32)> {
        let probabilities = self.softmax(&self.intents, meaning)?;
        INTENTS.into_iter().zip(probabilities).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Probability that a message asks nothing of memory, 0…1.
    pub(super) fn impersonal(&self, meaning: &UnitVector) -> Option<f32> {
        Some(1.0 - self.softmax(&self.intents, meaning)?.first()?)
    }

    /// What a question asks for.
    pub(super) fn asked(&self, meaning: &UnitVector) -> Option<Asked> {
        let mut probabilities = self.softmax(&self.questions, meaning)?;
        let overview = probabilities.pop()?;
        let shown =
            probabilities.into_iter().enumerate().filter(|(_, probability)| *probability >= ASKED_MIN);
        Some(Asked { aspects: shown.collect(), overview })
    }

    /// How well a statement tells what is asked for, 0…1: the probabilities of the aspects asked for, each as far as
    /// it is told.
    pub(super) fn told(&self, asked: &Asked, statement: Quantised<'_>) -> f32 {
        if statement.values.len() != self.dimensions {
            return 0.0;
        }
        let told = |row: &Row| {
            let sum: i32 = row
                .weights
                .iter()
                .zip(statement.values)
                .map(|(w, v)| i32::from(w.cast_signed()) * i32::from(*v))
                .sum();
            let value = row.scale * statement.scale * sum as f32 + row.bias;
            1.0 / (1.0 + (-value).exp())
        };
        asked.aspects.iter().map(|(aspect, probability)| probability * told(&self.statements[*aspect])).sum()
    }

    fn softmax(&self, rows: &[Row], meaning: &UnitVector) -> Option<Vec<f32>> {
        let mut values = self.values(rows, meaning)?;
        let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        values.iter_mut().for_each(|value| *value = (*value - largest).exp());
        let sum: f32 = values.iter().sum();
        values.iter_mut().for_each(|value| *value /= sum);
        Some(values)
    }

    fn values(&self, rows: &[Row], meaning: &UnitVector) -> Option<Vec<f32>> {
        let meaning = Some(meaning.as_slice()).filter(|values| values.len() == self.dimensions)?;
        Some(rows.iter().map(|row| row.scale * dot(row.weights, meaning) + row.bias).collect())
    }

    fn parse(file: &'static [u8]) -> Option<Self> {
        let mut reader = Reader(file.strip_prefix(MAGIC)?);
        let dimensions = usize::from(reader.short()?);
        let [aspects, intents] = [reader.short()?, reader.short()?];
        let [model, revision] = [reader.text()?, reader.text()?];
        let mut rows = |count: u16| (0..count).map(|_| reader.row(dimensions)).collect::<Option<Vec<Row>>>();
        let heads = Self {
            model,
            revision,
            dimensions,
            questions: rows(aspects)?,
            statements: rows(aspects)?,
            intents: rows(intents)?,
        };
        (reader.0.is_empty() && heads.intents.len() == INTENTS.len()).then_some(heads)
    }
}

/// Σ w·v. Eight sums side by side are what vector units add up at once.
fn dot(weights: &[u8], values: &[f32]) -> f32 {
    let (weight_chunks, weight_rest) = weights.as_chunks::<8>();
    let (value_chunks, value_rest) = values.as_chunks::<8>();
    let mut lanes = [0.0f32; 8];
    for (w, v) in weight_chunks.iter().zip(value_chunks) {
        for lane in 0..8 {
            lanes[lane] += f32::from(w[lane].cast_signed()) * v[lane];
        }
    }
    let rest: f32 = weight_rest.iter().zip(value_rest).map(|(w, v)| f32::from(w.cast_signed()) * v).sum();
    lanes.iter().sum::<f32>() + rest
}

struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, count: usize) -> Option<&'static [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<&'static str> {
        let length = usize::from(*self.take(1)?.first()?);
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn row(&mut self, dimensions: usize) -> Option<Row> {
        let (scale, bias) = (self.number()?, self.number()?);
        Some(Row { scale, bias, weights: self.take(dimensions)? })
    }
}
