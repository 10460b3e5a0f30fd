//! Measuring: how well the planner and the store recall, and what they cost.
//!
//! Everything runs through the real actors in a directory of its own, which is removed at the end; the memory of the
//! user is never opened. [`Score`] and the parser of [`Benchmark`] are pure.

mod bench;
mod benchmark;
mod error;
mod first_token;
mod intents;
mod lines;
mod overhead;
mod progress;
mod recall;
mod reminders;
mod report;
mod retrieval;
mod score;
mod soak;
mod stage;
mod times;

pub use bench::{
    BENCH_VERSION, Bench, BenchReport, BusyRecall, FileFigures, ImportFigures, Machine, Measure,
    MemoryFigures, OtherFigures, RecallFigures, RememberFigures, ResidentOf, SizeFigures, TurnFigures, bench,
    plots, resident_of,
};
pub use benchmark::{Benchmark, Query, Told};
pub use error::EvaluationError;
pub use first_token::{Endpoint, FirstToken, FirstTokenReport, Requests, first_token};
pub use intents::{IntentsReport, intents};
pub use overhead::{Load, OverheadReport, overhead};
pub use progress::{Progress, Watch};
pub use recall::recall;
pub use reminders::{RemindersReport, Reminding, reminders};
pub use report::{RecallReport, Side};
pub use retrieval::{Evidence, Level, Mode, Retrieval, RetrievalReport, retrieval};
pub use score::{Answer, Got, Judged, Score, Times};
pub use soak::{Life, Sample, SoakReport, soak};
pub use stage::{EvaluationParts, Recipe};
pub use times::{TimesReport, times};
