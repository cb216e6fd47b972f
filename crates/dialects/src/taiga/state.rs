//! Where the tools work: which tracker answers a call.

use std::path::PathBuf;

use app::ProjectPool;
use app::{Error, ErrorKind, Project};
use model::person::Person;
use tracker::{Answer, Category, Failure, Lender, Local, Servers, Setup, Tracker};

use crate::table::OnCall;

/// The trackers of a repository: its own, and those of the servers it can be set to.
pub struct TaigaState {
    place: PathBuf,
    projects: ProjectPool,
    servers: Servers,
    on_call: Option<OnCall>,
}

impl TaigaState {
    /// Works on the repository that `place` is in.
    pub fn new(place: PathBuf, projects: ProjectPool, setup: Setup) -> Self {
        Self { place, projects, servers: Servers::new(setup), on_call: None }
    }

    /// Tells of each call, beside the client.
    #[must_use]
    pub fn telling(self, on_call: Option<OnCall>) -> Self {
        Self { on_call, ..self }
    }

    pub(super) fn tell(&self, line: &str) {
        if let Some(on_call) = &self.on_call {
            on_call(line);
        }
    }

    /// Returns the tracker that the repository is set to now; it may be set to another one between two calls. What the
    /// repository's own changes, it changes in the actor's name.
    pub(super) fn tracker(&self, actor: Option<Person>) -> Answer<Box<dyn Tracker + '_>> {
        let binding = match self.servers.binding(&self.place) {
            Ok(binding) => binding,
            // The tracker of the repository tells it better.
            Err(error) if error.kind == ErrorKind::NotARepository => return Ok(self.local(actor)),
            Err(error) => return Err(error.into()),
        };
        match self.servers.chosen(Some(&binding))? {
            None => Ok(self.local(actor)),
            Some(name) => {
                let instance = self.servers.find(&name).map_err(not_logged_in)?;
                Ok(Box::new(self.servers.tracker(&instance, Some(&binding))?))
            }
        }
    }

    fn local(&self, actor: Option<Person>) -> Box<dyn Tracker + '_> {
        Box::new(Local(Lent { projects: &self.projects, actor }))
    }
}

/// Says that a server is not known as what it is to who calls a tool: nothing of the project is missing.
fn not_logged_in(error: Error) -> Failure {
    let failure = Failure::from(error);
    match failure.category {
        Category::NotFound => Failure { category: Category::Auth, http_status: Some(401), ..failure },
        _ => failure,
    }
}

struct Lent<'a> {
    projects: &'a ProjectPool,
    actor: Option<Person>,
}

impl Lender for Lent<'_> {
    fn read<T>(&self, question: impl Fn(&Project) -> Result<T, Error>) -> Result<T, Error> {
        self.projects.read(question)
    }

    fn write<T>(&self, change: impl FnOnce(&mut Project) -> Result<T, Error>) -> Result<T, Error> {
        self.projects.read_then_write(self.actor.clone(), change)
    }
}
