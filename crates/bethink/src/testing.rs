//! What a test of an extension or a tool needs: a clock that moves when told, a model that follows a script, an embedder
//! without weights, and a home that is gone afterwards.
//!
//! ```
//! use bethink::testing::{Home, Scripted, Act, SimulatedClock, HashedEmbedder, Span, noon};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bethink::Error> {
//! let home = Home::new();
//! let clock = SimulatedClock::new(noon());
//! let bethink = bethink::Runtime::builder()
//!     .settings_toml("[user]\ntimezone = \"UTC\"")
//!     .data_dir(home.path())
//!     .clock(clock.clone())
//!     .seed(1)
//!     .embedder(HashedEmbedder::default())
//!     .language_model(Scripted::playing([Act::say("Noted.")]))
//!     .start()
//!     .await?;
//! assert_eq!(bethink.ask("My bike is green.").await?.text, "Noted.");
//! clock.advance(Span::from_seconds(3 * 24 * 3600));
//! let found = bethink.recall("bike").await?;
//! assert_eq!(&*found.traces[0].text, "My bike is green.");
//! bethink.shutdown().await?;
//! # Ok(())
//! # }
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use bethink_clock::{Clock, Entropy, SimulatedClock};
pub use bethink_domain::{Span, Timestamp};
pub use bethink_providers::{Act, HashedEmbedder, HashedFault, NoEmbedder, Scripted};

/// Noon of 2 March 2026, in UTC: a time to begin a simulated clock at.
#[must_use]
pub const fn noon() -> Timestamp {
    Timestamp::from_millis(1_772_452_800_000)
}

/// A directory of its own in the system's temporary one, removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Home(PathBuf);

impl Home {
    /// A new directory; it is made when something is kept there.
    #[must_use]
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let nth = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bethink-home-{}-{nth}", std::process::id()));
        // Left over from a process of the same id that was killed.
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // A directory that cannot be removed is the system's to clean.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
