//! Converts shared terms into Taiga's fields for a push; and the requests of a bridge.

use std::collections::BTreeMap;

use jiff::civil::Date;
use model::size::Size;
use serde_json::Value;
use taiga::Client;
use taiga::dto::{
    Blocked, Change, IssueTypeId, ItemId, MilestoneId, PriorityId, ProjectId, SeverityId, StatusId, Tag, UserId,
};

use super::field_set::Key;
use super::kind::BridgedKind;
use super::mapping::BridgeMapping;
use super::people;
use crate::Kind;
use crate::Priority;
use crate::mapping::fields::{self, Fields};
use crate::mapping::item::RemoteItem;
use crate::mapping::points::PointScale;
use crate::mapping::requests::{self, ListFilter, ServerResult};
use crate::mapping::tags;

/// Lists all items of a kind in a project, oldest first where the server sorts by time.
pub(super) fn list(client: &Client, kind: Kind, project: u64) -> ServerResult<Vec<RemoteItem>> {
    requests::list_all(client, kind, ProjectId(project), &ListFilter::default())
}

/// Lists the tasks of a story.
pub(super) fn tasks_of(client: &Client, project: u64, story: u64) -> ServerResult<Vec<RemoteItem>> {
    let filter = ListFilter { parent: Some(ItemId(story)), ..ListFilter::default() };
    requests::list_all(client, Kind::Task, ProjectId(project), &filter)
}

pub(super) fn get(client: &Client, kind: Kind, id: u64) -> ServerResult<RemoteItem> {
    requests::get(client, kind, ItemId(id))
}

/// Returns the project of an item or a sprint.
pub(super) fn project_of(client: &Client, kind: BridgedKind, id: u64) -> ServerResult<u64> {
    match kind {
        BridgedKind::Sprint => client.milestone(MilestoneId(id)).map(|sprint| sprint.project.0),
        BridgedKind::Work(kind) => get(client, kind, id).map(|one| one.core().project.0),
    }
}

pub(super) fn delete(client: &Client, kind: Kind, id: u64) -> ServerResult<()> {
    requests::delete(client, kind, ItemId(id))
}

/// Values to send, by key. The epic of a story is sent separately.
pub(super) type Values = BTreeMap<Key, Value>;

/// Updates an item that was just read; the server rejects it if one of the same fields was changed since.
pub(super) fn patch(
    client: &Client,
    mapping: &BridgeMapping,
    read: &RemoteItem,
    values: &Values,
) -> ServerResult<RemoteItem> {
    let is_about_tags = |key: &Key| match key {
        Key::Tag(_) => true,
        Key::Priority => read.kind() != Kind::Issue,
        _ => false,
    };
    let kind = read.kind();
    let points = match read {
        RemoteItem::Story(story) => story.points.clone(),
        _ => BTreeMap::new(),
    };
    let fields = Fields {
        tags: values.keys().any(is_about_tags).then(|| new_tags(kind, &read.core().tags, values)),
        assigned_users: assigned_users(mapping, read, values),
        points: values.get(&Key::Size).and_then(|value| mapping.points.for_size(&points, size(value))),
        ..own_fields(kind, values)
    };
    requests::patch(client, read, &fields)
}

/// Returns all assignees of a story after a change; `None` if no assignee changes. Taiga keeps a former assignee in
/// this list unless it is replaced.
fn assigned_users(mapping: &BridgeMapping, read: &RemoteItem, values: &Values) -> Option<Vec<UserId>> {
    let RemoteItem::Story(story) = read else { return None };
    let main = values.get(&Key::Assignee);
    if main.is_none() && !values.keys().any(|key| matches!(key, Key::CoAssignee(_))) {
        return None;
    }
    let to = main.map_or(story.core.assigned_to, |main| main.as_u64().map(UserId));
    let mut users = if main.is_some() { read.assignees_after(to)? } else { story.assigned_users.clone() };
    let is_gone = |user: &UserId| {
        let key = mapping.people.person(&user.0.into(), None).as_ref().map(people::key);
        key.is_some_and(|key| values.get(&Key::CoAssignee(key)).is_some_and(Value::is_null)) && Some(*user) != to
    };
    users.retain(|user| !is_gone(user));
    let added = co_assignees(values).filter(|user| !users.contains(user)).collect::<Vec<_>>();
    users.extend(added);
    Some(users)
}

