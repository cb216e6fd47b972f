//! The tracker of this repository: the repository is the only project.

mod extended;
mod lookup;
mod query;
mod read;
mod write;

use app::{Error, Project, ProjectPool};
use model::person::Person;
use model::value_error::ValueError;
use store::index::IndexError;

use crate::Kind;
use crate::entry::{Entry, EntryPage, Id, ProjectCard, ProjectName, Stage, TrackerPerson, Window};
use crate::failure::{Failure, Problem, Subject};
use crate::{
    CardMove, Details, Draft, EntryChange, EntryComment, EntryQuery, Sprint, SprintChange, SprintDraft, Tracker,
    TrackerResult,
};

/// The id of the one project.
const PROJECT: u64 = 1;

/// The tracker of a repository.
pub struct Local<'a> {
    projects: &'a ProjectPool,
    actor: Option<Person>,
}

impl Tracker for Local<'_> {
    fn projects(&self, window: Window) -> TrackerResult<EntryPage<ProjectCard>> {
        self.read(|project| Ok(EntryPage::cut(vec![card(project)], window)))
    }

    fn project(&self, which: &ProjectName) -> TrackerResult<ProjectCard> {
        self.read(|project| {
            let card = card(project);
            let is_meant = match which {
                ProjectName::Id(id) => card.id == *id,
                ProjectName::Slug(slug) => card.slug == *slug,
            };
            is_meant.then_some(card).ok_or_else(|| Problem::NotFound(Subject::Project).into())
        })
    }

    fn activate(&self, which: &ProjectName) -> TrackerResult<ProjectCard> {
        // The only project is always active.
        self.project(which)
    }

    fn list(&self, kind: Kind, query: &EntryQuery, window: Window) -> TrackerResult<EntryPage<Entry>> {
        self.read(|project| read::list(project, kind, query, window))
    }

    fn find(&self, kind: Kind, id: Id) -> TrackerResult<Entry> {
        self.read(|project| read::find(project, kind, id))
    }

    fn create(&self, kind: Kind, draft: &Draft) -> TrackerResult<Entry> {
        self.change(|project| write::create(project, kind, draft))
    }

    fn update(&self, kind: Kind, id: Id, change: &EntryChange) -> TrackerResult<Entry> {
        self.change(|project| write::update(project, kind, id, change))
    }

    fn delete(&self, kind: Kind, id: Id) -> TrackerResult<()> {
        self.change(|project| write::delete(project, kind, id))
    }

    fn stages(&self, kind: Kind) -> TrackerResult<Vec<Stage>> {
        self.read(|project| lookup::stages(project, kind))
    }

    fn people(&self, window: Window) -> TrackerResult<EntryPage<TrackerPerson>> {
        self.read(|project| Ok(EntryPage::cut(lookup::people(project)?, window)))
    }

    fn sprints(&self) -> TrackerResult<Vec<Sprint>> {
        self.read(extended::sprints)
    }

    fn create_sprint(&self, draft: &SprintDraft) -> TrackerResult<Sprint> {
        self.change(|project| extended::create_sprint(project, draft))
    }

    fn update_sprint(&self, id: Id, change: &SprintChange) -> TrackerResult<Sprint> {
        self.change(|project| extended::update_sprint(project, id, change))
    }

    fn comments(&self, kind: Kind, id: Id, window: Window) -> TrackerResult<EntryPage<EntryComment>> {
        self.read(|project| Ok(EntryPage::cut(extended::comments(project, kind, id)?, window)))
    }

    fn add_comment(&self, kind: Kind, id: Id, text: &str) -> TrackerResult<EntryComment> {
        self.change(|project| extended::add_comment(project, kind, id, text))
    }

    fn move_card(&self, kind: Kind, id: Id, card: &CardMove) -> TrackerResult<Entry> {
        self.change(|project| extended::move_card(project, kind, id, card))
    }

    fn details(&self, kind: Kind, id: Id) -> TrackerResult<Details> {
        self.read(|project| extended::details(project, kind, id))
    }
}

impl<'a> Local<'a> {
    /// Creates the tracker. Changes are made in the actor's name, or in that of the repository's own user.
    pub fn new(projects: &'a ProjectPool, actor: Option<Person>) -> Self {
        Self { projects, actor }
    }

    fn read<T>(&self, question: impl Fn(&Project) -> LocalResult<T>) -> TrackerResult<T> {
        self.projects.read(|project| split(question(project)))?
    }

    fn change<T>(&self, change: impl FnOnce(&mut Project) -> LocalResult<T>) -> TrackerResult<T> {
        self.projects.write(self.actor.clone(), |project| split(change(project)))?
    }
}

/// The error of a local operation.
enum LocalError {
    /// The request is invalid.
    Request(Failure),
    /// The project failed; the pool handles this, for example by rebuilding a damaged index.
    Project(Error),
}

type LocalResult<T> = Result<T, LocalError>;

/// Separates the failures of a request, which are its answer, from those of the project.
fn split<T>(result: LocalResult<T>) -> Result<TrackerResult<T>, Error> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(LocalError::Request(failure)) => Ok(Err(failure)),
        Err(LocalError::Project(error)) => Err(error),
    }
}

impl From<Failure> for LocalError {
    fn from(failure: Failure) -> Self {
        Self::Request(failure)
    }
}

impl From<Problem> for LocalError {
    fn from(problem: Problem) -> Self {
        Self::Request(problem.into())
    }
}

impl From<Error> for LocalError {
    fn from(error: Error) -> Self {
        Self::Project(error)
    }
}

impl From<IndexError> for LocalError {
    fn from(error: IndexError) -> Self {
        Self::Project(error.into())
    }
}

impl From<ValueError> for LocalError {
    fn from(error: ValueError) -> Self {
        Self::Project(error.into())
    }
}

fn card(project: &Project) -> ProjectCard {
    let name = project.name();
    ProjectCard { id: project_id(), slug: name.clone(), name, description: String::new(), is_active: true }
}

fn project_id() -> Id {
    Id::new(PROJECT).expect("1 is an id")
}
