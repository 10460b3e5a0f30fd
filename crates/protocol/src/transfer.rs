//! Taking traces out of a space and into one.

use bethink_domain::{Exchange, Timestamp, Trace, TraceId, TurnId, UnitVector};

/// Give traces as they are stored, oldest first, faded and superseded ones too.
#[derive(Debug, Clone)]
pub struct ExportTraces {
    /// Continue above this id: the last one of the page before.
    pub after: Option<TraceId>,
    /// Most traces of the page, 1…1000; fewer where their texts are long.
    pub limit: usize,
}

/// A page of traces.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedTraces {
    /// Oldest first.
    pub traces: Vec<Trace>,
    /// True when there are more above the last.
    pub more: bool,
}

/// Give turns of the transcript, oldest first.
#[derive(Debug, Clone)]
pub struct ExportTurns {
    /// Continue above this id.
    pub after: Option<TurnId>,
    /// Most turns of the page, 1…1000; fewer where their texts are long.
    pub limit: usize,
}

/// A page of turns.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedTurns {
    /// Oldest first.
    pub turns: Vec<Exchange>,
    /// True when there are more above the last.
    pub more: bool,
}

/// Store a trace with all that is known about it, unless it is there already or was forgotten. What a space says itself
/// changes nothing in it.
#[derive(Debug, Clone)]
pub struct Import {
    /// The trace. Its id, revision and links to other traces and turns are those of another space, and are not taken.
    pub trace: Box<Trace>,
    /// Its meaning; the store asks the Embedder where there is none.
    pub embedding: Option<UnitVector>,
    /// Take what was forgotten too.
    pub revive: bool,
    /// When it is imported.
    pub at: Timestamp,
}

/// What became of an [`Import`]. The reply means that it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// It is there now.
    Stored {
        /// Its id in this space.
        id: TraceId,
        /// Kinds of secrets that were masked.
        masked: Vec<&'static str>,
        /// False while its vector is still to be made.
        embedded: bool,
    },
    /// It was there before; nothing was changed.
    Known {
        /// Its id in this space.
        id: TraceId,
    },
    /// A person had it forgotten; nothing was changed.
    Forgotten,
}
