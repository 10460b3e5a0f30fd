//! Examinations, in shapes.

use std::collections::BTreeMap;

use bethink_domain as domain;
use serde::{Deserialize, Serialize};

use crate::request::SpaceName;

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Which kind; never changes.
    pub code: String,
    /// `truth`, `derived` or `notice`.
    pub severity: String,
    /// Where.
    pub place: String,
    /// More about it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub detail: String,
    /// What it means.
    pub meaning: String,
    /// What to do.
    pub remedy: String,
}

/// What was found. At most 50 of a kind are listed; all are counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    /// In the order in which they were found.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub listed: Vec<Finding>,
    /// How often, by code.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub counts: BTreeMap<String, u64>,
}

impl Found {
    /// Whether something of a severity was found.
    #[must_use]
    pub fn any(&self, severity: domain::Severity) -> bool {
        self.listed.iter().any(|finding| finding.severity == severity.name())
    }

    /// Everything that was found, listed or not.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl From<&domain::Findings> for Found {
    fn from(findings: &domain::Findings) -> Self {
        let shape = |finding: &domain::Finding| Finding {
            code: finding.kind.code().to_owned(),
            severity: finding.kind.severity().name().to_owned(),
            place: finding.place.clone(),
            detail: finding.detail.clone(),
            meaning: finding.kind.meaning().to_owned(),
            remedy: finding.kind.remedy().to_owned(),
        };
        Self {
            listed: findings.listed().iter().map(shape).collect(),
            counts: findings.counts().map(|(kind, count)| (kind.code().to_owned(), count)).collect(),
        }
    }
}

/// The size of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSize {
    /// Its name.
    pub table: String,
    /// Rows.
    pub rows: u64,
    /// Bytes of keys and values.
    pub payload: u64,
    /// Bytes of the pages that hold them.
    pub pages: u64,
}

/// What an examination of a space gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Examined {
    /// The file's format; none where there is no file, or none that can be read.
    pub format: Option<u32>,
    /// Traces in it.
    pub traces: u64,
    /// What is wrong or worth knowing.
    pub found: Found,
    /// What was found and repaired.
    pub repaired: Found,
    /// Sizes of its tables, the largest first.
    pub tables: Vec<TableSize>,
    /// Length of the file.
    pub file_bytes: u64,
    /// Bytes of it that no table uses: free pages, and what the file keeps about itself.
    pub free_bytes: u64,
}

impl From<&domain::Examination> for Examined {
    fn from(examination: &domain::Examination) -> Self {
        let used: u64 = examination.tables.iter().map(|table| table.pages).sum();
        let size = |table: &domain::TableSize| TableSize {
            table: table.table.clone(),
            rows: table.rows,
            payload: table.payload,
            pages: table.pages,
        };
        Self {
            format: examination.format,
            traces: examination.traces,
            found: Found::from(&examination.findings),
            repaired: Found::from(&examination.repaired),
            tables: examination.tables.iter().map(size).collect(),
            file_bytes: examination.file_bytes,
            free_bytes: examination.file_bytes.saturating_sub(used),
        }
    }
}

/// What an examination of the data directory gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryExamined {
    /// The data directory.
    pub data_dir: String,
    /// Spaces in it.
    pub spaces: Vec<SpaceName>,
    /// What is wrong or worth knowing around them.
    pub found: Found,
    /// What was found and repaired.
    pub repaired: Found,
}
