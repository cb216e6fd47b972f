//! The tracker of a Taiga server. Ids, names and permissions are the server's. This module adds what Taiga lacks or
//! ignores silently: every id is checked before a write, priorities of stories and tasks are stored as tags, and
//! concurrent changes are never overwritten.

mod account;
mod entry;
mod errors;
mod extended;
mod fields;
mod items;
mod lookup_values;
mod lookups;
mod order;

use std::sync::Arc;
use std::time::Duration;

use taiga::dto::{ItemId, Project, ProjectId};
use taiga::{Client, Meter};

use super::entry::{Entry, EntryPage, Id, ProjectCard, ProjectName, Stage, TrackerPerson, Window};
use super::failure::{Problem, Subject};
use super::{
    CardMove, Details, Draft, EntryChange, EntryComment, EntryQuery, Sprint, SprintChange, SprintDraft, Tracker,
    TrackerResult,
};
use crate::Kind;
pub use account::Account;

/// Time limit of one tool call, over all of its requests: most clients time out after a minute.
const CALL_TIMEOUT: Duration = Duration::from_secs(40);

/// Stores the active project of a server.
pub trait Memory {
    /// Returns the active project, if one was chosen.
    fn active(&self) -> TrackerResult<Option<Id>>;

    /// Makes a project the active one.
    fn remember(&self, card: &ProjectCard) -> TrackerResult<()>;
}

/// The tracker of a server, for one call.
pub struct Remote {
    account: Arc<Account>,
    memory: Box<dyn Memory>,
    client: Client,
    meter: Meter,
}

impl Remote {
    /// Creates the tracker for an account.
    pub fn new(account: Arc<Account>, memory: Box<dyn Memory>) -> Self {
        let meter = Meter::default();
        let client = account.client().metered(&meter).within(CALL_TIMEOUT);
        Self { account, memory, client, meter }
    }

    fn card(&self, project: &Project) -> TrackerResult<ProjectCard> {
        let active = self.memory.active()?;
        let summary = &project.summary;
        let id = known_id(summary.id.0)?;
        Ok(ProjectCard {
            id,
            slug: summary.slug.clone(),
            name: summary.name.clone(),
            description: summary.description.clone(),
            is_active: active == Some(id),
        })
    }

    fn fetch_project(&self, which: &ProjectName) -> TrackerResult<Project> {
        let found = match which {
            ProjectName::Id(id) => self.client.project(ProjectId(id.get())),
            ProjectName::Slug(slug) => self.client.project_by_slug(slug),
        };
        found.map_err(|error| errors::about(error, Subject::Project))
    }
}

impl Tracker for Remote {
    fn projects(&self, window: Window) -> TrackerResult<EntryPage<ProjectCard>> {
        let active = self.memory.active()?;
        let me = self.account.me(&self.client)?;
        let page = self.client.projects_of(me, lookups::window(window)?)?;
        let card = |summary: taiga::dto::ProjectSummary| {
            let id = known_id(summary.id.0)?;
            let (slug, name, description) = (summary.slug, summary.name, summary.description);
            Ok(ProjectCard { id, slug, name, description, is_active: active == Some(id) })
        };
        Ok(EntryPage { items: page.items.into_iter().map(card).collect::<TrackerResult<_>>()?, total: page.total })
    }

    fn project(&self, which: &ProjectName) -> TrackerResult<ProjectCard> {
        self.card(&self.fetch_project(which)?)
    }

    fn activate(&self, which: &ProjectName) -> TrackerResult<ProjectCard> {
        let project = self.fetch_project(which)?;
        let card = ProjectCard { is_active: true, ..self.card(&project)? };
        self.memory.remember(&card)?;
        self.account.keep(project);
        Ok(card)
    }

    fn check_active(&self) -> TrackerResult<()> {
        self.memory.active()?.map(drop).ok_or_else(|| Problem::NoActiveProject.into())
    }

    fn list(&self, kind: Kind, query: &EntryQuery, window: Window) -> TrackerResult<EntryPage<Entry>> {
        self.list_of(kind, query, window)
    }

    fn find(&self, kind: Kind, id: Id) -> TrackerResult<Entry> {
        self.find_one(kind, id)
    }

    fn create(&self, kind: Kind, draft: &Draft) -> TrackerResult<Entry> {
        self.create_one(kind, draft)
    }

    fn update(&self, kind: Kind, id: Id, change: &EntryChange) -> TrackerResult<Entry> {
        self.update_one(kind, id, change)
    }

    fn delete(&self, kind: Kind, id: Id) -> TrackerResult<()> {
        self.delete_one(kind, id)
    }

    fn stages(&self, kind: Kind) -> TrackerResult<Vec<Stage>> {
        Ok(lookups::stages(&*self.active()?, kind))
    }

    fn people(&self, window: Window) -> TrackerResult<EntryPage<TrackerPerson>> {
        Ok(EntryPage::cut(lookups::people(&*self.active()?), window))
    }

    fn sprints(&self) -> TrackerResult<Vec<Sprint>> {
        self.list_sprints()
    }

    fn create_sprint(&self, draft: &SprintDraft) -> TrackerResult<Sprint> {
        self.new_sprint(draft)
    }

    fn update_sprint(&self, id: Id, change: &SprintChange) -> TrackerResult<Sprint> {
        self.change_sprint(id, change)
    }

    fn comments(&self, kind: Kind, id: Id, window: Window) -> TrackerResult<EntryPage<EntryComment>> {
        self.comments_on(kind, id, window)
    }

    fn add_comment(&self, kind: Kind, id: Id, text: &str) -> TrackerResult<EntryComment> {
        self.comment_on(kind, id, text)
    }

    fn move_card(&self, kind: Kind, id: Id, card: &CardMove) -> TrackerResult<Entry> {
        self.move_one(kind, id, card)
    }

    fn details(&self, kind: Kind, id: Id) -> TrackerResult<Details> {
        self.details_of(kind, id)
    }

    fn waited(&self) -> Option<Duration> {
        Some(self.meter.held_back()).filter(|waited| !waited.is_zero())
    }
}

/// Validates an id from the server.
fn known_id(number: u64) -> TrackerResult<Id> {
    Id::new(number).ok_or_else(|| Problem::InvalidId.into())
}

fn item_id(id: Id) -> ItemId {
    ItemId(id.get())
}
