//! The formats, a file or folder each. A reader calls its last argument with each record that it finds; it runs twice
//! and must find the same both times.

mod backlog;
pub(crate) mod beads;
mod csv_mapped;
pub(crate) mod front_matter;
mod git_bug;
mod git_history;
mod git_mile;
pub(crate) mod github;
mod gitlab;
pub(crate) mod html;
pub(crate) mod ics;
mod jira;
mod json;
pub(crate) mod jsonl;
mod linear;
pub(crate) mod markdown;
mod own;
mod repeated;
pub(crate) mod table;
mod taiga;
mod times;
mod todo;

use std::path::PathBuf;

use app::Error;
use model::label::LabelDefinition;
use model::priority::PriorityLevel;
use serde::{Deserialize, Deserializer};

use crate::input::Input;
use crate::item::{ImportedItem, Record};
pub use times::DateOrder;

/// Receives the records of a reader.
pub(crate) type Sink<'a> = dyn FnMut(Record) -> Result<(), Error> + 'a;

/// What only some formats need.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The file that says which column of a table is which field.
    pub mapping: Option<PathBuf>,
    /// The name of the project in the source, if the input does not say it: part of the ids of its items.
    pub project: Option<String>,
    /// How dates such as `03/04/2024` are read; without it, they are refused.
    pub dates: Option<DateOrder>,
}

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// An export of Cairn, or one JSON object per line and item.
    Jsonl,
    /// Markdown that Cairn itself wrote.
    Markdown,
    /// Issues of GitHub.
    Github,
    /// Issues of GitLab.
    Gitlab,
    /// Issues of Jira, as CSV or XML.
    Jira,
    /// Issues of Linear.
    Linear,
    /// The export of a Taiga project.
    Taiga,
    /// `.beads/issues.jsonl`.
    Beads,
    /// A folder of Backlog.md.
    Backlog,
    /// The references of git-bug, or its JSON.
    GitBug,
    /// The references of git-mile.
    GitMile,
    /// Any table.
    Csv,
    /// To-do comments in the code.
    Todo,
}

impl ImportFormat {
    /// Returns the name on the command line, in ids and in marks.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Markdown => "markdown",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Jira => "jira",
            Self::Linear => "linear",
            Self::Taiga => "taiga",
            Self::Beads => "beads",
            Self::Backlog => "backlog",
            Self::GitBug => "git-bug",
            Self::GitMile => "git-mile",
            Self::Csv => "csv",
            Self::Todo => "todo",
        }
    }

    /// Returns whether Cairn itself writes this format: then mistakes are errors.
    pub(crate) fn is_own(self) -> bool {
        matches!(self, Self::Jsonl | Self::Markdown)
    }

    /// Adds to an error about a key of an item the column of its value, as far as the format has one. Only for an error: the
    /// file is read again.
    pub(crate) fn placed(self, input: &Input, error: Error, key: Option<&str>) -> Error {
        match (self, key) {
            (Self::Jsonl, Some(key)) => jsonl::placed(input, error, key),
            (Self::Markdown, Some(key)) => markdown::placed(input, error, key),
            _ => error,
        }
    }

    pub(crate) fn read(self, input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
        match self {
            Self::Jsonl => jsonl::read(input, sink),
            Self::Markdown => markdown::read(input, sink),
            Self::Github => github::read(input, options, sink),
            Self::Gitlab => gitlab::read(input, options, sink),
            Self::Jira => jira::read(input, options, sink),
            Self::Linear => linear::read(input, options, sink),
            Self::Taiga => taiga::read(input, sink),
            Self::Beads => beads::read(input, sink),
            Self::Backlog => backlog::read(input, sink),
            Self::GitBug => git_bug::read(input, sink),
            Self::GitMile => git_mile::read(input, sink),
            Self::Csv => csv_mapped::read(input, options, sink),
            Self::Todo => todo::read(input, sink),
        }
    }
}

/// Returns the priority that a word means, in Cairn's own words or in those of other tools.
pub(crate) fn priority_word(text: &str) -> Option<u8> {
    let level = PriorityLevel::try_parse(text).map(PriorityLevel::number);
    level.or_else(|| {
        Some(match text.trim().to_lowercase().as_str() {
            "critical" | "highest" | "blocker" | "immediate" => PriorityLevel::Urgent.number(),
            "major" | "important" => PriorityLevel::High.number(),
            "normal" | "moderate" => PriorityLevel::Medium.number(),
            "minor" => PriorityLevel::Low.number(),
            "lowest" | "trivial" => 1,
            "no priority" | "not set" | "undefined" => 0,
            _ => return None,
        })
    })
}

/// Reads a value that may be null as one that may be missing: some servers and libraries write `null` for an empty list.
fn or_default<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A value that may be null, and whose key may be missing: then the source says nothing about it.
#[derive(Debug)]
pub(crate) struct Given<T> {
    is_given: bool,
    value: Option<T>,
}

impl<T> Default for Given<T> {
    fn default() -> Self {
        Self { is_given: false, value: None }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { is_given: true, value: Option::<T>::deserialize(deserializer)? })
    }
}

/// A label in JSON: its name, or an object with a color.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Label {
    Name(String),
    Whole { name: String, color: Option<String>, description: Option<String> },
}

impl Label {
    fn add_to(self, item: &mut ImportedItem) {
        match self {
            Self::Name(name) => item.labels.push(name),
            Self::Whole { name, color, description } => {
                item.label_definitions.push(label_definition(&name, color.as_deref(), description));
                item.labels.push(name);
            }
        }
    }
}

/// Returns the definition of a label; a color that is none is left out.
fn label_definition(name: &str, color: Option<&str>, description: Option<String>) -> LabelDefinition {
    let color = color.and_then(|color| model::label::read_color(color.trim()).ok());
    LabelDefinition { name: name.to_owned(), color, about: description.unwrap_or_default() }
}
