//! What leaves the machine.

use crate::file::LanguageProvider;
use crate::load::Settings;

/// Data that go to a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Where to.
    pub host: String,
    /// What is sent.
    pub data: &'static str,
    /// The key that says so.
    pub key: &'static str,
}

impl Settings {
    /// Everything that these settings send elsewhere. Empty by default.
    #[must_use]
    pub fn flows(&self) -> Vec<Flow> {
        match self.file.language.provider {
            LanguageProvider::Extractive => Vec::new(),
        }
    }

    /// What leaves the machine, in words.
    #[must_use]
    pub fn egress(&self) -> String {
        let flows = self.flows();
        if flows.is_empty() {
            return "nothing leaves this machine".to_owned();
        }
        let parts: Vec<String> = flows.iter().map(|flow| format!("{} to {}", flow.data, flow.host)).collect();
        format!("this leaves the machine: {}", parts.join("; "))
    }
}