fn co_assignees(values: &Values) -> impl Iterator<Item = UserId> {
    let added = values.iter().filter(|(key, _)| matches!(key, Key::CoAssignee(_)));
    added.filter_map(|(_, user)| user.as_u64()).map(UserId)
}

/// Creates an item. `name` is sent as the external reference.
pub(super) fn create(
    client: &Client,
    scale: &PointScale,
    kind: Kind,
    project: u64,
    values: &Values,
    name: Option<&str>,
) -> ServerResult<RemoteItem> {
    let size = values.get(&Key::Size).and_then(size);
    let main = values.get(&Key::Assignee).and_then(Value::as_u64).map(UserId);
    let others: Vec<UserId> = co_assignees(values).collect();
    let fields = Fields {
        tags: Some(new_tags(kind, &[], values)),
        assigned_users: (!others.is_empty()).then(|| main.into_iter().chain(others).collect()),
        points: size.and_then(|size| scale.for_size(&BTreeMap::new(), Some(size))),
        ..own_fields(kind, values)
    };
    requests::create(client, kind, ProjectId(project), &fields, name)
}

/// Returns all fields except tags, points and further assignees, which depend on the remote values.
fn own_fields(kind: Kind, values: &Values) -> Fields {
    let id_of = |key: &Key| values.get(key).and_then(Value::as_u64);
    let is_issue = kind == Kind::Issue;
    Fields {
        subject: text(values.get(&Key::Subject)),
        description: text(values.get(&Key::Description)),
        status: id_of(&Key::Status).map(StatusId),
        assigned_to: change(values.get(&Key::Assignee), |value| value.as_u64().map(UserId)),
        blocked: values.get(&Key::Blocked).map(blocked),
        color: text(values.get(&Key::Color)),
        priority: id_of(&Key::Priority).filter(|_| is_issue).map(PriorityId),
        severity: id_of(&Key::Severity).map(SeverityId),
        issue_type: id_of(&Key::Type).map(IssueTypeId),
        user_story: change(values.get(&Key::Parent), |value| value.as_u64().map(ItemId)),
        milestone: change(values.get(&Key::Sprint), |value| value.as_u64().map(MilestoneId)),
        due_date: change(values.get(&Key::Due), date),
        ..Fields::default()
    }
}

/// Returns the tag list with only the changed tags replaced: Taiga replaces the whole list.
fn new_tags(kind: Kind, now: &[Tag], values: &Values) -> Vec<Tag> {
    let priority = values.get(&Key::Priority).filter(|_| kind != Kind::Issue);
    let is_kept = |tag: &&Tag| {
        let key = Key::Tag(tag.name.to_lowercase());
        let is_replaced = priority.is_some() && Priority::is_tag(&tag.name);
        !is_replaced && values.get(&key).is_none_or(|value| !value.is_null())
    };
    let kept = now.iter().filter(is_kept).map(|tag| tag.name.clone());
    let added = values.iter().filter_map(|(key, value)| match key {
        Key::Tag(name) if !value.is_null() => Some(name.clone()),
        _ => None,
    });
    let urgent = priority.and_then(Value::as_str).and_then(Priority::try_parse);
    tags::joined(now, kept.chain(added), urgent)
}

fn size(value: &Value) -> Option<Size> {
    value.as_str().and_then(Size::from_name)
}

fn text(value: Option<&Value>) -> Option<String> {
    value.map(|value| value.as_str().unwrap_or_default().to_owned())
}

fn date(value: &Value) -> Option<Date> {
    value.as_str()?.parse().ok()
}

fn blocked(value: &Value) -> Blocked {
    value.as_str().map_or(Blocked::No, |reason| Blocked::Yes { reason: reason.to_owned() })
}

/// Converts an optional value into keep, clear or set.
fn change<T>(value: Option<&Value>, read: impl Fn(&Value) -> Option<T>) -> Change<T> {
    value.map_or(Change::Keep, |value| read(value).into())
}

/// Returns the highest id of the items.
pub(super) fn newest(items: &[RemoteItem]) -> u64 {
    items.iter().map(RemoteItem::id).max().unwrap_or(0)
}

/// Returns the local id from an item's external reference.
pub(super) fn named_by_us(item: &RemoteItem) -> Option<&str> {
    fields::own_name(item.core().external_reference.as_deref())
}
