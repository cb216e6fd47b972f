//! The table of Jira: columns of one name for each value, comments as `date;author;text`.

use std::collections::HashMap;

use app::Error;

use super::super::table::{TableRow, each_row};
use super::super::{priority_word, times};
use super::{EmitIssue, Issue, kind, status, version_id};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, SourceId, Target};

/// Keys of issues by their ids in Jira's database, which some tables have for parents.
type Keys = HashMap<String, String>;

pub(super) fn read(input: &Input, emit: &mut EmitIssue<'_>) -> Result<(), Error> {
    let keys = keys(input)?;
    each_row(input, |row| emit(issue(row, &keys)?))
}

fn keys(input: &Input) -> Result<Keys, Error> {
    let mut keys = Keys::new();
    each_row(input, |row| {
        if let (Some(id), Some(key)) = (row.get("Issue id"), row.get("Issue key")) {
            keys.insert(id.to_owned(), key.to_owned());
        }
        Ok(())
    })?;
    Ok(keys)
}

fn issue(row: &TableRow<'_>, keys: &Keys) -> Result<Issue, Error> {
    let missing = |what: &str| Error::invalid(format!("{}: the issue has no `{what}`", row.place));
    let key = row.get("Issue key").ok_or_else(|| missing("Issue key"))?;
    let title = row.get("Summary").ok_or_else(|| missing("Summary"))?;
    let (kind, type_) = kind(row.get("Issue Type").unwrap_or_default());
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
    item.created = row.parsed("Created", times::time)?;
    item.updated = row.parsed("Updated", times::time)?;
    item.closed = row.parsed("Resolved", times::time)?;
    item.due = row.parsed("Due Date", times::day)?.or(row.parsed("Due date", times::day)?);
    let versions: Vec<String> = row.all("Fix Version/s").chain(row.all("Fix versions")).map(str::to_owned).collect();
    item.milestone = versions.first().map(|name| Target::Id(version_id(name)));
    for version in versions.iter().skip(1) {
        item.leave_out("further fix version", "an item belongs to one milestone", format!("{version} of {key}"));
    }
    let parent = row.first(&["Parent key", "Custom field (Epic Link)", "Parent id", "Parent"]);
    item.parent = parent.map(|text| Target::Id(keys.get(text).map_or(text, String::as_str).to_owned()));
    read_links(row, &mut item);
    for (n, cell) in row.all("Comment").enumerate() {
        item.comments.push(comment(n, cell));
    }
    for cell in row.all("Attachment") {
        item.leave_out("attachment", "files stay in Jira", cell.rsplit(';').next().unwrap_or(cell));
    }
    if let Some(points) = row.first(&["Custom field (Story Points)", "Custom field (Story point estimate)"]) {
        item.extra.insert("story_points".to_owned(), points.into());
    }
    if let Some(sprint) = row.all("Sprint").last() {
        item.extra.insert("sprint".to_owned(), sprint.into());
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
    let keys = |name: &str| row.all(name).map(|key| Target::Id(key.to_owned())).collect::<Vec<_>>();
    item.blocks = keys("Outward issue link (Blocks)");
    item.blocked_by = keys("Inward issue link (Blocks)");
    for name in ["Relates", "Duplicate", "Cloners"] {
        item.relates.extend(keys(&format!("Outward issue link ({name})")));
    }
}

// `27/Mar/24 10:03 AM;accountid;text`; the text may have semicolons too.
fn comment(n: usize, cell: &str) -> ImportedComment {
    let mut parts = cell.splitn(3, ';');
    let (at, author, body) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    match (times::time(at), author, body) {
        (Ok(at), Some(author), Some(body)) => ImportedComment {
            id: SourceId::Of(format!("{n}:{at}")),
            author: ImportedPerson::of_username(author).known(),
            created: Some(at),
            body: body.trim().to_owned(),
        },
        _ => ImportedComment { id: SourceId::Of(n.to_string()), author: None, created: None, body: cell.to_owned() },
    }
}
