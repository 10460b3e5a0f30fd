//! Putting a Bethink together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_clock::{Clock, Entropy};
use bethink_domain::{AgentName, SpaceId, UserName};
use bethink_protocol::Tool;
use bethink_providers::{EmbeddingModel, LanguageModel};
use bethink_runtime::{DataDir, Extension, ExtensionKinds, RuntimeError};
use bethink_settings::{Overrides, Registered, Replaced, Settings};

use crate::error::Error;
use crate::handle::{Guard, Handle};

/// Where everything begins.
#[derive(Debug)]
pub struct Runtime;

impl Runtime {
    /// A Bethink with the default settings, to which everything can be added.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }
}

type Make<T> = Arc<dyn Fn(&Settings) -> Result<Arc<T>, String> + Send + Sync>;
type OpenDoor = Arc<dyn Fn(Arc<bethink_runtime::Handle>) -> std::io::Result<Guard> + Send + Sync>;

/// What a Bethink is made of. Nothing is read or started before [`Builder::start`].
#[derive(Clone, Default)]
pub struct Builder {
    overrides: Overrides,
    program: Option<(String, String)>,
    kinds: ExtensionKinds,
    tools: Vec<Arc<dyn Tool>>,
    language: Option<Arc<dyn LanguageModel>>,
    embedding: Option<Arc<dyn EmbeddingModel>>,
    languages: BTreeMap<String, Make<dyn LanguageModel>>,
    embeddings: BTreeMap<String, Make<dyn EmbeddingModel>>,
    clock: Option<Arc<dyn Clock>>,
    entropy: Option<Entropy>,
    open: Option<OpenDoor>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("overrides", &self.overrides)
            .field("extensions", &self.kinds)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Reads the settings from this file; without it, from the user's configuration file if there is one.
    #[must_use]
    pub fn config(mut self, path: impl Into<PathBuf>) -> Self {
        self.overrides.config = Some(path.into());
        self
    }

    /// Takes the settings from a text, which says what a file would say. No file is read then.
    #[must_use]
    pub fn settings_toml(mut self, text: impl Into<String>) -> Self {
        self.overrides.text = Some(text.into());
        self
    }

    /// Sets one key over file and environment, as `section.key=value`.
    #[must_use]
    pub fn set(mut self, key_value: impl Into<String>) -> Self {
        self.overrides.set.push(key_value.into());
        self
    }

