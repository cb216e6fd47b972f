//! An inbox that is opened by the first call, for servers.

use std::path::PathBuf;
use std::sync::Arc;

use app::{Env, Error};
use parking_lot::Mutex;

use super::{Inbox, InboxPlace};

/// An inbox that is opened once and shared by threads.
pub struct LazyInbox {
    place: PathBuf,
    env: Env,
    messages: InboxPlace,
    opened: Mutex<Option<Arc<Inbox>>>,
}

impl LazyInbox {
    /// Creates it for the repository that contains `place`; nothing is opened yet.
    pub fn new(place: PathBuf, env: Env, messages: InboxPlace) -> Self {
        Self { place, env, messages, opened: Mutex::default() }
    }

    /// Returns the inbox. It is the same for the life of the server, because claimed messages carry its name.
    pub fn get(&self) -> Result<Arc<Inbox>, Error> {
        let mut opened = self.opened.lock();
        if let Some(inbox) = &*opened {
            return Ok(Arc::clone(inbox));
        }
        let inbox = Arc::new(Inbox::open_at(&self.messages, &self.place, self.env)?);
        *opened = Some(Arc::clone(&inbox));
        Ok(inbox)
    }

    /// Returns the environment that the inbox is opened with.
    pub fn env(&self) -> Env {
        self.env
    }
}
