//! Moves items along: start, close, reopen.

use model::op::Change;
use model::text::check_body;
use model::workflow::{Category, State, Workflow};
use serde_json::Value;
use store::index::Row;

use super::edit::{check_revision, ids_of, views};
use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan, set};
use crate::resolve;
use crate::view::ItemView;

/// How to close.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closing {
    /// A closed status other than the usual one.
    pub status: Option<String>,
    /// What to say about it.
    pub comment: Option<String>,
    /// Refuse when the item is no longer in this revision.
    pub if_unchanged: Option<String>,
}

impl Project {
    /// Takes items up: the first status in which someone is at it, begun today, by me unless someone else has it.
    pub fn start(&mut self, ids: &[String], if_unchanged: Option<&str>) -> Result<Vec<ItemView>, Error> {
        self.advance(ids, "start", if_unchanged, |context, row, workflow| {
            context.find_living(&row.item.id.to_string())?;
            let doing =
                workflow.first_in(Category::Doing).ok_or_else(|| no_status(workflow, "someone is at it", "doing"))?;
            let mut changes = Vec::new();
            push_status(&mut changes, row, &doing.name);
            if row.item.started.is_none() {
                changes.push(set("started", resolve::today_as_value(context.today)));
            }
            if row.item.assignee.is_none() {
                changes.push(set("assignee", context.me.to_string()));
            }
            push_cleared_completion(&mut changes, row);
            Ok(changes)
        })
    }

    /// Closes items.
    pub fn close(&mut self, ids: &[String], closing: &Closing) -> Result<Vec<ItemView>, Error> {
        let comment =
            closing.comment.as_deref().map(|body| check_body("comment", body).map_err(Error::invalid)).transpose()?;
        self.advance(ids, "close", closing.if_unchanged.as_deref(), |context, row, workflow| {
            context.find_living(&row.item.id.to_string())?;
            let status = match &closing.status {
                Some(wanted) => closed_status(workflow, wanted)?,
                None if row.state == State::Closed => row.item.status.clone(),
                None => workflow.closing().ok_or_else(|| no_status(workflow, "it is closed", "done"))?.name.clone(),
            };
            let mut changes = Vec::new();
            push_status(&mut changes, row, &status);
            if row.item.completed.is_none() {
                changes.push(set("completed", resolve::today_as_value(context.today)));
            }
            changes.extend(comment.clone().map(|body| Change::Comment { body }));
            Ok(changes)
        })
    }

    /// Opens items again, also those that were deleted.
    pub fn reopen(&mut self, ids: &[String], if_unchanged: Option<&str>) -> Result<Vec<ItemView>, Error> {
        self.advance(ids, "reopen", if_unchanged, |_, row, workflow| {
            let mut changes = Vec::new();
            if row.item.deleted {
                changes.push(Change::Restore);
            }
            if row.state == State::Closed {
                push_status(&mut changes, row, &workflow.initial().name);
                push_cleared_completion(&mut changes, row);
            }
            Ok(changes)
        })
    }

    fn advance(
        &mut self,
        ids: &[String],
        verb: &str,
        if_unchanged: Option<&str>,
        step: impl Fn(&PlanContext<'_>, &Row, &Workflow) -> Result<Vec<Change>, Error>,
    ) -> Result<Vec<ItemView>, Error> {
        let moved = self.write(|context| {
            let rows = context.find_all(ids)?;
            let mut changes = Vec::new();
            for row in &rows {
                check_revision(row, if_unchanged)?;
                let workflow = context.index.workflow(row.item.kind)?;
                changes.extend(step(context, row, &workflow)?.into_iter().map(|change| (row.item.id, change)));
            }
            let rows: Vec<&Row> = rows.iter().collect();
            Ok((WritePlan::on(&rows, verb, changes), ids_of(&rows)))
        })?;
        views(self.index(), &moved)
    }
}

fn push_status(changes: &mut Vec<Change>, row: &Row, status: &str) {
    if row.item.status != status {
        changes.push(set("status", status));
    }
}

fn push_cleared_completion(changes: &mut Vec<Change>, row: &Row) {
    if row.item.completed.is_some() {
        changes.push(set("completed", Value::Null));
    }
}

fn closed_status(workflow: &Workflow, wanted: &str) -> Result<String, Error> {
    let name = resolve::status(workflow, wanted)?;
    let is_closed = workflow.try_find(&name).is_some_and(|status| status.closed);
    is_closed.then_some(name.clone()).ok_or_else(|| {
        Error::invalid(format!("`{name}` is not a closed status"))
            .hint("`cairn workflow` shows which statuses are closed")
    })
}

fn no_status(workflow: &Workflow, what: &str, category: &str) -> Error {
    Error::conflict(format!("no status of {} says that {what}", workflow.kind.with_article()))
        .hint(format!("`cairn workflow set {} NAME --category {category}` adds one", workflow.kind))
}
