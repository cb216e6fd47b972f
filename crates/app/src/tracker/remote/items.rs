//! Lists, finds, makes, changes and deletes work on a server.

use serde_json::json;
use taiga::ItemFilter;
use taiga::dto::{self, Blocked, Core, ItemId, Project, Tag};

use super::errors::{about, failure};
use super::kinds::Work;
use super::{Remote, item_id, known_id, lookups};
use crate::tracker::Answer;
use crate::tracker::change::{Blocking, Change, Choice, Draft, Match, Query};
use crate::tracker::entry::{Entry, Id, Kind, Page, Window};
use crate::tracker::failure::{Category, Failure};
use crate::tracker::priority::Priority;

impl Remote {
    pub(super) fn list_of<W: Work>(&self, query: &Query, window: Window) -> Answer<Page<Entry>> {
        if let Some(id) = query.parent {
            self.check_above::<W>(id)?;
        }
        if let Choice::Set(sprint) = query.sprint {
            self.find_sprint(sprint)?;
        }
        let (project, filter) =
            self.look_up(|project| W::filter(core_filter(project, W::OURS, query)?, query, project))?;
        lookups::check_view(&project, W::OURS)?;
        let wants_all_tags = query.matching == Match::All && query.tags.len() > 1;
        let (rows, total): (Vec<W>, u64) = if wants_all_tags || is_beyond_epics(W::OURS, query) {
            // A server knows only "any of these tags", and of epics only "of this one": the rest is done here, on all of them.
            let mut rows: Vec<W> = self.client.list_all(project.summary.id, &filter).map_err(failure)?;
            rows.retain(|row| !wants_all_tags || query.tags.iter().all(|tag| has_tag(row.core(), tag)));
            rows.retain(|row| !is_beyond_epics(W::OURS, query) || is_assigned_to(row.core(), &query.assignees));
            let page = Page::cut(rows, window);
            (page.items, page.total)
        } else {
            let page = self.client.list(project.summary.id, &filter, lookups::window(window)?).map_err(failure)?;
            (page.items, page.total)
        };
        if total == 0 {
            // A list hides what one may not see, and everything from who left the project: nothing is believed only when the
            // project itself says so.
            lookups::check_view(&*self.account.read(&self.client, project.summary.id)?, W::OURS)?;
        }
        let items: Answer<Vec<Entry>> = rows.iter().map(|row| self.entry(row, &project)).collect();
        let mut items = items?;
        for entry in &mut items {
            entry.description = None;
        }
        Ok(Page { items, total })
    }

    pub(super) fn find_one<W: Work>(&self, id: Id) -> Answer<Entry> {
        let project = self.active()?;
        self.entry(&self.fetch::<W>(id)?, &project)
    }

    pub(super) fn create_one<W: Work>(&self, draft: &Draft) -> Answer<Entry> {
        if let Some(id) = draft.parent {
            self.check_above::<W>(id)?;
        }
        if let Choice::Set(sprint) = draft.planning.sprint {
            self.find_sprint(sprint)?;
        }
        let (project, new) = self.look_up(|project| W::draft(core_draft(project, W::OURS, draft)?, draft, project))?;
        let made: W =
            self.client.create(&new).map_err(|error| unanswered_create(error, "its subject", search_tool(W::OURS)))?;
        let shown = self.entry(&made, &project)?;
        match draft.parent {
            Some(epic) if W::OURS == Kind::Story => {
                let id = made.core().id;
                self.client.link_story(item_id(epic), id).map_err(|error| half_made(id, failure(error)))?;
                Ok(self.read_again::<W>(Entry { parent: Some(epic), ..shown }))
            }
            _ => Ok(shown),
        }
    }

