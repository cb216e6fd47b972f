//! Deletes locally deleted items on the server, if nobody changed them there since.

use app::Error;
use app::Project;
use app::plan::set;
use taiga::dto::Change;

use super::super::link::{FIELD, Link};
use super::super::local_item::LocalItem;
use super::super::retrying_client::{is_about_one, is_absent, user_error};
use super::super::{remote, report};
use super::Push;
use crate::Kind;
use crate::mapping::fields::Fields;
use crate::mapping::item::RemoteItem;
use crate::mapping::requests;

impl Push<'_> {
    pub(super) fn delete(
        &mut self,
        project: &mut Project,
        item: &LocalItem,
        kind: Kind,
        here: &[LocalItem],
    ) -> Result<(), Error> {
        let Some(link) = item.link_to(&self.mapping().remote_ref).cloned() else { return Ok(()) };
        let read = match self.server.call(|client| remote::get(client, kind, link.id)) {
            Ok(read) => read,
            Err(error) if is_absent(&error) => return self.mark_deleted(project, item, link),
            Err(error) if is_about_one(&error) => {
                self.report.left.push(report::refused(report::known(item, Some(&link)), None, error.message));
                return Ok(());
            }
            Err(error) => return Err(user_error(error)),
        };
        if read.core().project.0 != self.mapping().remote_ref.project {
            let why = "it is in another project there now";
            self.report.left.push(report::left(report::known(item, Some(&link)), None, why));
            return Ok(());
        }
        let there = self.mapping().of_remote(&read, item.row.item.parent);
        let is_untouched = match link.version {
            // Version 0: created by a push and not pulled since. An unchanged item still has its first version.
            0 => read.core().version <= 1,
            known => known == read.core().version && link.base.matches_there(&there),
        };
        if !is_untouched && !self.taken.contains(&item.id()) {
            self.report.conflicts.push(report::clash(item, &link, "deleted here, changed there"));
            return Ok(());
        }
        let tasks = self.tasks_that_would_go(item, &link, here)?;
        if !tasks.is_empty() && !self.taken.contains(&item.id()) {
            let n_tasks = tasks.len();
            let why = format!("deleted here, but {n_tasks} tasks there that are not deleted would be deleted with it");
            self.report.conflicts.push(report::clash(item, &link, &why));
            return Ok(());
        }
        if !self.options.dry_run && !self.detach(&tasks, item, &link, here)? {
            return Ok(());
        }
        if !self.options.dry_run {
            match self.server.call(|client| remote::delete(client, kind, link.id)) {
                Err(error) if !is_absent(&error) && is_about_one(&error) => {
                    self.report.left.push(report::refused(report::known(item, Some(&link)), None, error.message));
                    return Ok(());
                }
                Err(error) if !is_absent(&error) => return Err(user_error(error)),
                _ => {}
            }
        }
        self.report.deleted.push(report::known(item, Some(&link)));
        self.mark_deleted(project, item, link)
    }

    /// Records that the item no longer exists on the server.
    fn mark_deleted(&mut self, project: &mut Project, item: &LocalItem, link: Link) -> Result<(), Error> {
        let gone = Link { gone: true, ..link };
        self.record(project, item.id(), set(FIELD, gone.to_value()))
    }

    /// Detaches the tasks that still exist here from a story before it is deleted on the server, so that they are kept.
    /// Returns `false` if the server refuses, which is reported.
    fn detach(
        &mut self,
        tasks: &[RemoteItem],
        item: &LocalItem,
        link: &Link,
        here: &[LocalItem],
    ) -> Result<bool, Error> {
        let is_here = |task: &&RemoteItem| here.iter().any(|own| self.is_living_task(own, task.id()));
        let living: Vec<&RemoteItem> = tasks.iter().filter(is_here).collect();
        for task in living {
            let alone = Fields { user_story: Change::Clear, ..Fields::default() };
            let detach = |client: &taiga::Client| requests::patch(client, task, &alone);
            match self.server.call(detach) {
                Ok(_) => {}
                Err(error) if is_absent(&error) => {}
                Err(error) if is_about_one(&error) => {
                    self.report.left.push(report::refused(report::known(item, Some(link)), None, error.message));
                    return Ok(false);
                }
                Err(error) => return Err(user_error(error)),
            }
        }
        Ok(true)
    }

    fn is_living_task(&self, own: &LocalItem, id: u64) -> bool {
        let is_it = own.link_to(&self.mapping().remote_ref).is_some_and(|link| link.id == id);
        own.kind == Kind::Task && is_it && !own.row.item.deleted
    }

    /// Returns the tasks of a story that were not deleted here.
    fn tasks_that_would_go(&self, item: &LocalItem, link: &Link, here: &[LocalItem]) -> Result<Vec<RemoteItem>, Error> {
        if item.kind != Kind::Story {
            return Ok(Vec::new());
        }
        let remote_ref = &self.mapping().remote_ref;
        let mut tasks =
            self.server.call(|client| remote::tasks_of(client, remote_ref.project, link.id)).map_err(user_error)?;
        let is_deleted = |id: u64| {
            let is_it =
                |own: &&LocalItem| own.kind == Kind::Task && own.link_to(remote_ref).is_some_and(|link| link.id == id);
            here.iter().find(is_it).is_some_and(|own| own.row.item.deleted)
        };
        tasks.retain(|task| !is_deleted(task.id()));
        Ok(tasks)
    }
}
