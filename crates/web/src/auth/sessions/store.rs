//! Where sessions are stored: in a file of the clone, or in the database.

use std::path::Path;
use std::sync::Arc;

use app::Error;
use database::Database;
use database::access::{StoredSession, Versioned};
use serde::{Deserialize, Serialize};

use super::MAX_SESSIONS;
use crate::cached::SourceVersion;
use crate::private_file::PrivateFile;
use crate::tokens::Fingerprint;

pub(crate) struct Session {
    pub(super) secret: Fingerprint,
    pub(super) token: Fingerprint,
    pub(super) expires_at: i64,
}

/// The sessions of one project.
pub(crate) trait SessionStore: Send + Sync {
    /// Adds a session, and removes expired ones and the oldest beyond a number. Times are seconds since 1970.
    fn add_at_most(&self, session: &Session, now: i64, max_sessions: usize) -> Result<(), Error>;

    fn remove(&self, secret: &Fingerprint) -> Result<(), Error>;

    /// Returns the version of all sessions; `None` if it cannot be known now.
    fn version(&self) -> Option<SourceVersion>;

    /// Returns all sessions; `None` if they cannot be read now.
    fn load(&self) -> Option<Vec<Session>>;

    fn add(&self, session: &Session, now: i64) -> Result<(), Error> {
        self.add_at_most(session, now, MAX_SESSIONS)
    }
}

pub(super) struct FileSessions(PrivateFile);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    sha256: String,
    token_sha256: String,
    expires_at: i64,
}

impl FileSessions {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self(PrivateFile::at(folder.join("sessions.json")))
    }
}

impl SessionStore for FileSessions {
    fn add_at_most(&self, session: &Session, now: i64, max_sessions: usize) -> Result<(), Error> {
        let (sha256, token_sha256) = (session.secret.to_hex(), session.token.to_hex());
        let new = Stored { sha256, token_sha256, expires_at: session.expires_at };
        self.0.change(|sessions: &mut Vec<Stored>| {
            sessions.retain(|session| session.expires_at > now);
            let n_too_many = (sessions.len() + 1).saturating_sub(max_sessions);
            sessions.drain(..n_too_many);
            sessions.push(new);
            Ok(())
        })
    }

    fn remove(&self, secret: &Fingerprint) -> Result<(), Error> {
        let sha256 = secret.to_hex();
        self.0.change(|sessions: &mut Vec<Stored>| {
            sessions.retain(|session| session.sha256 != sha256);
            Ok(())
        })
    }

    fn version(&self) -> Option<SourceVersion> {
        Some(SourceVersion::File(self.0.version()))
    }

    // Fail closed: with an unreadable file nobody is logged in.
    fn load(&self) -> Option<Vec<Session>> {
        let stored: Vec<Stored> = self.0.read().unwrap_or_default();
        let read = |session: &Stored| {
            let secret = Fingerprint::from_hex(&session.sha256)?;
            let token = Fingerprint::from_hex(&session.token_sha256)?;
            Some(Session { secret, token, expires_at: session.expires_at })
        };
        Some(stored.iter().filter_map(read).collect())
    }
}

pub(super) struct SharedSessions(Arc<Database>);

impl SharedSessions {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self(database)
    }
}

impl SessionStore for SharedSessions {
    fn add_at_most(&self, session: &Session, now: i64, max_sessions: usize) -> Result<(), Error> {
        let (sha256, token_sha256) = (session.secret.as_bytes().to_vec(), session.token.as_bytes().to_vec());
        let stored = StoredSession { sha256, token_sha256, expires_at: session.expires_at };
        Ok(self.0.add_session(&stored, now, max_sessions)?)
    }

    fn remove(&self, secret: &Fingerprint) -> Result<(), Error> {
        Ok(self.0.remove_session(secret.as_bytes())?)
    }

    fn version(&self) -> Option<SourceVersion> {
        self.0.version(Versioned::Sessions).ok().map(SourceVersion::Database)
    }

    fn load(&self) -> Option<Vec<Session>> {
        let read = |session: StoredSession| {
            let secret = Fingerprint::from_bytes(&session.sha256)?;
            let token = Fingerprint::from_bytes(&session.token_sha256)?;
            Some(Session { secret, token, expires_at: session.expires_at })
        };
        let stored = self.0.sessions(app::now().as_second()).ok()?;
        Some(stored.into_iter().filter_map(read).collect())
    }
}
