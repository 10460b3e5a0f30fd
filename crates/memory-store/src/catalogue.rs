//! What is derived across the spaces of a data directory: when each must wake, and for which events.
//!
//! It holds nothing that the spaces' own files do not tell, so it can be made anew from them at any time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bethink_domain::{AgentName, SpaceId, Timestamp, UserName};
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

use crate::error::StoreError;
use crate::file::open::{Opening, guarded, open_database};
use crate::paths::{create_private_dir, create_private_file};

/// Milliseconds since 1970 before which a space need not wake, by space. A space without an entry need not wake at all.
const WAKES: TableDefinition<'static, (&str, &str), i64> = TableDefinition::new("wakes");
/// Milliseconds since 1970 before which a space need not wake to make vectors, by space.
const RETRIES: TableDefinition<'static, (&str, &str), i64> = TableDefinition::new("retries");
/// Spaces that wait for an event, by event and space.
const EVENTS: TableDefinition<'static, (&str, &str, &str), ()> = TableDefinition::new("events");

/// Name of the file in the data directory.
const NAME: &str = "catalogue.redb";
/// Page cache in bytes: the whole of it for some thousand spaces.
const CACHE_BYTES: usize = 256 * 1024;

/// When one space must wake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wake {
    /// Which.
    pub space: SpaceId,
    /// Not before this time; none when only events wake it, or nothing.
    pub not_before: Option<Timestamp>,
    /// Not before this time to make vectors.
    pub retry: Option<Timestamp>,
    /// Events that wake it.
    pub events: Vec<String>,
}

impl Wake {
    /// A space of which nothing is known: it is to be looked at.
    #[must_use]
    pub fn unlooked(space: SpaceId) -> Self {
        Self { space, not_before: Some(Timestamp::from_millis(0)), retry: None, events: Vec::new() }
    }
}

/// The open catalogue of a data directory. Everything here blocks on the disk.
pub struct Catalogue {
    path: PathBuf,
    database: Database,
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Catalogue {
    /// Opens the catalogue of a data directory, empty where there is none.
    ///
    /// # Errors
    /// A [`StoreError`] that names the file. A damaged one may be removed: [`Catalogue::rebuild`] fills a new one.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let path = data_dir.join(NAME);
        create_private_dir(data_dir)?;
        let opening = Opening { cache_bytes: CACHE_BYTES, disk: None };
        let database = if path.exists() {
            open_database(&path, &opening)?
        } else {
            let file = create_private_file(&path).map_err(|error| StoreError::io(&path, error))?;
            let backend = redb::backends::FileBackend::new(file);
            let backend = backend.map_err(|error| StoreError::database(&path, error))?;
            let created = redb::Builder::new().set_cache_size(CACHE_BYTES).create_with_backend(backend);
            created.map_err(|error| StoreError::database(&path, error))?
        };
        let catalogue = Self { path, database };
        // Tables must be there before they are read.
        catalogue.write(|_| Ok(()))?;
        Ok(catalogue)
    }

    /// Notes when a space must wake next. Written before the space's own commit, so that it is never too late.
    ///
    /// # Errors
    /// A [`StoreError`] when it could not be made durable.
    pub fn set_next_wake(&self, wake: &Wake) -> Result<(), StoreError> {
        self.write(|tables| tables.put(wake))
    }

    /// Spaces whose time has come, soonest first.
    ///
    /// # Errors
    /// A [`StoreError`] when the file cannot be read.
    pub fn due(&self, now: Timestamp) -> Result<Vec<SpaceId>, StoreError> {
        let fault = |error: redb::Error| StoreError::database(&self.path, error);
        guarded(&self.path, || {
            let read = self.database.begin_read().map_err(|error| fault(error.into()))?;
            let wakes = read.open_table(WAKES).map_err(|error| fault(error.into()))?;
            let mut due = Vec::new();
            for entry in wakes.iter().map_err(|error| fault(error.into()))? {
                let (key, at) = entry.map_err(|error| fault(error.into()))?;
                let (agent, user) = key.value();
                let space =
                    named(agent, user).ok_or_else(|| StoreError::damaged(&self.path, "a name is none"))?;
                due.push((at.value(), space));
            }
            due.retain(|(at, _)| *at <= now.as_millis());
            due.sort();
            Ok(due.into_iter().map(|(_, space)| space).collect())
        })
    }

