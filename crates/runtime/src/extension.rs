//! Actors from outside, by name.
//!
//! A program registers a type of actor under a name, and the configuration says which of them run, with what settings,
//! and whether one lives with the process or one with each awake space. They are supervised, drained and shown in health
//! like the built-in actors; an extension that keeps crashing rests, and nothing else notices.

mod keeper;
mod status;

use std::collections::BTreeMap;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use kameo::actor::ActorRef;
use kameo::prelude::Actor;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use keeper::{Running, drain_all};
pub(crate) use status::Board;
pub use status::{ExtensionHealth, ExtensionState};

use crate::ports::Ports;
use status::Entry;

/// Messages that may wait for an extension unless its section says otherwise: a burst of events.
pub const EXTENSION_MAILBOX: usize = 256;
/// Most messages that a section may let wait.
pub const EXTENSION_MAILBOX_MAX: usize = 65_536;

/// An ordinary kameo actor that Bethink builds, supervises and stops.
///
/// Its arguments are cloned for each restart. A crash takes its state and leaves its mailbox: what was waiting is handled
/// by the next incarnation. Reading configuration belongs in [`Extension::args`], which runs once; what may fail belongs
/// in `on_start`, which is tried again.
pub trait Extension: Actor<Args: Clone + Send + Sync> {
    /// `settings` of its section in the configuration. With `#[serde(deny_unknown_fields)]` a misspelt key is an
    /// error.
    type Settings: DeserializeOwned;

    /// What it is built from, each time that it is built.
    fn args(settings: Self::Settings, ports: &Ports) -> Self::Args;

    /// Called before it is stopped, once it will hear no more events; an extension that has begun work outside its
    /// handlers waits for it here, as by asking itself [`Drain`](bethink_protocol::Drain). Without it, all messages
    /// that are waiting are handled before it stops.
    fn drain(actor: &ActorRef<Self>) -> impl Future<Output = ()> + Send {
        let _ = actor;
        async {}
    }
}

/// With what an extension lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One for the process.
    #[default]
    Process,
    /// One for each awake space; it wakes and sleeps with it.
    Space,
}

/// One extension that shall run.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtensionSpec {
    /// What it is called; unique.
    pub name: String,
    /// The name under which its type is registered.
    pub kind: String,
    /// With what it lives.
    pub scope: Scope,
    /// Messages that may wait for it, 1 to [`EXTENSION_MAILBOX_MAX`].
    pub mailbox: usize,
    /// Its settings, an object.
    pub settings: Value,
}

/// Why an extension can't run as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct ExtensionFault {
    /// Which of the extensions, from 0.
    pub index: usize,
    /// The key within its section, such as `settings.city`.
    pub within: String,
    /// The whole key, such as `extensions.weather.settings.city`.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
}

type Launch<'a> = Pin<Box<dyn Future<Output = Running> + Send + 'a>>;

/// A registered type.
trait Kind: Send + Sync {
    /// Checks settings without using them.
    fn check(&self, settings: &Value) -> Result<(), (String, String)>;

    /// Builds one and has it supervised.
    fn launch<'a>(&'a self, spec: &'a ExtensionSpec, ports: Ports, entry: Arc<Entry>) -> Launch<'a>;
}

struct Of<E>(PhantomData<fn() -> E>);

impl<E: Extension> Kind for Of<E> {
    fn check(&self, settings: &Value) -> Result<(), (String, String)> {
        settings_of::<E>(settings).map(drop)
    }

    fn launch<'a>(&'a self, spec: &'a ExtensionSpec, ports: Ports, entry: Arc<Entry>) -> Launch<'a> {
        Box::pin(async move {
            let build = || settings_of::<E>(&spec.settings).map(|settings| E::args(settings, &ports));
            match catch_unwind(AssertUnwindSafe(build)) {
                Ok(Ok(args)) => keeper::launch::<E>(args, spec.mailbox, ports, entry).await,
                Ok(Err((_, reason))) => keeper::unlaunched(&entry, &reason),
                Err(_) => keeper::unlaunched(&entry, "its arguments could not be made: a panic"),
            }
        })
    }
}

