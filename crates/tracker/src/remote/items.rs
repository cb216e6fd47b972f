//! Lists, finds, creates, changes and deletes work items on a server.

use model::patch::Patch;
use taiga::dto::{self, Core, ItemId, Project};

use super::errors::about;
use super::{Remote, entry, fields, item_id, lookups};
use crate::Kind;
use crate::TrackerResult;
use crate::change::{Draft, EntryChange, EntryQuery, TagMatch};
use crate::entry::{Entry, EntryPage, Id, Window};
use crate::failure::{Conflict, Failure, NewObject, Problem, SideEffect, Subject};
use crate::mapping::item::RemoteItem;
use crate::mapping::requests;

impl Remote {
    pub(super) fn list_of(&self, kind: Kind, query: &EntryQuery, window: Window) -> TrackerResult<EntryPage<Entry>> {
        if let Some(id) = query.parent {
            self.check_above(kind, id)?;
        }
        if let Patch::Set(sprint) = query.sprint {
            self.check_sprint(sprint)?;
        }
        let (project, filter) = self.look_up(|project| fields::filter(project, kind, query))?;
        lookups::check_view(&project, kind)?;
        let (id, theirs) = (project.summary.id, kind);
        let wants_all_tags = query.matching == TagMatch::All && query.tags.len() > 1;
        let is_beyond_epics = fields::is_beyond_epics(kind, query);
        let (rows, total) = if wants_all_tags || is_beyond_epics {
            // Taiga can only filter by "any of these tags" and by one assignee of epics; otherwise all items are read
            // and filtered here.
            let mut rows = requests::list_all(&self.client, theirs, id, &filter)?;
            rows.retain(|row| !wants_all_tags || query.tags.iter().all(|tag| has_tag(row.core(), tag)));
            rows.retain(|row| !is_beyond_epics || is_assigned_to(row.core(), &query.assignees));
            let page = EntryPage::cut(rows, window);
            (page.items, page.total)
        } else {
            requests::list(&self.client, theirs, id, &filter, lookups::window(window)?)?
        };
        if total == 0 {
            // Taiga returns an empty list to a user without permission or membership, so an empty list is trusted only
            // after checking the permission.
            lookups::check_view(&*self.account.read(&self.client, id)?, kind)?;
        }
        let mut items = rows.iter().map(|row| self.entry(row, &project)).collect::<TrackerResult<Vec<Entry>>>()?;
        for entry in &mut items {
            entry.description = None;
        }
        Ok(EntryPage { items, total })
    }

    pub(super) fn find_one(&self, kind: Kind, id: Id) -> TrackerResult<Entry> {
        let project = self.active()?;
        self.entry(&self.fetch(kind, id)?, &project)
    }

    pub(super) fn create_one(&self, kind: Kind, draft: &Draft) -> TrackerResult<Entry> {
        if let Some(id) = draft.parent {
            self.check_above(kind, id)?;
        }
        if let Patch::Set(sprint) = draft.planning.sprint {
            self.check_sprint(sprint)?;
        }
        let (project, fields) = self.look_up(|project| fields::draft(project, kind, draft))?;
        let made = requests::create(&self.client, kind, project.summary.id, &fields, None)
            .map_err(|error| unanswered_create(error, NewObject::Work(kind)))?;
        let shown = self.entry(&made, &project)?;
        match draft.parent {
            Some(epic) if kind == Kind::Story => {
                let linked = self.client.link_story(item_id(epic), made.core().id);
                let outside = |error| Failure::from(error).after(SideEffect::CreatedOutsideEpic(shown.id));
                linked.map_err(outside)?;
                Ok(self.read_again(Entry { parent: Some(epic), ..shown }))
            }
            _ => Ok(shown),
        }
    }

    pub(super) fn update_one(&self, kind: Kind, id: Id, change: &EntryChange) -> TrackerResult<Entry> {
        let base = self.fetch(kind, id)?;
        check_version(base.core(), change.version)?;
        if let Patch::Set(sprint) = change.planning.sprint {
            self.check_sprint(sprint)?;
        }
        if let Patch::Set(epic) = change.epic {
            self.check_above(kind, epic)?;
        }
        let (project, fields) = self.look_up(|project| fields::change(project, kind, &base, change))?;
        let has_changes = !fields.is_empty();
        let mut now = base;
        if has_changes {
            let patched = requests::patch(&self.client, &now, &fields);
            now = patched.map_err(|error| unanswered_change(error, Subject::Work(kind)))?;
        }
        let moved = self.move_story(&now, change.epic);
        let shown = self.entry(&now, &project)?;
        match moved {
            Ok(Patch::Keep) => Ok(shown),
            Ok(Patch::Clear) => Ok(self.read_again(Entry { parent: None, ..shown })),
            Ok(Patch::Set(epic)) => Ok(self.read_again(Entry { parent: Some(epic), ..shown })),
            Err(failure) if has_changes => Err(failure.after(SideEffect::ChangedExceptEpic)),
            Err(failure) => Err(failure),
        }
    }

