//! How the process is, in shapes.

use bethink_api::{
    ActorStatus, BackupStatus, ExtensionStatus, HoldingBackup, Mishap, SpaceStatus, Status, rfc3339,
};
use bethink_runtime::{ActorHealth, BackupHealth, ExtensionHealth, Handle, SpaceHealth};

pub(crate) async fn status(handle: &Handle) -> Status {
    let health = handle.health().await;
    Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        since: rfc3339(health.started_at),
        data_dir: handle.data_dir().path().display().to_string(),
        actors: health.actors.into_iter().map(actor).collect(),
        extensions: health.extensions.into_iter().map(extension).collect(),
        spaces: health.spaces.into_iter().map(space).collect(),
        backup: health.backup.map(backup),
        spaces_on_disk: handle.spaces().await.ok().map(|spaces| spaces.len()),
        awake_max: handle.awake_max(),
        errors: health
            .mishaps
            .into_iter()
            .map(|mishap| Mishap {
                at: rfc3339(mishap.at),
                space: mishap.space.map(|space| space.to_string()),
                what: mishap.what,
                times: mishap.times,
            })
            .collect(),
    }
}

fn backup(health: BackupHealth) -> BackupStatus {
    let last = health.last.map(|(path, at)| HoldingBackup {
        seen: path.exists(),
        path: path.display().to_string(),
        made_at: rfc3339(at),
    });
    let (failed_at, failed) = health.failed.map(|(at, why)| (rfc3339(at), why)).unzip();
    BackupStatus {
        dir: health.dir.display().to_string(),
        every_seconds: health.every.as_millis() / 1_000,
        making: health.making,
        last,
        failed_at,
        failed,
        next_at: rfc3339(health.next_at),
    }
}

fn space(health: SpaceHealth) -> SpaceStatus {
    SpaceStatus {
        agent: health.space.agent.to_string(),
        user: health.space.user.to_string(),
        state: health.state,
        used_at: health.used_at.map(rfc3339),
        actors: health.actors.into_iter().map(actor).collect(),
    }
}

fn extension(health: ExtensionHealth) -> ExtensionStatus {
    ExtensionStatus {
        name: health.name,
        space: health.space.map(|space| space.to_string()),
        state: health.state.name().to_owned(),
        waiting: health.waiting,
        restarts: health.restarts,
        last_error: health.last_error,
    }
}

fn actor(health: ActorHealth) -> ActorStatus {
    ActorStatus {
        name: health.name,
        state: health.state.to_owned(),
        waiting: health.waiting,
        in_flight: health.in_flight,
        restarts: health.restarts,
        doing: health.doing,
    }
}
