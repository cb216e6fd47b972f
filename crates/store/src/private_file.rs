//! Files that only their owner may read, replaced atomically under a lock: tokens, sessions and logins.
//!
//! They lie beside the log, or in a folder of the user, and are never shared.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes a file that is created readable and writable by its owner only.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Locks a file, which is created if needed, until the result is dropped. The kernel releases the lock of a process that
/// dies.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = private(OpenOptions::new().append(true).create(true)).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Replaces a file atomically and durably.
///
/// Invariant: the caller holds the lock of the file, so one name for the temporary file is enough. A file that a killed
/// writer left is removed first, because it may have another mode.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = sibling(path, "new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = write_new(&new, content).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // It may hold half a secret. The first error is the one to report.
        let _ = fs::remove_file(&new);
    }
    written?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Returns the path of a file with a longer name in the same folder: `tokens.json` and `lock` give `tokens.json.lock`.
pub fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(".");
    path.push(ending);
    path.into()
}

// Other systems cannot open a folder as a file, and order such writes themselves.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn replaced_file_is_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        // A killed writer of another version left it, for everyone to read.
        fs::write(sibling(&path, "new"), "half").unwrap();
        let _lock = lock(&sibling(&path, "lock")).unwrap();
        for content in ["first", "second"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        for path in [&path, &sibling(&path, "lock")] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600, "{}", path.display());
        }
        assert!(!sibling(&path, "new").exists());
    }

    #[test]
    fn failed_replacement_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        // A file cannot take the place of a folder.
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"secret").is_err());
        assert!(path.is_dir() && !sibling(&path, "new").exists());
    }
}
