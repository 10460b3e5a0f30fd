//! OpenAI's and Anthropic's interfaces, through genai.
//!
//! What goes to the server and what comes back is genai's work. The connection is ours, and so are deadlines, retries
//! and the key, which genai never sees. What genai logs is left out: it repeats at error level what servers say, and a
//! server may say anything.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::task::{Context, Poll};

use bethink_protocol::ToolStep;
use futures_util::{Stream, StreamExt};
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, ContentPart, MessageContent, ReasoningEffort,
    Tool, ToolCall, ToolChoice, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use tracing::Dispatch;

use super::config::{LanguageConfig, LanguageProvider};
use super::failure::{Asked, Failure};
use super::http::Address;
use super::pieces::{CallPiece, Piece, Pieces, Tokens};
use crate::language::{ModelError, Prompt, Role};

/// The version of Anthropic's interface that genai speaks.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Asks, and gives the answer as it comes.
pub(super) async fn ask<'a>(
    client: &reqwest::Client,
    config: &'a LanguageConfig,
    address: &Address,
    asked: Asked<'a>,
    prompt: &Prompt,
) -> Result<Pieces<'a>, Failure> {
    let client = genai::Client::builder().with_reqwest(client.clone()).build();
    let client = client.map_err(|error| Failure::last(ModelError::Refused(error.to_string())))?;
    let anthropic = config.provider == LanguageProvider::Anthropic;
    let (kind, path, headers) = if anthropic {
        (AdapterKind::Anthropic, "messages", Headers::from(("anthropic-version", ANTHROPIC_VERSION)))
    } else {
        (AdapterKind::OpenAI, "chat/completions", Headers::default())
    };
    let target = ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{}/", address.url)),
        auth: AuthData::RequestOverride { url: format!("{}/{path}", address.url), headers },
        model: ModelIden::new(kind, config.model.as_str()),
    };
    let answer = client
        .exec_chat_stream(target, request(prompt, anthropic), Some(&options(config, prompt, anthropic)))
        .await;
    let answer = answer.map_err(|error| failure(&error, &asked))?;
    let pieces = Unheard(answer.stream).filter_map(move |event| {
        let piece = match event {
            Ok(event) => piece(event, anthropic).map(Ok),
            Err(error) => Some(Err(failure(&error, &asked))),
        };
        std::future::ready(piece)
    });
    Ok(Box::pin(pieces))
}

/// The messages in the order that caches keep: instructions, conversation, one message of context and question, and the
/// rounds of calls that followed it.
fn request(prompt: &Prompt, anthropic: bool) -> ChatRequest {
    let lines = prompt.conversation.iter().map(|line| match line.role {
        Role::User => ChatMessage::user(line.text.as_str()),
        Role::Agent => ChatMessage::assistant(line.text.as_str()),
    });
    let mut messages: Vec<ChatMessage> = lines.collect();
    messages.push(ChatMessage::user(prompt.question()));
    messages.extend(prompt.steps.iter().flat_map(step));
    let mut request = ChatRequest::new(messages);
    if !prompt.instructions.is_empty() {
        request = request.with_system(prompt.instructions.as_str());
    }
    if prompt.tools.is_empty() {
        return if anthropic { with_tools_called(request, prompt) } else { request };
    }
    request.with_tools(prompt.tools.iter().map(|spec| {
        Tool::new(spec.name.as_ref())
            .with_description(spec.description.as_ref())
            .with_schema(spec.parameters.clone())
    }))
}

/// Anthropic refuses calls of tools that the request does not define, so that those of earlier rounds are named again;
/// [`options`] forbids to call them.
fn with_tools_called(request: ChatRequest, prompt: &Prompt) -> ChatRequest {
    let called: BTreeSet<&str> =
        prompt.steps.iter().flat_map(|step| &step.calls).map(|call| call.name.as_str()).collect();
    if called.is_empty() {
        return request;
    }
    let any = serde_json::json!({ "type": "object" });
    request.with_tools(called.into_iter().map(|name| Tool::new(name).with_schema(any.clone())))
}

