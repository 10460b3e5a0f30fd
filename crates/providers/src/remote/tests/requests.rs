//! What is sent, and what is made of a good answer.

use bethink_protocol::{ToolAnswer, ToolCall, ToolSpec, ToolStep};
use bethink_testkit::{Act, Seen};
use serde_json::{Value, json};

use super::*;
use crate::language::{Line, Role};

/// A prompt in the middle of a conversation, with a tool and one round of calls.
fn full() -> Prompt {
    let call = ToolCall { id: "a1".to_owned(), name: "dice".to_owned(), arguments: json!({ "sides": 6 }) };
    Prompt {
        conversation: vec![
            Line { role: Role::User, text: "Hello".to_owned() },
            Line { role: Role::Agent, text: "Hi!".to_owned() },
        ],
        context: "Now: Monday.\n<memories>\n[m1] tea\n</memories>".to_owned(),
        tools: vec![ToolSpec {
            name: "dice".into(),
            description: "Throws dice.".into(),
            parameters: json!({ "type": "object", "properties": { "sides": { "type": "integer" } } }),
        }],
        steps: vec![ToolStep {
            said: "Let me throw.".to_owned(),
            calls: vec![call],
            answers: vec![ToolAnswer { id: "a1".to_owned(), content: "4".to_owned() }],
        }],
        ..prompt("Throw for me.")
    }
}

async fn sent(kind: LanguageProvider, prompt: &Prompt) -> Seen {
    let server = ModelServer::within([Act::say("Fine.")]);
    let config = LanguageConfig { temperature: Some(0.5), context_tokens: 4_096, ..config(kind, &server) };
    ask(&model(config), prompt).await.reply.unwrap();
    server.seen().remove(0)
}

fn texts(messages: &Value) -> Vec<(String, String)> {
    let messages = messages.as_array().unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    messages.iter().map(|message| (text(&message["role"]), text(&message["content"]))).collect()
}

const QUESTION: &str = "Now: Monday.\n<memories>\n[m1] tea\n</memories>\n\nThrow for me.";

