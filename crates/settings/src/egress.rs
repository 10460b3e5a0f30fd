//! What leaves this process for a server.

use bethink_providers::Webhook;

use crate::load::Settings;

/// Data that go to a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Where to, with the port.
    pub host: String,
    /// What is sent, and how.
    pub data: String,
    /// The key that says so.
    pub key: String,
    /// The host is this machine.
    pub local: bool,
}

impl Settings {
    /// Everything that these settings send to servers, those on this machine too. Empty by default.
    #[must_use]
    pub fn flows(&self) -> Vec<Flow> {
        let own =
            self.file.agents.iter().filter_map(|agent| Some((Some(&agent.name), agent.language.as_ref()?)));
        let all = std::iter::once((None, &self.file.language)).chain(own);
        let flow = |(agent, config): (Option<&String>, &bethink_providers::LanguageConfig)| {
            let receiver = config.receiver()?;
            let key = agent.map_or_else(|| "language".to_owned(), |name| format!("agents.{name}.language"));
            let open = if receiver.local || receiver.encrypted { "" } else { ", unencrypted" };
            let data = format!("your messages, the conversation and recalled memories{open}");
            Some(Flow { host: receiver.host, data, key, local: receiver.local })
        };
        let mut flows: Vec<Flow> = all.filter_map(flow).collect();
        let embedding = &self.file.embedding;
        let previous = embedding.previous.config().and_then(|previous| previous.receiver());
        let embedders = [
            (embedding.receiver(), "embedding", "what you say and everything that is remembered"),
            (previous, "embedding.previous", "what you say, while a memory moves to another embedder"),
        ];
        for (receiver, key, what) in embedders {
            let Some(receiver) = receiver else { continue };
            let open = if receiver.local || receiver.encrypted { "" } else { ", unencrypted" };
            let data = format!("{what}{open}");
            flows.push(Flow { host: receiver.host, data, key: key.to_owned(), local: receiver.local });
        }
        for (at, webhook) in self.file.prospective.webhooks.iter().enumerate() {
            let Ok(hook) = Webhook::new(&webhook.url, None) else { continue };
            let receiver = hook.receiver();
            let open = if receiver.local || receiver.encrypted { "" } else { ", unencrypted" };
            let data = format!("reminders that come due, by `serve`{open}");
            let key = format!("prospective.webhooks[{at}]");
            flows.push(Flow { host: receiver.host, data, key, local: receiver.local });
        }
        flows
    }

    /// What leaves the machine, in words.
    #[must_use]
    pub fn egress(&self) -> String {
        let (local, away): (Vec<Flow>, Vec<Flow>) = self.flows().into_iter().partition(|flow| flow.local);
        let parts = |flows: &[Flow]| {
            let parts: Vec<String> =
                flows.iter().map(|flow| format!("{} to {}", flow.data, flow.host)).collect();
            parts.join("; ")
        };
        match (local.is_empty(), away.is_empty()) {
            (true, true) => "nothing leaves this machine".to_owned(),
            (false, true) => format!("nothing leaves this machine; within it go {}", parts(&local)),
            (_, false) => format!("this leaves the machine: {}", parts(&away)),
        }
    }
}
