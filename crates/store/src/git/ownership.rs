//! Git's protection against repositories of other users (`safe.directory`, `safe.bareRepository`).
//!
//! Their configuration can run programs as us, so such a repository is refused unless it is trusted.

use std::env;
use std::path::{Path, PathBuf};

use super::GitError;
use super::discover::Location;
use super::gix;
use super::settings_sources;

/// Fails if the repository may not be used without the person's consent.
///
/// The person's configuration is read only if it is needed.
pub(super) fn check(location: &Location) -> Result<(), GitError> {
    // Git treats `GIT_DIR` as consent.
    if location.explicit {
        return Ok(());
    }
    let subject = location.work_tree.as_deref().unwrap_or(&location.git_dir);
    let is_found_bare = location.work_tree.is_none() && !is_inside_dot_git(&location.git_dir);
    if is_found_bare && requires_explicit_bare(location) {
        return Err(GitError::Untrusted { path: location.git_dir.clone() });
    }
    let parts = [location.git_file.as_deref(), location.work_tree.as_deref(), Some(location.git_dir.as_path())];
    let is_ours = parts.into_iter().flatten().all(is_owned);
    if is_ours || is_listed(location, subject) {
        return Ok(());
    }
    Err(GitError::Untrusted { path: subject.to_owned() })
}

fn is_owned(path: &Path) -> bool {
    gix::sec::identity::is_path_owned_by_current_user(path).unwrap_or(false)
}

fn is_inside_dot_git(git_dir: &Path) -> bool {
    git_dir.components().any(|component| component.as_os_str() == ".git")
}

fn requires_explicit_bare(location: &Location) -> bool {
    let settings = personal_settings(location);
    let value = settings.and_then(|settings| settings.string("safe.bareRepository"));
    value.is_some_and(|value| value.eq_ignore_ascii_case(b"explicit"))
}

/// Evaluates the list as git does: an empty entry resets it, `*` trusts everything, `DIR/*` everything below.
fn is_listed(location: &Location, subject: &Path) -> bool {
    let settings = personal_settings(location);
    let entries = settings.and_then(|settings| settings.strings("safe.directory")).unwrap_or_default();
    let mut is_safe = false;
    for entry in entries {
        let entry = entry.to_string();
        match entry.as_str() {
            "" => is_safe = false,
            "*" => is_safe = true,
            entry => is_safe = is_safe || matches(entry, subject),
        }
    }
    is_safe
}

fn matches(entry: &str, subject: &Path) -> bool {
    let path = match entry.strip_prefix("~/") {
        Some(rest) => home().join(rest),
        None => PathBuf::from(entry),
    };
    let resolve = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.file_name().is_some_and(|name| name == "*") {
        let above = path.parent().map(resolve);
        return above.is_some_and(|above| subject != above && subject.starts_with(above));
    }
    (path.is_absolute() || entry == ".") && resolve(&path) == subject
}

fn home() -> PathBuf {
    env::home_dir().unwrap_or_default()
}

/// Loads the settings that the repository cannot influence: system, user and command line.
fn personal_settings(location: &Location) -> Option<gix::config::File> {
    settings_sources::personal(&location.git_dir).ok()
}
