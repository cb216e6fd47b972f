//! The table of Jira: columns of one name for each value, comments as `date;author;text`.

use std::collections::HashMap;

use app::Error;

use super::super::priority_word;
use super::super::table::{RowLength, TableRow, each_row};
use super::super::times::Times;
use super::{EmitIssue, Issue, custom, kind, status, version_id};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, LeftOut, SourceId, Target};

/// Keys of issues by their ids in Jira's database, which some tables have for parents.
type Keys = HashMap<String, String>;

/// Newer Jiras call an issue a work item.
const KEY: &[&str] = &["Issue key", "Work item key"];
const ID: &[&str] = &["Issue id", "Work item id"];
const TYPE: &[&str] = &["Issue Type", "Work type"];

/// Columns whose values others have, or that say nothing of the issue itself.
const PASSED_OVER: &[&str] = &[
    "Issue id",
    "Work item id",
    "Project key",
    "Project name",
    "Project type",
    "Project lead",
    "Project lead id",
    "Project description",
    "Project url",
    "Parent summary",
    "Last Viewed",
    "Work Ratio",
    "Creator",
    "Creator Id",
    "Reporter Id",
    "Assignee Id",
    "Status Category Changed",
    "Watchers Id",
    "Custom field (Rank)",
    "Custom field (Development)",
];

/// Reads issues, and returns the columns with values that were not read.
pub(super) fn read(input: &Input, dates: Times, emit: &mut EmitIssue<'_>) -> Result<Vec<LeftOut>, Error> {
    let keys = keys(input)?;
    each_row(input, RowLength::Whole, |row| emit(issue(row, &keys, dates)?))
}

fn keys(input: &Input) -> Result<Keys, Error> {
    let mut keys = Keys::new();
    each_row(input, RowLength::Whole, |row| {
        if let (Some(id), Some(key)) = (row.first(ID), row.first(KEY)) {
            keys.insert(id.to_owned(), key.to_owned());
        }
        Ok(())
    })?;
    Ok(keys)
}

fn issue(row: &TableRow<'_>, keys: &Keys, dates: Times) -> Result<Issue, Error> {
    let (time, day) = (|text: &str| dates.time(text), |text: &str| dates.day(text));
    let missing = |what: &str| Error::invalid(format!("{}: the issue has no `{what}`", row.place));
    let key = row.first(KEY).ok_or_else(|| missing("Issue key"))?;
    let title = row.get("Summary").ok_or_else(|| missing("Summary"))?;
    let (kind, type_) = kind(row.first(TYPE).unwrap_or_default());
    let mut item = ImportedItem::new(row.place.clone(), SourceId::Of(key.to_owned()), kind, title);
    item.type_ = type_;
    row.get("Description").unwrap_or_default().clone_into(&mut item.description);
    let category = row.get("Status Category");
    item.status = status(row.get("Status").unwrap_or_default(), category, row.get("Resolution"));
    if let Some(word) = row.get("Priority") {
        item.set_priority(word, priority_word(word));
    }
    item.labels = row.all("Labels").flat_map(str::split_whitespace).map(str::to_owned).collect();
    item.labels.extend(row.all("Component/s").chain(row.all("Components")).map(str::to_owned));
    item.author = person(row, &["Reporter", "Creator"]);
    item.assignees = person(row, &["Assignee"]).into_iter().collect();
    item.created = row.parsed("Created", time)?;
    item.updated = row.parsed("Updated", time)?;
    item.closed = row.parsed("Resolved", time)?;
    item.due = row.parsed("Due Date", day)?;
    let versions: Vec<String> = row.all("Fix Version/s").chain(row.all("Fix versions")).map(str::to_owned).collect();
    let affected: Vec<&str> = row.all("Affects Version/s").chain(row.all("Affects versions")).collect();
    item.milestone = versions.first().map(|name| Target::Id(version_id(name)));
    for version in versions.iter().skip(1) {
        item.leave_out("further fix version", "an item belongs to one milestone", format!("{version} of {key}"));
    }
    let parent = row.first(&["Parent key", "Custom field (Epic Link)", "Parent id", "Parent"]);
    if !affected.is_empty() {
        custom::put(&mut item, "affects_versions", affected.join(", "));
    }
    if let Some(environment) = row.get("Environment") {
        custom::put(&mut item, "environment", environment);
    }
    item.parent = parent.map(|text| Target::Id(keys.get(text).map_or(text, String::as_str).to_owned()));
    read_links(row, &mut item);
    item.comments = row.all("Comment").map(|cell| comment(cell, dates)).collect();
    for cell in row.all("Attachment") {
        item.leave_out("attachment", "files stay in Jira", cell.rsplit(';').next().unwrap_or(cell));
    }
    let sprints: Vec<String> = row.all("Sprint").map(str::to_owned).collect();
    custom::add(&mut item, "Sprint", &sprints);
    let times = ["Original estimate", "Original Estimate", "Remaining Estimate", "Time Spent", "Log Work"];
    if row.first(&times).is_some() {
        item.leave_out("time tracking", "there is no place for it", key);
    }
    if row.get("Votes").is_some_and(|votes| votes != "0") {
        item.leave_out("votes", "there is no place for them", key);
    }
    row.pass_over(PASSED_OVER);
    let unread: Vec<String> = row.unread().into_iter().map(str::to_owned).collect();
    for column in unread {
        let name = column.strip_prefix("Custom field (").and_then(|rest| rest.strip_suffix(')'));
        if let Some(name) = name {
            let values: Vec<String> = row.all(&column).map(str::to_owned).collect();
            custom::add(&mut item, name, &values);
        }
    }
    Ok(Issue { item, versions })
}

