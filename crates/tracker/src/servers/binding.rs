//! The server and project that a repository is bound to. It is stored in the git directory: shared by all work trees,
//! and never synced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use app::Error;
use serde::{Deserialize, Serialize};

use super::instance::Instance;
use super::private_file;
use crate::entry::{Id, ProjectCard};
use crate::remote::Memory;
use crate::{Failure, TrackerResult};

/// The binding of a repository.
#[derive(Debug)]
pub struct Binding {
    path: PathBuf,
    content: BindingContent,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct BindingContent {
    /// The server; `None` for the repository's own log.
    #[serde(default)]
    instance: Option<String>,
    /// The active project of each server, by URL: a server name may be reassigned to another server.
    #[serde(default)]
    projects: BTreeMap<String, BoundProject>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct BoundProject {
    id: u64,
    slug: String,
    name: String,
}

impl Binding {
    pub(super) fn read(common_dir: &Path) -> Result<Self, Error> {
        let path = common_dir.join("cairn").join("taiga.json");
        let content = private_file::read(&path)?.unwrap_or_default();
        Ok(Self { path, content })
    }

    /// Returns the name of the server.
    pub fn instance(&self) -> Option<&str> {
        self.content.instance.as_deref()
    }

    /// Returns the active project of a server, with the name it had when it was chosen.
    pub fn project(&self, instance: &Instance) -> Option<ProjectCard> {
        let remembered = self.content.projects.get(&instance.url)?;
        Some(ProjectCard {
            id: Id::new(remembered.id)?,
            slug: remembered.slug.clone(),
            name: remembered.name.clone(),
            description: String::new(),
            is_active: true,
        })
    }

    /// Binds the repository to a server, or to its own log.
    pub fn choose(&mut self, instance: Option<&str>) -> Result<(), Error> {
        self.content = change(&self.path, |content| content.instance = instance.map(str::to_owned))?;
        Ok(())
    }

    /// Returns the store for a server's active project.
    pub(super) fn memory(&self, instance: &Instance) -> ProjectMemory {
        ProjectMemory { path: self.path.clone(), url: instance.url.clone() }
    }
}

/// Stores the active project of one server for one repository.
pub(super) struct ProjectMemory {
    path: PathBuf,
    url: String,
}

impl Memory for ProjectMemory {
    fn active(&self) -> TrackerResult<Option<Id>> {
        let content: Option<BindingContent> = private_file::read(&self.path)?;
        let found = content.and_then(|mut content| content.projects.remove(&self.url));
        Ok(found.and_then(|project| Id::new(project.id)))
    }

    fn remember(&self, card: &ProjectCard) -> TrackerResult<()> {
        let remembered = BoundProject { id: card.id.get(), slug: card.slug.clone(), name: card.name.clone() };
        let changed = change(&self.path, |content| {
            content.projects.insert(self.url.clone(), remembered);
        });
        changed.map(|_| ()).map_err(Failure::from)
    }
}

fn change(path: &Path, change: impl FnOnce(&mut BindingContent)) -> Result<BindingContent, Error> {
    let _turn = private_file::take_turn(path)?;
    let mut content: BindingContent = private_file::read(path)?.unwrap_or_default();
    change(&mut content);
    private_file::write(path, &content)?;
    Ok(content)
}
