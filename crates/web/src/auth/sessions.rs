//! Browser sessions. The cookie holds its own secret, never the token; the store holds the hashes of both, so that a
//! session ends with its token, survives a restart of the server and, with a database, is valid on every server.

mod store;

use std::io;
use std::path::Path;
use std::sync::Arc;

use app::Error;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use database::Database;
use jiff::Timestamp;

use crate::cached::{Cached, Source, SourceVersion};
use crate::tokens::{Fingerprint, TokenSecret};
use store::{FileSessions, Session, SessionStore, SharedSessions};

/// Lifetime of a session, in seconds: one week.
pub(crate) const MAX_AGE: i64 = 7 * 24 * 60 * 60;

/// Maximum number of sessions; the oldest ends when another begins.
const MAX_SESSIONS: usize = 1000;

/// The sessions of one project's servers.
pub(crate) struct Sessions {
    store: Arc<dyn SessionStore>,
    stored: Cached<Arc<dyn SessionStore>>,
    cookie: Cookie,
}

/// Name and attributes of the session cookie.
pub(crate) struct Cookie {
    name: String,
    is_secure: bool,
}

impl Cookie {
    /// Browsers share cookies between all ports of a host, so the name contains the port.
    pub(crate) fn of(port: u16, is_secure: bool) -> Self {
        Self { name: format!("cairn_session_{port}"), is_secure }
    }

    /// Servers behind one load balancer may have different ports, so the name contains that of their database.
    pub(crate) fn of_database(database: &Database, is_secure: bool) -> Self {
        let shown = database.address().to_string();
        let name = shown.rsplit('/').next().unwrap_or_default();
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Self { name: format!("cairn_session_db_{name}"), is_secure }
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
        Self::new(Arc::new(FileSessions::in_folder(folder)), cookie)
    }

    pub(crate) fn shared(database: Arc<Database>, cookie: Cookie) -> io::Result<Self> {
        Self::new(Arc::new(SharedSessions::new(database)), cookie)
    }

    fn new(store: Arc<dyn SessionStore>, cookie: Cookie) -> io::Result<Self> {
        Ok(Self { stored: Cached::new(Arc::clone(&store))?, store, cookie })
    }

    /// Begins a session for a token; returns the `Set-Cookie` value. Blocks on the store, until every server knows the
    /// session: the next request of the browser may reach another one.
    pub(crate) fn begin(&self, token: &Fingerprint, now: Timestamp) -> Result<String, Error> {
        let secret = TokenSecret::random()?;
        let new = Session { secret: secret.fingerprint(), token: *token, expires_at: now.as_second() + MAX_AGE };
        self.store.add(&new, now.as_second())?;
        self.stored.propagate();
        Ok(self.cookie.set(secret.reveal(), MAX_AGE))
    }

    /// Finds the token of a request's session.
    pub(crate) fn try_find(&self, headers: &HeaderMap, now: Timestamp) -> Option<Fingerprint> {
        let wanted = Fingerprint::of(self.cookie.read(headers)?);
        let sessions = self.stored.get();
        let is_it = |session: &&Session| bool::from(session.secret.matches(&wanted));
        sessions.iter().filter(is_it).find(|session| session.expires_at > now.as_second()).map(|session| session.token)
    }

    /// Ends the session of a request; returns the `Set-Cookie` value that deletes the cookie. Blocks on the store, until no
    /// server accepts the session.
    pub(crate) fn end(&self, headers: &HeaderMap) -> Result<String, Error> {
        if let Some(secret) = self.cookie.read(headers) {
            self.store.remove(&Fingerprint::of(secret))?;
            self.stored.propagate();
        }
        Ok(self.cookie.set("", 0))
    }
}

impl Source for Arc<dyn SessionStore> {
    type Content = Vec<Session>;

    fn version(&self) -> Option<SourceVersion> {
        SessionStore::version(&**self)
    }

    fn load(&self) -> Option<Vec<Session>> {
        SessionStore::load(&**self)
    }
}

#[cfg(test)]
mod tests {
    use testkit::postgres::TestDatabase;

    use super::*;

    /// Runs a test on the sessions of a clone and on those of a database; the argument opens them once more.
    fn check(test: impl Fn(&dyn Fn() -> Sessions)) {
        let folder = tempfile::tempdir().expect("a folder");
        test(&|| Sessions::in_folder(folder.path(), Cookie::of(8931, true)).expect("a thread"));
        let Some(stored) = TestDatabase::shared() else { return };
        let database = crate::shared_test::open(&stored);
        test(&|| Sessions::shared(Arc::clone(&database), Cookie::of(8931, true)).expect("a thread"));
    }

    fn headers(cookie: &str) -> HeaderMap {
        let pair = cookie.split(';').next().unwrap_or_default();
        [(COOKIE, format!("other=1; {pair}").parse().expect("a header"))].into_iter().collect()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn session_lasts_a_week_and_survives_the_server() {
        let now = app::now().as_second();
        check(|open| {
            let token = Fingerprint::of("token");
            let cookie = open().begin(&token, at(now)).expect("it begins");
            assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure"), "{cookie}");
            let restarted = open();
            let found = restarted.try_find(&headers(&cookie), at(now + MAX_AGE - 1)).expect("it is there");
            assert!(bool::from(found.matches(&token)));
            assert!(restarted.try_find(&headers(&cookie), at(now + MAX_AGE)).is_none());
            assert!(restarted.try_find(&headers("cairn_session_8931=guess"), at(now)).is_none());
            assert!(restarted.try_find(&headers(&cookie.replace("8931", "8932")), at(now)).is_none());
        });
    }

    #[test]
    fn ended_session_is_removed_and_others_stay() {
        let now = app::now();
        check(|open| {
            let sessions = open();
            let [one, other] = [(); 2].map(|()| sessions.begin(&Fingerprint::of("t"), now).expect("begins"));
            let cleared = sessions.end(&headers(&one)).expect("it ends");
            insta::allow_duplicates! {
                insta::assert_snapshot!(cleared, @"cairn_session_8931=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure");
            }
            assert!(sessions.try_find(&headers(&one), now).is_none());
            assert!(sessions.try_find(&headers(&other), now).is_some());
        });
    }

    #[test]
    fn oldest_session_ends_when_there_are_too_many() {
        let now = app::now().as_second();
        check(|open| {
            let sessions = open();
            let session = |n: usize| Session {
                secret: Fingerprint::of(&n.to_string()),
                token: Fingerprint::of("t"),
                // Later than the test can take: the database leaves out sessions that have expired.
                expires_at: now + 3600 + i64::try_from(n).expect("small"),
            };
            for n in 0..=3 {
                sessions.store.add_at_most(&session(n), now, 3).expect("it begins");
            }
            let kept = SessionStore::load(&*sessions.store).expect("it can be read");
            let mut kept: Vec<i64> = kept.iter().map(|session| session.expires_at - now - 3600).collect();
            kept.sort_unstable();
            assert_eq!(kept, [1, 2, 3]);
        });
    }

    #[test]
    fn cookie_of_several_servers_is_named_for_their_database() {
        let Some(stored) = TestDatabase::shared() else { return };
        let cookie = Cookie::of_database(&crate::shared_test::open(&stored), false);
        assert!(cookie.name.starts_with("cairn_session_db_test_"), "{}", cookie.name);
    }
}
