//! A binary of one's own has every command, with its extensions.

use std::path::PathBuf;
use std::process::Command;

/// The example, which `cargo test` builds with the tests; `--test it` alone does not.
fn binary() -> Option<PathBuf> {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_bethink")).with_file_name("examples").join("own_binary");
    built.exists().then_some(built)
}

fn run(config: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("own.toml");
    std::fs::write(&file, config).unwrap();
    let mut command = Command::new(binary().unwrap());
    command.env_clear().env("HOME", home.path()).arg("--config").arg(&file).args(arguments);
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn its_extensions_run_under_every_command() {
    if binary().is_none() {
        return;
    }
    let sound = "[[extensions]]\nkind = \"weather\"\n[extensions.settings]\ncity = \"Oslo\"\n";
    let check = |config: &str, arguments: &[&str], code: i32, expected: &str| {
        let (ended, said) = run(config, arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said:?} lacks {expected:?}");
    };
    check(sound, &["config", "check"], 0, "nothing is wrong");
    check(sound, &["remember", "The boiler is in the cellar."], 0, "The boiler is in the cellar.");
    check(sound, &["--version"], 0, "weatherman 0.3.0");
    check(sound, &["--help"], 0, "Usage: weatherman");
    check(
        "[[extensions]]\nkind = \"weather\"\n[extensions.settings]\ncity = 7\n",
        &["remember", "The boiler is in the cellar."],
        2,
        "own.toml: line 4: `extensions.weather.settings.city`: invalid type: integer `7`, expected a string",
    );
    check(
        "[[extensions]]\nkind = \"wether\"\n",
        &["config", "check"],
        2,
        "line 2: `extensions.wether.kind`: unknown extension `wether`; there are: weather",
    );
}
