//! The data directory and its one owner.
//!
//! An operating-system lock on `<data_dir>/lock` decides who owns the data; it ends with the process however that ends.
//! What the file says (process id, socket) is information for the others. The file is never removed: two processes that
//! lock different files of one name would both be owners.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::RuntimeError;

/// Longest socket path that every Unix takes, with room to spare (the limit is 104 to 108 bytes).
const SOCKET_PATH_MAX: usize = 100;

/// An owned data directory. Dropping it gives the ownership up.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    socket: PathBuf,
    lock: File,
}

impl DataDir {
    /// Makes the directory if need be (mode 0700) and becomes its owner. `run_dir` holds the socket when the data
    /// directory's own path is too long for one.
    ///
    /// # Errors
    /// [`RuntimeError::InUse`] when another process owns it, [`RuntimeError::Unwritable`] when it cannot be made.
    pub fn claim(path: &Path, run_dir: Option<&Path>) -> Result<Self, RuntimeError> {
        let unwritable = |at: &Path| {
            let at = at.to_path_buf();
            move |error: std::io::Error| RuntimeError::Unwritable { path: at, reason: error.to_string() }
        };
        make_private_dir(path).map_err(unwritable(path))?;
        let path = path.canonicalize().map_err(unwritable(path))?;
        let lock_path = path.join("lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(unwritable(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut lock)),
            Err(TryLockError::Error(error)) => return Err(unwritable(&lock_path)(error)),
        }
        let socket = socket_path(&path, run_dir);
        let mut dir = Self { path, socket, lock };
        dir.sign().map_err(unwritable(&lock_path))?;
        Ok(dir)
    }

    /// The absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the owner's socket belongs.
    #[must_use]
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    fn sign(&mut self) -> std::io::Result<()> {
        let text = format!("{}\n{}\n", std::process::id(), self.socket.display());
        self.lock.set_permissions(Permissions::from_mode(0o600))?;
        // Overwriting in place first: a reader in between sees the old or the new owner, never an empty file.
        self.lock.seek(SeekFrom::Start(0))?;
        self.lock.write_all(text.as_bytes())?;
        self.lock.set_len(text.len() as u64)
    }
}

fn in_use(path: PathBuf, lock: &mut File) -> RuntimeError {
    let mut text = String::new();
    // The owner may be writing itself in just now; then the pid is not known yet.
    let _ = lock.read_to_string(&mut text);
    let mut lines = text.lines();
    let pid = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let socket = lines.next().filter(|line| !line.is_empty()).map(PathBuf::from);
    RuntimeError::InUse { path, pid, socket }
}

/// `<data_dir>/bethink.sock`, or a name made from the directory's path in `run_dir` when that is too long.
fn socket_path(data_dir: &Path, run_dir: Option<&Path>) -> PathBuf {
    let own = data_dir.join("bethink.sock");
    if own.as_os_str().len() <= SOCKET_PATH_MAX {
        return own;
    }
    let Some(run_dir) = run_dir else { return own };
    // FNV-1a: the name must be the same in every process, and need not resist attack in a private directory.
    let hash =
        data_dir.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    run_dir.join(format!("bethink-{hash:016x}.sock"))
}

/// Makes a directory and its parents with mode 0700 whatever the umask; one that was there is closed to others.
///
/// # Errors
/// What the system says.
pub fn make_private_dir(path: &Path) -> std::io::Result<()> {
    if let Err(error) = DirBuilder::new().recursive(true).mode(0o700).create(path) {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            return Err(std::io::Error::new(
                std::io::ErrorKind::NotADirectory,
                "there is a file in its place",
            ));
        }
        return Err(error);
    }
    let mode = path.metadata()?.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        // Closed to others already; a narrower mode than ours is its owner's wish.
        return Ok(());
    }
    match std::fs::set_permissions(path, Permissions::from_mode(mode & 0o700)) {
        // A directory of somebody else's cannot be changed.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_owner_and_the_second_learns_who_it_is() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("deep/data");
        let first = DataDir::claim(&path, None).unwrap();
        match DataDir::claim(&path, None) {
            Err(RuntimeError::InUse { pid, socket, .. }) => {
                assert_eq!(pid, std::process::id());
                assert_eq!(socket.as_deref(), Some(first.socket()));
            }
            other => panic!("{other:?}"),
        }
        drop(first);
        DataDir::claim(&path, None).expect("because the owner gave it up");
    }

    #[test]
    fn modes_do_not_depend_on_the_umask() {
        let home = tempfile::tempdir().unwrap();
        let dir = DataDir::claim(&home.path().join("data"), None).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(dir.path()), 0o700);
        assert_eq!(mode(&dir.path().join("lock")), 0o600);
    }

    #[test]
    fn a_long_path_has_its_socket_elsewhere() {
        let home = tempfile::tempdir().unwrap();
        let deep = home.path().join("d".repeat(120));
        let dir = DataDir::claim(&deep, Some(home.path())).unwrap();
        assert!(
            dir.socket().starts_with(home.path().canonicalize().unwrap())
                && dir.socket().as_os_str().len() <= 100
        );
    }

    #[test]
    fn a_file_in_the_way_is_said_so() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("data");
        std::fs::write(&path, "not a directory").unwrap();
        assert!(matches!(DataDir::claim(&path, None), Err(RuntimeError::Unwritable { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "not a directory");
    }
}
