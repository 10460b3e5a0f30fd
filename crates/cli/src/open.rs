//! Finding the way in: this process becomes the owner of the data, or talks to the one that is.

use std::sync::Arc;
use std::time::Duration;

use bethink_api::{Fault, FaultKind, SpaceName};
use bethink_daemon::{Door, LocalDoor, Server, SocketDoor, serve};
use bethink_runtime::{DataDir, Handle, RuntimeError};
use bethink_settings::Settings;
use tokio::time::Instant;

/// How long a short-lived owner is waited for.
const OWNER_PATIENCE: Duration = Duration::from_secs(5);
/// Between two attempts.
const RETRY: Duration = Duration::from_millis(25);

/// An open way in.
pub(crate) struct Opened {
    pub(crate) door: Arc<dyn Door>,
    pub(crate) space: SpaceName,
    /// Set when this process owns the data.
    own: Option<(Arc<Handle>, Option<Server>)>,
}

impl Opened {
    /// Asks for something that has one response.
    pub(crate) async fn ask(&self, request: bethink_api::Request) -> Result<bethink_api::Response, Fault> {
        self.door.ask(self.space.clone(), request).await
    }

    /// Finishes what was begun, when this process owns the data.
    pub(crate) async fn close(self) -> Result<(), Fault> {
        let Some((handle, server)) = self.own else { return Ok(()) };
        // Others are turned away first, so that they take over instead of being cut off.
        drop(server);
        drop(self.door);
        handle.shutdown().await.map_err(|error| Fault::new(FaultKind::Failed, error.to_string()))
    }
}

/// Opens the way in.
pub(crate) async fn open(settings: &Settings) -> Result<Opened, Fault> {
    let space = SpaceName { agent: settings.agent.clone(), user: settings.user.clone() };
    let deadline = Instant::now() + OWNER_PATIENCE;
    loop {
        match DataDir::claim(&settings.data_dir, settings.run_dir.as_deref()) {
            Ok(dir) => return own(settings, dir, space).await,
            Err(RuntimeError::InUse { path, pid, socket }) => {
                if let Some(socket) = &socket
                    && let Ok(door) = SocketDoor::connect(socket).await
                {
                    return Ok(Opened { door: Arc::new(door), space, own: None });
                }
                if Instant::now() >= deadline {
                    let message =
                        format!("{} is in use by process {pid}, which lets nobody in", path.display());
                    return Err(Fault::new(FaultKind::Data, message));
                }
                tokio::time::sleep(RETRY).await;
            }
            Err(error @ RuntimeError::Unwritable { .. }) => {
                return Err(Fault::new(FaultKind::Unwritable, error.to_string()));
            }
            Err(error) => return Err(Fault::new(FaultKind::Failed, error.to_string())),
        }
    }
}

async fn own(settings: &Settings, dir: DataDir, space: SpaceName) -> Result<Opened, Fault> {
    let socket = dir.socket().to_owned();
    let handle =
        settings.start(dir).await.map_err(|error| Fault::new(FaultKind::Failed, error.to_string()))?;
    let handle = Arc::new(handle);
    let door: Arc<dyn Door> = Arc::new(LocalDoor::new(Arc::clone(&handle)));
    // Without a socket this command still works; others then wait for its end.
    let server = serve(&socket, Arc::clone(&door)).ok();
    Ok(Opened { door, space, own: Some((handle, server)) })
}
