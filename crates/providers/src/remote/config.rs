//! What can be tuned about language models.

use std::path::PathBuf;
use std::time::Duration;

use bethink_domain::Bounded;
use serde::Deserialize;

/// What answers, `[language]` in the configuration, or `language` of one agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageConfig {
    /// Which kind of responder.
    pub provider: LanguageProvider,
    /// The model's name, as its server knows it. Needed by all but `extractive`.
    pub model: String,
    /// Where the server is, such as `http://127.0.0.1:8080/v1`. The provider's own address if absent.
    pub base_url: Option<String>,
    /// Environment variable that holds the key. For a provider's own address, its usual variable if absent.
    pub api_key_env: Option<String>,
    /// File that holds the key and nothing else. Relative paths are relative to the configuration.
    pub api_key_file: Option<PathBuf>,
    /// Tokens that prompt and reply may take together, 512 to 4,194,304. Ollama is told to provide them; other servers
    /// have what they were started with.
    pub context_tokens: usize,
    /// Whether the model can call tools. Some models refuse a request that offers any.
    pub tools: bool,
    /// Seconds for reaching the server, 1 to 120.
    pub connect_seconds: u64,
    /// Seconds from the request to the first words, 1 to 3,600. A local model reads the whole prompt first.
    pub first_word_seconds: u64,
    /// Seconds of silence between words, 1 to 600. Then the answer counts as broken off.
    pub stall_seconds: u64,
    /// Seconds for a call of the model with all its retries, 1 to 3,600.
    pub call_seconds: u64,
    /// Further attempts when a server is busy, fails or can't be reached before it has said a word, 0 to 10.
    pub retries_max: u32,
    /// How freely words are chosen, 0 to 2. The server's default if absent; some models accept no other.
    pub temperature: Option<f32>,
}

/// A server that prompts are sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// Host and port.
    pub host: String,
    /// It is this machine.
    pub local: bool,
    /// What is sent can't be read on the way.
    pub encrypted: bool,
}

/// Kinds of responders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LanguageProvider {
    /// Answers from memory alone, offline.
    #[default]
    Extractive,
    /// Any server that speaks OpenAI's chat completions.
    Openai,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own interface, which takes the context length.
    Ollama,
}

impl LanguageProvider {
    /// The provider's own address; none for the one that needs no server.
    pub(crate) fn own_url(self) -> Option<&'static str> {
        match self {
            Self::Extractive => None,
            Self::Openai => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
        }
    }

    /// The variable in which users of the provider keep their key.
    fn usual_variable(self) -> Option<&'static str> {
        match self {
            Self::Extractive | Self::Ollama => None,
            Self::Openai => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
        }
    }
}

impl Default for LanguageConfig {
    fn default() -> Self {
        Self {
            provider: LanguageProvider::Extractive,
            model: String::new(),
            base_url: None,
            api_key_env: None,
            api_key_file: None,
            context_tokens: 8_192,
            tools: true,
            connect_seconds: 10,
            first_word_seconds: 60,
            stall_seconds: 30,
            call_seconds: 120,
            retries_max: 2,
            temperature: None,
        }
    }
}

