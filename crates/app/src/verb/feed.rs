//! Events as facts from which every interface makes the same sentence: "Ada moved #42 Login fails to Review".

use model::attachment::{Attachment, FIELD_PREFIX};
use model::id::EntityId;
use model::item::CLOSED_BY;
use model::item_ref::ItemRef;
use model::op::{Change, Op};
use model::sort::{SortField, SortKey};
use model::workflow::Category;
use serde_json::Value;
use store::index::{ItemQuery, Row};

use crate::error::Error;
use crate::project::{Project, short_id, shortened};
use crate::view::{EventObject, EventView, reference};

/// Operations of one item that are looked at: a feed shows the newest only.
const MAX_OPERATIONS: usize = 8;

/// Verb, preposition and object.
type EventWords = (&'static str, &'static str, EventObject);

/// Fields with a value that is shown as it is: the verbs of setting and of clearing one.
const NAMED_FIELDS: [(&str, &str, &str); 8] = [
    ("due", "set the due date of", "removed the due date of"),
    ("started", "set the start date of", "removed the start date of"),
    ("expected", "set the expected date of", "removed the expected date of"),
    ("completed", "set the completion date of", "removed the completion date of"),
    ("size", "set the size of", "removed the size of"),
    ("severity", "set the severity of", "removed the severity of"),
    ("type", "set the type of", "removed the type of"),
    ("colour", "set the color of", "removed the color of"),
];

const NEWEST_FIRST: [SortKey; 1] = [SortKey { by: SortField::Updated, descending: true }];

impl Project {
    /// Returns the newest events of the project, newest first. Several changes of one person to one item in a row are
    /// one event: the last of them.
    pub fn feed(&self, limit: usize) -> Result<Vec<EventView>, Error> {
        let page = self.index().list(&ItemQuery {
            include_closed: true,
            include_deleted: true,
            sort: &NEWEST_FIRST,
            limit: Some(limit),
            ..ItemQuery::default()
        })?;
        let mut events = Vec::new();
        for row in &page.rows {
            let newest = self.events_of(row)?.into_iter().rev().take(MAX_OPERATIONS);
            let mut of_item: Vec<EventView> = newest.collect();
            of_item.dedup_by(|later, earlier| later.by == earlier.by);
            events.extend(of_item);
        }
        events.sort_by_key(|event| std::cmp::Reverse(event.at));
        events.truncate(limit);
        Ok(events)
    }

    /// Returns the events of one item, oldest first.
    pub fn events(&self, item: &ItemRef) -> Result<Vec<EventView>, Error> {
        self.events_of(&self.find(item)?)
    }

    fn events_of(&self, row: &Row) -> Result<Vec<EventView>, Error> {
        let ops = self.index().ops(row.item.id)?;
        Ok(ops.iter().filter_map(|op| self.event(row, op)).collect())
    }

    /// Returns the event of an operation; `None` if readers do not need to see it.
    pub(super) fn event(&self, row: &Row, op: &Op) -> Option<EventView> {
        let (verb, preposition, object) = self.worded(row, &op.change)?;
        Some(EventView { at: op.at, by: op.by.to_string(), item: reference(row), verb, preposition, object })
    }

    /// Returns operations as sentences, each with a person and a title: "Ada Lovelace closed #42 Login fails". Changes
    /// of one person to one item in a row are one sentence.
    pub(super) fn sentences(&self, ops: &[Op]) -> Result<Vec<String>, Error> {
        let mut sentences: Vec<(String, EntityId, String)> = Vec::new();
        for op in ops {
            let Some(row) = self.index().item(op.entity)? else { continue };
            let Some(event) = self.event(&row, op) else { continue };
            match sentences.last_mut() {
                Some((by, entity, text)) if *by == event.by && *entity == op.entity => {
                    text.push_str(", ");
                    text.push_str(&event.text_about_it());
                }
                _ => {
                    let text = format!("{} {}", op.by.short(), event.text());
                    sentences.push((event.by, op.entity, text));
                }
            }
        }
        Ok(sentences.into_iter().map(|(_, _, text)| text).collect())
    }

