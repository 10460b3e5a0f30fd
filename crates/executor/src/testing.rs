//! An Executor among partners that are made up.

use std::sync::Arc;

use bethink_domain::{
    AgentName, EmbedderIdentity, Personality, RecallMode, Recollection, SpaceId, UnitVector, UserName,
};
use bethink_protocol::{
    Embed, EmbedError, Embedded, MemoryError, Question, Recall, ReminderError, Schedule, Scheduled, Wish,
};
use bethink_providers::LanguageModel;
use jiff::tz::TimeZone;
use kameo::prelude::*;

use crate::actor::ExecutorArgs;
use crate::config::ExecutorConfig;
use crate::prompt::testing::recalled;

/// A memory that finds these texts, numbered from 11, whatever it is asked, best first; and an embedder.
struct Partner(Vec<&'static str>);

/// What an Executor takes, over a memory that holds these texts.
pub(crate) fn args(model: Arc<dyn LanguageModel>, memory: &[&'static str]) -> ExecutorArgs {
    let partner = Partner::spawn(memory.to_vec());
    ExecutorArgs {
        space: SpaceId { agent: AgentName::new("bethink").unwrap(), user: UserName::new("me").unwrap() },
        model,
        embed: partner.clone().reply_recipient(),
        recall: partner.clone().reply_recipient(),
        schedule: partner.reply_recipient(),
        tools: Vec::new(),
        allowed: None,
        personality: Personality::NEUTRAL,
        instructions: None,
        zone: TimeZone::UTC,
        config: ExecutorConfig::default(),
    }
}

impl Actor for Partner {
    type Args = Vec<&'static str>;
    type Error = kameo::error::Infallible;

    async fn on_start(texts: Self::Args, _: ActorRef<Self>) -> Result<Self, Self::Error> {
        Ok(Self(texts))
    }
}

impl Message<Embed> for Partner {
    type Reply = Result<Embedded, EmbedError>;

    async fn handle(&mut self, embed: Embed, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let identity = EmbedderIdentity { model: "test".into(), dimensions: 2, revision: "1".into() };
        let vectors = embed.texts.iter().map(|_| UnitVector::new(vec![1.0, 0.0]).ok()).collect();
        Ok(Embedded { vectors, identity })
    }
}

impl Message<Schedule> for Partner {
    type Reply = Result<Scheduled, ReminderError>;

    async fn handle(&mut self, asked: Schedule, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let Wish::Parts { text, at, every, .. } = asked.wish else { panic!("a tool gives parts") };
        let said = format!("I understood {text:?}, at {at:?}, every {every:?}.");
        Ok(Scheduled::Asks(Question { kind: "time", said, options: Vec::new() }))
    }
}

impl Message<Recall> for Partner {
    type Reply = Result<Recollection, MemoryError>;

    async fn handle(&mut self, asked: Recall, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        assert_eq!(asked.mode, RecallMode::Observe, "a tool only looks");
        assert!(asked.cue.embedding.is_some(), "a tool's cue has an embedding of its own");
        if self.0.contains(&"broken") {
            return Err(MemoryError::Busy);
        }
        let traces = self.0.iter().enumerate().map(|(n, text)| recalled(n as u64 + 11, text));
        Ok(Recollection { traces: traces.take(asked.cue.k).collect(), ..Recollection::none() })
    }
}
