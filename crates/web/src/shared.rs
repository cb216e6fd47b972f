//! The state of all handlers.

use std::sync::Arc;

use app::ProjectPool;
use app::{Error, ErrorKind, Project};
use dialects::ServerContext;
use inbox::{Inbox, LazyInbox};
use tokio::sync::Semaphore;

use crate::listen::MAX_WRITES;
use crate::principal::Principal;

/// The state of all handlers; cheap to clone.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

struct Inner {
    projects: ProjectPool,
    inbox: LazyInbox,
    context: ServerContext,
    writes: Arc<Semaphore>,
}

impl Shared {
    pub(crate) fn new(context: ServerContext) -> Self {
        let projects = ProjectPool::new(context.place.clone(), context.env, context.listener.clone())
            .with_noteref(context.noteref.clone());
        let inbox = context.lazy_inbox();
        Self(Arc::new(Inner { projects, inbox, context, writes: Arc::new(Semaphore::new(MAX_WRITES)) }))
    }

    /// Returns the context of the server.
    pub(crate) fn context(&self) -> &ServerContext {
        &self.0.context
    }

    /// Reads from the newest state, on a blocking thread.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        question: impl Fn(&Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = self.clone();
        run_blocking(move || shared.0.projects.read(question)).await
    }

    /// Reads for a principal: `me` is this person.
    pub(crate) async fn read_as<T: Send + 'static>(
        &self,
        principal: &Principal,
        question: impl Fn(&Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (shared, person) = (self.clone(), principal.person.clone());
        run_blocking(move || shared.0.projects.read_as(person.as_ref(), question)).await
    }

    /// Reads from the newest state and the newest annotations, on a blocking thread.
    pub(crate) async fn read_annotations<T: Send + 'static>(
        &self,
        question: impl Fn(&Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = self.clone();
        run_blocking(move || shared.0.projects.read_annotations(question)).await
    }

    /// Uses the inbox, on a blocking thread.
    pub(crate) async fn inbox<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inbox) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = self.clone();
        run_blocking(move || work(&*shared.0.inbox.get()?)).await
    }

    /// Writes as the principal, on a blocking thread. The write completes even if the client disconnects.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        principal: &Principal,
        change: impl FnOnce(&mut Project) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (shared, person) = (self.clone(), principal.person.clone());
        // It is never closed.
        let place = Arc::clone(&self.0.writes).acquire_owned().await.ok();
        run_blocking(move || {
            // Held by the thread: the write goes on without its client.
            let _place = place;
            shared.0.projects.write(person, change)
        })
        .await
    }
}

async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    // Not `Unavailable`: a client would repeat a write that may have been made.
    done.unwrap_or_else(|error| Err(Error::new(ErrorKind::Internal, format!("the request was not completed: {error}"))))
}