#[tokio::test(start_paused = true)]
async fn openai_gets_the_parts_in_their_order() {
    let seen = sent(LanguageProvider::Openai, &full()).await;
    assert_eq!((seen.path.as_str(), seen.header("accept-encoding")), ("/v1/chat/completions", None));
    let body = seen.json();
    assert_eq!(body["model"], "parrot-medium", "a name is sent as it was given");
    assert_eq!(
        (&body["stream"], &body["max_tokens"], &body["temperature"]),
        (&json!(true), &json!(64), &json!(0.5))
    );
    assert!(body["reasoning_effort"].is_null());
    let expected = [
        ("system", "You are a parrot."),
        ("user", "Hello"),
        ("assistant", "Hi!"),
        ("user", QUESTION),
        ("assistant", "Let me throw."),
        ("tool", "4"),
    ];
    assert_eq!(texts(&body["messages"]), expected.map(|(role, text)| (role.to_owned(), text.to_owned())));
    assert_eq!(body["messages"][4]["tool_calls"][0]["function"]["arguments"], r#"{"sides":6}"#);
    assert_eq!(body["messages"][5]["tool_call_id"], "a1");
    assert_eq!(body["tools"][0]["function"]["name"], "dice");
    let places = ["tools", "messages"].map(|key| seen.body.find(&format!("\"{key}\"")));
    assert!(places[0] < places[1], "tools come before what changes: {}", seen.body);
}

#[tokio::test(start_paused = true)]
async fn anthropic_gets_the_parts_in_their_order() {
    let seen = sent(LanguageProvider::Anthropic, &full()).await;
    assert_eq!((seen.path.as_str(), seen.header("anthropic-version")), ("/v1/messages", Some("2023-06-01")));
    let body = seen.json();
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("parrot-medium"), &json!(64)));
    assert!(body["system"].to_string().contains("You are a parrot."));
    let roles: Vec<String> = texts(&body["messages"]).into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    assert_eq!(body["messages"][2]["content"], QUESTION);
    assert!(body["messages"][3].to_string().contains(r#""input":{"sides":6}"#), "{body}");
    assert!(body["messages"][4].to_string().contains(r#""tool_use_id":"a1""#), "{body}");
    assert_eq!(body["tools"][0]["name"], "dice");
}

#[tokio::test(start_paused = true)]
async fn anthropic_knows_tools_that_were_called_and_may_call_no_more() {
    let last = Prompt { tools: Vec::new(), ..full() };
    let body = sent(LanguageProvider::Anthropic, &last).await.json();
    assert_eq!(body["tools"][0]["name"], "dice", "it refuses calls of tools that it is not told of: {body}");
    assert_eq!(body["tool_choice"]["type"], "none", "{body}");
    let never = Prompt { steps: Vec::new(), ..last };
    assert!(sent(LanguageProvider::Anthropic, &never).await.json()["tools"].is_null());
}

#[tokio::test(start_paused = true)]
async fn ollama_is_told_how_much_to_read() {
    let seen = sent(LanguageProvider::Ollama, &full()).await;
    assert_eq!(seen.path, "/api/chat");
    let body = seen.json();
    assert_eq!(body["options"], json!({ "num_ctx": 4096, "num_predict": 64, "temperature": 0.5 }));
    let roles: Vec<String> = texts(&body["messages"]).into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool"]);
    assert_eq!(body["messages"][3]["content"], QUESTION);
    assert_eq!(
        body["messages"][4]["tool_calls"][0]["function"],
        json!({ "name": "dice", "arguments": { "sides": 6 } })
    );
    assert_eq!(
        (&body["messages"][5]["content"], &body["messages"][5]["tool_name"]),
        (&json!("4"), &json!("dice"))
    );
    assert_eq!(body["tools"][0]["function"]["parameters"]["type"], "object");
}

#[tokio::test(start_paused = true)]
async fn turns_of_a_conversation_share_their_prefix() {
    for kind in KINDS {
        let server = ModelServer::within([Act::say("Fine.")]);
        let model = model(config(kind, &server));
        let tools = full().tools;
        let mut lines = Vec::new();
        for (turn, context) in [("one", "[m1] tea"), ("two", "[m1] other memories"), ("three", "")] {
            let prompt = Prompt {
                conversation: lines.clone(),
                context: context.to_owned(),
                tools: tools.clone(),
                ..prompt(turn)
            };
            ask(&model, &prompt).await.reply.unwrap();
            lines.push(Line { role: Role::User, text: turn.to_owned() });
            lines.push(Line { role: Role::Agent, text: "Fine.".to_owned() });
        }
        let bodies: Vec<String> = server.seen().into_iter().map(|seen| seen.body).collect();
        let questions = ["[m1] tea\\n\\none", "[m1] other memories\\n\\ntwo", "three"];
        for (pair, question) in bodies.windows(2).zip(questions) {
            let at = pair[0].rfind(question).unwrap_or_else(|| panic!("{question:?} is not in {}", pair[0]));
            assert!(pair[1].starts_with(&pair[0][..at]), "{kind:?}\n{}\n{}", pair[0], pair[1]);
            assert!(at > 100, "the prefix holds instructions and tools");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn words_come_as_they_are_said_and_thoughts_do_not() {
    for kind in KINDS {
        for act in [
            Act::Say(["After ", "bréakfast", " 固😀."].map(str::to_owned).to_vec()),
            Act::Think("they want to know when".to_owned(), "After bréakfast 固😀.".to_owned()),
            Act::say("<think>when?</think>\n\nAfter bréakfast 固😀."),
        ] {
            let server = ModelServer::within([act]).reading(321);
            let went = ask(&model(config(kind, &server)), &prompt("When?")).await;
            let reply = went.reply.unwrap();
            assert_eq!(
                (reply.text.as_str(), went.streamed.as_str()),
                ("After bréakfast 固😀.", "After bréakfast 固😀.")
            );
            assert_eq!((reply.prompt_tokens, reply.reply_tokens), (Some(321), Some(1)), "{kind:?}");
            assert!(reply.calls.is_empty() && reply.cited.is_empty());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_tools_are_understood() {
    for kind in KINDS {
        let calls = vec![("dice".to_owned(), json!({ "sides": 6 })), ("no_such_tool".to_owned(), json!({}))];
        for said in ["", "Let me see."] {
            let server = ModelServer::within([Act::Call(said.to_owned(), calls.clone())]);
            let reply = ask(&model(config(kind, &server)), &full()).await.reply.unwrap();
            let heard: Vec<(String, Value)> =
                reply.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
            assert_eq!((reply.text.as_str(), heard), (said, calls.clone()), "{kind:?}");
            assert_ne!(reply.calls[0].id, reply.calls[1].id);
        }
    }
}

/// An echo is an answer here; that it credits nothing is the executor's to see.
#[tokio::test(start_paused = true)]
async fn an_echo_is_passed_on_and_bounded() {
    let server = ModelServer::within([Act::Echo]);
    let went = ask(&model(config(LanguageProvider::Openai, &server)), &prompt("When?")).await;
    assert!(went.reply.unwrap().text.contains("You are a parrot."));
    let endless = vec!["x".repeat(1 << 20); 6];
    let server = ModelServer::within([Act::Say(endless)]);
    let error =
        ask(&model(config(LanguageProvider::Openai, &server)), &prompt("When?")).await.reply.unwrap_err();
    assert!(error.to_string().contains("longer than"), "{error}");
}
