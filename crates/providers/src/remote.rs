//! Language models behind HTTP.
//!
//! One call of [`LanguageModel::reply`] is at most 1 + `retries_max` requests, all within `call_seconds`. A request is
//! made again only while nobody has heard a word of it. Nothing below this makes requests of its own accord.

mod config;
mod embedder;
mod failure;
mod http;
mod ollama;
mod pieces;
mod secret;
#[cfg(test)]
mod tests;
mod through_genai;

pub(crate) use http::{WebhookAddress, address, client as webhook_client};

pub use config::{LanguageConfig, LanguageProvider, Receiver};
pub use embedder::RemoteEmbedder;
pub use secret::{ApiKey, Secret};

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bethink_clock::Entropy;
use bethink_protocol::TurnEvent;
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::language::{LanguageModel, ModelError, ModelIdentity, Prompt, Reply, ReplyFuture};
use failure::{Again, Asked, Failure};
use http::Address;
use pieces::{Heard, Piece, Pieces, Thoughts, Tokens};

/// What any part of an answer counts at least towards its limit, so that a server can't send empty ones for ever.
const PIECE_BYTES_MIN: usize = 16;

/// A language model behind HTTP.
pub struct RemoteModel {
    config: LanguageConfig,
    address: Address,
    key: ApiKey,
    entropy: Entropy,
    /// Made with the first call: most commands make none.
    client: OnceLock<Result<reqwest::Client, String>>,
}

impl RemoteModel {
    /// A model as configured. Nothing is sent and nothing connected yet.
    ///
    /// # Errors
    /// [`ModelError::Refused`] with the key that is wrong, for a configuration that can't be used.
    pub fn new(config: LanguageConfig, key: ApiKey, entropy: Entropy) -> Result<Self, ModelError> {
        if let Some((key, fault)) = config.faults().into_iter().next() {
            return Err(ModelError::Refused(format!("`{key}`: {fault}")));
        }
        if let Some(number) = config.bounds().into_iter().find(|number| !number.holds()) {
            return Err(ModelError::Refused(number.to_string()));
        }
        let url = config.base_url.as_deref().or(config.provider.own_url());
        let url = url.ok_or_else(|| ModelError::Refused("`provider` needs no server".to_owned()))?;
        let address = http::address(url).map_err(|why| ModelError::Refused(format!("`base_url` {why}")))?;
        Ok(Self { config, address, key, entropy, client: OnceLock::new() })
    }

