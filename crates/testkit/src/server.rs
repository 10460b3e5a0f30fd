//! A model server that plays a script.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::dialect::{Called, Dialect};

/// Longest request that is read: the prompt of the largest context and to spare.
const REQUEST_BYTES_MAX: usize = 64 << 20;
/// A client that took so much is taken to have no limit.
const FLOOD_BYTES_MAX: usize = 256 << 20;

/// What the server does with one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Streams these pieces and finishes.
    Say(Vec<String>),
    /// Thinks this, then says that.
    Think(String, String),
    /// Answers in one piece, whatever was asked for.
    SayWhole(String),
    /// Streams what it was sent.
    Echo,
    /// Says this, then calls these tools.
    Call(String, Vec<(String, Value)>),
    /// Waits before it does something.
    After(Duration, Box<Act>),
    /// Accepts and never answers.
    Silence,
    /// Sends headers and nothing more.
    HeadersAlone,
    /// Says these pieces and nothing more.
    Stall(Vec<String>),
    /// Says these pieces and closes in the middle of the next.
    Half(Vec<String>),
    /// Sends a whole answer, one byte at a time.
    Trickle(Duration),
    /// Sends heartbeats, or whatever the interface has that says nothing, for ever.
    Heartbeats(Duration),
    /// Sends a line that has no end.
    Flood,
    /// Refuses with this status, these further headers and this body.
    Refuse(u16, Vec<(String, String)>, String),
    /// A good status and this body.
    Body(String),
    /// Closes without a word.
    Close,
}

impl Act {
    /// Says one text in one piece.
    #[must_use]
    pub fn say(text: &str) -> Self {
        Self::Say(vec![text.to_owned()])
    }

    /// Refuses with a status alone.
    #[must_use]
    pub fn refuse(status: u16) -> Self {
        Self::Refuse(status, Vec::new(), String::new())
    }
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Its path.
    pub path: String,
    /// Header names in small letters, and their values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Seen {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

type Chooser = dyn FnMut(&Seen) -> Act + Send;

/// What all connections of a server share.
struct Stage {
    choose: Mutex<Box<Chooser>>,
    seen: Mutex<Vec<Seen>>,
    /// Tokens that it says it read; 0 for a quarter of the body's bytes.
    prompt_tokens: AtomicUsize,
}

/// A model server on loopback. It ends when this is dropped, with all its connections.
pub struct ModelServer {
    address: SocketAddr,
    stage: Arc<Stage>,
    /// Dropped, it ends the server's thread.
    _end: oneshot::Sender<()>,
}

impl ModelServer {
    /// Plays the acts one a request, and the last one again ever after. Needs no runtime: the server has a thread of its
    /// own.
    ///
    /// # Panics
    /// When the system gives no port or no thread.
    #[must_use]
    pub fn playing(acts: impl IntoIterator<Item = Act>) -> Self {
        Self::choosing(in_turn(acts))
    }

    /// Chooses what to do by looking at the request.
    ///
    /// # Panics
    /// When the system gives no port or no thread.
    #[must_use]
    pub fn choosing(choose: impl FnMut(&Seen) -> Act + Send + 'static) -> Self {
        let (stage, listener, address) = Self::stage(Box::new(choose));
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("because a test machine has file handles to spare");
        let played = Arc::clone(&stage);
        drop(std::thread::spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    () = serve(listener, played) => {}
                    _ = ended => {}
                }
            });
        }));
        Self { address, stage, _end: end }
    }

    /// As [`ModelServer::playing`], within the runtime that this is called in, so that paused time is the server's too.
    ///
    /// # Panics
    /// When the system gives no port, or outside a runtime.
    #[must_use]
    pub fn within(acts: impl IntoIterator<Item = Act>) -> Self {
        let (stage, listener, address) = Self::stage(Box::new(in_turn(acts)));
        let (end, ended) = oneshot::channel();
        let played = Arc::clone(&stage);
        drop(tokio::spawn(async move {
            tokio::select! {
                () = serve(listener, played) => {}
                _ = ended => {}
            }
        }));
        Self { address, stage, _end: end }
    }

    /// The same server, saying of each request that it read so many tokens of it.
    #[must_use]
    pub fn reading(self, tokens: usize) -> Self {
        self.stage.prompt_tokens.store(tokens, Ordering::Relaxed);
        self
    }

    fn stage(choose: Box<Chooser>) -> (Arc<Stage>, std::net::TcpListener, SocketAddr) {
        let listener =
            std::net::TcpListener::bind("127.0.0.1:0").expect("because loopback has ports to spare");
        listener.set_nonblocking(true).expect("because the socket was just made");
        let address = listener.local_addr().expect("because it is bound");
        let stage =
            Stage { choose: Mutex::new(choose), seen: Mutex::default(), prompt_tokens: AtomicUsize::new(0) };
        (Arc::new(stage), listener, address)
    }

    /// Where it is, such as `http://127.0.0.1:4711`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        self.stage.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The acts one a request, and the last one again ever after.
fn in_turn(acts: impl IntoIterator<Item = Act>) -> impl FnMut(&Seen) -> Act + Send + 'static {
    let mut acts: VecDeque<Act> = acts.into_iter().collect();
    move |_| {
        let next = if acts.len() > 1 { acts.pop_front() } else { acts.front().cloned() };
        next.unwrap_or(Act::Close)
    }
}

