//! What somebody may have meant who wrote a key that is none.

use crate::catalogue::{Catalogue, last};

/// How alike a name must be to be offered, 0 to 1 (normalised Damerau–Levenshtein). A slip in four letters is alike.
const ALIKE: f64 = 0.6;
/// How alike its beginning must make it: `decay_rat` for `decay` (Jaro–Winkler).
const BEGINS_ALIKE: f64 = 0.88;
/// Names of a section that are listed when nothing is alike.
const LISTED_MAX: usize = 12;

/// How alike two names are, 0 to 1, and 0 when that is too little to offer one for the other.
pub(crate) fn likeness(given: &str, name: &str) -> f64 {
    let (given, name) = (given.to_lowercase(), name.to_lowercase());
    let edits = strsim::normalized_damerau_levenshtein(&given, &name);
    let beginning = strsim::jaro_winkler(&given, &name);
    if edits >= ALIKE || beginning >= BEGINS_ALIKE { edits.max(beginning) } else { 0.0 }
}

/// The name most alike, if one is alike at all.
pub(crate) fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored =
        names.into_iter().map(|name| (likeness(given, name), name)).filter(|(score, _)| *score > 0.0);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// Names under which people write down the key of a service.
const OPEN_KEYS: [&str; 6] = ["api_key", "api-key", "apikey", "key", "token", "secret"];

/// A sentence on what an unknown name of a section may have been meant to be.
pub(crate) fn hint(catalogue: &Catalogue, section: &str, given: &str) -> String {
    if OPEN_KEYS.contains(&given.to_lowercase().as_str()) {
        return "a key of a service does not belong here, where it is read, shown and copied: put it into an \
                environment variable and name that as `api_key_env`, or into a file and name that as `api_key_file`"
            .to_owned();
    }
    let here: Vec<&str> = names_of(catalogue, section);
    if let Some(name) = nearest(given, here.iter().copied()) {
        return format!("did you mean `{name}`?");
    }
    // The same name at another level, then one like it.
    let places: Vec<&str> = catalogue
        .keys
        .iter()
        .filter(|key| key.name() == given)
        .map(|key| key.section())
        .chain(
            catalogue
                .sections
                .iter()
                .filter(|known| last(&known.path) == given)
                .map(|known| known.path.as_str()),
        )
        .collect();
    if !places.is_empty() {
        let named: Vec<String> = places
            .iter()
            .map(|place| {
                if last(place) == given {
                    format!("[{place}] is a section of its own")
                } else {
                    format!("it belongs under [{place}]")
                }
            })
            .collect();
        return named.join(", or ");
    }
    let elsewhere = catalogue.keys.iter().map(|key| key.path.as_str());
    let sections = catalogue.sections.iter().map(|known| known.path.as_str());
    let alike = elsewhere
        .chain(sections)
        .map(|path| (likeness(given, last(path)), path))
        .filter(|(score, _)| *score > 0.0)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, path)) = alike {
        return format!("did you mean `{path}`?");
    }
    let more = if here.len() > LISTED_MAX { ", …" } else { "" };
    let listed: Vec<String> = here.iter().take(LISTED_MAX).map(|name| format!("`{name}`")).collect();
    format!("known are {}{more}", listed.join(", "))
}

/// Names of keys and sections that stand directly in a section.
fn names_of<'a>(catalogue: &'a Catalogue, section: &'a str) -> Vec<&'a str> {
    let below = move |path: &'a str| {
        let rest = if section.is_empty() { path } else { path.strip_prefix(section)?.strip_prefix('.')? };
        rest.split('.').next()
    };
    let keys = catalogue.keys_of(section).map(|key| key.name());
    let sections = catalogue.sections.iter().filter_map(|known| below(&known.path));
    let mut names: Vec<&str> = keys.chain(sections).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::catalogue;

    #[test]
    fn slips_are_led_back() {
        let check = |section: &str, given: &str, fragment: &str| {
            let hint = hint(catalogue(), section, given);
            assert!(hint.contains(fragment), "{section} {given}: {hint}");
        };
        check("memory", "profil", "`profile`");
        check("memory", "relevence_treshold", "`relevance_threshold`");
        check("memory", "Enabled", "`enabled`");
        check("memory", "stability_max_days", "[mechanisms.decay]");
        check("personality", "relevance_threshold", "it belongs under [memory]");
        check("", "memmory", "`memory`");
        check("", "decay", "[mechanisms.decay]");
        check("", "sessions_maximum", "`executor.sessions_max`");
        check("mechanisms.decay", "decay_rat", "`mechanisms.decay`");
        check("user", "zzz", "`name`, `timezone`");
    }
}