    pub(super) fn update_one<W: Work>(&self, id: Id, change: &Change) -> Answer<Entry> {
        let base: W = self.fetch(id)?;
        check_version(base.core(), change.version)?;
        if let Choice::Set(sprint) = change.planning.sprint {
            self.find_sprint(sprint)?;
        }
        if let Choice::Set(epic) = change.epic {
            self.check_above::<W>(epic)?;
        }
        let (project, patch) = self.look_up(|project| {
            let core = core_patch(project, W::OURS, base.core(), change)?;
            base.patch(core, change, project)
        })?;
        let has_changes = json!(patch).as_object().is_some_and(|fields| !fields.is_empty());
        let mut now = base;
        if has_changes {
            let patched = self.client.patch_from(&now, &patch);
            now = patched.map_err(|error| unanswered_change(error, W::OURS.title()))?;
        }
        let moved = self.move_story(now.core().id, &now.own(&project).epics, change.epic);
        let shown = self.entry(&now, &project)?;
        match moved {
            Ok(Choice::Keep) => Ok(shown),
            Ok(Choice::Clear) => Ok(self.read_again::<W>(Entry { parent: None, ..shown })),
            Ok(Choice::Set(epic)) => Ok(self.read_again::<W>(Entry { parent: Some(epic), ..shown })),
            Err(failure) if has_changes => Err(half_changed(failure)),
            Err(failure) => Err(failure),
        }
    }

    /// Reads what was just written. If that fails, what is known of it is the answer: an error would have it written twice.
    fn read_again<W: Work>(&self, known: Entry) -> Entry {
        self.find_one::<W>(known.id).unwrap_or(known)
    }

    pub(super) fn delete_one<W: Work>(&self, id: Id) -> Answer<()> {
        // Only what belongs to the active project: ids are the same for all of them.
        self.fetch::<W>(id)?;
        self.client.delete::<W>(item_id(id)).map_err(|error| unanswered_change(error, W::OURS.title()))
    }

    /// Reads something of the active project.
    pub(super) fn fetch<W: Work>(&self, id: Id) -> Answer<W> {
        let project = self.active()?;
        let found: W = self.client.get(item_id(id)).map_err(|error| about(error, W::OURS.title()))?;
        let is_ours = found.core().project == project.summary.id;
        is_ours.then_some(found).ok_or_else(|| Failure::not_found(W::OURS.title()))
    }

    /// Checks that what work is to be a part of is there, in the active project.
    fn check_above<W: Work>(&self, id: Id) -> Answer<()> {
        let found = match W::OURS {
            Kind::Story => self.fetch::<dto::Epic>(id).map(|_| ()),
            _ => self.fetch::<dto::Story>(id).map(|_| ()),
        };
        found.map_err(|failure| match failure.category {
            Category::NotFound => Failure::no_parent(W::OURS, id),
            _ => failure,
        })
    }

    /// Leaves a story in one epic alone, or in none; returns what was left to do.
    fn move_story(&self, story: ItemId, from: &[Id], choice: Choice<Id>) -> Answer<Choice<Id>> {
        let to = match choice {
            Choice::Keep => return Ok(Choice::Keep),
            Choice::Clear => None,
            Choice::Set(epic) => Some(epic),
        };
        // First in, then out: half of it leaves the story in too many, which can be seen and mended.
        let new = to.filter(|epic| !from.contains(epic));
        if let Some(epic) = new {
            self.client.link_story(item_id(epic), story).map_err(failure)?;
        }
        let old: Vec<Id> = from.iter().copied().filter(|epic| Some(*epic) != to).collect();
        for epic in &old {
            self.client.unlink_story(item_id(*epic), story).map_err(failure)?;
        }
        let is_moved = new.is_some() || !old.is_empty();
        Ok(if is_moved { choice } else { Choice::Keep })
    }
}

/// Says that something may have been created although no answer came: creating it again could make it twice.
pub(super) fn unanswered_create(error: taiga::Error, what: &str, tool: &str) -> Failure {
    let may_be_done = may_be_done(&error);
    let failure = failure(error);
    if !may_be_done {
        return failure;
    }
    let hint = format!("it may have been created: look for {what} with {tool} before you create it again");
    Failure { hint: Some(hint), ..failure }
}

fn search_tool(kind: Kind) -> &'static str {
    match kind {
        Kind::Epic => "search_epics",
        Kind::Story => "search_user_stories",
        Kind::Task => "search_tasks",
        Kind::Issue => "search_issues",
    }
}

