//! The state of the tools: selects the tracker of a call.

use std::path::PathBuf;

use app::{Error, ErrorKind, ProjectPool};
use model::person::Person;
use tracker::{Local, Servers, Setup, Tracker};

use super::refusal::{Category, Refusal};
use crate::table::OnCall;

/// The trackers of a repository: its own, and those of the servers it can be bound to.
pub struct TaigaState {
    place: PathBuf,
    projects: ProjectPool,
    servers: Servers,
    on_call: Option<OnCall>,
}

impl TaigaState {
    /// Creates the state for the repository that contains `place`.
    pub fn new(place: PathBuf, projects: ProjectPool, setup: Setup) -> Self {
        Self { place, projects, servers: Servers::new(setup), on_call: None }
    }

    /// Sets the receiver of log lines.
    #[must_use]
    pub fn with_call_log(self, on_call: Option<OnCall>) -> Self {
        Self { on_call, ..self }
    }

    pub(super) fn log_call(&self, line: &str) {
        if let Some(on_call) = &self.on_call {
            on_call(line);
        }
    }

    /// Returns the tracker that the repository is currently bound to; the binding may change between two calls. Local
    /// changes are made in the actor's name.
    pub(super) fn tracker(&self, actor: Option<Person>) -> Result<Box<dyn Tracker + '_>, Refusal> {
        let binding = match self.servers.binding(&self.place) {
            Ok(binding) => binding,
            // The local tracker gives the better error.
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
        Box::new(Local::new(&self.projects, actor))
    }
}

/// Converts a missing login into an `auth` error: `not_found` would suggest that something of the project is missing.
fn not_logged_in(error: Error) -> Refusal {
    match error.kind {
        ErrorKind::NotFound => Refusal { hint: error.hint, ..Refusal::new(Category::Auth, error.message) },
        _ => error.into(),
    }
}
