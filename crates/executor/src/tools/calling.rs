//! The calls of one turn: each bounded, isolated and answered, whatever a model calls and whatever a tool does.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bethink_domain::{Draft, Plan, ToolUse, TraceId};
use bethink_protocol::{Tool, ToolAnswer, ToolCall, ToolContext, ToolError, ToolSpec, ToolStep};
use bethink_providers::{Entered, Prompt};
use bethink_text::preview;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use tokio_util::task::AbortOnDropHandle;

use super::arguments::fitted;
use super::{BuiltIn, Called, Toolbox};
use crate::prompt::{cut, estimate_tokens, fenced, fenced_result};

/// Calls of one round that are made; a model that asks for more at once has lost its way.
const CALLS_MAX: usize = 8;
/// Longest arguments in bytes. A tool takes words, not documents.
const ARGUMENTS_BYTES_MAX: usize = 8_192;
/// What a provider wraps around a call and its answer, and their ids, in tokens.
const CALL_OVERHEAD: usize = 40;
/// With fewer tokens left there is no room for another call and its answer.
const ROOM_MIN: usize = 240;
/// Longest id of a call; a longer one is replaced.
const ID_BYTES_MAX: usize = 64;
/// Longest reason of a failure, in characters.
const REASON_CHARS_MAX: usize = 300;

/// What the tools of a turn need to know of it.
pub(crate) struct Habits {
    /// In which dates are said.
    pub(crate) zone: TimeZone,
    /// Traces that the session has in mind.
    pub(crate) in_mind: HashSet<TraceId>,
    /// What the model reads beside memories and the user's words: its instructions and its earlier replies.
    pub(crate) read: Vec<String>,
}

/// What the calls of a turn have brought about. It takes effect with the turn, or not at all.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The calls.
    pub(crate) tools: Vec<ToolUse>,
    /// What is to be remembered.
    pub(crate) noted: Vec<Draft>,
    /// What the user is asked to have forgotten.
    pub(crate) proposed: Vec<TraceId>,
    /// Reminders that were kept.
    pub(crate) reminded: usize,
}

/// The calls of one turn.
pub(crate) struct Calling {
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) plan: Arc<Plan>,
    pub(super) habits: Habits,
    pub(crate) gathered: Gathered,
    context: Arc<ToolContext>,
    /// Names of what was offered.
    offered: Vec<Arc<str>>,
    /// Tokens left for calls and answers.
    left: usize,
    step: usize,
    ids: HashSet<String>,
    answered: HashMap<(String, String), Result<String, String>>,
}

impl Calling {
    pub(crate) fn new(toolbox: Arc<Toolbox>, plan: Arc<Plan>, habits: Habits, left: usize) -> Self {
        let context =
            ToolContext { space: toolbox.space.clone(), session: plan.session, turn: plan.turn, at: plan.at };
        Self {
            toolbox,
            plan,
            habits,
            gathered: Gathered::default(),
            context: Arc::new(context),
            offered: Vec::new(),
            left,
            step: 0,
            ids: HashSet::new(),
            answered: HashMap::new(),
        }
    }

    /// Makes the calls of one round, in order, and adds them with their answers to the prompt. Afterwards the prompt
    /// offers no tools if this was the last round.
    pub(crate) async fn round(&mut self, prompt: &mut Prompt, said: &str, calls: Vec<ToolCall>) {
        if self.step == 0 {
            self.offered = prompt.tools.iter().map(|spec| Arc::clone(&spec.name)).collect();
        }
        self.step += 1;
        let said = cut(said.trim(), self.left / 4);
        self.left = self.left.saturating_sub(estimate_tokens(&said));
        let mut step = ToolStep { said, calls: Vec::new(), answers: Vec::new() };
        let too_many = calls.len().saturating_sub(CALLS_MAX);
        for call in calls.into_iter().take(CALLS_MAX) {
            if self.left < ROOM_MIN {
                break;
            }
            let (call, answer) = self.call(call, &mut prompt.entered).await;
            step.calls.push(call);
            step.answers.push(answer);
        }
        if let Some(last) = step.answers.last_mut().filter(|_| too_many > 0) {
            let note = format!("\n({too_many} more calls were not made: at most {CALLS_MAX} at once.)");
            self.left = self.left.saturating_sub(estimate_tokens(&note));
            last.content.push_str(&note);
        }
        if !step.calls.is_empty() {
            prompt.steps.push(step);
        }
        if self.step >= self.toolbox.steps_max || self.left < ROOM_MIN {
            prompt.tools.clear();
        }
    }

