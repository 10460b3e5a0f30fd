//! Keys: masked wherever they could be printed, and known by where they come from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Longest file that is taken for a key, in bytes. Keys have some hundred.
const KEY_FILE_BYTES_MAX: u64 = 16_384;

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Takes a text, without white space around it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text.trim()))
    }

    /// The text itself, for the one header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(masked)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(masked)")
    }
}

/// The key of a language model, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiKey {
    /// None is configured: servers on one's own machine seldom ask for one.
    NotConfigured,
    /// It is known.
    Known {
        /// Where it comes from, in words: `it comes from the environment variable X`.
        from: String,
        /// The key.
        key: Secret,
    },
    /// It is configured and not there. Memory works all the same; each turn says what is missing.
    Missing {
        /// What to do.
        advice: String,
    },
}

impl ApiKey {
    /// The key in an environment variable that was looked up.
    #[must_use]
    pub fn of_variable(name: &str, value: Option<Secret>) -> Self {
        match value.filter(|key| !key.reveal().is_empty()) {
            Some(key) => Self::known(format!("it comes from the environment variable {name}"), key),
            None => Self::Missing { advice: format!("set the environment variable {name} to it") },
        }
    }

    /// Reads the key that is the content of a file. Others who can read the file are warned of.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        let shown = path.display();
        match read(path) {
            Ok((key, open)) => {
                if open {
                    tracing::warn!(path = %shown, "others can read this key; take the right from them with chmod 600");
                }
                Self::known(format!("it comes from {shown}"), key)
            }
            Err(reason) => Self::Missing { advice: format!("write it into {shown} ({reason})") },
        }
    }

    fn known(from: String, key: Secret) -> Self {
        // A header can carry nothing else, and an error about it would show what it could not carry.
        if key.reveal().bytes().all(|b| b.is_ascii_graphic()) {
            Self::Known { from, key }
        } else {
            Self::Missing { advice: format!("it must be one word of ASCII characters; {from}") }
        }
    }

    /// Where the key comes from, or what to do so that there is one.
    pub(crate) fn advice(&self) -> String {
        match self {
            Self::NotConfigured => {
                "none is configured; name one with `api_key_env` or `api_key_file`".to_owned()
            }
            Self::Known { from, .. } => from.clone(),
            Self::Missing { advice } => advice.clone(),
        }
    }

    /// A text from outside with the key taken out, should it hold it.
    pub(crate) fn without(&self, text: &str) -> String {
        match self {
            Self::Known { key, .. } => text.replace(key.reveal(), "(masked)"),
            _ => text.to_owned(),
        }
    }
}

/// The key, and whether others than its owner can read the file.
fn read(path: &Path) -> Result<(Secret, bool), String> {
    use std::os::unix::fs::PermissionsExt;
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() || facts.len() > KEY_FILE_BYTES_MAX {
        return Err("it is no file that holds a key alone".to_owned());
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok((Secret::new(&text), facts.permissions().mode() & 0o077 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_printed() {
        let key = ApiKey::of_variable("MODEL_KEY", Some(Secret::new(" sk-KUMQUAT \n")));
        let ApiKey::Known { key: secret, .. } = &key else { panic!("{key:?}") };
        assert_eq!(secret.reveal(), "sk-KUMQUAT");
        for shown in [format!("{key:?}"), secret.to_string(), key.advice(), key.without("bad key sk-KUMQUAT")]
        {
            assert!(!shown.contains("KUMQUAT"), "{shown}");
        }
    }

    #[test]
    fn a_missing_key_says_where_it_belongs() {
        let dir = tempfile::tempdir().unwrap();
        let (absent, empty, odd) =
            (dir.path().join("absent"), dir.path().join("empty"), dir.path().join("odd"));
        std::fs::write(&empty, " \n").unwrap();
        std::fs::write(&odd, "sk KUMQUAT\n").unwrap();
        for (key, advice) in [
            (ApiKey::of_variable("MODEL_KEY", None), "set the environment variable MODEL_KEY"),
            (ApiKey::of_variable("MODEL_KEY", Some(Secret::new(" "))), "MODEL_KEY"),
            (ApiKey::of_file(&absent), "absent"),
            (ApiKey::of_file(&empty), "it is empty"),
            (ApiKey::of_file(&odd), "one word"),
            (ApiKey::of_file(dir.path()), "no file"),
        ] {
            assert!(matches!(key, ApiKey::Missing { .. }), "{key:?}");
            assert!(key.advice().contains(advice) && !key.advice().contains("KUMQUAT"), "{}", key.advice());
        }
    }
}
