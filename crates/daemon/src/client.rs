//! Talking to the process that owns the data.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bethink_api::{Answer, ClientFrame, Fault, Request, Response, ServerFrame, SpaceName, VERSION};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use crate::door::{Door, DoorFuture, Responses, closed};
use crate::frames::{read_line, to_line};

/// Requests that wait to be written.
const OUTGOING_MAX: usize = 64;
/// Responses of one request that wait for a slow reader.
const INCOMING_MAX: usize = 64;

type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<Result<Response, Fault>>>>>;

/// A door through a socket. One connection carries many requests at once.
#[derive(Debug)]
pub struct SocketDoor {
    next: AtomicU64,
    outgoing: mpsc::Sender<ClientFrame>,
    waiting: Waiting,
    alive: Arc<AtomicBool>,
}

impl SocketDoor {
    /// Connects to the socket of an owner.
    ///
    /// # Errors
    /// What the system says when nobody listens there.
    pub async fn connect(path: &Path) -> io::Result<Self> {
        let (reader, mut writer) = UnixStream::connect(path).await?.into_split();
        let (outgoing, mut frames) = mpsc::channel::<ClientFrame>(OUTGOING_MAX);
        drop(tokio::spawn(async move {
            while let Some(frame) = frames.recv().await {
                if writer.write_all(&to_line(&frame)).await.is_err() {
                    return;
                }
            }
        }));
        let waiting = Waiting::default();
        let alive = Arc::new(AtomicBool::new(true));
        let (readers, beat) = (Arc::clone(&waiting), Arc::clone(&alive));
        drop(tokio::spawn(async move {
            let mut reader = BufReader::new(reader);
            let mut line = Vec::new();
            while read_line(&mut reader, &mut line).await.is_ok() {
                deliver(&line, &readers).await;
            }
            // Whoever still waits sees its channel close; the flag goes first, for those who are about to wait.
            beat.store(false, Ordering::SeqCst);
            readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }));
        Ok(Self { next: AtomicU64::new(1), outgoing, waiting, alive })
    }
}

async fn deliver(line: &[u8], waiting: &Waiting) {
    let Ok(frame) = serde_json::from_slice::<ServerFrame>(line) else {
        tracing::warn!("an answer was not understood");
        return;
    };
    let (response, last) = match frame.answer {
        Answer::Part(response) => (Ok(response), false),
        Answer::Done(response) => (Ok(response), true),
        Answer::Fault(fault) => (Err(fault), true),
    };
    if frame.id == 0 {
        // Said to the connection as a whole, such as that there is no room.
        let all: Vec<_> = waiting.lock().unwrap_or_else(PoisonError::into_inner).drain().collect();
        for (_, receiver) in all {
            let _ = receiver.send(response.clone()).await;
        }
        return;
    }
    let receiver = {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if last { waiting.remove(&frame.id) } else { waiting.get(&frame.id).cloned() }
    };
    if let Some(receiver) = receiver {
        // A reader that is gone needs nothing more.
        drop(receiver.send(response).await);
    }
}

impl Door for SocketDoor {
    fn call(&self, space: SpaceName, request: Request) -> DoorFuture<'_, Result<Responses, Fault>> {
        Box::pin(async move {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let (sender, responses) = mpsc::channel(INCOMING_MAX);
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, sender);
            let frame = ClientFrame { v: VERSION, id, space, request };
            if self.outgoing.send(frame).await.is_err() || !self.alive.load(Ordering::SeqCst) {
                self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                return Err(closed());
            }
            Ok(responses)
        })
    }
}
