//! Chromium: found on the path, else installed by the system's package manager.

use std::env;
use std::path::PathBuf;

use super::system;

/// Names of the program on the known systems.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Returns the path of the browser, installing it first if allowed.
pub fn find_or_install() -> Result<PathBuf, String> {
    if let Some(found) = find() {
        return Ok(found);
    }
    system::install("Chromium", &["chromium", "fonts-dejavu-core"])?;
    find().ok_or_else(|| "Chromium was installed but is not on the path".to_owned())
}

fn find() -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    let programs = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    programs.into_iter().find(|program| program.is_file())
}
