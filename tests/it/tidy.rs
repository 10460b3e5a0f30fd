//! The rules of the code that no compiler checks: arrows, sizes, banned calls, words.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a module, its inline tests included.
const MODULE_LINES_MAX: usize = 500;
/// Lines of a function.
const FUNCTION_LINES_MAX: usize = 70;

/// Layers from the lowest. A crate may use crates of lower layers, and within the second layer those that
/// [`WITHIN`] lists.
const LAYERS: &[&[&str]] = &[
    &["domain", "testkit"],
    &["clock", "text", "cognition", "protocol", "providers"],
    &["memory-store", "planner", "executor", "reminders"],
    &["runtime"],
    &["settings"],
    &["api", "bethink"],
    &["daemon", "evaluation"],
    &["cli"],
];

/// The arrows inside the second layer.
const WITHIN: &[(&str, &str)] =
    &[("cognition", "text"), ("providers", "text"), ("providers", "protocol"), ("providers", "clock")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("because the crate lies in the workspace")
}

fn files(dir: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            files(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    files(&root.join("crates"), ".rs", &mut found);
    files(&root.join("tests"), ".rs", &mut found);
    found.sort();
    let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
    found.into_iter().map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

/// Dependencies on our own crates, `[dependencies]` alone: tests may use what they need.
fn arrows() -> BTreeMap<String, Vec<String>> {
    let mut arrows = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let dir = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(dir.join("Cargo.toml")) else { continue };
        let section =
            manifest.split("\n[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap_or("");
        let ours = section.lines().filter_map(|line| line.strip_prefix("bethink-"));
        let names = ours.filter_map(|line| line.split([' ', '.', '=']).next()).map(str::to_owned).collect();
        arrows.insert(dir.file_name().unwrap().to_string_lossy().into_owned(), names);
    }
    arrows
}

#[test]
fn arrows_point_down() {
    let layer = |name: &str| {
        LAYERS.iter().position(|layer| layer.contains(&name)).unwrap_or_else(|| panic!("{name} has no layer"))
    };
    let mut upward = Vec::new();
    for (from, targets) in arrows() {
        for to in targets {
            let within = WITHIN.contains(&(from.as_str(), to.as_str()));
            if layer(&from) <= layer(&to) && !within {
                upward.push(format!("{from} → {to}"));
            }
        }
    }
    assert!(upward.is_empty(), "move the shared type down a layer, or hold a port: {upward:?}");
}

#[test]
fn only_their_owners_know_these_crates() {
    let owners = [
        ("redb", &["memory-store"][..]),
        ("instant-distance", &["memory-store"]),
        ("clap", &["cli"]),
        ("rustyline", &["cli"]),
        ("anyhow", &["cli"]),
        ("tracing-subscriber", &["cli"]),
        ("rten", &["providers"]),
        ("genai", &["providers"]),
        ("config", &["settings"]),
        ("toml", &["settings", "planner", "text", "providers"]),
    ];
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let dir = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(dir.join("Cargo.toml")) else { continue };
        let name = dir.file_name().unwrap().to_string_lossy().into_owned();
        let section =
            manifest.split("\n[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap_or("");
        for (dependency, allowed) in owners {
            let used = section.lines().any(|line| line.split([' ', '.', '=']).next() == Some(dependency));
            assert!(!used || allowed.contains(&name.as_str()), "{name} must not know {dependency}");
        }
    }
}

#[test]
fn modules_fit_a_reader() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| text.lines().count() > MODULE_LINES_MAX)
        .map(|(name, text)| format!("{name}: {} lines", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "split these: {long:?}");
}

#[test]
fn functions_fit_a_screen() {
    let mut long = Vec::new();
    for (name, text) in sources() {
        let mut open: Option<(usize, usize)> = None;
        for (number, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let starts = [
                "fn ",
                "pub fn ",
                "pub(crate) fn ",
                "pub(super) fn ",
                "async fn ",
                "pub async fn ",
                "pub(crate) async fn ",
            ]
            .iter()
            .any(|start| line.trim_start().starts_with(start));
            if starts && open.is_none() && !line.trim_end().ends_with(';') && !line.trim_end().ends_with('}')
            {
                open = Some((number, indent));
            }
            // The end of a declaration without a body.
            if open.is_some_and(|(_, at)| indent == at && line.trim_start().starts_with(')'))
                && line.trim_end().ends_with(';')
            {
                open = None;
            }
            if let Some((start, at)) = open
                && line.trim_end() == format!("{}}}", " ".repeat(at))
            {
                if number - start + 1 > FUNCTION_LINES_MAX {
                    long.push(format!("{name}:{}: {} lines", start + 1, number - start + 1));
                }
                open = None;
            }
        }
    }
    assert!(long.is_empty(), "split these: {long:?}");
}

#[test]
fn banned_forms_are_absent() {
    let banned = [("mod.rs", "use `name.rs` beside `name/`")];
    for (name, text) in sources() {
        for (form, instead) in banned {
            assert!(!name.ends_with(&format!("/{form}")), "{name}: {instead}");
        }
        if name == "tests/it/tidy.rs" {
            continue;
        }
        for (form, instead) in [
            (
                "#[ignore]",
                "a test runs or is deleted; only what writes a fixture may wait to be asked for, and says so",
            ),
            ("should_panic", "assert on a result"),
            ("thread::sleep(", "wait for a condition, or use paused time"),
        ] {
            assert!(!text.contains(form), "{name} has `{form}`: {instead}");
        }
        let stem = Path::new(&name).file_stem().unwrap().to_string_lossy().into_owned();
        for drawer in ["utils", "util", "common", "helpers", "misc", "types", "manager"] {
            assert_ne!(stem, drawer, "{name}: name the module after what it holds");
        }
    }
}

#[test]
fn only_the_clock_reads_time_and_chance() {
    for (name, text) in sources() {
        let of_clock = name.starts_with("crates/clock/");
        for form in ["SystemTime::now(", "Instant::now()", "RandomState::new("] {
            let tokio_time = form == "Instant::now()" && text.contains("tokio::time::Instant")
                || text.contains("use tokio::time::{") && text.contains("Instant");
            // An example times itself for the person who runs it.
            let allowed = of_clock || tokio_time || name.starts_with("tests/") || name.contains("/examples/");
            assert!(allowed || !text.contains(form), "{name} has `{form}`; take it as an argument");
        }
    }
}

#[test]
fn domain_knows_no_stored_or_wire_form() {
    let manifest = fs::read_to_string(root().join("crates/domain/Cargo.toml")).unwrap();
    for absent in ["serde", "tokio", "kameo"] {
        assert!(!manifest.contains(absent), "domain must not know {absent}");
    }
}

#[test]
fn every_dependency_says_what_it_is_for() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let mut reason = false;
    for line in section.lines() {
        if line.starts_with('#') {
            reason = true;
        } else if line.contains('=') {
            assert!(reason || line.starts_with("bethink-"), "no word on what this is for: {line}");
            reason = line.starts_with("bethink-") && reason;
        }
    }
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let root = root();
    let mut found = Vec::new();
    for ending in [".rs", ".md", ".toml", ".py", ".jsonl", ".txt", "run"] {
        files(&root, ending, &mut found);
    }
    // Assembled, so that this file does not hold what it looks for.
    let words = [
        ["/wo", "rk/"].concat(),
        ["../sha", "red"].concat(),
        ["hel", "per session"].concat(),
        ["crates", ".io/"].concat(),
    ];
    for path in found {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} says {word}", path.display());
        }
    }
}
