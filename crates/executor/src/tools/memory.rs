//! The tools of memory. They look, and say what is to be changed; nothing is changed here.

use bethink_domain::{Affect, Cue, Draft, Origin, RecallMode, Recalled, Source, TraceId, TraceKind};
use bethink_protocol::{Embed, Recall, Urgency};
use bethink_providers::Entered;
use bethink_text::{mask_secrets, words};

use super::calling::Calling;
use super::whose::{Whose, whose};
use crate::prompt::{CLOSE, OPEN, cut, estimate_tokens, fence_tokens, memory_line, memory_line_tokens};

/// Most memories that one call shows.
const RECALLED_MAX: usize = 20;
/// Tokens of a question to memory; an embedder reads no more of it.
const QUERY_TOKENS_MAX: usize = 300;
/// Things noted in one turn; a model that notes more is writing a log.
const NOTED_MAX: usize = 4;
/// Longest note in bytes: a few sentences.
const NOTE_BYTES_MAX: usize = 2_000;
/// Memories proposed to be forgotten at once: what a person reads before saying yes.
const PROPOSED_MAX: usize = 5;
/// Importance of the user's own words, as when a person asks for them to be remembered; of the model's, as of what is
/// said in passing.
const IMPORTANCE: (f32, f32) = (7.0, 5.0);
/// How sure a conclusion is.
const CONCLUDED: f32 = 0.8;

impl Calling {
    /// Looks in memory; what is new is shown under the next tags and has entered.
    pub(super) async fn recall(
        &mut self,
        query: &str,
        k: Option<usize>,
        entered: &mut Vec<Entered>,
    ) -> Result<String, String> {
        let found = self.look(query, k.unwrap_or(Cue::K_DEFAULT).clamp(1, RECALLED_MAX)).await?;
        let shown = self.show(&found, entered)?;
        Ok(shown.map_or_else(|| "No memory is near enough to this.".to_owned(), |(block, _)| block))
    }

    /// Notes a text, to be stored with the turn.
    pub(super) fn remember(&mut self, text: &str, entered: &[Entered]) -> Result<String, String> {
        let text = mask_secrets(text.trim()).text;
        if words(&text).is_empty() {
            return Err("the text says nothing".to_owned());
        }
        if text.len() > NOTE_BYTES_MAX {
            return Err(format!("the text has {} bytes; at most {NOTE_BYTES_MAX} are kept", text.len()));
        }
        if self.gathered.noted.len() >= NOTED_MAX {
            return Err(format!("at most {NOTED_MAX} things are kept in one turn"));
        }
        let mut shown: Vec<&str> = entered.iter().map(|entered| &*entered.recalled.text).collect();
        shown.extend(self.habits.read.iter().map(String::as_str));
        let own = match whose(&text, &self.plan.message, &self.plan.stated, &shown) {
            Whose::User => true,
            Whose::Model => false,
            Whose::Echo => {
                return Err(
                    "not kept: this repeats what you were shown, and only what is new is kept".to_owned()
                );
            }
        };
        let (importance, confidence) = if own { (IMPORTANCE.0, 1.0) } else { (IMPORTANCE.1, CONCLUDED) };
        self.gathered.noted.push(Draft {
            kind: TraceKind::Semantic,
            text,
            speaker: None,
            source: if own { Source::UserStatement } else { Source::AgentInference },
            confidence,
            lineage: vec![Origin::Turn(self.plan.turn)],
            affect: Affect::NEUTRAL,
            importance,
            occurred_at: self.plan.at,
            provisional: false,
            asked: false,
            embedding: None,
        });
        Ok("It will be kept once this turn is complete.".to_owned())
    }

    /// Proposes to forget what tags name, or the one memory that words find.
    pub(super) async fn forget(&mut self, what: &str, entered: &mut Vec<Entered>) -> Result<String, String> {
        if let Some(tagged) = tagged(what, entered) {
            return self.propose(&tagged);
        }
        let found = self.look(what, PROPOSED_MAX).await?;
        let Some((block, shown)) = self.show(&found, entered)? else {
            return Ok("No memory is near enough to this. Nothing is forgotten; say so.".to_owned());
        };
        match shown.as_slice() {
            [(tag, id)] => Ok(format!("{block}\n{}", self.propose(&[(tag.clone(), *id)])?)),
            _ => Ok(format!(
                "{block}\nNothing is proposed yet: call again with the tags of those that are meant."
            )),
        }
    }

