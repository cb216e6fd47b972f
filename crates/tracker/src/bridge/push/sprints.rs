//! Sends sprints: milestones with a start and a due date are created in Taiga, and their changes are sent. A sprint has
//! no version, so it is read just before it is changed.

use app::Error;
use app::Project;
use app::plan::set;
use jiff::civil::Date;
use taiga::dto::{Milestone, MilestoneDraft, MilestoneId, MilestonePatch, ProjectId};

use super::super::compare::{self, BridgeSide, Verdict};
use super::super::field_set::{AgreedFingerprints, FieldSet, Key};
use super::super::kind::BridgedKind;
use super::super::link::{FIELD, Link};
use super::super::local_item::LocalItem;
use super::super::mapping::BridgeMapping;
use super::super::report;
use super::super::retrying_client::{is_about_one, is_absent, user_error};
use super::Push;

/// Returns whether a milestone can be a sprint.
pub(super) fn can_be_sprint(item: &LocalItem) -> bool {
    let milestone = &item.row.item;
    item.kind == BridgedKind::Sprint && !milestone.deleted && milestone.started.is_some() && milestone.due.is_some()
}

impl Push<'_> {
    /// Creates, updates or deletes a sprint.
    pub(super) fn sprint(&mut self, project: &mut Project, item: &mut LocalItem) -> Result<(), Error> {
        let link = item.link_to(&self.mapping().remote_ref).cloned();
        match link {
            None if self.coming.contains(&item.id()) => self.create_sprint(project, item),
            Some(link) if item.row.item.deleted => self.delete_sprint(project, item, &link),
            Some(link) => self.update_sprint(project, item, &link),
            None => Ok(()),
        }
    }

    fn create_sprint(&mut self, project: &mut Project, item: &mut LocalItem) -> Result<(), Error> {
        let local = item.shape(self.mapping());
        let (Some(start), Some(finish)) = (day(&local, &Key::Start), day(&local, &Key::Due)) else { return Ok(()) };
        self.report.created.push(report::step(report::known(item, None), &[], 0));
        if self.options.dry_run {
            return Ok(());
        }
        let name = text(&local);
        let remote_ref = self.mapping().remote_ref.clone();
        let draft = MilestoneDraft {
            project: ProjectId(remote_ref.project),
            name: name.clone(),
            estimated_start: start,
            estimated_finish: finish,
        };
        let made = match self.server.call(|client| client.create_milestone(&draft)) {
            Ok(made) => made,
            Err(error) if is_about_one(&error) => {
                // The response to an earlier request was lost, or someone created it first: sprint names are unique.
                let Some(there) = self.sprint_called(&name)? else {
                    self.report.created.pop();
                    self.report.left.push(report::refused(report::known(item, None), None, error.message));
                    return Ok(());
                };
                there
            }
            Err(error) => return Err(user_error(error)),
        };
        // Dates set by someone else are left for the next pull to compare. A new sprint is open.
        let mut base = AgreedFingerprints::of(&BridgeMapping::of_sprint(&made));
        base.agree(&Key::Status, &made.closed.into(), &made.closed.into());
        let link = Link {
            remote_ref,
            kind: BridgedKind::Sprint,
            id: made.id.0,
            reference: None,
            version: 0,
            base,
            gone: false,
        };
        self.bridge.mapping.ids.add(item.id(), BridgedKind::Sprint, made.id.0);
        self.record_link(project, item, link.clone())?;
        self.flush(project)?;
        self.update_sprint(project, item, &link)
    }

    fn sprint_called(&self, name: &str) -> Result<Option<Milestone>, Error> {
        let remote_ref = &self.mapping().remote_ref;
        let sprints =
            self.server.call(|client| client.milestones(ProjectId(remote_ref.project))).map_err(user_error)?;
        let is_it = |sprint: &Milestone| {
            sprint.name == name && self.mapping().ids.local(BridgedKind::Sprint, sprint.id.0).is_none()
        };
        Ok(sprints.into_iter().find(is_it))
    }

    fn update_sprint(&mut self, project: &mut Project, item: &mut LocalItem, link: &Link) -> Result<(), Error> {
        let local = item.shape(self.mapping());
        if link.base.matches_here(&local) {
            return Ok(());
        }
        let id = MilestoneId(link.id);
        let read = match self.server.call(|client| client.milestone(id)) {
            Ok(read) => read,
            Err(error) if is_absent(&error) && self.taken.contains(&item.id()) => {
                self.record_link(project, item, Link { gone: true, ..link.clone() })?;
                self.coming.insert(item.id());
                return self.create_sprint(project, item);
            }
            Err(error) if is_absent(&error) => {
                self.report.conflicts.push(report::clash(item, link, "deleted there, changed here"));
                return Ok(());
            }
            Err(error) if is_about_one(&error) => {
                self.report.left.push(report::refused(report::known(item, Some(link)), None, error.message));
                return Ok(());
            }
            Err(error) => return Err(user_error(error)),
        };
        let there = BridgeMapping::of_sprint(&read);
        let mut differences = compare::compare(&link.base, &local, &there);
        if self.taken.contains(&item.id()) {
            compare::resolve_conflicts(&mut differences, BridgeSide::Local);
        }
        let shown = report::known(item, Some(link));
        let mut sent = Vec::new();
        for one in differences.iter().filter(|one| one.verdict == Verdict::Local) {
            if one.local.is_null() {
                let why = "a sprint there always has a first and a last day";
                self.report.left.push(report::left(shown.clone(), Some(&one.key), why));
            } else {
                sent.push(one.key.clone());
            }
        }
        let conflict = report::conflict(self.mapping(), project.index(), item, link, &differences)?;
        self.report.conflicts.extend(conflict);
        if !sent.is_empty() && !self.options.dry_run {
            let patch = patch(&local, &sent);
            match self.server.call(|client| client.patch_milestone(id, &patch)) {
                Ok(_) => {}
                Err(error) if is_about_one(&error) => {
                    self.report.left.push(report::refused(shown, None, error.message));
                    return Ok(());
                }
                Err(error) => return Err(user_error(error)),
            }
        }
        self.report_sprint(item, shown, &sent);
        if self.options.dry_run {
            return Ok(());
        }
        let base = compare::base_after_push(&link.base, &there, &local, &sent);
        self.record_link(project, item, Link { base, ..link.clone() })
    }

    /// Reports a change, unless this run created the sprint.
    fn report_sprint(&mut self, item: &LocalItem, shown: crate::view::BridgeItemView, sent: &[Key]) {
        if !sent.is_empty() && !self.coming.contains(&item.id()) {
            self.report.changed.push(report::step(shown, sent, 0));
        }
    }

    fn delete_sprint(&mut self, project: &mut Project, item: &LocalItem, link: &Link) -> Result<(), Error> {
        let id = MilestoneId(link.id);
        let shown = report::known(item, Some(link));
        match self.server.call(|client| client.milestone(id)) {
            Ok(read)
                if !link.base.matches_there(&BridgeMapping::of_sprint(&read)) && !self.taken.contains(&item.id()) =>
            {
                self.report.conflicts.push(report::clash(item, link, "deleted here, changed there"));
                return Ok(());
            }
            Ok(_) if self.options.dry_run => self.report.deleted.push(shown),
            Ok(_) => match self.server.call(|client| client.delete_milestone(id)) {
                Ok(()) => self.report.deleted.push(shown),
                Err(error) if is_absent(&error) => self.report.deleted.push(shown),
                Err(error) if is_about_one(&error) => {
                    self.report.left.push(report::refused(shown, None, error.message));
                    return Ok(());
                }
                Err(error) => return Err(user_error(error)),
            },
            Err(error) if is_absent(&error) => {}
            Err(error) if is_about_one(&error) => {
                self.report.left.push(report::refused(shown, None, error.message));
                return Ok(());
            }
            Err(error) => return Err(user_error(error)),
        }
        let gone = Link { gone: true, ..link.clone() };
        self.record(project, item.id(), set(FIELD, gone.to_value()))
    }
}

fn patch(local: &FieldSet, sent: &[Key]) -> MilestonePatch {
    let is_sent = |key: &Key| sent.contains(key);
    MilestonePatch {
        name: is_sent(&Key::Subject).then(|| text(local)),
        estimated_start: day(local, &Key::Start).filter(|_| is_sent(&Key::Start)),
        estimated_finish: day(local, &Key::Due).filter(|_| is_sent(&Key::Due)),
        closed: local.get(&Key::Status).as_bool().filter(|_| is_sent(&Key::Status)),
    }
}

fn text(local: &FieldSet) -> String {
    local.get(&Key::Subject).as_str().unwrap_or_default().to_owned()
}

fn day(local: &FieldSet, key: &Key) -> Option<Date> {
    local.get(key).as_str()?.parse().ok()
}
