//! One tracker, two back ends: projects with epics, stories, tasks and issues, kept in this repository (`local`) or by a
//! Taiga (`remote`). A front door asks the trait and cannot tell which of the two answers, but for what it answers.
//!
//! Everything is named by whole numbers, as Taiga has it. Here an item's id is its number, and the ids of statuses and
//! people are made from their names by `ids`, so that every clone has the same.

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

pub use taiga::Secret;

pub use change::{Blocking, CardMove, CardTarget, Change, Draft, Match, Order, Planning, Query};
pub use entry::{Entry, Id, Kind, Page, Person, Planned, ProjectCard, ProjectName, Stage, Window};
pub use extended::{Comment, Details, Sprint, SprintChange, SprintDraft};
pub use failure::{Category, Failure};
pub use local::{Lender, Local};
pub use priority::Priority;
pub use remote::{Account, Memory, Remote};
pub use servers::{Binding, Instance, Proof, Servers, Setup};

/// What a tracker answers.
pub type Answer<T> = Result<T, Failure>;

/// Projects and the work in them.
pub trait Tracker {
    /// Returns the projects that can be worked on.
    fn projects(&self, window: Window) -> Answer<Page<ProjectCard>>;

    /// Returns one project, whether it is the active one or not.
    fn project(&self, which: &ProjectName) -> Answer<ProjectCard>;

    /// Makes a project the one that everything below is about, and returns it.
    fn activate(&self, which: &ProjectName) -> Answer<ProjectCard>;

    /// Fails when no project is active. Looks nothing up that is not here.
    fn check_active(&self) -> Answer<()> {
        Ok(())
    }

    /// Returns part of a list of the active project's work. Descriptions are left out.
    fn list(&self, kind: Kind, query: &Query, window: Window) -> Answer<Page<Entry>>;

    /// Returns one piece of work of the active project.
    fn find(&self, kind: Kind, id: Id) -> Answer<Entry>;

    /// Makes a piece of work in the active project and returns it.
    fn create(&self, kind: Kind, draft: &Draft) -> Answer<Entry>;

    /// Changes a piece of work and returns it. What someone else changed at the same time is never overwritten.
    fn update(&self, kind: Kind, id: Id, change: &Change) -> Answer<Entry>;

    /// Takes a piece of work away; the tasks of a story go with it.
    fn delete(&self, kind: Kind, id: Id) -> Answer<()>;

    /// Returns what a kind of work goes through, in order.
    fn stages(&self, kind: Kind) -> Answer<Vec<Stage>>;

    /// Returns who can be assigned.
    fn people(&self, window: Window) -> Answer<Page<Person>>;

    /// Returns the sprints of the active project, newest first.
    fn sprints(&self) -> Answer<Vec<Sprint>>;

    /// Makes a sprint and returns it.
    fn create_sprint(&self, draft: &SprintDraft) -> Answer<Sprint>;

    /// Changes a sprint and returns it.
    fn update_sprint(&self, id: Id, change: &SprintChange) -> Answer<Sprint>;

    /// Returns part of the comments on a piece of work, oldest first.
    fn comments(&self, kind: Kind, id: Id, window: Window) -> Answer<Page<Comment>>;

    /// Adds a comment to a piece of work and returns it.
    fn add_comment(&self, kind: Kind, id: Id, text: &str) -> Answer<Comment>;

    /// Moves a card and returns it.
    fn move_card(&self, kind: Kind, id: Id, card: &CardMove) -> Answer<Entry>;

    /// Returns what belongs to a piece of work and is kept apart from it.
    fn details(&self, kind: Kind, id: Id) -> Answer<Details>;

    /// Returns how long this tracker had to hold requests back so far, so as not to ask too much at once.
    fn waited(&self) -> Option<Duration> {
        None
    }
}
