//! A user of a server, with a cache between calls: the user's id and the projects.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use taiga::dto::{Project, ProjectId, UserId};
use taiga::{Client, ServerUrl};

use super::errors::about;
use crate::TrackerResult;
use crate::failure::Subject;

/// Cache lifetime of statuses and members. An id that is not found is looked up again at once.
const CACHE_LIFETIME: Duration = Duration::from_mins(1);

/// A user of a server, shared by calls.
pub struct Account {
    client: Client,
    server: ServerUrl,
    me: OnceLock<UserId>,
    projects: Mutex<HashMap<u64, CachedProject>>,
}

struct CachedProject {
    at: Instant,
    project: Arc<Project>,
}

impl Account {
    /// Creates an account from a client.
    pub fn new(client: Client, server: ServerUrl) -> Self {
        Self { client, server, me: OnceLock::new(), projects: Mutex::default() }
    }

    /// Returns the client, for requests beyond the tracker trait.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the server, for the URLs of its pages.
    pub(super) fn server(&self) -> &ServerUrl {
        &self.server
    }

    /// Returns the user's id; requested once.
    pub(super) fn me(&self, client: &Client) -> TrackerResult<UserId> {
        if let Some(id) = self.me.get() {
            return Ok(*id);
        }
        // No lock is held across the request: calls that meet here may each ask, and get the same answer.
        let id = client.me()?.id;
        Ok(*self.me.get_or_init(|| id))
    }

    /// Returns a project from the cache.
    pub(super) fn try_find(&self, id: ProjectId) -> Option<Arc<Project>> {
        let projects = self.projects.lock();
        projects.get(&id.0).filter(|seen| seen.at.elapsed() < CACHE_LIFETIME).map(|seen| Arc::clone(&seen.project))
    }

    /// Reads a project and caches it.
    pub(super) fn read(&self, client: &Client, id: ProjectId) -> TrackerResult<Arc<Project>> {
        let project = client.project(id).map_err(|error| about(error, Subject::Project))?;
        Ok(self.keep(project))
    }

    pub(super) fn keep(&self, project: Project) -> Arc<Project> {
        let project = Arc::new(project);
        let seen = CachedProject { at: Instant::now(), project: Arc::clone(&project) };
        self.projects.lock().insert(project.summary.id.0, seen);
        project
    }
}
