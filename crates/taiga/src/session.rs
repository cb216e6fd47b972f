//! Who the client is: the token it sends, and how that is renewed.
//!
//! A refresh token works once. So only one refresh runs at a time, whoever else noticed takes its result, and the new pair
//! is stored before it is used: a crash in between must not leave a spent token as the only one on disk.

use std::error::Error as StdError;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;

use crate::secret::scrub;
use crate::{AuthProblem, Error, Secret};

/// What a log-in or a refresh gives.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TokenPair {
    /// What requests carry; good for a day.
    #[serde(rename = "auth_token")]
    pub access: Secret,
    /// What gets the next pair, once; good for a week. Old servers give none.
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

/// Where a pair of tokens is kept between runs, and between programs that share it.
pub trait TokenStore: Send + Sync {
    /// Returns the pair stored last; none if nobody has logged in.
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError>;

    /// Stores a pair so that it survives a crash. The client uses a new pair only after this has returned.
    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError>;

    /// Keeps other programs from refreshing until the guard is dropped. A store that no other program uses need not.
    ///
    /// All calls wait for this, so a store should give up after a while and say so.
    fn lock(&self) -> Result<Box<dyn Send>, TokenStoreError> {
        Ok(Box::new(()))
    }
}

/// What the client shows the server.
#[derive(Clone)]
pub enum Credentials {
    /// A pair from a log-in, renewed when it runs out.
    Stored(Arc<dyn TokenStore>),
    /// An access token somebody gave us; when it runs out that is the end.
    Bearer(Secret),
    /// The token of an application, which does not run out.
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
    /// Held through a refresh.
    refreshing: Mutex<()>,
}

#[derive(Default)]
struct Tokens {
    current: Option<TokenPair>,
    /// A pair that the server gave and that could not be stored: not to be used, and the only one that can be renewed.
    unsaved: Option<TokenPair>,
}

/// What one request carries.
pub(crate) struct Authorization {
    pub(crate) token: Secret,
    /// The whole value of the header.
    pub(crate) header: Secret,
}

/// How there came to be another token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Somebody else had renewed it.
    Found,
    /// It was renewed now.
    Refreshed,
    /// There is no way to renew it.
    Impossible,
}

impl Session {
    pub(crate) fn new(credentials: Credentials) -> Self {
        Self { credentials, tokens: Mutex::default(), refreshing: Mutex::default() }
    }

    /// Returns what to send; an error if there is nothing, since without a token lists are empty and not refused.
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

    /// Returns all that must not be shown.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let tokens = self.tokens();
        let pairs = [&tokens.current, &tokens.unsaved].into_iter().flatten();
        pairs.flat_map(TokenPair::secrets).cloned().collect()
    }

    /// Gets another token in place of one that was refused. `refresh` asks the server for a pair.
    pub(crate) fn renew(
        &self,
        refused: &Secret,
        refresh: impl FnOnce(&Secret) -> Result<TokenPair, Error>,
    ) -> Result<Renewal, Error> {
        let Credentials::Stored(store) = &self.credentials else {
            return Ok(Renewal::Impossible);
        };
        let _one_at_a_time = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Spends the refresh token; `None` if somebody else did so first and left a newer pair.
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
            // An old server that renews only the access token.
            Ok(pair) => Ok(Some(TokenPair { refresh: pair.refresh.or(Some(spent)), ..pair })),
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

    /// Stores a pair, then uses it. If it cannot be stored it is kept for the next attempt.
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

    /// Looks for a token other than the refused one, here and in the store.
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
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session_ended() -> Error {
    Error::auth(AuthProblem::SessionEnded, "the session has ended: log in again").with_status(401)
}

fn unreadable(error: &TokenStoreError) -> Error {
    Error::unknown(format!("cannot read the stored tokens: {error}"))
}
