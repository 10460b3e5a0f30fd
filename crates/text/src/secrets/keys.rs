//! Keys and tokens, by the forms that services give them or by what they are called.

use std::sync::LazyLock;

use regex::Regex;

use super::{Secret, SecretKind};

/// A pattern whose first group, or else whole match, is the secret.
struct Pattern {
    kind: SecretKind,
    regex: Regex,
    /// Whether the secret must look random.
    random: bool,
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let pattern = |kind, random, regex: &str| Pattern {
        kind,
        random,
        regex: Regex::new(regex).expect("because the patterns are fixed and a test compiles them"),
    };
    vec![
        pattern(
            SecretKind::PrivateKey,
            false,
            r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
        ),
        // OpenAI and others, Stripe.
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}"),
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}"),
        // GitHub, GitLab, npm, PyPI, Hugging Face, DigitalOcean.
        pattern(
            SecretKind::ApiKey,
            false,
            r"(?-u:\b)(?:gh[pousr]|npm|hf|dop_v1|github_pat|glpat|pypi)[_-][A-Za-z0-9_-]{20,}",
        ),
        // AWS, Google, Slack, SendGrid.
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}(?-u:\b)"),
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)AIza[A-Za-z0-9_-]{30,}"),
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)ya29\.[A-Za-z0-9_-]{20,}"),
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}"),
        pattern(SecretKind::ApiKey, false, r"(?-u:\b)SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        pattern(
            SecretKind::Token,
            false,
            r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        ),
        pattern(SecretKind::Token, true, r"(?i)(?-u:\b)(?:bearer|basic)\s+([A-Za-z0-9._~+/-]{16,}=*)"),
        pattern(
            SecretKind::Password,
            false,
            r"(?i)(?-u:\b)[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{0,200}:([^\s/@]{1,200})@",
        ),
        pattern(
            SecretKind::ApiKey,
            true,
            concat!(
                r"(?i)(?:api|access|secret|private|signing|encryption|auth|license|licence|account|client)?[ _-]?",
                r"(?:key|secret|token|schlüssel|clave|clé|clef|jeton)(?-u:\b)",
                r#"(?:[ _-]?(?:id|key|value))?["'”]?\s*(?:is now|is|was|ist|lautet|es|est|:=|=>|[:=：])\s*["'“]?"#,
                r"([A-Za-z0-9+/_=.~-]{12,})",
            ),
        ),
    ]
});

pub(super) fn find(text: &str) -> Vec<Secret> {
    PATTERNS.iter().flat_map(|pattern| pattern.find(text)).collect()
}

impl Pattern {
    fn find(&self, text: &str) -> Vec<Secret> {
        let secrets = self.regex.captures_iter(text).filter_map(|captures| {
            let secret = captures.get(1).or(captures.get(0))?;
            (!self.random || looks_random(secret.as_str()))
                .then(|| Secret { kind: self.kind, span: secret.range() })
        });
        secrets.collect()
    }
}

/// Letters and digits mixed, as in no word or number.
fn looks_random(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic())
}
