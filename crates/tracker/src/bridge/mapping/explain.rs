//! Values for people: names instead of ids, and why a value cannot be sent.

use std::collections::BTreeMap;

use model::id::EntityId;
use model::size::Size;
use serde_json::Value;

use super::super::field_set::Key;
use super::super::kind::BridgedKind;
use super::{BridgeMapping, ONLY_HERE, parent_kind};
use crate::Kind;

impl BridgeMapping {
    /// Returns why a value cannot be sent; `None` if it can. `is_coming` returns whether an item will exist on the
    /// server in time.
    pub(in crate::bridge) fn unsendable(
        &self,
        kind: BridgedKind,
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
                Value::String(who) => Some(format!("`{who}` is not a member of the project there")),
                _ => None,
            },
            Key::CoAssignee(_) if value.is_string() => Some(format!("`{text}` is not a member of the project there")),
            Key::Severity if value.is_string() => {
                Some(format!("the project there has no severity `{text}`; it has {}", self.severities.names()))
            }
            Key::Type if value.is_string() => {
                Some(format!("the project there has no type `{text}`; it has {}", self.types.names()))
            }
            Key::Tag(tag) if tag.contains(',') => {
                Some(format!("the label `{tag}` contains a comma, which no tag there may"))
            }
            Key::Size if self.points.for_size(&BTreeMap::new(), value.as_str().and_then(Size::from_name)).is_none() => {
                Some(match value {
                    Value::Null => "the project there has no value for a story without points".to_owned(),
                    _ => format!("the scale of points there has none for the size `{text}`"),
                })
            }
            Key::Color if value.is_null() => Some("an epic there always has a color".to_owned()),
            Key::Parent | Key::Sprint => {
                let here = text.strip_prefix(ONLY_HERE).and_then(|id| id.parse().ok());
                here.filter(|id| !is_coming(*id)).map(|_| match (key, kind) {
                    (Key::Sprint, _) => "its milestone is not a sprint there".to_owned(),
                    (_, BridgedKind::Work(Kind::Story)) => "its parent is not an epic there".to_owned(),
                    _ => "its parent is not a story there".to_owned(),
                })
            }
            _ => None,
        }
    }

    /// Formats a value for people: names instead of ids.
    pub(in crate::bridge) fn show(&self, kind: BridgedKind, key: &Key, value: &Value) -> Value {
        let shown = match (key, value) {
            (_, Value::Null) => None,
            (Key::Status, Value::Number(id)) => {
                id.as_u64().and_then(|id| self.statuses(kind)?.name(id)).map(Value::from)
            }
            (Key::Assignee | Key::CoAssignee(_), _) => {
                self.people.person(value, None).map(|person| person.short().into())
            }
            (Key::Severity, Value::Number(id)) => id.as_u64().and_then(|id| self.severities.name(id)).map(Value::from),
            (Key::Type, Value::Number(id)) => id.as_u64().and_then(|id| self.types.name(id)).map(Value::from),
            (Key::Priority, Value::Number(id)) => {
                id.as_u64().and_then(|id| self.priorities.number(id)).map(Value::from)
            }
            (Key::Parent, Value::Number(id)) => {
                parent_kind(kind).zip(id.as_u64()).map(|(above, id)| self.mention_there(above, id).into())
            }
            (Key::Sprint, Value::Number(id)) => {
                id.as_u64().map(|id| self.mention_there(BridgedKind::Sprint, id).into())
            }
            (Key::Parent | Key::Sprint, Value::String(text)) => {
                let id = text.strip_prefix(ONLY_HERE).and_then(|id| id.parse().ok());
                id.map(|id| self.ids.mention(id).into())
            }
            _ => None,
        };
        shown.unwrap_or_else(|| value.clone())
    }

    pub(in crate::bridge) fn mention_there(&self, kind: BridgedKind, id: u64) -> String {
        let here = self.ids.local(kind, id);
        here.map_or_else(|| format!("a {} that is not here", kind.name()), |here| self.ids.mention(here))
    }
}