async fn serve(listener: std::net::TcpListener, stage: Arc<Stage>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    // Ends all connections when this is dropped.
    let mut talks = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let stage = Arc::clone(&stage);
        // A client that went away has seen enough.
        talks.spawn(async move { drop(talk(stream, &stage).await) });
        while talks.try_join_next().is_some() {}
    }
}

/// Answers the requests of one connection.
async fn talk(mut stream: TcpStream, stage: &Stage) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    while let Some(seen) = read(&mut stream).await? {
        stage.seen.lock().unwrap_or_else(PoisonError::into_inner).push(seen.clone());
        let mut act = (stage.choose.lock().unwrap_or_else(PoisonError::into_inner))(&seen);
        while let Act::After(pause, then) = act {
            sleep(pause).await;
            act = *then;
        }
        let tokens = match stage.prompt_tokens.load(Ordering::Relaxed) {
            0 => seen.body.len() / 4,
            tokens => tokens,
        };
        Answering { stream: &mut stream, dialect: Dialect::of_path(&seen.path), tokens }
            .play(act, &seen)
            .await?;
    }
    Ok(())
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Option<Seen>> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > REQUEST_BYTES_MAX || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0).min(REQUEST_BYTES_MAX);
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
    let body = String::from_utf8_lossy(&bytes[head + 4..head + 4 + length]).into_owned();
    Ok(Some(Seen { path, headers, body }))
}

/// An answer that is being sent.
struct Answering<'a> {
    stream: &'a mut TcpStream,
    dialect: Dialect,
    tokens: usize,
}

impl Answering<'_> {
    async fn play(&mut self, act: Act, seen: &Seen) -> std::io::Result<()> {
        let dialect = self.dialect;
        match act {
            Act::Say(pieces) => self.say(&pieces).await,
            Act::Think(thought, text) => {
                self.begin().await?;
                self.part(&dialect.thought(&thought)).await?;
                self.part(&dialect.words(&text)).await?;
                self.end().await
            }
            Act::SayWhole(text) => self.whole("200 OK", &[], &dialect.whole(&text).to_string()).await,
            Act::Echo => self.say(std::slice::from_ref(&seen.body)).await,
            Act::Call(said, calls) => {
                self.begin().await?;
                if !said.is_empty() {
                    self.part(&dialect.words(&said)).await?;
                }
                for (number, (name, arguments)) in calls.iter().enumerate() {
                    self.part(&dialect.call(Called { number, name, arguments })).await?;
                }
                self.end().await
            }
            Act::Refuse(status, headers, body) => self.whole(&format!("{status} No"), &headers, &body).await,
            Act::Body(body) => self.whole("200 OK", &[], &body).await,
            Act::After(..) | Act::Silence => std::future::pending().await,
            Act::Close => self.stream.shutdown().await,
            misbehaviour => self.misbehave(misbehaviour).await,
        }
    }

    async fn misbehave(&mut self, act: Act) -> std::io::Result<()> {
        self.headers().await?;
        let opening = self.dialect.opening(self.tokens);
        match act {
            Act::Stall(pieces) => {
                self.part(&opening).await?;
                for piece in &pieces {
                    self.part(&self.dialect.words(piece)).await?;
                }
                std::future::pending().await
            }
            Act::Half(pieces) => {
                self.part(&opening).await?;
                for piece in &pieces {
                    self.part(&self.dialect.words(piece)).await?;
                }
                let next = self.dialect.words("never finished");
                self.part(&next[..next.len() / 2]).await?;
                self.stream.shutdown().await
            }
            Act::Trickle(every) => {
                for byte in (opening + &self.dialect.words("slow")).bytes() {
                    self.part(&char::from(byte).to_string()).await?;
                    sleep(every).await;
                }
                std::future::pending().await
            }
            Act::Heartbeats(every) => loop {
                let beat = match self.dialect {
                    Dialect::OpenAi => ": working\n\n",
                    Dialect::Anthropic => "event: ping\ndata: {\"type\":\"ping\"}\n\n",
                    Dialect::Ollama => "{\"message\":{\"content\":\"\"},\"done\":false}\n",
                };
                self.part(beat).await?;
                sleep(every).await;
            },
            Act::Flood => {
                let part = "x".repeat(64 << 10);
                for _ in 0..FLOOD_BYTES_MAX / part.len() {
                    self.part(&part).await?;
                }
                self.stream.shutdown().await
            }
            _ => std::future::pending().await,
        }
    }

    async fn say(&mut self, pieces: &[String]) -> std::io::Result<()> {
        self.begin().await?;
        for piece in pieces {
            self.part(&self.dialect.words(piece)).await?;
        }
        self.end().await
    }

    async fn begin(&mut self) -> std::io::Result<()> {
        self.headers().await?;
        let opening = self.dialect.opening(self.tokens);
        self.part(&opening).await
    }

    async fn headers(&mut self) -> std::io::Result<()> {
        let kind = self.dialect.content_type();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n");
        self.stream.write_all(head.as_bytes()).await
    }

    /// One chunk.
    async fn part(&mut self, text: &str) -> std::io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await
    }

    async fn end(&mut self) -> std::io::Result<()> {
        let closing = self.dialect.closing(self.tokens, 1);
        self.part(&closing).await?;
        self.stream.write_all(b"0\r\n\r\n").await
    }

    async fn whole(&mut self, status: &str, headers: &[(String, String)], body: &str) -> std::io::Result<()> {
        let further: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{further}content-length: {}\r\n\r\n",
            body.len()
        );
        self.stream.write_all(head.as_bytes()).await?;
        self.stream.write_all(body.as_bytes()).await
    }
}
