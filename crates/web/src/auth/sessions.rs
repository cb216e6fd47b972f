//! Browser sessions. The cookie holds its own secret, never the token; the file holds the hashes of both, so that a
//! session ends with its token and survives a restart of the server.

use std::io;
use std::path::Path;

use app::Error;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::cached_file::CachedFile;
use crate::private_file::PrivateFile;
use crate::tokens::{Fingerprint, TokenSecret};

/// Lifetime of a session, in seconds: one week.
pub(crate) const MAX_AGE: i64 = 7 * 24 * 60 * 60;

/// Maximum number of sessions; the oldest ends when another begins.
const MAX_SESSIONS: usize = 1000;

/// The sessions of one repository's servers.
pub(crate) struct Sessions {
    file: PrivateFile,
    stored: CachedFile<Vec<Session>>,
    cookie: Cookie,
}

/// Name and attributes of the session cookie.
pub(crate) struct Cookie {
    name: String,
    is_secure: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    sha256: String,
    token_sha256: String,
    expires_at: i64,
}

struct Session {
    secret: Fingerprint,
    token: Fingerprint,
    expires_at: i64,
}

impl Cookie {
    /// Browsers share cookies between all ports of a host, so the name contains the port.
    pub(crate) fn of(port: u16, is_secure: bool) -> Self {
        Self { name: format!("cairn_session_{port}"), is_secure }
    }

    fn set(&self, value: &str, seconds: i64) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!("{}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}", self.name)
    }

    fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.name).map(|(_, value)| value)
    }
}

impl Sessions {
    pub(crate) fn in_folder(folder: &Path, cookie: Cookie) -> io::Result<Self> {
        let file = PrivateFile::at(folder.join("sessions.json"));
        let (versioned, read) = (file.clone(), file.clone());
        let stored = CachedFile::new(move || versioned.version(), move || read_sessions(&read))?;
        Ok(Self { file, stored, cookie })
    }

    /// Begins a session for a token; returns the `Set-Cookie` value. Blocks on the disk.
    pub(crate) fn begin(&self, token: &Fingerprint, now: Timestamp) -> Result<String, Error> {
        let secret = TokenSecret::random()?;
        let new = Stored {
            sha256: secret.fingerprint().to_hex(),
            token_sha256: token.to_hex(),
            expires_at: now.as_second() + MAX_AGE,
        };
        self.file.change(|sessions: &mut Vec<Stored>| {
            sessions.retain(|session| session.expires_at > now.as_second());
            let n_too_many = (sessions.len() + 1).saturating_sub(MAX_SESSIONS);
            sessions.drain(..n_too_many);
            sessions.push(new);
            Ok(())
        })?;
        self.stored.refresh();
        Ok(self.cookie.set(secret.reveal(), MAX_AGE))
    }

    /// Finds the token of a request's session.
    pub(crate) fn try_find(&self, headers: &HeaderMap, now: Timestamp) -> Option<Fingerprint> {
        let wanted = Fingerprint::of(self.cookie.read(headers)?);
        let sessions = self.stored.get();
        let is_it = |session: &&Session| bool::from(session.secret.matches(&wanted));
        sessions.iter().filter(is_it).find(|session| session.expires_at > now.as_second()).map(|session| session.token)
    }

    /// Ends the session of a request; returns the `Set-Cookie` value that deletes the cookie. Blocks on the disk.
    pub(crate) fn end(&self, headers: &HeaderMap) -> Result<String, Error> {
        if let Some(secret) = self.cookie.read(headers) {
            let sha256 = Fingerprint::of(secret).to_hex();
            self.file.change(|sessions: &mut Vec<Stored>| {
                sessions.retain(|session| session.sha256 != sha256);
                Ok(())
            })?;
            self.stored.refresh();
        }
        Ok(self.cookie.set("", 0))
    }
}

// Fail closed: with an unreadable file nobody is logged in.
fn read_sessions(file: &PrivateFile) -> Vec<Session> {
    let stored: Vec<Stored> = file.read().unwrap_or_default();
    let read = |session: &Stored| {
        let (secret, token) = (Fingerprint::from_hex(&session.sha256)?, Fingerprint::from_hex(&session.token_sha256)?);
        Some(Session { secret, token, expires_at: session.expires_at })
    };
    stored.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(folder: &Path) -> Sessions {
        Sessions::in_folder(folder, Cookie::of(8931, true)).expect("a thread")
    }

    fn headers(cookie: &str) -> HeaderMap {
        let pair = cookie.split(';').next().unwrap_or_default();
        [(COOKIE, format!("other=1; {pair}").parse().expect("a header"))].into_iter().collect()
    }

    #[test]
    fn session_lasts_a_week_and_survives_the_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let token = Fingerprint::of("token");
        let cookie = sessions(folder.path()).begin(&token, Timestamp::UNIX_EPOCH).expect("it begins");
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure"), "{cookie}");
        let restarted = sessions(folder.path());
        let at = |second| Timestamp::from_second(second).expect("a time");
        let found = restarted.try_find(&headers(&cookie), at(MAX_AGE - 1)).expect("it is there");
        assert!(bool::from(found.matches(&token)));
        assert!(restarted.try_find(&headers(&cookie), at(MAX_AGE)).is_none());
        assert!(restarted.try_find(&headers("cairn_session_8931=guess"), at(0)).is_none());
        assert!(restarted.try_find(&headers(&cookie.replace("8931", "8932")), at(0)).is_none());
    }

    #[test]
    fn ended_session_is_gone_and_others_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = sessions(folder.path());
        let [one, other] =
            [(); 2].map(|()| sessions.begin(&Fingerprint::of("t"), Timestamp::UNIX_EPOCH).expect("begins"));
        let cleared = sessions.end(&headers(&one)).expect("it ends");
        assert!(cleared.contains("=; ") && cleared.contains("Max-Age=0"), "{cleared}");
        assert!(sessions.try_find(&headers(&one), Timestamp::UNIX_EPOCH).is_none());
        assert!(sessions.try_find(&headers(&other), Timestamp::UNIX_EPOCH).is_some());
    }
}
