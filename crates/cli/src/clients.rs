//! MCP clients: where each stores its settings, and the format of a server entry.
//!
//! Data only; the commands act on it.

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

#[derive(Debug)]
pub(crate) struct Client {
    /// Its name in `--client`.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Its settings file in a repository, if it has one.
    project: Option<Files<&'static str>>,
    /// Its settings file for the user.
    user: Files<(Base, &'static str)>,
    /// Paths that show that the client is installed, besides the folder of its settings.
    traces: &'static [(Base, &'static str)],
    /// The syntax of its settings.
    pub(crate) syntax: Syntax,
    /// The keys of the object that contains its servers.
    container: &'static [&'static str],
    /// The format of an entry.
    shape: Shape,
    /// Whether an entry may set the working directory.
    has_folder: bool,
    /// Whether it is started from a desktop, and so without the `PATH` of a shell.
    pub(crate) is_graphical: bool,
    /// Whether tool names must not contain dots: the client is known to reject them, or not known to accept them.
    pub(crate) needs_underscores: bool,
    advice: Advice,
}

/// Candidate files: the first preferred one that exists, or whose folder exists; otherwise the last.
#[derive(Debug)]
struct Files<T: 'static> {
    preferred: &'static [T],
    otherwise: T,
}

/// The format of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `{"command", "args"}`.
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// Copilot's: `"type": "local"`, and the allowed tools.
    Copilot,
    /// opencode's: the command and its arguments in one list.
    OpenCode,
}

/// A note for the user after installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Advice {
    None,
    InProject(&'static str),
    Always(&'static str),
}

/// Finds a client by its name in `--client`.
pub(crate) fn find(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name)
}

impl Client {
    /// Returns whether it has a settings file in a repository.
    pub(crate) fn has_project_file(&self) -> bool {
        self.project.is_some()
    }

    /// Returns its settings file in the work tree at `root`.
    pub(crate) fn project_file(&self, root: &Path) -> Option<PathBuf> {
        self.project.as_ref().map(|files| files.choose(|name| root.join(name)))
    }

    /// Returns its settings file for the user.
    pub(crate) fn user_file(&self, folders: &Folders) -> PathBuf {
        self.user.choose(|(base, name)| folders.path(*base).join(name))
    }

    /// Returns the note for the user after installation.
    pub(crate) fn advice(&self, is_project: bool) -> Option<&'static str> {
        match self.advice {
            Advice::Always(text) => Some(text),
            Advice::InProject(text) if is_project => Some(text),
            _ => None,
        }
    }

    /// Returns whether the client seems to be installed on this machine.
    pub(crate) fn is_here(&self, folders: &Folders) -> bool {
        let mut traces = self.traces.iter().map(|(base, name)| folders.path(*base).join(name));
        // Some clients store their settings directly in the home folder, which proves nothing.
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
