//! The sections of the configuration file.

use std::path::PathBuf;

use bethink_cognition::{DecayConfig, Profile, ProspectiveConfig, RelevanceConfig};
use bethink_domain::{AgentName, Bounded, Personality, UserName};
use bethink_executor::ExecutorConfig;
use bethink_memory_store::MemoryConfig;
use bethink_planner::{Depths, PlannerConfig};
use bethink_providers::EmbeddingConfig;
use bethink_providers::LanguageConfig;
use bethink_runtime::{BackupConfig, RuntimeConfig, Scope};
use bethink_text::times::Locale;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::log::LogSection;

/// The whole file. Absent sections and keys have their defaults.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    /// `[memory]`.
    pub memory: MemorySection,
    /// `[mechanisms.…]`.
    pub mechanisms: MechanismsSection,
    /// `[personality]`, of agents that have none of their own.
    pub personality: PersonalitySection,
    /// `[language]`.
    pub language: LanguageConfig,
    /// `[embedding]`.
    pub embedding: EmbeddingConfig,
    /// `[planner]`.
    pub planner: PlannerConfig,
    /// `[executor]`.
    pub executor: ExecutorConfig,
    /// `[prospective]`.
    pub prospective: ProspectiveSection,
    /// `[spaces]`.
    pub spaces: RuntimeConfig,
    /// `[backup]`.
    pub backup: BackupConfig,
    /// `[log]`.
    pub log: LogSection,
    /// `[user]`.
    pub user: UserSection,
    /// `[[agents]]`.
    pub agents: Vec<AgentSection>,
    /// `[[extensions]]`.
    pub extensions: Vec<ExtensionSection>,
}

impl File {
    /// The numbers of every section, and what they may be. A number is refused here, and documented from here.
    pub(crate) fn bounds(&self) -> Vec<(String, Vec<Bounded>)> {
        let mut all = vec![
            ("memory".to_owned(), self.memory.bounds()),
            ("memory.depth".to_owned(), self.memory.depth.bounds()),
            ("memory.relevance".to_owned(), self.memory.relevance.bounds()),
            ("mechanisms.decay".to_owned(), self.mechanisms.decay.bounds()),
            ("personality".to_owned(), self.personality.bounds()),
            ("embedding".to_owned(), self.embedding.bounds()),
            ("embedding.previous".to_owned(), self.embedding.previous.bounds()),
            ("planner".to_owned(), self.planner.bounds()),
            ("executor".to_owned(), self.executor.bounds()),
            ("prospective".to_owned(), self.prospective.bounds()),
            ("spaces".to_owned(), self.spaces.bounds()),
            ("backup".to_owned(), self.backup.bounds()),
            ("language".to_owned(), self.language.bounds()),
        ];
        for (at, agent) in self.agents.iter().enumerate() {
            let own = agent.personality.map(|own| own.bounds()).unwrap_or_default();
            all.push((format!("agents[{at}].personality"), own));
            let own = agent.language.as_ref().map(|own| own.bounds()).unwrap_or_default();
            all.push((format!("agents[{at}].language"), own));
        }
        all
    }

    /// What is wrong beyond single numbers: the path of the key, and a sentence.
    pub(crate) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        let mut add = |path: String, fault: Option<String>| {
            faults.extend(fault.map(|fault| (path.clone(), format!("`{path}`: {fault}"))));
        };
        let none = self.executor.shares.are_none().then(|| "one share at least must be above 0".to_owned());
        add("executor.shares".to_owned(), none);
        for (key, fault) in self.embedding.faults() {
            add(format!("embedding.{key}"), Some(fault));
        }
        let previous = self.embedding.previous.config().map(|previous| previous.faults());
        for (key, fault) in previous.unwrap_or_default() {
            add(format!("embedding.previous.{key}"), Some(fault));
        }
        add("user.name".to_owned(), UserName::new(&self.user.name).err().map(|error| error.to_string()));
        let zone = self.user.timezone.as_deref().filter(|zone| TimeZone::get(zone).is_err());
        add(
            "user.timezone".to_owned(),
            zone.map(|zone| format!("`{zone}` is no time zone; write it as Europe/Oslo")),
        );
        let locale = self.user.locale.as_deref().filter(|tag| Locale::from_tag(tag).is_none());
        add(
            "user.locale".to_owned(),
            locale.map(|tag| format!("`{tag}` is no locale; write it as en-GB or en-US")),
        );
        for (at, webhook) in self.prospective.webhooks.iter().enumerate() {
            let wrong = !webhook.url.starts_with("http://") && !webhook.url.starts_with("https://");
            let fault = wrong.then(|| format!("`{}` is no address; it starts with https://", webhook.url));
            add(format!("prospective.webhooks[{at}].url"), fault);
        }
        add("backup.every".to_owned(), self.backup.period().err());
        for target in self.log.odd_targets() {
            let fault = "is no target; write it as `bethink_planner` or `bethink_planner::turn`".to_owned();
            add(format!("log.targets.{target}"), Some(fault));
        }
        let agents = self.agents.iter().enumerate();
        let own = agents
            .filter_map(|(at, agent)| Some((format!("agents[{at}].language"), agent.language.as_ref()?)));
        for (section, config) in std::iter::once(("language".to_owned(), &self.language)).chain(own) {
            for (key, fault) in config.faults() {
                add(format!("{section}.{key}"), Some(fault));
            }
        }
        for (at, agent) in self.agents.iter().enumerate() {
            let fault = AgentName::new(&agent.name).err().map(|error| error.to_string());
            add(format!("agents[{at}].name"), fault);
        }
        faults
    }
}

