//! Deletes items there that were deleted here, if nobody there has touched them since.

use super::super::here::Here;
use super::super::kind::Kind;
use super::super::line::{is_about_one, is_absent, trouble};
use super::super::link::{FIELD, Link};
use super::super::{remote, report};
use super::Push;
use crate::error::Error;
use crate::project::{Project, set};

impl Push<'_> {
    pub(super) fn delete(&mut self, project: &mut Project, item: &Here, here: &[Here]) -> Result<(), Error> {
        let Some(link) = item.link_to(&self.terms().far).cloned() else { return Ok(()) };
        let read = match self.line.ask(|client| remote::get(client, item.kind, link.id)) {
            Ok(read) => read,
            Err(error) if is_absent(&error) => return self.bury(project, item, link),
            Err(error) if is_about_one(&error) => {
                self.report.left.push(report::left(report::known(item, Some(&link)), None, error.message));
                return Ok(());
            }
            Err(error) => return Err(trouble(error)),
        };
        if read.core().project.0 != self.terms().far.project {
            let why = "it is in another project there now";
            self.report.left.push(report::left(report::known(item, Some(&link)), None, why));
            return Ok(());
        }
        let there = self.terms().of_remote(&read, item.row.item.parent);
        let is_untouched = match link.version {
            // Made by a push and not pulled since: until someone touches it, it is in the first version.
            0 => read.core().version <= 1,
            known => known == read.core().version && link.base.matches(&there),
        };
        if !is_untouched && !self.taken.contains(&item.id()) {
            self.report.conflicts.push(report::clash(item, &link, "deleted here, changed there"));
            return Ok(());
        }
        let n_tasks = self.tasks_that_would_go(item, &link, here)?;
        if n_tasks > 0 {
            let why = format!("deleted here, but {n_tasks} tasks that are still here would be deleted with it there");
            self.report.conflicts.push(report::clash(item, &link, &why));
            return Ok(());
        }
        if !self.options.dry_run {
            match self.line.ask(|client| remote::delete(client, item.kind, link.id)) {
                Err(error) if !is_absent(&error) && is_about_one(&error) => {
                    self.report.left.push(report::left(report::known(item, Some(&link)), None, error.message));
                    return Ok(());
                }
                Err(error) if !is_absent(&error) => return Err(trouble(error)),
                _ => {}
            }
        }
        self.report.deleted.push(report::known(item, Some(&link)));
        self.bury(project, item, link)
    }

    /// Writes down that the other side has it no longer.
    fn bury(&mut self, project: &mut Project, item: &Here, link: Link) -> Result<(), Error> {
        let gone = Link { gone: true, ..link };
        self.record(project, item.id(), set(FIELD, gone.to_value()))
    }

    /// Counts the tasks of a story that nobody wants deleted.
    fn tasks_that_would_go(&self, item: &Here, link: &Link, here: &[Here]) -> Result<usize, Error> {
        if item.kind != Kind::Story {
            return Ok(0);
        }
        let far = &self.terms().far;
        let tasks = self.line.ask(|client| remote::tasks_of(client, far.project, link.id)).map_err(trouble)?;
        let is_deleted = |id: u64| {
            let own =
                here.iter().find(|own| own.kind == Kind::Task && own.link_to(far).is_some_and(|link| link.id == id));
            own.is_some_and(|own| own.row.item.deleted)
        };
        Ok(tasks.iter().filter(|task| !is_deleted(task.core.id.0)).count())
    }
}
