//! A tool that is an actor.

use std::time::Duration;

use bethink_protocol::{Tool, ToolContext, ToolError, ToolFuture, ToolSpec};
use kameo::actor::ReplyRecipient;
use kameo::error::SendError;
use serde_json::Value;

/// How long a call waits for its actor. A person waits for the turn, so an actor that is in trouble is given up soon.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// A call of a tool, as a message. Its reply is `Result<String, ToolError>`.
#[derive(Debug, Clone)]
pub struct CallTool {
    /// Arguments, as the model said them.
    pub arguments: Value,
    /// For whom it is called.
    pub context: ToolContext,
}

/// A tool behind which stands an actor that handles [`CallTool`].
///
/// ```
/// use bethink::kameo::prelude::*;
/// use bethink::{CallTool, ToolActor, ToolError, ToolSpec};
///
/// #[derive(Actor)]
/// struct Counter(u32);
///
/// impl Message<CallTool> for Counter {
///     type Reply = Result<String, ToolError>;
///
///     async fn handle(&mut self, _: CallTool, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
///         self.0 += 1;
///         Ok(self.0.to_string())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let spec = ToolSpec {
///     name: "count".into(),
///     description: "Counts one up and says the number.".into(),
///     parameters: serde_json::json!({ "type": "object", "properties": {} }),
/// };
/// let counter = Counter::spawn(Counter(0));
/// let builder = bethink::Runtime::builder().tool(ToolActor::new(spec, counter.reply_recipient()));
/// # drop(builder);
/// # }
/// ```
pub struct ToolActor {
    spec: ToolSpec,
    actor: ReplyRecipient<CallTool, String, ToolError>,
}

impl ToolActor {
    /// A tool by its description and its actor's port.
    #[must_use]
    pub fn new(spec: ToolSpec, actor: ReplyRecipient<CallTool, String, ToolError>) -> Self {
        Self { spec, actor }
    }
}

impl Tool for ToolActor {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call<'a>(&'a self, arguments: Value, context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let call = CallTool { arguments, context: context.clone() };
            match tokio::time::timeout(CALL_TIMEOUT, self.actor.ask(call)).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(SendError::HandlerError(error))) => Err(error),
                Ok(Err(_)) => Err(ToolError::Failed("the tool is not running".to_owned())),
                Err(_) => Err(ToolError::Failed("the tool takes too long".to_owned())),
            }
        })
    }
}
