//! Letting other processes of the same user in.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bethink_api::{Answer, ClientFrame, Fault, FaultKind, Response, ServerFrame, TurnProgress, VERSION};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::door::Door;
use crate::frames::{LineFault, read_line, to_line};
use crate::local::LocalDoor;

/// Clients at once. Each is one command of one user; more than this is a runaway script.
const CLIENTS_MAX: usize = 64;
/// Requests of one client in flight; the next ones wait in the socket. As many as one commit may carry together.
const IN_FLIGHT_MAX: usize = 64;
/// Frames that wait for a slow client before its requests wait too.
const OUTGOING_MAX: usize = 256;

/// A served socket. Dropping it stops serving at once and removes the socket; requests in flight are cut off.
#[derive(Debug)]
pub struct Server {
    path: PathBuf,
    /// Let nobody in any more, and take no more requests.
    close: CancellationToken,
    serving: AbortOnDropHandle<()>,
}

impl Server {
    /// Takes nothing more, and finishes the requests in flight, within a deadline. False when some were cut off.
    pub async fn drain(mut self, deadline: Duration) -> bool {
        self.close.cancel();
        tokio::time::timeout(deadline, &mut self.serving).await.is_ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A socket that cannot be removed is replaced by the next owner.
        drop(std::fs::remove_file(&self.path));
    }
}

/// Serves the socket of a runtime in this process, as `bethink::Builder::serve_socket` asks for.
///
/// # Errors
/// What the system says when the socket cannot be made.
pub fn open_socket(handle: Arc<bethink_runtime::Handle>) -> io::Result<Server> {
    let path = handle.data_dir().socket().to_owned();
    serve(&path, Arc::new(LocalDoor::new(handle)))
}

/// Serves a socket at `path`, mode 0600. Whoever holds the data directory's lock may call this: a socket file that is
/// there was left by an owner that died.
///
/// # Errors
/// What the system says when the socket cannot be made.
pub fn serve(path: &Path, door: Arc<dyn Door>) -> io::Result<Server> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    let close = CancellationToken::new();
    let serving = AbortOnDropHandle::new(tokio::spawn(accept(listener, door, close.clone())));
    Ok(Server { path: path.to_owned(), close, serving })
}

async fn accept(listener: UnixListener, door: Arc<dyn Door>, close: CancellationToken) {
    let places = Arc::new(Semaphore::new(CLIENTS_MAX));
    // Dropped with this future, which ends the clients with the server.
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = close.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                    turn_away(&stream);
                    continue;
                };
                let (door, close) = (Arc::clone(&door), close.clone());
                clients.spawn(async move {
                    attend(stream, door, close).await;
                    drop(place);
                });
                while clients.try_join_next().is_some() {}
            }
            Err(error) => {
                tracing::warn!(%error, "a client could not be let in");
                // Out of file handles, most likely: give others time to close some.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

/// Says that there is no room, as far as the socket takes it at once.
fn turn_away(stream: &UnixStream) {
    let fault = Fault::new(FaultKind::Busy, format!("{CLIENTS_MAX} clients are connected; try again later"));
    let _ = stream.try_write(&to_line(&ServerFrame { id: 0, answer: Answer::Fault(fault) }));
}

async fn attend(stream: UnixStream, door: Arc<dyn Door>, close: CancellationToken) {
    let (reader, mut writer) = stream.into_split();
    let (outgoing, mut frames) = mpsc::channel::<ServerFrame>(OUTGOING_MAX);
    let writing = tokio::spawn(async move {
        while let Some(frame) = frames.recv().await {
            if writer.write_all(&to_line(&frame)).await.is_err() {
                return;
            }
        }
    });
    let mut requests = JoinSet::new();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let places = Arc::new(Semaphore::new(IN_FLIGHT_MAX));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.map_err(|_| LineFault::Closed)?;
            read_line(&mut reader, &mut line).await.map(|()| place)
        };
        let read = tokio::select! {
            read = next => read,
            () = close.cancelled() => {
                while requests.join_next().await.is_some() {}
                break;
            }
        };
        let place = match read {
            Ok(place) => place,
            Err(LineFault::Closed) => break,
            Err(LineFault::TooLong) => {
                let fault = Fault::new(FaultKind::Usage, "the request is longer than the socket takes");
                let _ = outgoing.send(ServerFrame { id: 0, answer: Answer::Fault(fault) }).await;
                break;
            }
        };
        match read_frame(&line) {
            Ok(frame) => {
                let (door, outgoing, close) = (Arc::clone(&door), outgoing.clone(), close.clone());
                requests.spawn(async move {
                    // Whoever listens does so until the server closes; everything else is answered first.
                    let listens = matches!(frame.request, bethink_api::Request::Listen);
                    tokio::select! {
                        () = close.cancelled(), if listens => {}
                        () = answer(frame, door, outgoing) => {}
                    }
                    drop(place);
                });
            }
            Err((id, fault)) => drop(outgoing.send(ServerFrame { id, answer: Answer::Fault(fault) }).await),
        }
        while requests.try_join_next().is_some() {}
    }
    // The client is gone: its turns are stopped by dropping their streams.
    requests.abort_all();
    drop(outgoing);
    drop(writing.await);
}

fn read_frame(line: &[u8]) -> Result<ClientFrame, (u64, Fault)> {
    let usage = |message: String| Fault::new(FaultKind::Usage, message);
    let value: serde_json::Value = serde_json::from_slice(line)
        .map_err(|error| (0, usage(format!("the request is not JSON: {error}"))))?;
    let id = value.get("id").and_then(serde_json::Value::as_u64).unwrap_or(0);
    let version = value.get("v").and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(VERSION)) {
        return Err((id, usage(format!("this process speaks version {VERSION} of the interface"))));
    }
    serde_json::from_value(value)
        .map_err(|error| (id, usage(format!("the request is not understood: {error}"))))
}

async fn answer(frame: ClientFrame, door: Arc<dyn Door>, outgoing: mpsc::Sender<ServerFrame>) {
    let id = frame.id;
    let send = async |answer| outgoing.send(ServerFrame { id, answer }).await.is_ok();
    match door.call(frame.space, frame.request).await {
        Err(fault) => drop(send(Answer::Fault(fault)).await),
        Ok(mut responses) => {
            while let Some(response) = responses.recv().await {
                let (answer, last) = match response {
                    Err(fault) => (Answer::Fault(fault), true),
                    Ok(response) if is_last(&response) => (Answer::Done(response), true),
                    Ok(response) => (Answer::Part(response), false),
                };
                if !send(answer).await || last {
                    break;
                }
            }
        }
    }
}

/// True for everything but the beginning and the words of a turn.
fn is_last(response: &Response) -> bool {
    !matches!(
        response,
        Response::Due(_)
            | Response::Turn(
                TurnProgress::Began { .. }
                    | TurnProgress::Text { .. }
                    | TurnProgress::Warning { .. }
                    | TurnProgress::Due(_)
            )
    )
}

#[cfg(test)]
mod tests;
