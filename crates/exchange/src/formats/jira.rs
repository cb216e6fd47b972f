//! Jira: the table (CSV, all fields) and the XML that a search exports. Both become the same item.

mod csv;
mod custom;
mod html;
mod xml;

use std::collections::HashSet;
use std::io::BufRead;

use app::Error;
use model::item::ItemKind;

use super::times::Times;
use super::{ReadOptions, Sink};
use crate::input::Input;
use crate::item::{ImportedItem, ImportedStatus, Record, SourceId};

/// Reads issues from CSV or XML, whichever it is.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut reader = input.reader()?;
    let first = reader.fill_buf().map_err(|error| input.failed(&error))?;
    let is_xml = first.trim_ascii_start().starts_with(b"<");
    let mut versions = HashSet::new();
    let mut emit = |issue: Issue| {
        for version in issue.versions.iter().filter(|name| versions.insert((*name).clone())) {
            let id = SourceId::Of(version_id(version));
            let milestone = ImportedItem::new(issue.item.place.clone(), id, ItemKind::Milestone, version.clone());
            sink(Record::Item(Box::new(milestone)))?;
        }
        sink(Record::Item(Box::new(issue.item)))
    };
    if is_xml {
        return xml::read(input, &mut emit);
    }
    let unread = csv::read(input, Times::new(options.dates), &mut emit)?;
    unread.into_iter().try_for_each(|column| sink(Record::LeftOut(column)))
}

/// An issue, and the versions that it is to be fixed in.
struct Issue {
    item: ImportedItem,
    versions: Vec<String>,
}

type EmitIssue<'a> = dyn FnMut(Issue) -> Result<(), Error> + 'a;

fn version_id(name: &str) -> String {
    format!("version/{name}")
}

/// Returns the kind here of a type there, and the type if the kind does not say it.
fn kind(type_: &str) -> (ItemKind, Option<String>) {
    match type_.to_lowercase().as_str() {
        "epic" => (ItemKind::Epic, None),
        "story" => (ItemKind::Story, None),
        "task" | "sub-task" | "subtask" => (ItemKind::Task, None),
        "" => (ItemKind::Issue, None),
        _ => (ItemKind::Issue, Some(type_.to_owned())),
    }
}

// A resolution such as `Won't Do` says more than the status `Done`.
fn status(status: &str, category: Option<&str>, resolution: Option<&str>) -> ImportedStatus {
    let resolution = resolution.filter(|name| !name.eq_ignore_ascii_case("unresolved"));
    let is_done = category.map(|category| category.eq_ignore_ascii_case("done"));
    let closed = is_done.or_else(|| resolution.map(|_| true));
    let plain = ["done", "fixed", "complete", "resolved"];
    let telling = resolution.filter(|name| closed == Some(true) && !plain.contains(&name.to_lowercase().as_str()));
    let meaning = category.unwrap_or_default().to_owned();
    ImportedStatus { name: telling.unwrap_or(status).to_owned(), closed, meaning }
}
