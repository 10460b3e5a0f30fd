//! How the three interfaces put an answer.

use serde_json::{Value, json};

/// An interface of a model server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's chat.
    Ollama,
}

/// A tool call that a script makes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Called<'a> {
    pub(crate) number: usize,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a Value,
}

impl Dialect {
    /// The interface that a request's path belongs to.
    #[must_use]
    pub fn of_path(path: &str) -> Self {
        if path.ends_with("/messages") {
            Self::Anthropic
        } else if path.ends_with("/api/chat") {
            Self::Ollama
        } else {
            Self::OpenAi
        }
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Ollama => "application/x-ndjson",
            _ => "text/event-stream",
        }
    }

    fn frame(self, event: &str, value: &Value) -> String {
        match self {
            Self::OpenAi => format!("data: {value}\n\n"),
            Self::Anthropic => format!("event: {event}\ndata: {value}\n\n"),
            Self::Ollama => format!("{value}\n"),
        }
    }

    pub(crate) fn opening(self, prompt_tokens: usize) -> String {
        match self {
            Self::Anthropic => {
                let usage = json!({ "input_tokens": prompt_tokens, "output_tokens": 1 });
                let start =
                    json!({ "type": "message_start", "message": { "role": "assistant", "usage": usage } });
                self.frame("message_start", &start)
                    + &self.block(
                        "content_block_start",
                        json!({ "content_block": { "type": "text", "text": "" } }),
                    )
            }
            _ => String::new(),
        }
    }

    fn block(self, event: &str, rest: Value) -> String {
        let mut value = json!({ "type": event, "index": 0 });
        if let (Some(value), Value::Object(rest)) = (value.as_object_mut(), rest) {
            value.extend(rest);
        }
        self.frame(event, &value)
    }

    pub(crate) fn words(self, text: &str) -> String {
        match self {
            Self::OpenAi => {
                self.frame("", &json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
            }
            Self::Anthropic => {
                self.block("content_block_delta", json!({ "delta": { "type": "text_delta", "text": text } }))
            }
            Self::Ollama => {
                self.frame("", &json!({ "message": { "role": "assistant", "content": text }, "done": false }))
            }
        }
    }

    pub(crate) fn thought(self, text: &str) -> String {
        match self {
            Self::OpenAi => self
                .frame("", &json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": text } }] })),
            Self::Anthropic => {
                self.block(
                    "content_block_start",
                    json!({ "content_block": { "type": "thinking", "thinking": text } }),
                ) + &self
                    .block("content_block_start", json!({ "content_block": { "type": "text", "text": "" } }))
            }
            Self::Ollama => self.frame("", &json!({ "message": { "role": "assistant", "thinking": text } })),
        }
    }

    /// A call, its arguments in two parts where the interface allows that.
    pub(crate) fn call(self, call: Called<'_>) -> String {
        let Called { number, name, arguments } = call;
        let text = arguments.to_string();
        let (first, second) = text.split_at(text.len() / 2);
        let id = format!("id{number}");
        match self {
            Self::OpenAi => {
                let part = |call: Value| {
                    self.frame("", &json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] }))
                };
                let function = json!({ "name": name, "arguments": first });
                part(json!({ "index": number, "id": id, "type": "function", "function": function }))
                    + &part(json!({ "index": number, "function": { "arguments": second } }))
            }
            Self::Anthropic => {
                let delta = |part: &str| {
                    let delta = json!({ "type": "input_json_delta", "partial_json": part });
                    self.block("content_block_delta", json!({ "delta": delta }))
                };
                let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
                self.block("content_block_start", json!({ "content_block": block }))
                    + &delta(first)
                    + &delta(second)
                    + &self.block("content_block_stop", json!({}))
            }
            Self::Ollama => {
                let calls = json!([{ "function": { "name": name, "arguments": arguments } }]);
                self.frame(
                    "",
                    &json!({ "message": { "role": "assistant", "content": "", "tool_calls": calls } }),
                )
            }
        }
    }

    pub(crate) fn closing(self, prompt_tokens: usize, reply_tokens: usize) -> String {
        match self {
            Self::OpenAi => {
                let usage = json!({ "prompt_tokens": prompt_tokens, "completion_tokens": reply_tokens });
                let stop = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
                self.frame("", &stop)
                    + &self.frame("", &json!({ "choices": [], "usage": usage }))
                    + "data: [DONE]\n\n"
            }
            Self::Anthropic => {
                let delta = json!({
                    "type": "message_delta", "delta": { "stop_reason": "end_turn" },
                    "usage": { "output_tokens": reply_tokens },
                });
                self.block("content_block_stop", json!({}))
                    + &self.frame("message_delta", &delta)
                    + &self.frame("message_stop", &json!({ "type": "message_stop" }))
            }
            Self::Ollama => self.frame(
                "",
                &json!({
                    "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
                    "prompt_eval_count": prompt_tokens, "eval_count": reply_tokens,
                }),
            ),
        }
    }

    /// A whole answer for a client that does not want it streamed.
    pub(crate) fn whole(self, text: &str) -> Value {
        match self {
            Self::OpenAi => json!({ "choices": [{ "message": { "role": "assistant", "content": text } }] }),
            Self::Anthropic => json!({ "role": "assistant", "content": [{ "type": "text", "text": text }] }),
            Self::Ollama => json!({ "message": { "role": "assistant", "content": text }, "done": true }),
        }
    }
}
