//! Putting spaces back from a backup. It needs the data directory for itself: what agents have in mind, and turns in
//! flight, must not outlive the memory that they came from.

use std::path::Path;

use bethink_clock::Entropy;
use bethink_domain::{SpaceId, Timestamp};
use bethink_memory_store::{Restore, StoreConfig};

use crate::datadir::DataDir;
use crate::error::RuntimeError;
use crate::family::store_error;
use crate::wakes::NAME as CATALOGUE;

impl DataDir {
    /// Reads a backup and what is there now, and says what putting it back would change. Blocks on the disk.
    ///
    /// # Errors
    /// [`RuntimeError::Data`] when it is no backup, or is incomplete, damaged or of a newer program.
    pub fn plan_restore(
        &self,
        backup: &Path,
        wanted: &dyn Fn(&SpaceId) -> bool,
    ) -> Result<Restore, RuntimeError> {
        Restore::plan(backup, self.path(), wanted).map_err(|error| store_error(&error))
    }

    /// Puts the spaces of a plan back. Blocks on the disk.
    ///
    /// # Errors
    /// [`RuntimeError::Data`] and [`RuntimeError::Unwritable`]; see [`Restore::carry_out`] for what has changed then.
    pub fn restore(
        &self,
        plan: &Restore,
        config: &StoreConfig,
        entropy: Entropy,
        at: Timestamp,
    ) -> Result<(), RuntimeError> {
        plan.carry_out(config, entropy, at).map_err(|error| store_error(&error))?;
        // What is noted of the spaces is not true of those that came back; it is made anew from them.
        match std::fs::remove_file(self.path().join(CATALOGUE)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let path = self.path().join(CATALOGUE);
                Err(RuntimeError::Unwritable { path, reason: error.to_string() })
            }
            _ => Ok(()),
        }
    }
}
