//! An answer as it comes, whatever its server speaks.

use std::pin::Pin;

use bethink_protocol::ToolCall;
use futures_util::Stream;
use serde_json::Value;

use super::failure::Failure;

/// Longest answer in bytes: words, thoughts and calls together. No model is asked for a tenth of it.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Most tools called at once.
const CALLS_MAX: usize = 32;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// Words for the user.
    Words(String),
    /// A sign of life: thoughts, which nobody is shown, or a heartbeat.
    Life(usize),
    /// A part of a call.
    Call(CallPiece),
    /// The end, as the server said it.
    End(Tokens),
}

/// A part of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallPiece {
    /// By which the parts of one call belong together.
    pub(super) id: String,
    /// Empty in a further part.
    pub(super) name: String,
    /// JSON, or the beginning or continuation of it.
    pub(super) arguments: String,
    /// The arguments are all so far, and not a continuation.
    pub(super) so_far: bool,
}

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) prompt: Option<usize>,
    pub(super) reply: Option<usize>,
}

/// The parts of one answer. It may end without [`Piece::End`]: then it broke off.
pub(super) type Pieces<'a> = Pin<Box<dyn Stream<Item = Result<Piece, Failure>> + Send + 'a>>;

/// What was heard so far, within its limits.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) text: String,
    calls: Vec<CallPiece>,
    bytes: usize,
}

impl Heard {
    /// Nothing came that means anything.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    /// Counts bytes; an error is the reason why it is too much.
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes += bytes;
        if self.bytes > ANSWER_BYTES_MAX {
            return Err(format!("it is longer than {ANSWER_BYTES_MAX} bytes"));
        }
        Ok(())
    }

    /// Adds a part of a call to the call that it belongs to.
    pub(super) fn call(&mut self, piece: CallPiece) -> Result<(), String> {
        self.count(piece.arguments.len() + piece.name.len() + piece.id.len())?;
        if let Some(known) = self.place(&piece).and_then(|place| self.calls.get_mut(place)) {
            if piece.so_far {
                known.arguments = piece.arguments;
            } else {
                known.arguments.push_str(&piece.arguments);
            }
            return Ok(());
        }
        if self.calls.len() == CALLS_MAX {
            return Err(format!("it calls more than {CALLS_MAX} tools at once"));
        }
        self.calls.push(piece);
        Ok(())
    }

    /// Where the call stands that a part continues. Some servers repeat id and name with each part, some send neither
    /// and are understood to mean the last.
    fn place(&self, piece: &CallPiece) -> Option<usize> {
        let same = self.calls.iter().rposition(|call| call.id == piece.id);
        if piece.name.is_empty() {
            let numbered = piece.id.strip_prefix("call_").and_then(|n| n.parse::<usize>().ok());
            let numbered = numbered.filter(|place| *place < self.calls.len());
            return same.or(numbered).or(self.calls.len().checked_sub(1));
        }
        let whole = |call: &CallPiece| serde_json::from_str::<Value>(&call.arguments).is_ok();
        same.filter(|place| piece.so_far || !whole(&self.calls[*place]))
    }

    /// The calls. Arguments that are no JSON stay a text, so that the tool can say what is wrong with them.
    pub(super) fn into_calls(self) -> (String, Vec<ToolCall>) {
        let calls = self.calls.into_iter().enumerate().map(|(n, call)| ToolCall {
            id: if call.id.is_empty() { format!("call_{n}") } else { call.id },
            name: call.name,
            arguments: match call.arguments.trim() {
                "" => Value::Object(serde_json::Map::new()),
                text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
            },
        });
        (self.text, calls.collect())
    }
}

/// Hides what a model thinks aloud between `<think>` and `</think>` at the start of its answer.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    held: String,
    state: Thinking,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Thinking {
    #[default]
    Beginning,
    Inside,
    /// Behind a thought, where white space still belongs to it.
    Behind,
    Over,
}

const THINK: &str = "<think>";
const THINK_END: &str = "</think>";

