//! The keyring: git's credential helpers, which reach the secure store of each platform.

use store::git::Credential;
use zeroize::Zeroizing;

/// The reason why the keyring could not be used.
pub(super) type KeyringError = String;

/// The user name of our entries.
const USERNAME: &str = "cairn";

/// Returns the entry of a server, if there is one.
pub(super) fn get(server: &str) -> Result<Option<Zeroizing<String>>, KeyringError> {
    with_entry(server, |entry| entry.fill()).map(|text| text.map(Zeroizing::new))
}

/// Stores an entry and reads it back: git reports success also when no helper stored anything.
pub(super) fn set(server: &str, text: &str) -> Result<(), KeyringError> {
    with_entry(server, |entry| entry.approve(text))?;
    match get(server)? {
        Some(stored) if *stored == text => Ok(()),
        _ => Err("no credential helper of git kept it".to_owned()),
    }
}

/// Removes the entry of a server, if there is one.
pub(super) fn remove(server: &str) -> Result<(), KeyringError> {
    with_entry(server, |entry| entry.reject())
}

fn with_entry<T>(
    server: &str,
    act: impl FnOnce(Credential<'_>) -> Result<T, store::git::GitError>,
) -> Result<T, KeyringError> {
    // No server can have this name, so the entry is never sent to one.
    let host = format!("{server}.taiga.cairn.invalid");
    act(Credential { host: &host, username: USERNAME }).map_err(|error| error.to_string())
}