    /// All that is noted, by space.
    ///
    /// # Errors
    /// A [`StoreError`] when the file cannot be read.
    pub fn wakes(&self) -> Result<Vec<Wake>, StoreError> {
        let fault = |error: redb::Error| StoreError::database(&self.path, error);
        guarded(&self.path, || {
            let read = self.database.begin_read().map_err(|error| fault(error.into()))?;
            let wakes = read.open_table(WAKES).map_err(|error| fault(error.into()))?;
            let events = read.open_table(EVENTS).map_err(|error| fault(error.into()))?;
            let mut noted: BTreeMap<SpaceId, Wake> = BTreeMap::new();
            let retries = read.open_table(RETRIES).map_err(|error| fault(error.into()))?;
            let blank = |space: &SpaceId| Wake {
                space: space.clone(),
                not_before: None,
                retry: None,
                events: Vec::new(),
            };
            for entry in retries.iter().map_err(|error| fault(error.into()))? {
                let (key, at) = entry.map_err(|error| fault(error.into()))?;
                let Some(space) = named(key.value().0, key.value().1) else { continue };
                let wake = noted.entry(space.clone()).or_insert_with(|| blank(&space));
                wake.retry = Some(Timestamp::from_millis(at.value()));
            }
            for entry in wakes.iter().map_err(|error| fault(error.into()))? {
                let (key, at) = entry.map_err(|error| fault(error.into()))?;
                let Some(space) = named(key.value().0, key.value().1) else { continue };
                let wake = noted.entry(space.clone()).or_insert_with(|| blank(&space));
                wake.not_before = Some(Timestamp::from_millis(at.value()));
            }
            for entry in events.iter().map_err(|error| fault(error.into()))? {
                let (key, ()) = entry.map(|(key, _)| (key, ())).map_err(|error| fault(error.into()))?;
                let (event, agent, user) = key.value();
                let Some(space) = named(agent, user) else { continue };
                noted.entry(space.clone()).or_insert_with(|| blank(&space)).events.push(event.to_owned());
            }
            Ok(noted.into_values().collect())
        })
    }

    /// Every space that is named.
    ///
    /// # Errors
    /// A [`StoreError`] when the file cannot be read.
    pub fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
        let fault = |error: redb::Error| StoreError::database(&self.path, error);
        guarded(&self.path, || {
            let read = self.database.begin_read().map_err(|error| fault(error.into()))?;
            let wakes = read.open_table(WAKES).map_err(|error| fault(error.into()))?;
            let events = read.open_table(EVENTS).map_err(|error| fault(error.into()))?;
            let mut spaces = Vec::new();
            for entry in wakes.iter().map_err(|error| fault(error.into()))? {
                let (key, _) = entry.map_err(|error| fault(error.into()))?;
                spaces.extend(named(key.value().0, key.value().1));
            }
            for entry in events.iter().map_err(|error| fault(error.into()))? {
                let (key, _) = entry.map_err(|error| fault(error.into()))?;
                spaces.extend(named(key.value().1, key.value().2));
            }
            spaces.sort();
            spaces.dedup();
            Ok(spaces)
        })
    }

    /// Removes what is said of a space.
    ///
    /// # Errors
    /// A [`StoreError`] when it could not be made durable.
    pub fn forget(&self, space: &SpaceId) -> Result<(), StoreError> {
        self.set_next_wake(&Wake { space: space.clone(), not_before: None, retry: None, events: Vec::new() })
    }

    /// Spaces that wait for an event.
    ///
    /// # Errors
    /// A [`StoreError`] when the file cannot be read.
    pub fn waiting_for(&self, event: &str) -> Result<Vec<SpaceId>, StoreError> {
        let fault = |error: redb::Error| StoreError::database(&self.path, error);
        guarded(&self.path, || {
            let read = self.database.begin_read().map_err(|error| fault(error.into()))?;
            let events = read.open_table(EVENTS).map_err(|error| fault(error.into()))?;
            let mut waiting = Vec::new();
            for entry in events.range((event, "", "")..).map_err(|error| fault(error.into()))? {
                let (key, ()) = entry.map(|(key, _)| (key, ())).map_err(|error| fault(error.into()))?;
                let (name, agent, user) = key.value();
                if name != event {
                    break;
                }
                waiting.extend(named(agent, user));
            }
            Ok(waiting)
        })
    }

    /// Replaces everything by what the spaces themselves tell.
    ///
    /// # Errors
    /// A [`StoreError`] when it could not be made durable; then the old entries stand.
    pub fn rebuild(&self, wakes: &[Wake]) -> Result<(), StoreError> {
        self.write(|tables| {
            tables.wakes.retain(|_, _| false)?;
            tables.retries.retain(|_, _| false)?;
            tables.events.retain(|_, ()| false)?;
            wakes.iter().try_for_each(|wake| tables.put(wake))
        })
    }

    fn write(
        &self,
        work: impl FnOnce(&mut Tables<'_>) -> Result<(), redb::StorageError>,
    ) -> Result<(), StoreError> {
        let fault = |error: redb::Error| StoreError::database(&self.path, error);
        guarded(&self.path, || {
            let write = self.database.begin_write().map_err(|error| fault(error.into()))?;
            {
                let mut tables = Tables {
                    wakes: write.open_table(WAKES).map_err(|error| fault(error.into()))?,
                    retries: write.open_table(RETRIES).map_err(|error| fault(error.into()))?,
                    events: write.open_table(EVENTS).map_err(|error| fault(error.into()))?,
                };
                work(&mut tables).map_err(|error| fault(error.into()))?;
            }
            write.commit().map_err(|error| fault(error.into()))
        })
    }
}

