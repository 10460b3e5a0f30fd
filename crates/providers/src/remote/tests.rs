//! Calls of a scripted server on loopback, in paused time: what the user sees, what was asked, how long it took.

mod faults;
mod requests;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bethink_clock::Entropy;
use bethink_domain::{
    AgentName, Decision, Intent, Plan, Purpose, Recollection, SessionId, Timestamp, TurnId,
};
use bethink_protocol::TurnEvent;
use bethink_testkit::ModelServer;
use jiff::tz::TimeZone;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::secret::Secret;
use super::{ApiKey, LanguageConfig, LanguageProvider, RemoteModel};
use crate::language::{LanguageModel, ModelError, Prompt, Reply};

const KEY: &str = "sk-KUMQUAT77";
const KINDS: [LanguageProvider; 3] =
    [LanguageProvider::Openai, LanguageProvider::Anthropic, LanguageProvider::Ollama];

fn config(kind: LanguageProvider, server: &ModelServer) -> LanguageConfig {
    let base_url = match kind {
        LanguageProvider::Ollama => server.url(),
        _ => format!("{}/v1", server.url()),
    };
    LanguageConfig {
        provider: kind,
        model: "parrot-medium".to_owned(),
        base_url: Some(base_url),
        connect_seconds: 1,
        first_word_seconds: 20,
        stall_seconds: 10,
        call_seconds: 60,
        ..LanguageConfig::default()
    }
}

fn model(config: LanguageConfig) -> RemoteModel {
    let key = ApiKey::of_variable("PARROT_KEY", Some(Secret::new(KEY)));
    RemoteModel::new(config, key, Entropy::seeded(7)).unwrap()
}

fn prompt(message: &str) -> Prompt {
    let plan = Plan {
        turn: TurnId::from_raw(4),
        agent: AgentName::new("bethink").unwrap(),
        session: SessionId::from_raw(1),
        at: Timestamp::from_millis(0),
        message: message.to_owned(),
        decision: Decision { intent: Intent::Memory, rule: Cow::Borrowed("test") },
        purpose: Purpose::Question,
        stated: Vec::new(),
        masked: Vec::new(),
        embedding: None,
        recollection: Recollection::none(),
        overview: None,
        proposed: Vec::new(),
        forgotten: None,
        private: false,
        degraded: Vec::new(),
    };
    Prompt {
        instructions: "You are a parrot.".to_owned(),
        conversation: Vec::new(),
        context: String::new(),
        message: message.to_owned(),
        tools: Vec::new(),
        steps: Vec::new(),
        reply_tokens_max: 64,
        plan: Arc::new(plan),
        entered: Vec::new(),
        zone: TimeZone::UTC,
    }
}

/// How a call went.
struct Went {
    reply: Result<Reply, ModelError>,
    /// What was streamed.
    streamed: String,
    took: Duration,
}

async fn ask(model: &RemoteModel, prompt: &Prompt) -> Went {
    let (words, mut heard) = mpsc::channel(2);
    let listening = tokio::spawn(async move {
        let mut streamed = String::new();
        while let Some(TurnEvent::Text(piece)) = heard.recv().await {
            streamed.push_str(&piece);
        }
        streamed
    });
    let began = Instant::now();
    let reply = model.reply(prompt, &words, &CancellationToken::new()).await;
    let took = began.elapsed();
    drop(words);
    Went { reply, streamed: listening.await.unwrap(), took }
}
