//! The one way to change items: what to change, as typed values, and the plan that turns it into operations.
//!
//! Every verb, `tasks` and the local tracker describe a change as a `ChangeSet` or a `NewItem`. The rules that hold for all
//! of them (`completed` follows the status, no item is its own parent, values that are there are not written) live here.

pub(crate) mod assignees;
pub(crate) mod completed;
mod creation;
mod edit;
mod labels;
mod parents;

use model::field::FieldChange;
use model::item::ItemKind;
use model::person::PersonRef;
use serde_json::Value;

pub use creation::{ItemCreation, NumberAllocator};
pub(crate) use edit::{check_revision, plan_edit};
pub(crate) use parents::refuse_parent_ring;

/// A new item.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// Its kind.
    pub kind: ItemKind,
    /// One line.
    pub title: String,
    /// Its fields.
    pub fields: Vec<FieldChange>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Fields that this version does not know, as JSON.
    pub extra: Vec<(String, Value)>,
}

/// Changes of one item, or of several alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeSet {
    /// Fields and their new values.
    pub fields: Vec<FieldChange>,
    /// Fields that are set only where the item has no value yet.
    pub defaults: Vec<FieldChange>,
    /// Fields that this version does not know, as JSON; null clears one.
    pub extra: Vec<(String, Value)>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to remove.
    pub remove_labels: Vec<String>,
    /// People to assign beside those who are assigned already.
    pub add_assignees: Vec<PersonRef>,
    /// People to remove from the assignees.
    pub remove_assignees: Vec<PersonRef>,
    /// A comment to add.
    pub comment: Option<String>,
    /// Refuse when the item is no longer in this revision.
    pub if_unchanged: Option<String>,
}

impl NewItem {
    /// Describes an item that has only a title.
    pub fn new(kind: ItemKind, title: impl Into<String>) -> Self {
        Self { kind, title: title.into(), fields: Vec::new(), labels: Vec::new(), extra: Vec::new() }
    }
}

impl ChangeSet {
    /// Changes nothing but these fields.
    pub fn of_fields(fields: impl IntoIterator<Item = FieldChange>) -> Self {
        Self { fields: fields.into_iter().collect(), ..Self::default() }
    }

    /// Tells whether it names nothing to change.
    pub fn is_empty(&self) -> bool {
        Self { if_unchanged: None, ..self.clone() } == Self::default()
    }
}