    /// Keeps memory in this directory.
    #[must_use]
    pub fn data_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.overrides.data_dir = Some(path.as_ref().to_owned());
        self
    }

    /// The agent that is spoken to, `bethink` unless told.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.overrides.agent = Some(name.into());
        self
    }

    /// The user who speaks, `me` unless told.
    #[must_use]
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.overrides.user = Some(name.into());
        self
    }

    /// Registers a type of actor under a name. It runs where the settings have an `[[extensions]]` of this `kind`.
    #[must_use]
    pub fn extension<E: Extension>(mut self, kind: impl Into<String>) -> Self {
        self.kinds.register::<E>(kind);
        self
    }

    /// Adds a tool that a language model may call while it answers.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// Has this model answer, whatever the settings say.
    #[must_use]
    pub fn language_model(mut self, model: impl LanguageModel) -> Self {
        self.language = Some(Arc::new(model));
        self
    }

    /// Registers a provider of language models: it answers where the settings have `[language] provider = "name"`.
    #[must_use]
    pub fn language_provider(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&Settings) -> Result<Arc<dyn LanguageModel>, String> + Send + Sync + 'static,
    ) -> Self {
        self.languages.insert(name.into(), Arc::new(make));
        self
    }

    /// Takes meanings from this embedder, whatever the settings say.
    #[must_use]
    pub fn embedder(mut self, model: impl EmbeddingModel) -> Self {
        self.embedding = Some(Arc::new(model));
        self
    }

    /// Registers a provider of embedders: meanings come from it where the settings have `[embedding] provider = "name"`.
    #[must_use]
    pub fn embedding_provider(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&Settings) -> Result<Arc<dyn EmbeddingModel>, String> + Send + Sync + 'static,
    ) -> Self {
        self.embeddings.insert(name.into(), Arc::new(make));
        self
    }

    /// Tells the time by this clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Draws chance from this seed, for tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.entropy = Some(Entropy::seeded(seed));
        self
    }

    /// Lets other processes in for as long as the runtime runs; without it, they are told that the data is in use. `open`
    /// opens the socket and gives what keeps it open, as `bethink_daemon::open_socket` does.
    #[must_use]
    pub fn serve_socket<G: Send + Sync + 'static>(
        mut self,
        open: impl Fn(Arc<bethink_runtime::Handle>) -> std::io::Result<G> + Send + Sync + 'static,
    ) -> Self {
        self.open = Some(Arc::new(move |handle| Ok(Box::new(open(handle)?) as Guard)));
        self
    }

    /// What a program of one's own is called on the command line, and its version.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.program = Some((name.into(), version.into()));
        self
    }

    /// The name and version given to [`Builder::program`].
    #[must_use]
    pub fn named(&self) -> Option<(&str, &str)> {
        self.program.as_ref().map(|(name, version)| (name.as_str(), version.as_str()))
    }

    /// Lets a command line go over what was set so far, where it says something.
    #[must_use]
    pub fn over(mut self, flags: Overrides) -> Self {
        let own = &mut self.overrides;
        if flags.config.is_some() {
            own.text = None;
        }
        own.config = flags.config.or(own.config.take());
        own.data_dir = flags.data_dir.or(own.data_dir.take());
        own.agent = flags.agent.or(own.agent.take());
        own.user = flags.user.or(own.user.take());
        own.set.extend(flags.set);
        self
    }

    /// What the builder says over file and environment, with the names of what is registered.
    #[must_use]
    pub fn overrides(&self) -> Overrides {
        let registered = Registered {
            languages: self.languages.keys().cloned().collect(),
            embedders: self.embeddings.keys().cloned().collect(),
        };
        Overrides { registered, ..self.overrides.clone() }
    }

    /// Reads and checks all settings, those of extensions too. Nothing is started.
    ///
    /// # Errors
    /// [`Error::Settings`] that names file, line and key.
    pub fn settings(&self) -> Result<Settings, Error> {
        let settings = Settings::load(&self.overrides())?;
        settings.extensions(&self.kinds)?;
        Ok(settings)
    }

    /// Starts on a data directory that is owned already; for programs that have a door of their own.
    ///
    /// # Errors
    /// Why it can't be started.
    pub async fn run(
        &self,
        settings: &Settings,
        data_dir: DataDir,
    ) -> Result<bethink_runtime::Handle, Error> {
        let language = match (&self.language, settings.registered("language.provider")) {
            (Some(model), _) => Some(Arc::clone(model)),
            (None, Some(name)) => Some(made(&self.languages, name, settings)?),
            (None, None) => None,
        };
        let embedding = match (&self.embedding, settings.registered("embedding.provider")) {
            (Some(model), _) => Some(Arc::clone(model)),
            (None, Some(name)) => Some(made(&self.embeddings, name, settings)?),
            (None, None) => None,
        };
        let mut ingredients = settings.ingredients_with(data_dir, Replaced { language, embedding })?;
        ingredients.tools.extend(self.tools.iter().cloned());
        ingredients.extensions = settings.extensions(&self.kinds)?;
        if let Some(clock) = &self.clock {
            ingredients.clock = Arc::clone(clock);
        }
        ingredients.entropy = self.entropy.unwrap_or(ingredients.entropy);
        Ok(bethink_runtime::start(ingredients).await?)
    }

    /// Reads the settings, becomes the owner of the data, and starts. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Why it can't be started; errors in the settings come before anything is started.
    pub async fn start(self) -> Result<Handle, Error> {
        let settings = self.settings()?;
        let space = SpaceId { agent: AgentName::new(&settings.agent)?, user: UserName::new(&settings.user)? };
        let dir = DataDir::claim(&settings.data_dir, settings.run_dir.as_deref())?;
        let runtime = self.run(&settings, dir).await?;
        let entropy = self.entropy.unwrap_or_else(Entropy::system);
        Handle::new(runtime, space, entropy, |runtime| {
            let opened = self.open.as_ref().map(|open| open(runtime)).transpose();
            opened.map_err(|error| Error::Socket(error.to_string()))
        })
    }
}

fn made<T: ?Sized>(
    makers: &BTreeMap<String, Make<T>>,
    name: &str,
    settings: &Settings,
) -> Result<Arc<T>, Error> {
    // Only registered names pass the check of the settings.
    let make = makers.get(name).ok_or_else(|| format!("there is no provider `{name}`"));
    let made = make.and_then(|make| make(settings));
    made.map_err(|why| Error::Runtime(RuntimeError::Unavailable(format!("provider `{name}`: {why}"))))
}
