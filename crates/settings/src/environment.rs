//! What the environment says.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use bethink_providers::Secret;

/// The variables that matter, read once.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_DATA_HOME`, if absolute.
    pub data_home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, if absolute.
    pub config_home: Option<PathBuf>,
    /// `XDG_RUNTIME_DIR`, if absolute.
    pub run_dir: Option<PathBuf>,
    /// Variables whose names begin with `BETHINK_`, in any case.
    pub variables: BTreeMap<String, OsString>,
    /// Variables that the configuration names, such as those of keys.
    pub named: Variables,
}

/// Where the values of variables come from that are known only by the configuration that names them.
#[derive(Clone, Default)]
pub enum Variables {
    /// There are none.
    #[default]
    None,
    /// The process's own environment.
    Process,
    /// These.
    Given(BTreeMap<String, Secret>),
}

impl Variables {
    /// The value of a variable. It may be a key and is treated as one.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn get(&self, name: &str) -> Option<Secret> {
        match self {
            Self::None => None,
            Self::Process => std::env::var(name).ok().map(|value| Secret::new(&value)),
            Self::Given(values) => values.get(name).cloned(),
        }
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables")
    }
}

impl Environment {
    /// Reads the process's environment.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn read() -> Self {
        // A relative or empty path in these variables is to be ignored (XDG base directory specification 0.8).
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let ours = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let variables = ours.filter(|(name, _)| name.to_uppercase().starts_with("BETHINK_")).collect();
        Self {
            home: absolute("HOME"),
            data_home: absolute("XDG_DATA_HOME"),
            config_home: absolute("XDG_CONFIG_HOME"),
            run_dir: absolute("XDG_RUNTIME_DIR"),
            variables,
            named: Variables::Process,
        }
    }

    /// Whether a variable that a key names, such as `api_key_env`, has a value. The value is not looked at.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn is_set(name: &str) -> bool {
        std::env::var_os(name).is_some_and(|value| !value.is_empty())
    }
}
