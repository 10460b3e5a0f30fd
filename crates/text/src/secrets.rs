//! Secrets: what must not be written down is masked before anything is.

mod keys;
mod numbers;
mod passwords;
#[cfg(test)]
mod tests;

use std::ops::Range;

/// What was masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SecretKind {
    /// A payment card number that passes Luhn's check.
    CardNumber,
    /// An IBAN that passes its check.
    AccountNumber,
    /// A password or passphrase.
    Password,
    /// A PIN.
    Pin,
    /// A key of an interface or service.
    ApiKey,
    /// A token that opens a session: JWT, bearer.
    Token,
    /// A private key in PEM form.
    PrivateKey,
    /// A number by which a state knows a person for life, such as for social security.
    IdentityNumber,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// The text, with `[password removed]` or the like for each secret.
    pub text: String,
    /// What was masked, in order.
    pub found: Vec<SecretKind>,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Secret {
    kind: SecretKind,
    span: Range<usize>,
}

impl SecretKind {
    const ALL: [SecretKind; 8] = [
        SecretKind::CardNumber,
        SecretKind::AccountNumber,
        SecretKind::Password,
        SecretKind::Pin,
        SecretKind::ApiKey,
        SecretKind::Token,
        SecretKind::PrivateKey,
        SecretKind::IdentityNumber,
    ];

    /// What it is called, such as `password`.
    pub fn name(self) -> &'static str {
        self.mask().trim_start_matches('[').trim_end_matches(" removed]")
    }

    /// What stands in place of the secret.
    pub fn mask(self) -> &'static str {
        match self {
            SecretKind::CardNumber => "[card number removed]",
            SecretKind::AccountNumber => "[account number removed]",
            SecretKind::Password => "[password removed]",
            SecretKind::Pin => "[PIN removed]",
            SecretKind::ApiKey => "[key removed]",
            SecretKind::Token => "[token removed]",
            SecretKind::PrivateKey => "[private key removed]",
            SecretKind::IdentityNumber => "[identity number removed]",
        }
    }
}

/// Masking a secret can bring another to light next to it, but not often.
const PASSES_MAX: usize = 4;

/// Masks the secrets of a text: card, account and identity numbers, passwords and PINs, keys and tokens, private keys, and
/// passwords in addresses. Masking a masked text changes nothing.
///
/// Not masked: hints, phone numbers, dates, versions, identifiers (UUIDs, hashes) that nothing calls a secret.
pub fn mask_secrets(text: &str) -> Masked {
    let mut masked = Masked { text: text.to_owned(), found: Vec::new() };
    for _ in 0..PASSES_MAX {
        let secrets = secrets(&masked.text);
        if secrets.is_empty() {
            break;
        }
        masked.text = replaced(&masked.text, &secrets);
        masked.found.extend(secrets.iter().map(|secret| secret.kind));
    }
    masked
}

/// The secrets of a text, in order, none overlapping: of two the one that begins first, and then the longer.
fn secrets(text: &str) -> Vec<Secret> {
    let mut all = keys::find(text);
    all.extend(numbers::find(text));
    all.extend(passwords::find(text));
    all.sort_by_key(|secret| (secret.span.start, usize::MAX - secret.span.end));
    let mut end = 0;
    all.retain_mut(|secret| {
        let fresh = secret.span.start >= end;
        if fresh {
            end = secret.span.end;
        }
        fresh
    });
    all
}

fn replaced(text: &str, secrets: &[Secret]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for Secret { kind, span } in secrets {
        masked.push_str(&text[at..span.start]);
        masked.push_str(kind.mask());
        at = span.end;
    }
    masked.push_str(&text[at..]);
    masked
}