fn step(step: &ToolStep) -> [ChatMessage; 2] {
    let calls = step.calls.iter().map(|call| {
        ContentPart::ToolCall(ToolCall {
            call_id: call.id.clone(),
            fn_name: call.name.clone(),
            fn_arguments: call.arguments.clone(),
            thought_signatures: None,
        })
    });
    let said = (!step.said.is_empty()).then(|| ContentPart::from(step.said.as_str()));
    let parts: Vec<ContentPart> = said.into_iter().chain(calls).collect();
    let answers =
        step.answers.iter().map(|answer| ToolResponse::new(answer.id.as_str(), answer.content.as_str()));
    [
        ChatMessage::assistant(MessageContent::from_parts(parts)),
        ChatMessage::tool(MessageContent::from_tool_responses(answers.collect())),
    ]
}

fn options(config: &LanguageConfig, prompt: &Prompt, anthropic: bool) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_max_tokens(u32::try_from(prompt.reply_tokens_max).unwrap_or(u32::MAX));
    if let Some(temperature) = config.temperature {
        options = options.with_temperature(f64::from(temperature));
    }
    if anthropic && prompt.tools.is_empty() && !prompt.steps.is_empty() {
        options = options.with_tool_choice(ToolChoice::None);
    }
    // Else genai takes "-medium" or "-max" off the end of a model's name.
    if anthropic {
        options.with_extra_body(serde_json::json!({ "model": config.model }))
    } else {
        // Nothing is sent for a budget.
        options.with_reasoning_effort(ReasoningEffort::Budget(0))
    }
}

fn piece(event: ChatStreamEvent, anthropic: bool) -> Option<Piece> {
    match event {
        ChatStreamEvent::Start => None,
        ChatStreamEvent::Chunk(chunk) => Some(Piece::Words(chunk.content)),
        ChatStreamEvent::ReasoningChunk(chunk) | ChatStreamEvent::ThoughtSignatureChunk(chunk) => {
            Some(Piece::Life(chunk.content.len()))
        }
        ChatStreamEvent::Heartbeat => Some(Piece::Life(0)),
        ChatStreamEvent::ToolCallChunk(chunk) => {
            let ToolCall { call_id, fn_name, fn_arguments, .. } = chunk.tool_call;
            let arguments = match fn_arguments {
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            };
            // genai gathers Anthropic's arguments and passes OpenAI's on as they come.
            Some(Piece::Call(CallPiece { id: call_id, name: fn_name, arguments, so_far: anthropic }))
        }
        ChatStreamEvent::End(end) => {
            let count = |tokens: Option<i32>| tokens.and_then(|n| usize::try_from(n).ok());
            let usage = end.captured_usage.unwrap_or_default();
            Some(Piece::End(Tokens {
                prompt: count(usage.prompt_tokens),
                reply: count(usage.completion_tokens),
            }))
        }
    }
}

fn failure(error: &genai::Error, asked: &Asked<'_>) -> Failure {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => asked.status(*status, headers, body),
        genai::Error::ChatResponse { body, .. } => asked.told(&body.to_string()),
        genai::Error::WebStream { error, .. } => match (error.downcast_ref(), error.downcast_ref()) {
            (Some(inner), _) => failure(inner, asked),
            (_, Some(inner)) => asked.transport(inner),
            _ => unreadable(asked),
        },
        _ => unreadable(asked),
    }
}

/// What genai says of it repeats what was sent and received.
fn unreadable(asked: &Asked<'_>) -> Failure {
    Failure::last(ModelError::BrokeOff(format!("what {} sent can't be read", asked.host)))
}

/// A stream whose source logs nothing.
struct Unheard<S>(S);

impl<S: Stream + Unpin> Stream for Unheard<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        tracing::dispatcher::with_default(&Dispatch::none(), || Pin::new(&mut self.0).poll_next(context))
    }
}
