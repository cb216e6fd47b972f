//! The only way to change items: typed change requests, and the plan that turns them into operations.
//!
//! Every verb, `tasks` and the local tracker describe a change as a `ChangeSet` or a `NewItem`. The rules for all
//! changes are here: `completed` follows the status, no item is its own parent, unchanged values are not written.

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
use store::format::v1::is_too_deep;

use crate::error::Error;

pub use creation::{ItemCreation, NumberAllocator};
pub(crate) use edit::{check_revision, plan_edit};
pub(crate) use parents::refuse_parent_cycle;

/// A new item.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// Its kind.
    pub kind: ItemKind,
    /// The title, one line.
    pub title: String,
    /// Its fields.
    pub fields: Vec<FieldChange>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Fields that this version does not know, as JSON.
    pub extra: Vec<(String, Value)>,
}

/// Changes to one item, or the same changes to several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeSet {
    /// Fields and their new values.
    pub fields: Vec<FieldChange>,
    /// Fields that are set only if the item has no value yet.
    pub defaults: Vec<FieldChange>,
    /// Fields that this version does not know, as JSON; null clears one.
    pub extra: Vec<(String, Value)>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to remove.
    pub remove_labels: Vec<String>,
    /// People to assign in addition to the current assignees.
    pub add_assignees: Vec<PersonRef>,
    /// People to remove from the assignees.
    pub remove_assignees: Vec<PersonRef>,
    /// A comment to add.
    pub comment: Option<String>,
    /// Fail if the item's revision is no longer this one.
    pub if_unchanged: Option<String>,
}

impl NewItem {
    /// Creates an item with a title only.
    pub fn new(kind: ItemKind, title: impl Into<String>) -> Self {
        Self { kind, title: title.into(), fields: Vec::new(), labels: Vec::new(), extra: Vec::new() }
    }
}

impl ChangeSet {
    /// Changes only these fields.
    pub fn of_fields(fields: impl IntoIterator<Item = FieldChange>) -> Self {
        Self { fields: fields.into_iter().collect(), ..Self::default() }
    }

    /// Returns whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        Self { if_unchanged: None, ..self.clone() } == Self::default()
    }
}

/// Fails for a JSON value that the format could not read back.
fn check_depth(name: &str, value: &Value) -> Result<(), Error> {
    if is_too_deep(value) {
        return Err(Error::invalid(format!("the value of `{name}` is nested too deeply")));
    }
    Ok(())
}
