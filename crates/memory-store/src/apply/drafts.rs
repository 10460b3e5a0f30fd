//! The texts that a command brings, and their vectors.

use bethink_domain::{Draft, UnitVector};
use bethink_protocol::Import;

use super::Command;
use crate::actor::named;
use crate::masking;

impl Command {
    /// Texts that are to become traces.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let (drafts, edited): (&[Draft], Option<&str>) = match self {
            Self::Remember { remember, .. } => (std::slice::from_ref(&remember.draft), None),
            Self::CompleteTurn(turn) => (&turn.stated, None),
            Self::Edit { edit, .. } => (&[], Some(&edit.text)),
            Self::Import { import, .. } => (&[], Some(&import.trace.text)),
            _ => (&[], None),
        };
        drafts.iter().map(|draft| draft.text.as_str()).chain(edited)
    }

    /// Whether a text has no vector yet.
    pub(crate) fn lacks_vectors(&self) -> bool {
        match self {
            Self::Remember { remember, .. } => remember.draft.embedding.is_none(),
            Self::CompleteTurn(turn) => turn.stated.iter().any(|draft| draft.embedding.is_none()),
            Self::Edit { embedding, .. } => embedding.is_none(),
            Self::Import { import, .. } => import.embedding.is_none(),
            _ => false,
        }
    }

    /// Masks secrets in the texts that are to be embedded.
    pub(crate) fn mask(&mut self) {
        let mask = |text: &mut String| {
            let (clean, kinds) = masking::masked(text);
            *text = clean;
            kinds
        };
        match self {
            Self::Remember { remember, masked } => *masked = mask(&mut remember.draft.text),
            Self::CompleteTurn(turn) => turn.stated.iter_mut().for_each(|draft| drop(mask(&mut draft.text))),
            Self::Edit { edit, masked, .. } => *masked = mask(&mut edit.text),
            Self::Import { import, masked } => {
                let (clean, kinds) = masking::masked(&import.trace.text);
                import.trace.text = clean.into();
                *masked = kinds;
            }
            _ => {}
        }
    }

    /// Texts without a vector, as they are embedded.
    pub(crate) fn to_embed(&self) -> Vec<String> {
        let text = |draft: &Draft| named(draft.speaker.as_deref(), &draft.text);
        match self {
            Self::Remember { remember, .. } if remember.draft.embedding.is_none() => {
                vec![text(&remember.draft)]
            }
            Self::CompleteTurn(turn) => {
                turn.stated.iter().filter(|draft| draft.embedding.is_none()).map(text).collect()
            }
            Self::Edit { edit, embedding: None, .. } => vec![edit.text.clone()],
            Self::Import { import: Import { trace, embedding: None, .. }, .. } => {
                vec![named(trace.speaker.as_deref(), &trace.text)]
            }
            _ => Vec::new(),
        }
    }

    /// Takes a vector for each text of [`Command::to_embed`]; what runs short stays without.
    pub(crate) fn take_vectors(&mut self, vectors: &mut impl Iterator<Item = Option<UnitVector>>) {
        let mut fill = |place: &mut Option<UnitVector>| {
            if place.is_none() {
                *place = vectors.next().flatten();
            }
        };
        match self {
            Self::Remember { remember, .. } => fill(&mut remember.draft.embedding),
            Self::CompleteTurn(turn) => turn.stated.iter_mut().for_each(|draft| fill(&mut draft.embedding)),
            Self::Edit { embedding, .. } => fill(embedding),
            Self::Import { import, .. } => fill(&mut import.embedding),
            _ => {}
        }
    }
}
