//! An actor and a tool of one's own: `cargo run -p bethink --example custom_actor`. docs/extending.md explains it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use bethink::domain::{Draft, Origin, Source};
use bethink::kameo::prelude::*;
use bethink::testing::{Entropy, Home};
use bethink::{EventKind, Extension, Heard, Ports, Tool, ToolContext, ToolError, ToolFuture, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

// The actor: counts what it hears, and remembers every so many things that there are so many.

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MilestoneSettings {
    every: usize,
}

#[derive(Clone)]
pub(crate) struct Milestones {
    every: usize,
    told: usize,
    ports: Ports,
}

impl Extension for Milestones {
    type Settings = MilestoneSettings;

    fn args(settings: MilestoneSettings, ports: &Ports) -> Self {
        Self { every: settings.every.max(1), told: 0, ports: ports.clone() }
    }
}

impl Actor for Milestones {
    type Args = Self;
    type Error = bethink::kameo::error::Infallible;

    async fn on_start(args: Self, me: ActorRef<Self>) -> Result<Self, Self::Error> {
        args.ports.listen(&me);
        Ok(args)
    }
}

impl Message<Heard> for Milestones {
    type Reply = ();

    async fn handle(&mut self, heard: Heard, _: &mut Context<Self, ()>) {
        // An event, or how many were missed; this one can live with a gap.
        let Ok(event) = heard else { return };
        // What it remembers itself is no turn, so it never answers itself.
        let EventKind::TurnCompleted { encoded, .. } = event.kind else { return };
        self.told += encoded.len();
        if encoded.is_empty() || !self.told.is_multiple_of(self.every) {
            return;
        }
        let text = format!("A milestone: {} things were told.", self.told);
        let draft = Draft {
            source: Source::External,
            lineage: vec![Origin::Given(self.ports.name().into())],
            ..Draft::asked(text, event.at)
        };
        // A space that cannot be written now is no reason to crash.
        let _ = self.ports.remember(&event.space, draft).await;
    }
}

// The tool: a language model may call it while it answers.

pub(crate) struct Dice {
    entropy: Entropy,
    rolls: AtomicU64,
}

impl Dice {
    pub(crate) fn new(entropy: Entropy) -> Self {
        Self { entropy, rolls: AtomicU64::new(0) }
    }
}

impl Tool for Dice {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "dice".into(),
            description: "Rolls a die and says the number.".into(),
            parameters: json!({
                "type": "object",
                "properties": { "sides": { "type": "integer", "minimum": 2 } },
            }),
        }
    }

    fn call<'a>(&'a self, arguments: Value, context: &'a ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let sides = match arguments.get("sides") {
                None => 6,
                Some(sides) => sides.as_u64().filter(|sides| *sides >= 2).ok_or_else(|| {
                    ToolError::Arguments("`sides` must be a whole number from 2".to_owned())
                })?,
            };
            let nth = self.rolls.fetch_add(1, Ordering::Relaxed);
            let roll = self.entropy.draw(&context.space, "dice", context.turn.raw(), nth) % sides + 1;
            Ok(roll.to_string())
        })
    }
}

// The program: both are registered; the settings say that the actor runs.

const SETTINGS: &str = r#"
[[extensions]]
kind = "milestones"
[extensions.settings]
every = 2
"#;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "this is what it is for")]
async fn main() -> Result<(), bethink::Error> {
    println!("{}", run(Home::new().path()).await?);
    Ok(())
}

/// The whole of it.
pub(crate) async fn run(data_dir: &Path) -> Result<String, bethink::Error> {
    let builder = bethink::Runtime::builder()
        .settings_toml(SETTINGS)
        .data_dir(data_dir)
        .extension::<Milestones>("milestones")
        .tool(Dice::new(Entropy::system()));
    let bethink = builder.clone().start().await?;
    bethink.ask("My bike is green.").await?;
    bethink.ask("The boiler is in the cellar.").await?;
    let health = bethink.health().await;
    // What the actor has heard is done before the process ends.
    bethink.shutdown().await?;
    let bethink = builder.start().await?;
    let found = bethink.recall("What milestone was there?").await?;
    bethink.shutdown().await?;
    let (extension, first) = (&health.extensions[0], found.traces.first());
    let first = first.map_or("nothing", |trace| &trace.text);
    Ok(format!("{} is {}. Remembered: {first}", extension.name, extension.state.name()))
}
