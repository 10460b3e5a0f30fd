//! What the environment says.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

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
        }
    }

    /// Whether a variable that a key names, such as `api_key_env`, has a value. The value is not looked at.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn is_set(name: &str) -> bool {
        std::env::var_os(name).is_some_and(|value| !value.is_empty())
    }
}
