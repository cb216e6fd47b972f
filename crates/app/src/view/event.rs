//! An event: who did what to which item.

use std::fmt;

use jiff::Timestamp;
use model::person::Person;
use model::priority::PriorityLevel;
use model::text::TITLE_LIMIT;
use model::workflow::Category;

use super::item::Reference;

/// An event. Its sentence is: person, verb, item, preposition, object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventView {
    /// The time.
    pub at: Timestamp,
    /// `Name <email>`.
    pub by: String,
    /// The item.
    pub item: Reference,
    /// The verb, such as `closed`.
    pub verb: &'static str,
    /// The preposition before the object, such as `to`; may be empty.
    pub preposition: &'static str,
    /// The object of the verb besides the item.
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
        // A forged title may have megabytes.
        let title: String = self.item.title.chars().take(TITLE_LIMIT).collect();
        self.words(&format!("{} {} {title}", self.verb, self.item.name()))
    }

    /// Returns the sentence without the person, after the item was named: `moved it to review`.
    pub(crate) fn text_about_it(&self) -> String {
        // "set the priority of it" is not English.
        match self.verb.strip_suffix(" of").and_then(|verb| verb.split_once(" the ")) {
            Some((verb, field)) => self.words(&format!("{verb} its {field}")),
            None => self.words(&format!("{} it", self.verb)),
        }
    }

    fn words(&self, beginning: &str) -> String {
        let object = self.object.to_string();
        let parts = [beginning, self.preposition, &object];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for EventObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Text(text) | Self::Code(text) => f.write_str(text),
            Self::Person(text) => f.write_str(Person::parse(text).short()),
            Self::Status { name, .. } => f.write_str(&name.replace('_', " ")),
            Self::Priority(priority) => f.write_str(PriorityLevel::of(*priority).word()),
            Self::Item(other) => write!(f, "{} {}", other.name(), other.title),
        }
    }
}
