//! Taiga: the JSON of a project's export. People are named by their addresses, other objects by their names.

use std::collections::{BTreeMap, HashMap};

use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Sink, json, or_default, times};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId, Target};

/// The lists of work, each with the kind it becomes and the list of its statuses.
const LISTS: &[(&str, ItemKind, &str)] = &[
    ("milestones", ItemKind::Milestone, ""),
    ("epics", ItemKind::Epic, "epic_statuses"),
    ("user_stories", ItemKind::Story, "us_statuses"),
    ("tasks", ItemKind::Task, "task_statuses"),
    ("issues", ItemKind::Issue, "issue_statuses"),
];

#[derive(Debug, Deserialize)]
struct Object {
    #[serde(rename = "ref")]
    reference: Option<u64>,
    #[serde(alias = "name")]
    subject: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    description: Option<String>,
    status: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    is_closed: bool,
    #[serde(default, deserialize_with = "or_default")]
    closed: bool,
    owner: Option<String>,
    assigned_to: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    assigned_users: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    tags: Option<Vec<String>>,
    created_date: Option<Timestamp>,
    modified_date: Option<Timestamp>,
    #[serde(alias = "finish_date")]
    finished_date: Option<Timestamp>,
    due_date: Option<String>,
    estimated_start: Option<String>,
    estimated_finish: Option<String>,
    milestone: Option<String>,
    user_story: Option<u64>,
    #[serde(rename = "type")]
    type_: Option<String>,
    priority: Option<String>,
    severity: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    is_blocked: bool,
    blocked_note: Option<String>,
    color: Option<String>,
    external_reference: Option<Value>,
    #[serde(default, deserialize_with = "or_default")]
    related_user_stories: Vec<RelatedStory>,
    #[serde(default, deserialize_with = "or_default")]
    history: Vec<Entry>,
    #[serde(default, deserialize_with = "or_default")]
    attachments: Vec<Attachment>,
    #[serde(default, deserialize_with = "or_default")]
    role_points: Vec<RolePoints>,
    custom_attributes_values: Option<Value>,
}

