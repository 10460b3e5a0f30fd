//! Names of events: what was said ("when the deployment completes") and what is raised (`deploy.finished`) are the same
//! event when they name the same thing and the same turn of it.

use std::collections::BTreeSet;

use bethink_text::terms;

/// Words for the turns that things take, by what they stand for.
const TURNS: &[(&str, &[&str])] = &[
    (
        "finished",
        &["finish", "complet", "done", "end", "readi", "succeed", "success", "pass", "over", "close", "land"],
    ),
    ("failed", &["fail", "failur", "break", "broken", "broke", "crash", "error", "abort", "red"]),
    ("started", &["start", "begin", "began", "begun", "launch", "open"]),
    ("arrived", &["arriv", "come", "came", "deliv", "deliveri"]),
];

/// What the name of an event stands for; the same for every way of naming it.
pub(crate) fn event_key(name: &str) -> String {
    let spaced: String =
        name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    let turn = |stem: &str| TURNS.iter().find(|(_, words)| words.contains(&stem)).map(|(turn, _)| *turn);
    // "Done" and "over" are words that a search leaves out, and the turns of things all the same.
    let words: BTreeSet<String> = terms(&spaced.to_lowercase())
        .into_iter()
        .filter_map(|term| match turn(&term.stem) {
            Some(turn) => Some(turn.to_owned()),
            None => (!term.stop).then(|| term.stem.to_string()),
        })
        .collect();
    if words.is_empty() {
        name.trim().to_lowercase()
    } else {
        words.into_iter().collect::<Vec<_>>().join(" ")
    }
}

/// Whether two names stand for the same event.
#[must_use]
pub fn same_event(one: &str, other: &str) -> bool {
    event_key(one) == event_key(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_known_by_every_way_of_naming_it() {
        for (said, raised, same) in [
            ("the deployment completes", "deploy.finished", true),
            ("the deployment is done", "deployment-completed", true),
            ("the deployment completes", "deploy.failed", false),
            ("the build fails", "build.failed", true),
            ("the build fails", "build.finished", false),
            ("deploy.finished", "deploy.finished", true),
            ("DEPLOY_FINISHED", "deploy.finished", true),
            ("the parcel arrives", "parcel.delivered", true),
            ("the backup finishes", "deploy.finished", false),
            ("…", "…", true),
        ] {
            assert_eq!(event_key(said) == event_key(raised), same, "{said} / {raised}");
        }
    }
}