    fn propose(&mut self, tagged: &[(String, TraceId)]) -> Result<String, String> {
        let new: Vec<TraceId> =
            tagged.iter().map(|(_, id)| *id).filter(|id| !self.gathered.proposed.contains(id)).collect();
        if self.gathered.proposed.len() + new.len() > PROPOSED_MAX {
            return Err(format!("at most {PROPOSED_MAX} memories are forgotten at once"));
        }
        self.gathered.proposed.extend(new);
        let tags: Vec<&str> = tagged.iter().map(|(tag, _)| tag.as_str()).collect();
        Ok(format!(
            "Nothing is deleted yet. Below your reply the user is shown {} word for word and asked whether to forget it. \
             Announce that in one short sentence; do not say that it is done.",
            tags.join(", ")
        ))
    }

    /// Asks memory, changing nothing.
    async fn look(&self, query: &str, k: usize) -> Result<Vec<Recalled>, String> {
        let query = cut(&mask_secrets(query.trim()).text, QUERY_TOKENS_MAX);
        if words(&query).is_empty() {
            return Err("say what to look for".to_owned());
        }
        let embed = Embed { texts: vec![query.clone()], urgency: Urgency::Turn };
        // Without a meaning, words alone decide.
        let embedding = match self.toolbox.embed.ask(embed).send().await {
            Ok(embedded) => embedded.vectors.into_iter().next().flatten(),
            Err(error) => {
                tracing::warn!(%error, "a tool recalls by words alone");
                None
            }
        };
        let cue = Cue { embedding, k, ..Cue::new(query, self.plan.at) };
        let recall = Recall { cue, mode: RecallMode::Observe };
        match self.toolbox.recall.ask(recall).send().await {
            Ok(recollection) => Ok(recollection.traces),
            Err(error) => {
                tracing::warn!(%error, "a tool could not recall");
                Err("memory could not be asked".to_owned())
            }
        }
    }

    /// Memories as a fenced block, as many as there is room for, with their tags. One that was shown before keeps its
    /// tag; the others enter under the next ones.
    fn show(&self, found: &[Recalled], entered: &mut Vec<Entered>) -> Result<Option<Block>, String> {
        let mut tokens_left = self.left().saturating_sub(fence_tokens() + ROOM_FOR_WORDS);
        let mut bytes_left = self.toolbox.answer_bytes_max;
        let (mut block, mut shown) = (format!("{OPEN}\n"), Vec::new());
        for recalled in found {
            let before = entered.iter().find(|entered| entered.recalled.id == recalled.id);
            let tag = before.map_or_else(|| format!("m{}", entered.len() + 1), |entered| entered.tag.clone());
            let fresh = before.is_none();
            let (line, entry) =
                memory_line(tag.clone(), recalled, self.plan.at, &self.habits.zone, &self.habits.in_mind);
            let tokens = memory_line_tokens(&line);
            if tokens > tokens_left || line.len() > bytes_left {
                break;
            }
            (tokens_left, bytes_left) = (tokens_left - tokens, bytes_left - line.len());
            block.push_str(&line);
            block.push('\n');
            shown.push((tag, recalled.id));
            if fresh {
                entered.push(entry);
            }
        }
        block.push_str(CLOSE);
        debug_assert!(estimate_tokens(&block) <= self.left(), "because every line was counted");
        match (shown.is_empty(), found.is_empty()) {
            (false, _) => Ok(Some((block, shown))),
            (true, true) => Ok(None),
            (true, false) => Err("there is no room left in this turn for what was found".to_owned()),
        }
    }
}

/// A fenced block, and the tags in it with their traces.
type Block = (String, Vec<(String, TraceId)>);

/// Tokens that stand beside a block of memories.
const ROOM_FOR_WORDS: usize = 80;

/// What tags name; none when the text is anything but known tags.
fn tagged(text: &str, entered: &[Entered]) -> Option<Vec<(String, TraceId)>> {
    let parts: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty() && !part.eq_ignore_ascii_case("and"))
        .map(str::to_ascii_lowercase)
        .collect();
    let find = |part: &String| {
        let found = entered.iter().find(|entered| entered.tag == *part)?;
        Some((found.tag.clone(), found.recalled.id))
    };
    let found: Vec<(String, TraceId)> = parts.iter().map_while(find).collect();
    (!found.is_empty() && found.len() == parts.len()).then_some(found)
}