impl Thoughts {
    /// Takes words and gives those that are for the user.
    pub(super) fn push(&mut self, words: String) -> String {
        if self.state == Thinking::Over {
            return words;
        }
        self.held.push_str(&words);
        if self.state == Thinking::Beginning {
            let begun = self.held.trim_start();
            if let Some(inside) = begun.strip_prefix(THINK) {
                (self.held, self.state) = (inside.to_owned(), Thinking::Inside);
            } else if THINK.starts_with(begun) {
                return String::new();
            } else {
                self.state = Thinking::Over;
                return std::mem::take(&mut self.held);
            }
        }
        if self.state == Thinking::Behind {
            return self.behind();
        }
        let Some(end) = self.held.find(THINK_END) else {
            // Only what may be the beginning of the end mark is still of use.
            let keep = self.held.len().saturating_sub(THINK_END.len());
            self.held.drain(..self.held.ceil_char_boundary(keep));
            return String::new();
        };
        self.held.drain(..end + THINK_END.len());
        self.state = Thinking::Behind;
        self.behind()
    }

    fn behind(&mut self) -> String {
        let words = std::mem::take(&mut self.held).trim_start().to_owned();
        if !words.is_empty() {
            self.state = Thinking::Over;
        }
        words
    }

    /// What was held back and turned out to be no thought.
    pub(super) fn finish(self) -> String {
        if self.state == Thinking::Beginning { self.held } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_hidden_wherever_the_pieces_are_cut() {
        let check = |text: &str, shown: &str| {
            for size in 1..=text.len() {
                let mut thoughts = Thoughts::default();
                let letters: Vec<char> = text.chars().collect();
                let mut out: String =
                    letters.chunks(size).map(|part| thoughts.push(part.iter().collect())).collect();
                out.push_str(&thoughts.finish());
                assert_eq!(out.trim_end(), shown, "{text:?} in pieces of {size}");
            }
        };
        check("<think>hm, 固😀</think>\n\nAfter breakfast.", "After breakfast.");
        check("\n<think>\n</think>Yes", "Yes");
        check("After <think> I thought", "After <think> I thought");
        check("<thin ice", "<thin ice");
        check("<think>for ever", "");
        check("<", "<");
    }

    #[test]
    fn parts_of_calls_find_each_other() {
        let part = |id: &str, name: &str, arguments: &str, so_far| CallPiece {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            so_far,
        };
        let check = |parts: Vec<CallPiece>, calls: &[(&str, &str)]| {
            let mut heard = Heard::default();
            parts.into_iter().for_each(|piece| heard.call(piece).unwrap());
            let (_, heard) = heard.into_calls();
            let heard: Vec<(String, String)> =
                heard.into_iter().map(|call| (call.name, call.arguments.to_string())).collect();
            let heard: Vec<(&str, &str)> = heard.iter().map(|(n, a)| (n.as_str(), a.as_str())).collect();
            assert_eq!(heard, calls);
        };
        check(
            vec![
                part("a", "dice", "", false),
                part("call_0", "", "{\"si", false),
                part("call_0", "", "des\":6}", false),
            ],
            &[("dice", r#"{"sides":6}"#)],
        );
        check(
            vec![
                part("a", "dice", "{", false),
                part("b", "coin", "{}", false),
                part("call_0", "", "}", false),
            ],
            &[("dice", "{}"), ("coin", "{}")],
        );
        check(
            vec![part("a", "dice", "{\"s", false), part("a", "dice", "\":1}", false)],
            &[("dice", r#"{"s":1}"#)],
        );
        check(
            vec![part("", "dice", "{}", false), part("", "dice", "{}", false)],
            &[("dice", "{}"), ("dice", "{}")],
        );
        check(
            vec![part("t", "dice", "", true), part("t", "dice", "{", true), part("t", "dice", "{}", true)],
            &[("dice", "{}")],
        );
        check(vec![part("a", "dice", "six", false)], &[("dice", "\"six\"")]);
        let mut heard = Heard::default();
        let all = (0..100).map(|n| heard.call(part(&format!("id{n}"), "dice", "{}", false)));
        assert_eq!(all.filter(Result::is_ok).count(), CALLS_MAX);
    }
}