    fn asked(&self) -> Asked<'_> {
        let LanguageConfig { model, call_seconds, .. } = &self.config;
        let (host, key) = (&self.address.host, &self.key);
        Asked { host, model, key, seconds: *call_seconds, section: "language" }
    }

    /// Asks until there is an answer, or no hope of one.
    async fn persist(&self, prompt: &Prompt, words: &mpsc::Sender<TurnEvent>) -> Result<Reply, ModelError> {
        if let ApiKey::Missing { advice } = &self.key {
            let host = self.address.host.clone();
            return Err(ModelError::Unauthorised { host, advice: advice.clone() });
        }
        let until = Instant::now() + self.config.call();
        for attempt in 0.. {
            let failure = match self.attempt(prompt, words).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            let chance = self.entropy.fraction_of("retry", prompt.plan.turn.raw(), u64::from(attempt));
            let pause = failure.pause(attempt, chance).filter(|_| attempt < self.config.retries_max);
            let Some(pause) = pause.filter(|pause| Instant::now() + *pause < until) else {
                return Err(failure.error);
            };
            tracing::debug!(host = %self.address.host, attempt, ?pause, error = %failure.error, "model is asked again");
            tokio::time::sleep(pause).await;
        }
        Err(ModelError::Empty)
    }

    /// One request and its answer.
    async fn attempt(&self, prompt: &Prompt, words: &mpsc::Sender<TurnEvent>) -> Result<Reply, Failure> {
        let first_by = Instant::now() + self.config.first_word();
        let (config, address, asked) = (&self.config, &self.address, self.asked());
        let made = || {
            let headers = http::headers(config.provider, &self.key)?;
            http::client(address, headers, config.connect(), config.call())
        };
        let client = self.client.get_or_init(made);
        let client = client.as_ref().map_err(|why| Failure::last(ModelError::Refused(why.clone())))?;
        let asking = async {
            match config.provider {
                LanguageProvider::Ollama => ollama::ask(client, config, address, asked, prompt).await,
                _ => through_genai::ask(client, config, address, asked, prompt).await,
            }
        };
        let late = |_| Failure::last(timed_out(self.config.first_word()));
        let mut listening = Listening {
            pieces: timeout_at(first_by, asking).await.map_err(late)??,
            heard: Heard::default(),
            thoughts: Thoughts::default(),
            words,
            spoken: false,
        };
        let tokens = match self.listen(&mut listening, first_by).await {
            Ok(tokens) => tokens,
            // Said twice would be worse than not said to the end.
            Err(failure) if listening.spoken => return Err(Failure { again: Again::No, ..failure }),
            Err(failure) => return Err(failure),
        };
        let (text, calls) = listening.heard.into_calls();
        if text.trim().is_empty() && calls.is_empty() {
            return Err(Failure::last(ModelError::Empty));
        }
        Ok(Reply { text, cited: Vec::new(), calls, prompt_tokens: tokens.prompt, reply_tokens: tokens.reply })
    }

    /// Listens to an answer to its end, and passes its words on.
    async fn listen(&self, listening: &mut Listening<'_>, first_by: Instant) -> Result<Tokens, Failure> {
        let too_much = |why: String| Failure::last(ModelError::BrokeOff(why));
        let mut begun = false;
        loop {
            // Without tokio's budget, which would hide the client's own deadline from a body that never pauses.
            let next = tokio::task::unconstrained(listening.pieces.next());
            let next = if begun {
                timeout(self.config.stall(), next).await.map_err(|_| self.stalled())?
            } else {
                let late = |_| Failure::last(timed_out(self.config.first_word()));
                timeout_at(first_by, next).await.map_err(late)?
            };
            let Some(piece) = next else {
                listening.finish().await?;
                return Err(if listening.heard.is_empty() {
                    Failure::last(ModelError::Empty)
                } else {
                    Failure::passing(ModelError::BrokeOff("the connection was closed too early".to_owned()))
                });
            };
            match piece? {
                Piece::Words(text) => {
                    begun = true;
                    listening.heard.count(text.len().max(PIECE_BYTES_MIN)).map_err(too_much)?;
                    listening.say(text).await?;
                }
                Piece::Life(bytes) => {
                    begun |= bytes > 0;
                    listening.heard.count(bytes.max(PIECE_BYTES_MIN)).map_err(too_much)?;
                }
                Piece::Call(call) => {
                    begun = true;
                    listening.heard.call(call).map_err(too_much)?;
                }
                Piece::End(tokens) => {
                    listening.finish().await?;
                    return Ok(tokens);
                }
            }
        }
    }

    fn stalled(&self) -> Failure {
        let seconds = self.config.stall_seconds;
        Failure::last(ModelError::BrokeOff(format!("nothing came for {seconds} seconds")))
    }
}

fn timed_out(after: Duration) -> ModelError {
    ModelError::Timeout { seconds: after.as_secs() }
}

/// An answer that is being heard.
struct Listening<'a> {
    pieces: Pieces<'a>,
    heard: Heard,
    thoughts: Thoughts,
    words: &'a mpsc::Sender<TurnEvent>,
    /// The user has seen something of it.
    spoken: bool,
}

impl Listening<'_> {
    async fn say(&mut self, text: String) -> Result<(), Failure> {
        let text = self.thoughts.push(text);
        self.show(text).await
    }

    /// Shows what was held back in case it was a thought.
    async fn finish(&mut self) -> Result<(), Failure> {
        let rest = std::mem::take(&mut self.thoughts).finish();
        self.show(rest).await
    }

    async fn show(&mut self, text: String) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.heard.text.push_str(&text);
        self.spoken = true;
        let sent = self.words.send(TurnEvent::Text(text)).await;
        sent.map_err(|_| Failure::last(ModelError::Cancelled))
    }
}

impl LanguageModel for RemoteModel {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            name: Arc::from(self.config.model.as_str()),
            context_tokens: self.config.context_tokens,
            generative: true,
            tools: self.config.tools,
        }
    }

    fn reply<'a>(
        &'a self,
        prompt: &'a Prompt,
        words: &'a mpsc::Sender<TurnEvent>,
        cancel: &'a CancellationToken,
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ModelError::Cancelled),
                () = words.closed() => Err(ModelError::Cancelled),
                answered = timeout(self.config.call(), self.persist(prompt, words)) => {
                    answered.unwrap_or_else(|_| Err(timed_out(self.config.call())))
                }
            }
        })
    }
}
