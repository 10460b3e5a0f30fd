//! Stories of configurations: files, the environment over them, the command line over both.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::*;
use crate::allowed::fits;
use crate::catalogue::{Key, Kind, SHIPPED, catalogue};
use crate::reference::reference;
use bethink_runtime::ExtensionKinds;

/// A home with a configuration file, variables and options.
struct Story {
    dir: tempfile::TempDir,
    environment: Environment,
    overrides: Overrides,
}

impl Story {
    fn new(file: impl AsRef<[u8]>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bethink.toml");
        std::fs::write(&path, file).unwrap();
        let environment = Environment { home: Some(PathBuf::from("/home/ada")), ..Environment::default() };
        Self { dir, environment, overrides: Overrides { config: Some(path), ..Overrides::default() } }
    }

    fn variables(mut self, variables: &[(&str, &str)]) -> Self {
        let pairs = variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value)));
        self.environment.variables = pairs.collect::<BTreeMap<_, _>>();
        self
    }

    fn set(mut self, set: &[&str]) -> Self {
        self.overrides.set = set.iter().map(|given| (*given).to_owned()).collect();
        self
    }

    fn load(&self) -> Result<Settings, SettingsError> {
        Settings::load_in(&self.overrides, &self.environment, Path::new("/elsewhere"))
    }

    /// Loads it, and expects one refusal for each row, which holds all of the row's fragments.
    fn refused(&self, rows: &[&[&str]]) {
        let Err(SettingsError::Wrong(mistakes)) = self.load() else { panic!("{rows:?} was let through") };
        let said: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), rows.len(), "{said:?}");
        for (said, fragments) in said.iter().zip(rows) {
            for fragment in *fragments {
                assert!(said.contains(fragment), "{said:?} lacks {fragment:?}");
            }
        }
    }
}

