//! Sentences of known intent, for what no rule decides.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use bethink_cognition::{Heads, INTENT_SENTENCES};
use bethink_domain::{EmbedderIdentity, Intent, UnitVector};
use bethink_protocol::{Embed, EmbedError, EmbedPort, Urgency};
use tokio::sync::OnceCell;

use crate::ports::{PROTOTYPES_WAIT, ask};

/// The classes, in the order that decides a tie.
const CLASSES: [Intent; 3] = [Intent::Memory, Intent::Reasoning, Intent::General];
/// How many of a class's nearest sentences speak for it. One is easily fooled by a topic; many drown small groups.
const NEAREST: usize = 3;
/// Most texts of one embedding request (see [`Embed::texts`]).
const BATCH: usize = 256;

static SENTENCES: LazyLock<Vec<(Intent, String)>> = LazyLock::new(|| {
    let classes: BTreeMap<String, Vec<String>> = toml::from_str(INTENT_SENTENCES)
        .expect("because the file is part of the program and a test reads it");
    let named = |(name, sentences): (String, Vec<String>)| {
        let intent = Intent::from_name(&name).expect("because a test reads the names too");
        sentences.into_iter().map(move |sentence| (intent, sentence))
    };
    classes.into_iter().flat_map(named).collect()
});

/// The prototype sentences with their intents.
pub fn prototype_sentences() -> &'static [(Intent, String)] {
    &SENTENCES
}

/// What prototypes say about the meanings of one embedder.
#[derive(Debug, Clone)]
pub struct Prototypes {
    identity: EmbedderIdentity,
    by: By,
}

#[derive(Debug, Clone)]
enum By {
    /// A reading learnt from the sentences beforehand, as for the embedded model: nothing to compute at start.
    Learnt(&'static Heads),
    /// The sentences' own vectors, by class.
    Compared([Vec<UnitVector>; 3]),
}

impl Prototypes {
    /// Sorts the vectors of [`prototype_sentences`], in its order, into their classes. A sentence without a vector
    /// speaks for nothing.
    #[must_use]
    pub fn new(identity: EmbedderIdentity, vectors: Vec<Option<UnitVector>>) -> Self {
        let mut classes = [const { Vec::new() }; 3];
        for ((intent, _), vector) in prototype_sentences().iter().zip(vectors) {
            if let Some(class) = CLASSES.iter().position(|class| class == intent) {
                classes[class].extend(vector);
            }
        }
        Self { identity, by: By::Compared(classes) }
    }

    /// What was learnt beforehand for an embedder, if anything was.
    #[must_use]
    pub fn learnt(identity: &EmbedderIdentity) -> Option<Self> {
        Heads::of(identity).map(|heads| Self { identity: identity.clone(), by: By::Learnt(heads) })
    }

    /// Who made the vectors.
    #[must_use]
    pub fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    /// The class that a meaning lies nearest to, and how near: the probability (0…1) of a learnt reading, else the
    /// mean of the three highest cosines (−1…1).
    #[must_use]
    pub fn nearest(&self, meaning: &UnitVector) -> Option<(Intent, f32)> {
        match &self.by {
            By::Learnt(heads) => heads.intent(meaning),
            By::Compared(classes) => compared(classes, meaning),
        }
    }
}

fn compared(classes: &[Vec<UnitVector>; 3], meaning: &UnitVector) -> Option<(Intent, f32)> {
    let closeness = |class: &Vec<UnitVector>| {
        let mut cosines: Vec<f32> = class.iter().map(|vector| vector.cosine(meaning)).collect();
        cosines.sort_by(|a, b| b.total_cmp(a));
        cosines.truncate(NEAREST);
        (!cosines.is_empty()).then(|| cosines.iter().sum::<f32>() / cosines.len() as f32)
    };
    let near = CLASSES.into_iter().zip(classes);
    near.filter_map(|(intent, class)| Some((intent, closeness(class)?)))
        // The first of equals wins.
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The prototypes of a process, shared by its spaces. Those of an embedder that nothing was learnt for are made on
/// first need.
#[derive(Debug, Clone, Default)]
pub struct PrototypeShelf(Arc<OnceCell<Prototypes>>);

impl PrototypeShelf {
    /// A shelf that is filled from the embedder when a message first needs it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The prototypes of an embedder. None when it fails now, in which case the next message tries again, or when it
    /// is not the one that filled the shelf.
    pub async fn of(&self, identity: &EmbedderIdentity, embedder: &EmbedPort) -> Option<&Prototypes> {
        let fill = async || match Prototypes::learnt(identity) {
            Some(learnt) => Ok(learnt),
            None => embed_all(embedder).await,
        };
        let filled = self.0.get_or_try_init(fill).await;
        match filled {
            Ok(prototypes) => Some(prototypes).filter(|prototypes| prototypes.identity == *identity),
            Err(error) => {
                tracing::warn!(%error, "prototypes could not be embedded");
                None
            }
        }
    }
}

async fn embed_all(embedder: &EmbedPort) -> Result<Prototypes, EmbedError> {
    let mut vectors = Vec::new();
    let mut identity = None;
    for batch in prototype_sentences().chunks(BATCH) {
        let texts = batch.iter().map(|(_, sentence)| sentence.clone()).collect();
        let embedded = ask(embedder, Embed { texts, urgency: Urgency::Turn }, PROTOTYPES_WAIT).await?;
        vectors.extend(embedded.vectors);
        identity = Some(embedded.identity);
    }
    let identity = identity.ok_or_else(|| EmbedError::Failed("there are no prototypes".to_owned()))?;
    Ok(Prototypes::new(identity, vectors))
}
