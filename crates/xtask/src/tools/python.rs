//! Python packages for the checks, each set in its own virtual environment, pinned by hashes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::once_per_lock;
use crate::command;

/// Installs a requirements file with hashes, and returns the Python of the environment.
pub fn environment(root: &Path, name: &str, requirements: &Path) -> Result<PathBuf, String> {
    let lock = fs::read_to_string(requirements)
        .map_err(|error| format!("cannot read `{}`: {error}", requirements.display()))?;
    let folder = once_per_lock(root, name, &lock, |folder| {
        command::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let mut pip = Command::new(python_in(folder));
        pip.args(["-m", "pip", "install", "--quiet", "--require-hashes", "--only-binary=:all:", "--requirement"]);
        command::run(pip.arg(requirements).env("PIP_DISABLE_PIP_VERSION_CHECK", "1"))
    })?;
    Ok(python_in(&folder))
}

/// Installs a package of the registry, such as `beads-mcp==1.3.2`, into a virtual environment of its own.
pub fn install(folder: &Path, package: &str) -> Result<(), String> {
    command::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(python_in(folder));
    command::run(pip.args(["-m", "pip", "install", "--quiet", package]).env("PIP_DISABLE_PIP_VERSION_CHECK", "1"))
}

fn python_in(folder: &Path) -> PathBuf {
    if cfg!(windows) { folder.join("Scripts/python.exe") } else { folder.join("bin/python") }
}
