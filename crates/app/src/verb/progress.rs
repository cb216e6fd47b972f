//! Moves items through their workflow: start, close, reopen.

use model::field::{self, FieldChange, StatusRef};
use model::item_ref::ItemRef;
use model::op::Change;
use model::person::PersonRef;

use crate::change::{ChangeSet, plan_edit};
use crate::error::Error;
use crate::project::{Project, plan_for_items, refuse_deleted};
use crate::view::ItemView;

/// Options of `close`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closing {
    /// A closed status other than the default one.
    pub status: Option<String>,
    /// A comment to add.
    pub comment: Option<String>,
    /// Fail if the item's revision is no longer this one.
    pub if_unchanged: Option<String>,
}

/// A transition in the workflow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transition {
    Start,
    Close,
    Reopen,
}

impl Transition {
    fn verb(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Close => "close",
            Self::Reopen => "reopen",
        }
    }
}

impl Project {
    /// Starts work on items: sets the first status of the category `doing`, today as start date, and the acting person
    /// as assignee unless there is one.
    pub fn start(&mut self, items: &[ItemRef], if_unchanged: Option<&str>) -> Result<Vec<ItemView>, Error> {
        let set = ChangeSet {
            fields: vec![FieldChange::status(StatusRef::Doing)],
            defaults: vec![FieldChange::today(&field::STARTED), FieldChange::assignee(PersonRef::Me)],
            if_unchanged: if_unchanged.map(str::to_owned),
            ..ChangeSet::default()
        };
        self.advance(items, Transition::Start, &set)
    }

    /// Closes items.
    pub fn close(&mut self, items: &[ItemRef], closing: &Closing) -> Result<Vec<ItemView>, Error> {
        let set = ChangeSet {
            fields: vec![FieldChange::status(StatusRef::Closed(closing.status.clone()))],
            comment: closing.comment.clone(),
            if_unchanged: closing.if_unchanged.clone(),
            ..ChangeSet::default()
        };
        self.advance(items, Transition::Close, &set)
    }

    /// Reopens items, including deleted ones.
    pub fn reopen(&mut self, items: &[ItemRef], if_unchanged: Option<&str>) -> Result<Vec<ItemView>, Error> {
        let set = ChangeSet {
            fields: vec![FieldChange::status(StatusRef::Reopened)],
            if_unchanged: if_unchanged.map(str::to_owned),
            ..ChangeSet::default()
        };
        self.advance(items, Transition::Reopen, &set)
    }

    fn advance(&mut self, items: &[ItemRef], transition: Transition, set: &ChangeSet) -> Result<Vec<ItemView>, Error> {
        self.write_items(|context| {
            let rows = context.find_all(items)?;
            let mut changes = Vec::new();
            for row in &rows {
                if transition != Transition::Reopen {
                    refuse_deleted(row)?;
                }
                let planned = plan_edit(context, row, set)?;
                changes.extend(row.item.deleted.then_some((row.item.id, Change::Restore)));
                changes.extend(planned.changes.into_iter().map(|change| (row.item.id, change)));
            }
            Ok(plan_for_items(&rows, transition.verb(), changes))
        })
    }
}
