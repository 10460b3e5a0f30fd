//! The time to the first word of a whole turn, beside the endpoint asked the very same with no Bethink around.

mod report;
mod requests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bethink_clock::Entropy;
use bethink_domain::{SessionId, Timestamp};
use bethink_protocol::TurnEvent;
use bethink_providers::{
    ApiKey, LanguageConfig, LanguageModel, LanguageProvider, ModelIdentity, Prompt, RemoteModel, ReplyFuture,
};
use bethink_testkit::{Act, ModelServer};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::EvaluationError;
use crate::overhead::{Load, TRACES_MAX, fill, messages, statements, with_vectors};
use crate::progress::{Meter, Watch};
use crate::score::{Times, millis};
use crate::stage::{EvaluationParts, Said, Stage, named, space_named};
pub use report::FirstTokenReport;
pub use requests::Requests;

/// Most turns of a measurement: beyond, it takes an hour against a server on one's own machine.
const TURNS_MAX: usize = 10_000;
/// Pairs that are not measured: connections, prototypes and the space's first page reads are theirs.
const WARM_UPS: usize = 5;
/// What the scripted server waits before its first word: some ten times what a request on loopback takes.
const DELAY: Duration = Duration::from_millis(20);
/// What the scripted server says.
const WORDS: [&str; 5] = ["Here ", "is ", "what ", "I ", "know."];
/// Longest wait for one turn with its whole reply: twice what the Executor gives a model.
const TURN_WAIT: Duration = Duration::from_secs(240);
/// Words on their way; as many as a turn has room for.
const WORDS_WAITING: usize = 64;
/// The space of the measurement.
const SPACE: &str = "first-token";
/// The time of a measurement, at which it stands still: 2026-01-01.
const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

/// A server that speaks OpenAI's chat completions and asks for no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Where it is, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name, as the server knows it.
    pub model: String,
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstToken {
    /// Turns of one conversation, 1 to 10,000.
    pub turns: usize,
    /// Traces in the space at the start, 1 to 100,000.
    pub traces: usize,
    /// What answers; a scripted server on loopback with a fixed delay if none.
    pub endpoint: Option<Endpoint>,
}

impl Default for FirstToken {
    fn default() -> Self {
        Self { turns: 200, traces: 1_000, endpoint: None }
    }
}

