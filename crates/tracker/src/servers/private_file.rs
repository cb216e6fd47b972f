//! Small JSON files that only their owner may read, replaced atomically.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use app::{Error, private_file};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

/// Reads a file; `None` if it does not exist.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = match fs::read(path) {
        Ok(bytes) => Zeroizing::new(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::unavailable(format!("cannot read `{}`: {error}", path.display()))),
    };
    // The parser's message would quote the file, which may contain a token.
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        Error::unavailable(format!("`{}` is damaged at line {}", path.display(), error.line()))
            .hint("remove it, then log in again")
    })
}

/// Replaces a file atomically and durably. The caller has its turn.
pub(super) fn write(path: &Path, content: &impl Serialize) -> Result<(), Error> {
    let bytes = serde_json::to_vec(content).map_err(|error| Error::unavailable(error.to_string()))?;
    replace(path, &Zeroizing::new(bytes))
        .map_err(|error| Error::unavailable(format!("cannot write `{}`: {error}", path.display())))
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::unavailable(format!("cannot remove `{}`: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Locks a file against other processes until the result is dropped.
pub(super) fn take_turn(path: &Path) -> Result<File, Error> {
    let lock = path.with_extension("lock");
    let open = || {
        make_folder(folder(path))?;
        private_file::lock(&lock)
    };
    open().map_err(|error| Error::unavailable(format!("cannot lock `{}`: {error}", lock.display())))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(folder(path))?;
    private_file::replace(path, bytes)
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
