//! Linear: the table that a workspace exports.

use app::Error;
use model::item::ItemKind;

use super::table::{TableRow, each_row};
use super::{Sink, priority_word, times};
use crate::input::Input;
use crate::item::{ImportedItem, ImportedPerson, ImportedStatus, Record, SourceId, Target};

/// Reads issues, one per row. Projects become epics, cycles milestones.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut groups = std::collections::HashSet::new();
    each_row(input, |row| {
        let item = item(row)?;
        for (kind, column) in [(ItemKind::Epic, "Project"), (ItemKind::Milestone, "Cycle Name")] {
            let name = row.get(column).filter(|name| groups.insert((kind, (*name).to_owned())));
            if let Some(name) = name {
                sink(Record::Item(Box::new(group(row, kind, name)?)))?;
            }
        }
        sink(Record::Item(Box::new(item)))
    })
}

/// Returns a project or a cycle; the rows of its issues have the days of a cycle.
fn group(row: &TableRow<'_>, kind: ItemKind, name: &str) -> Result<ImportedItem, Error> {
    let mut group = ImportedItem::new(row.place.clone(), SourceId::Of(group_id(kind, name)), kind, name);
    if kind == ItemKind::Milestone {
        group.started = row.parsed("Cycle Start", times::day)?;
        group.due = row.parsed("Cycle End", times::day)?;
    }
    Ok(group)
}

fn group_id(kind: ItemKind, name: &str) -> String {
    format!("{kind}/{name}")
}

fn item(row: &TableRow<'_>) -> Result<ImportedItem, Error> {
    let missing = |what: &str| Error::invalid(format!("{}: the issue has no `{what}`", row.place));
    let id = row.get("ID").ok_or_else(|| missing("ID"))?;
    let title = row.get("Title").ok_or_else(|| missing("Title"))?;
    let mut item = ImportedItem::new(row.place.clone(), SourceId::Of(id.to_owned()), ItemKind::Issue, title);
    item.url = row.get("URL").map(str::to_owned);
    row.get("Description").unwrap_or_default().clone_into(&mut item.description);
    let completed = row.parsed("Completed", times::time)?;
    let canceled = row.parsed("Canceled", times::time)?;
    item.closed = completed.or(canceled);
    item.status = ImportedStatus::known(row.get("Status").unwrap_or_default(), item.closed.is_some());
    if let Some(word) = row.get("Priority") {
        item.set_priority(word, priority(word));
    }
    if let Some(estimate) = row.get("Estimate") {
        item.extra.insert("estimate".to_owned(), estimate.into());
    }
    if let Some(milestone) = row.get("Project Milestone") {
        item.extra.insert("project_milestone".to_owned(), milestone.into());
    }
    item.labels = row.get("Labels").unwrap_or_default().split(',').map(|label| label.trim().to_owned()).collect();
    item.labels.retain(|label| !label.is_empty());
    item.author = row.get("Creator").and_then(|name| ImportedPerson::parse(name).known());
    item.assignees = row.get("Assignee").and_then(|name| ImportedPerson::parse(name).known()).into_iter().collect();
    item.created = row.parsed("Created", times::time)?;
    item.updated = row.parsed("Updated", times::time)?;
    item.started = row.parsed("Started", times::day)?;
    item.due = row.parsed("Due Date", times::day)?;
    let epic = row.get("Project").map(|name| Target::Id(group_id(ItemKind::Epic, name)));
    item.parent = row.get("Parent issue").map(|id| Target::Id(id.to_owned())).or(epic);
    item.milestone = row.get("Cycle Name").map(|name| Target::Id(group_id(ItemKind::Milestone, name)));
    item.blocked_by = ids(row, "Blocked by");
    item.relates = ids(row, "Related to");
    item.relates.extend(ids(row, "Duplicate of"));
    if row.get("Archived").is_some() && item.closed.is_none() {
        item.leave_out("archive", "archived issues are imported as they were", id);
    }
    Ok(item)
}

// Linear writes `Urgent`, older tables 1 (urgent) to 4 (low).
fn priority(text: &str) -> Option<u8> {
    match text {
        "1" => Some(9),
        "2" => Some(7),
        "3" => Some(5),
        "4" => Some(3),
        word => priority_word(word),
    }
}

fn ids(row: &TableRow<'_>, column: &str) -> Vec<Target> {
    let parts = row.all(column).flat_map(|cell| cell.split(',')).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|id| Target::Id(id.to_owned())).collect()
}
