//! Backups through a door.

use std::path::Path;

use bethink_api::{self as api, Fault, FaultKind, Response};
use bethink_runtime::{Handle, Holding, Manifest};

use crate::local::running;

/// Makes a backup at an absolute path.
pub(crate) async fn backup(handle: &Handle, dir: &str) -> Result<Response, Fault> {
    let dir = Path::new(dir);
    if !dir.is_absolute() {
        return Err(Fault::new(FaultKind::Usage, "the place of a backup must be an absolute path"));
    }
    let manifest = handle.backup(dir).await.map_err(running)?;
    Ok(Response::BackedUp(shape(dir, manifest)))
}

fn shape(dir: &Path, manifest: Manifest) -> api::Backup {
    let left_out = manifest.left_out.iter();
    api::Backup {
        path: dir.display().to_string(),
        spaces: manifest.spaces.len(),
        traces: manifest.spaces.iter().map(|space| space.traces).sum(),
        turns: manifest.spaces.iter().map(|space| space.turns).sum(),
        bytes: manifest.bytes(),
        left_out: left_out
            .map(|left| api::LeftOut {
                agent: left.agent.clone(),
                user: left.user.clone(),
                reason: left.reason.clone(),
            })
            .collect(),
        made_at: manifest.made_at,
    }
}

/// A backup that holds what was forgotten.
pub(crate) fn holding_shape(holding: Holding) -> api::HoldingBackup {
    api::HoldingBackup {
        path: holding.path.display().to_string(),
        made_at: api::rfc3339(holding.made_at),
        seen: holding.seen,
    }
}
