//! The contract's JSON results.

use serde_json::{Map, Value, json};
use tracker::{
    Blocking, Details, Entry, EntryComment, EntryPage, Id, Kind, Priority, ProjectCard, Sprint, Stage, TrackerPerson,
    Window,
};

use crate::words::to_the_second;

/// Returns a page of a list. The limit holds even if a server sends more.
pub(super) fn page<T>(page: &EntryPage<T>, window: Window, shape: impl Fn(&T) -> Value) -> Value {
    let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
    let items: Vec<Value> = page.items.iter().take(limit).map(shape).collect();
    let seen = window.offset.saturating_add(u64::try_from(items.len()).unwrap_or(u64::MAX));
    let has_next = !items.is_empty() && seen < page.total;
    let meta = json!({"limit": window.limit, "offset": window.offset, "total": page.total, "hasNext": has_next});
    json!({"items": items, "meta": meta})
}

/// Returns a work item.
pub(super) fn entry(entry: &Entry) -> Value {
    let mut shape = Map::new();
    let mut put = |name: &str, value: Value| shape.insert(name.to_owned(), value);
    put("id", id(entry.id));
    put("ref", json!(entry.number));
    put("projectId", id(entry.project));
    put("subject", json!(entry.subject));
    if entry.kind == Kind::Epic {
        put("title", json!(entry.subject));
    }
    if let Some(description) = &entry.description {
        put("description", json!(description));
    }
    put("statusId", optional_id(entry.status));
    put("status", json!(entry.status_name));
    put("isClosed", json!(entry.is_closed));
    put("assignedToId", optional_id(entry.assignee));
    put("tags", json!(entry.tags));
    if entry.kind != Kind::Epic {
        put("priority", json!(entry.priority.map(Priority::name)));
    }
    put("blocked", blocked(&entry.blocking));
    match entry.kind {
        Kind::Epic => {
            put("color", json!(entry.color));
        }
        Kind::Story => {
            put("epicId", optional_id(entry.parent));
        }
        Kind::Task => {
            put("userStoryId", optional_id(entry.parent));
        }
        Kind::Issue => {
            put("severity", json!(entry.severity));
            put("type", json!(entry.type_));
        }
    }
    if let Some(version) = entry.version {
        put("version", json!(version));
    }
    put("createdDate", json!(to_the_second(&entry.created)));
    put("modifiedDate", json!(to_the_second(&entry.modified)));
    Value::Object(shape)
}

/// Returns a work item with the fields beyond the contract.
pub(super) fn extended(work: &Entry) -> Value {
    let mut shape = entry(work);
    let plan = &work.planned;
    if work.kind != Kind::Epic {
        shape["milestoneId"] = optional_id(plan.sprint);
        shape["dueDate"] = json!(plan.due.map(|day| day.to_string()));
    }
    if work.kind == Kind::Story {
        shape["points"] = json!(plan.points);
        shape["assigneeIds"] = plan.assignees.iter().copied().map(id).collect();
        if let Some([backlog, sprint, kanban]) = plan.orders {
            shape["order"] = json!({"backlog": backlog, "sprint": sprint, "kanban": kanban});
        }
    }
    if let Some(version) = work.version.or(plan.version) {
        shape["version"] = json!(version);
    }
    if let Some(url) = &plan.url {
        shape["url"] = json!(url);
    }
    shape
}

/// Adds custom fields and attachments.
pub(super) fn with_details(mut shape: Value, details: &Details) -> Value {
    let fields: Map<String, Value> = details.custom_fields.iter().cloned().collect();
    shape["customFields"] = Value::Object(fields);
    shape["attachments"] = json!(details.attachments);
    shape
}

pub(super) fn sprint(sprint: &Sprint) -> Value {
    let day = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string());
    json!({
        "id": id(sprint.id), "name": sprint.name, "start": day(sprint.start), "finish": day(sprint.finish),
        "isClosed": sprint.is_closed,
    })
}

pub(super) fn comment(comment: &EntryComment) -> Value {
    json!({
        "id": comment.id, "authorId": optional_id(comment.author), "author": comment.author_name, "createdDate": to_the_second(&comment.created),
        "text": comment.text, "isEdited": comment.is_edited,
    })
}

pub(super) fn project(card: &ProjectCard) -> Value {
    json!({
        "id": id(card.id),
        "slug": card.slug,
        "name": card.name,
        "description": card.description,
        "isActive": card.is_active,
    })
}

/// Returns the project that became active.
pub(super) fn activated(card: &ProjectCard) -> Value {
    json!({"projectId": id(card.id), "slug": card.slug, "name": card.name})
}

/// Returns the statuses of a kind.
pub(super) fn stages(stages: &[Stage]) -> Value {
    let items = stages.iter().map(|stage| {
        json!({
            "id": id(stage.id),
            "name": stage.name,
            "order": stage.order,
            "isClosed": stage.is_closed,
            "category": stage.category,
            "color": stage.color,
        })
    });
    json!({"items": items.collect::<Vec<_>>()})
}

pub(super) fn person(person: &TrackerPerson) -> Value {
    json!({"id": id(person.id), "username": person.username, "fullName": person.full_name, "role": person.role})
}

/// Returns the result of a deletion.
pub(super) fn deleted(of: Id) -> Value {
    json!({"id": id(of), "deleted": true})
}

fn blocked(blocking: &Blocking) -> Value {
    match blocking {
        Blocking::No => json!({"isBlocked": false}),
        Blocking::Yes { reason: None } => json!({"isBlocked": true}),
        Blocking::Yes { reason: Some(reason) } => json!({"isBlocked": true, "reason": reason}),
    }
}

fn id(id: Id) -> Value {
    json!(id.get())
}

fn optional_id(of: Option<Id>) -> Value {
    of.map_or(Value::Null, id)
}
