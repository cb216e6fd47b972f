//! The dictionary between the two sides: an item here and an item there, both said in the terms of `shape`, and back.
//!
//! What is brought over and then said in these terms again is what it was: otherwise every pull would find a change.

use std::collections::BTreeMap;

use jiff::civil::Date;
use model::entity::Entity;
use model::id::EntityId;
use model::item::Item;
use model::op::Change;
use model::person::Person;
use model::text::TITLE_LIMIT;
use serde_json::Value;
use taiga::dto::Milestone;

use super::grades::{Grades, Priorities};
use super::kind::Kind;
use super::link::Far;
use super::people::People;
use super::remote::Remote;
use super::shape::{Key, Shape};
use super::statuses::Statuses;
use crate::project::set;
use crate::tracker::Priority;

/// Everything that has to be known to say an item in the other side's terms.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) far: Far,
    pub(super) statuses: BTreeMap<Kind, Statuses>,
    pub(super) severities: Grades,
    pub(super) types: Grades,
    pub(super) priorities: Priorities,
    pub(super) people: People,
    pub(super) ids: Ids,
}

/// Which item here is which there.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids {
    there: BTreeMap<EntityId, (Kind, u64)>,
    here: BTreeMap<(Kind, u64), EntityId>,
}

impl Ids {
    pub(super) fn add(&mut self, here: EntityId, kind: Kind, there: u64) {
        self.there.insert(here, (kind, there));
        self.here.insert((kind, there), here);
    }

    pub(super) fn there(&self, here: EntityId, kind: Kind) -> Option<u64> {
        self.there.get(&here).filter(|(own, _)| *own == kind).map(|(_, id)| *id)
    }

    pub(super) fn here(&self, kind: Kind, there: u64) -> Option<EntityId> {
        self.here.get(&(kind, there)).copied()
    }
}

/// What stands for an item that the other side does not have.
const ONLY_HERE: &str = "here:";

impl Terms {
    /// Says an item there in shared terms. `parent` is what it is a part of here: a story can be in several epics there,
    /// and as long as that one is among them nothing has changed.
    pub(super) fn of_remote(&self, remote: &Remote, parent: Option<EntityId>) -> Shape {
        let kind = remote.kind();
        let core = remote.core();
        let mut shape = Shape::default();
        shape.set(Key::Subject, subject(&core.subject));
        shape.set(Key::Description, core.description.as_deref().map(without_nul).unwrap_or_default());
        let status = core.status.map(|id| id.0).filter(|id| self.statuses(kind).is_some_and(|known| known.has(*id)));
        shape.set(Key::Status, status);
        let username = core.assigned_to_extra_info.as_ref().map(|user| user.username.as_str());
        shape.set(Key::Assignee, core.assigned_to.map(|id| self.people.term(id.0, username)));
        shape.set(Key::Blocked, core.is_blocked.then(|| without_nul(core.blocked_note.trim())));
        for tag in core.tags.iter().map(|tag| without_nul(tag.name.trim()).to_lowercase()) {
            if !tag.is_empty() && !Priority::is_tag(&tag) {
                shape.set(Key::Tag(tag), true);
            }
        }
        if let Remote::Issue(issue) = remote {
            let own = |grades: &Grades, id: Option<u64>| id.filter(|id| grades.has(*id));
            shape.set(Key::Severity, own(&self.severities, issue.severity.map(|id| id.0)));
            shape.set(Key::Type, own(&self.types, issue.issue_type.map(|id| id.0)));
            shape.set(Key::Priority, issue.priority.and_then(|id| self.priorities.canonical(id.0)));
        } else {
            let urgent = Priority::of_tags(core.tags.iter().map(|tag| tag.name.as_str()));
            shape.set(Key::Priority, urgent.map(Priority::name));
        }
        if let Remote::Epic(epic) = remote {
            shape.set(Key::Colour, epic.color.as_deref().and_then(colour));
        } else {
            shape.set(Key::Due, remote.due().map(|date| date.to_string()));
        }
        if matches!(kind, Kind::Story | Kind::Issue) {
            let sprint = remote.sprint().filter(|id| self.ids.here(Kind::Sprint, *id).is_some());
            shape.set(Key::Sprint, sprint);
        }
        if let Some(above) = parent_kind(kind) {
            let own = parent.and_then(|parent| self.ids.there(parent, above));
            let mut parents = remote.parents();
            parents.retain(|id| self.ids.here(above, *id).is_some());
            let same = own.filter(|own| parents.contains(own));
            shape.set(Key::Parent, same.or_else(|| parents.into_iter().min()));
        }
        shape
    }

    /// Says a sprint in shared terms.
    pub(super) fn of_sprint(sprint: &Milestone) -> Shape {
        let mut shape = Shape::default();
        shape.set(Key::Subject, subject(&sprint.name));
        shape.set(Key::Start, sprint.estimated_start.to_string());
        shape.set(Key::Due, sprint.estimated_finish.to_string());
        shape.set(Key::Status, sprint.closed);
        shape
    }

