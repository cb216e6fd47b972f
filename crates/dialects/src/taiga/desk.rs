//! Where the tools work: which tracker answers a call.

use app::tracker::{Lender, Local, Tracker};
use app::{Error, Project};

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

    /// Returns the tracker that the repository is set to now.
    pub(super) fn tracker(&self) -> Box<dyn Tracker + '_> {
        Box::new(Local(Lent(&self.projects)))
    }
}

struct Lent<'a>(&'a Projects);

impl Lender for Lent<'_> {
    fn read<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.0.read(question)
    }

    fn write<T>(&self, change: impl FnOnce(&mut Project) -> Result<T, Error>) -> Result<T, Error> {
        self.0.write(None, change)
    }
}
