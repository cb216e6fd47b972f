//! The tokens of a repository: access over HTTP, and the person of each.
//!
//! They are stored next to the log, not in it: a token is valid for this server and for no other clone. Only hashes are
//! stored.

mod secret;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use app::{Error, Role};
use jiff::Timestamp;
use model::person::Person;
use model::text::check_line;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::audit::{AuditLog, Entry, moment};
use crate::cached_file::PROPAGATION_TIMEOUT;
use crate::private_file::{PrivateFile, Version};
pub(crate) use secret::Fingerprint;
pub use secret::TokenSecret;

/// Version of the file layout.
const LAYOUT: u32 = 1;

/// The tokens of one repository.
#[derive(Debug, Clone)]
pub struct Tokens {
    file: PrivateFile,
    audit: Arc<AuditLog>,
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
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) person: Person,
    pub(crate) fingerprint: Fingerprint,
}

#[derive(Debug, Serialize, Deserialize)]
struct Content {
    layout: u32,
    tokens: Vec<Stored>,
}

impl Default for Content {
    fn default() -> Self {
        Self { layout: LAYOUT, tokens: Vec::new() }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
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

    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { file: PrivateFile::at(folder.join("tokens.json")), audit: Arc::new(AuditLog::in_folder(folder)) }
    }

    /// Creates a token. The returned secret is shown once and not stored.
    pub fn create(&self, new: &NewToken, now: Timestamp) -> Result<(TokenView, TokenSecret), Error> {
        let name = check_line("name of a token", &new.name)?;
        let secret = TokenSecret::random()?;
        let stored = Stored {
            name: name.clone(),
            role: new.role.name().to_owned(),
            person: new.person.to_string(),
            created_at: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            sha256: secret.fingerprint().to_hex(),
        };
        self.change(|tokens| {
            if tokens.iter().any(|token| is_called(token, &name)) {
                return Err(Error::conflict(format!("there is a token `{name}` already"))
                    .hint(format!("choose another name, or `cairn token revoke {name}` first")));
            }
            tokens.push(stored.clone());
            self.record(&format!("token create {name} ({}, acts as {})", stored.role, stored.person))
        })?;
        Ok((view(&stored), secret))
    }

    /// Returns the tokens in order of creation.
    pub fn list(&self) -> Result<Vec<TokenView>, Error> {
        Ok(self.read()?.tokens.iter().map(view).collect())
    }

    /// Revokes a token; running servers refuse it when this returns.
    pub fn revoke(&self, name: &str) -> Result<TokenView, Error> {
        self.change(|tokens| {
            let place = tokens.iter().position(|token| is_called(token, name));
            let place = place.ok_or_else(|| {
                Error::not_found(format!("token not found: `{name}`")).hint("`cairn token list` shows them all")
            })?;
            let revoked = tokens.remove(place);
            self.record(&format!("token revoke {}", revoked.name))?;
            Ok(view(&revoked))
        })
    }

    // Recorded before the change is stored: a change that cannot be audited is not made.
    fn record(&self, what: &str) -> Result<(), Error> {
        let entry = Entry {
            when: moment(app::now()),
            who: "command line",
            person: None,
            what: what.to_owned(),
            outcome: "done",
            address: None,
            trace: Uuid::new_v4(),
        };
        let added = self.audit.add(&entry);
        added
            .map_err(|error| Error::unavailable(format!("cannot write to the audit log: {error}; nothing was changed")))
    }

    /// Returns all tokens, for authentication.
    pub(crate) fn known(&self) -> Result<Vec<Known>, Error> {
        let broken = |token: &Stored| Error::conflict(format!("the token `{}` is stored in a broken form", token.name));
        let known = |token: &Stored| {
            let (role, fingerprint) = (token.role.parse().ok()?, Fingerprint::from_hex(&token.sha256)?);
            Some(Known { name: token.name.clone(), role, person: Person::parse(&token.person), fingerprint })
        };
        self.read()?.tokens.iter().map(|token| known(token).ok_or_else(|| broken(token))).collect()
    }

    pub(crate) fn version(&self) -> Option<Version> {
        self.file.version()
    }

    fn read(&self) -> Result<Content, Error> {
        checked(self.file.read()?)
    }

    // Returns when every running server has read the change, so that a revoked token is refused from then on.
    fn change<T>(&self, edit: impl FnOnce(&mut Vec<Stored>) -> Result<T, Error>) -> Result<T, Error> {
        let changed = self.file.change(|content: &mut Content| {
            let mut known = checked(std::mem::take(content))?;
            let answer = edit(&mut known.tokens)?;
            *content = known;
            Ok(answer)
        })?;
        thread::sleep(PROPAGATION_TIMEOUT);
        Ok(changed)
    }
}

/// Returns Cairn's folder in the repository that contains `place`; all work trees share it.
pub(crate) fn folder_of(place: &Path) -> Result<PathBuf, Error> {
    Ok(app::locate(place)?.common_dir.join("cairn"))
}

fn checked(content: Content) -> Result<Content, Error> {
    if content.layout == LAYOUT {
        return Ok(content);
    }
    Err(Error::conflict("the tokens were written by a newer version of cairn").hint("use that version"))
}

fn is_called(token: &Stored, name: &str) -> bool {
    token.name.eq_ignore_ascii_case(name.trim())
}

fn view(token: &Stored) -> TokenView {
    let Stored { name, role, person, created_at, .. } = token.clone();
    TokenView { name, role, person, created_at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str) -> NewToken {
        NewToken { name: name.to_owned(), role: Role::Reader, person: Person::parse("Ada <ada@example.com>") }
    }

    #[test]
    fn token_is_made_known_and_taken_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let tokens = Tokens::in_folder(folder.path());
        let (view, secret) = tokens.create(&new("ada"), Timestamp::UNIX_EPOCH).expect("a token");
        assert_eq!((view.role.as_str(), view.created_at.as_str()), ("reader", "1970-01-01T00:00:00Z"));
        let known = tokens.known().expect("they can be read");
        assert!(bool::from(known[0].fingerprint.matches(&secret.fingerprint())));
        let stored = std::fs::read_to_string(folder.path().join("tokens.json")).expect("a file");
        assert!(!stored.contains(secret.reveal()), "{stored}");
        assert!(tokens.create(&new("ADA"), Timestamp::UNIX_EPOCH).is_err());
        assert_eq!(tokens.revoke("Ada").expect("it was there"), view);
        assert_eq!(tokens.list(), Ok(Vec::new()));
        assert!(tokens.revoke("ada").is_err());
    }

    #[test]
    fn file_of_a_newer_version_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens.json");
        std::fs::write(&path, r#"{"layout": 2, "tokens": []}"#).expect("it is written");
        let tokens = Tokens::in_folder(folder.path());
        assert!(tokens.list().is_err() && tokens.create(&new("ada"), Timestamp::UNIX_EPOCH).is_err());
        assert!(std::fs::read_to_string(&path).expect("a file").contains('2'));
    }
}