impl LanguageConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        let mut bounds = vec![
            Bounded::new("context_tokens", self.context_tokens as f64, 512.0, 4_194_304.0),
            Bounded::new("connect_seconds", self.connect_seconds as f64, 1.0, 120.0),
            Bounded::new("first_word_seconds", self.first_word_seconds as f64, 1.0, 3_600.0),
            Bounded::new("stall_seconds", self.stall_seconds as f64, 1.0, 600.0),
            Bounded::new("call_seconds", self.call_seconds as f64, 1.0, 3_600.0),
            Bounded::new("retries_max", f64::from(self.retries_max), 0.0, 10.0),
        ];
        bounds.push(Bounded::new("temperature", self.temperature.map_or(0.0, f64::from), 0.0, 2.0));
        bounds
    }

    /// What is wrong beyond single numbers: the key, and a sentence. A value that might be a key is not repeated.
    #[must_use]
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let mut add = |key, fault: &str| faults.push((key, fault.to_owned()));
        if self.provider != LanguageProvider::Extractive && self.model.trim().is_empty() {
            add("model", "this must name the model that is to answer");
        }
        if self.api_key_env.as_deref().is_some_and(|name| !is_variable(name)) {
            add(
                "api_key_env",
                "this must be the name of an environment variable in capitals, not a key itself",
            );
        }
        if self.api_key_env.is_some() && self.api_key_file.is_some() {
            add("api_key_file", "this and `api_key_env` are two places for one key; give one");
        }
        if let Some(Err(why)) = self.base_url.as_deref().map(super::http::address) {
            add("base_url", why);
        }
        faults
    }

    /// The environment variable that holds the key, if it is to come from one.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        if self.api_key_file.is_some() {
            return None;
        }
        // A key goes to its own provider unasked, and to no other address.
        let usual = self.base_url.is_none().then(|| self.provider.usual_variable()).flatten();
        self.api_key_env.as_deref().or(usual)
    }

    /// Who is sent prompts; none for the offline responder.
    #[must_use]
    pub fn receiver(&self) -> Option<Receiver> {
        let own = self.provider.own_url()?;
        let address = super::http::address(self.base_url.as_deref().unwrap_or(own)).ok()?;
        Some(Receiver { host: address.host, local: address.local, encrypted: address.encrypted })
    }

    pub(super) fn connect(&self) -> Duration {
        Duration::from_secs(self.connect_seconds)
    }

    pub(super) fn first_word(&self) -> Duration {
        Duration::from_secs(self.first_word_seconds)
    }

    pub(super) fn stall(&self) -> Duration {
        Duration::from_secs(self.stall_seconds)
    }

    pub(super) fn call(&self) -> Duration {
        Duration::from_secs(self.call_seconds)
    }
}

/// Capitals, digits and `_`: what nobody's key looks like.
fn is_variable(name: &str) -> bool {
    let named = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    named && name.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote() -> LanguageConfig {
        LanguageConfig {
            provider: LanguageProvider::Openai,
            model: "m".to_owned(),
            ..LanguageConfig::default()
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_a_misplaced_key_is_not_repeated() {
        assert!(remote().faults().is_empty() && LanguageConfig::default().faults().is_empty());
        let check = |config: LanguageConfig, part: &str| {
            let faults = config.faults();
            let said = faults.iter().map(|(key, fault)| format!("{key}: {fault}")).collect::<String>();
            assert!(faults.len() == 1 && said.contains(part), "{part:?}: {said}");
            assert!(!said.contains("KUMQUAT"), "{said}");
        };
        check(LanguageConfig { model: " ".to_owned(), ..remote() }, "model");
        let temperature = LanguageConfig { temperature: Some(f32::NAN), ..remote() };
        assert!(temperature.bounds().iter().any(|number| !number.holds()));
        let url = |url: &str| LanguageConfig { base_url: Some(url.to_owned()), ..remote() };
        check(url("localhost:8080"), "http://");
        check(url("https://me:KUMQUAT@example.org/v1"), "`api_key_env`");
        check(url("https://example.org/v1?key=KUMQUAT"), "`api_key_env`");
        let variable = |name: &str| LanguageConfig { api_key_env: Some(name.to_owned()), ..remote() };
        check(variable("sk-KUMQUAT"), "name of an environment variable");
        check(variable(""), "name of an environment variable");
        check(LanguageConfig { api_key_file: Some(PathBuf::from("k")), ..variable("KEY") }, "one key");
    }

    #[test]
    fn the_usual_key_goes_to_its_own_provider_alone() {
        assert_eq!(remote().key_variable(), Some("OPENAI_API_KEY"));
        let elsewhere = LanguageConfig { base_url: Some("http://127.0.0.1:1/v1".to_owned()), ..remote() };
        assert_eq!(elsewhere.key_variable(), None);
        assert_eq!(LanguageConfig::default().key_variable(), None);
    }

    #[test]
    fn it_is_known_who_is_sent_what() {
        assert_eq!(LanguageConfig::default().receiver(), None);
        let check = |url: Option<&str>, host: &str, local, encrypted| {
            let config = LanguageConfig { base_url: url.map(str::to_owned), ..remote() };
            assert_eq!(config.receiver(), Some(Receiver { host: host.to_owned(), local, encrypted }));
        };
        check(Some("http://127.0.0.1:8080/v1"), "127.0.0.1:8080", true, false);
        check(Some("http://[::1]:8080"), "[::1]:8080", true, false);
        check(Some("http://models.example.org/v1"), "models.example.org:80", false, false);
        check(Some("http://127.evil.example.org/v1"), "127.evil.example.org:80", false, false);
        check(None, "api.openai.com:443", false, true);
    }
}
