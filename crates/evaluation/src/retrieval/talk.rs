//! One conversation in a space of its own: turns are stored and questions asked, in the order of time.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bethink_domain::{
    Affect, Cue, CueScope, Decision, Draft, EmbedderIdentity, Intent, Origin, RecallMode, Source, Timestamp,
    TraceId, TraceKind, UnitVector,
};
use bethink_planner::{Heard, Need, Strategy, decide, hear};
use bethink_protocol::{MemoryPorts, Recall, Remember, Remembered, Survey, Urgency};
use bethink_text::mask_secrets;
use tokio::time::Instant;

use super::corpus::{Conversation, Question, Turn};
use super::results::{Found, Results};
use super::{Level, Mode, Retrieval};
use crate::error::EvaluationError;
use crate::stage::{Stage, ask};

/// What is said in passing is an event, as in a turn.
pub(super) const KIND: TraceKind = TraceKind::Episodic;
/// Who said it is kept beside it.
pub(super) const SOURCE: Source = Source::UserStatement;
/// Importance of what is said in passing, as in a turn.
pub(super) const IMPORTANCE: f32 = 5.0;
/// Turns stored, or questions embedded, at a time: as many texts as one embedding request holds.
const BATCH: usize = 256;

/// A conversation as far as it has come.
pub(super) struct Talk<'a> {
    stage: &'a Stage,
    asked: &'a Retrieval,
    conversation: &'a Conversation,
    memory: MemoryPorts,
    /// The turns that each trace stands for, as places in the conversation: one, or those that say the same.
    said: HashMap<TraceId, Vec<usize>>,
    /// Turns that were stored without a vector.
    pub(super) unembedded: usize,
    /// What each question took, embedding apart.
    pub(super) spent: Vec<Duration>,
}

/// A question as it is asked.
struct Asked<'q> {
    question: &'q Question,
    heard: Heard,
    hearing: Duration,
    embedding: Option<UnitVector>,
}

impl<'a> Talk<'a> {
    /// Wakes a fresh space for a conversation.
    ///
    /// The times of turns and questions go with the messages. The clock of the process stands still: if it went along,
    /// months would pass between two turns, and the space would be put to sleep in the middle.
    pub(super) async fn open(
        stage: &'a Stage,
        asked: &'a Retrieval,
        conversation: &'a Conversation,
        number: usize,
    ) -> Result<Self, EvaluationError> {
        let memory = stage.space(&format!("conversation {number}")).await?;
        let (said, spent) = (HashMap::new(), Vec::new());
        Ok(Self { stage, asked, conversation, memory, said, unembedded: 0, spent })
    }

    /// Traces that hold what was said so far.
    pub(super) fn traces(&self) -> usize {
        self.said.len()
    }

    /// Stores and asks everything; `step` is told how many turns or questions are done more.
    pub(super) async fn run(
        &mut self,
        results: &mut Results,
        step: &mut (dyn FnMut(usize) + Send),
    ) -> Result<(), EvaluationError> {
        let Conversation { turns, questions } = self.conversation;
        let mut told = 0;
        for asked_together in questions.chunk_by(|a, b| a.at == b.at) {
            let until = turns.partition_point(|turn| turn.at <= asked_together[0].at);
            told = self.store_until(told, until, step).await?;
            for batch in asked_together.chunks(BATCH) {
                self.ask_all(batch, results).await?;
                step(batch.len());
            }
        }
        self.store_until(told, turns.len(), step).await?;
        Ok(())
    }

    async fn store_until(
        &mut self,
        mut told: usize,
        until: usize,
        step: &mut (dyn FnMut(usize) + Send),
    ) -> Result<usize, EvaluationError> {
        while told < until {
            let next = until.min(told + BATCH);
            self.store(told..next).await?;
            step(next - told);
            told = next;
        }
        Ok(told)
    }

    /// Stores turns by the store's own door, all at once, so that they share a commit.
    async fn store(&mut self, places: std::ops::Range<usize>) -> Result<(), EvaluationError> {
        let turns = &self.conversation.turns[places.clone()];
        // Masked before it leaves the process, as the store does with what it has embedded itself.
        let texts = turns.iter().map(|turn| mask_secrets(&turn.text).text).collect();
        let embedded = self.stage.embed(texts, Urgency::Import).await?;
        let told = turns.iter().zip(embedded.vectors).map(|(turn, vector)| self.remember(turn, vector));
        let told: Vec<Told<'_>> = told.collect();
        for (place, remembered) in places.zip(together(told).await) {
            let Remembered { id, embedded, .. } = remembered?;
            self.unembedded += usize::from(!embedded);
            self.said.entry(id).or_default().push(place);
        }
        Ok(())
    }