struct Tables<'t> {
    wakes: redb::Table<'t, (&'static str, &'static str), i64>,
    retries: redb::Table<'t, (&'static str, &'static str), i64>,
    events: redb::Table<'t, (&'static str, &'static str, &'static str), ()>,
}

impl Tables<'_> {
    fn put(&mut self, wake: &Wake) -> Result<(), redb::StorageError> {
        let (agent, user) = (wake.space.agent.as_str(), wake.space.user.as_str());
        match wake.not_before {
            Some(at) => self.wakes.insert((agent, user), at.as_millis())?,
            None => self.wakes.remove((agent, user))?,
        };
        match wake.retry {
            Some(at) => self.retries.insert((agent, user), at.as_millis())?,
            None => self.retries.remove((agent, user))?,
        };
        self.events.retain(|(_, its_agent, its_user), ()| (its_agent, its_user) != (agent, user))?;
        wake.events
            .iter()
            .try_for_each(|event| self.events.insert((event.as_str(), agent, user), ()).map(drop))
    }
}

fn named(agent: &str, user: &str) -> Option<SpaceId> {
    Some(SpaceId { agent: AgentName::new(agent).ok()?, user: UserName::new(user).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wake(user: &str, not_before: Option<i64>, events: &[&str]) -> Wake {
        let space = named("bethink", user).expect("because the names are legal");
        let events = events.iter().map(|event| (*event).to_owned()).collect();
        Wake { space, not_before: not_before.map(Timestamp::from_millis), retry: None, events }
    }

    fn users(spaces: Result<Vec<SpaceId>, StoreError>) -> Vec<String> {
        spaces.expect("because the file is sound").iter().map(|space| space.user.to_string()).collect()
    }

    #[test]
    fn spaces_wake_when_their_time_has_come() {
        let dir = tempfile::tempdir().expect("because the system has a temporary directory");
        let open = || Catalogue::open(dir.path()).expect("because the directory is ours");
        let catalogue = open();
        for next in [wake("ada", Some(20), &["home"]), wake("bo", Some(10), &[]), wake("cy", None, &["home"])]
        {
            catalogue.set_next_wake(&next).expect("because the disk has room");
        }
        drop(catalogue);
        let catalogue = open();
        let due = |ms| users(catalogue.due(Timestamp::from_millis(ms)));
        assert_eq!((due(9), due(10), due(20)), (vec![], vec!["bo".into()], vec!["bo".into(), "ada".into()]));
        assert_eq!(users(catalogue.waiting_for("home")), ["ada", "cy"]);
        assert_eq!(users(catalogue.waiting_for("hom")), [] as [&str; 0]);
        catalogue.set_next_wake(&wake("bo", None, &[])).expect("because the disk has room");
        assert_eq!(due(20), ["ada"]);
        catalogue.rebuild(&[wake("dee", Some(1), &["away"])]).expect("because the disk has room");
        assert_eq!((due(20), users(catalogue.waiting_for("home"))), (vec!["dee".to_owned()], vec![]));
    }

    #[test]
    fn a_foreign_catalogue_is_refused() {
        let dir = tempfile::tempdir().expect("because the system has a temporary directory");
        std::fs::write(dir.path().join(NAME), "none of ours").expect("because the place is new");
        assert!(matches!(Catalogue::open(dir.path()), Err(StoreError::Foreign { .. })));
    }
}
