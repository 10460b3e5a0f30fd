//! Putting spaces back as a backup holds them, without what was forgotten since.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use bethink_clock::Entropy;
use bethink_domain::{Exchange, SpaceId, Timestamp, TraceId, TurnId};
use bethink_protocol::Forget;
use bethink_text::sentences;
use redb::{Database, ReadableDatabase, ReadableTable};

use super::{Manifest, SpaceCopy, opening, verify};
use crate::apply::{BLANK, Command, Rules};
use crate::config::StoreConfig;
use crate::error::StoreError;
use crate::file::commit::commit;
use crate::file::copy;
use crate::file::open::{Looking, guarded, look, look_or_miss};
use crate::file::read::{bulky_text, open_if_there, read_exchange, sound};
use crate::file::rewrite::{Marks, rewrite};
use crate::file::slot::StoreSlot;
use crate::file::tables::{BODIES, BULKY, FORGOTTEN, Op, TRANSCRIPT, Tables, TextSlot};
use crate::paths::{self, space_path};
use crate::records;
use crate::snapshot::Snapshot;
use crate::tokens::forgotten_hash;

/// A backup that was read and found whole, and what putting it back would change. Everything here blocks on the disk.
#[derive(Debug)]
pub struct Restore {
    backup: PathBuf,
    data_dir: PathBuf,
    made_at: String,
    spaces: Vec<SpaceRestore>,
}

/// What would change in one space.
#[derive(Debug, Clone)]
pub struct SpaceRestore {
    /// Which.
    pub space: SpaceId,
    /// What is there now.
    pub present: Present,
    /// Traces in the backup.
    pub traces: u64,
    /// Turns in the backup.
    pub turns: u64,
    /// Traces in the backup that were forgotten since, and stay so. What rests on them alone comes on top.
    pub held_back: usize,
    ledger: Ledger,
}

/// What is in the place of a space now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Present {
    /// Nothing.
    Absent,
    /// A memory.
    Whole {
        /// Its traces.
        traces: u64,
        /// Its turns.
        turns: u64,
    },
    /// A file that can't be read, and neither what was forgotten in it. It is kept beside the restored one.
    Unreadable(String),
}

/// What was forgotten in a space.
#[derive(Debug, Clone, Default)]
struct Ledger {
    texts: HashMap<u128, i64>,
    /// Turns of which the message, or the reply, was blanked.
    blanked: HashMap<u64, (bool, bool)>,
}

impl Restore {
    /// Reads a backup and what is there now; changes nothing. `wanted` says which spaces are to be put back.
    ///
    /// # Errors
    /// [`StoreError::NoBackup`] when it is none, is incomplete or of a newer program; [`StoreError::Damaged`] and
    /// [`StoreError::TooNew`] when one of its files is.
    pub fn plan(
        backup: &Path,
        data_dir: &Path,
        wanted: &dyn Fn(&SpaceId) -> bool,
    ) -> Result<Self, StoreError> {
        let manifest = Manifest::read(backup)?;
        let mut spaces = Vec::new();
        for copy in &manifest.spaces {
            let none = || StoreError::NoBackup {
                path: backup.to_owned(),
                why: format!("{}/{} is no name of a space", copy.agent, copy.user),
            };
            let space = copy.space().ok_or_else(none)?;
            if wanted(&space) {
                spaces.push(plan_space(backup, data_dir, space, copy)?);
            }
        }
        Ok(Self {
            backup: backup.to_owned(),
            data_dir: data_dir.to_owned(),
            made_at: manifest.made_at,
            spaces,
        })
    }

    /// When the backup was begun, as RFC 3339.
    #[must_use]
    pub fn made_at(&self) -> &str {
        &self.made_at
    }

    /// What would change, by space.
    #[must_use]
    pub fn spaces(&self) -> &[SpaceRestore] {
        &self.spaces
    }

    /// Puts the spaces back. All files are made beside their places first; then each takes its place at once. A crash
    /// leaves each space as it was or as the backup holds it. No space may be open.
    ///
    /// # Errors
    /// A [`StoreError`] that names the file. Before the first file is in its place, nothing has changed; a file that is
    /// found unsound in its place is taken out again.
    pub fn carry_out(&self, config: &StoreConfig, entropy: Entropy, at: Timestamp) -> Result<(), StoreError> {
        let made = self.spaces.iter().try_for_each(|space| self.make(space, config, entropy, at));
        if made.is_err() {
            for space in &self.spaces {
                // The first error is the one that matters.
                let _ = paths::remove_if_there(&paths::restoring(&space_path(&self.data_dir, &space.space)));
            }
            return made;
        }
        self.spaces.iter().try_for_each(|space| put_in_place(&self.data_dir, space))
    }

