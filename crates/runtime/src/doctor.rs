//! Having memory examined: each space beside its actors while it is awake, or alone while it sleeps.

use std::sync::Arc;
use std::time::Duration;

use bethink_domain::{Examination, Findings, SpaceId};
use bethink_memory_store::{
    Checkup, StoreError, examine_directory, examine_file, space_path, spaces_and_leftovers,
};
use bethink_protocol::{Examine, Offload, offload};

use crate::directory::{Lend, Lent, PutToSleep};
use crate::error::RuntimeError;
use crate::family::store_error;
use crate::handle::Handle;
use crate::ports::AskError;

/// Between two attempts at a space that is about to wake or to sleep.
const RETRY: Duration = Duration::from_millis(20);
/// Attempts at one space before it is told of as busy: a minute.
const ATTEMPTS_MAX: usize = 3_000;

impl Handle {
    /// Examines a space, and mends it where the checkup asks for it. A space that is awake is examined beside its actors,
    /// of one moment, and put to sleep only to be mended; one that sleeps is not woken. A file that cannot be opened is a
    /// finding.
    ///
    /// # Errors
    /// That the space was busy all the time, or what kept it from being mended.
    pub async fn examine(
        &self,
        space: &SpaceId,
        deep: bool,
        mend: Mend,
    ) -> Result<Examination, RuntimeError> {
        let checkup = Checkup {
            at: self.now(),
            deep,
            repair: mend.repair,
            migrate: mend.migrate,
            configured: self.identity.clone(),
        };
        for _ in 0..ATTEMPTS_MAX {
            if checkup.repair || checkup.migrate {
                // What it has accepted is finished first.
                let asleep = PutToSleep { space: space.clone() };
                self.directory.tell(asleep).await.map_err(|_| RuntimeError::Stopping)?;
            }
            let lent = self.directory.ask(Lend { space: space.clone() }).await;
            match lent.map_err(|_| RuntimeError::Stopping)? {
                Lent::Stopping => return Err(RuntimeError::Stopping),
                Lent::Awake(_) if !(checkup.repair || checkup.migrate) => {
                    let examine = Examine { deep, at: checkup.at };
                    return self.ask(space, |ports| &ports.memory.examine, examine).await.map_err(refused);
                }
                Lent::Awake(_) | Lent::NotNow => {}
                Lent::Asleep(loan) => {
                    let (path, of, checkup) =
                        (space_path(self.data_dir().path(), space), space.clone(), checkup.clone());
                    let examined = off(&self.blocking, move || examine_file(&path, &of, &checkup)).await?;
                    drop(loan);
                    match examined {
                        // It is being closed still.
                        Err(StoreError::InUse { .. } | StoreError::Closed { .. }) => {}
                        examined => return examined.map_err(|error| store_error(&error)),
                    }
                }
            }
            tokio::time::sleep(RETRY).await;
        }
        Err(RuntimeError::Unavailable(format!("{space} was busy all the time")))
    }

    /// Examines what lies around the spaces: what is wrong, and what was and is not any more.
    ///
    /// # Errors
    /// What kept it from being read or mended.
    pub async fn examine_directory(&self, repair: bool) -> Result<(Findings, Findings), RuntimeError> {
        let (dir, wakes) = (self.data_dir().path().to_owned(), self.wakes.clone());
        let examined = off(&self.blocking, move || {
            let catalogue = wakes.catalogue();
            examine_directory(&dir, catalogue.as_deref(), repair)
        });
        examined.await?.map_err(|error| store_error(&error))
    }

    /// The spaces that have a file, or something that a crash left of one, sorted.
    ///
    /// # Errors
    /// What kept the directory from being read.
    pub async fn spaces_on_disk(&self) -> Result<Vec<SpaceId>, RuntimeError> {
        let dir = self.data_dir().path().to_owned();
        let spaces = off(&self.blocking, move || spaces_and_leftovers(&dir)).await?;
        spaces.map_err(|error| store_error(&error))
    }
}

/// What an examination may change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mend {
    /// Make anew what is derived and wrong.
    pub repair: bool,
    /// Bring a file of an earlier format to the newest.
    pub migrate: bool,
}

async fn off<T: Send + 'static>(
    blocking: &Arc<dyn Offload>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RuntimeError> {
    let abandoned = |_| RuntimeError::Unavailable("the examination was abandoned".to_owned());
    offload(blocking, work).await.map_err(abandoned)
}

fn refused(error: AskError<bethink_protocol::MemoryError>) -> RuntimeError {
    match error {
        AskError::Runtime(error) => error,
        AskError::Refused(error) => RuntimeError::Unavailable(error.to_string()),
    }
}