// A cloud also has the ids of accounts, by which comments name their authors.
fn person(row: &TableRow<'_>, columns: &[&str]) -> Option<ImportedPerson> {
    let column = columns.iter().find(|column| row.get(column).is_some())?;
    let username = row.get(&format!("{column} Id")).unwrap_or_default().to_owned();
    ImportedPerson { username, ..ImportedPerson::parse(row.get(column)?) }.known()
}

fn read_links(row: &TableRow<'_>, item: &mut ImportedItem) {
    for column in row.columns().names() {
        let Some((direction, type_)) = link_type(column) else { continue };
        let keys = row.all(column).map(|key| Target::Id(key.to_owned()));
        match (direction, type_) {
            (Direction::Outward, "blocks") => item.blocks.extend(keys),
            (Direction::Inward, "blocks") => item.blocked_by.extend(keys),
            // Both sides name it; the other one need not be in the table.
            _ => item.relates.extend(keys),
        }
    }
    item.relates.dedup();
}

enum Direction {
    Inward,
    Outward,
}

/// Splits the name of a column such as `outward issue link (blocks)`.
fn link_type(column: &str) -> Option<(Direction, &str)> {
    let (direction, rest) = column.split_once(' ')?;
    let direction = match direction {
        "inward" => Direction::Inward,
        "outward" => Direction::Outward,
        _ => return None,
    };
    let rest = rest.strip_prefix("issue link (").or_else(|| rest.strip_prefix("work item link ("))?;
    Some((direction, rest.strip_suffix(')')?))
}

// `27/Mar/24 10:03 AM;accountid;text`; the text may have semicolons too. The table has no ids of comments.
fn comment(cell: &str, dates: Times) -> ImportedComment {
    let mut parts = cell.splitn(3, ';');
    let (at, author, body) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    match (dates.time(at), author, body) {
        (Ok(at), Some(author), Some(body)) => ImportedComment {
            id: SourceId::None,
            author: ImportedPerson::of_username(author).known(),
            created: Some(at),
            body: body.trim().to_owned(),
        },
        _ => ImportedComment { id: SourceId::None, author: None, created: None, body: cell.to_owned() },
    }
}
