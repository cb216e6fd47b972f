//! beads: `.beads/issues.jsonl` of all generations, and of beads-rs, which writes the same file. Early ones say `type` for
//! `issue_type` and number their comments, some leave a priority of 0 out; deleted issues are tombstones; later files have a
//! header and records of other kinds; a backup is a folder of tables.

mod tables;
pub(crate) mod write;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use app::Error;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::item::ItemKind;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Sink, or_default};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId, Target};
use tables::Tables;

/// Priorities 0 (critical) to 4 (backlog), in Cairn's terms.
pub(crate) const PRIORITIES: [u8; 5] = [9, 7, 5, 3, 1];

/// The custom field with dependencies whose type says more than a link here: ids by type.
pub(crate) const LINKS: &str = "beads_links";

#[derive(Debug, Deserialize)]
struct Issue {
    id: Option<String>,
    #[serde(rename = "_type")]
    record: Option<String>,
    title: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    description: String,
    #[serde(default, deserialize_with = "or_default")]
    design: String,
    #[serde(default, deserialize_with = "or_default")]
    acceptance_criteria: String,
    #[serde(default, deserialize_with = "or_default")]
    notes: String,
    status: Option<String>,
    priority: Option<u8>,
    #[serde(rename = "issue_type", alias = "type")]
    kind: Option<String>,
    assignee: Option<String>,
    created_by: Option<String>,
    owner: Option<String>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    started_at: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    closed_by: Option<String>,
    due_at: Option<Timestamp>,
    is_template: Option<Value>,
    ephemeral: Option<Value>,
    #[serde(default, deserialize_with = "or_default")]
    labels: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    dependencies: Vec<Dependency>,
    #[serde(default, deserialize_with = "or_default")]
    comments: Vec<Comment>,
    /// What has no place of its own: `external_ref`, `estimated_minutes`, `close_reason`, `metadata`, ….
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    depends_on_id: String,
    #[serde(rename = "type", default, deserialize_with = "or_default")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Comment {
    id: Option<Value>,
    author: Option<String>,
    #[serde(default, deserialize_with = "or_default", alias = "content", alias = "body")]
    text: String,
    created_at: Option<Timestamp>,
}

/// Keys that are kept as custom fields; all others of `rest` belong to the tool itself.
pub(crate) const KEPT: &[&str] =
    &["close_reason", "defer_until", "estimated_minutes", "external_ref", "metadata", "spec_id"];

/// Types of records that serve the agents of beads. Its own export leaves most of them out.
const TYPES_OF_AGENTS: &[&str] =
    &["agent", "convoy", "event", "gate", "merge-request", "message", "molecule", "rig", "role", "slot"];

/// Reads a file with one issue per line, or the folder that has it.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    if input.path().is_dir() { tables::read(input, sink) } else { read_issues(input, &mut Tables::default(), sink) }
}

/// Reads issues, one per line, with what `tables` has of them.
fn read_issues(input: &Input, tables: &mut Tables, sink: &mut Sink<'_>) -> Result<(), Error> {
    input.each_line(|number, line| {
        let mut issue: Issue = serde_json::from_slice(line).map_err(|error| input.bad_json(number, &error))?;
        let place = format!("`{}`: line {number}", input.name());
        let is_issue = issue.record.as_deref().is_none_or(|record| record == "issue");
        let (Some(id), true) = (issue.id.clone(), is_issue) else {
            let which = issue.record.unwrap_or_else(|| place.clone());
            return sink(Record::LeftOut(LeftOut::new("record", "it is not an issue", which)));
        };
        let left = |what: &'static str, why: &'static str| LeftOut::new(what, why, id.clone());
        if issue.status.as_deref() == Some("tombstone") {
            return sink(Record::LeftOut(left("deleted issue", "it was deleted in beads")));
        }
        if issue.kind.as_deref().is_some_and(|kind| TYPES_OF_AGENTS.contains(&kind)) {
            return sink(Record::LeftOut(left(
                "record of agents",
                "messages, events, roles and the like are not work",
            )));
        }
        if is_true(issue.is_template.as_ref()) || is_true(issue.ephemeral.as_ref()) {
            return sink(Record::LeftOut(left(
                "template or ephemeral issue",
                "the export of beads leaves it out, too",
            )));
        }
        tables.add_to(&id, &mut issue);
        let title = issue.title.clone().ok_or_else(|| input.at(number, None, "the issue has no `title`"))?;
        let item = issue.into_item(ImportedItem::new(place, SourceId::Of(id), ItemKind::Issue, title));
        sink(Record::Item(Box::new(item)))
    })
}

