//! Stories of configuration files.

use std::path::{Path, PathBuf};

use super::*;

fn refused(text: &str, fragments: &[&str]) {
    let reason = parse(text).expect_err("because the file is wrong");
    for fragment in fragments {
        assert!(reason.contains(fragment), "{text:?}: {reason:?} lacks {fragment:?}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    refused("[memory]\nprofil = \"lab\"\n", &["line 2", "profil", "profile"]);
    refused("[memory]\nprofile = \"loud\"\n", &["line 2", "loud", "assistant"]);
    refused("[memory]\nrelevance_threshold = 7\n", &["line 2", "relevance_threshold", "0 to 1"]);
    refused("\n[mechanisms.decay]\ngrowth = 0.5\n", &["line 3", "growth", "1 to 10"]);
    refused("[spaces]\nawake_max = 0\n", &["line 2", "awake_max"]);
    refused("[personality]\nopenness = 2\n", &["line 2", "openness", "0 to 1"]);
    refused("[server]\nport = 1\n", &["line 1", "server"]);
    refused("[memory]\nenabled = \"yes\"\n", &["line 2", "boolean"]);
    refused("[memory]\nenabled = true\nenabled = true\n", &["line 3", "duplicate"]);
    refused("[memory\n", &["line 1"]);
}

#[test]
fn marks_and_line_ends_of_other_systems_are_no_fault() {
    assert!(!parse("\u{feff}[memory]\r\nenabled = false\r\n").unwrap().memory.enabled);
    assert!(parse("").unwrap().memory.enabled);
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bethink.toml");
    std::fs::write(&path, b"\xff\xfe[\0m\0e\0m\0o\0r\0y\0]\0").unwrap();
    assert!(matches!(read(&path), Err(SettingsError::Unreadable { .. })));
    std::fs::write(&path, "[memory]\n\u{feff}enabled = false\n").unwrap();
    assert!(
        matches!(read(&path), Err(SettingsError::Invalid { .. })),
        "a mark in the middle is no white space"
    );
}

#[test]
fn paths_are_relative_to_what_holds_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bethink.toml");
    std::fs::write(&path, "[memory]\ndata_dir = \"mem\"\n").unwrap();
    let environment = Environment { home: Some(PathBuf::from("/home/ada")), ..Environment::default() };
    let load = |overrides: Overrides| {
        Settings::load_in(&overrides, &environment, Path::new("/elsewhere")).unwrap().data_dir
    };
    let config = Some(path.clone());
    assert_eq!(load(Overrides { config: config.clone(), ..Overrides::default() }), dir.path().join("mem"));
    let flag = Some(PathBuf::from("mem"));
    assert_eq!(
        load(Overrides { config, data_dir: flag, ..Overrides::default() }),
        Path::new("/elsewhere/mem")
    );
    assert_eq!(load(Overrides::default()), Path::new("/home/ada/.local/share/bethink"));
}

/// The shipped file is the reference of all keys: it must read as the defaults, and name each of them.
#[test]
fn the_shipped_file_shows_every_default() {
    let text = include_str!("../../../../config/bethink.toml");
    let file = parse(text).expect("because the shipped file is right");
    let defaults = format!("{:?}", File::default());
    assert_eq!(format!("{file:?}"), defaults);
    // The debug form names every field as `name: `. The Planner's switch stands as `enabled` under `[memory]`.
    let elsewhere = ["remembers"];
    for field in defaults.split([' ', '{', ',']).filter_map(|part| part.strip_suffix(':')) {
        let shown = text.lines().any(|line| {
            let line = line.trim_start_matches(['#', ' ']);
            let mut sections = line.trim_matches(['[', ']']).split('.');
            line.starts_with(&format!("{field} ="))
                || line.starts_with('[') && sections.any(|section| section == field)
        });
        assert!(shown || elsewhere.contains(&field), "config/bethink.toml does not show `{field}`");
    }
}