/// Settings, or the key within them and what is wrong with it.
fn settings_of<E: Extension>(settings: &Value) -> Result<E::Settings, (String, String)> {
    serde_path_to_error::deserialize(settings.clone()).map_err(|error| {
        let path = error.path().to_string();
        (if path == "." { String::new() } else { path }, error.into_inner().to_string())
    })
}

/// Types of extensions by name.
#[derive(Clone, Default)]
pub struct ExtensionKinds {
    kinds: BTreeMap<String, Arc<dyn Kind>>,
}

impl std::fmt::Debug for ExtensionKinds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.kinds.keys()).finish()
    }
}

impl ExtensionKinds {
    /// Registers a type under a name; one that was registered under it before is replaced.
    pub fn register<E: Extension>(&mut self, name: impl Into<String>) {
        self.kinds.insert(name.into(), Arc::new(Of::<E>(PhantomData)));
    }

    /// Checks what shall run. Nothing is built yet.
    ///
    /// # Errors
    /// The first [`ExtensionFault`].
    pub fn plan(&self, specs: Vec<ExtensionSpec>) -> Result<Extensions, ExtensionFault> {
        let mut planned: Vec<Planned> = Vec::new();
        for (index, spec) in specs.into_iter().enumerate() {
            let fault = |within: &str, reason: String| {
                let key = format!("extensions.{}.{within}", spec.name);
                ExtensionFault { index, within: within.to_owned(), key, reason }
            };
            let Some(kind) = self.kinds.get(&spec.kind) else {
                return Err(fault("kind", self.unknown(&spec.kind)));
            };
            if planned.iter().any(|other| other.spec.name == spec.name) {
                let reason = format!("two extensions are called `{}`; give one another `name`", spec.name);
                return Err(fault("name", reason));
            }
            if !(1..=EXTENSION_MAILBOX_MAX).contains(&spec.mailbox) {
                let reason = format!("it is {}, but must be from 1 to {EXTENSION_MAILBOX_MAX}", spec.mailbox);
                return Err(fault("mailbox", reason));
            }
            if let Err((path, reason)) = kind.check(&spec.settings) {
                let within = if path.is_empty() { "settings".to_owned() } else { format!("settings.{path}") };
                return Err(fault(&within, reason));
            }
            planned.push(Planned { kind: Arc::clone(kind), spec });
        }
        Ok(Extensions { planned: planned.into() })
    }

    fn unknown(&self, kind: &str) -> String {
        if self.kinds.is_empty() {
            return format!("unknown extension `{kind}`; this program has none");
        }
        let known = self.kinds.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        format!("unknown extension `{kind}`; there are: {known}")
    }
}

#[derive(Clone)]
struct Planned {
    kind: Arc<dyn Kind>,
    spec: ExtensionSpec,
}

/// Extensions that shall run, checked.
#[derive(Clone, Default)]
pub struct Extensions {
    planned: Arc<[Planned]>,
}

impl std::fmt::Debug for Extensions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.planned.iter().map(|planned| &planned.spec)).finish()
    }
}

impl Extensions {
    /// Builds those of a scope. One that can't be built is in the board with the reason.
    pub(crate) async fn launch(
        &self,
        scope: Scope,
        board: &Board,
        ports: impl Fn(Arc<str>) -> Ports,
        home: Option<&bethink_domain::SpaceId>,
    ) -> Vec<Running> {
        let mut running = Vec::new();
        for planned in self.planned.iter().filter(|planned| planned.spec.scope == scope) {
            let entry = board.enter(&planned.spec.name, home);
            let ports = ports(planned.spec.name.as_str().into());
            running.push(planned.kind.launch(&planned.spec, ports, entry).await);
        }
        running
    }
}
