//! Paths: `~`, and what a relative path is relative to.

use std::path::{Component, Path, PathBuf};

/// Expands a leading `~`, and makes a relative path absolute from `base`. `~user` is an error of its own: it would else
/// become a directory of that name.
pub(crate) fn resolve(path: &Path, base: &Path, home: Option<&Path>) -> Result<PathBuf, String> {
    let mut parts = path.components();
    let expanded = match parts.next() {
        Some(Component::Normal(first)) if first.as_encoded_bytes().starts_with(b"~") => {
            if first != "~" {
                return Err(format!("`{}`: only `~/` stands for a home directory", path.display()));
            }
            let home = home.ok_or_else(|| format!("`{}`: HOME is not set", path.display()))?;
            home.join(parts.as_path())
        }
        _ => base.join(path),
    };
    if expanded.as_os_str().as_encoded_bytes().contains(&b'$') && path.to_string_lossy().contains('$') {
        return Err(format!(
            "`{}`: variables are not expanded; write the path out, or use `~/`",
            path.display()
        ));
    }
    Ok(tidy(&expanded))
}

/// Takes out `.` parts, so that one directory has one name. `..` stays: what it means depends on links.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_one_name() {
        let check = |given: &str, expected: &str| {
            let found = resolve(Path::new(given), Path::new("/base"), Some(Path::new("/home/ada")));
            assert_eq!(found.as_deref(), Ok(Path::new(expected)), "{given}");
        };
        check("~/mem", "/home/ada/mem");
        check("~", "/home/ada");
        check("./mem", "/base/mem");
        check("mem/./deep", "/base/mem/deep");
        check("/abs", "/abs");
        check("a~b", "/base/a~b");
    }

    #[test]
    fn what_would_become_an_odd_directory_is_refused() {
        for path in ["~ada/mem", "$HOME/mem"] {
            assert!(
                resolve(Path::new(path), Path::new("/base"), Some(Path::new("/home/ada"))).is_err(),
                "{path}"
            );
        }
        assert!(resolve(Path::new("~/mem"), Path::new("/base"), None).is_err());
    }
}
