//! Where spaces lie on disk.
//!
//! Names become file names that cannot escape their directory, collide, or differ only by case: lower-case letters,
//! digits, `-` and `_` stand for themselves and every other byte is written `%` and two hexadecimal digits. A name
//! that would grow too long that way is written in base 32 after a `~` instead. Both are reversible.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bethink_domain::{AgentName, SpaceId, UserName};

use crate::error::StoreError;

/// Longest file name stem. File systems stop at 255 bytes, and endings need some; base 32 of the longest name has 206.
const STEM_BYTES_MAX: usize = 220;
/// Begins a name in base 32; `~` itself is always written as `%7e`.
const LONG_MARK: char = '~';
/// Digits of base 32, without letters of two cases.
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Ending of a space's file.
const ENDING: &str = "redb";
/// Ending of a file that is built beside a space's file and takes its place.
pub(crate) const BESIDE_ENDING: &str = "redb-new";
/// Ending of a restored file before it takes its place.
const RESTORING_ENDING: &str = "redb-restoring";
/// Ending of the file that a restored one replaces.
const REPLACED_ENDING: &str = "redb-before";

/// The file of a space: `<data_dir>/spaces/<agent>/<user>.redb`, with encoded names.
#[must_use]
pub fn space_path(data_dir: &Path, space: &SpaceId) -> PathBuf {
    let user = format!("{}.{ENDING}", encode(space.user.as_str()));
    spaces_dir(data_dir).join(encode(space.agent.as_str())).join(user)
}

/// The spaces that have a file, sorted. What is not named like a space is passed over.
///
/// # Errors
/// [`StoreError::Io`] when a directory cannot be read; a missing one holds no spaces.
pub fn spaces_on_disk(data_dir: &Path) -> Result<Vec<SpaceId>, StoreError> {
    let named = walk_spaces(data_dir)?.into_iter();
    let mut found: Vec<SpaceId> = named
        .filter_map(|(_, named)| if let Named::Space(space) = named { Some(space) } else { None })
        .collect();
    found.sort();
    Ok(found)
}

/// What a path in the directory of spaces stands for, by its name.
pub(crate) enum Named {
    /// The directory of an agent's spaces.
    Agent,
    /// A space's file.
    Space(SpaceId),
    /// A file that was to take the place of a space's.
    Leftover(SpaceId),
    /// Nothing of ours.
    Strange,
}

/// Everything in the directory of spaces.
pub(crate) fn walk_spaces(data_dir: &Path) -> Result<Vec<(PathBuf, Named)>, StoreError> {
    let mut found = Vec::new();
    for agent_dir in entries(&spaces_dir(data_dir))? {
        let agent = stem(&agent_dir, ENDING).and_then(|name| AgentName::new(&name).ok());
        let Some(agent) = agent.filter(|_| agent_dir.is_dir()) else {
            found.push((agent_dir, Named::Strange));
            continue;
        };
        for file in entries(&agent_dir)? {
            let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let user = stem(&file, ending).and_then(|name| UserName::new(&name).ok());
            let space = user.map(|user| SpaceId { agent: agent.clone(), user });
            let named = match (ending, space) {
                (ENDING, Some(space)) => Named::Space(space),
                (BESIDE_ENDING | RESTORING_ENDING | REPLACED_ENDING, Some(space)) => Named::Leftover(space),
                _ => Named::Strange,
            };
            found.push((file, named));
        }
        found.push((agent_dir, Named::Agent));
    }
    Ok(found)
}

/// Closes a file or directory to others than its owner.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path)?.permissions().mode() & 0o700;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(())
    }
}

/// Creates a directory and those above it, each with mode 0700 whatever the umask; existing ones stay as they are.
pub(crate) fn create_private_dir(dir: &Path) -> Result<(), StoreError> {
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent() {
        create_private_dir(parent)?;
    }
    match private_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
        other => other.map_err(|error| StoreError::io(dir, error)),
    }
}

#[cfg(unix)]
fn private_dir(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    fs::DirBuilder::new().mode(0o700).create(dir)?;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn private_dir(dir: &Path) -> io::Result<()> {
    fs::create_dir(dir)
}

/// Creates a file that must not exist yet, with mode 0600 whatever the umask.
pub(crate) fn create_private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Removes a file; one that is not there is no error.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Where a restored file is made before it takes its place.
pub(crate) fn restoring(path: &Path) -> PathBuf {
    path.with_extension(RESTORING_ENDING)
}

/// Where the file is kept that a restored one replaces, until that one is found sound.
pub(crate) fn replaced(path: &Path) -> PathBuf {
    path.with_extension(REPLACED_ENDING)
}

/// What may lie beside a space's file although nobody works on it.
pub(crate) fn leftovers(path: &Path) -> Vec<PathBuf> {
    let beside = path.with_extension(BESIDE_ENDING);
    [beside, restoring(path), replaced(path)].into_iter().filter(|place| place.exists()).collect()
}

/// Removes what an interrupted restore may have left beside a file; it may hold what was forgotten since.
pub(crate) fn remove_set_aside(path: &Path) {
    for aside in [restoring(path), replaced(path)] {
        // A restored file is written anew under its own name.
        if aside == path {
            continue;
        }
        if let Err(error) = remove_if_there(&aside) {
            tracing::warn!(path = %aside.display(), %error, "what an interrupted restore left can't be removed");
        }
    }
}

/// Makes a rename in the directory durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::File::open(dir)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

fn spaces_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("spaces")
}

