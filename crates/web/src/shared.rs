//! What all handlers work with.

use std::sync::Arc;

use app::inbox::Inbox;
use app::{Error, Project};
use dialects::lazygit::Inboxes;
use dialects::{Projects, Setting};

use crate::visitor::Visitor;

/// What all handlers work with; cheap to clone.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

struct Inner {
    projects: Projects,
    inboxes: Inboxes,
    setting: Setting,
}

impl Shared {
    pub(crate) fn new(setting: Setting) -> Self {
        let projects = Projects::new(setting.place.clone(), setting.ambient, setting.listener.clone())
            .with_noteref(setting.noteref.clone());
        let inboxes = Inboxes::new(setting.place.clone(), setting.ambient);
        Self(Arc::new(Inner { projects, inboxes, setting }))
    }

    /// Returns where the server works.
    pub(crate) fn setting(&self) -> &Setting {
        &self.0.setting
    }

    /// Asks a question of the newest state, on a thread that may block.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        question: impl Fn(&Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = self.clone();
        apart(move || shared.0.projects.read(question)).await
    }

    /// Asks a question for a visitor: `me` is then this person.
    pub(crate) async fn read_as<T: Send + 'static>(
        &self,
        visitor: &Visitor,
        question: impl Fn(&Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (shared, person) = (self.clone(), visitor.person.clone());
        apart(move || shared.0.projects.read_as(person.as_ref(), question)).await
    }

    /// Asks a question of the newest state and the newest annotations, on a thread that may block.
    pub(crate) async fn read_annotations<T: Send + 'static>(
        &self,
        question: impl Fn(&Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = self.clone();
        apart(move || shared.0.projects.read_annotations(question)).await
    }

    /// Does something with the inbox, on a thread that may block.
    pub(crate) async fn inbox<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inbox) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = self.clone();
        apart(move || work(&*shared.0.inboxes.get()?)).await
    }

    /// Changes something in the visitor's name, on a thread that may block. A client that goes away does not undo it.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        visitor: &Visitor,
        change: impl FnOnce(&mut Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (shared, person) = (self.clone(), visitor.person.clone());
        apart(move || shared.0.projects.write(person, change)).await
    }
}

async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::unavailable(format!("the work was not finished: {error}"))))
}
