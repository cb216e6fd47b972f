//! The system keyring. Only builds with the feature `keyring` have it; in others every call fails, so that tokens are
//! stored in the file.

use zeroize::Zeroizing;

/// The reason why the keyring could not be used.
pub(super) type KeyringError = String;

#[cfg(feature = "keyring")]
mod system {
    use keyring::{Entry, Error};

    use super::{KeyringError, Zeroizing};

    /// The service name of our keyring entries.
    const SERVICE: &str = "cairn-taiga";

    /// Returns the entry of a server, if there is one.
    pub(in super::super) fn get(server: &str) -> Result<Option<Zeroizing<String>>, KeyringError> {
        match Entry::new(SERVICE, server).and_then(|entry| entry.get_password()) {
            Ok(text) => Ok(Some(Zeroizing::new(text))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Stores an entry and reads it back: some keyrings report success without storing anything.
    pub(in super::super) fn set(server: &str, text: &str) -> Result<(), KeyringError> {
        let stored = Entry::new(SERVICE, server).and_then(|entry| {
            entry.set_password(text)?;
            entry.get_password()
        });
        let stored = stored.map(Zeroizing::new).map_err(|error| error.to_string())?;
        if *stored == text { Ok(()) } else { Err("the entry was not kept".to_owned()) }
    }

    /// Removes the entry of a server, if there is one.
    pub(in super::super) fn remove(server: &str) -> Result<(), KeyringError> {
        match Entry::new(SERVICE, server).and_then(|entry| entry.delete_credential()) {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(not(feature = "keyring"))]
mod system {
    use super::{KeyringError, Zeroizing};

    const MISSING: &str = "this program was built without keyring support";

    pub(in super::super) fn get(_: &str) -> Result<Option<Zeroizing<String>>, KeyringError> {
        Err(MISSING.to_owned())
    }

    pub(in super::super) fn set(_: &str, _: &str) -> Result<(), KeyringError> {
        Err(MISSING.to_owned())
    }

    pub(in super::super) fn remove(_: &str) -> Result<(), KeyringError> {
        Err(MISSING.to_owned())
    }
}

pub(super) use system::{get, remove, set};
