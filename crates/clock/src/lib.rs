//! Wall time and chance, as things to be handed around.
//!
//! Everything else takes `now: Timestamp` and numbers drawn from [`Entropy`]; so one seed and one simulated clock
//! replay a run exactly.

mod entropy;
mod simulated;
mod system;

pub use entropy::Entropy;
pub use simulated::SimulatedClock;
pub use system::SystemClock;

use bethink_domain::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Timestamp;
}
