//! Finding the way in: this process becomes the owner of the data, or talks to the one that is.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bethink::Builder;
use bethink_api::{Fault, FaultKind, Request, SpaceName};
use bethink_daemon::{Door, LocalDoor, OnDue, Posted, Server, SocketDoor, serve};
use bethink_runtime::{DataDir, Handle, RuntimeError};
use bethink_settings::Settings;
use tokio::time::Instant;

use crate::commands::fault;

/// How long a short-lived owner is waited for.
const OWNER_PATIENCE: Duration = Duration::from_secs(5);
/// Between two attempts.
const RETRY: Duration = Duration::from_millis(25);

/// An open way in.
pub(crate) struct Opened {
    pub(crate) door: Arc<dyn Door>,
    pub(crate) space: SpaceName,
    /// By which it is opened again when the owner has gone away.
    pub(crate) builder: Builder,
    /// Set when this process owns the data.
    own: Option<(Arc<Handle>, Option<Server>)>,
}

impl Opened {
    /// Where others find this process, when it owns the data.
    pub(crate) fn socket(&self) -> &Path {
        self.own.as_ref().map_or(Path::new(""), |(handle, _)| handle.data_dir().socket())
    }

    /// Whether this process owns the data.
    pub(crate) fn owns(&self) -> bool {
        self.own.is_some()
    }

    /// Has reminders of every space delivered by what is configured, where this process owns the data: a command by every
    /// process that lasts, webhooks by the one that stays in the background.
    pub(crate) async fn courier(&self, settings: &Settings, stays: bool) -> Result<(), Fault> {
        let Some((handle, _)) = &self.own else { return Ok(()) };
        let section = &settings.file.prospective;
        if !section.on_due.is_empty() {
            let timeout = Duration::from_secs(u64::from(section.on_due_timeout_seconds));
            handle.bells().add(Arc::new(OnDue::new(section.on_due.clone(), timeout)));
        }
        if stays {
            let setup = |error: RuntimeError| Fault::new(FaultKind::Usage, error.to_string());
            for webhook in settings.webhooks().map_err(setup)? {
                handle.bells().add(Arc::new(Posted::new(webhook)));
            }
            handle.bells().set_stays();
        }
        // What is overdue is delivered at once.
        handle.tick().await;
        Ok(())
    }

    /// Asks for something that has one response.
    pub(crate) async fn ask(&self, request: bethink_api::Request) -> Result<bethink_api::Response, Fault> {
        self.door.ask(self.space.clone(), request).await
    }

    /// Finishes what was begun, when this process owns the data.
    pub(crate) async fn close(self) -> Result<(), Fault> {
        let Some((handle, server)) = self.own else { return Ok(()) };
        // Nobody is let in any more, so that others take over; what they had asked is answered first.
        if let Some(server) = server
            && !server.drain(handle.patience()).await
        {
            tracing::warn!("some requests were cut off at the deadline");
        }
        drop(self.door);
        handle.shutdown().await.map_err(|error| Fault::new(FaultKind::Failed, error.to_string()))
    }
}

/// Opens the way in.
pub(crate) async fn open(builder: &Builder, settings: &Settings) -> Result<Opened, Fault> {
    let space = SpaceName { agent: settings.agent.clone(), user: settings.user.clone() };
    let deadline = Instant::now() + OWNER_PATIENCE;
    loop {
        match DataDir::claim(&settings.data_dir, settings.run_dir.as_deref()) {
            Ok(dir) => return own(builder, settings, dir, space).await,
            Err(RuntimeError::InUse { path, pid, socket }) => {
                let refusal = match &socket {
                    Some(socket) => match knock(socket, &space, deadline).await {
                        Knock::Open(door) => {
                            let builder = builder.clone();
                            return Ok(Opened { door, space, builder, own: None });
                        }
                        Knock::Closed => "lets nobody in",
                        Knock::Silent => "does not answer",
                    },
                    None => "lets nobody in",
                };
                if Instant::now() >= deadline {
                    let message = format!("{} is in use by process {pid}, which {refusal}", path.display());
                    return Err(Fault::new(FaultKind::Data, message));
                }
                tokio::time::sleep(RETRY).await;
            }
            Err(error) => return Err(unclaimed(&error)),
        }
    }
}

