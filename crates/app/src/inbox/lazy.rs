//! The inbox that a server works on, opened by the first call that needs it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use app::inbox::Inbox;
use app::{Ambient, Error};

/// An inbox, for many threads.
pub struct Inboxes {
    place: PathBuf,
    ambient: Ambient,
    opened: Mutex<Option<Arc<Inbox>>>,
}

impl Inboxes {
    /// Works in the repository that `place` is in; nothing is opened yet.
    pub fn new(place: PathBuf, ambient: Ambient) -> Self {
        Self { place, ambient, opened: Mutex::default() }
    }

    /// Returns the inbox. One and the same for as long as the server lives, for what it has taken is in its name.
    pub fn get(&self) -> Result<Arc<Inbox>, Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inbox) = &*opened {
            return Ok(Arc::clone(inbox));
        }
        let inbox = Arc::new(Inbox::open(&self.place, self.ambient)?);
        *opened = Some(Arc::clone(&inbox));
        Ok(inbox)
    }

    pub(crate) fn ambient(&self) -> Ambient {
        self.ambient
    }
}
