//! Finds lazygit's settings file.

use std::env;
use std::path::{Path, PathBuf};

use app::Error;

use super::program::Lazygit;
use super::yaml;
use crate::clients::folders::{Base, Folders};

/// Returns the file to edit: the given one, or the one that lazygit reads. Of several, later files override earlier
/// ones, and a list replaces the earlier list; so the last file with a list of commands, else the last file.
pub(crate) fn find(given: Option<&Path>, lazygit: Option<&Lazygit>) -> Result<PathBuf, Error> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let named = env::var("LG_CONFIG_FILE").unwrap_or_default();
    let files: Vec<PathBuf> = named.split(',').filter(|name| !name.is_empty()).map(PathBuf::from).collect();
    let with_commands = files.iter().rev().find(|file| has_commands(file));
    if let Some(file) = with_commands.or(files.last()) {
        return Ok(file.clone());
    }
    Ok(folder(lazygit)?.join("config.yml"))
}

fn folder(lazygit: Option<&Lazygit>) -> Result<PathBuf, Error> {
    if let Some(folder) = lazygit.and_then(Lazygit::config_folder) {
        return Ok(folder);
    }
    if let Some(folder) = env::var_os("CONFIG_DIR").filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    Ok(Folders::of_environment()?.path(Base::Apps).join("lazygit"))
}

fn has_commands(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    yaml::read(&text).is_ok_and(|documents| documents.iter().any(|node| node.get("customCommands").is_some()))
}
