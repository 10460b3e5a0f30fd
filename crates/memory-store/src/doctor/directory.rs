//! Examining what lies around the spaces: directories, names, modes, the catalogue.

use std::path::{Path, PathBuf};

use bethink_domain::{FindingKind, Findings, SpaceId};

use super::space::mode_open;
use crate::catalogue::{Catalogue, Wake};
use crate::error::StoreError;
use crate::paths::{self, Named};

/// The spaces that have a file, or something that a crash left of one, sorted.
///
/// # Errors
/// [`StoreError::Io`] when a directory cannot be read; a missing one holds no spaces.
pub fn spaces_and_leftovers(data_dir: &Path) -> Result<Vec<SpaceId>, StoreError> {
    let mut spaces: Vec<SpaceId> = paths::walk_spaces(data_dir)?
        .into_iter()
        .filter_map(|(_, named)| match named {
            Named::Space(space) | Named::Leftover(space) => Some(space),
            Named::Agent | Named::Strange => None,
        })
        .collect();
    spaces.sort();
    spaces.dedup();
    Ok(spaces)
}

/// Examines a data directory, but for the spaces themselves, and mends it where that is asked for; gives what is wrong,
/// and what was and is not any more. Blocks on the disk.
///
/// # Errors
/// A [`StoreError`] when a directory cannot be read, or not be mended.
pub fn examine_directory(
    data_dir: &Path,
    catalogue: Option<&Catalogue>,
    repair: bool,
) -> Result<(Findings, Findings), StoreError> {
    let mut found = Findings::default();
    let mut repaired = Findings::default();
    for path in places(data_dir)?.into_iter().filter(|path| mode_open(path)) {
        let place = path.display().to_string();
        if repair {
            paths::make_private(&path).map_err(|error| StoreError::io(&path, error))?;
            repaired.add(FindingKind::ModeOpen, place, "");
        } else {
            found.add(FindingKind::ModeOpen, place, "");
        }
    }
    let named = paths::walk_spaces(data_dir)?;
    for (path, _) in named.iter().filter(|(_, named)| matches!(named, Named::Strange)) {
        found.add(FindingKind::NameStrange, path.display().to_string(), "");
    }
    let there = |space: &SpaceId| paths::space_path(data_dir, space).exists();
    let Some(catalogue) = catalogue else { return Ok((found, repaired)) };
    match catalogue.spaces() {
        Ok(listed) => {
            for space in listed.into_iter().filter(|space| !there(space)) {
                let place = space.to_string();
                if repair {
                    catalogue.forget(&space)?;
                    repaired.add(FindingKind::CatalogueStale, place, "");
                } else {
                    found.add(FindingKind::CatalogueStale, place, "");
                }
            }
        }
        Err(error) if repair => {
            // Each space tells itself what it waits for, once it is looked at.
            let unlooked: Vec<Wake> =
                paths::spaces_on_disk(data_dir)?.into_iter().map(Wake::unlooked).collect();
            catalogue.rebuild(&unlooked)?;
            repaired.add(FindingKind::CatalogueUnreadable, "the catalogue", error.to_string());
        }
        Err(error) => found.add(FindingKind::CatalogueUnreadable, "the catalogue", error.to_string()),
    }
    Ok((found, repaired))
}

/// The data directory, the files in it, and the directories of spaces.
fn places(data_dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut places = vec![data_dir.to_owned()];
    places.extend(paths::entries(data_dir)?.into_iter().filter(|path| path.is_file() || path.is_dir()));
    let agents = paths::walk_spaces(data_dir)?;
    places
        .extend(agents.into_iter().filter(|(_, named)| matches!(named, Named::Agent)).map(|(path, _)| path));
    Ok(places)
}