    /// Tokens left for calls and answers.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    async fn call(&mut self, call: ToolCall, entered: &mut Vec<Entered>) -> (ToolCall, ToolAnswer) {
        let shown_before = entered.len();
        let (call, oversized) = self.tidy(call);
        self.left = self.left.saturating_sub(call_tokens(&call));
        let key = (call.name.clone(), call.arguments.to_string());
        let answer = match (oversized, self.answered.get(&key)) {
            (true, _) => Err(format!("the arguments are longer than {ARGUMENTS_BYTES_MAX} bytes")),
            (false, Some(before)) => before.clone(),
            (false, None) => {
                let answer = self.answer(&call, entered).await;
                self.answered.insert(key, answer.clone());
                answer
            }
        };
        let known = self.offered.iter().any(|name| **name == *call.name);
        self.gathered.tools.push(ToolUse {
            step: self.step,
            name: if known { call.name.clone() } else { ToolUse::UNKNOWN.to_owned() },
            failed: answer.is_err(),
            shown: entered[shown_before..].iter().map(|entered| entered.recalled.id).collect(),
        });
        let content = match answer {
            Ok(content) => content,
            Err(why) => format!("The call failed: {}", preview(&fenced(&why), REASON_CHARS_MAX)),
        };
        let content = cut(&content, self.left);
        self.left = self.left.saturating_sub(estimate_tokens(&content));
        (call.clone(), ToolAnswer { id: call.id, content })
    }

    /// A call as providers take it back: its id its own, its name and arguments of reasonable size.
    fn tidy(&mut self, call: ToolCall) -> (ToolCall, bool) {
        let ToolCall { mut id, name, mut arguments } = call;
        if id.is_empty() || id.len() > ID_BYTES_MAX || !self.ids.insert(id.clone()) {
            id = (0..)
                .map(|n| format!("call-{}-{n}", self.step))
                .find(|id| !self.ids.contains(id))
                .unwrap_or_default();
            self.ids.insert(id.clone());
        }
        let size = arguments.to_string();
        let oversized = size.len() > ARGUMENTS_BYTES_MAX || estimate_tokens(&size) > self.left / 2;
        if oversized {
            arguments = Value::Object(Map::new());
        }
        (ToolCall { id, name: preview(&name, ID_BYTES_MAX), arguments }, oversized)
    }

    /// What a call answers, or why it does not.
    async fn answer(&mut self, call: &ToolCall, entered: &mut Vec<Entered>) -> Result<String, String> {
        let toolbox = Arc::clone(&self.toolbox);
        let offered = self.offered.iter().any(|name| **name == *call.name);
        let wait = toolbox.wait;
        let late = |_| format!("no answer within {} seconds", wait.as_secs());
        match toolbox.find(&call.name).filter(|_| offered) {
            None => Err(self.no_such(&call.name)),
            Some(Called::Memory(tool)) => {
                let arguments = fitted(&tool.spec().parameters, &call.arguments).map_err(unfit)?;
                tokio::time::timeout(wait, self.of_memory(tool, &arguments, entered)).await.map_err(late)?
            }
            Some(Called::Custom(spec, tool)) => {
                let arguments = fitted(&spec.parameters, &call.arguments).map_err(unfit)?;
                let answer = custom(spec, Arc::clone(tool), arguments, Arc::clone(&self.context));
                let answer = tokio::time::timeout(wait, answer).await.map_err(late)??;
                Ok(fenced_result(&within(&answer, toolbox.answer_bytes_max, self.left)))
            }
        }
    }

    async fn of_memory(
        &mut self,
        tool: BuiltIn,
        arguments: &Map<String, Value>,
        entered: &mut Vec<Entered>,
    ) -> Result<String, String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        match tool {
            BuiltIn::Recall => {
                let k = arguments.get("k").and_then(Value::as_f64).map(|k| k as usize);
                self.recall(text("query"), k, entered).await
            }
            BuiltIn::Remember => self.remember(text("text"), entered),
            BuiltIn::Forget => self.forget(text("what"), entered).await,
            BuiltIn::Remind => self.remind(text("what"), text("when")).await,
        }
    }

    fn no_such(&self, name: &str) -> String {
        let offered: Vec<String> = self.offered.iter().map(|name| format!("`{name}`")).collect();
        format!("there is no tool `{name}`; there are {}", offered.join(", "))
    }
}

fn unfit(why: String) -> String {
    ToolError::Arguments(why).to_string()
}

fn call_tokens(call: &ToolCall) -> usize {
    estimate_tokens(&call.name) + estimate_tokens(&call.arguments.to_string()) + CALL_OVERHEAD
}

/// An answer cut to what may be read of it, with room for its marks.
fn within(answer: &str, bytes_max: usize, tokens_left: usize) -> String {
    let end = answer.floor_char_boundary(bytes_max.min(answer.len()));
    let shown = cut(&answer[..end], tokens_left.saturating_sub(CALL_OVERHEAD));
    match (answer.trim().is_empty(), shown.len() < answer.len()) {
        (true, _) => "(nothing)".to_owned(),
        (false, true) => format!("{}\n(cut; {} bytes in all)", shown.trim_end(), answer.len()),
        (false, false) => shown,
    }
}

/// Calls a tool in a task of its own, so that its panic is an answer here and its end is certain when this is dropped.
async fn custom(
    spec: &ToolSpec,
    tool: Arc<dyn Tool>,
    arguments: Map<String, Value>,
    context: Arc<ToolContext>,
) -> Result<String, String> {
    let work = tokio::spawn(async move { tool.call(Value::Object(arguments), &context).await });
    match AbortOnDropHandle::new(work).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(error) => {
            if error.is_panic() {
                tracing::error!(tool = %spec.name, "tool panicked");
            }
            Err("it crashed".to_owned())
        }
    }
}