impl Issue {
    fn into_item(self, mut item: ImportedItem) -> ImportedItem {
        (item.kind, item.type_) = kind(self.kind.as_deref().unwrap_or("task"));
        let notes = if self.has_comments_as_notes() { "" } else { self.notes.as_str() };
        item.description = sections(&[
            ("", &self.description),
            ("Design", &self.design),
            ("Acceptance criteria", &self.acceptance_criteria),
            ("Notes", notes),
        ]);
        let status = self.status.unwrap_or_else(|| "open".to_owned());
        // If an issue waits for another one, the link says so, and says when it is over.
        let is_waiting = self.dependencies.iter().any(Dependency::is_blocking);
        item.blocked = (status == "blocked" && !is_waiting).then(String::new);
        // `open` and `closed` are all that a status without a reason says.
        let name = if matches!(status.as_str(), "open" | "closed") { "" } else { status.as_str() };
        item.status = ImportedStatus::known(name, status == "closed");
        // Of December 2025 there are files without the priority 0, and beads itself reads them so.
        let priority = self.priority.unwrap_or(0).min(4);
        item.set_priority(&format!("P{priority}"), Some(PRIORITIES[usize::from(priority)]));
        item.labels = self.labels;
        item.author = person(self.created_by.as_deref()).or_else(|| person(self.owner.as_deref()));
        item.closed_by = person(self.closed_by.as_deref());
        item.assignees = person(self.assignee.as_deref()).into_iter().collect();
        item.created = self.created_at.filter(is_set);
        item.updated = self.updated_at.filter(is_set);
        item.closed = self.closed_at.filter(is_set);
        item.started = self.started_at.filter(is_set).map(date);
        item.due = self.due_at.filter(is_set).map(date);
        item.comments = self.comments.into_iter().map(Comment::into_imported).collect();
        item.extra =
            self.rest.into_iter().filter(|(name, value)| KEPT.contains(&name.as_str()) && is_given(value)).collect();
        for dependency in self.dependencies {
            dependency.add_to(&mut item);
        }
        item
    }

    // beads-rs repeats the comments as notes, for readers that know only these.
    fn has_comments_as_notes(&self) -> bool {
        let comments: Vec<&str> = self.comments.iter().map(|comment| comment.text.as_str()).collect();
        !comments.is_empty() && comments.join("\n\n") == self.notes
    }
}

impl Dependency {
    fn is_blocking(&self) -> bool {
        matches!(self.kind.as_str(), "" | "blocks" | "waits-for" | "conditional-blocks")
    }

    fn add_to(self, item: &mut ImportedItem) {
        let target = Target::Id(self.depends_on_id.clone());
        match self.kind.as_str() {
            "" | "blocks" => item.blocked_by.push(target),
            "parent-child" => item.parent = Some(target),
            "related" | "relates-to" => item.relates.push(target),
            // A link here says less, so the type is kept beside it.
            "waits-for" | "conditional-blocks" => {
                keep_type(item, &self.kind, &self.depends_on_id);
                item.blocked_by.push(target);
            }
            "discovered-from" | "duplicates" | "supersedes" | "replies-to" | "caused-by" | "tracks" | "until"
            | "delegated-from" | "validates" => {
                keep_type(item, &self.kind, &self.depends_on_id);
                item.relates.push(target);
            }
            other => {
                let which = format!("{other} of {}", item.place);
                item.leave_out("dependency", "its type is not a link between items here", which);
            }
        }
    }
}

/// Adds a dependency to the list of its type.
fn keep_type(item: &mut ImportedItem, kind: &str, id: &str) {
    let known = item.extra.entry(LINKS.to_owned()).or_insert_with(|| Value::Object(Map::new()));
    if let Some(lists) = known.as_object_mut()
        && let Some(list) = lists.entry(kind).or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
    {
        list.push(id.into());
    }
}

impl Comment {
    fn into_imported(self) -> ImportedComment {
        let id = self.id.map(|id| id.to_string().trim_matches('"').to_owned()).filter(|id| !id.is_empty());
        ImportedComment {
            id: id.map_or(SourceId::None, SourceId::Of),
            author: person(self.author.as_deref()),
            created: self.created_at.filter(is_set),
            body: self.text,
        }
    }
}

fn person(text: Option<&str>) -> Option<ImportedPerson> {
    text.map(ImportedPerson::parse).and_then(ImportedPerson::known)
}

/// Returns whether a flag is set: a table has 0 and 1.
fn is_true(flag: Option<&Value>) -> bool {
    flag.is_some_and(|flag| flag.as_bool() == Some(true) || flag.as_u64().is_some_and(|number| number > 0))
}

/// Returns whether a value says anything: a table has all columns of every issue, as nothing, `""` or `"{}"`.
fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !matches!(text.as_str(), "" | "{}"),
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Returns the kind here, and the type if the kind does not say it.
fn kind(type_: &str) -> (ItemKind, Option<String>) {
    match type_ {
        "task" => (ItemKind::Task, None),
        "epic" => (ItemKind::Epic, None),
        "story" => (ItemKind::Story, None),
        "milestone" => (ItemKind::Milestone, None),
        "chore" | "spike" | "decision" => (ItemKind::Task, Some(type_.to_owned())),
        _ => (ItemKind::Issue, Some(type_.to_owned())),
    }
}

/// Joins texts, each under its heading.
pub(crate) fn sections(parts: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (heading, part) in parts.iter().filter(|(_, part)| !part.trim().is_empty()) {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        if !heading.is_empty() {
            let _ = write!(text, "## {heading}\n\n");
        }
        text.push_str(part.trim());
    }
    text
}

// A time that was never set is the first day of the year 1 in Go; newer exports have the first moment of 1970 for it.
fn is_set(at: &Timestamp) -> bool {
    at.as_second() > 0
}

fn date(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}
