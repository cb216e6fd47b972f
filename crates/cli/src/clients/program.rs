//! Programs on this machine: which file a name means, and whether that is this program.

use std::env;
use std::path::{Path, PathBuf};

use app::Error;

/// Returns the file that a command means: itself when it is a path, else the first on the `PATH` that can be started.
/// The path is absolute, so that it means the same file when it is started in another folder.
pub(crate) fn find(command: &str) -> Option<PathBuf> {
    let found = if Path::new(command).components().count() > 1 {
        Some(PathBuf::from(command)).filter(|path| is_executable(path))
    } else {
        let folders = env::var_os("PATH").unwrap_or_default();
        let name = Path::new(command).with_extension(env::consts::EXE_EXTENSION);
        env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| is_executable(path))
    };
    std::path::absolute(found?).ok()
}

/// Tells whether a path is this program, whatever the path is called.
pub(crate) fn is_this(path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    env::current_exe().is_ok_and(|this| real(&this).is_some() && real(&this) == real(path))
}

/// Returns the path under which this program is known as `name`. A link on the `PATH` outlives an update; the file it
/// leads to may not.
pub(crate) fn path_of_this(name: &str) -> Result<PathBuf, Error> {
    let on_path = find(name).filter(|path| is_this(path));
    let this = || env::current_exe().map_err(|error| Error::unavailable(format!("cannot find this program: {error}")));
    on_path.map_or_else(this, Ok)
}

/// Tells whether a file can be started.
fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && has_the_right(&metadata))
}

#[cfg(unix)]
fn has_the_right(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn has_the_right(_: &std::fs::Metadata) -> bool {
    true
}
