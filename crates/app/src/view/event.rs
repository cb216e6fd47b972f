//! An event: who did what to which item.

use jiff::Timestamp;
use model::workflow::Category;

use super::item::Reference;

/// An event. Its sentence is: person, verb, item, preposition, object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventView {
    /// When.
    pub at: Timestamp,
    /// `Name <email>`.
    pub by: String,
    /// The item.
    pub item: Reference,
    /// The verb, such as `closed`.
    pub verb: &'static str,
    /// Leads to the object, such as `to`; may be empty.
    pub preposition: &'static str,
    /// What the verb needs besides the item.
    pub object: EventObject,
}

/// The object of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventObject {
    /// Nothing.
    None,
    /// A value as text.
    Text(String),
    /// A status.
    Status {
        /// Its name.
        name: String,
        /// Its category.
        category: Category,
    },
    /// A priority from 0 to 10.
    Priority(u8),
    /// A person, as `Name <email>`.
    Person(String),
    /// Another item.
    Item(Reference),
    /// Code: `path` or `path:anchor`.
    Code(String),
}

impl EventView {
    /// Returns the sentence without the person: `moved #42 Login fails to review`.
    pub fn text(&self) -> String {
        let object = match &self.object {
            EventObject::None => String::new(),
            EventObject::Text(text) | EventObject::Person(text) | EventObject::Code(text) => text.clone(),
            EventObject::Status { name, .. } => name.replace('_', " "),
            EventObject::Priority(priority) => priority.to_string(),
            EventObject::Item(other) => format!("{} {}", other.name(), other.title),
        };
        let item = format!("{} {}", self.item.name(), self.item.title);
        let parts = [self.verb, &item, self.preposition, &object];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}