/// What is kept, where, and how much of it is recalled.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemorySection {
    /// Off: nothing is recalled and nothing is kept.
    pub enabled: bool,
    /// `assistant`, `service` or `lab`: what time alone cannot fade.
    pub profile: Profile,
    /// Where memory is kept. Relative paths are relative to this file; `~/` is the home directory.
    pub data_dir: Option<PathBuf>,
    /// Relevance below which nothing is recalled, 0 to 1.
    pub relevance_threshold: f32,
    /// Most traces recalled for each intent, 0 to 100.
    pub depth: Depths,
    /// How relevance is weighed.
    pub relevance: RelevanceConfig,
    /// Minutes of silence after which a session ends, 1 to 1,440.
    pub session_idle_minutes: u32,
    /// Longest text of one trace in bytes, 1 to 1,048,576.
    pub text_bytes_max: usize,
    /// Commands that may wait to be written, 1 to 65,536.
    pub queue_max: usize,
    /// Days for which the record of how a turn was answered is kept, 0 to 3,650.
    pub turn_record_days: u32,
    /// Days for which every change of a memory is kept as it was made, 1 to 36,500; older ones are folded.
    pub journal_days: u32,
    /// See [`MemoryConfig::seal_rows`].
    pub seal_rows: usize,
    /// See [`MemoryConfig::segment_rows`].
    pub segment_rows: usize,
    /// Share of a file that is of no use above which it is written anew in the background, 0 to 1.
    pub compact_above: f32,
    /// Page cache of an open file in bytes, from 65,536.
    pub cache_bytes: usize,
    /// Longest wait for vectors in milliseconds, 100 to 600,000.
    pub embed_timeout_ms: u64,
}

impl Default for MemorySection {
    fn default() -> Self {
        let store = MemoryConfig::default();
        Self {
            enabled: true,
            profile: store.profile,
            data_dir: None,
            relevance_threshold: store.relevance_threshold,
            depth: Depths::default(),
            relevance: RelevanceConfig::default(),
            session_idle_minutes: 30,
            text_bytes_max: store.text_bytes_max,
            queue_max: store.queue_max,
            turn_record_days: store.turn_record_days,
            journal_days: store.journal_days,
            seal_rows: store.seal_rows,
            segment_rows: store.segment_rows,
            compact_above: store.compact_above,
            cache_bytes: store.cache_bytes,
            embed_timeout_ms: store.embed_timeout_ms,
        }
    }
}

impl MemorySection {
    pub(crate) fn bounds(&self) -> Vec<Bounded> {
        let mut bounds = self.store().bounds();
        let minutes = f64::from(self.session_idle_minutes);
        bounds.push(Bounded::new("session_idle_minutes", minutes, 1.0, 1_440.0));
        bounds
    }

    /// The part that the store takes.
    #[must_use]
    pub fn store(&self) -> MemoryConfig {
        MemoryConfig {
            profile: self.profile,
            relevance_threshold: self.relevance_threshold,
            text_bytes_max: self.text_bytes_max,
            queue_max: self.queue_max,
            turn_record_days: self.turn_record_days,
            journal_days: self.journal_days,
            seal_rows: self.seal_rows,
            segment_rows: self.segment_rows,
            compact_above: self.compact_above,
            cache_bytes: self.cache_bytes,
            embed_timeout_ms: self.embed_timeout_ms,
        }
    }
}

/// Reminders: how they are shown, and who is told of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProspectiveSection {
    /// See [`ProspectiveConfig::default_hour`].
    pub default_hour: u8,
    /// See [`ProspectiveConfig::shown_max`].
    pub shown_max: usize,
    /// See [`ProspectiveConfig::lease_seconds`].
    pub lease_seconds: u32,
    /// See [`ProspectiveConfig::late_after_seconds`].
    pub late_after_seconds: u32,
    /// See [`ProspectiveConfig::deliveries_max`].
    pub deliveries_max: u32,
    /// See [`ProspectiveConfig::near`].
    pub near: f32,
    /// See [`ProspectiveConfig::open_max`].
    pub open_max: usize,
    /// A command that is run for what comes due while no conversation is open, and its arguments; none if empty.
    pub on_due: Vec<String>,
    /// Seconds that the command may take, 1 to 3,600.
    pub on_due_timeout_seconds: u32,
    /// Where `serve` posts what comes due.
    pub webhooks: Vec<WebhookSection>,
}