    /// Says an item here in shared terms. `is_closed` is for milestones, whose status says no more.
    pub(super) fn of_local(&self, kind: Kind, item: &Item, is_closed: bool) -> Shape {
        let mut shape = Shape::default();
        let date = |date: Option<Date>| date.map(|date| date.to_string());
        shape.set(Key::Subject, item.title.as_str());
        if kind == Kind::Sprint {
            shape.set(Key::Start, date(item.started));
            shape.set(Key::Due, date(item.due));
            shape.set(Key::Status, is_closed);
            return shape;
        }
        shape.set(Key::Description, item.description.as_str());
        shape.set(Key::Status, self.statuses(kind).and_then(|known| known.id(&item.status)));
        shape.set(Key::Assignee, item.assignee.as_ref().map(|person| self.people.term_of(person)));
        shape.set(Key::Blocked, item.blocked.as_deref().map(str::trim));
        for tag in item.labels.iter().map(|label| label.trim().to_lowercase()) {
            if !tag.is_empty() && !Priority::is_tag(&tag) {
                shape.set(Key::Tag(tag), true);
            }
        }
        if kind == Kind::Issue {
            shape.set(Key::Severity, graded(&self.severities, item.severity.as_deref()));
            shape.set(Key::Type, graded(&self.types, item.type_.as_deref()));
            shape.set(Key::Priority, self.priorities.id(item.priority));
        } else {
            shape.set(Key::Priority, Priority::from_number(item.priority).map(Priority::name));
        }
        if kind == Kind::Epic {
            shape.set(Key::Colour, item.colour.as_deref().and_then(colour));
        } else {
            shape.set(Key::Due, date(item.due));
        }
        if matches!(kind, Kind::Story | Kind::Issue) {
            shape.set(Key::Sprint, item.milestone.map(|id| self.reference(Kind::Sprint, id)));
        }
        if let Some(above) = parent_kind(kind) {
            shape.set(Key::Parent, item.parent.map(|id| self.reference(above, id)));
        }
        shape
    }

    fn reference(&self, kind: Kind, id: EntityId) -> Value {
        self.ids.there(id, kind).map_or_else(|| format!("{ONLY_HERE}{id}").into(), Value::from)
    }

    pub(super) fn statuses(&self, kind: Kind) -> Option<&Statuses> {
        self.statuses.get(&kind)
    }

    /// Returns the field that a value of the other side belongs into here, and what to put there; none for tags, and for
    /// what the other side does not tell.
    pub(super) fn field(
        &self,
        kind: Kind,
        key: &Key,
        value: &Value,
        name: Option<&str>,
    ) -> Option<(&'static str, Value)> {
        let id = value.as_u64();
        let field = match key {
            Key::Subject => ("title", value.clone()),
            Key::Description => ("description", none_if_empty(value)),
            Key::Status if kind == Kind::Sprint => ("status", if *value == true { "closed" } else { "open" }.into()),
            Key::Status => ("status", self.statuses(kind)?.name(id?)?.into()),
            Key::Assignee => ("assignee", self.people.person(value, name).map(|person| person.to_string()).into()),
            Key::Priority if kind == Kind::Issue => ("priority", self.priorities.number(id?)?.into()),
            Key::Priority => ("priority", value.as_str().and_then(Priority::try_parse).map(Priority::number).into()),
            Key::Severity => ("severity", self.severities.name(id?)?.into()),
            Key::Type => ("type", self.types.name(id?)?.into()),
            // A reason, or just that it is.
            Key::Blocked if value.as_str() == Some("") => ("blocked", true.into()),
            Key::Blocked => ("blocked", value.clone()),
            Key::Start => ("started", value.clone()),
            Key::Due => ("due", value.clone()),
            Key::Colour => ("colour", value.clone()),
            Key::Parent => ("parent", self.local_id(parent_kind(kind)?, id)),
            Key::Sprint => ("milestone", self.local_id(Kind::Sprint, id)),
            Key::Tag(_) => return None,
        };
        Some(field)
    }

    fn local_id(&self, kind: Kind, id: Option<u64>) -> Value {
        id.and_then(|id| self.ids.here(kind, id)).map(|id| id.to_string()).into()
    }

    /// Returns what to change in an item here so that a value of the other side is there.
    pub(super) fn changes(
        &self,
        kind: Kind,
        entity: &Entity,
        key: &Key,
        value: &Value,
        name: Option<&str>,
    ) -> Vec<Change> {
        if let Key::Tag(tag) = key {
            return if value.is_null() { removals(entity, tag) } else { vec![addition(tag)] };
        }
        self.field(kind, key, value, name).map(|(field, value)| set(field, value)).into_iter().collect()
    }

