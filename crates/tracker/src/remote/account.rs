//! A user of a server, and what is remembered between calls: who that is, and what projects look like.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use taiga::dto::{Project, ProjectId, UserId};
use taiga::{Client, ServerUrl};

use super::errors::{about, failure};
use crate::Answer;

/// For how long statuses and members are taken as they were read. An id that is not among them is looked for again at once.
const FRESH: Duration = Duration::from_mins(1);

/// A user of a server. Calls share one.
pub struct Account {
    client: Client,
    server: ServerUrl,
    me: Mutex<Option<UserId>>,
    projects: Mutex<HashMap<u64, Seen>>,
}

struct Seen {
    at: Instant,
    project: Arc<Project>,
}

impl Account {
    /// Works through a client of a server.
    pub fn new(client: Client, server: ServerUrl) -> Self {
        Self { client, server, me: Mutex::default(), projects: Mutex::default() }
    }

    /// Returns the client, for what a tracker does not do.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the server, for the addresses of its pages.
    pub(super) fn server(&self) -> &ServerUrl {
        &self.server
    }

    /// Returns who the user is; asked once.
    pub(super) fn me(&self, client: &Client) -> Answer<UserId> {
        let mut me = self.me.lock().unwrap_or_else(PoisonError::into_inner);
        match *me {
            Some(id) => Ok(id),
            None => Ok(*me.insert(client.me().map_err(failure)?.id)),
        }
    }

    /// Returns a project as it was read lately.
    pub(super) fn try_find(&self, id: ProjectId) -> Option<Arc<Project>> {
        let projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        projects.get(&id.0).filter(|seen| seen.at.elapsed() < FRESH).map(|seen| Arc::clone(&seen.project))
    }

    /// Reads a project now.
    pub(super) fn read(&self, client: &Client, id: ProjectId) -> Answer<Arc<Project>> {
        let project = client.project(id).map_err(|error| about(error, "Project"))?;
        Ok(self.keep(project))
    }

    pub(super) fn keep(&self, project: Project) -> Arc<Project> {
        let project = Arc::new(project);
        let seen = Seen { at: Instant::now(), project: Arc::clone(&project) };
        self.projects.lock().unwrap_or_else(PoisonError::into_inner).insert(project.summary.id.0, seen);
        project
    }
}
