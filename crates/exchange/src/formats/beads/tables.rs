//! A folder of beads: `.beads`, the project that has it, or a backup, whose tables have the labels, dependencies and comments
//! of the issues in files of their own.

use std::collections::HashMap;
use std::path::Path;

use app::Error;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Comment, Dependency, Issue, Sink, read_issues};
use crate::input::Input;
use crate::item::{LeftOut, Record};

/// Where a folder has its issues, in the order in which they are looked for.
const PLACES: [&str; 6] = [
    "issues.jsonl",
    "beads.jsonl",
    ".beads/issues.jsonl",
    ".beads/beads.jsonl",
    "backup/issues.jsonl",
    ".beads/backup/issues.jsonl",
];
/// The tables of a backup that are not about issues, each with what a line of it is.
const LEFT_OUT: [(&str, &str, &str); 2] = [
    ("events.jsonl", "event", "the history of changes stays in beads"),
    ("config.jsonl", "setting", "settings and memories are not work"),
];

/// What a backup has of its issues besides them, by their ids.
#[derive(Default)]
pub(super) struct Tables {
    labels: HashMap<String, Vec<String>>,
    dependencies: HashMap<String, Vec<Dependency>>,
    comments: HashMap<String, Vec<Comment>>,
}

#[derive(Deserialize)]
struct LabelRow {
    issue_id: String,
    label: String,
}

#[derive(Deserialize)]
struct RowOf<T> {
    issue_id: String,
    #[serde(flatten)]
    value: T,
}

/// Reads the issues of a folder.
pub(super) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let path = PLACES.iter().map(|place| input.path().join(place)).find(|path| path.is_file()).ok_or_else(|| {
        Error::invalid(format!("`{}` is not a folder of beads", input.name()))
            .hint("name the folder that has `issues.jsonl`, usually `.beads`, or the file")
    })?;
    let issues = Input::open(&path)?;
    let folder = path.parent().unwrap_or(input.path());
    let mut tables = Tables::default();
    each_row(&folder.join("labels.jsonl"), |row: LabelRow| push(&mut tables.labels, row.issue_id, row.label))?;
    each_row(&folder.join("dependencies.jsonl"), |row: RowOf<Dependency>| {
        push(&mut tables.dependencies, row.issue_id, row.value);
    })?;
    each_row(&folder.join("comments.jsonl"), |row: RowOf<Comment>| {
        push(&mut tables.comments, row.issue_id, row.value);
    })?;
    read_issues(&issues, &mut tables, sink)?;
    for (name, what, why) in LEFT_OUT {
        let mut count = 0;
        each_row(&folder.join(name), |_: serde::de::IgnoredAny| count += 1)?;
        if count > 0 {
            sink(Record::LeftOut(LeftOut { count, ..LeftOut::new(what, why, name) }))?;
        }
    }
    Ok(())
}

impl Tables {
    /// Moves what the tables have of an issue to it.
    pub(super) fn add_to(&mut self, id: &str, issue: &mut Issue) {
        issue.labels.extend(self.labels.remove(id).unwrap_or_default());
        issue.dependencies.extend(self.dependencies.remove(id).unwrap_or_default());
        issue.comments.extend(self.comments.remove(id).unwrap_or_default());
    }
}

/// Calls `each` with the lines of a table, if there is one.
fn each_row<T: DeserializeOwned>(path: &Path, mut each: impl FnMut(T)) -> Result<(), Error> {
    if !path.is_file() {
        return Ok(());
    }
    let input = Input::open(path)?;
    input.each_line(|number, line| {
        each(serde_json::from_slice(line).map_err(|error| input.bad_json(number, &error))?);
        Ok(())
    })
}

fn push<T>(table: &mut HashMap<String, Vec<T>>, id: String, value: T) {
    table.entry(id).or_default().push(value);
}
