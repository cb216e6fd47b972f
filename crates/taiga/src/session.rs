//! The client's credentials: the token that it sends, and its renewal.
//!
//! A refresh token works once. So only one refresh runs at a time, other threads use its result, and the new pair is
//! stored before it is used: a crash in between must not leave a spent token as the only one on disk.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;

use crate::secret::scrub;
use crate::{AuthProblem, Error, Secret};

/// The result of a login or a refresh.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TokenPair {
    /// Sent with requests; valid for a day.
    #[serde(rename = "auth_token")]
    pub access: Secret,
    /// Gets the next pair, once; valid for a week. Old servers send none.
    #[serde(default)]
    pub refresh: Option<Secret>,
}

impl TokenPair {
    fn secrets(&self) -> Vec<&Secret> {
        [&self.access].into_iter().chain(&self.refresh).collect()
    }
}

/// Why tokens could not be read or stored.
pub type TokenStoreError = Box<dyn StdError + Send + Sync>;

/// Storage of a token pair between runs, and between processes that share it.
pub trait TokenStore: Send + Sync {
    /// Returns the stored pair; `None` if nobody has logged in.
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError>;

    /// Stores a pair durably. The client uses a new pair only after this has returned.
    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError>;

    /// Prevents other processes from refreshing until the guard is dropped. A store without other users need not
    /// implement it.
    ///
    /// All calls wait for this, so a store should time out with an error.
    fn lock(&self) -> Result<Box<dyn Send>, TokenStoreError> {
        Ok(Box::new(()))
    }
}

/// How the client authenticates.
#[derive(Clone)]
pub enum Credentials {
    /// A pair from a login, renewed when it expires.
    Stored(Arc<dyn TokenStore>),
    /// An access token without a refresh token; it cannot be renewed.
    Bearer(Secret),
    /// An application token, which does not expire.
    Application(Secret),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Stored(_) => "Stored(hidden)",
            Self::Bearer(_) => "Bearer(hidden)",
            Self::Application(_) => "Application(hidden)",
        })
    }
}

pub(crate) struct Session {
    credentials: Credentials,
    tokens: Mutex<Tokens>,
    /// Held during a refresh.
    refreshing: Mutex<()>,
}

#[derive(Default)]
struct Tokens {
    current: Option<TokenPair>,
    /// A pair that could not be stored. It must not be used for requests, but it is the only one that can be renewed.
    unsaved: Option<TokenPair>,
}

/// Authorization of one request.
pub(crate) struct Authorization {
    pub(crate) token: Secret,
    /// The whole value of the header.
    pub(crate) header: Secret,
}

/// How a token was renewed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Another thread or process had renewed it.
    Found,
    /// It was renewed now.
    Refreshed,
    /// It cannot be renewed.
    Impossible,
}

impl Session {
    pub(crate) fn new(credentials: Credentials) -> Self {
        Self { credentials, tokens: Mutex::default(), refreshing: Mutex::default() }
    }

    /// Returns the authorization; an error if there is none, because a Taiga answers anonymous list requests with an
    /// empty list.
    pub(crate) fn authorization(&self) -> Result<Authorization, Error> {
        let (scheme, token) = match &self.credentials {
            Credentials::Stored(store) => ("Bearer", self.current(store.as_ref())?.access),
            Credentials::Bearer(token) => ("Bearer", token.clone()),
            Credentials::Application(token) => ("Application", token.clone()),
        };
        if token.expose().trim().is_empty() {
            return Err(Error::auth(AuthProblem::NoToken, "not logged in: no token"));
        }
        let header = Secret::new(format!("{scheme} {}", token.expose()));
        Ok(Authorization { token, header })
    }

