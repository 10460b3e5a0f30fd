//! Having a turn kept.

use bethink_domain::{Draft, Exchange, Outcome, TurnEnd};
use bethink_protocol::{CompleteTurn, Durable, Embed, MemoryError, RecordTurn, Urgency};
use bethink_text::{mask_secrets, words};

use super::Job;
use super::course::Course;
use crate::actor::PlannerArgs;
use crate::heard::Heard;
use crate::ports::{COMMIT_WAIT, EMBED_WAIT, ask};
use crate::stated::drafts;

/// Most texts of one embedding request (see [`Embed::texts`]).
const BATCH: usize = 256;

/// Has an answered turn kept. Nothing stops it any more: what was answered is remembered whole or not at all.
pub(super) async fn complete(args: &PlannerArgs, job: &Job, course: Course, outcome: Outcome) -> Durable {
    if job.message.private {
        return Durable::Private;
    }
    let Some(heard) = &course.heard else {
        return Durable::NotRemembered { reason: "the message was not read".to_owned() };
    };
    let mut stated = with_notes(drafts(&heard.stated, job.turn, job.message.at), &outcome.noted);
    give_meaning(args, heard, &course, &mut stated).await;
    let turn = CompleteTurn {
        exchange: Exchange {
            turn: job.turn,
            session: job.message.session,
            at: job.message.at,
            message: heard.text.clone(),
            reply: mask_secrets(&outcome.reply).text,
        },
        stated,
        used: outcome.used.clone(),
        corrected: if heard.corrects { job.left.used.clone() } else { Vec::new() },
        praised: if heard.praises && !heard.corrects { job.left.used.clone() } else { Vec::new() },
        record: course.record(Some(&outcome), TurnEnd::Done),
    };
    match keep(args, turn).await {
        Ok(encoded) => Durable::Yes { encoded },
        Err(error) => {
            let reason = error.to_string();
            tracing::warn!(turn = %job.turn, %error, "a reply was not remembered");
            record(args, &course, Some(&outcome), TurnEnd::NotRemembered(reason.clone()), &error).await;
            Durable::NotRemembered { reason }
        }
    }
}

/// What the message states and what the model noted. A note in the words of something stated takes its place: it is one
/// thing, told once.
fn with_notes(mut stated: Vec<Draft>, noted: &[Draft]) -> Vec<Draft> {
    for note in noted {
        let asked = stated.iter().any(|draft| draft.asked && same_words(&draft.text, &note.text));
        if !asked {
            stated.retain(|draft| !same_words(&draft.text, &note.text));
            stated.push(note.clone());
        }
    }
    stated
}

fn same_words(one: &str, other: &str) -> bool {
    words(one).iter().map(|word| &word.text).eq(words(other).iter().map(|word| &word.text))
}

/// Keeps how an unanswered turn went, and nothing of what was said.
pub(super) async fn record_failure(args: &PlannerArgs, job: &Job, course: Course, end: TurnEnd) {
    if job.message.private {
        return;
    }
    let end = match end {
        // A provider's error may quote what it was sent.
        TurnEnd::Failed(why) => TurnEnd::Failed(mask_secrets(&why).text),
        end => end,
    };
    let record = RecordTurn { record: course.record(None, end) };
    if let Err(error) = ask(&args.memory.record_turn, record, COMMIT_WAIT).await {
        tracing::warn!(turn = %job.turn, %error, "the record of an unanswered turn was not kept");
    }
}

/// Commits a turn. Repeating it is harmless, since the store knows a turn by its id, so one that met a store being
/// rebuilt is sent once more.
async fn keep(args: &PlannerArgs, turn: CompleteTurn) -> Result<Vec<bethink_domain::TraceId>, MemoryError> {
    let first = ask(&args.memory.complete_turn, turn.clone(), COMMIT_WAIT).await;
    let kept = match first {
        Err(MemoryError::Unavailable(_)) => ask(&args.memory.complete_turn, turn, COMMIT_WAIT).await,
        first => first,
    };
    kept.map(|completed| completed.encoded)
}

/// Tries to keep the record alone, where the turn itself was refused for good.
async fn record(
    args: &PlannerArgs,
    course: &Course,
    outcome: Option<&Outcome>,
    end: TurnEnd,
    refusal: &MemoryError,
) {
    // Unavailable may mean that the commit is still under way: a second record would contradict it.
    if matches!(refusal, MemoryError::Unavailable(_)) {
        return;
    }
    let record = RecordTurn { record: course.record(outcome, end) };
    if let Err(error) = ask(&args.memory.record_turn, record, COMMIT_WAIT).await {
        tracing::debug!(%error, "neither was the turn's record");
    }
}

/// Embeds what was stated, now that the reply is out. A message that is one statement has its meaning already; what
/// gets none now is embedded by the store later.
async fn give_meaning(args: &PlannerArgs, heard: &Heard, course: &Course, stated: &mut [Draft]) {
    if let [only] = stated
        && only.text == heard.cue
        && course.embedding.is_some()
    {
        only.embedding = course.embedding.clone();
        return;
    }
    for batch in stated.chunks_mut(BATCH) {
        let texts = batch.iter().map(|draft| draft.text.clone()).collect();
        match ask(&args.embed, Embed { texts, urgency: Urgency::Import }, EMBED_WAIT).await {
            Ok(embedded) => {
                batch.iter_mut().zip(embedded.vectors).for_each(|(draft, vector)| draft.embedding = vector);
            }
            Err(error) => {
                tracing::warn!(%error, "statements are stored without their meaning for now");
                return;
            }
        }
    }
}
