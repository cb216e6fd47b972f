//! Token storage: a file that only its owner may read, or git's credential helpers if the person chose them.

mod keyring;

use std::path::PathBuf;

use app::Error;
use serde::{Deserialize, Serialize};
use taiga::{Secret, TokenPair, TokenStore, TokenStoreError};
use zeroize::Zeroizing;

use super::{Setup, private_file};

/// Where the tokens of a server are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenLocation {
    /// Git's credential helpers.
    Keyring,
    /// A file that only its owner may read.
    File,
    /// Environment variables.
    Environment,
}

impl TokenLocation {
    /// Returns the name in JSON and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyring => "keyring",
            Self::File => "file",
            Self::Environment => "environment",
        }
    }
}

/// The tokens of one server.
pub(super) struct Vault {
    name: String,
    file: PathBuf,
    keeper: TokenLocation,
}

/// A token pair in the JSON format that the client reads. It contains secrets and must not be printed.
#[derive(Serialize)]
struct StoredPair<'a> {
    auth_token: &'a str,
    refresh: Option<&'a str>,
}

impl Vault {
    pub(super) fn new(setup: &Setup, name: &str, keeper: TokenLocation) -> Self {
        let file = setup.state.join(format!("{name}.token.json"));
        Self { name: name.to_owned(), file, keeper }
    }

    /// Stores the tokens of a new login.
    pub(super) fn store(&self, pair: &TokenPair) -> Result<(), Error> {
        let _turn = private_file::take_turn(&self.file)?;
        if self.keeper != TokenLocation::Keyring {
            return private_file::write(&self.file, &written(pair));
        }
        self.put_into_keyring(pair).map_err(|error| {
            Error::unavailable(format!("cannot store the token in the keyring: {error}"))
                .hint("name a helper with `git config --global credential.helper NAME`, or unset `CAIRN_KEYRING`")
        })?;
        // No stale copy of an earlier login may remain in the file.
        private_file::remove(&self.file)
    }

    pub(super) fn forget(&self) -> Result<(), Error> {
        let _turn = private_file::take_turn(&self.file)?;
        if self.keeper == TokenLocation::Keyring {
            keyring::remove(&self.name).map_err(|error| {
                Error::unavailable(format!("cannot remove the token from the keyring: {error}"))
                    .hint("run it again where the keyring is available and unlocked")
            })?;
        }
        // The file may remain from a time before the keyring was used.
        private_file::remove(&self.file)
    }

    fn put_into_keyring(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        let text = Zeroizing::new(serde_json::to_string(&written(pair))?);
        Ok(keyring::set(&self.name, &text)?)
    }
}

impl TokenStore for Vault {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        match self.keeper {
            // A helper may be missing or locked: over ssh or in a container, for example.
            TokenLocation::Keyring => {
                let text = keyring::get(&self.name).map_err(|error| {
                    format!("cannot use the keyring ({error}); unlock it, or log in again to store them in a file")
                })?;
                let read = |text: Zeroizing<String>| serde_json::from_str(&text).map_err(|_| "the entry is damaged");
                Ok(text.map(read).transpose()?)
            }
            TokenLocation::File | TokenLocation::Environment => Ok(private_file::read(&self.file)?),
        }
    }

    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        match self.keeper {
            TokenLocation::Keyring => self.put_into_keyring(pair),
            TokenLocation::File | TokenLocation::Environment => Ok(private_file::write(&self.file, &written(pair))?),
        }
    }

    fn lock(&self) -> Result<Box<dyn Send>, TokenStoreError> {
        Ok(Box::new(private_file::take_turn(&self.file)?))
    }
}

fn written(pair: &TokenPair) -> StoredPair<'_> {
    StoredPair { auth_token: pair.access.expose(), refresh: pair.refresh.as_ref().map(Secret::expose) }
}