/// A place that is told of reminders over HTTP.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookSection {
    /// Where to.
    pub url: String,
    /// Environment variable that holds the secret by which requests are signed; unsigned if absent.
    #[serde(default)]
    pub secret_env: Option<String>,
}

impl Default for ProspectiveSection {
    fn default() -> Self {
        let ProspectiveConfig {
            default_hour,
            shown_max,
            lease_seconds,
            late_after_seconds,
            deliveries_max,
            near,
            open_max,
        } = ProspectiveConfig::default();
        Self {
            default_hour,
            shown_max,
            lease_seconds,
            late_after_seconds,
            deliveries_max,
            near,
            open_max,
            on_due: Vec::new(),
            on_due_timeout_seconds: 30,
            webhooks: Vec::new(),
        }
    }
}

impl ProspectiveSection {
    /// The numbers that memory and reminders take.
    #[must_use]
    pub fn numbers(&self) -> ProspectiveConfig {
        ProspectiveConfig {
            default_hour: self.default_hour,
            shown_max: self.shown_max,
            lease_seconds: self.lease_seconds,
            late_after_seconds: self.late_after_seconds,
            deliveries_max: self.deliveries_max,
            near: self.near,
            open_max: self.open_max,
        }
    }

    pub(crate) fn bounds(&self) -> Vec<Bounded> {
        let mut bounds = self.numbers().bounds();
        let timeout = f64::from(self.on_due_timeout_seconds);
        bounds.push(Bounded::new("on_due_timeout_seconds", timeout, 1.0, 3_600.0));
        bounds
    }
}

/// The mechanisms, each with its switch and its numbers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MechanismsSection {
    /// `[mechanisms.decay]`.
    pub decay: DecayConfig,
}

/// Six traits, each 0 to 1; 0.5 is neutral.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PersonalitySection {
    /// Honesty-humility.
    pub honesty: f32,
    /// Emotionality.
    pub emotionality: f32,
    /// Extraversion.
    pub extraversion: f32,
    /// Agreeableness.
    pub agreeableness: f32,
    /// Conscientiousness.
    pub conscientiousness: f32,
    /// Openness.
    pub openness: f32,
}

impl Default for PersonalitySection {
    fn default() -> Self {
        let Personality { honesty, emotionality, extraversion, agreeableness, conscientiousness, openness } =
            Personality::NEUTRAL;
        Self { honesty, emotionality, extraversion, agreeableness, conscientiousness, openness }
    }
}

impl PersonalitySection {
    /// The personality.
    #[must_use]
    pub fn traits(&self) -> Personality {
        let Self { honesty, emotionality, extraversion, agreeableness, conscientiousness, openness } = *self;
        Personality { honesty, emotionality, extraversion, agreeableness, conscientiousness, openness }
    }

    pub(crate) fn bounds(&self) -> Vec<Bounded> {
        [
            ("honesty", self.honesty),
            ("emotionality", self.emotionality),
            ("extraversion", self.extraversion),
            ("agreeableness", self.agreeableness),
            ("conscientiousness", self.conscientiousness),
            ("openness", self.openness),
        ]
        .map(|(key, given)| Bounded::new(key, f64::from(given), 0.0, 1.0))
        .to_vec()
    }
}

/// The user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserSection {
    /// Name of the space's user.
    pub name: String,
    /// IANA time zone, such as `Europe/Oslo`; the system's if absent.
    pub timezone: Option<String>,
    /// How dates are written, as a tag such as `en-GB`; what 5/6 means is asked if absent.
    pub locale: Option<String>,
}

impl Default for UserSection {
    fn default() -> Self {
        Self { name: "me".to_owned(), timezone: None, locale: None }
    }
}

/// An agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSection {
    /// Its name.
    pub name: String,
    /// What it is told about itself, before anything else.
    #[serde(default)]
    pub instructions: Option<String>,
    /// Its traits; those of `[personality]` if absent.
    #[serde(default)]
    pub personality: Option<PersonalitySection>,
    /// Names of the tools that its model may call; every tool if absent.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// What answers for it, in place of `[language]`; keys that are absent have their defaults.
    #[serde(default)]
    pub language: Option<LanguageConfig>,
}

/// An actor from outside.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtensionSection {
    /// Name under which a program registers its type.
    pub kind: String,
    /// What it is called, unique; its kind if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// `process`, or `space` for one with each awake space.
    #[serde(default)]
    pub scope: Scope,
    /// Messages that may wait for it, 1 to 65,536; 256 if absent.
    #[serde(default)]
    pub mailbox: Option<usize>,
    /// Its own keys.
    #[serde(default)]
    pub settings: toml::Table,
}