    /// Makes the file of one space beside its place, complete, durable and read again.
    fn make(
        &self,
        plan: &SpaceRestore,
        config: &StoreConfig,
        entropy: Entropy,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let (from, path) = (space_path(&self.backup, &plan.space), space_path(&self.data_dir, &plan.space));
        let fresh = paths::restoring(&path);
        paths::create_private_dir(path.parent().unwrap_or(&self.data_dir))?;
        let looking = look(&from, &opening())?;
        guarded(&from, || copy::copy(&from, &looking.database, &fresh, &|| false))?;
        drop(looking);
        if !plan.ledger.texts.is_empty() || !plan.ledger.blanked.is_empty() {
            let slot = StoreSlot::open(&fresh, &plan.space, None, at, config.memory.cache_bytes)?;
            let held = hold_back(&slot, &plan.ledger, config, entropy, at);
            slot.retire();
            held?;
        }
        verify(&fresh, &plan.space).map(drop)
    }
}

fn plan_space(
    backup: &Path,
    data_dir: &Path,
    space: SpaceId,
    copy: &SpaceCopy,
) -> Result<SpaceRestore, StoreError> {
    let from = space_path(backup, &space);
    let found = verify(&from, &space)?;
    if (found.checksum.as_str(), found.traces, found.turns) != (&copy.checksum, copy.traces, copy.turns) {
        return Err(StoreError::damaged(&from, "it is not what the manifest says"));
    }
    let path = space_path(data_dir, &space);
    let (present, ledger) = match look_or_miss(&path, &opening()) {
        Ok(None) => (Present::Absent, Ledger::default()),
        Ok(Some(looking)) => match guarded(&path, || read_present(&path, &looking.database)) {
            Ok(read) => read,
            Err(error) => unreadable(error)?,
        },
        Err(error) => unreadable(error)?,
    };
    let looking = look(&from, &opening())?;
    let held_back = guarded(&from, || held(&from, &looking, &ledger))?.len();
    Ok(SpaceRestore { space, present, traces: found.traces, turns: found.turns, held_back, ledger })
}

/// What is damaged can be replaced; what is open or can't be reached can not.
fn unreadable(error: StoreError) -> Result<(Present, Ledger), StoreError> {
    match error {
        StoreError::Damaged { .. }
        | StoreError::Empty { .. }
        | StoreError::Foreign { .. }
        | StoreError::TooNew { .. } => Ok((Present::Unreadable(error.to_string()), Ledger::default())),
        other => Err(other),
    }
}

fn read_present(path: &Path, database: &Database) -> Result<(Present, Ledger), StoreError> {
    let (traces, turns) = copy::rows_of(path, database)?;
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    let mut ledger = Ledger::default();
    if let Some(forgotten) = open_if_there(path, &read, FORGOTTEN)? {
        for entry in forgotten.iter().map_err(|error| StoreError::database(path, error))? {
            let (hash, at) = entry.map_err(|error| StoreError::database(path, error))?;
            ledger.texts.insert(hash.value(), at.value());
        }
    }
    let bulky = read.open_table(BULKY).map_err(|error| StoreError::database(path, error))?;
    let transcript = read.open_table(TRANSCRIPT).map_err(|error| StoreError::database(path, error))?;
    for entry in transcript.iter().map_err(|error| StoreError::database(path, error))? {
        let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
        let exchange = read_exchange(path, TurnId::from_raw(key.value()), bytes.value(), &bulky)?;
        let blank = (exchange.message == BLANK, exchange.reply == BLANK);
        if blank.0 || blank.1 {
            ledger.blanked.insert(key.value(), blank);
        }
    }
    Ok((Present::Whole { traces, turns }, ledger))
}

/// Traces of a file that were forgotten.
fn held(path: &Path, looking: &Looking, ledger: &Ledger) -> Result<Vec<TraceId>, StoreError> {
    if ledger.texts.is_empty() {
        return Ok(Vec::new());
    }
    let fault = |error| StoreError::database(path, error);
    let read = looking.database.begin_read().map_err(|error| StoreError::database(path, error))?;
    let bodies = read.open_table(BODIES).map_err(|error| StoreError::database(path, error))?;
    let bulky = read.open_table(BULKY).map_err(|error| StoreError::database(path, error))?;
    let mut held = Vec::new();
    for entry in bodies.iter().map_err(fault)? {
        let (key, bytes) = entry.map_err(fault)?;
        let id = key.value();
        let (body, _) =
            sound(path, records::decode_body(bytes.value(), || bulky_text(&bulky, TextSlot::Trace, id)))?;
        if ledger.texts.contains_key(&forgotten_hash(&body.text)) {
            held.push(TraceId::from_raw(id));
        }
    }
    Ok(held)
}

