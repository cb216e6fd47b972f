//! Executables on this machine: resolves a command, and detects whether it is this program.

use std::env;
use std::path::{Path, PathBuf};

use app::Error;

/// Resolves a command to a file: a path to itself, a name to the first executable on the `PATH`. The result is
/// absolute, so that it stays valid in another working directory.
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

/// Returns whether a path is this program, under any name.
pub(crate) fn is_this(path: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    env::current_exe().is_ok_and(|this| real(&this).is_some() && real(&this) == real(path))
}

/// Names under which this program behaves as another tool; under any other name it is `cairn`.
const OTHER_NAMES: &[&str] = &["git-mile", "ultragit", "lazygit-mcp-bridge"];

/// Returns the command line interface used for a program name.
pub(crate) fn behaves_as(name: &str) -> &str {
    if OTHER_NAMES.contains(&name) { name } else { "cairn" }
}

/// Returns the name of a command without folder and extension.
pub(crate) fn stem(command: &str) -> &str {
    Path::new(command).file_stem().and_then(|stem| stem.to_str()).unwrap_or(command)
}

/// Finds a path under which this program behaves as `name`: on the `PATH`, the link that was called, the file itself. A
/// link is preferred: it stays valid after an update, and the file it points to may have another name.
pub(crate) fn path_as(name: &str) -> Option<PathBuf> {
    let program_name = env::args_os().next().and_then(|command| find(command.to_str()?));
    let candidates = [find(name), program_name, env::current_exe().ok()];
    let is_wanted = |path: &PathBuf| path.to_str().is_some_and(|path| behaves_as(stem(path)) == name) && is_this(path);
    candidates.into_iter().flatten().find(is_wanted)
}

/// Finds a path under which this program is `cairn`, or fails with a hint.
pub(crate) fn path_as_cairn() -> Result<PathBuf, Error> {
    path_as("cairn").ok_or_else(|| {
        Error::unavailable("cannot find a path under which this program is `cairn`")
            .hint("make a link of that name to it, in a folder on the `PATH`")
    })
}

/// Returns whether a file is executable.
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