    fn remember(&self, turn: &Turn, embedding: Option<UnitVector>) -> Told<'static> {
        let draft = Draft {
            kind: KIND,
            text: turn.text.clone(),
            speaker: Some(turn.speaker.clone()),
            source: SOURCE,
            confidence: 1.0,
            lineage: vec![Origin::Given("evaluation".into())],
            affect: Affect::NEUTRAL,
            importance: IMPORTANCE,
            occurred_at: turn.at,
            provisional: true,
            asked: false,
            embedding,
        };
        let (port, at) = (self.memory.remember.clone(), turn.at);
        Box::pin(async move { ask(&port, Remember { draft, at }, "memory").await })
    }

    async fn ask_all(
        &mut self,
        questions: &'a [Question],
        results: &mut Results,
    ) -> Result<(), EvaluationError> {
        let mut asked: Vec<Asked<'a>> = Vec::with_capacity(questions.len());
        for question in questions {
            let begun = Instant::now();
            let heard = hear(&question.text);
            asked.push(Asked { question, heard, hearing: begun.elapsed(), embedding: None });
        }
        let cues = asked.iter().map(|asked| asked.heard.cue.clone()).collect();
        let embedded = self.stage.embed(cues, Urgency::Import).await?;
        for (mut asked, vector) in asked.into_iter().zip(embedded.vectors) {
            asked.embedding = vector;
            let question = asked.question;
            let found = self.answer(asked, &embedded.identity).await?;
            results.write(&question.id, &found, self.asked.k)?;
        }
        Ok(())
    }

    async fn answer(
        &mut self,
        asked: Asked<'_>,
        identity: &EmbedderIdentity,
    ) -> Result<Vec<Found>, EvaluationError> {
        let Asked { question, heard, hearing, embedding } = asked;
        let begun = Instant::now();
        let prototypes = match heard.ruled {
            Some(_) => None,
            None => self.stage.prototypes.of(identity, self.stage.embed_port()).await,
        };
        let decision = decide(&heard, prototypes, embedding.as_ref());
        let recalled = match (self.asked.mode, heard.need) {
            (Mode::Live, Need::Overview) => self.overview(question.at).await?,
            (Mode::Live, _) => self.live(&heard, &decision, embedding, question.at).await?,
            (Mode::Ranking, _) => self.recall(ranking(&heard, embedding, question.at)).await?,
        };
        self.spent.push(hearing + begun.elapsed());
        Ok(self.found(recalled))
    }

    async fn live(
        &self,
        heard: &Heard,
        decision: &Decision,
        embedding: Option<UnitVector>,
        at: Timestamp,
    ) -> Result<Vec<Scored>, EvaluationError> {
        match Strategy::Planned(self.stage.planner.depth).cue(heard, decision, embedding, at) {
            Some(cue) => self.recall(cue).await,
            None => Ok(Vec::new()),
        }
    }

    async fn recall(&self, cue: Cue) -> Result<Vec<Scored>, EvaluationError> {
        let recall = Recall { cue, mode: RecallMode::Observe };
        let traces = ask(&self.memory.recall, recall, "memory").await?.traces;
        Ok(traces.into_iter().map(|trace| (trace.id, trace.score, trace.relevance)).collect())
    }

    /// All that an overview shows counts as retrieved: it reaches the reply as recalled memories do.
    async fn overview(&self, at: Timestamp) -> Result<Vec<Scored>, EvaluationError> {
        let survey = Survey { per_group: self.stage.planner.overview_per_group, at };
        let groups = ask(&self.memory.survey, survey, "memory").await?.groups;
        let traces = groups.into_iter().flat_map(|group| group.traces);
        Ok(traces.map(|trace| (trace.id, trace.score, trace.relevance)).collect())
    }

    /// Turns, or their sessions, that the traces stand for.
    fn found(&self, recalled: Vec<Scored>) -> Vec<Found> {
        let mut found = Vec::new();
        for (trace, score, relevance) in recalled {
            // Only what this conversation said is in its space.
            for place in self.said.get(&trace).into_iter().flatten() {
                let turn = &self.conversation.turns[*place];
                let id = match self.asked.level {
                    Level::Turn => turn.id.clone(),
                    Level::Session => turn.session.clone(),
                };
                found.push(Found { id, score, relevance });
            }
        }
        found
    }
}

/// A trace, its score and its relevance.
type Scored = (TraceId, f32, f32);
/// A turn being stored.
type Told<'f> = Pin<Box<dyn Future<Output = Result<Remembered, EvaluationError>> + Send + 'f>>;

/// A cue that is asked of memory whatever its intent, with threshold and depth off. The best 100 are always asked for:
/// results with several turns of a session are folded later.
fn ranking(heard: &Heard, embedding: Option<UnitVector>, at: Timestamp) -> Cue {
    Cue {
        embedding,
        intent: Some(Intent::Memory),
        k: Cue::K_MAX,
        threshold: Some(0.0),
        scope: CueScope::All,
        ..Cue::new(heard.cue.as_str(), at)
    }
}

/// Drives all at once, each for the first time in their order, so that their messages go out in that order.
async fn together<T>(waiting: Vec<Pin<Box<dyn Future<Output = T> + Send + '_>>>) -> Vec<T> {
    let mut results: Vec<Option<T>> = waiting.iter().map(|_| None).collect();
    let mut waiting: Vec<_> = waiting.into_iter().map(Some).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (slot, result) in waiting.iter_mut().zip(&mut results) {
            let Some(future) = slot else { continue };
            match future.as_mut().poll(context) {
                Poll::Ready(value) => (*slot, *result) = (None, Some(value)),
                Poll::Pending => pending = true,
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    results.into_iter().flatten().collect()
}
