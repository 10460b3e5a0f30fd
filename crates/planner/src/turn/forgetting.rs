//! Forgetting in plain words: what is meant is asked back, and only the next message's "yes" deletes it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use bethink_domain::{
    Cue, CueScope, Decision, Degraded, Forgotten, Intent, Outcome, Purpose, RecallMode, Recalled, Timestamp,
};
use bethink_protocol::{ConverseError, Embed, Forget, LetGo, MemoryError, Recall, Urgency};
use bethink_text::{Language, PhraseKind, Reading, Word, words};

use super::course::Course;
use super::{Job, execute, plan};
use crate::accepting::confirms;
use crate::actor::PlannerArgs;
use crate::heard::Heard;
use crate::ports::{COMMIT_WAIT, EMBED_WAIT, RECALL_WAIT, ask};
use crate::sessions::Proposal;

/// Memories proposed at once: what a person reads before saying yes.
const PROPOSED_MAX: usize = 5;
/// Least relevance of what is proposed, as a share of the best's: what lies behind is not what was meant.
const NEAR_THE_BEST: f32 = 0.7;

/// Words that lead a wish to forget.
static LEADING: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let lines = include_str!("../../data/forgetting.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(words).map(|word| word.text).collect()
});

/// The proposal of the turn before that this message confirms. What a private turn spoke of stays among private turns.
pub(super) fn confirmed(job: &Job) -> Option<&Proposal> {
    let open = |proposal: &&Proposal| job.message.private || !proposal.private;
    job.left.proposal.as_ref().filter(open).filter(|_| confirms(&job.message.message))
}

/// What a reply that asked whether to forget leaves for the next message.
pub(super) fn proposal(job: &Job, outcome: &Outcome) -> Option<Proposal> {
    let traces = outcome.proposed.clone();
    let language = Language::detect(&job.message.message).code();
    (!traces.is_empty()).then_some(Proposal { traces, private: job.message.private, language })
}

/// Looks for what a message wishes forgotten, faded or not, and changes nothing.
pub(super) async fn propose(args: &PlannerArgs, job: &Job, heard: &Heard, course: &mut Course) {
    let Some(meant) = heard.forgets.as_deref().and_then(meant) else { return };
    let embed = Embed { texts: vec![meant.to_owned()], urgency: Urgency::Turn };
    let embedding = match ask(&args.embed, embed, EMBED_WAIT).await {
        Ok(embedded) => embedded.vectors.into_iter().next().flatten(),
        Err(error) => {
            tracing::warn!(%error, "looking for what to forget by words alone");
            course.degraded.push(Degraded::WordsOnly);
            None
        }
    };
    let cue = Cue { embedding, k: PROPOSED_MAX, scope: CueScope::All, ..Cue::new(meant, job.message.at) };
    match ask(&args.memory.recall, Recall { cue, mode: RecallMode::Observe }, RECALL_WAIT).await {
        Ok(recollection) => course.proposed = near_the_best(recollection.traces),
        Err(error) => {
            tracing::warn!(%error, "what to forget could not be looked for");
            course.degraded.push(Degraded::MemoryUnreachable(error.to_string()));
        }
    }
}

/// What a wish to forget names, without the words around it; none when it names nothing. Whose it is belongs to it.
fn meant(wish: &str) -> Option<&str> {
    let reading = Reading::new(wish);
    let words = reading.words();
    let names = |word: &Word| !LEADING.contains(&word.text);
    let (first, last) = (words.iter().position(names)?, words.iter().rposition(names)?);
    let owned = first
        .checked_sub(1)
        .filter(|before| reading.all(PhraseKind::Ownership).any(|found| found.span.contains(before)));
    wish.get(words[owned.unwrap_or(first)].span.start..words[last].span.end)
}

fn near_the_best(mut found: Vec<Recalled>) -> Vec<Recalled> {
    let best = found.iter().map(|recalled| recalled.relevance).fold(0.0, f32::max);
    found.retain(|recalled| recalled.relevance >= best * NEAR_THE_BEST);
    found
}

/// Deletes what was confirmed, and has the receipt said.
pub(super) async fn carry_out(
    args: &Arc<PlannerArgs>,
    job: &Job,
    mut heard: Heard,
    proposal: &Proposal,
    course: &mut Course,
) -> Result<Outcome, ConverseError> {
    heard.stated.clear();
    course.decision = Decision { intent: Intent::Memory, rule: Cow::Borrowed("confirms forgetting") };
    course.purpose = Purpose::ForgetRequest;
    // In a task of its own: a turn that is stopped now must not leave in mind what is gone from memory.
    let work = tokio::spawn(delete(Arc::clone(args), proposal.clone(), job.message.at));
    let broke = |_| ConverseError::Unavailable("forgetting broke off; look what is left".to_owned());
    let forgotten = work.await.map_err(broke)?;
    let plan =
        Box::new(bethink_domain::Plan { forgotten: Some(forgotten), ..plan(args, job, &heard, course) });
    course.heard = Some(heard);
    execute(args, job, plan, course).await
}

async fn delete(args: Arc<PlannerArgs>, proposal: Proposal, at: Timestamp) -> Forgotten {
    let mut gone = LetGo { traces: Vec::new(), turns: Vec::new() };
    let mut failed = None;
    for id in proposal.traces {
        match ask(&args.memory.forget, Forget { id, at, rehearse: false }, COMMIT_WAIT).await {
            Ok(receipt) => {
                gone.traces.extend(receipt.traces.into_iter().map(|(id, _)| id));
                gone.turns.extend(receipt.turns);
            }
            // Gone already, perhaps with the one before.
            Err(MemoryError::NoSuch(_)) => {}
            Err(error) => {
                tracing::warn!(%error, "not everything was forgotten");
                failed = Some(error.to_string());
                break;
            }
        }
    }
    gone.turns.sort_unstable();
    gone.turns.dedup();
    let forgotten =
        Forgotten { traces: gone.traces.len(), turns: gone.turns.len(), failed, language: proposal.language };
    // An executor that is not running has nothing in mind.
    let _ = args.let_go.tell(gone).await;
    forgotten
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_follows_the_wish() {
        for (wish, named) in [
            ("forget what I said about my car", Some("my car")),
            ("Please forget that Tom is my brother", Some("Tom is my brother")),
            ("Can you forget my dentist's address?", Some("my dentist's address")),
            ("Vergiss, was ich über mein Fahrrad gesagt habe.", Some("mein Fahrrad")),
            ("Oublie ce que j'ai dit sur mon vélo", Some("mon vélo")),
            ("Vergiss, dass Tom mein Bruder ist", Some("Tom mein Bruder ist")),
            ("Olvida que Tom es mi hermano", Some("Tom es mi hermano")),
            ("Oublie que Tom est mon frère", Some("Tom est mon frère")),
            ("Please delete everything you know about me", None),
            ("Lösche alles, was du über mich weißt", None),
            ("forget everything", None),
            ("forget that", None),
        ] {
            assert_eq!(meant(wish), named, "{wish}");
        }
    }
}
