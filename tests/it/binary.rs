//! Running the real binary in a home of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A home directory, and the memory in it.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// The binary, with nothing of the machine's own settings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bethink"));
        command.env_clear().env("HOME", self.path()).env("TZ", "UTC").current_dir(self.path());
        command.arg("--data-dir").arg(self.data()).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end with the given input.
    pub(crate) fn run(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        finish(self.command(arguments).spawn().unwrap(), input.as_ref())
    }

    /// Runs it, and expects success.
    pub(crate) fn ok(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let ran = self.run(arguments, input);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran
    }

    /// Says lines in a chat, and gives the reply to each.
    pub(crate) fn chat(&self, lines: &[&str]) -> Vec<String> {
        let ran = self.ok(&["--json", "chat"], lines.join("\n"));
        let replies = ran.objects().into_iter().filter(|object| object["event"] == "answered");
        replies.map(|object| object["reply"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The texts of all living memories, newest first.
    pub(crate) fn memories(&self) -> Vec<String> {
        let ran = self.ok(&["--json", "memory", "list"], "");
        ran.objects().iter().map(|trace| trace["text"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Standard output as JSON objects, one a line.
    pub(crate) fn objects(&self) -> Vec<serde_json::Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(parse).collect()
    }

    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("because the binary prints UTF-8");
        let ran = Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ran.err.contains("panicked at"), "{ran:?}");
        ran
    }
}

/// Gives a child its input and waits for its end.
pub(crate) fn finish(mut child: Child, input: &[u8]) -> Ran {
    let mut stdin = child.stdin.take().expect("because it is piped");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A command that refuses its arguments never reads its input.
            drop(stdin.write_all(input));
        });
        Ran::of(child.wait_with_output().unwrap())
    })
}

impl Home {
    /// True when a text stands anywhere below the home directory.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let mut dirs = vec![self.path().to_owned()];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    dirs.push(path);
                } else if path.is_file() {
                    let bytes = std::fs::read(&path).unwrap();
                    if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                        return true;
                    }
                }
            }
        }
        false
    }
}
