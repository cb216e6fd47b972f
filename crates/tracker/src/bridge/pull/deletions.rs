//! Imports deletions. An item missing from a list is deleted only if the server confirms it: a list also omits items
//! that the user may not view.

use std::collections::BTreeSet;

use app::Error;
use app::Project;
use app::plan::set;
use model::op::Change;
use store::{Step, WritePlan};
use taiga::{AuthProblem, ErrorKind};

use super::super::kind::BridgedKind;
use super::super::link::{FIELD, Link};
use super::super::local_item::LocalItem;
use super::super::remote;
use super::super::retrying_client::user_error;
use super::super::{BridgeProgress, report};
use super::{BATCH, Pull};
use crate::mapping::item::RemoteItem;
use crate::view::BridgeView;

/// The state of an item that its list lacks.
enum UnlistedState {
    Deleted,
    Elsewhere,
    Hidden,
    /// It exists: it was created or moved in the list while that was being read.
    There,
}

impl Pull<'_> {
    pub(super) fn follow_deletions(
        &mut self,
        project: &mut Project,
        here: &[LocalItem],
        rows: &[RemoteItem],
        progress: &mut dyn FnMut(BridgeProgress),
    ) -> Result<(), Error> {
        let remote_ref = self.mapping().remote_ref.clone();
        let listed: BTreeSet<(BridgedKind, u64)> = rows.iter().map(|row| (row.kind().into(), row.id())).collect();
        let is_missing = |item: &LocalItem| {
            // Items of hidden kinds are in no list, so their absence means nothing.
            let link = item.link_to(&remote_ref).filter(|_| !self.hidden.contains(&item.kind))?;
            let is_listed = match item.kind {
                BridgedKind::Sprint => self.sprints.contains(&link.id),
                kind @ BridgedKind::Work(_) => listed.contains(&(kind, link.id)),
            };
            (!is_listed).then(|| link.clone())
        };
        let missing: Vec<(&LocalItem, Link)> = here.iter().filter_map(|item| Some((item, is_missing(item)?))).collect();
        // In batches, so that an interrupted run keeps its progress.
        for (n, batch) in missing.chunks(BATCH).enumerate() {
            progress(BridgeProgress { stage: "looking for deleted items", done: n * BATCH, total: missing.len() });
            let ask = |client: &taiga::Client, (item, link): &(&LocalItem, Link)| match remote::project_of(
                client, item.kind, link.id,
            ) {
                Ok(project) if project != remote_ref.project => Ok(UnlistedState::Elsewhere),
                Ok(_) => Ok(UnlistedState::There),
                Err(error) if error.kind == ErrorKind::NotFound => Ok(UnlistedState::Deleted),
                Err(error) if error.kind == ErrorKind::Auth(AuthProblem::Forbidden) => Ok(UnlistedState::Hidden),
                Err(error) => Err(error),
            };
            let fates = self.server.call_all(batch, ask).map_err(user_error)?;
            self.mark_deleted(project, batch, &fates)?;
        }
        Ok(())
    }

    fn mark_deleted(
        &mut self,
        project: &mut Project,
        batch: &[(&LocalItem, Link)],
        fates: &[UnlistedState],
    ) -> Result<(), Error> {
        let mut steps = Vec::new();
        for ((item, link), fate) in batch.iter().zip(fates) {
            let shown = report::known(item, Some(link));
            match fate {
                UnlistedState::There => {}
                UnlistedState::Elsewhere => {
                    self.report.left.push(report::left(shown, None, "it is in another project there now"));
                }
                UnlistedState::Hidden => {
                    self.report.left.push(report::left(shown, None, "the server does not show it any more"));
                }
                UnlistedState::Deleted => steps.extend(self.mark_one_deleted(item, link)),
            }
        }
        if self.options.dry_run || steps.is_empty() {
            return Ok(());
        }
        let subject = format!("taiga: follow deletions in `{}`", self.report.project.slug);
        project.commit(|_| Ok((WritePlan { subject: subject.clone(), steps: steps.clone() }, ())))
    }

    fn mark_one_deleted(&mut self, item: &LocalItem, link: &Link) -> Vec<Step> {
        let is_taken = self.taken.contains(&item.id());
        let is_touched = !link.base.matches_here(&item.shape(self.mapping())) || item.has_unsent_comments();
        let report: &mut BridgeView = &mut self.report;
        if !item.row.item.deleted && is_touched && !is_taken {
            report.conflicts.push(report::clash(item, link, "deleted there, changed here"));
            return Vec::new();
        }
        let gone = Link { gone: true, ..link.clone() };
        let mut steps = vec![Step::own(item.id(), set(FIELD, gone.to_value()))];
        if !item.row.item.deleted {
            report.deleted.push(report::known(item, Some(link)));
            steps.push(Step::own(item.id(), Change::Delete));
        }
        steps
    }
}
