//! How much each part of a file takes.

use std::path::Path;

use bethink_domain::{Examination, FindingKind, TableSize};
use redb::{ReadTransaction, ReadableTableMetadata, TableHandle};

use super::Diagnosis;
use crate::error::StoreError;

/// Measures every table, also those that no other part of the program knows.
pub(super) fn measure(path: &Path, read: &ReadTransaction, into: &mut Examination, found: &mut Diagnosis) {
    match tables(path, read) {
        Ok(tables) => into.tables = tables,
        Err(error) => found.add(FindingKind::TableUnreadable, "the list of tables", error.to_string()),
    }
    into.file_bytes = std::fs::metadata(path).map_or(0, |about| about.len());
}

fn tables(path: &Path, read: &ReadTransaction) -> Result<Vec<TableSize>, StoreError> {
    let fault = |error| StoreError::database(path, error);
    let mut tables = Vec::new();
    for handle in read.list_tables().map_err(fault)? {
        let name = handle.name().to_owned();
        let table = read.open_untyped_table(handle).map_err(|error| StoreError::database(path, error))?;
        let stats = table.stats().map_err(fault)?;
        let payload = stats.stored_bytes();
        tables.push(TableSize {
            table: name,
            rows: table.len().map_err(fault)?,
            payload,
            pages: payload + stats.metadata_bytes() + stats.fragmented_bytes(),
        });
    }
    tables.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.table.cmp(&b.table)));
    Ok(tables)
}
