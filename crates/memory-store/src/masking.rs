//! Secrets are masked before anything is written.

use bethink_text::mask_secrets;

/// A text without secrets, and the kinds that were found in it.
pub(crate) fn masked(text: &str) -> (String, Vec<&'static str>) {
    let masked = mask_secrets(text);
    let mut kinds = Vec::new();
    join(&mut kinds, &masked.found.iter().map(|kind| kind.name()).collect::<Vec<_>>());
    (masked.text, kinds)
}

/// Adds kinds that are not in the list yet.
pub(crate) fn join(kinds: &mut Vec<&'static str>, more: &[&'static str]) {
    for kind in more {
        if !kinds.contains(kind) {
            kinds.push(kind);
        }
    }
}
