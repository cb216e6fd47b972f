//! What is measured of a program, as data: how it is installed, prepared and filled, and which command does what.

use std::path::PathBuf;

use xtask::tools::peer::PublishedProgram;

/// Where a program comes from.
pub(crate) enum Source {
    /// The release build of this repository.
    Built,
    /// A registry.
    Published(PublishedProgram),
    /// Nowhere: it is measured if it is on the path.
    OnPath(&'static str),
}

/// What a program is for; only programs for the same are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// Items of work.
    Tracker,
    /// Reasons for code, bound to commits or functions.
    Annotations,
    /// Comments of a reviewer on lines.
    Review,
    /// Only its MCP server is measured.
    Server,
}

/// What a command does, whatever the program calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Action {
    Create,
    List,
    ListAll,
    Show,
    Ready,
    Search,
    Annotate,
    ReadAnnotations,
    AddComment,
    ListComments,
}

impl Action {
    pub(crate) const ALL: [Self; 10] = [
        Self::Create,
        Self::List,
        Self::ListAll,
        Self::Show,
        Self::Ready,
        Self::Search,
        Self::Annotate,
        Self::ReadAnnotations,
        Self::AddComment,
        Self::ListComments,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::List => "list",
            Self::ListAll => "list all",
            Self::Show => "show",
            Self::Ready => "ready",
            Self::Search => "search",
            Self::Annotate => "annotate",
            Self::ReadAnnotations => "read annotations",
            Self::AddComment => "add a comment",
            Self::ListComments => "list comments",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    pub(crate) fn is_write(self) -> bool {
        matches!(self, Self::Create | Self::Annotate | Self::AddComment)
    }
}

/// How a program gets its first items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seed {
    /// A file of beads, read by this command.
    BeadsFile(&'static [&'static str]),
    /// The files of Backlog.md, one per task.
    BacklogFiles,
    /// The file of Task Master.
    TaskMasterFile,
    /// The writing command, once per item.
    OneByOne(Action),
}

/// How an item is called in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemName {
    Number,
    /// Its id in the file of beads.
    Beads,
    /// The hexadecimal id that the writing command printed.
    Printed,
}

/// A command line; `{title}`, `{text}`, `{id}`, `{word}`, `{n}`, `{commit}`, `{home}` and `{file}` are replaced.
pub(crate) type Arguments = &'static [&'static str];

pub(crate) struct Server {
    pub(crate) arguments: Arguments,
    /// The tool that lists items and its arguments as JSON; `Err` says why it cannot be called here.
    pub(crate) list: Result<(&'static str, &'static str), &'static str>,
}

/// A program beside others.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    pub(crate) source: Source,
    pub(crate) field: Field,
    /// How it stores its data.
    pub(crate) about: &'static str,
    /// Variables in addition to those of every sandbox.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// Commands that prepare a repository; the program itself unless the first word is `git`.
    pub(crate) setup: &'static [Arguments],
    pub(crate) seed: Seed,
    pub(crate) item_name: ItemName,
    pub(crate) commands: &'static [(Action, Arguments)],
    /// The command whose output has the titles of all items.
    pub(crate) found: Arguments,
    pub(crate) server: Option<Server>,
}

impl Subject {
    /// Returns the arguments of the command for an action, if there is one.
    pub(crate) fn arguments(&self, action: Action) -> Option<Arguments> {
        self.commands.iter().find(|(known, _)| *known == action).map(|(_, arguments)| *arguments)
    }

    /// Returns the command that writes.
    pub(crate) fn writing(&self) -> Option<Action> {
        self.commands.iter().map(|(action, _)| *action).find(|action| action.is_write())
    }
}

/// A program that was found or installed.
pub(crate) struct Installed {
    pub(crate) program: PathBuf,
    pub(crate) version: String,
}
