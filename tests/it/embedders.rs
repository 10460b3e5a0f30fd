//! A memory whose embedder is configured away, from the command line.

use crate::binary::Home;

/// A server that is not there.
const AWAY: &str = "[embedding]\nprovider = \"openai\"\nmodel = \"mine\"\ndimensions = 8\nretries_max = 0\n\
                    base_url = \"http://127.0.0.1:9/v1\"\n";

#[test]
fn a_memory_of_another_embedder_serves_until_it_has_moved_or_is_refused_by_name() {
    let home = Home::new();
    home.ok(&["remember", "My bicycle is locked behind the bakery."], "");
    let config = home.path().join("bethink.toml");
    let config = config.to_str().unwrap();
    std::fs::write(config, AWAY).unwrap();
    let before = std::fs::read(home.data().join("spaces/bethink/me.redb")).unwrap();
    let found = home.ok(&["--config", config, "--json", "recall", "Where did I leave my bike?"], "");
    assert_eq!(
        found.objects()[0]["text"],
        "My bicycle is locked behind the bakery.",
        "by its meaning, since the embedded model is at hand: {found:?}"
    );
    let shown = &home.ok(&["--config", config, "--json", "embedder", "--all"], "").objects()[0];
    assert_eq!((&shown["same"], &shown["by_meaning"]), (&false.into(), &true.into()), "{shown}");
    assert!(shown["stored"].as_str().unwrap().starts_with("all-MiniLM-L6-v2"), "{shown}");
    let rehearsed = home.ok(&["--config", config, "embedder", "migrate", "--dry-run"], "");
    assert!(rehearsed.out.contains("1 memories would be embedded by mine"), "{rehearsed:?}");
    let after = std::fs::read(home.data().join("spaces/bethink/me.redb")).unwrap();
    assert!(before == after, "who only looks moves nothing");
    let cancelled = home.ok(&["--config", config, "embedder", "migrate", "--cancel"], "");
    assert!(cancelled.out.contains("called off") || cancelled.out.contains("background"), "{cancelled:?}");
    let refused =
        home.run(&["--config", config, "--set", "embedding.on_change=refuse", "recall", "bike"], "");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.err.contains("all-MiniLM-L6-v2") && refused.err.contains("`mine`"), "{refused:?}");
    let same = &home.ok(&["--json", "embedder", "migrate"], "").objects()[0];
    assert_eq!(same["same"], true, "nothing is to be done: {same}");
}
