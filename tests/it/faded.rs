//! Looking through what has faded.

use crate::binary::Home;
use crate::serving::Serving;

#[test]
fn what_has_faded_is_found_when_asked_for_and_says_so_through_both_doors() {
    let home = Home::new();
    // The bare numbers let a fact of long ago fade, and words alone are enough to find it.
    let bare = ["--set", "memory.profile=lab", "--set", "embedding.provider=none"];
    let with = |more: &[&'static str]| [&bare[..], more].concat();
    home.ok(
        &with(&["remember", "--at", "2020-03-02T08:00:00Z", "The bakery on Elm Street closes at three."]),
        "",
    );
    home.ok(&with(&["remember", "The bakery on Oak Street closes at five."]), "");
    let look = |door: &str| {
        let found = home.ok(&with(&["recall", "bakery on Elm Street"]), "");
        assert!(found.out.contains("Oak Street") && !found.out.contains("at three"), "{door}: {found:?}");
        let faded = home.ok(&with(&["recall", "bakery on Elm Street", "--faded"]), "");
        assert!(faded.out.contains("closes at three.  [faded since 2020-"), "{door}: {faded:?}");
        assert!(!faded.out.contains("Oak Street"), "{door}: {faded:?}");
        let objects = home.ok(&with(&["--json", "recall", "bakery on Elm Street", "--faded"]), "").objects();
        assert_eq!(objects[0]["faded"], true, "{door}: {objects:?}");
        let since = objects[0]["faded_at"].as_str().unwrap_or_default();
        assert!(since.starts_with("2020-"), "{door}: {objects:?}");
        assert_eq!(objects.len(), 2, "one memory and the summary, {door}: {objects:?}");
    };
    look("its own process");
    let serving = Serving::start(&home, &bare);
    look("the socket");
    assert_eq!(serving.stop().0, Some(0));
}