/// Says that something may have been changed or deleted although no answer came.
pub(super) fn unanswered_change(error: taiga::Error, what: &str) -> Failure {
    let may_be_done = may_be_done(&error);
    let failure = about(error, what);
    if !may_be_done {
        return failure;
    }
    let hint = "it may have been done: read it again before you repeat it";
    Failure { hint: Some(hint.to_owned()), ..failure }
}

// What stands before a server can give up while that goes on.
fn may_be_done(error: &taiga::Error) -> bool {
    error.may_be_done || matches!(error.status, Some(502 | 504))
}

fn half_made(id: ItemId, failure: Failure) -> Failure {
    let mut details = failure.details;
    details.push(("id".to_owned(), format!("{id} was created, but is not in the epic; update it with epicId")));
    Failure { details, ..failure }
}

fn half_changed(failure: Failure) -> Failure {
    let mut details = failure.details;
    details.push(("epicId".to_owned(), "not changed as asked; all other changes were made".to_owned()));
    Failure { details, ..failure }
}

/// Refuses to change what changed since who asks has read it.
fn check_version(core: &Core, read: Option<u64>) -> Answer<()> {
    match read {
        Some(read) if read < core.version => Err(Failure::conflict(format!(
            "It is in version {} now, and was read in version {read}; nothing was written. Read it again, then decide.",
            core.version
        ))),
        Some(read) if read > core.version => {
            Err(Failure::fields(vec![("version".to_owned(), format!("Must not be above {}", core.version))]))
        }
        _ => Ok(()),
    }
}

fn core_filter(project: &Project, kind: Kind, query: &Query) -> Answer<ItemFilter> {
    let status = |id: &Id| lookups::status(project, kind, "statusIds", *id);
    let member = |id: &Id| lookups::member(project, "assigneeIds", *id).map(Some);
    let mut assigned_to = query.assignees.iter().map(member).collect::<Answer<Vec<_>>>()?;
    if query.unassigned {
        assigned_to.push(None);
    }
    if is_beyond_epics(kind, query) {
        assigned_to.clear();
    }
    Ok(ItemFilter {
        statuses: query.statuses.iter().map(status).collect::<Answer<_>>()?,
        assigned_to,
        tags: query.tags.clone(),
        words: query.words.clone(),
        modified_since: query.modified_since,
        ..ItemFilter::default()
    })
}

/// Tells whether epics of several people are wanted, which a server cannot list.
fn is_beyond_epics(kind: Kind, query: &Query) -> bool {
    kind == Kind::Epic && query.assignees.len() > 1
}

fn is_assigned_to(core: &Core, people: &[Id]) -> bool {
    core.assigned_to.is_some_and(|user| people.iter().any(|id| id.get() == user.0))
}

fn core_draft(project: &Project, kind: Kind, draft: &Draft) -> Answer<dto::Draft> {
    let assignee = draft.assignee.map(|id| lookups::member(project, "assignedToId", id)).transpose()?;
    let tagged = draft.priority.filter(|_| keeps_priority_as_tag(kind));
    Ok(dto::Draft {
        description: draft.description.clone(),
        assigned_to: assignee,
        tags: draft.tags.iter().cloned().chain(tagged.map(Priority::tag)).map(Tag::new).collect(),
        ..dto::Draft::new(project.summary.id, draft.subject.clone())
    })
}

fn core_patch(project: &Project, kind: Kind, base: &Core, change: &Change) -> Answer<dto::Patch> {
    let status = change.status.map(|id| lookups::status(project, kind, "statusId", id)).transpose()?;
    let assigned_to = match change.assignee {
        Choice::Keep => dto::Change::Keep,
        Choice::Clear => dto::Change::Clear,
        Choice::Set(id) => dto::Change::Set(lookups::member(project, "assignedToId", id)?),
    };
    Ok(dto::Patch {
        subject: change.subject.clone(),
        description: change.description.clone(),
        status,
        assigned_to,
        tags: new_tags(kind, base, change),
        blocked: change.blocking.as_ref().and_then(|wanted| new_blocked(base, wanted)),
        comment: None,
    })
}