    /// Returns all secrets, for scrubbing.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let tokens = self.tokens();
        let pairs = [&tokens.current, &tokens.unsaved].into_iter().flatten();
        pairs.flat_map(TokenPair::secrets).cloned().collect()
    }

    /// Replaces a refused token. `refresh` requests a new pair from the server.
    pub(crate) fn renew(
        &self,
        refused: &Secret,
        refresh: impl FnOnce(&Secret) -> Result<TokenPair, Error>,
    ) -> Result<Renewal, Error> {
        let Credentials::Stored(store) = &self.credentials else {
            return Ok(Renewal::Impossible);
        };
        // Lock order: threads first, then processes, so that only one thread waits for the store.
        let _one_at_a_time = self.refreshing.lock();
        let _no_other_program = store.lock().map_err(|error| unreadable(&error))?;
        if self.find_newer(store.as_ref(), refused)? {
            return Ok(Renewal::Found);
        }
        let unsaved = self.tokens().unsaved.clone();
        let pair = match unsaved {
            Some(pair) => pair,
            None => match self.refresh(store.as_ref(), refused, refresh)? {
                Some(pair) => pair,
                None => return Ok(Renewal::Found),
            },
        };
        self.adopt_stored(store.as_ref(), pair)?;
        Ok(Renewal::Refreshed)
    }

    /// Uses the refresh token; `None` if another process used it first and stored a newer pair.
    fn refresh(
        &self,
        store: &dyn TokenStore,
        refused: &Secret,
        refresh: impl FnOnce(&Secret) -> Result<TokenPair, Error>,
    ) -> Result<Option<TokenPair>, Error> {
        let Some(spent) = self.current(store)?.refresh else {
            return Err(session_ended());
        };
        match refresh(&spent) {
            // An old server renews only the access token.
            Ok(pair) => Ok(Some(TokenPair { refresh: pair.refresh.or(Some(spent)), ..pair })),
            // The refresh token was already used: another process without the lock may have stored a newer pair.
            Err(error) if error.status == Some(401) => {
                if self.find_newer(store, refused)? {
                    Ok(None)
                } else {
                    Err(session_ended())
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Stores a pair, then uses it. If it cannot be stored, it is kept for the next attempt.
    fn adopt_stored(&self, store: &dyn TokenStore, pair: TokenPair) -> Result<(), Error> {
        let saved = store.save(&pair);
        let mut tokens = self.tokens();
        if let Err(error) = saved {
            let text = scrub(&error.to_string(), &pair.secrets());
            tokens.unsaved = Some(pair);
            return Err(Error::unknown(format!("cannot store the new tokens: {text}")));
        }
        *tokens = Tokens { current: Some(pair), unsaved: None };
        Ok(())
    }

    /// Looks for a token other than the refused one, in memory and in the store.
    fn find_newer(&self, store: &dyn TokenStore, refused: &Secret) -> Result<bool, Error> {
        if self.tokens().current.as_ref().is_some_and(|pair| pair.access != *refused) {
            return Ok(true);
        }
        let stored = store.load().map_err(|error| unreadable(&error))?;
        let newer = stored.filter(|pair| pair.access != *refused);
        let is_there = newer.is_some();
        if is_there {
            *self.tokens() = Tokens { current: newer, unsaved: None };
        }
        Ok(is_there)
    }

    fn current(&self, store: &dyn TokenStore) -> Result<TokenPair, Error> {
        if let Some(pair) = &self.tokens().current {
            return Ok(pair.clone());
        }
        let stored = store.load().map_err(|error| unreadable(&error))?;
        let pair = stored.ok_or_else(|| Error::auth(AuthProblem::NoToken, "nobody is logged in"))?;
        self.tokens().current.get_or_insert_with(|| pair.clone());
        Ok(pair)
    }

    fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock()
    }
}

fn session_ended() -> Error {
    Error::auth(AuthProblem::SessionEnded, "the session has ended: log in again").with_status(401)
}

fn unreadable(error: &TokenStoreError) -> Error {
    Error::unknown(format!("cannot read the stored tokens: {error}"))
}
