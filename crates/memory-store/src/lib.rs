//! The MemoryStore actor: single writer of one space's file, and recall from its snapshots.

mod actor;
mod apply;
mod backup;
mod catalogue;
mod config;
mod direct;
mod doctor;
mod error;
mod events;
mod file;
mod index;
#[cfg(any(test, feature = "testing"))]
pub mod inner;
mod masking;
mod parity;
mod paths;
mod recall;
mod records;
mod rows;
mod snapshot;
mod tokens;
mod vector;
mod view;

pub use actor::{MemoryStore, MemoryStoreArgs, ports, reminder_ports};
pub use backup::{
    BackupDraft, Holding, KeptBackups, KnownBackups, LeftOut, Manifest, Present, Restore, SpaceCopy,
    SpaceRestore,
};
pub use catalogue::{Catalogue, Wake};
pub use config::{MemoryConfig, MigrationConfig, StoreConfig};
pub use direct::{Appended, append, seal, stored_bytes};
pub use doctor::{Checkup, examine_directory, examine_file, spaces_and_leftovers};
pub use error::StoreError;
#[cfg(any(test, feature = "testing"))]
pub use file::faulty::FaultyDisk;
pub use file::slot::StoreSlot;
pub use paths::{space_path, spaces_on_disk};
pub use recall::{RecallSettings, recall};
pub use snapshot::Snapshot;
