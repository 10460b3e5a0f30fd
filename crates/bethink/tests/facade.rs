//! A program of one's own around Bethink.

use std::sync::Arc;

use bethink::testing::{Act, Entropy, HashedEmbedder, Home, Scripted, SimulatedClock, noon};
use bethink::{Builder, Error, EventKind, Runtime};
use serde_json::json;

#[path = "../../../examples/quickstart.rs"]
#[expect(dead_code, reason = "an example's own start is not called here")]
mod quickstart;

#[path = "../../../examples/custom_actor.rs"]
#[expect(dead_code, reason = "an example's own start is not called here")]
mod custom_actor;

fn builder(home: &Home) -> Builder {
    Runtime::builder()
        .settings_toml("[user]\ntimezone = \"UTC\"")
        .data_dir(home.path())
        .clock(SimulatedClock::new(noon()))
        .seed(1)
        .embedder(HashedEmbedder::default())
}

#[tokio::test]
async fn the_quickstart_answers_from_memory() {
    let home = Home::new();
    let answer = quickstart::run(home.path()).await.unwrap();
    assert!(answer.ends_with("\"My reading glasses are on the bedside table.\""), "{answer}");
}

#[tokio::test]
async fn the_custom_actor_hears_and_remembers() {
    let home = Home::new();
    let said = custom_actor::run(home.path()).await.unwrap();
    assert_eq!(said, "milestones is running. Remembered: A milestone: 2 things were told.");
}

#[tokio::test]
async fn a_tool_of_the_program_is_called_by_its_model() {
    let home = Home::new();
    let answer = Act::say("It fell.");
    let model = Scripted::playing([Act::call("dice", json!({ "sides": 6 })), answer]);
    let builder = builder(&home).tool(custom_actor::Dice::new(Entropy::seeded(1)));
    let bethink = builder.language_model(model).start().await.unwrap();
    let reply = bethink.ask("Roll a die, please.").await.unwrap();
    assert_eq!(reply.text, "It fell.");
    bethink.shutdown().await.unwrap();
}

#[tokio::test]
async fn two_runtimes_live_in_one_process_and_share_nothing() {
    let homes = [Home::new(), Home::new()];
    let first = builder(&homes[0]).start().await.unwrap();
    let second = builder(&homes[1]).start().await.unwrap();
    let mut events = second.events();
    first.remember("My bike is green.").await.unwrap();
    assert!(second.recall("bike").await.unwrap().traces.is_empty());
    let refused = builder(&homes[0]).start().await.unwrap_err();
    assert!(matches!(refused, Error::Runtime(bethink::runtime::RuntimeError::InUse { .. })), "{refused}");
    first.shutdown().await.unwrap();
    let kept = second.remember("The boiler is in the cellar.").await.unwrap();
    second.clone().shutdown().await.unwrap();
    let mut heard = Vec::new();
    while let Some(event) = events.next().await {
        heard.push(event.unwrap().kind);
    }
    assert!(heard.contains(&EventKind::TraceEncoded { trace: kept.id }), "{heard:?}");
    assert_eq!(heard.len(), 3, "woken, encoded, asleep, and nothing of the other: {heard:?}");
    assert!(second.recall("boiler").await.is_err(), "it has been shut down");
}

#[tokio::test]
async fn what_is_said_comes_word_by_word_and_can_be_forgotten() {
    let home = Home::new();
    let model = Scripted::playing([Act::Say(vec!["So ".into(), "it ".into(), "is.".into()])]);
    let bethink = builder(&home).language_model(model).start().await.unwrap();
    let mut words = bethink.converse("My bike is green.").await.unwrap();
    let mut parts = Vec::new();
    while let Some(word) = words.next().await.unwrap() {
        parts.push(word);
    }
    assert_eq!(parts.concat(), "So it is.");
    assert_eq!(words.whole().await.unwrap().text, "So it is.");
    let found = bethink.recall("bike").await.unwrap();
    let gone = bethink.forget(found.traces[0].id).await.unwrap();
    assert!(gone.gone_from_memory);
    assert!(bethink.recall("bike").await.unwrap().traces.is_empty());
    let other = bethink.with("bethink", "eve").unwrap();
    assert!(other.recall("bike").await.unwrap().traces.is_empty());
    assert_eq!(bethink.health().await.spaces.len(), 2);
    bethink.shutdown().await.unwrap();
}

#[tokio::test]
async fn a_provider_is_chosen_by_its_name_in_the_settings() {
    let home = Home::new();
    let named = |provider: &str| {
        let text = format!("[language]\nprovider = \"{provider}\"\n[embedding]\nprovider = \"hashed\"\n");
        Runtime::builder()
            .settings_toml(text)
            .data_dir(home.path())
            .language_provider("parrot", |_| Ok(Arc::new(Scripted::playing([Act::say("Polly.")]))))
            .embedding_provider("hashed", |_| Ok(Arc::new(HashedEmbedder::default())))
    };
    let refused = named("parot").start().await.unwrap_err().to_string();
    assert!(refused.contains("settings in code: line 2") && refused.contains("\"parrot\""), "{refused}");
    let bethink = named("parrot").start().await.unwrap();
    assert_eq!(bethink.ask("Who are you?").await.unwrap().text, "Polly.");
    bethink.shutdown().await.unwrap();
}

#[tokio::test]
async fn wrong_settings_of_an_extension_are_named_before_anything_starts() {
    let home = Home::new();
    let check = async |text: &str, expected: &str| {
        let builder = Runtime::builder().settings_toml(text).data_dir(home.path());
        let refused = builder.extension::<custom_actor::Milestones>("milestones").start().await.unwrap_err();
        assert_eq!(refused.to_string(), expected);
        assert!(!home.path().exists(), "nothing was made");
    };
    check(
        "[[extensions]]\nkind = \"milestone\"\n",
        "settings in code: line 2: `extensions.milestone.kind`: unknown extension `milestone`; there are: milestones",
    )
    .await;
    check(
        "[[extensions]]\nkind = \"milestones\"\n[extensions.settings]\n\nevery = \"two\"\n",
        "settings in code: line 5: `extensions.milestones.settings.every`: invalid type: string \"two\", expected usize",
    )
    .await;
    check(
        "[[extensions]]\nkind = \"milestones\"\n[extensions.settings]\nevery = 2\nevry = 3\n",
        "settings in code: line 5: `extensions.milestones.settings.evry`: unknown field `evry`, expected `every`",
    )
    .await;
}

/// The guide's code is that of the examples, which are compiled and run.
#[test]
fn the_guide_shows_what_runs() {
    let examples =
        [include_str!("../../../examples/custom_actor.rs"), include_str!("../../../examples/own_binary.rs")];
    let bare = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let examples = examples.map(bare);
    let guide = include_str!("../../../docs/extending.md");
    let blocks = guide.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap().1);
    let mut count = 0;
    for block in blocks {
        count += 1;
        let block = bare(block.trim());
        assert!(examples.iter().any(|example| example.contains(&block)), "in no example:\n{block}");
    }
    assert_eq!(count, 6);
}
