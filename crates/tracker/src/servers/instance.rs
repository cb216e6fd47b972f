//! Servers that the user is logged in to, by name.

use std::path::{Path, PathBuf};

use app::Error;
use serde::{Deserialize, Serialize};

use super::private_file;
use super::vault::TokenLocation;

/// A server that the user is logged in to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// The user's name for the server.
    pub name: String,
    /// Its URL.
    pub url: String,
    /// The user name on the server.
    pub username: String,
    /// Where the tokens are stored.
    pub keeper: TokenLocation,
}

/// The file of all servers.
pub(super) struct Instances {
    path: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct InstancesContent {
    #[serde(default)]
    instances: Vec<Instance>,
}

impl Instances {
    pub(super) fn in_folder(state: &Path) -> Self {
        Self { path: state.join("instances.json") }
    }

    pub(super) fn all(&self) -> Result<Vec<Instance>, Error> {
        Ok(self.read()?.instances)
    }

    /// Adds a server, or replaces the one with the same name.
    pub(super) fn add(&self, instance: &Instance) -> Result<(), Error> {
        self.change(|instances| {
            instances.retain(|known| known.name != instance.name);
            instances.push(instance.clone());
            instances.sort_by(|a, b| a.name.cmp(&b.name));
        })
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), Error> {
        self.change(|instances| instances.retain(|known| known.name != name))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Instance>)) -> Result<(), Error> {
        let _turn = private_file::take_turn(&self.path)?;
        let mut content = self.read()?;
        change(&mut content.instances);
        private_file::write(&self.path, &content)
    }

    fn read(&self) -> Result<InstancesContent, Error> {
        Ok(private_file::read(&self.path)?.unwrap_or_default())
    }
}

/// Validates a server name: it is used as a file name.
pub(super) fn check_name(name: &str) -> Result<String, Error> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name = name.trim().to_ascii_lowercase();
    let is_name = !name.is_empty() && name.len() <= 80 && name.chars().all(is_fine) && !name.starts_with('.');
    if !is_name || name == super::ENVIRONMENT {
        let shown = model::text::quoted(&name);
        return Err(Error::invalid(format!("invalid server name `{shown}`"))
            .hint("give one of letters, digits, `-`, `_` and `.` with `--name`"));
    }
    Ok(name)
}
