//! Programs that talk to MCP servers: where each keeps its settings and how a server is written there.
//!
//! Facts as data; what to do with them is for the commands.

pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod entry;
pub(crate) mod folders;
pub(crate) mod program;
pub(crate) mod settings;
mod table;

use std::path::{Path, PathBuf};

use edit::Syntax;
use folders::{Base, Folders};

pub(crate) use table::CLIENTS;

/// A program that talks to MCP servers.
#[derive(Debug)]
pub(crate) struct Client {
    /// What `--client` calls it.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// Its settings in a repository, if it has any there.
    project: Option<Files<&'static str>>,
    /// Its settings for all of a person's work.
    user: Files<(Base, &'static str)>,
    /// What is there when the program is, beside the folder of its settings.
    traces: &'static [(Base, &'static str)],
    /// How its settings are written.
    pub(crate) syntax: Syntax,
    /// The keys that lead to its servers.
    container: &'static [&'static str],
    /// What an entry looks like.
    shape: Shape,
    /// Whether an entry may name the folder to start in.
    has_folder: bool,
    /// Whether it is started from a desktop, and so without the `PATH` of a shell.
    pub(crate) is_graphical: bool,
    /// Whether tools must be listed without dots: it is known to refuse them, or not known to take them.
    pub(crate) needs_underscores: bool,
    advice: Advice,
}

/// Files of which one is used: a preferred one where it or at least its folder exists, otherwise the last.
#[derive(Debug)]
struct Files<T: 'static> {
    preferred: &'static [T],
    otherwise: T,
}

/// What an entry looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `{"command", "args"}`.
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// Copilot's: `"type": "local"`, and which tools are allowed.
    Copilot,
    /// opencode's: the command and its arguments in one list.
    OpenCode,
}

/// What a person has to know after installing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Advice {
    None,
    InProject(&'static str),
    Always(&'static str),
}

/// Finds a client by what `--client` calls it.
pub(crate) fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name)
}

impl Client {
    /// Tells whether it has settings in a repository.
    pub(crate) fn has_project_file(&self) -> bool {
        self.project.is_some()
    }

    /// Returns its settings in the work tree at `root`.
    pub(crate) fn project_file(&self, root: &Path) -> Option<PathBuf> {
        self.project.as_ref().map(|files| files.choose(|name| root.join(name)))
    }

    /// Returns its settings for all of a person's work.
    pub(crate) fn user_file(&self, folders: &Folders) -> PathBuf {
        self.user.choose(|(base, name)| folders.path(*base).join(name))
    }

    /// Returns what a person has to know after installing.
    pub(crate) fn advice(&self, is_project: bool) -> Option<&'static str> {
        match self.advice {
            Advice::Always(text) => Some(text),
            Advice::InProject(text) if is_project => Some(text),
            _ => None,
        }
    }

    /// Tells whether there is a sign of it on this machine.
    pub(crate) fn is_here(&self, folders: &Folders) -> bool {
        let mut traces = self.traces.iter().map(|(base, name)| folders.path(*base).join(name));
        // Some keep their settings right in the home folder, which says nothing.
        let is_own = |folder: &Path| folder.is_dir() && !folders.contains(folder);
        self.user_file(folders).parent().is_some_and(is_own) || traces.any(|trace| trace.exists())
    }
}

impl<T> Files<T> {
    fn choose(&self, path: impl Fn(&T) -> PathBuf) -> PathBuf {
        let otherwise = path(&self.otherwise);
        let preferred: Vec<PathBuf> = self.preferred.iter().map(path).collect();
        let all = preferred.iter().chain([&otherwise]);
        let has_own_folder =
            |file: &&PathBuf| file.parent() != otherwise.parent() && file.parent().is_some_and(Path::is_dir);
        let chosen = all.clone().find(|file| file.exists()).or_else(|| preferred.iter().find(has_own_folder));
        chosen.unwrap_or(&otherwise).clone()
    }
}
