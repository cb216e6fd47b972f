//! Remote values as local fields and changes.

use app::plan::{remove_assignee, set};
use model::entity::Entity;
use model::item::ASSIGNEES;
use model::op::Change;
use model::person::Person;
use serde_json::Value;

use super::super::field_set::Key;
use super::super::kind::BridgedKind;
use super::{BridgeMapping, parent_kind};
use crate::{Kind, Priority};

impl BridgeMapping {
    /// Returns the local field and value for a remote value; `None` for tags, and for values that the server does not
    /// provide.
    pub(in crate::bridge) fn field(
        &self,
        kind: BridgedKind,
        key: &Key,
        value: &Value,
        name: Option<&str>,
    ) -> Option<(&'static str, Value)> {
        let id = value.as_u64();
        let field = match key {
            Key::Subject => ("title", value.clone()),
            Key::Description => ("description", none_if_empty(value)),
            Key::Status if kind == BridgedKind::Sprint => {
                ("status", if *value == true { "closed" } else { "open" }.into())
            }
            Key::Status => ("status", self.statuses(kind)?.name(id?)?.into()),
            Key::Assignee => ("assignee", self.people.person(value, name).map(|person| person.to_string()).into()),
            Key::Priority if kind == Kind::Issue => ("priority", self.priorities.number(id?)?.into()),
            Key::Priority => ("priority", value.as_str().and_then(Priority::try_parse).map(Priority::number).into()),
            Key::Severity => ("severity", self.severities.name(id?)?.into()),
            Key::Type => ("type", self.types.name(id?)?.into()),
            // A reason, or only the fact.
            Key::Blocked if value.as_str() == Some("") => ("blocked", true.into()),
            Key::Blocked => ("blocked", value.clone()),
            Key::Start => ("started", value.clone()),
            Key::Due => ("due", value.clone()),
            Key::Size => ("size", value.clone()),
            Key::Color => ("colour", value.clone()),
            Key::Parent => ("parent", self.local_id(parent_kind(kind)?, id)),
            Key::Sprint => ("milestone", self.local_id(BridgedKind::Sprint, id)),
            Key::Tag(_) | Key::CoAssignee(_) => return None,
        };
        Some(field)
    }

    fn local_id(&self, kind: BridgedKind, id: Option<u64>) -> Value {
        id.and_then(|id| self.ids.local(kind, id)).map(|id| id.to_string()).into()
    }

    /// Returns the local changes that apply a remote value.
    pub(in crate::bridge) fn changes(
        &self,
        kind: BridgedKind,
        entity: &Entity,
        key: &Key,
        value: &Value,
        name: Option<&str>,
    ) -> Vec<Change> {
        if let Key::Tag(tag) = key {
            return if value.is_null() { removals(entity, tag) } else { vec![addition(tag)] };
        }
        if let Key::CoAssignee(key) = key {
            return self.co_assignee_changes(entity, key, value);
        }
        self.field(kind, key, value, name).map(|(field, value)| set(field, value)).into_iter().collect()
    }

    fn co_assignee_changes(&self, entity: &Entity, key: &str, value: &Value) -> Vec<Change> {
        if let Some(person) = self.people.person(value, None) {
            return vec![Change::Add { field: ASSIGNEES.to_owned(), value: person.to_string() }];
        }
        let members = entity.set_members(ASSIGNEES).into_iter().map(Person::parse);
        let theirs = members.filter(|person| self.people.key_of(person) == key);
        theirs.flat_map(|person| remove_assignee(entity, &person)).collect()
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
