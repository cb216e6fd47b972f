//! Node.js at the version the outside tools need, with packages pinned by lock files: all of it under `target/tools`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{command, report};

/// The newest tools refuse older ones.
const VERSION: &str = "22.23.3";

/// A Node.js that runs.
pub(crate) struct Node {
    /// The folder that goes first on the path.
    bin: PathBuf,
}

impl Node {
    /// Finds the pinned version, or installs it with the `npm` on the path.
    pub(crate) fn find_or_install(root: &Path) -> Result<Self, String> {
        let folder = root.join(format!("target/tools/node-{VERSION}"));
        let node = Self { bin: folder.join("node_modules/node/bin") };
        if node.is_right_version() {
            return Ok(node);
        }
        report::note(&format!("installing node {VERSION}"));
        fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder);
        command::run(npm.arg(format!("node@{VERSION}")))?;
        if node.is_right_version() {
            return Ok(node);
        }
        Err(format!("`{}` was installed but does not run", node.bin.join("node").display()))
    }

    /// Prepares a program (`node`, `npm`) that finds this version first.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", self.path());
        command
    }

    /// Installs the packages of the lock file in `from`, a folder of the repository, and returns where they are.
    pub(crate) fn packages(&self, root: &Path, from: &str) -> Result<PathBuf, String> {
        let source = root.join(from);
        let folder = root.join("target/tools").join(from.replace('/', "-"));
        let read = |folder: &Path, name: &str| fs::read(folder.join(name)).ok();
        let is_current = |name: &str| read(&folder, name).is_some() && read(&folder, name) == read(&source, name);
        // Written last, so that half an installation does not count.
        if is_current("package.json") && is_current("package-lock.json") {
            return Ok(folder.join("node_modules"));
        }
        let failed = |error: std::io::Error| format!("cannot copy the packages of `{from}`: {error}");
        fs::create_dir_all(&folder).map_err(failed)?;
        fs::copy(source.join("package.json"), folder.join("package.json")).map_err(failed)?;
        let lock = folder.join("package-lock.json");
        fs::copy(source.join("package-lock.json"), &lock).map_err(failed)?;
        let installed = command::run(self.command("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder));
        installed.inspect_err(|_| _ = fs::remove_file(&lock))?;
        Ok(folder.join("node_modules"))
    }

    fn path(&self) -> OsString {
        let others = env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.bin.clone()).chain(env::split_paths(&others));
        env::join_paths(all).unwrap_or(others)
    }

    fn is_right_version(&self) -> bool {
        let output = Command::new(self.bin.join("node")).arg("--version").output();
        output.is_ok_and(|output| output.stdout.trim_ascii() == format!("v{VERSION}").as_bytes())
    }
}
