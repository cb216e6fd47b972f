//! Where the tools work: which tracker answers a call.

use app::tracker::{Lender, Local, Tracker};
use app::{Error, Project};
use model::person::Person;

use crate::projects::Projects;

/// The trackers of a repository.
pub struct Desk {
    projects: Projects,
}

impl Desk {
    /// Works on a repository.
    pub fn new(projects: Projects) -> Self {
        Self { projects }
    }

    /// Returns the tracker that the repository is set to now; what it changes, it changes in the actor's name.
    pub(super) fn tracker(&self, actor: Option<Person>) -> Box<dyn Tracker + '_> {
        Box::new(Local(Lent { projects: &self.projects, actor }))
    }
}

struct Lent<'a> {
    projects: &'a Projects,
    actor: Option<Person>,
}

impl Lender for Lent<'_> {
    fn read<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.projects.read(question)
    }

    fn write<T>(&self, change: impl FnOnce(&mut Project) -> Result<T, Error>) -> Result<T, Error> {
        self.projects.write(self.actor.clone(), change)
    }
}