/// Measures the time from a message to the first word of its reply through a whole turn: the Planner, the embedding, the
/// recall, the Executor, and the endpoint over HTTP. After each turn the endpoint is sent the same request once more, by
/// the same provider on the same connections, with nothing of Bethink around.
///
/// # Errors
/// [`EvaluationError::Setting`] when a number is out of range; [`EvaluationError::Model`] when the endpoint does not
/// answer; or what else failed meanwhile.
pub async fn first_token(
    asked: &FirstToken,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<FirstTokenReport, EvaluationError> {
    for (name, given, most) in [("turns", asked.turns, TURNS_MAX), ("traces", asked.traces, TRACES_MAX)] {
        if !(1..=most).contains(&given) {
            return Err(EvaluationError::Setting { name, given, least: 1, most });
        }
    }
    let server = asked.endpoint.is_none().then(scripted);
    let model = Arc::new(Overheard::new(asked, server.as_ref())?);
    let language: Arc<dyn LanguageModel> = Arc::<Overheard>::clone(&model);
    let stage = Stage::open_with(parts, NOW, |ingredients| {
        // In place of what is configured, for this agent too.
        let configured = Arc::clone(&ingredients.persona);
        let ours = Arc::clone(&language);
        ingredients.language = language;
        ingredients.persona = Arc::new(move |space| {
            let mut persona = configured(space);
            persona.language = Some(Arc::clone(&ours));
            persona
        });
    })
    .await?;
    let measured = measure(&stage, asked, &model, server.as_ref(), watch).await;
    let closed = stage.close().await;
    let report = measured?;
    closed?;
    Ok(report)
}

fn scripted() -> ModelServer {
    let words = WORDS.map(str::to_owned).to_vec();
    ModelServer::playing([Act::After(DELAY, Box::new(Act::Say(words)))])
}

async fn measure(
    stage: &Stage,
    asked: &FirstToken,
    model: &Overheard,
    server: Option<&ModelServer>,
    watch: Watch<'_>,
) -> Result<FirstTokenReport, EvaluationError> {
    let embedder = stage.embedder().await?;
    stage.warm_up(&embedder).await;
    let memory = stage.space(SPACE).await?;
    let load = Load { traces: asked.traces, hashed: false };
    let told = with_vectors(stage, &embedder, statements(asked.traces), load, watch).await?;
    fill(&memory, &told, watch).await?;

    let said = messages(WARM_UPS + asked.turns);
    let (warm_ups, measured) = said.split_at(WARM_UPS);
    for message in warm_ups {
        pair(stage, model, SessionId::from_raw(1), message).await?;
    }
    let mut meter = Meter::start("asking", asked.turns);
    let mut pairs = Vec::with_capacity(asked.turns);
    for (done, message) in (1..).zip(measured) {
        pairs.extend(pair(stage, model, SessionId::from_raw(2), message).await?);
        meter.reached(done, watch);
    }
    let times = |of: fn(&Pair) -> Duration| Times::of(pairs.iter().map(of).collect());
    let endpoint = asked.endpoint.as_ref().map(|one| format!("{} at {}", one.model, one.base_url));
    Ok(FirstTokenReport {
        profile: stage.profile.to_owned(),
        embedder: named(&embedder),
        endpoint,
        delay: DELAY,
        traces: asked.traces,
        turns: asked.turns,
        pairs: pairs.len(),
        turn: times(|pair| pair.turn),
        before_request: times(|pair| pair.before_request),
        bare: times(|pair| pair.bare),
        overhead: Times::of_millis(pairs.iter().map(|pair| millis(pair.turn) - millis(pair.bare)).collect()),
        requests: server.map(|server| Requests::of(&server.seen(), 2 * WARM_UPS)),
    })
}

/// A turn, and the endpoint alone.
struct Pair {
    /// To the first word of the turn.
    turn: Duration,
    /// Of it, until the provider was handed the prompt.
    before_request: Duration,
    /// To the first word of the endpoint alone.
    bare: Duration,
}

/// One turn, then its request alone. None when the model called a tool first or said nothing, so that the two can't be
/// compared.
async fn pair(
    stage: &Stage,
    model: &Overheard,
    session: SessionId,
    message: &str,
) -> Result<Option<Pair>, EvaluationError> {
    let space = space_named(SPACE);
    let turn = stage.hear_out(&space, session, message);
    let Said { begun, first, last } = match tokio::time::timeout(TURN_WAIT, turn).await {
        Ok(Some(said)) => said,
        Ok(None) | Err(_) => return Err(EvaluationError::NoAnswer("the planner")),
    };
    if let Some(TurnEvent::Failed { error }) = last {
        return Err(EvaluationError::Model(error.to_string()));
    }
    let mut prompts = model.take();
    let (Some((prompt, sent)), true) = (prompts.pop(), prompts.is_empty()) else { return Ok(None) };
    let bare = alone(&model.remote, &prompt).await?;
    let pair = first.zip(bare).map(|(turn, bare)| Pair {
        turn,
        before_request: sent.saturating_duration_since(begun),
        bare,
    });
    Ok(pair)
}

/// The time to the first word of the endpoint with no Bethink around; none when it says none.
async fn alone(model: &RemoteModel, prompt: &Prompt) -> Result<Option<Duration>, EvaluationError> {
    let (words, mut heard) = mpsc::channel(WORDS_WAITING);
    let cancel = CancellationToken::new();
    let begun = Instant::now();
    let asking = async {
        let replied = model.reply(prompt, &words, &cancel).await;
        drop(words);
        replied
    };
    let listening = async {
        let mut first = None;
        while let Some(event) = heard.recv().await {
            if matches!(event, TurnEvent::Text(_)) {
                first.get_or_insert_with(|| begun.elapsed());
            }
        }
        first
    };
    let (replied, first) = tokio::join!(asking, listening);
    replied.map_err(|error| EvaluationError::Model(error.to_string()))?;
    Ok(first)
}

/// The endpoint, with a note of each prompt that it is handed and when.
struct Overheard {
    remote: RemoteModel,
    prompts: Mutex<Vec<(Prompt, Instant)>>,
}

impl Overheard {
    fn new(asked: &FirstToken, server: Option<&ModelServer>) -> Result<Self, EvaluationError> {
        let (base_url, model) = match (&asked.endpoint, server) {
            (Some(endpoint), _) => (Some(endpoint.base_url.clone()), endpoint.model.clone()),
            (None, server) => (server.map(|server| format!("{}/v1", server.url())), "scripted".to_owned()),
        };
        let config = LanguageConfig {
            provider: LanguageProvider::Openai,
            model,
            base_url,
            retries_max: 0,
            ..LanguageConfig::default()
        };
        let remote = RemoteModel::new(config, ApiKey::NotConfigured, Entropy::seeded(1))
            .map_err(|error| EvaluationError::Model(error.to_string()))?;
        Ok(Self { remote, prompts: Mutex::default() })
    }

    fn take(&self) -> Vec<(Prompt, Instant)> {
        std::mem::take(&mut self.prompts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl LanguageModel for Overheard {
    fn identity(&self) -> ModelIdentity {
        self.remote.identity()
    }

    fn reply<'a>(
        &'a self,
        prompt: &'a Prompt,
        words: &'a mpsc::Sender<TurnEvent>,
        cancel: &'a CancellationToken,
    ) -> ReplyFuture<'a> {
        let noted = (prompt.clone(), Instant::now());
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner).push(noted);
        self.remote.reply(prompt, words, cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::{FirstToken, first_token};
    use crate::stage::hashed;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn both_sides_are_measured_with_the_same_requests() {
        let scratch = tempfile::tempdir().unwrap();
        let parts = hashed::parts(scratch.path().to_owned());
        let asked = FirstToken { turns: 6, traces: 40, endpoint: None };
        let report = first_token(&asked, &parts, &mut |_| ()).await.unwrap();

        let requests = report.requests.expect("because the scripted server keeps them");
        assert_eq!((report.turns, report.pairs), (6, 6));
        assert_eq!((requests.count, requests.warm_ups), (22, 10), "two a turn, and five turns to warm up");
        assert_eq!(
            (requests.turns, requests.same),
            (6, 6),
            "the endpoint alone is sent the turn's own bytes"
        );
        assert_eq!((requests.consecutive, requests.shared), (5, 5), "{requests:?}");
        for (side, times) in [("turn", report.turn), ("bare", report.bare)] {
            assert!(times.p50_ms > 0.0 && times.p99_ms >= times.p50_ms, "{side}: {times:?}");
        }
        let (human, json) = (report.human(), report.json());
        assert!(human.contains("5 of 5 consecutive requests"), "{human}");
        assert_eq!(json["requests"]["prefix_shared"], 5, "{json}");
        assert_eq!(json["target_overhead_p99_ms"], 25.0, "{json}");
    }
}
