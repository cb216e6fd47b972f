//! The tracker trait with two back ends: projects with epics, stories, tasks and issues, stored in this repository
//! (`local`) or on a Taiga server (`remote`). Callers use the trait and do not depend on the back end.
//!
//! Everything is identified by integers, as in Taiga. In a repository an item's id is its number, and the ids of
//! statuses and people are derived from their names by `ids`, so that every clone has the same ones.

pub mod bridge;
mod change;
mod entry;
mod extended;
mod failure;
mod ids;
mod local;
mod mapping;
mod priority;
mod remote;
mod servers;
pub mod view;

use std::time::Duration;

pub use taiga::dto::Kind;
pub use taiga::{Error as ServerError, ErrorKind as ServerErrorKind, Secret};

pub use change::{
    Blocking, CardMove, CardTarget, Draft, EntryChange, EntryOrder, EntryQuery, PlannedChanges, TagMatch,
};
pub use entry::{Entry, EntryPage, Id, PlannedFields, ProjectCard, ProjectName, Stage, TrackerPerson, Window};
pub use extended::{Details, EntryComment, Sprint, SprintChange, SprintDraft};
pub use failure::{
    Conflict, Failure, IdPosition, ListedObjects, Neighbor, NewObject, Problem, SideEffect, Subject, auth_hint,
};
pub use local::Local;
pub use priority::Priority;
pub use remote::{Account, Memory, Remote};
pub use servers::{Binding, Instance, Proof, Servers, Setup, TokenLocation, TokenStorage};

/// The result of a tracker call.
pub type TrackerResult<T> = Result<T, Failure>;

/// Projects and their work items.
pub trait Tracker {
    /// Returns the projects that the user can access.
    fn projects(&self, window: Window) -> TrackerResult<EntryPage<ProjectCard>>;

    /// Returns a project, active or not.
    fn project(&self, which: &ProjectName) -> TrackerResult<ProjectCard>;

    /// Makes a project the active one, and returns it.
    fn activate(&self, which: &ProjectName) -> TrackerResult<ProjectCard>;

    /// Fails if no project is active. Makes no requests.
    fn check_active(&self) -> TrackerResult<()> {
        Ok(())
    }

    /// Returns a page of the active project's work items, without descriptions.
    fn list(&self, kind: Kind, query: &EntryQuery, window: Window) -> TrackerResult<EntryPage<Entry>>;

    /// Returns a work item of the active project.
    fn find(&self, kind: Kind, id: Id) -> TrackerResult<Entry>;

    /// Creates a work item in the active project and returns it.
    fn create(&self, kind: Kind, draft: &Draft) -> TrackerResult<Entry>;

    /// Changes a work item and returns it. Concurrent changes are never overwritten.
    fn update(&self, kind: Kind, id: Id, change: &EntryChange) -> TrackerResult<Entry>;

    /// Deletes a work item; a story is deleted with its tasks.
    fn delete(&self, kind: Kind, id: Id) -> TrackerResult<()>;

    /// Returns the statuses of a kind, in order.
    fn stages(&self, kind: Kind) -> TrackerResult<Vec<Stage>>;

    /// Returns the people who can be assigned.
    fn people(&self, window: Window) -> TrackerResult<EntryPage<TrackerPerson>>;

    /// Returns the sprints of the active project, newest first.
    fn sprints(&self) -> TrackerResult<Vec<Sprint>>;

    /// Creates a sprint and returns it.
    fn create_sprint(&self, draft: &SprintDraft) -> TrackerResult<Sprint>;

    /// Changes a sprint and returns it.
    fn update_sprint(&self, id: Id, change: &SprintChange) -> TrackerResult<Sprint>;

    /// Returns a page of a work item's comments, oldest first.
    fn comments(&self, kind: Kind, id: Id, window: Window) -> TrackerResult<EntryPage<EntryComment>>;

    /// Adds a comment to a work item and returns it.
    fn add_comment(&self, kind: Kind, id: Id, text: &str) -> TrackerResult<EntryComment>;

    /// Moves a card and returns it.
    fn move_card(&self, kind: Kind, id: Id, card: &CardMove) -> TrackerResult<Entry>;

    /// Returns the custom fields and attachments of a work item.
    fn details(&self, kind: Kind, id: Id) -> TrackerResult<Details>;

    /// Returns how long this tracker has delayed requests so far because of rate limits.
    fn waited(&self) -> Option<Duration> {
        None
    }
}
