//! Moves items through their workflow: start, close, reopen.

use model::field::{self, FieldChange, StatusRef};
use model::item_ref::ItemRef;
use model::member::Member;
use model::op::Change;
use model::person::PersonRef;
use model::workflow::{Category, State};
use store::index::Row;

use crate::change::{ChangeSet, plan_edit};
use crate::error::Error;
use crate::project::{PlanContext, Project, mention, plan_for_items, refuse_deleted};
use crate::view::ItemView;

/// Options of `close`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CloseOptions {
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
    Claim,
    Close,
    Reopen,
}

impl Transition {
    fn verb(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Claim => "claim",
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

    /// Claims items for the acting person: starts them and assigns them, with further changes in the same write. Fails
    /// if one is closed, is someone else's, or is in progress already. It is decided inside the write, so of several
    /// claims at once one succeeds, in this process or another.
    pub fn claim(&mut self, items: &[ItemRef], with: &ChangeSet) -> Result<Vec<ItemView>, Error> {
        let mut set = with.clone();
        set.fields.push(FieldChange::status(StatusRef::Doing));
        set.fields.push(FieldChange::assignee(PersonRef::Me));
        set.defaults.push(FieldChange::today(&field::STARTED));
        self.advance(items, Transition::Claim, &set)
    }

    /// Closes items.
    pub fn close(&mut self, items: &[ItemRef], closing: &CloseOptions) -> Result<Vec<ItemView>, Error> {
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
                if transition == Transition::Claim {
                    refuse_claimed(context, row)?;
                }
                let planned = plan_edit(context, row, set)?;
                changes.extend(row.item.deleted.then_some((row.item.id, Change::Restore)));
                changes.extend(planned.changes.into_iter().map(|change| (row.item.id, change)));
            }
            Ok(plan_for_items(&rows, transition.verb(), changes))
        })
    }
}

/// Fails if an item cannot be claimed: it is closed, or someone has it. The acting person counts too: two agents often
/// act as the same person, and only one may begin.
fn refuse_claimed(context: &PlanContext<'_>, row: &Row) -> Result<(), Error> {
    let is_begun = matches!(row.category, Category::Doing | Category::Review);
    let holder = row.item.assignee.as_ref();
    let is_mine = holder.is_some_and(|holder| Member::id_of(holder) == Member::id_of(context.me));
    let whose = match holder {
        _ if row.state == State::Closed => return Err(Error::conflict(format!("{} is closed", mention(row)))),
        Some(holder) if is_begun || !is_mine => holder,
        _ => return Ok(()),
    };
    let (what, you) = (if is_begun { "in progress" } else { "assigned" }, if is_mine { " (you)" } else { "" });
    let since = row.item.started.filter(|_| is_begun).map(|day| format!(" since {day}")).unwrap_or_default();
    Err(Error::conflict(format!("{} is taken: {what}{since}, by {whose}{you}", mention(row)))
        .hint("choose another one: `cairn ready` lists what can be started")
        .tool_hint("choose another one from `ready`"))
}
