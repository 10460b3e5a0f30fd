//! The configuration, through the binary: what is refused, what is in force, what leaves the machine.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::binary::{Home, Ran, finish};

impl Home {
    /// Writes a configuration file where it is found without being named.
    fn configure(&self, file: impl AsRef<[u8]>) {
        let dir = self.path().join(".config").join("bethink");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("bethink.toml"), file).unwrap();
    }

    fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        finish(command.envs(variables.iter().copied()).spawn().unwrap(), b"")
    }

    /// The value in force, and the place that it came from.
    fn in_force(&self, key: &str, variables: &[(&str, &str)], options: &[&str]) -> (Value, Value) {
        let (section, name) = key.rsplit_once('.').unwrap();
        let ran = self.run_with(variables, &[options, &["--json", "config", "show", section]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let found = ran.objects().into_iter().find(|it| it["section"] == section && it["key"] == name);
        let found = found.unwrap_or_else(|| panic!("{key} is not shown: {ran:?}"));
        (found["value"].clone(), found["origin"].clone())
    }
}

/// Neither a command nor `config check` lets the file pass, and both say all fragments.
fn refused(file: impl AsRef<[u8]>, fragments: &[&str]) {
    let home = Home::new();
    home.configure(file);
    for arguments in [&["config", "check"][..], &["memory", "list"], &["chat"], &["config", "show"]] {
        let ran = home.run(arguments, "");
        assert!(ran.code == Some(2) && ran.out.is_empty(), "{arguments:?}: {ran:?}");
        for fragment in [&["bethink.toml: line "][..], fragments].concat() {
            assert!(ran.err.contains(fragment), "{arguments:?} lacks {fragment:?}: {}", ran.err);
        }
    }
    assert!(!home.data().exists(), "something was started");
}

#[test]
fn no_unknown_or_misplaced_key_is_passed_over() {
    refused("[mechanisms.decay]\ndecay_rat = 0.1\n", &["line 2", "`decay_rat`", "`mechanisms.decay`"]);
    refused("[memory]\nprofil = \"lab\"\n", &["line 2", "`profil`", "`profile`"]);
    refused("[personality]\nrelevance_threshold = 0.2\n", &["line 2", "belongs under [memory]"]);
    refused("relevance_threshold = 0.2\n", &["line 1", "belongs under [memory]"]);
    refused("[server]\nhost = \"0.0.0.0\"\nport = 80\n", &["server"]);
    refused(
        "[memory]\nsession_idle_minutes = \"banana\"\n",
        &["line 2", "\"banana\"", "a whole number from 1 to 1440"],
    );
    refused("[memory]\nenabled = true\nenabled = false\n", &["line 3", "duplicate"]);
    refused("[memory]\n[user]\n[memory]\n", &["line 3", "duplicate"]);
}

#[test]
fn no_broken_file_is_read_as_defaults() {
    let utf16: Vec<u8> =
        "\u{feff}[memory]\nenabled = false\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused(utf16, &["line 1", "UTF-16"]);
    refused("[memory]\n\u{feff}enabled = false\n", &["line 2"]);
    refused("[memory]\nenabled = false\n[user]\nname = \"ad", &["line 4"]);
    refused("{\"memory\": {\"enabled\": false}}\n", &["line 1"]);
    let check = |file: &str, enabled: bool| {
        let home = Home::new();
        home.configure(file);
        home.ok(&["config", "check"], "");
        assert_eq!(home.in_force("memory.enabled", &[], &[]).0, enabled, "{file:?}");
    };
    check("\u{feff}[memory]\nenabled = false\n", false);
    check("[memory]\r\nenabled = false\r\n", false);
    check("\u{feff}[memory]\r\nenabled = false\r\n", false);
    check("", true);
}

#[test]
fn a_stronger_place_wins_and_is_named() {
    let home = Home::new();
    let key = "memory.depth.memory";
    let variable = [("BETHINK__MEMORY__DEPTH__MEMORY", "6")];
    let (value, origin) = home.in_force(key, &[], &[]);
    assert_eq!((value, origin["from"].as_str()), (8.into(), Some("default")));
    home.configure("# Mine.\n[memory.depth]\nmemory = 5\n");
    let (value, origin) = home.in_force(key, &[], &[]);
    assert_eq!((value, origin["from"].as_str(), origin["line"].as_u64()), (5.into(), Some("file"), Some(3)));
    let (value, origin) = home.in_force(key, &variable, &[]);
    assert_eq!((value, origin["name"].as_str()), (6.into(), Some(variable[0].0)));
    let (value, origin) = home.in_force(key, &variable, &["--set", "memory.depth.memory=7"]);
    assert_eq!((value, origin["from"].as_str()), (7.into(), Some("flag")));
}

#[test]
fn what_the_environment_sets_is_in_force() {
    let home = Home::new();
    let ran =
        home.run_with(&[("BETHINK__MEMORY__ENABLED", "false")], &["remember", "My dog is called Pepper."]);
    assert!(ran.code == Some(2) && ran.err.contains("switched off"), "{ran:?}");
    let ran = home.run(&["--set", "memory.enabled=false", "recall", "dog"], "");
    assert!(ran.code == Some(2) && ran.err.contains("switched off"), "{ran:?}");
    let ran = home.run_with(&[("BETHINK__MEMORY__ENABELD", "false")], &["memory", "list"]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean BETHINK__MEMORY__ENABLED?"), "{ran:?}");
}

#[test]
fn what_is_shown_can_be_given_back() {
    let home = Home::new();
    home.configure("[user]\nname = \"ada\"\ntimezone = \"Europe/Oslo\"\n[[agents]]\nname = \"bob\"\npersonality = { openness = 0.9 }\n");
    let shown = home.ok(&["config", "show"], "").out;
    let copy = home.path().join("copy.toml");
    std::fs::write(&copy, &shown).unwrap();
    let copy = copy.to_str().unwrap();
    home.ok(&["config", "check", copy], "");
    let values = |ran: Ran| {
        let lines = ran.out.lines().filter_map(|line| line.split("  # ").next());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        values(home.ok(&["--config", copy, "config", "show"], "")),
        values(home.ok(&["config", "show"], ""))
    );
    let changed = home.ok(&["config", "show", "user", "--changed"], "").out;
    assert_eq!(changed.lines().count(), 3, "{changed}");
}

#[test]
fn every_mistake_is_an_object() {
    let home = Home::new();
    home.configure("[memory]\nprofil = \"lab\"\nqueue_max = 0\n");
    let ran = home.run(&["--json", "config", "check"], "");
    let objects = ran.objects();
    assert_eq!((ran.code, objects.len()), (Some(2), 3), "{objects:?}");
    assert_eq!(
        (objects[0]["key"].as_str(), objects[0]["origin"]["line"].as_u64()),
        (Some("memory.profil"), Some(2))
    );
    assert_eq!(
        (objects[1]["key"].as_str(), objects[1]["origin"]["line"].as_u64()),
        (Some("memory.queue_max"), Some(3))
    );
    assert_eq!(objects[2]["ok"], false);
}

#[test]
fn a_secret_in_a_wrong_place_is_not_repeated() {
    let home = Home::new();
    let secret = "sk-proj-Zq8vT3nLw5Yx2Kd7Rb9Mf4Hc6Js1Pa0Ge";
    home.configure(format!(
        "[user]\nname = \"me\"\n[memory]\nqueue_max = \"{secret}\"\nprofile = \"{secret}\"\n"
    ));
    let ran = home.run(&["config", "check"], "");
    assert!(ran.code == Some(2) && !ran.err.contains(secret), "{}", ran.err);
    home.configure(format!("[executor]\ninstructions = \"Your key is {secret}\"\n"));
    for arguments in [&["config", "show"][..], &["--json", "config", "show"]] {
        assert!(!home.ok(arguments, "").out.contains(secret));
    }
}

#[test]
fn by_default_nothing_leaves_the_machine() {
    let home = Home::new();
    assert_eq!(home.ok(&["config", "show", "--egress"], "").out, "nothing leaves this machine\n");
    assert_eq!(home.ok(&["--json", "config", "show", "--egress"], "").out, "");
}

#[test]
fn a_full_device_is_an_error_here_too() {
    let home = Home::new();
    for arguments in [&["config", "show"][..], &["config", "reference"], &["config", "check"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = finish(home.command(arguments).stdout(Stdio::from(full)).spawn().unwrap(), b"");
        assert!(ran.code == Some(5) && !ran.err.is_empty(), "{arguments:?}: {ran:?}");
    }
}

/// A folder with a model of the same size as the embedded one, which a further word in its vocabulary makes another.
fn other_model(home: &Home) -> std::path::PathBuf {
    let folder = home.path().join("other-model");
    std::fs::create_dir(&folder).unwrap();
    let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../providers/model");
    let copy = |from: &str, to: &str| std::fs::copy(model.join(from), folder.join(to)).unwrap();
    copy("minilm-l6-int8.onnx", "model.onnx");
    copy("minilm-l6-int8.onnx.data", "minilm-l6-int8.onnx.data");
    let vocabulary = std::fs::read_to_string(model.join("vocab.txt")).unwrap();
    std::fs::write(folder.join("vocab.txt"), vocabulary + "zzz\n").unwrap();
    folder
}

#[test]
fn vectors_of_another_model_of_the_same_size_are_never_mixed() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let folder = other_model(&home);
    let path = format!("embedding.path={}", folder.display());
    let moves = ["--set", "embedding.provider=folder", "--set", &path];
    let other = [&moves[..], &["--set", "embedding.on_change=refuse"]].concat();
    let files = || {
        let mut found = Vec::new();
        let mut dirs = vec![home.data()];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    dirs.push(path);
                } else if path.extension().is_some_and(|ending| ending == "redb") {
                    found.push((std::fs::read(&path).unwrap(), path));
                }
            }
        }
        found
    };
    let before = files();
    assert_eq!(before.len(), 1, "a space has one file");
    for arguments in [&["recall", "where is the boiler?"][..], &["remember", "The fuse box is in the hall."]]
    {
        let ran = home.run(&[&other[..], arguments].concat(), "");
        assert_eq!(ran.code, Some(4), "{arguments:?}: {ran:?}");
        for fragment in ["all-MiniLM-L6-v2-int8", "other-model", "configure the former again"] {
            assert!(ran.err.contains(fragment), "{arguments:?} lacks {fragment:?}: {}", ran.err);
        }
    }
    assert!(files() == before, "the refused file was touched");
    assert!(home.ok(&["recall", "where is the boiler?"], "").out.contains("cellar"));
    let fresh =
        home.ok(&[&other[..], &["--user", "other", "remember", "The fuse box is in the hall."]].concat(), "");
    assert!(!fresh.out.is_empty());
    let none = home
        .run(&["--set", "embedding.provider=folder", "--set", "embedding.path=/nowhere", "recall", "x"], "");
    assert!(none.code == Some(6) && none.err.contains("/nowhere"), "{none:?}");
    let moved = home.ok(&[&moves[..], &["embedder", "migrate"]].concat(), "");
    assert!(moved.out.contains("other-model") && moved.out.contains("serves"), "{moved:?}");
    assert!(home.ok(&[&other[..], &["recall", "where is the boiler?"]].concat(), "").out.contains("cellar"));
}