/// The estimate of one role: the name of a value, `?` without one.
#[derive(Debug, Deserialize)]
struct RolePoints {
    points: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RelatedStory {
    user_story: u64,
    /// The project of the story, if it is another one.
    source_project_slug: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(default, deserialize_with = "or_default")]
    comment: Option<String>,
    created_at: Option<Timestamp>,
    /// Address and name.
    #[serde(default, deserialize_with = "or_default")]
    user: Option<Vec<Option<String>>>,
    delete_comment_date: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Attachment {
    #[serde(default, deserialize_with = "or_default")]
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Status {
    name: String,
    #[serde(default, deserialize_with = "or_default")]
    is_closed: bool,
}

#[derive(Debug, Deserialize)]
struct Membership {
    email: Option<String>,
    user: Option<String>,
    full_name: Option<String>,
}

/// What items refer to: read first, wherever it is in the file.
#[derive(Default)]
struct Project {
    slug: String,
    /// Closed statuses, by list.
    closed: HashMap<String, Vec<String>>,
    /// Epics by the number of a story.
    epics: BTreeMap<u64, u64>,
    names: HashMap<String, String>,
}

/// Reads a project.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let project = read_project(input)?;
    json::each_member(input, |list, n, value| {
        let place = format!("`{}`: `{list}`, element {n}", input.name());
        let wrong = |error: serde_json::Error| Error::invalid(format!("{place}: {error}"));
        if list == "wiki_pages" {
            let which = value.get("slug").and_then(Value::as_str).unwrap_or_default().to_owned();
            return sink(Record::LeftOut(LeftOut::new("wiki page", "pages are not work", which)));
        }
        let Some((_, kind, statuses)) = LISTS.iter().find(|(name, ..)| *name == list) else { return Ok(()) };
        let object: Object = serde_json::from_value(value).map_err(wrong)?;
        sink(Record::Item(Box::new(item(&project, *kind, statuses, &place, object)?)))
    })
}

fn read_project(input: &Input) -> Result<Project, Error> {
    let mut project = Project::default();
    json::each_member(input, |list, n, value| {
        let wrong =
            |error: serde_json::Error| Error::invalid(format!("`{}`: `{list}`, element {n}: {error}", input.name()));
        if list == "slug" {
            value.as_str().unwrap_or_default().clone_into(&mut project.slug);
        } else if LISTS.iter().any(|(_, _, statuses)| *statuses == list) {
            let status: Status = serde_json::from_value(value).map_err(wrong)?;
            if status.is_closed {
                project.closed.entry(list.to_owned()).or_default().push(status.name);
            }
        } else if list == "memberships" {
            let member: Membership = serde_json::from_value(value).map_err(wrong)?;
            if let (Some(email), Some(name)) = (member.email.or(member.user), member.full_name) {
                project.names.insert(email, name);
            }
        } else if list == "epics" {
            let epic: Object = serde_json::from_value(value).map_err(wrong)?;
            let own_stories = epic.related_user_stories.iter().filter(|story| story.source_project_slug.is_none());
            let stories = own_stories.filter_map(|story| Some((story.user_story, epic.reference?)));
            project.epics.extend(stories);
        }
        Ok(())
    })?;
    Ok(project)
}

fn item(project: &Project, kind: ItemKind, statuses: &str, place: &str, object: Object) -> Result<ImportedItem, Error> {
    let missing = |what: &str| Error::invalid(format!("{place}: it has no `{what}`"));
    let subject = object.subject.ok_or_else(|| missing("subject"))?;
    let id = if kind == ItemKind::Milestone {
        milestone_id(&project.slug, &subject)
    } else {
        item_id(&project.slug, object.reference.ok_or_else(|| missing("ref"))?)
    };
    let mut item = ImportedItem::new(place, SourceId::Of(id), kind, subject);
    item.number = object.reference;
    item.description = object.description.unwrap_or_default();
    let status = object.status.unwrap_or_default();
    let is_closed = object.is_closed
        || object.closed
        || project.closed.get(statuses).is_some_and(|closed| closed.contains(&status));
    item.status = ImportedStatus::known(status, is_closed);
    item.author = object.owner.and_then(|email| project.person(&email));
    let assigned = object.assigned_to.into_iter().chain(object.assigned_users);
    item.assignees = assigned.filter_map(|email| project.person(&email)).collect();
    item.labels = object.tags.unwrap_or_default();
    item.created = object.created_date;
    item.updated = object.modified_date;
    item.closed = object.finished_date.or(object.modified_date).filter(|_| is_closed);
    let placed = |why: String| Error::invalid(format!("{place}: {why}"));
    let day = |text: Option<String>| text.map(|text| times::day(&text)).transpose().map_err(placed);
    item.started = day(object.estimated_start)?;
    item.due = day(object.due_date.or(object.estimated_finish))?;
    item.milestone = object.milestone.map(|name| Target::Id(milestone_id(&project.slug, &name)));
    let epic = object.reference.filter(|_| kind == ItemKind::Story).and_then(|story| project.epics.get(&story));
    item.parent = object.user_story.or(epic.copied()).map(|reference| Target::Id(item_id(&project.slug, reference)));
    item.type_ = object.type_;
    item.severity = object.severity;
    let priority = object.priority.unwrap_or_default();
    item.set_priority(&priority, super::priority_word(&priority));
    item.blocked = object.is_blocked.then(|| object.blocked_note.unwrap_or_default());
    let is_color = |color: &String| model::label::read_color(color.trim()).is_ok();
    item.color = object.color.filter(|color| kind == ItemKind::Epic && is_color(color));
    if let Some(reference) = object.external_reference.filter(|value| !value.is_null()) {
        item.extra.insert("external_reference".to_owned(), reference);
    }
    if let Some(points) = total_points(&object.role_points) {
        item.extra.insert("points".to_owned(), points.into());
    }
    if let Some(values) = object.custom_attributes_values.filter(|values| values.as_object().is_some_and(has_value)) {
        item.extra.insert("custom_attributes".to_owned(), values);
    }
    for entry in object.history {
        item.comments.extend(entry.into_comment(project));
    }
    for attachment in object.attachments {
        item.leave_out("attachment", "files stay in the export", attachment.name.unwrap_or_default());
    }
    Ok(item)
}

// The project's table gives each name a value; names that are numbers are their own.
fn total_points(roles: &[RolePoints]) -> Option<f64> {
    let points: Vec<f64> = roles.iter().filter_map(|role| role.points.as_deref()?.parse().ok()).collect();
    (!points.is_empty()).then(|| points.iter().sum())
}

fn has_value(values: &Map<String, Value>) -> bool {
    values.values().any(|value| !value.is_null())
}

impl Project {
    fn person(&self, email: &str) -> Option<ImportedPerson> {
        let name = self.names.get(email).cloned().unwrap_or_default();
        ImportedPerson { name, ..ImportedPerson::parse(email) }.known()
    }
}

impl Entry {
    // An entry without a comment is a change; a deleted one stays deleted.
    fn into_comment(self, project: &Project) -> Option<ImportedComment> {
        let body = self.comment.filter(|text| !text.trim().is_empty())?;
        if self.delete_comment_date.is_some_and(|at| !at.is_null()) {
            return None;
        }
        let mut user = self.user.unwrap_or_default().into_iter();
        let (email, name) = (user.next().flatten().unwrap_or_default(), user.next().flatten().unwrap_or_default());
        let known = project.names.get(&email).cloned();
        let author = ImportedPerson { name: known.unwrap_or(name), email, username: String::new() }.known();
        Some(ImportedComment { id: SourceId::None, author, created: self.created_at, body })
    }
}

fn item_id(slug: &str, reference: u64) -> String {
    format!("{slug}#{reference}")
}

fn milestone_id(slug: &str, name: &str) -> String {
    format!("{slug}/milestone/{name}")
}
