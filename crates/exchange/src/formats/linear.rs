//! Linear: the table that a workspace exports.

use app::Error;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::item::ItemKind;

use super::table::{RowLength, TableRow, each_row, write};
use super::times::Times;
use super::{ReadOptions, Sink, priority_word};
use crate::input::Input;
use crate::item::{ImportedItem, ImportedPerson, ImportedStatus, Record, SourceId, Target};

/// Reads issues, one per row. Projects become epics, cycles milestones.
pub(crate) fn read(input: &Input, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<(), Error> {
    let mut groups = std::collections::HashSet::new();
    let dates = Times::new(options.dates);
    let unread = each_row(input, RowLength::MayLackLast, |row| {
        let item = item(row, dates)?;
        let project = row.get("Project").map(str::to_owned);
        for (kind, name) in [(ItemKind::Epic, project), (ItemKind::Milestone, cycle(row))] {
            if let Some(name) = name.filter(|name| groups.insert((kind, name.clone()))) {
                sink(Record::Item(Box::new(group(row, kind, &name, dates)?)))?;
            }
        }
        row.pass_over(&["UUID", "Project ID", "Project Milestone ID", "Time in status (minutes)", "Triaged"]);
        sink(Record::Item(Box::new(item)))
    })?;
    unread.into_iter().try_for_each(|column| sink(Record::LeftOut(column)))
}

/// Returns the name of the cycle. Without a name of its own it has the number, which each team counts for itself.
fn cycle(row: &TableRow<'_>) -> Option<String> {
    let (name, number, team) = (row.get("Cycle Name"), row.get("Cycle Number"), row.get("Team"));
    name.map(str::to_owned).or_else(|| {
        let number = number?;
        Some(team.map_or_else(|| format!("Cycle {number}"), |team| format!("{team}: Cycle {number}")))
    })
}

/// Returns a project or a cycle; the rows of its issues have the days of a cycle.
fn group(row: &TableRow<'_>, kind: ItemKind, name: &str, dates: Times) -> Result<ImportedItem, Error> {
    let mut group = ImportedItem::new(row.place.clone(), SourceId::Of(group_id(kind, name)), kind, name);
    if kind == ItemKind::Milestone {
        group.started = row.parsed("Cycle Start", |text| dates.day(text))?;
        group.due = row.parsed("Cycle End", |text| dates.day(text))?;
    }
    Ok(group)
}

fn group_id(kind: ItemKind, name: &str) -> String {
    format!("{kind}/{name}")
}

fn item(row: &TableRow<'_>, dates: Times) -> Result<ImportedItem, Error> {
    let (time, day) = (|text: &str| dates.time(text), |text: &str| dates.day(text));
    let missing = |what: &str| Error::invalid(format!("{}: the issue has no `{what}`", row.place));
    let id = row.get("ID").ok_or_else(|| missing("ID"))?;
    let title = row.get("Title").map(write::unguarded).ok_or_else(|| missing("Title"))?;
    let mut item = ImportedItem::new(row.place.clone(), SourceId::Of(id.to_owned()), ItemKind::Issue, title);
    item.url = row.get("URL").map(str::to_owned);
    row.get("Description").map(write::unguarded).unwrap_or_default().clone_into(&mut item.description);
    let completed = row.parsed("Completed", time)?;
    let canceled = row.parsed("Canceled", time)?;
    item.closed = completed.or(canceled);
    item.status = ImportedStatus::known(row.get("Status").unwrap_or_default(), item.closed.is_some());
    if let Some(word) = row.get("Priority") {
        item.set_priority(word, priority(word));
    }
    if let Some(estimate) = row.get("Estimate") {
        item.extra.insert("estimate".to_owned(), estimate.into());
    }
    for (column, name) in [("Project Milestone", "project_milestone"), ("Team", "team"), ("Initiatives", "initiatives")]
    {
        if let Some(value) = row.get(column) {
            item.extra.insert(name.to_owned(), value.into());
        }
    }
    item.labels = row.get("Labels").unwrap_or_default().split(',').map(|label| label.trim().to_owned()).collect();
    item.labels.retain(|label| !label.is_empty());
    item.author = row.get("Creator").and_then(|name| ImportedPerson::parse(name).known());
    item.assignees = row.get("Assignee").and_then(|name| ImportedPerson::parse(name).known()).into_iter().collect();
    item.created = row.parsed("Created", time)?;
    item.updated = row.parsed("Updated", time)?;
    item.started = row.parsed("Started", day)?;
    item.due = row.parsed("Due Date", |text| due(text, dates))?;
    let epic = row.get("Project").map(|name| Target::Id(group_id(ItemKind::Epic, name)));
    item.parent = row.get("Parent issue").map(|id| Target::Id(id.to_owned())).or(epic);
    item.milestone = cycle(row).map(|name| Target::Id(group_id(ItemKind::Milestone, &name)));
    item.blocks = ids(row, "Blocks");
    item.blocked_by = ids(row, "Blocked by");
    item.relates = ids(row, "Related to");
    item.relates.extend(ids(row, "Duplicate of"));
    if row.get("Archived").is_some() && item.closed.is_none() {
        item.leave_out("archive", "archived issues are imported as they were", id);
    }
    Ok(item)
}

// A table from the browser has a due day as a moment in UTC: midnight in the zone of the user, which may be the evening of the
// day before.
fn due(text: &str, dates: Times) -> Result<Date, String> {
    if !text.contains("GMT+0000") {
        return dates.day(text);
    }
    let at = dates.time(text)?;
    let nearest = at.checked_add(12.hours()).unwrap_or(at);
    Ok(nearest.to_zoned(TimeZone::UTC).date())
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