    /// Words a change; `None` for changes that follow from another one or say nothing to a reader.
    fn worded(&self, row: &Row, change: &Change) -> Option<EventWords> {
        let text = |text: &str| EventObject::Text(shortened(text));
        Some(match change {
            Change::Create { .. } => ("created", "", EventObject::None),
            Change::Set { field, value } => return self.worded_field(row, field, value),
            Change::Add { field, value } => match field.as_str() {
                "labels" => ("labeled", "as", text(value)),
                "assignees" => ("assigned", "to", EventObject::Person(value.clone())),
                "blocks" => ("marked", "as blocking", self.referenced_item(value)),
                "relates" => ("linked", "to", self.referenced_item(value)),
                "touches" => ("linked", "to", EventObject::Code(value.clone())),
                "commits" => ("linked", "to commit", EventObject::Text(short_id(value).to_owned())),
                // Follows the status that the same commit set.
                CLOSED_BY => return None,
                _ => ("changed", "in the field", text(field)),
            },
            Change::Remove { field, value, .. } => match field.as_str() {
                "labels" => ("removed", "from the label", text(value)),
                "assignees" => ("unassigned", "from", EventObject::Person(value.clone())),
                "blocks" => ("marked", "as no longer blocking", self.referenced_item(value)),
                "relates" => ("unlinked", "from", self.referenced_item(value)),
                "touches" => ("unlinked", "from", EventObject::Code(value.clone())),
                "commits" => ("unlinked", "from commit", EventObject::Text(short_id(value).to_owned())),
                _ => ("changed", "in the field", text(field)),
            },
            Change::Comment { .. } => ("commented on", "", EventObject::None),
            Change::EditComment { body, .. } if body.is_empty() => ("deleted a comment on", "", EventObject::None),
            Change::EditComment { .. } => ("edited a comment on", "", EventObject::None),
            Change::Delete => ("deleted", "", EventObject::None),
            Change::Restore => ("restored", "", EventObject::None),
            Change::Renumber { .. } => return None,
            Change::Unknown { .. } => ("changed", "", EventObject::None),
        })
    }

    fn worded_field(&self, row: &Row, field: &str, value: &Value) -> Option<EventWords> {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_cleared = value.is_null() || shown.is_empty();
        let text = |text: &str| EventObject::Text(shortened(text));
        Some(match field {
            // Follows the status.
            "completed" | "rank" | "assignees" => return None,
            "status" => self.worded_status(row, &shown),
            "title" => ("renamed", "to", text(&shown)),
            "description" => ("edited the description of", "", EventObject::None),
            "assignee" if is_cleared => ("unassigned", "", EventObject::None),
            "assignee" => ("assigned", "to", EventObject::Person(shown)),
            "blocked" if is_cleared => ("unblocked", "", EventObject::None),
            "blocked" => ("blocked", "because of", text(&shown)),
            "milestone" | "board" if is_cleared => ("removed", "from its", text(field)),
            "milestone" | "board" => ("moved", "to", self.referenced_item(&shown)),
            "parent" if is_cleared => ("removed", "from its", text("parent")),
            "parent" => ("made", "a sub-item of", self.referenced_item(&shown)),
            "approved" if is_cleared || *value == Value::Bool(false) => {
                ("withdrew the approval of", "", EventObject::None)
            }
            "approved" => ("approved", "", EventObject::None),
            "priority" if value.is_null() => ("set the priority of", "to", EventObject::Priority(0)),
            "priority" => match value.as_u64().and_then(|number| u8::try_from(number).ok()) {
                Some(number) => ("set the priority of", "to", EventObject::Priority(number.min(10))),
                None => ("set the priority of", "to", text(&shown)),
            },
            _ if field.starts_with(FIELD_PREFIX) => worded_attachment(field, value),
            _ => match NAMED_FIELDS.iter().find(|(name, ..)| *name == field) {
                Some((_, _, removed)) if is_cleared => (removed, "", EventObject::None),
                Some((_, set, _)) => (set, "to", text(&shown)),
                None => ("changed", "in the field", text(field)),
            },
        })
    }

    fn worded_status(&self, row: &Row, name: &str) -> EventWords {
        let workflow = self.index().workflow(row.item.kind).ok();
        let status = workflow.as_ref().and_then(|workflow| workflow.try_find(name));
        let category = status.map_or(Category::Todo, |status| status.category);
        let verb = if status.is_some_and(|status| status.closed) { "closed" } else { "moved" };
        let preposition = if verb == "closed" { "as" } else { "to" };
        (verb, preposition, EventObject::Status { name: name.to_owned(), category })
    }

    fn referenced_item(&self, id: &str) -> EventObject {
        let row = id.parse().ok().and_then(|id| self.index().item(id).ok().flatten());
        row.map_or_else(|| EventObject::Text(shortened(id)), |row| EventObject::Item(reference(&row)))
    }
}

fn worded_attachment(field: &str, value: &Value) -> (&'static str, &'static str, EventObject) {
    match Attachment::from_field(field, value) {
        Some(attachment) => ("attached a file to", "named", EventObject::Text(shortened(&attachment.name))),
        None => ("removed an attachment of", "", EventObject::None),
    }
}
