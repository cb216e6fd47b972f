//! A pool of connections, with a pause after a failed attempt to connect.
//!
//! While the database is away, only one caller in a while tries to connect; the others fail at once, or every request
//! would hold a thread for the whole connect timeout.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::connection::{Connector, Session};
use crate::{Address, DatabaseError, DatabaseErrorKind, Options};
use parking_lot::{Condvar, Mutex};

/// Pause after the second failed attempt in a row; it doubles up to `MAX_PAUSE`. After a first one there is none: a
/// single broken connection must not fail everyone.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(1);

pub(crate) struct Pool {
    connector: Connector,
    max_connections: usize,
    patience: Duration,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Session>,
    /// Connections in use and those being opened.
    n_used: usize,
    failure: Option<Failure>,
}

/// The last failed attempt to connect.
struct Failure {
    kind: DatabaseErrorKind,
    message: String,
    pause: Duration,
    retry_at: Instant,
}

/// A connection that returns to the pool when it is dropped.
pub(crate) struct Pooled {
    pool: Arc<Pool>,
    session: Option<Session>,
}

impl Pool {
    pub(crate) fn new(address: Address, options: &Options) -> Result<Self, DatabaseError> {
        Ok(Self {
            connector: Connector::new(address, options)?,
            max_connections: options.max_connections.max(1),
            patience: options.statement_timeout,
            state: Mutex::default(),
            returned: Condvar::new(),
        })
    }

    pub(crate) fn address(&self) -> &Address {
        self.connector.address()
    }

    /// Returns the way to open connections outside of the pool.
    pub(crate) fn connector(&self) -> &Connector {
        &self.connector
    }

    /// Takes an idle connection, or opens one.
    pub(crate) fn get(self: &Arc<Self>) -> Result<Pooled, DatabaseError> {
        if let Some(session) = self.reserve()? {
            return Ok(Pooled { pool: Arc::clone(self), session: Some(session) });
        }
        // The place is released on every way out by dropping this.
        let mut place = Pooled { pool: Arc::clone(self), session: None };
        match self.connector.connect() {
            Ok(client) => {
                self.state.lock().failure = None;
                place.session = Some(Session::new(client));
                Ok(place)
            }
            Err(error) => {
                self.note_failure(&error);
                Err(error)
            }
        }
    }

    /// Closes idle connections: after a restart of the server all of them are dead.
    pub(crate) fn discard_idle(&self) {
        let idle = std::mem::take(&mut self.state.lock().idle);
        // Closing writes to sockets: not under the lock.
        drop(idle);
    }

    /// Reserves a place; the connection is `None` if one must be opened.
    fn reserve(&self) -> Result<Option<Session>, DatabaseError> {
        let give_up = Instant::now() + self.patience;
        let mut state = self.state.lock();
        loop {
            while let Some(session) = state.idle.pop() {
                if !session.client.is_closed() {
                    state.n_used += 1;
                    return Ok(Some(session));
                }
            }
            if let Some(failure) = state.failure.as_ref().filter(|failure| Instant::now() < failure.retry_at) {
                return Err(DatabaseError::new(failure.kind, failure.message.clone()));
            }
            if state.n_used < self.max_connections {
                state.n_used += 1;
                // Others fail at once until this attempt is over.
                if let Some(failure) = &mut state.failure {
                    failure.retry_at = Instant::now() + failure.pause;
                }
                return Ok(None);
            }
            if self.returned.wait_until(&mut state, give_up).timed_out() {
                let message = format!("all {} connections to `{}` are in use", self.max_connections, self.address());
                return Err(DatabaseError::new(DatabaseErrorKind::Away, message));
            }
        }
    }

    fn note_failure(&self, error: &DatabaseError) {
        let mut state = self.state.lock();
        let longer = |last: &Failure| (last.pause * 2).clamp(FIRST_PAUSE, MAX_PAUSE);
        let pause = state.failure.as_ref().map_or(Duration::ZERO, longer);
        tracing::debug!(%error, ?pause, "cannot connect to the database");
        let retry_at = Instant::now() + pause;
        state.failure = Some(Failure { kind: error.kind(), message: error.with_causes(), pause, retry_at });
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("address", self.address()).finish_non_exhaustive()
    }
}

impl Pooled {
    pub(crate) fn session(&mut self) -> &mut Session {
        self.session.as_mut().expect("a pooled connection is handed out only when it is open")
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let session = self.session.take().filter(|session| !session.client.is_closed());
        let mut state = self.pool.state.lock();
        state.n_used -= 1;
        state.idle.extend(session);
        self.pool.returned.notify_one();
    }
}