/// Returns all tags there will be, when they change: those that were given, and the one that stands for a priority.
fn new_tags(kind: Kind, base: &Core, change: &Change) -> Option<Vec<Tag>> {
    if !keeps_priority_as_tag(kind) {
        return change.tags.as_ref().map(|tags| tags.iter().cloned().map(Tag::new).collect());
    }
    if change.tags.is_none() && change.priority.is_none() {
        return None;
    }
    let (plain, priority) = split_tags(&base.tags);
    let tags = change.tags.clone().unwrap_or(plain);
    let priority = change.priority.or(priority);
    Some(tags.into_iter().chain(priority.map(Priority::tag)).map(Tag::new).collect())
}

fn new_blocked(base: &Core, wanted: &Blocking) -> Option<Blocked> {
    match (wanted.is_blocked, &wanted.reason) {
        (false, _) => Some(Blocked::No),
        (true, Some(reason)) => Some(Blocked::Yes { reason: reason.clone() }),
        (true, None) if base.is_blocked => None,
        (true, None) => Some(Blocked::Yes { reason: String::new() }),
    }
}

impl Remote {
    /// Shows a piece of work, with the address of its page.
    fn entry<W: Work>(&self, work: &W, project: &Project) -> Answer<Entry> {
        let mut entry = entry(work, project)?;
        let page = match W::OURS {
            Kind::Epic => "epic",
            Kind::Story => "us",
            Kind::Task => "task",
            Kind::Issue => "issue",
        };
        let path = format!("/project/{}/{page}/{}", project.summary.slug, entry.number);
        entry.planned.url = Some(self.account.server().page(&path));
        Ok(entry)
    }
}

/// Shows a piece of work.
fn entry<W: Work>(work: &W, project: &Project) -> Answer<Entry> {
    let (core, own) = (work.core(), work.own(project));
    let (mut tags, mut priority) = (core.tags.iter().map(|tag| tag.name.clone()).collect(), own.priority);
    if keeps_priority_as_tag(W::OURS) {
        (tags, priority) = split_tags(&core.tags);
    }
    let shown = core.status_extra_info.as_ref();
    Ok(Entry {
        id: known_id(core.id.0)?,
        number: core.reference.unwrap_or(core.id.0),
        kind: W::OURS,
        project: known_id(core.project.0)?,
        subject: core.subject.clone(),
        description: Some(core.description.clone().unwrap_or_default()),
        status: core.status.map(|status| known_id(status.0)).transpose()?,
        status_name: shown.map(|status| status.name.clone()).unwrap_or_default(),
        is_closed: shown.map_or(core.is_closed, |status| status.is_closed),
        assignee: core.assigned_to.map(|user| known_id(user.0)).transpose()?,
        tags,
        priority,
        blocking: Blocking {
            is_blocked: core.is_blocked,
            reason: Some(core.blocked_note.clone()).filter(|note| core.is_blocked && !note.is_empty()),
        },
        parent: own.parent,
        colour: own.colour,
        severity: own.severity,
        type_: own.type_,
        planned: own.planned,
        version: Some(core.version),
        created: core.created_date,
        modified: core.modified_date,
    })
}

fn keeps_priority_as_tag(kind: Kind) -> bool {
    matches!(kind, Kind::Story | Kind::Task)
}

/// Parts the tags that people see from the one that stands for a priority.
fn split_tags(tags: &[Tag]) -> (Vec<String>, Option<Priority>) {
    let priority = Priority::of_tags(tags.iter().map(|tag| tag.name.as_str()));
    let plain = tags.iter().filter(|tag| !Priority::is_tag(&tag.name)).map(|tag| tag.name.clone());
    (plain.collect(), priority)
}

fn has_tag(core: &Core, wanted: &str) -> bool {
    core.tags.iter().any(|tag| tag.name == wanted.to_lowercase())
}
