//! Programs of other projects, which the benchmarks measure beside ours: as their registry has them, in a pinned version
//! and optimized, under `target/tools`.
//!
//! Their own dependencies are what the registry resolves, as for their users; only the crates come with a lock file.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::node::Node;
use super::{once_per_lock, python};
use crate::command;

/// Where a program is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// npm; it runs on the pinned Node.js.
    Npm,
    /// crates.io, built with the lock file of the crate.
    Crates,
    /// crates.io, for a crate whose own lock file names what the registry no longer has.
    CratesUnlocked,
    /// `PyPI`.
    PyPi,
}

/// A published program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedProgram {
    /// Where it is published.
    pub registry: Registry,
    /// The package.
    pub package: &'static str,
    /// The pinned version.
    pub version: &'static str,
    /// The program in it.
    pub program: &'static str,
}

impl PublishedProgram {
    /// Returns the path of the program, installing it first if needed.
    pub fn find_or_install(&self, root: &Path) -> Result<PathBuf, String> {
        let folder = once_per_lock(root, &self.folder_name(), &self.lock(), |folder| match self.registry {
            Registry::Npm => Node::find_or_install(root)?.install(folder, &self.lock()),
            Registry::Crates => self.build(root, folder, &["--locked"]),
            Registry::CratesUnlocked => self.build(root, folder, &[]),
            Registry::PyPi => python::install(folder, &format!("{}=={}", self.package, self.version)),
        })?;
        let program = self.path_in(&folder);
        if program.exists() { Ok(program) } else { Err(format!("`{}` has no `{}`", self.package, self.program)) }
    }

    fn build(&self, root: &Path, folder: &Path, options: &[&str]) -> Result<(), String> {
        let mut cargo = command::cargo(root, &["install", "--quiet", "--root"]);
        // The folder lies in ours, whose settings and toolchain must not count.
        cargo.arg(folder).args(options).args(["--version", self.version, self.package]).current_dir(folder);
        command::run(&mut cargo)
    }

    fn folder_name(&self) -> String {
        format!("peer-{}-{}", self.package, self.version)
    }

    fn lock(&self) -> String {
        format!("{}@{}", self.package, self.version)
    }

    fn path_in(&self, folder: &Path) -> PathBuf {
        match self.registry {
            Registry::Npm => folder.join("node_modules/.bin").join(self.program),
            _ => folder.join("bin").join(self.program),
        }
    }
}

/// Returns the path of a program on the path that answers `--version`, with the answer.
pub fn on_path(program: &str) -> Result<(PathBuf, String), String> {
    let output = Command::new(program).arg("--version").output();
    let output = output.ok().filter(|output| output.status.success());
    let output = output.ok_or_else(|| format!("`{program}` is in no registry, and not on the path"))?;
    Ok((PathBuf::from(program), String::from_utf8_lossy(&output.stdout).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_a_folder_of_its_own() {
        let npm =
            PublishedProgram { registry: Registry::Npm, package: "backlog.md", version: "1.52.0", program: "backlog" };
        assert_eq!(npm.folder_name(), "peer-backlog.md-1.52.0");
        assert_eq!(npm.path_in(Path::new("x")), Path::new("x/node_modules/.bin/backlog"));
        let built = PublishedProgram { registry: Registry::Crates, ..npm };
        assert_eq!(built.path_in(Path::new("x")), Path::new("x/bin/backlog"));
    }

    #[test]
    fn a_missing_program_is_named() {
        assert_eq!(
            on_path("no-such-tracker"),
            Err("`no-such-tracker` is in no registry, and not on the path".to_owned())
        );
    }
}
