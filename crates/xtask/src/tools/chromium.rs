//! Chromium: found on the path, else installed by the system's own package manager, which is the one thing here that
//! changes something outside `target`; so only where nobody has to be asked: for root, and where `CI` is set.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{command, report};

/// What it is called on the systems we know.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Returns the path of the browser, installing it first if that may be done.
pub(crate) fn find_or_install() -> Result<PathBuf, String> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if !may_install() {
        return Err("there is no Chromium on the path; install one, such as with `apt-get install chromium`".to_owned());
    }
    report::note("installing chromium");
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--quiet", "--no-install-recommends", "chromium", "fonts-dejavu-core"]);
    command::run(apt.env("DEBIAN_FRONTEND", "noninteractive"))?;
    find().ok_or_else(|| "Chromium was installed but is not on the path".to_owned())
}

fn find() -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    let programs = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    programs.into_iter().find(|program| program.is_file())
}

fn may_install() -> bool {
    let is_ci = env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    let is_root = env::var_os("USER").is_some_and(|user| user == "root")
        || env::var_os("HOME").is_some_and(|home| home == "/root");
    Path::new("/usr/bin/apt-get").is_file() && (is_ci || is_root)
}
