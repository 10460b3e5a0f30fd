use std::sync::Mutex;

use super::*;
use crate::{HashedEmbedder, HashedFault};
use bethink_protocol::Job;

/// Keeps jobs until the test lets one run.
#[derive(Default)]
struct OneByOne(Mutex<Vec<Job>>);

impl Offload for OneByOne {
    fn run(&self, job: Job) {
        self.0.lock().unwrap().push(job);
    }
}

struct Inline;

impl Offload for Inline {
    fn run(&self, job: Job) {
        job();
    }
}

fn ask(texts: &[&str], urgency: Urgency) -> Embed {
    Embed { texts: texts.iter().map(|text| (*text).to_owned()).collect(), urgency }
}

fn inline(model: HashedEmbedder) -> ActorRef<Embedder> {
    Embedder::spawn(EmbedderArgs { model: Arc::new(model), offload: Arc::new(Inline) })
}

async fn embed(embedder: &ActorRef<Embedder>, texts: &[&str]) -> Answer {
    embedder.ask(ask(texts, Urgency::Turn)).await.map_err(|error| match error {
        SendError::HandlerError(error) => error,
        other => panic!("{other}"),
    })
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts() {
    let embedder = inline(HashedEmbedder::default());
    let texts: Vec<String> = (0..200).map(|n| format!("statement{n} {}", "long ".repeat(n))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embed(&embedder, &texts).await.unwrap();
    assert_eq!(together.identity, HashedEmbedder::default().identity());
    for (n, text) in texts.iter().enumerate().step_by(37) {
        let alone = embed(&embedder, &[text]).await.unwrap();
        assert_eq!(alone.vectors[0], together.vectors[n]);
    }
}

#[tokio::test]
async fn a_faulty_text_has_no_vector_and_spoils_no_other() {
    let model = HashedEmbedder::default().with_fault("NAN", HashedFault::NotFinite);
    let embedded = embed(&inline(model), &["tea", "NAN", "coffee"]).await.unwrap();
    let usable: Vec<bool> = embedded.vectors.iter().map(Option::is_some).collect();
    assert_eq!(usable, [true, false, true]);
}

#[tokio::test]
async fn a_failed_run_is_told_and_the_next_one_works() {
    let embedder = inline(HashedEmbedder::default().with_fault("ERROR", HashedFault::Error));
    assert!(matches!(embed(&embedder, &["ERROR"]).await, Err(EmbedError::Failed(_))));
    assert!(embed(&embedder, &["tea"]).await.is_ok());
}

#[tokio::test]
async fn too_many_texts_are_refused_and_none_are_answered() {
    let embedder = inline(HashedEmbedder::default());
    let refused = embed(&embedder, &["tea"; 257]).await;
    assert_eq!(refused.unwrap_err(), EmbedError::TooMany { given: 257, limit: 256 });
    assert!(embed(&embedder, &[]).await.unwrap().vectors.is_empty());
}

#[tokio::test]
async fn draining_finishes_what_was_taken_and_takes_no_more() {
    let jobs = Arc::new(OneByOne::default());
    let model = Arc::new(HashedEmbedder::default());
    let embedder = Embedder::spawn(EmbedderArgs { model, offload: jobs.clone() });
    let taken = embedder.ask(ask(&["tea"], Urgency::Turn)).enqueue().await.unwrap();
    let drained = embedder.ask(Drain).enqueue().await.unwrap();
    let refused = embed(&embedder, &["coffee"]).await;
    assert_eq!(refused.unwrap_err(), EmbedError::Unavailable);
    let job = jobs.0.lock().unwrap().pop().unwrap();
    job();
    assert!(taken.await.unwrap().vectors[0].is_some());
    drained.await.unwrap();
}

#[tokio::test]
async fn an_abandoned_job_is_told() {
    let jobs = Arc::new(OneByOne::default());
    let model = Arc::new(HashedEmbedder::default());
    let embedder = Embedder::spawn(EmbedderArgs { model, offload: jobs.clone() });
    let taken = embedder.ask(ask(&["tea"], Urgency::Turn)).enqueue().await.unwrap();
    while jobs.0.lock().unwrap().pop().is_none() {
        tokio::task::yield_now().await;
    }
    let told = taken.await.unwrap_err();
    assert!(matches!(told, SendError::HandlerError(EmbedError::Failed(_))), "{told}");
}

/// Texts of the batches that a queue gives, in order.
fn batches(queue: &mut Queue<&'static str>) -> Vec<Vec<String>> {
    let mut given = Vec::new();
    while let Some((batch, texts)) = queue.next_batch() {
        let vectors = vec![None; texts.len()];
        given.push(texts);
        queue.finish(batch, Ok(vectors));
    }
    given
}

#[test]
fn a_turn_goes_before_what_was_asked_earlier() {
    let mut queue = Queue::default();
    queue.push(ask(&["m"], Urgency::Migration), "migration");
    queue.push(ask(&["i1", "i2"], Urgency::Import), "import");
    queue.push(ask(&["t1"], Urgency::Turn), "turn");
    queue.push(ask(&["i3"], Urgency::Import), "import");
    queue.push(ask(&["t2"], Urgency::Turn), "turn");
    assert_eq!(batches(&mut queue), [vec!["t1", "t2"], vec!["i1", "i2", "i3"], vec!["m"]]);
}

#[test]
fn a_turn_waits_for_one_small_batch_of_an_import() {
    let mut queue = Queue::default();
    queue.push(ask(&["i"; 40], Urgency::Import), "import");
    let (batch, texts) = queue.next_batch().unwrap();
    assert_eq!(texts.len(), 16);
    queue.push(ask(&["t"], Urgency::Turn), "turn");
    assert!(queue.finish(batch, Ok(vec![None; 16])).is_empty());
    let rest = batches(&mut queue);
    assert_eq!(rest.iter().map(Vec::len).collect::<Vec<_>>(), [1, 16, 8]);
}

#[test]
fn a_batch_is_bounded_by_bytes_but_never_empty() {
    let mut queue = Queue::default();
    let long = "x".repeat(1_500);
    queue.push(ask(&[&long, "short", &long, &"y".repeat(100_000), "short"], Urgency::Turn), "turn");
    assert_eq!(batches(&mut queue).iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1, 1]);
}

#[test]
fn an_import_cannot_fill_the_queue_for_turns() {
    let mut queue = Queue::default();
    let mut taken = 0;
    let import = ask(&["i"; 256], Urgency::Import);
    while queue.has_room(&import) {
        queue.push(import.clone(), "import");
        taken += 256;
    }
    assert_eq!(taken, 3_584);
    assert!(queue.has_room(&ask(&["t"; 256], Urgency::Turn)));
    batches(&mut queue);
    assert!(queue.has_room(&import));
}

#[test]
fn a_failed_batch_fails_only_the_requests_in_it() {
    let mut queue = Queue::default();
    queue.push(ask(&["a"; 20], Urgency::Turn), "first");
    queue.push(ask(&["b"], Urgency::Turn), "second");
    let (batch, _) = queue.next_batch().unwrap();
    let failed = queue.finish(batch, Err(EmbedError::Unavailable));
    assert_eq!(failed.iter().map(|finished| finished.asker).collect::<Vec<_>>(), ["first"]);
    assert_eq!(batches(&mut queue), [vec!["b"]]);
}
