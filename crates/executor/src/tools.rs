//! Tools: which there are, which are offered, and how one is called.

mod arguments;
mod calling;
mod memory;
mod reminding;
#[cfg(test)]
mod tests;
mod whose;

use std::sync::Arc;
use std::time::Duration;

use bethink_domain::{Degraded, Plan, SpaceId};
use bethink_protocol::{EmbedPort, RecallPort, ReminderError, Schedule, Scheduled, Tool, ToolSpec};
use kameo::actor::ReplyRecipient;
use serde_json::json;

use crate::actor::ExecutorArgs;

pub(crate) use calling::{Calling, Gathered, Habits};

/// Longest name of a tool in bytes: what providers accept.
const NAME_BYTES_MAX: usize = 64;

/// Why tools cannot be offered: correct the program or the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFault {
    /// No provider would take the name.
    #[error(
        "the tool `{0}` needs a name of lower-case letters, digits and `_`, of at most {NAME_BYTES_MAX} bytes"
    )]
    Name(String),
    /// Two tools of one name.
    #[error("the tool `{name}` ({description}) has the name of {other}; give it another")]
    Taken {
        /// The name.
        name: String,
        /// The tool that came later, in its own words.
        description: String,
        /// What has the name already.
        other: String,
    },
    /// An agent is to call a tool that there is not.
    #[error("an agent may call the tool `{name}`, but there is none; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The tools that there are.
        known: String,
    },
}

/// A tool of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    Recall,
    Remember,
    Forget,
    Remind,
}

/// What a name stands for.
pub(crate) enum Called<'a> {
    Memory(BuiltIn),
    Custom(&'a ToolSpec, &'a Arc<dyn Tool>),
}

/// The tools of one agent.
pub(crate) struct Toolbox {
    pub(crate) space: SpaceId,
    pub(crate) embed: EmbedPort,
    pub(crate) recall: RecallPort,
    pub(crate) schedule: ReplyRecipient<Schedule, Scheduled, ReminderError>,
    custom: Vec<(ToolSpec, Arc<dyn Tool>)>,
    allowed: Option<Vec<String>>,
    /// Rounds of calls in a turn.
    pub(crate) steps_max: usize,
    /// For one call.
    pub(crate) wait: Duration,
    /// Longest answer.
    pub(crate) answer_bytes_max: usize,
}

/// Checks the tools of a program, and which of them an agent may call.
///
/// # Errors
/// A [`ToolFault`] that names the first tool that cannot be offered, and what stands in its way.
pub fn check_tools(tools: &[Arc<dyn Tool>], allowed: Option<&[String]>) -> Result<(), ToolFault> {
    let mut known: Vec<(String, String)> =
        BuiltIn::ALL.map(|tool| (tool.name().to_owned(), "a built-in tool".to_owned())).to_vec();
    for spec in tools.iter().map(|tool| tool.spec()) {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let name = spec.name.to_string();
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(fits) {
            return Err(ToolFault::Name(name));
        }
        let description = bethink_text::preview(&spec.description, 60);
        if let Some((_, other)) = known.iter().find(|(taken, _)| *taken == name) {
            return Err(ToolFault::Taken { name, description, other: other.clone() });
        }
        known.push((name, format!("another one ({description})")));
    }
    let strange = |name: &&String| !known.iter().any(|(known, _)| known == *name);
    match allowed.into_iter().flatten().find(strange) {
        Some(name) => {
            let known: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
            Err(ToolFault::Unknown { name: name.clone(), known: known.join(", ") })
        }
        None => Ok(()),
    }
}

impl BuiltIn {
    const ALL: [Self; 4] = [Self::Recall, Self::Remember, Self::Forget, Self::Remind];

    fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Remember => "remember",
            Self::Forget => "forget",
            Self::Remind => "remind",
        }
    }

    fn spec(self) -> ToolSpec {
        let (description, parameters) = match self {
            Self::Recall => (
                "Looks in memory once more, by other words than the user's. Use it when what you were shown does not answer the question.",
                json!({
                    "type": "object",
                    "properties": {
                        "query": { "type": "string", "description": "What to look for, in a sentence or a few words." },
                        "k": { "type": "integer", "description": "Most memories to return, 1 to 20; 8 unless given." },
                    },
                    "required": ["query"],
                    "additionalProperties": false,
                }),
            ),
            Self::Remember => (
                "Keeps one fact for later turns. What the user states is kept by itself: use this for what the user asks to have kept, in the user's own words, and for what you conclude. Memories are not to be kept again.",
                json!({
                    "type": "object",
                    "properties": {
                        "text": { "type": "string", "description": "One sentence that will be understood on its own." },
                    },
                    "required": ["text"],
                    "additionalProperties": false,
                }),
            ),
            Self::Forget => (
                "Proposes to delete memories for ever. Nothing is deleted before the user says yes. Use it only when the user wants something forgotten.",
                json!({
                    "type": "object",
                    "properties": {
                        "what": { "type": "string", "description": "Tags of memories, such as \"m1, m3\", or words to find them by." },
                    },
                    "required": ["what"],
                    "additionalProperties": false,
                }),
            ),
            Self::Remind => (
                "Keeps a reminder, which is shown to the user at its time. Use it when the user wants to be reminded of something and no reminder was confirmed to them yet.",
                json!({
                    "type": "object",
                    "properties": {
                        "what": { "type": "string", "description": "What to remind of, in a few words, such as \"call Ann\"." },
                        "when": { "type": "string", "description": "When, in English, as the user said it: \"tomorrow at 9\", \"in 2 hours\", \"every weekday at 8:30\"; or ISO 8601." },
                    },
                    "required": ["what", "when"],
                    "additionalProperties": false,
                }),
            ),
        };
        ToolSpec { name: self.name().into(), description: description.into(), parameters }
    }
}

impl Toolbox {
    /// The tools of an agent; `args` have been checked.
    pub(crate) fn new(args: &ExecutorArgs) -> Self {
        Self {
            space: args.space.clone(),
            embed: args.embed.clone(),
            recall: args.recall.clone(),
            schedule: args.schedule.clone(),
            custom: args.tools.iter().map(|tool| (tool.spec(), Arc::clone(tool))).collect(),
            allowed: args.allowed.clone(),
            steps_max: args.config.tool_steps_max,
            wait: Duration::from_secs(args.config.tool_seconds),
            answer_bytes_max: args.config.tool_answer_bytes_max,
        }
    }

    /// What may be called in a turn: nothing of memory where it is switched off, and nothing that keeps where nothing is
    /// kept.
    pub(crate) fn offered(&self, plan: &Plan) -> Vec<ToolSpec> {
        if self.steps_max == 0 {
            return Vec::new();
        }
        let memory_off = plan.degraded.contains(&Degraded::MemoryOff);
        let built_in = BuiltIn::ALL.into_iter().filter(|tool| match tool {
            BuiltIn::Recall | BuiltIn::Forget => !memory_off,
            BuiltIn::Remember | BuiltIn::Remind => !memory_off && !plan.private,
        });
        let custom = self.custom.iter().map(|(spec, _)| spec.clone());
        built_in.map(BuiltIn::spec).chain(custom).filter(|spec| self.allows(&spec.name)).collect()
    }

    /// The tool of a name that was offered.
    pub(crate) fn find(&self, name: &str) -> Option<Called<'_>> {
        let built_in = BuiltIn::ALL.into_iter().find(|tool| tool.name() == name).map(Called::Memory);
        let custom = self.custom.iter().find(|(spec, _)| *spec.name == *name);
        built_in.or_else(|| custom.map(|(spec, tool)| Called::Custom(spec, tool)))
    }

    fn allows(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|allowed| allowed == name))
    }
}
