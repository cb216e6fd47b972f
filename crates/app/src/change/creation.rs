//! Builds the operation that creates an item.

use std::collections::BTreeMap;

use model::item::ItemKind;
use model::number::NumberSpace;
use model::op::Change;
use model::text::{check_label, check_line};
use serde_json::Value;
use store::index::Index;

use super::{NewItem, check_depth};
use crate::error::Error;
use crate::project::PlanContext;
use crate::resolve;

/// An item that is about to be created.
pub struct ItemCreation {
    kind: ItemKind,
    number: u64,
    fields: BTreeMap<String, Value>,
    sets: BTreeMap<String, Vec<String>>,
}

impl ItemCreation {
    /// Creates an item with nothing but a number.
    pub fn bare(kind: ItemKind, number: u64) -> Self {
        Self { kind, number, fields: BTreeMap::new(), sets: BTreeMap::new() }
    }

    /// Resolves a new item against the state of the plan.
    pub(crate) fn plan(context: &PlanContext<'_>, new: &NewItem, number: u64) -> Result<Self, Error> {
        let title = check_line("title", &new.title)?;
        let labels = new.labels.iter().map(|label| check_label(label)).collect::<Result<_, _>>();
        let workflow = context.index.workflow(new.kind)?;
        let mut creation = Self::bare(new.kind, number);
        creation.field("title", title);
        creation.field("status", workflow.initial().name.clone());
        for change in &new.fields {
            creation.field(change.field().stored(), resolve::new_value(context, &workflow, change)?);
        }
        for (name, value) in &new.extra {
            check_depth(name, value)?;
            creation.field(name, value.clone());
        }
        creation.set("labels", labels?);
        Ok(creation)
    }

    /// Sets a field; null leaves the field out.
    pub fn field(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        if !value.is_null() {
            self.fields.insert(name.to_owned(), value);
        }
    }

    /// Sets the members of a set field.
    pub fn set(&mut self, name: &str, members: Vec<String>) {
        if !members.is_empty() {
            self.sets.insert(name.to_owned(), members);
        }
    }

    /// Returns the subject line of a commit with only this creation.
    pub(crate) fn subject(&self) -> String {
        let title = self.fields.get("title").and_then(Value::as_str).unwrap_or_default();
        format!("{} #{}: create `{title}`", self.kind, self.number)
    }

    /// Returns the operation.
    pub fn into_change(self) -> Change {
        let Self { kind, number, fields, sets } = self;
        Change::Create { kind: kind.name().to_owned(), number: Some(number), fields, sets }
    }
}

/// Allocates numbers for the new items of one write.
pub struct NumberAllocator<'a> {
    index: &'a Index,
    last: BTreeMap<NumberSpace, u64>,
}

impl<'a> NumberAllocator<'a> {
    /// Starts above the numbers in the index.
    pub fn new(index: &'a Index) -> Self {
        Self { index, last: BTreeMap::new() }
    }

    /// Returns the next free number of a space that is above `floor`.
    pub fn next_above(&mut self, space: NumberSpace, floor: u64) -> Result<u64, Error> {
        let number = match self.last.get(&space) {
            Some(last) => last + 1,
            None => self.index.next_number(space)?.max(floor + 1),
        };
        self.last.insert(space, number);
        Ok(number)
    }

    /// Returns the next free number of a space.
    pub fn next(&mut self, space: NumberSpace) -> Result<u64, Error> {
        self.next_above(space, 0)
    }
}
