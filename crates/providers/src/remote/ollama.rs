//! Ollama's own interface. genai speaks it too, but can't ask for a context length, without which Ollama silently drops
//! the beginning of a long prompt.

use bethink_protocol::ToolStep;
use futures_util::StreamExt;
use futures_util::stream::unfold;
use serde_json::{Map, Value, json};

use super::config::LanguageConfig;
use super::failure::{Asked, Failure};
use super::http::Address;
use super::pieces::{CallPiece, Piece, Pieces, Tokens};
use crate::language::{ModelError, Prompt, Role};

/// Longest line of an answer in bytes. A line holds some words, or some calls.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Longest body of a refusal that is read.
const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// Asks, and gives the answer as it comes.
pub(super) async fn ask<'a>(
    client: &reqwest::Client,
    config: &LanguageConfig,
    address: &Address,
    asked: Asked<'a>,
    prompt: &Prompt,
) -> Result<Pieces<'a>, Failure> {
    let url = format!("{}/api/chat", address.url);
    let sent = client.post(url).json(&request(config, prompt)).send().await;
    let response = sent.map_err(|error| asked.transport(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut lines = Lines { body: response, held: Vec::new() };
    if !status.is_success() {
        return Err(asked.status(status, &headers, &lines.refusal().await));
    }
    let pieces = unfold(Some(lines), move |lines| async move {
        let mut lines = lines?;
        match lines.next(&asked).await {
            Ok(Some(line)) => match pieces(&line, &asked) {
                Ok(found) => Some((Ok(found), Some(lines))),
                Err(failure) => Some((Err(failure), None)),
            },
            Ok(None) => None,
            Err(failure) => Some((Err(failure), None)),
        }
    });
    let flat = pieces.flat_map(|found| {
        let found: Vec<Result<Piece, Failure>> = match found {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(failure) => vec![Err(failure)],
        };
        futures_util::stream::iter(found)
    });
    Ok(Box::pin(flat))
}

fn request(config: &LanguageConfig, prompt: &Prompt) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    let mut say = |role: &str, content: &str| messages.push(json!({ "role": role, "content": content }));
    if !prompt.instructions.is_empty() {
        say("system", &prompt.instructions);
    }
    for line in &prompt.conversation {
        say(if line.role == Role::User { "user" } else { "assistant" }, &line.text);
    }
    say("user", &prompt.question());
    messages.extend(prompt.steps.iter().flat_map(step));
    let mut options = Map::new();
    options.insert("num_ctx".to_owned(), json!(config.context_tokens));
    options.insert("num_predict".to_owned(), json!(prompt.reply_tokens_max));
    if let Some(temperature) = config.temperature {
        options.insert("temperature".to_owned(), json!(temperature));
    }
    let mut request =
        json!({ "model": config.model, "stream": true, "options": options, "messages": messages });
    if !prompt.tools.is_empty() {
        let tools = prompt.tools.iter().map(|spec| {
            json!({
                "type": "function",
                "function": {
                    "name": *spec.name, "description": *spec.description, "parameters": spec.parameters,
                },
            })
        });
        request["tools"] = tools.collect();
    }
    request
}

fn step(step: &ToolStep) -> Vec<Value> {
    let calls = step.calls.iter().map(|call| {
        // Ollama takes an object alone.
        let arguments = if call.arguments.is_object() { call.arguments.clone() } else { json!({}) };
        json!({ "function": { "name": call.name, "arguments": arguments } })
    });
    let said = json!({ "role": "assistant", "content": step.said, "tool_calls": calls.collect::<Vec<_>>() });
    let name = |id: &str| step.calls.iter().find(|call| call.id == id).map(|call| call.name.as_str());
    let answers = step.answers.iter().map(|answer| {
        json!({ "role": "tool", "content": answer.content, "tool_name": name(&answer.id).unwrap_or_default() })
    });
    std::iter::once(said).chain(answers).collect()
}

/// What one line of an answer holds.
fn pieces(line: &str, asked: &Asked<'_>) -> Result<Vec<Piece>, Failure> {
    let unreadable =
        |_| Failure::last(ModelError::BrokeOff(format!("what {} sent can't be read", asked.host)));
    let line: Value = serde_json::from_str(line).map_err(unreadable)?;
    if line.get("error").is_some() {
        return Err(asked.told(&line.to_string()));
    }
    let text = |place: &str| line.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let mut found = vec![Piece::Life(text("/message/thinking").len())];
    if !text("/message/content").is_empty() {
        found.push(Piece::Words(text("/message/content").to_owned()));
    }
    let calls = line.pointer("/message/tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        found.push(Piece::Call(CallPiece {
            id: call["id"].as_str().unwrap_or_default().to_owned(),
            name: call["function"]["name"].as_str().unwrap_or_default().to_owned(),
            arguments: call["function"]["arguments"].to_string(),
            so_far: false,
        }));
    }
    if line["done"] == true {
        let count = |key: &str| line[key].as_u64().and_then(|n| usize::try_from(n).ok());
        found.push(Piece::End(Tokens { prompt: count("prompt_eval_count"), reply: count("eval_count") }));
    }
    Ok(found)
}

/// A body line by line.
struct Lines {
    body: reqwest::Response,
    held: Vec<u8>,
}

impl Lines {
    /// The next line that is not blank; none at the end.
    async fn next(&mut self, asked: &Asked<'_>) -> Result<Option<String>, Failure> {
        let broke = |why: &str| Failure::last(ModelError::BrokeOff(why.to_owned()));
        loop {
            if let Some(end) = self.held.iter().position(|byte| *byte == b'\n') {
                let rest = self.held.split_off(end + 1);
                let line = std::mem::replace(&mut self.held, rest);
                let line = String::from_utf8(line).map_err(|_| broke("it is not UTF-8 text"))?;
                if line.trim().is_empty() {
                    continue;
                }
                return Ok(Some(line));
            }
            if self.held.len() > LINE_BYTES_MAX {
                return Err(broke(&format!("a line of it is longer than {LINE_BYTES_MAX} bytes")));
            }
            match self.body.chunk().await.map_err(|error| asked.transport(&error))? {
                Some(bytes) => self.held.extend_from_slice(&bytes),
                // The last line may lack its end; half a line is no JSON and says so.
                None if self.held.iter().all(u8::is_ascii_whitespace) => return Ok(None),
                None => self.held.push(b'\n'),
            }
        }
    }

    /// What a refusal says, as far as it is read.
    async fn refusal(&mut self) -> String {
        while let Ok(Some(bytes)) = self.body.chunk().await {
            self.held.extend_from_slice(&bytes);
            if self.held.len() > REFUSAL_BYTES_MAX {
                break;
            }
        }
        String::from_utf8_lossy(&self.held).into_owned()
    }
}