    /// Reads the item after a write. If that fails, returns the known data: after an error the caller would write it a
    /// second time.
    fn read_again(&self, known: Entry) -> Entry {
        self.find_one(known.kind, known.id).unwrap_or(known)
    }

    pub(super) fn delete_one(&self, kind: Kind, id: Id) -> TrackerResult<()> {
        // Ids are global in Taiga, so check first that the item belongs to the active project.
        self.fetch(kind, id)?;
        let deleted = requests::delete(&self.client, kind, item_id(id));
        deleted.map_err(|error| unanswered_change(error, Subject::Work(kind)))
    }

    /// Reads an item of the active project.
    pub(super) fn fetch(&self, kind: Kind, id: Id) -> TrackerResult<RemoteItem> {
        let project = self.active()?;
        let found = requests::get(&self.client, kind, item_id(id));
        let found = found.map_err(|error| about(error, Subject::Work(kind)))?;
        let is_ours = found.core().project == project.summary.id;
        is_ours.then_some(found).ok_or_else(|| Failure::not_found(Subject::Work(kind)))
    }

    /// Checks that the new parent exists in the active project.
    fn check_above(&self, kind: Kind, id: Id) -> TrackerResult<()> {
        let above = if kind == Kind::Story { Kind::Epic } else { Kind::Story };
        self.fetch(above, id).map(drop).map_err(|failure| {
            if failure.is_not_found() { Problem::UnknownParent { of: kind, id }.into() } else { failure }
        })
    }

    /// Moves a story into one epic, or out of all; returns the remaining steps.
    fn move_story(&self, story: &RemoteItem, choice: Patch<Id>) -> TrackerResult<Patch<Id>> {
        let to = match choice {
            Patch::Keep => return Ok(Patch::Keep),
            Patch::Clear => None,
            Patch::Set(epic) => Some(item_id(epic)),
        };
        let (id, from) = (story.core().id, story.parents().into_iter().map(ItemId).collect::<Vec<_>>());
        // Adds before it removes: if interrupted, the story is in too many epics, which is visible and can be fixed.
        let new = to.filter(|epic| !from.contains(epic));
        if let Some(epic) = new {
            self.client.link_story(epic, id)?;
        }
        let old: Vec<ItemId> = from.into_iter().filter(|epic| Some(*epic) != to).collect();
        for epic in &old {
            self.client.unlink_story(*epic, id)?;
        }
        let is_moved = new.is_some() || !old.is_empty();
        Ok(if is_moved { choice } else { Patch::Keep })
    }

    /// Converts a work item, with the URL of its page.
    fn entry(&self, work: &RemoteItem, project: &Project) -> TrackerResult<Entry> {
        let mut entry = entry::entry(work, project)?;
        let page = match work.kind() {
            dto::Kind::Epic => "epic",
            dto::Kind::Story => "us",
            dto::Kind::Task => "task",
            dto::Kind::Issue => "issue",
        };
        let path = format!("/project/{}/{page}/{}", project.summary.slug, entry.number);
        entry.planned.url = Some(self.account.server().page(&path));
        Ok(entry)
    }
}

/// Fails if the item changed since the caller read it.
fn check_version(core: &Core, read: Option<u64>) -> TrackerResult<()> {
    match read {
        Some(read) if read < core.version => {
            Err(Problem::Conflict(Conflict::OldVersion { now: core.version, read }).into())
        }
        Some(read) if read > core.version => Err(Problem::FutureVersion { now: core.version }.into()),
        _ => Ok(()),
    }
}

/// Converts an error of a creation that may have succeeded although no response came: a retry could create a duplicate.
pub(super) fn unanswered_create(error: taiga::Error, what: NewObject) -> Failure {
    let may_be_done = may_be_done(&error);
    let failure = Failure::from(error);
    if may_be_done { failure.after(SideEffect::MaybeCreated(what)) } else { failure }
}

/// Converts an error of a change or deletion that may have succeeded although no response came.
pub(super) fn unanswered_change(error: taiga::Error, what: Subject) -> Failure {
    let may_be_done = may_be_done(&error);
    let failure = about(error, what);
    if may_be_done { failure.after(SideEffect::MaybeDone) } else { failure }
}

// 502 and 504: a proxy can give up while the server is still executing the request.
fn may_be_done(error: &taiga::Error) -> bool {
    error.may_be_done || matches!(error.status, Some(502 | 504))
}

fn is_assigned_to(core: &Core, people: &[Id]) -> bool {
    core.assigned_to.is_some_and(|user| people.iter().any(|id| id.get() == user.0))
}

fn has_tag(core: &Core, wanted: &str) -> bool {
    core.tags.iter().any(|tag| tag.name == wanted.to_lowercase())
}