/// Forgets in a copy what was forgotten in the original, and writes it anew so that no byte of it is left.
fn hold_back(
    slot: &StoreSlot,
    ledger: &Ledger,
    config: &StoreConfig,
    entropy: Entropy,
    at: Timestamp,
) -> Result<(), StoreError> {
    let snapshot = std::sync::Arc::new(Snapshot::load(slot, config)?);
    let forgotten = |place: &crate::snapshot::Place| {
        ledger.texts.contains_key(&forgotten_hash(&snapshot.body(*place).text))
    };
    let forget = |place| {
        // One that goes with an earlier one is refused then, which changes nothing.
        Command::Forget(Forget { id: snapshot.id(place), at, rehearse: false })
    };
    let commands: Vec<Command> = snapshot.places().filter(forgotten).map(forget).collect();
    let (space, embedder) = (slot.space().clone(), slot.embedder().cloned());
    let rules = Rules { config: config.memory, prospective: config.prospective, entropy, space, embedder };
    let counters = if commands.is_empty() {
        slot.take_for_writing()?;
        snapshot.counters
    } else {
        commit(slot, slot.epoch(), &snapshot, &commands, &rules)?.snapshot.counters
    };
    slot.with_held(|database, _| blank_and_note(slot.path(), database, ledger))?;
    rewrite(slot, slot.epoch(), &Marks { counters, scrubbed_at: Some(at) })
}

/// Blanks the turns that were blanked, and whatever else of the transcript was forgotten; takes the ledger over.
fn blank_and_note(path: &Path, database: &Database, ledger: &Ledger) -> Result<(), StoreError> {
    let write = database.begin_write().map_err(|error| StoreError::database(path, error))?;
    {
        let mut tables = Tables::open(&write, path)?;
        let mut blanked: Vec<Exchange> = Vec::new();
        let gone: HashSet<u128> = ledger.texts.keys().copied().collect();
        let holds = |text: &str| {
            let was = |part: &str| gone.contains(&forgotten_hash(part));
            !gone.is_empty() && (was(text) || sentences(text).into_iter().any(|part| was(&text[part])))
        };
        for entry in tables.transcript.iter().map_err(|error| StoreError::database(path, error))? {
            let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
            let turn = TurnId::from_raw(key.value());
            let mut exchange = read_exchange(path, turn, bytes.value(), &tables.bulky)?;
            let (message, reply) = ledger.blanked.get(&key.value()).copied().unwrap_or_default();
            let blanks = [(message, &mut exchange.message), (reply, &mut exchange.reply)];
            let mut touched = false;
            for (blank, text) in blanks {
                if *text != BLANK && (blank || holds(text)) {
                    BLANK.clone_into(text);
                    touched = true;
                }
            }
            blanked.extend(touched.then_some(exchange));
        }
        for exchange in blanked {
            tables.write(&Op::Exchange(Box::new(exchange)))?;
        }
        for (hash, at) in &ledger.texts {
            tables.write(&Op::Forgotten(*hash, Timestamp::from_millis(*at)))?;
        }
    }
    write.commit().map_err(|error| StoreError::database(path, error))
}

/// Gives a restored file its place. The one that is there keeps a second name until the new one is found sound.
fn put_in_place(data_dir: &Path, plan: &SpaceRestore) -> Result<(), StoreError> {
    let path = space_path(data_dir, &plan.space);
    let (fresh, before) = (paths::restoring(&path), paths::replaced(&path));
    let fault = |error| StoreError::io(&path, error);
    paths::remove_if_there(&before).map_err(fault)?;
    let there = plan.present != Present::Absent;
    if there && fs::hard_link(&path, &before).is_err() {
        // A file system without second names.
        fs::copy(&path, &before).map_err(fault)?;
    }
    let dir = path.parent().unwrap_or(data_dir);
    fs::rename(&fresh, &path).and_then(|()| paths::sync_dir(dir)).map_err(fault)?;
    if let Err(error) = verify(&path, &plan.space) {
        if there {
            fs::rename(&before, &path).and_then(|()| paths::sync_dir(dir)).map_err(fault)?;
        }
        return Err(error);
    }
    if let Present::Unreadable(_) = plan.present {
        // It may be all that is left of what was told since the backup.
        return fs::rename(&before, path.with_extension("redb-damaged")).map_err(fault);
    }
    paths::remove_if_there(&before).and_then(|()| paths::sync_dir(dir)).map_err(fault)
}