    /// Tells why a value cannot be sent; none if it can. `is_coming` tells whether an item will be there in time.
    pub(super) fn unsayable(
        &self,
        kind: Kind,
        key: &Key,
        value: &Value,
        is_coming: impl Fn(EntityId) -> bool,
    ) -> Option<String> {
        let text = value.as_str().unwrap_or_default();
        match key {
            Key::Assignee => match value {
                Value::Number(id) if !id.as_u64().is_some_and(|id| self.people.is_member(id)) => {
                    Some("the assignee is no longer a member of the project there".to_owned())
                }
                Value::String(who) => Some(format!("`{who}` is no member of the project there")),
                _ => None,
            },
            Key::Severity if value.is_string() => {
                Some(format!("the project there has no severity `{text}`; it has {}", self.severities.names()))
            }
            Key::Type if value.is_string() => {
                Some(format!("the project there has no type `{text}`; it has {}", self.types.names()))
            }
            Key::Tag(tag) if tag.contains(',') => {
                Some(format!("the label `{tag}` contains a comma, which no tag there may"))
            }
            Key::Colour if value.is_null() => Some("an epic there always has a colour".to_owned()),
            Key::Parent | Key::Sprint => {
                let here = text.strip_prefix(ONLY_HERE).and_then(|id| id.parse().ok());
                here.filter(|id| !is_coming(*id)).map(|_| match (key, kind) {
                    (Key::Sprint, _) => "its milestone is no sprint there".to_owned(),
                    (_, Kind::Story) => "what it is a part of is no epic there".to_owned(),
                    _ => "what it is a part of is no story there".to_owned(),
                })
            }
            _ => None,
        }
    }

    /// Says a value for people: names instead of ids.
    pub(super) fn show(&self, kind: Kind, key: &Key, value: &Value) -> Value {
        let shown = match (key, value) {
            (_, Value::Null) => None,
            (Key::Status, Value::Number(id)) => {
                id.as_u64().and_then(|id| self.statuses(kind)?.name(id)).map(Value::from)
            }
            (Key::Assignee, _) => self.people.person(value, None).map(|person| person.short().into()),
            (Key::Severity, Value::Number(id)) => id.as_u64().and_then(|id| self.severities.name(id)).map(Value::from),
            (Key::Type, Value::Number(id)) => id.as_u64().and_then(|id| self.types.name(id)).map(Value::from),
            (Key::Priority, Value::Number(id)) => {
                id.as_u64().and_then(|id| self.priorities.number(id)).map(Value::from)
            }
            _ => None,
        };
        shown.unwrap_or_else(|| value.clone())
    }
}

/// What an item of a kind can be a part of there.
pub(super) fn parent_kind(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Story => Some(Kind::Epic),
        Kind::Task => Some(Kind::Story),
        Kind::Epic | Kind::Issue | Kind::Sprint => None,
    }
}

/// Who is named where an item says who works on it, for someone who is no member.
pub(super) fn assignee_name(remote: &Remote) -> Option<&str> {
    let info = remote.core().assigned_to_extra_info.as_ref()?;
    info.full_name_display.as_deref().filter(|name| !name.is_empty()).or(Some(&info.username))
}

/// Returns who made an item.
pub(super) fn owner(people: &People, remote: &Remote) -> Option<Person> {
    let core = remote.core();
    let info = core.owner_extra_info.as_ref();
    let term = people.term(core.owner?.0, info.map(|info| info.username.as_str()));
    people.person(&term, info.and_then(|info| info.full_name_display.as_deref()))
}

/// Reads `#rrggbb`; a Taiga takes any text for a colour.
pub(super) fn colour(text: &str) -> Option<String> {
    let digits = text.trim().strip_prefix('#')?;
    let is_colour = digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_colour.then(|| format!("#{}", digits.to_lowercase()))
}

/// Makes one line of a subject, as every title here is.
fn subject(text: &str) -> String {
    let line: Vec<&str> = text.split(['\n', '\r', '\0']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let line: String = line.join(" ").chars().take(TITLE_LIMIT).collect();
    let line = line.trim();
    if line.is_empty() { "(no subject)".to_owned() } else { line.to_owned() }
}

/// Takes away what no text here may contain.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

fn graded(grades: &Grades, word: Option<&str>) -> Value {
    match grades.id(word) {
        Some(id) => id.into(),
        // Said here, unknown there: it can be compared, but not be sent.
        None => word.into(),
    }
}

fn none_if_empty(value: &Value) -> Value {
    if value.as_str() == Some("") { Value::Null } else { value.clone() }
}

fn addition(tag: &str) -> Change {
    Change::Add { field: "labels".to_owned(), value: tag.to_owned() }
}

fn removals(entity: &Entity, tag: &str) -> Vec<Change> {
    let labels = entity.set_members("labels").into_iter().filter(|label| label.trim().to_lowercase() == tag);
    let remove = |label: &str| {
        let seen = entity.tags("labels", label);
        Change::Remove { field: "labels".to_owned(), value: label.to_owned(), seen }
    };
    labels.map(remove).collect()
}
