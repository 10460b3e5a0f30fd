//! What the README shows is what a stranger sees.

use std::path::Path;

use crate::binary::Home;

/// A message of the README and the reply under it.
type Shown = (String, String);

/// The conversations of the README, one for each block that starts a chat.
fn conversations() -> Vec<Vec<Shown>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(path).unwrap();
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    blocks.filter(|block| block.starts_with("$ cargo run --release -- chat")).map(turns).collect()
}

fn turns(block: &str) -> Vec<Shown> {
    let mut turns: Vec<Shown> = Vec::new();
    for line in block.lines().skip(1) {
        match line.strip_prefix("> ") {
            Some(message) if message.starts_with('/') => break,
            Some(message) => turns.push((message.to_owned(), String::new())),
            None => {
                if let Some((_, reply)) = turns.last_mut() {
                    if !reply.is_empty() {
                        reply.push('\n');
                    }
                    reply.push_str(line);
                }
            }
        }
    }
    turns
}

/// Times of the day differ from run to run.
fn without_times(text: &str) -> String {
    let mut parts = text.split("today at ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("today at HH:MM");
        out.push_str(part.get(5..).unwrap_or_default());
    }
    out
}

#[test]
fn the_conversations_of_the_readme_go_as_shown() {
    let home = Home::new();
    let conversations = conversations();
    assert_eq!(conversations.len(), 2);
    for turns in conversations {
        let messages: Vec<&str> = turns.iter().map(|(message, _)| message.as_str()).collect();
        let replies = home.chat(&messages);
        for ((message, shown), reply) in turns.iter().zip(&replies) {
            assert_eq!(without_times(reply), without_times(shown), "{message}");
        }
        assert_eq!(replies.len(), turns.len());
    }
}
