//! The person's git configuration as git resolves it: system, global, repository, work tree, includes and
//! environment, in that order. It is read anew each time, so a long-lived process sees a change at once; only what
//! belongs together may ask to see the same settings throughout.

use std::sync::{Arc, Mutex, PoisonError};

use super::{GitError, Repository};

/// Settings that stay as they were read, for as long as somebody holds them.
pub(super) type Slot = Arc<Mutex<Option<Arc<Settings>>>>;

/// Keeps the settings of a repository as they are until it is dropped: one change to the log asks for them four times,
/// and each time costs a third of a millisecond.
#[must_use]
pub struct HeldSettings(Slot);

impl Drop for HeldSettings {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// All settings that apply to a repository, at one moment.
#[derive(Debug)]
pub(super) struct Settings(gix::config::File);

impl Settings {
    /// Returns the last value of a key, if it is text.
    pub(super) fn string(&self, key: &str) -> Option<String> {
        self.0.string(key).map(|value| value.to_string())
    }

    /// Returns every value of a key, in order.
    pub(super) fn strings(&self, key: &str) -> Vec<String> {
        let values = self.0.strings(key).unwrap_or_default();
        values.into_iter().map(|value| value.to_string()).collect()
    }

    /// Returns a yes-or-no setting, or the default when it is absent or neither.
    pub(super) fn boolean(&self, key: &str, default: bool) -> bool {
        self.0.boolean(key).ok().flatten().unwrap_or(default)
    }

    /// Returns a number, or the default when it is absent or not one.
    pub(super) fn integer(&self, key: &str, default: i64) -> i64 {
        self.0.integer(key).ok().flatten().unwrap_or(default)
    }

    /// Returns the names between the quotes of `[section "name"]`, in order, each once.
    pub(super) fn subsections(&self, section: &str) -> Vec<String> {
        let mut names = Vec::new();
        for section in self.0.sections_by_name(section).into_iter().flatten() {
            let name = section.header().subsection_name().map(ToString::to_string);
            names.extend(name.filter(|name| !names.contains(name)));
        }
        names
    }
}

impl Repository {
    /// Reads the settings and keeps them, for everything that is asked of this repository meanwhile.
    pub fn hold_settings(&self) -> Result<HeldSettings, GitError> {
        let settings = Arc::new(self.read_settings()?);
        *self.held_settings.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
        Ok(HeldSettings(Arc::clone(&self.held_settings)))
    }

    pub(super) fn settings(&self) -> Result<Arc<Settings>, GitError> {
        let held = self.held_settings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        held.map_or_else(|| self.read_settings().map(Arc::new), Ok)
    }

    fn read_settings(&self) -> Result<Settings, GitError> {
        // Who owns it was settled when the repository was found.
        let options = gix::open::Options::default().with(gix::sec::Trust::Full).open_path_as_is(true);
        let opened = gix::open_opts(self.git_dir(), options);
        let opened =
            opened.map_err(|source| GitError::broken(&self.common_dir().join("config"), source.to_string()))?;
        Ok(Settings(opened.config_snapshot().plumbing().clone()))
    }

    /// Returns the value of a configuration key such as `user.name`, if it is set.
    pub fn config_string(&self, key: &str) -> Result<Option<String>, GitError> {
        Ok(self.settings()?.string(key))
    }

    /// Returns every value of a configuration key that may be set more than once.
    pub fn config_strings(&self, key: &str) -> Result<Vec<String>, GitError> {
        Ok(self.settings()?.strings(key))
    }

    /// Tells whether the person's git signs commits.
    pub fn wants_signed_commits(&self) -> Result<bool, GitError> {
        Ok(self.settings()?.boolean("commit.gpgsign", false))
    }
}
