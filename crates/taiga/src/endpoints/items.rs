//! Epics, stories, tasks and issues: list, read, create, update, delete.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::client::is_forbidden;
use crate::dto::{Item, ItemId, Kind, ProjectId};
use crate::filter::AsQuery;
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error, ErrorKind, Page, Window};

impl Client {
    /// Reads a window of a list. Rows have no description.
    ///
    /// For a project that does not exist, or that the user may not see, the list is empty: call [`Client::project`]
    /// first.
    pub fn list<I: Item>(&self, project: ProjectId, filter: &I::Filter, window: Window) -> Result<Page<I>, Error> {
        self.window(I::KIND.path(), &in_project(project, filter)?, window)
    }

    /// Reads a whole list, in the filter's order. Positions on a board may change between pages, so an order by time is
    /// better: [`crate::OrderBy::OLDEST_FIRST`]. Rows that appear twice because of that are deduplicated.
    pub fn list_all<I: Item>(&self, project: ProjectId, filter: &I::Filter) -> Result<Vec<I>, Error> {
        let mut rows: Vec<I> = self.everything(I::KIND.path(), &in_project(project, filter)?)?;
        let mut seen = HashSet::new();
        rows.retain(|row| seen.insert(row.core().id));
        Ok(rows)
    }

    /// Reads an item. Ids are shared by all projects: compare [`crate::dto::Core::project`].
    pub fn get<I: Item>(&self, id: ItemId) -> Result<I, Error> {
        self.fetch(&path(I::KIND, id), &Query::default())
    }

    /// Reads an item by the number that people see. The number of an item of another kind is not found.
    pub fn by_reference<I: Item>(&self, project: ProjectId, reference: u64) -> Result<I, Error> {
        let query = Query::default().with("ref", reference).with("project", project);
        self.fetch(&format!("{}/by_ref", I::KIND.path()), &query)
    }

    /// Creates an item.
    pub fn create<I: Item>(&self, draft: &I::Draft) -> Result<I, Error> {
        self.send(Verb::Post, I::KIND.path(), &json!(draft))
    }

    /// Updates an item that was read at the given version.
    ///
    /// If somebody changed one of the same fields since, it is a conflict and nothing is changed. Taiga reports some
    /// false conflicts; [`Client::patch_from`] detects them.
    pub fn patch<I: Item>(&self, id: ItemId, version: u64, patch: &I::Patch) -> Result<I, Error> {
        let mut body = json!(patch);
        body["version"] = version.into();
        let sent = self.send(Verb::Patch, &path(I::KIND, id), &body);
        sent.map_err(|error| self.settle(I::KIND, id, error))
    }

    /// Updates an item that was read before. A conflict is reported only if one of the fields to be changed differs
    /// from `base` by now; otherwise the update is repeated once on the current version.
    ///
    /// `base` should be a full item, not a row of a list: a row has no description, so changes of it cannot be
    /// detected.
    pub fn patch_from<I: Item>(&self, base: &I, patch: &I::Patch) -> Result<I, Error> {
        let id = base.core().id;
        match self.patch(id, base.core().version, patch) {
            Err(error) if error.is_conflict() => {
                let now: I = self.get(id)?;
                if is_untouched(base, &now, patch) { self.patch(id, now.core().version, patch) } else { Err(error) }
            }
            other => other,
        }
    }

    /// Deletes an item. The tasks of a story are deleted with it; the stories of an epic are kept.
    pub fn delete<I: Item>(&self, id: ItemId) -> Result<(), Error> {
        let sent = self.write(Verb::Delete, &path(I::KIND, id), &Query::default(), None);
        sent.map(|_| ()).map_err(|error| self.settle(I::KIND, id, error))
    }

    /// Replaces a "forbidden" error by "not found" if the item does not exist: Taiga answers both with 403 for writes.
    pub(super) fn settle(&self, kind: Kind, id: ItemId, error: Error) -> Error {
        if !is_forbidden(&error) {
            return error;
        }
        match self.read(&path(kind, id), &Query::default()) {
            Err(absent) if absent.kind == ErrorKind::NotFound => absent,
            _ => error,
        }
    }
}

pub(super) fn path(kind: Kind, id: ItemId) -> String {
    format!("{}/{id}", kind.path())
}

fn in_project(project: ProjectId, filter: &impl AsQuery) -> Result<Query, Error> {
    Ok(filter.as_query()?.with("project", project))
}

/// Returns whether nobody changed the fields that a patch sets.
fn is_untouched<I: Item>(base: &I, now: &I, patch: &I::Patch) -> bool {
    let (base, now, patch) = (json!(base), json!(now), json!(patch));
    let same = |field: &str| match (base.get(field), now.get(field)) {
        // A row of a list has no description, so its earlier value is unknown.
        (Some(Value::Null), _) if field == "description" => false,
        (Some(before), Some(after)) => before == after,
        _ => false,
    };
    let fields = patch.as_object().into_iter().flatten().map(|(field, _)| field.as_str());
    fields.filter(|field| *field != "comment").all(same)
}