/// A server whose vectors depend on the model's name: those of the second are turned by a right angle.
fn embeddings() -> bethink_testkit::ModelServer {
    bethink_testkit::ModelServer::choosing(|seen| {
        let asked = seen.json();
        let turned = asked["model"] == "second";
        let texts = asked["input"].as_array().cloned().unwrap_or_default();
        let vector = |text: &Value| {
            let near = if text.as_str().unwrap_or_default().contains("boiler") { 1.0 } else { 0.2 };
            let (x, y) = (near, 1.0 - near);
            if turned { json!([-y, x, 0.0]) } else { json!([x, y, 0.0]) }
        };
        let data: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| json!({ "index": index, "embedding": vector(text) }))
            .collect();
        bethink_testkit::Act::Body(json!({ "data": data }).to_string())
    })
}

#[test]
fn a_server_whose_model_is_exchanged_for_one_of_the_same_size_is_refused_by_name() {
    let (home, server) = (Home::new(), embeddings());
    let configure = |model: &str| {
        home.configure(format!(
            "[embedding]\nprovider = \"openai\"\nmodel = \"{model}\"\nbase_url = \"{}/v1\"\ndimensions = 3\n\
             on_change = \"refuse\"\n",
            server.url()
        ));
    };
    configure("first");
    home.ok(&["remember", "The boiler is in the cellar."], "");
    assert!(home.ok(&["recall", "where is the boiler?"], "").out.contains("cellar"));
    assert!(!server.seen().is_empty());
    configure("second");
    for arguments in [&["recall", "where is the boiler?"][..], &["remember", "The fuse box is in the hall."]]
    {
        let ran = home.run(arguments, "");
        assert_eq!(ran.code, Some(4), "{arguments:?}: {ran:?}");
        for fragment in ["first", "second", "configure the former again"] {
            assert!(ran.err.contains(fragment), "{arguments:?} lacks {fragment:?}: {}", ran.err);
        }
    }
    configure("first");
    assert_eq!(home.memories(), ["The boiler is in the cellar."]);
    let egress = home.ok(&["--json", "config", "show", "--egress"], "").objects();
    assert_eq!((egress[0]["key"].as_str(), egress.len()), (Some("embedding"), 1));
}

#[test]
fn a_server_that_is_gone_costs_vectors_and_nothing_else() {
    let home = Home::new();
    let configure = |url: &str| {
        home.configure(format!(
            "[embedding]\nprovider = \"openai\"\nmodel = \"first\"\nbase_url = \"{url}\"\ndimensions = 3\nretries_max = 0\n"
        ));
    };
    configure("http://127.0.0.1:1/v1");
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let said = home.ok(&["--json", "chat"], "Where is the boiler?").objects();
    let answered = said.iter().find(|object| object["event"] == "answered").unwrap();
    let reply = answered["reply"].as_str().unwrap();
    assert!(reply.contains("cellar") && reply.contains("only search by words"), "{reply}");
    let server = embeddings();
    configure(&format!("{}/v1", server.url()));
    home.ok(&["chat"], "Hello there, what do you know of the boiler?");
    let asked: String = server.seen().iter().map(|seen| seen.body.clone()).collect();
    assert!(asked.contains("in the cellar"), "the vector did not follow: {asked}");
}