/// Paths of what a directory holds; nothing where there is none.
pub(crate) fn entries(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let fault = |error| StoreError::io(dir, error);
    match fs::read_dir(dir) {
        Ok(entries) => entries.map(|entry| entry.map(|e| e.path()).map_err(fault)).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(fault(error)),
    }
}

fn stem(path: &Path, ending: &str) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    decode(name.strip_suffix(&format!(".{ending}")).unwrap_or(name))
}

fn encode(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    let mut text = String::new();
    for byte in name.bytes() {
        if plain(byte) { text.push(byte.into()) } else { text.push_str(&format!("%{byte:02x}")) }
    }
    if text.len() <= STEM_BYTES_MAX { text } else { encode_long(name) }
}

fn encode_long(name: &str) -> String {
    let mut text = String::from(LONG_MARK);
    for chunk in name.as_bytes().chunks(5) {
        let mut bits = [0u8; 8];
        bits[3..3 + chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_be_bytes(bits);
        for place in 0..(chunk.len() * 8).div_ceil(5) {
            text.push(BASE32[(bits >> (35 - 5 * place)) as usize & 31].into());
        }
    }
    text
}

/// Reads what [`encode`] writes, and nothing else, so that no two file names stand for one name.
fn decode(stem: &str) -> Option<String> {
    let bytes = match stem.strip_prefix(LONG_MARK) {
        Some(digits) => decode_long(digits)?,
        None => decode_short(stem.as_bytes())?,
    };
    String::from_utf8(bytes).ok().filter(|name| encode(name) == stem)
}

fn decode_short(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    Some(bytes)
}

fn decode_long(digits: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for group in digits.as_bytes().chunks(8) {
        let mut bits = 0u64;
        for (place, digit) in group.iter().enumerate() {
            let value = BASE32.iter().position(|known| known == digit)? as u64;
            bits |= value << (35 - 5 * place);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[3..3 + group.len() * 5 / 8]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn space(agent: &str, user: &str) -> SpaceId {
        SpaceId {
            agent: AgentName::new(agent).expect("because the test gives a legal name"),
            user: UserName::new(user).expect("because the test gives a legal name"),
        }
    }

    fn check(user: &str) -> String {
        let path = space_path(Path::new("/d"), &space("a", user));
        assert_eq!(path.parent(), Some(Path::new("/d/spaces/a")), "{user:?} stays in its directory");
        let name = path.file_name().and_then(|n| n.to_str()).map(str::to_owned).unwrap_or_default();
        assert!(name.len() <= 240 && name.is_ascii() && name == name.to_ascii_lowercase(), "{name}");
        assert_eq!(stem(&path, ENDING).as_deref(), Some(user));
        name
    }

    #[test]
    fn hostile_names_stay_in_place() {
        let names =
            ["..", ".", "../../etc/passwd", "/", "a/b", "a\\b", "~", "%", "%2e", "me", "Me", "ME", "..redb"];
        let files: std::collections::BTreeSet<String> = names.iter().map(|name| check(name)).collect();
        assert_eq!(files.len(), names.len(), "each name has a file of its own");
    }

    #[test]
    fn the_longest_names_fit() {
        for name in ["x".repeat(128), "X".repeat(128), "固".repeat(42), "é".repeat(64)] {
            check(&name);
        }
    }

    #[test]
    fn spaces_are_found_again() {
        let dir = tempfile::tempdir().expect("because the system has a temporary directory");
        let mut spaces = vec![space("bethink", "me"), space("Bethink", "ME"), space("a/b", &"é".repeat(64))];
        for space in &spaces {
            let path = space_path(dir.path(), space);
            create_private_dir(path.parent().expect("because the path has a directory"))
                .expect("because it is new");
            create_private_file(&path).expect("because it is new");
            fs::write(path.with_extension("new"), "left over").expect("because the directory is there");
        }
        spaces.sort();
        assert_eq!(spaces_on_disk(dir.path()).expect("because the directories are readable"), spaces);
    }

    proptest! {
        #[test]
        fn any_name_comes_back(name in "[^\\p{C}]{1,40}") {
            prop_assume!(name.len() <= 128 && !name.trim().is_empty());
            check(&name);
        }
    }
}