/// Becomes the owner of the data and lets others in; an owner that goes away soon is waited for.
pub(crate) async fn own_alone(builder: &Builder, settings: &Settings) -> Result<Opened, Fault> {
    let space = SpaceName { agent: settings.agent.clone(), user: settings.user.clone() };
    let deadline = Instant::now() + OWNER_PATIENCE;
    loop {
        match DataDir::claim(&settings.data_dir, settings.run_dir.as_deref()) {
            Ok(dir) => {
                let opened = own(builder, settings, dir, space).await?;
                let path = opened.socket().to_owned();
                let serves = matches!(&opened.own, Some((_, Some(_))));
                let unserved = || format!("the socket {} cannot be made", path.display());
                return if serves { Ok(opened) } else { Err(Fault::new(FaultKind::Unwritable, unserved())) };
            }
            Err(error @ RuntimeError::InUse { .. }) if Instant::now() >= deadline => {
                return Err(Fault::new(FaultKind::Data, error.to_string()));
            }
            Err(RuntimeError::InUse { .. }) => tokio::time::sleep(RETRY).await,
            Err(error) => return Err(unclaimed(&error)),
        }
    }
}

/// Becomes the owner of the data and starts nothing; an owner that goes away soon is waited for. `advice` is what a person
/// can do about one that stays.
pub(crate) async fn claim(settings: &Settings, advice: &str) -> Result<DataDir, Fault> {
    let deadline = Instant::now() + OWNER_PATIENCE;
    loop {
        match DataDir::claim(&settings.data_dir, settings.run_dir.as_deref()) {
            Ok(dir) => return Ok(dir),
            Err(error @ RuntimeError::InUse { .. }) if Instant::now() >= deadline => {
                return Err(Fault::new(FaultKind::Data, format!("{error}: {advice}")));
            }
            Err(RuntimeError::InUse { .. }) => tokio::time::sleep(RETRY).await,
            Err(error) => return Err(unclaimed(&error)),
        }
    }
}

/// The owner's door; none when nobody owns the data.
pub(crate) async fn connect(settings: &Settings) -> Result<Option<(Arc<dyn Door>, SpaceName)>, Fault> {
    if !settings.data_dir.exists() {
        return Ok(None);
    }
    let (path, pid, socket) = match DataDir::claim(&settings.data_dir, settings.run_dir.as_deref()) {
        Ok(_) => return Ok(None),
        Err(RuntimeError::InUse { path, pid, socket }) => (path, pid, socket),
        Err(error) => return Err(unclaimed(&error)),
    };
    let space = SpaceName { agent: settings.agent.clone(), user: settings.user.clone() };
    let deadline = Instant::now() + OWNER_PATIENCE;
    if let Some(socket) = socket
        && let Knock::Open(door) = knock(&socket, &space, deadline).await
    {
        return Ok(Some((door, space)));
    }
    let message = format!("{} is in use by process {pid}, which does not answer", path.display());
    Err(Fault::new(FaultKind::Data, message))
}

pub(crate) fn unclaimed(error: &RuntimeError) -> Fault {
    let kind = match error {
        RuntimeError::Unwritable { .. } => FaultKind::Unwritable,
        RuntimeError::Data(_) => FaultKind::Data,
        _ => FaultKind::Failed,
    };
    Fault::new(kind, error.to_string())
}

enum Knock {
    Open(Arc<dyn Door>),
    /// Nobody listens, or not any more.
    Closed,
    /// The owner is there and says nothing, as when it was stopped.
    Silent,
}

/// Connects to an owner, and waits until it answers.
async fn knock(socket: &Path, space: &SpaceName, deadline: Instant) -> Knock {
    let answered = tokio::time::timeout_at(deadline, async {
        let door = SocketDoor::connect(socket).await.ok()?;
        let hello = door.ask(space.clone(), Request::Hello).await;
        hello.is_ok().then_some(door)
    });
    match answered.await {
        Ok(Some(door)) => Knock::Open(Arc::new(door)),
        Ok(None) => Knock::Closed,
        Err(_) => Knock::Silent,
    }
}

async fn own(
    builder: &Builder,
    settings: &Settings,
    dir: DataDir,
    space: SpaceName,
) -> Result<Opened, Fault> {
    let socket = dir.socket().to_owned();
    let handle = Arc::new(builder.run(settings, dir).await.map_err(fault)?);
    let door: Arc<dyn Door> = Arc::new(LocalDoor::new(Arc::clone(&handle)));
    // Without a socket this command still works; others then wait for its end.
    let server = serve(&socket, Arc::clone(&door)).ok();
    let builder = builder.clone();
    Ok(Opened { door, space, builder, own: Some((handle, server)) })
}
