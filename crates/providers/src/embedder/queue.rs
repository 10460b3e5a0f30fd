//! Requests that wait for the model, and how they are cut into batches. Pure: no actor, no clock.

use std::collections::{BTreeMap, VecDeque};

use bethink_domain::UnitVector;
use bethink_protocol::{Embed, EmbedError, Urgency};

/// Texts that may wait. At 100 texts a second the last of them waits 40 s; who asks later is told to.
const WAITING_TEXTS_MAX: usize = 4_096;
/// Bytes of text that may wait, so that texts of 10 MB can't fill the memory.
const WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The part of both that imports and migrations leave to turns and reminders: one in eight.
const RESERVED: usize = 8;

/// Texts in one batch.
const BATCH_TEXTS: usize = 16;
/// Bytes in one batch, though it has at least one text: some 500 word pieces, 150 ms of one core.
const BATCH_BYTES: usize = 2_048;

/// The order of service: by urgency, then by the order of asking.
type Turn = (Urgency, u64);

/// Requests that wait. `A` is where an answer goes.
#[derive(Debug)]
pub(super) struct Queue<A> {
    waiting: BTreeMap<Turn, Request<A>>,
    asked: u64,
    /// Texts and bytes of all that waits.
    load: Load,
}

#[derive(Debug)]
struct Request<A> {
    asker: A,
    /// Texts not yet given to the model, in order.
    texts: VecDeque<String>,
    /// Vectors of those before them.
    vectors: Vec<Option<UnitVector>>,
}

/// What the model has: the first texts of one or more requests of one urgency.
#[derive(Debug)]
pub(super) struct Batch<A> {
    /// How urgent all of it is.
    pub urgency: Urgency,
    /// Requests, and how many of their texts are with the model.
    parts: Vec<(Turn, Request<A>, usize)>,
}

/// A request that needs no more work.
#[derive(Debug)]
pub(super) struct Finished<A> {
    pub asker: A,
    /// A vector for each text in order, or what stopped it.
    pub outcome: Result<Vec<Option<UnitVector>>, EmbedError>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Load {
    texts: usize,
    bytes: usize,
}

impl<A> Default for Queue<A> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), asked: 0, load: Load::default() }
    }
}

impl<A> Queue<A> {
    /// Requests that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether a request may wait. A first one always may, whatever its size.
    pub(super) fn has_room(&self, embed: &Embed) -> bool {
        let share = |max: usize| if embed.urgency <= Urgency::Reminder { max } else { max - max / RESERVED };
        let load = self.load.with(Load::of(&embed.texts));
        self.waiting.is_empty()
            || load.texts <= share(WAITING_TEXTS_MAX) && load.bytes <= share(WAITING_BYTES_MAX)
    }

    /// Takes a request with at least one text.
    pub(super) fn push(&mut self, embed: Embed, asker: A) {
        self.load = self.load.with(Load::of(&embed.texts));
        let vectors = Vec::with_capacity(embed.texts.len());
        let request = Request { asker, texts: embed.texts.into(), vectors };
        self.waiting.insert((embed.urgency, self.asked), request);
        self.asked += 1;
    }

    /// Takes out the next batch and its texts; none when nobody waits.
    pub(super) fn next_batch(&mut self) -> Option<(Batch<A>, Vec<String>)> {
        let (urgency, _) = *self.waiting.first_key_value()?.0;
        let mut batch = Batch { urgency, parts: Vec::new() };
        let mut texts = Vec::new();
        let mut load = Load::default();
        while let Some(mut first) = self.waiting.first_entry()
            && first.key().0 == urgency
        {
            let before = texts.len();
            let request = first.get_mut();
            while let Some(text) = request.texts.pop_front_if(|text| load.takes(text)) {
                load = load.with(Load { texts: 1, bytes: text.len() });
                texts.push(text);
            }
            let (taken, whole) = (texts.len() - before, request.texts.is_empty());
            if taken > 0 {
                let (turn, request) = first.remove_entry();
                batch.parts.push((turn, request, taken));
            }
            if !whole {
                break;
            }
        }
        self.load = self.load.without(load);
        Some((batch, texts))
    }

    /// Hands out the vectors of a batch, in the order of its texts. Requests with texts left go back to their place.
    pub(super) fn finish(
        &mut self,
        batch: Batch<A>,
        outcome: Result<Vec<Option<UnitVector>>, EmbedError>,
    ) -> Vec<Finished<A>> {
        let mut finished = Vec::new();
        let mut vectors = outcome.map(Vec::into_iter);
        for (turn, mut request, taken) in batch.parts {
            match &mut vectors {
                Ok(vectors) => request.vectors.extend(vectors.take(taken)),
                Err(error) => {
                    self.load = self.load.without(Load::of(&request.texts));
                    finished.push(Finished { asker: request.asker, outcome: Err(error.clone()) });
                    continue;
                }
            }
            if request.texts.is_empty() {
                finished.push(Finished { asker: request.asker, outcome: Ok(request.vectors) });
            } else {
                self.waiting.insert(turn, request);
            }
        }
        finished
    }
}

impl Load {
    fn of<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        texts.into_iter().fold(Self::default(), |load, text| load.with(Self { texts: 1, bytes: text.len() }))
    }

    fn with(self, other: Self) -> Self {
        Self { texts: self.texts + other.texts, bytes: self.bytes.saturating_add(other.bytes) }
    }

    fn without(self, other: Self) -> Self {
        Self { texts: self.texts.saturating_sub(other.texts), bytes: self.bytes.saturating_sub(other.bytes) }
    }

    /// Whether a batch of this load takes one more text.
    fn takes(&self, text: &str) -> bool {
        self.texts == 0 || self.texts < BATCH_TEXTS && self.bytes + text.len() <= BATCH_BYTES
    }
}
