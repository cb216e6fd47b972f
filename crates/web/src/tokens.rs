//! The tokens of a project: access over HTTP, and the person of each.
//!
//! They are stored next to the log, not in it: in a file of the clone, where they are valid for this server and for no
//! other clone, or in the database, where they are valid for all its servers. Only hashes are stored.

mod files;
mod secret;
mod shared;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use app::{Error, Role};
use database::Database;
use jiff::Timestamp;
use model::person::Person;
use model::text::check_line;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::audit::{Entry, moment};
use crate::cached::{PROPAGATION_TIMEOUT, Source, SourceVersion};
use files::FileTokens;
pub(crate) use secret::Fingerprint;
pub use secret::TokenSecret;
use shared::SharedTokens;

/// The tokens of one project.
#[derive(Debug, Clone)]
pub struct Tokens {
    store: Arc<dyn TokenStore>,
}

/// Where tokens are stored.
trait TokenStore: fmt::Debug + Send + Sync {
    /// Returns the tokens in order of creation.
    fn list(&self) -> Result<Vec<TokenRecord>, Error>;

    /// Adds a token, unless its name is taken, and its audit record.
    fn add(&self, token: &TokenRecord, record: &Entry<'_>) -> Result<Addition, Error>;

    /// Removes a token by name, and adds the audit record; `None` if there is none.
    fn remove(&self, name: &str, record: &Entry<'_>) -> Result<Option<TokenRecord>, Error>;

    /// Returns the version of all tokens; `None` if it cannot be known now.
    fn version(&self) -> Option<SourceVersion>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Addition {
    Added,
    NameTaken,
}

/// A token to create.
#[derive(Debug)]
pub struct NewToken {
    /// Name, also in logs.
    pub name: String,
    /// Access level.
    pub role: Role,
    /// The author of changes made with the token.
    pub person: Person,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    /// Name.
    pub name: String,
    /// Access level.
    pub role: String,
    /// The author of changes made with the token.
    pub person: String,
    /// Time of creation.
    pub created_at: String,
}

/// A token, as authentication needs it.
#[derive(Debug, Clone)]
pub(crate) struct KnownToken {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) person: Person,
    pub(crate) fingerprint: Fingerprint,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TokenRecord {
    name: String,
    role: String,
    person: String,
    created_at: String,
    sha256: String,
}

impl Tokens {
    /// Opens the tokens of the repository that contains `place`.
    pub fn of(place: &Path) -> Result<Self, Error> {
        Ok(Self::in_folder(&folder_of(place)?))
    }

    /// Opens the tokens that all servers of a database share.
    pub fn shared(database: Arc<Database>) -> Self {
        Self { store: Arc::new(SharedTokens::new(database)) }
    }

    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { store: Arc::new(FileTokens::in_folder(folder)) }
    }

    /// Creates a token. The returned secret is shown once and not stored.
    pub fn create(&self, new: &NewToken, now: Timestamp) -> Result<(TokenView, TokenSecret), Error> {
        let name = check_line("name of a token", &new.name)?;
        let secret = TokenSecret::random()?;
        let stored = TokenRecord {
            name: name.clone(),
            role: new.role.name().to_owned(),
            person: new.person.to_string(),
            created_at: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            sha256: secret.fingerprint().to_hex(),
        };
        let what = format!("token create {name} ({}, acts as {})", stored.role, stored.person);
        if self.store.add(&stored, &entry(what))? == Addition::NameTaken {
            return Err(Error::conflict(format!("the token `{name}` exists already"))
                .hint(format!("choose another name, or `cairn token revoke {name}` first")));
        }
        propagate();
        Ok((view(&stored), secret))
    }

    /// Returns the tokens in order of creation.
    pub fn list(&self) -> Result<Vec<TokenView>, Error> {
        Ok(self.store.list()?.iter().map(view).collect())
    }

    /// Revokes a token; running servers refuse it when this returns.
    pub fn revoke(&self, name: &str) -> Result<TokenView, Error> {
        let name = name.trim();
        let removed = self.store.remove(name, &entry(format!("token revoke {name}")))?;
        let removed = removed.ok_or_else(|| {
            Error::not_found(format!("token not found: `{name}`")).hint("`cairn token list` shows them all")
        })?;
        propagate();
        Ok(view(&removed))
    }

    /// Returns all tokens, for authentication.
    fn known(&self) -> Result<Vec<KnownToken>, Error> {
        let broken = |token: &TokenRecord| Error::conflict(format!("the stored token `{}` is malformed", token.name));
        let known = |token: &TokenRecord| {
            let (role, fingerprint) = (token.role.parse().ok()?, Fingerprint::from_hex(&token.sha256)?);
            Some(KnownToken { name: token.name.clone(), role, person: Person::parse(&token.person), fingerprint })
        };
        self.store.list()?.iter().map(|token| known(token).ok_or_else(|| broken(token))).collect()
    }
}

impl Source for Tokens {
    type Content = Vec<KnownToken>;

    fn version(&self) -> Option<SourceVersion> {
        self.store.version()
    }

    // Fail closed: with an unreadable file no stored token is valid, since one of them may have been revoked. A database
    // that is away is another case: it comes back, and its servers write nothing until then.
    fn load(&self) -> Option<Vec<KnownToken>> {
        match self.known() {
            Err(_) if self.store.version().is_none() => None,
            known => Some(known.unwrap_or_default()),
        }
    }
}

/// Waits until every running server has read the change, so that a revoked token is refused from then on.
fn propagate() {
    thread::sleep(PROPAGATION_TIMEOUT);
}

/// Returns Cairn's folder in the repository that contains `place`; all work trees share it.
pub(crate) fn folder_of(place: &Path) -> Result<PathBuf, Error> {
    Ok(app::locate(place)?.common_dir.join("cairn"))
}

fn entry(what: String) -> Entry<'static> {
    Entry {
        when: moment(app::now()),
        who: "command line",
        person: None,
        what,
        outcome: "done",
        address: None,
        trace: Uuid::new_v4(),
    }
}

fn view(token: &TokenRecord) -> TokenView {
    let TokenRecord { name, role, person, created_at, .. } = token.clone();
    TokenView { name, role, person, created_at }
}

#[cfg(test)]
mod tests;
