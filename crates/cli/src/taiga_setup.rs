//! Where Taiga servers and tokens are stored, from the environment.

use std::env;
use std::path::PathBuf;

use tracker::{Secret, Setup, TokenStorage};

/// Reads `XDG_STATE_HOME`, `CAIRN_TAIGA_URL`, `CAIRN_TAIGA_TOKEN` and `CAIRN_KEYRING`.
pub(crate) fn of_environment() -> Setup {
    let text = |name: &str| env::var(name).ok().filter(|text| !text.trim().is_empty());
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let home = || env::home_dir().and_then(absolute).map(|home| home.join(".local").join("state"));
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).and_then(absolute).or_else(home);
    let (url, token) = (text("CAIRN_TAIGA_URL"), text("CAIRN_TAIGA_TOKEN").map(Secret::new));
    let missing = match (&url, &token) {
        (Some(_), None) => Some("CAIRN_TAIGA_TOKEN"),
        (None, Some(_)) => Some("CAIRN_TAIGA_URL"),
        _ => None,
    };
    let given = url.zip(token);
    let token_storage = match text("CAIRN_KEYRING").as_deref() {
        None | Some("off") => TokenStorage::File,
        Some(_) => TokenStorage::Keyring,
    };
    let state = state.unwrap_or_else(env::temp_dir).join("cairn").join("taiga");
    Setup { state, given, missing, token_storage }
}
