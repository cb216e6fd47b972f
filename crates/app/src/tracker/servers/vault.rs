//! Where tokens are kept: in the system's keyring where there is one, else in a file that only its owner may read.

use std::path::PathBuf;

use keyring::Entry;
use serde::{Deserialize, Serialize};
use taiga::{Secret, TokenPair, TokenStore, TokenStoreError};
use zeroize::Zeroizing;

use super::{Setup, private_file};
use crate::error::Error;

/// What the keyring files our entries under.
const SERVICE: &str = "cairn-taiga";

/// Who keeps the tokens of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Keeper {
    /// The system.
    Keyring,
    /// A file of ours.
    File,
    /// Whoever started the program.
    Environment,
}

impl Keeper {
    pub(super) fn name(self) -> &'static str {
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
    keeper: Keeper,
    may_use_keyring: bool,
}

/// A pair of tokens as text, in the shape that the client reads. Its fields are secrets, so it is not to be shown.
#[derive(Serialize)]
struct Written<'a> {
    auth_token: &'a str,
    refresh: Option<&'a str>,
}

impl Vault {
    pub(super) fn new(setup: &Setup, name: &str, keeper: Keeper) -> Self {
        let file = setup.state.join(format!("{name}.token.json"));
        Self { name: name.to_owned(), file, keeper, may_use_keyring: setup.may_use_keyring }
    }

    /// Stores new tokens with the best keeper there is, and says which that was.
    pub(super) fn store(&self, pair: &TokenPair) -> Result<Keeper, Error> {
        let _turn = private_file::take_turn(&self.file)?;
        if self.may_use_keyring && self.put_into_keyring(pair).is_ok() {
            private_file::remove(&self.file)?;
            return Ok(Keeper::Keyring);
        }
        private_file::write(&self.file, &written(pair))?;
        Ok(Keeper::File)
    }

    /// Removes the tokens from wherever they are.
    pub(super) fn forget(&self) -> Result<(), Error> {
        let _turn = private_file::take_turn(&self.file)?;
        if self.keeper == Keeper::Keyring {
            let removed = self.entry().and_then(|entry| entry.delete_credential());
            if let Err(error) = removed
                && !matches!(error, keyring::Error::NoEntry)
            {
                return Err(Error::unavailable(format!("cannot remove the token from the keyring: {error}"))
                    .hint("run it again where the keyring is there and unlocked"));
            }
        }
        private_file::remove(&self.file)
    }

    fn entry(&self) -> keyring::Result<Entry> {
        Entry::new(SERVICE, &self.name)
    }

    fn put_into_keyring(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        let text = Zeroizing::new(serde_json::to_string(&written(pair))?);
        let entry = self.entry()?;
        entry.set_password(&text)?;
        // Some keyrings take everything and forget it.
        if entry.get_password()? == *text { Ok(()) } else { Err("the keyring keeps nothing".into()) }
    }
}

impl TokenStore for Vault {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        match self.keeper {
            Keeper::Keyring => match self.entry().and_then(|entry| entry.get_password()) {
                Ok(text) => Ok(Some(serde_json::from_str(&Zeroizing::new(text)).map_err(|_| "the entry is damaged")?)),
                Err(keyring::Error::NoEntry) => Ok(None),
                // Over ssh or in a container, for one, there is none.
                Err(error) => Err(format!(
                    "the keyring is not there or locked ({error}); unlock it, or log in again to keep them in a file"
                )
                .into()),
            },
            Keeper::File | Keeper::Environment => Ok(private_file::read(&self.file)?),
        }
    }

    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        match self.keeper {
            Keeper::Keyring => self.put_into_keyring(pair),
            Keeper::File | Keeper::Environment => Ok(private_file::write(&self.file, &written(pair))?),
        }
    }

    fn lock(&self) -> Result<Box<dyn Send>, TokenStoreError> {
        Ok(Box::new(private_file::take_turn(&self.file)?))
    }
}

fn written(pair: &TokenPair) -> Written<'_> {
    Written { auth_token: pair.access.expose(), refresh: pair.refresh.as_ref().map(Secret::expose) }
}