fn refused(text: impl AsRef<[u8]>, fragments: &[&str]) {
    Story::new(text).refused(&[fragments]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    refused("[memory]\nprofil = \"lab\"\n", &["bethink.toml: line 2", "profil", "`profile`"]);
    refused(
        "[memory]\nprofile = \"loud\"\n",
        &["line 2", "\"loud\"", "\"assistant\" or \"service\" or \"lab\""],
    );
    refused(
        "[memory]\nrelevance_threshold = 7\n",
        &["line 2", "`memory.relevance_threshold` is 7", "from 0 to 1"],
    );
    refused("[memory]\nqueue_max = -1\n", &["line 2", "is -1", "a whole number from 1 to 65536"]);
    refused(
        "[memory]\nsession_idle_minutes = \"banana\"\n",
        &["line 2", "\"banana\"", "a whole number from 1 to 1440"],
    );
    refused(
        "[memory]\nsession_idle_minutes = \"30\"\n",
        &["line 2", "\"30\"", "a whole number from 1 to 1440"],
    );
    refused("[memory]\nsession_idle_minutes = 30.0\n", &["line 2", "a whole number"]);
    refused("[memory]\nrelevance_threshold = nan\n", &["line 2", "is NaN", "from 0 to 1"]);
    refused("\n[mechanisms.decay]\ngrowth = 0.5\n", &["line 3", "growth", "from 1 to 10"]);
    refused(
        "[mechanisms.decay.stability_days]\n\nepisodic = 0\n",
        &["line 3", "stability_days.episodic", "0.1"],
    );
    refused("[mechanisms]\ndecay.growth = 0.5\n", &["line 2", "mechanisms.decay.growth"]);
    refused("[mechanisms.decay]\ndecay_rat = 0.1\n", &["line 2", "decay_rat", "`mechanisms.decay`"]);
    refused("[spaces]\nawake_max = 0\n", &["line 2", "awake_max"]);
    refused("[personality]\nopenness = 2\n", &["line 2", "openness", "from 0 to 1"]);
    refused("[memory]\nenabled = \"yes\"\n", &["line 2", "`memory.enabled` is \"yes\"", "true or false"]);
    refused("[user]\nname = 5\n", &["line 2", "is 5", "a text in quotes"]);
    refused("[user]\nname = \"\"\n", &["line 2", "user.name"]);
    refused("[user]\ntimezone = \"Atlantis\"\n", &["line 2", "Atlantis", "Europe/Oslo"]);
    refused(
        "[executor.shares]\ninstructions=0\nconversation=0\ncontext=0\nmessage=0\n",
        &["line", "above 0"],
    );
    refused("[embedding]\nprovider = \"folder\"\n", &["`embedding.path`", "where the model lies"]);
    refused("[memory]\ndata_dir = \"$HOME/x\"\n", &["line 2", "`memory.data_dir`", "not expanded"]);
}

#[test]
fn a_key_at_a_wrong_level_is_led_home() {
    refused("enabled = false\n", &["line 1", "`enabled`", "[memory]", "[mechanisms.decay]"]);
    refused("[personality]\nrelevance_threshold = 0.2\n", &["line 2", "belongs under [memory]"]);
    refused("[decay]\ngrowth = 2.0\n", &["line 1", "[mechanisms.decay]"]);
    refused("[memmory]\nenabled = false\n", &["line 1", "`memory`"]);
    refused("memory = 3\n", &["line 1", "`memory` is 3", "[memory]"]);
    refused("[memory.enabled]\nx = 1\n", &["line 1", "`memory.enabled`", "true or false"]);
    refused("[agents]\nname = \"ada\"\n", &["line 1", "[[agents]]"]);
    refused("agents = [3]\n", &["line 1", "[[agents]]"]);
}

#[test]
fn agents_are_checked_with_their_lines() {
    refused("[[agents]]\nname = \"ada\"\n\n[[agents]]\nnam = \"bob\"\n", &["line 5", "`nam`", "`name`"]);
    refused("[[agents]]\ninstructions = \"Be brief.\"\n", &["line 1", "name"]);
    refused("[[agents]]\nname = \"\"\n", &["line 2", "agents[0].name"]);
    refused(
        "[[agents]]\nname = \"ada\"\npersonality = { opennes = 1 }\n",
        &["line 3", "opennes", "openness"],
    );
    refused(
        "[[agents]]\nname = \"a\"\n[[agents]]\nname = \"b\"\npersonality.openness = 3\n",
        &["line 5", "is 3", "to 1"],
    );
    let settings =
        Story::new("[[agents]]\nname = \"bethink\"\npersonality = { openness = 0.9 }\n").load().unwrap();
    assert_eq!((settings.personality.openness, settings.personality.honesty), (0.9, 0.5));
}

#[test]
fn broken_files_are_refused_with_the_line_and_never_read_as_defaults() {
    let check = |text: &[u8], line: &str| refused(text, &[line]);
    check(b"[memory]\nenabled = true\nenabled = true\n", "line 3: duplicate key");
    check(b"[memory\n", "line 1");
    check(b"[memory]\nenabled = false\n\n[user]\nname = \"ad", "line 5");
    check(b"[memory]\nenabled =", "line 2");
    check(b"{ \"memory\": { \"enabled\": false } }\n", "line 1");
    check(b"[memory]\n\xef\xbb\xbfenabled = false\n", "line 2");
    check(b"[memory]\nenabled = false # caf\xe9\n", "line 2: this is not UTF-8");
    check(b"\xff\xfe[\0m\0e\0m\0o\0r\0y\0]\0", "line 1: this is UTF-16");
    check(b"\0[\0m\0e\0m\0o\0r\0y\0]", "line 1: this is UTF-16");
    check(b"[memory]\n\0\0\0\0", "line 2: this is UTF-16 or no text");
}

#[test]
fn marks_and_line_ends_of_other_systems_are_no_fault() {
    let enabled = |text: &str| Story::new(text).load().unwrap().memory.enabled;
    assert!(!enabled("\u{feff}[memory]\r\nenabled = false\r\n"));
    assert!(!enabled("[memory]\r\nenabled = false"));
    assert!(enabled(""));
    assert!(enabled("\u{feff}"));
}

#[test]
fn everything_wrong_is_told_at_once() {
    Story::new("[memory]\nprofil = \"lab\"\nqueue_max = 0\n[user]\nname = 3\n")
        .variables(&[("BETHINK__PLANNER__OVERVIEW_PER_GROUP", "many")])
        .set(&["memory.depth.memory=101", "memory.enabeld=false"])
        .refused(&[
            &["line 2", "profil"],
            &["line 3", "memory.queue_max"],
            &["line 5", "user.name"],
            &["BETHINK__PLANNER__OVERVIEW_PER_GROUP", "\"many\"", "a whole number from 1 to 100"],
            &["--set memory.enabeld", "`enabled`"],
            &["--set memory.depth.memory", "is 101", "from 0 to 100"],
        ]);
}

#[test]
fn the_environment_goes_over_the_file_and_the_command_line_over_both() {
    let file =
        "[memory]\nenabled = false\nqueue_max = 5\n[memory.depth]\nmemory = 1\n[user]\nname = \"file\"\n";
    let settings = Story::new(file)
        .variables(&[
            ("BETHINK__MEMORY__ENABLED", "true"),
            ("BETHINK__MEMORY__DEPTH__MEMORY", "6"),
            ("BETHINK__MECHANISMS__DECAY__ENABLED", "false"),
            ("BETHINK__USER__NAME", "12345"),
            ("BETHINK_SOME_SERVICE_KEY", "not ours"),
        ])
        .set(&["memory.depth.memory=7", "executor.instructions=a = b"])
        .load()
        .unwrap();
    let memory = &settings.memory;
    assert_eq!((memory.enabled, memory.queue_max, memory.depth.memory), (true, 5, 7));
    assert!(!settings.file.mechanisms.decay.enabled);
    assert_eq!((settings.user.as_str(), settings.file.executor.instructions.as_str()), ("12345", "a = b"));
    let origin = |path: &str| settings.layers.origin(path).to_string();
    assert!(origin("memory.queue_max").ends_with("bethink.toml: line 3"));
    assert_eq!(origin("memory.enabled"), "BETHINK__MEMORY__ENABLED in the environment");
    assert_eq!(origin("memory.depth.memory"), "--set memory.depth.memory");
    assert_eq!(origin("memory.depth.general"), "default");
}

#[test]
fn variables_that_set_nothing_are_refused() {
    let check = |name: &str, value: &str, fragments: &[&str]| {
        Story::new("").variables(&[(name, value)]).refused(&[&[&[name], fragments].concat()]);
    };
    check("BETHINK__MEMORY__ENABELD", "true", &["BETHINK__MEMORY__ENABLED"]);
    check("BETHINK__MEMORY_ENABLED", "true", &["BETHINK__MEMORY__ENABLED"]);
    check("BETHINK_MEMORY_ENABLED", "true", &["BETHINK__MEMORY__ENABLED"]);
    check("BETHINK__memory__enabled", "true", &["BETHINK__MEMORY__ENABLED"]);
    check("bethink__memory__enabled", "true", &["BETHINK__MEMORY__ENABLED"]);
    check("BETHINK__", "true", &["sets nothing"]);
    check("BETHINK__MEMORY", "true", &["sets nothing"]);
    check("BETHINK__AGENTS__0__NAME", "ada", &["[[agents]]", "in the file"]);
    check("BETHINK__MEMORY__ENABLED", "", &["is empty", "true or false"]);
    check("BETHINK__MEMORY__ENABLED", "yes", &["\"yes\"", "true or false"]);
    check("BETHINK__MEMORY__QUEUE_MAX", "1e3", &["\"1e3\"", "a whole number from 1 to 65536"]);
    check("BETHINK__MEMORY__QUEUE_MAX", "0", &["is 0", "from 1 to 65536"]);
    check("BETHINK__MEMORY__RELEVANCE_THRESHOLD", "inf", &["is inf", "from 0 to 1"]);
    check("BETHINK__MEMORY__PROFILE", "loud", &["\"loud\"", "\"lab\""]);
}

#[test]
fn options_that_set_nothing_are_refused() {
    let check = |given: &str, fragments: &[&str]| Story::new("").set(&[given]).refused(&[fragments]);
    check("memory.enabeld=true", &["--set memory.enabeld", "`enabled`"]);
    check("memory.enabled", &["is empty", "true or false"]);
    check("enabled=true", &["belongs under [memory]"]);
    check("memory=true", &["no key `memory`"]);
    check("agents.name=ada", &["[[agents]]"]);
    check("=", &["no key"]);
}

#[test]
fn paths_are_relative_to_what_holds_them() {
    let story = || Story::new("[memory]\ndata_dir = \"mem\"\n");
    let own = story();
    assert_eq!(own.load().unwrap().data_dir, own.dir.path().join("mem"));
    let check =
        |story: Story, expected: &str| assert_eq!(story.load().unwrap().data_dir, Path::new(expected));
    check(story().variables(&[("BETHINK__MEMORY__DATA_DIR", "other")]), "/elsewhere/other");
    check(story().set(&["memory.data_dir=~/other"]), "/home/ada/other");
    let folder = Story::new("[embedding]\nprovider = \"folder\"\npath = \"model\"\n");
    assert_eq!(folder.load().unwrap().file.embedding.path, Some(folder.dir.path().join("model")));
    let mut flag = story();
    flag.overrides.data_dir = Some(PathBuf::from("mem"));
    check(flag, "/elsewhere/mem");
    let mut none = story();
    none.overrides.config = None;
    check(none, "/home/ada/.local/share/bethink");
}

#[test]
fn a_file_that_cannot_be_read_is_no_absent_file() {
    let story = Story::new("");
    let home = story.dir.path().join("config");
    std::fs::create_dir_all(home.join("bethink").join("bethink.toml")).unwrap();
    let environment = Environment { config_home: Some(home), ..story.environment.clone() };
    let loaded = Settings::load_in(&Overrides::default(), &environment, Path::new("/"));
    assert!(matches!(loaded, Err(SettingsError::Unreadable { .. })), "{loaded:?}");
}

/// The shipped file is the catalogue of all keys: it must read as the defaults, and hold each field of each struct.
#[test]
fn the_shipped_file_shows_every_default() {
    let settings = Story::new(SHIPPED).load().expect("because the shipped file is right");
    assert_eq!(format!("{:?}", settings.file), format!("{:?}", File::default()));
    // A field that is none makes serde name those that are.
    let fields = |section: &str| {
        let refusal = fits(&format!("{section}.\u{1}"), &toml::Value::Integer(0)).unwrap_err();
        let (_, expected) = refusal.split_once("expected").unwrap_or_default();
        expected.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let catalogue = catalogue();
    for section in catalogue.sections.iter().filter(|section| !section.repeated) {
        let inner = catalogue
            .sections
            .iter()
            .filter_map(|inner| inner.path.strip_prefix(&format!("{}.", section.path)));
        let keys = catalogue.keys_of(&section.path).map(|key| key.name().to_owned());
        let shipped: BTreeSet<_> =
            keys.chain(inner.map(str::to_owned)).filter(|name| !name.contains('.')).collect();
        assert_eq!(shipped, fields(&section.path), "[{}] of config/bethink.toml", section.path);
    }
}

/// A range is enforced by the code; the comment that a person reads must not say another one.
#[test]
fn every_number_has_the_range_that_its_comment_says() {
    let mut numbers: BTreeMap<_, _> = bounds(&File::default()).into_iter().collect();
    let numeric = |key: &&Key| matches!(key.kind, Kind::Integer | Kind::Float) && !key.repeated;
    for key in catalogue().keys.iter().filter(numeric) {
        let number = numbers.remove(&key.path).unwrap_or_else(|| panic!("{} has no bounds", key.path));
        assert!(number.holds(), "{number}");
        let section = catalogue().sections.iter().find(|section| section.path == key.section()).unwrap();
        let comment = if key.about.is_empty() { &section.about } else { &key.about };
        let ends = [number.least, number.most].into_iter().filter(|end| end.is_finite());
        let missing: Vec<_> = ends.filter(|end| !comment.contains(&end.to_string())).collect();
        assert!(missing.is_empty(), "{}: {comment:?} does not say {missing:?}", key.path);
    }
    assert!(numbers.is_empty(), "these are no keys: {numbers:?}");
}

#[test]
fn the_reference_is_that_of_the_program() {
    let page = include_str!("../../../../docs/configuration.md");
    let reference = reference();
    let stale = reference.lines().zip(page.lines()).find(|(now, then)| now != then);
    assert!(page == reference, "run `bethink config reference > docs/configuration.md`: {stale:?}");
}

#[test]
fn extensions_are_checked_against_what_the_program_has() {
    let check = |text: &str, expected: &str| {
        let story = Story::new(text);
        let refused = story.load().and_then(|settings| settings.extensions(&ExtensionKinds::default()));
        let said = refused.unwrap_err().to_string();
        assert!(said.contains(expected), "{said:?} lacks {expected:?}");
    };
    check(
        "[[extensions]]\nkind = \"weather\"\n",
        "bethink.toml: line 2: `extensions.weather.kind`: unknown extension `weather`; this program has none",
    );
    check("[[extensions]]\nkind = \"w\"\nscope = \"planet\"\n", "line 3");
    check("[[extensions]]\nkind = \"w\"\ncity = \"Oslo\"\n", "there is no key `city` in [extensions]");
}

#[test]
fn a_registered_provider_can_be_chosen_from_every_place() {
    let mut story = Story::new("[language]\nprovider = \"mine\"\n");
    story.refused(&[&["\"mine\"", "\"extractive\""]]);
    story.overrides.registered.languages = vec!["mine".to_owned(), "other".to_owned()];
    assert_eq!(story.load().unwrap().registered("language.provider"), Some("mine"));
    let story = story.set(&["language.provider=other"]);
    assert_eq!(story.load().unwrap().registered("language.provider"), Some("other"));
    let story = story.set(&["language.provider=extractive"]);
    assert_eq!(story.load().unwrap().registered("language.provider"), None);
    let mut slip = Story::new("[language]\nprovider = \"mien\"\n");
    slip.overrides.registered.languages = vec!["mine".to_owned()];
    slip.refused(&[&["line 2", "or \"mine\""]]);
}

#[test]
fn settings_may_stand_in_code() {
    let mut story = Story::new("broken");
    story.overrides.text = Some("[memory]\ndata_dir = \"here\"\n[user]\nname = \"ada\"\n".to_owned());
    let settings = story.load().unwrap();
    assert_eq!((settings.user.as_str(), settings.data_dir), ("ada", PathBuf::from("/elsewhere/here")));
    story.overrides.text = Some("[memory]\nprofil = \"lab\"\n".to_owned());
    story.refused(&[&["settings in code: line 2", "profile"]]);
}

#[test]
fn webhooks_are_checked_with_their_lines() {
    refused("[[prospective.webhooks]]\nurl = \"example.org\"\n", &["line 2", "prospective.webhooks[0].url"]);
    refused(
        "[[prospective.webhooks]]\nurl = \"https://example.org\"\nsecret = \"x\"\n",
        &["line 3", "`secret`"],
    );
    refused("[[prospective.webhooks]]\nsecret_env = \"X\"\n", &["line 1", "url"]);
    let two = "[[prospective.webhooks]]\nurl = \"https://example.org/a\"\n\n[[prospective.webhooks]]\nurl = \"http://127.0.0.1/b\"\n";
    let settings = Story::new(two).load().unwrap();
    assert_eq!(settings.webhooks().unwrap().len(), 2);
    assert_eq!(settings.flows().iter().map(|flow| flow.local).collect::<Vec<_>>(), [false, true]);
}
