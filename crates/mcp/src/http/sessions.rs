//! The sessions of a dialect: random ids, a maximum number, and expiry when idle.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::session::Session;
use crate::call::Caller;

/// Maximum number of sessions. When it is reached, the session that has been idle longest is dropped.
pub(super) const MAX_SESSIONS: usize = 256;

/// Idle time after which a session expires.
const MAX_IDLE: Duration = Duration::from_mins(30);

/// Sessions by id.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

impl Sessions {
    /// Adds a session and returns its id; `None` if there are [`MAX_SESSIONS`] and none is idle.
    pub(super) fn add(&self, session: Arc<Session>) -> Option<String> {
        let mut sessions = self.lock();
        remove_expired(&mut sessions, Instant::now());
        if sessions.len() >= MAX_SESSIONS {
            // Only an idle one: a session with a request in flight would lose its response.
            let idle = sessions.iter().filter_map(|(id, session)| Some((session.idle_since()?, id)));
            let longest = idle.min().map(|(_, id)| id.clone())?;
            sessions.remove(&longest);
        }
        let id = uuid::Uuid::new_v4().to_string();
        sessions.insert(id.clone(), session);
        Some(id)
    }

    /// Finds a session of a caller.
    pub(super) fn try_find(&self, id: &str, caller: Option<&Caller>) -> Option<Arc<Session>> {
        let mut sessions = self.lock();
        remove_expired(&mut sessions, Instant::now());
        // The id alone is not enough: it may have leaked into the log of a proxy.
        let session = sessions.get(id).filter(|session| session.owner.as_ref() == caller)?;
        session.touch();
        Some(Arc::clone(session))
    }

    /// Ends a session of a caller; returns whether it existed.
    pub(super) fn end(&self, id: &str, caller: Option<&Caller>) -> bool {
        let found = self.try_find(id, caller).is_some();
        if let Some(session) = self.lock().remove(id).filter(|_| found) {
            session.log.close();
        }
        found
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.0.lock()
    }
}

fn remove_expired(sessions: &mut HashMap<String, Arc<Session>>, now: Instant) {
    sessions.retain(|_, session| session.idle_since().is_none_or(|since| now.duration_since(since) < MAX_IDLE));
}
