//! Epics, stories, tasks and issues: list, read, make, change, delete.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::client::is_forbidden;
use crate::dto::{Item, ItemId, ProjectId};
use crate::filter::AsQuery;
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error, ErrorKind, Page, Window};

impl Client {
    /// Reads a part of a list. Rows have no description.
    ///
    /// A project that does not exist, or that the user may not see, has an empty list: ask [`Client::project`] first.
    pub fn list<I: Item>(&self, project: ProjectId, filter: &I::Filter, window: Window) -> Result<Page<I>, Error> {
        self.window(I::KIND.path(), &in_project(project, filter)?, window)
    }

    /// Reads a whole list, in the filter's order. Positions on a board move while a list is walked, so an order by time is
    /// better: [`crate::OrderBy::OLDEST_FIRST`]. What came twice because of that is there once.
    pub fn list_all<I: Item>(&self, project: ProjectId, filter: &I::Filter) -> Result<Vec<I>, Error> {
        let mut rows: Vec<I> = self.everything(I::KIND.path(), &in_project(project, filter)?)?;
        let mut seen = HashSet::new();
        rows.retain(|row| seen.insert(row.core().id));
        Ok(rows)
    }

    /// Reads an item. Ids are the same for all projects: compare [`crate::dto::Core::project`].
    pub fn get<I: Item>(&self, id: ItemId) -> Result<I, Error> {
        self.fetch(&path::<I>(id), &Query::default())
    }

    /// Reads an item by the number people see. The number of an item of another kind is not found.
    pub fn by_reference<I: Item>(&self, project: ProjectId, reference: u64) -> Result<I, Error> {
        let query = Query::default().with("ref", reference).with("project", project);
        self.fetch(&format!("{}/by_ref", I::KIND.path()), &query)
    }

    /// Makes an item.
    pub fn create<I: Item>(&self, draft: &I::Draft) -> Result<I, Error> {
        self.send(Verb::Post, I::KIND.path(), &json!(draft))
    }

    /// Changes an item, given the version it was read in.
    ///
    /// If somebody changed one of the same fields since, that is a conflict and nothing happens. A Taiga sometimes sees
    /// one where there is none: [`Client::patch_from`] knows the difference.
    pub fn patch<I: Item>(&self, id: ItemId, version: u64, patch: &I::Patch) -> Result<I, Error> {
        let mut body = json!(patch);
        body["version"] = version.into();
        let sent = self.send(Verb::Patch, &path::<I>(id), &body);
        sent.map_err(|error| self.settle::<I>(id, error))
    }

    /// Changes an item that was read before. A conflict is reported only if one of the fields to be changed is different
    /// now from what it was in `base`; otherwise the change is made once more, from what is there now.
    ///
    /// `base` should be a whole item, not a row of a list: without its description a change of that cannot be judged.
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

    /// Deletes an item. With a story go its tasks; the stories of an epic stay.
    pub fn delete<I: Item>(&self, id: ItemId) -> Result<(), Error> {
        let sent = self.write(Verb::Delete, &path::<I>(id), &Query::default(), None);
        sent.map(|_| ()).map_err(|error| self.settle::<I>(id, error))
    }

    /// Finds out what a refused write means: a Taiga forbids changing what does not exist.
    fn settle<I: Item>(&self, id: ItemId, error: Error) -> Error {
        if !is_forbidden(&error) {
            return error;
        }
        match self.get::<I>(id) {
            Err(absent) if absent.kind == ErrorKind::NotFound => absent,
            _ => error,
        }
    }
}

fn path<I: Item>(id: ItemId) -> String {
    format!("{}/{id}", I::KIND.path())
}

fn in_project(project: ProjectId, filter: &impl AsQuery) -> Result<Query, Error> {
    Ok(filter.as_query()?.with("project", project))
}

/// Tells whether nobody changed the fields that a change is about.
fn is_untouched<I: Item>(base: &I, now: &I, patch: &I::Patch) -> bool {
    let (base, now, patch) = (json!(base), json!(now), json!(patch));
    let same = |field: &str| match (base.get(field), now.get(field)) {
        // A row of a list has no description: nobody knows what it was.
        (Some(Value::Null), _) if field == "description" => false,
        (Some(before), Some(after)) => before == after,
        _ => false,
    };
    let fields = patch.as_object().into_iter().flatten().map(|(field, _)| field.as_str());
    fields.filter(|field| *field != "comment").all(same)
}
