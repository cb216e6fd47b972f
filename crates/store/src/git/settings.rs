//! The git configuration as git resolves it: system, global, repository, work tree, includes and environment, in that
//! order. It is reloaded whenever one of its files may have changed, so that a long-lived process sees a change at
//! once; an operation can hold one snapshot.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;

use super::gix;
use super::reference::Target;
use super::settings_files::FileVersions;
use super::settings_sources::{Subject, Unreadable};
use super::{GitError, Repository};
use gix::refs::FullNameRef;

/// A snapshot of the settings, while somebody holds it.
pub(super) type SettingsSlot = Arc<Mutex<Option<Arc<Settings>>>>;

/// Cached settings, valid while their files are unchanged.
pub(super) type SettingsCache = Mutex<Option<(FileVersions, Arc<Settings>)>>;

/// Holds a snapshot of the settings until it is dropped: one write to the log reads them four times.
#[must_use]
pub struct HeldSettings(SettingsSlot);

impl Drop for HeldSettings {
    fn drop(&mut self) {
        *self.0.lock() = None;
    }
}

/// All settings of a repository at one moment.
#[derive(Debug)]
pub(super) struct Settings(gix::config::File);

impl Settings {
    /// Returns the last value of a key, if it is text.
    pub(super) fn string(&self, key: &str) -> Option<String> {
        self.0.string(key).map(|value| value.to_string())
    }

    /// Returns the last value of a key as a path, with `~/` and similar prefixes expanded as git does.
    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        let home = gix::path::env::home_dir();
        let context = gix::config::path::interpolate::Context {
            home_dir: home.as_deref(),
            home_for_user: Some(gix::config::path::interpolate::home_for_user),
            ..Default::default()
        };
        let path = self.0.path(key).filter(|path| !path.is_empty())?;
        path.interpolate(context).ok()
    }

    /// Returns all values of a key, in order.
    pub(super) fn strings(&self, key: &str) -> Vec<String> {
        let values = self.0.strings(key).unwrap_or_default();
        values.into_iter().map(|value| value.to_string()).collect()
    }

    /// Returns a boolean, or the default if it is absent or invalid.
    pub(super) fn boolean(&self, key: &str, default: bool) -> bool {
        self.0.boolean(key).ok().flatten().unwrap_or(default)
    }

    /// Returns an integer, or the default if it is absent or invalid.
    pub(super) fn integer(&self, key: &str, default: i64) -> i64 {
        self.0.integer(key).ok().flatten().unwrap_or(default)
    }

    /// Returns the subsection names of `[section "name"]`, in order, without duplicates.
    pub(super) fn subsections(&self, section: &str) -> Vec<String> {
        let mut names = Vec::new();
        for section in self.0.sections_by_name(section).into_iter().flatten() {
            let name = section.header().subsection_name().map(ToString::to_string);
            names.extend(name.filter(|name| !names.contains(name)));
        }
        names
    }
}

impl Settings {
    /// Returns whether they include no other files, so that the files that git always reads determine them.
    fn are_whole(&self) -> bool {
        ["include", "includeIf"].iter().all(|name| self.0.sections_by_name(name).is_none())
    }
}

impl Repository {
    /// Reads the settings and holds them for all operations on this repository until the guard is dropped.
    pub fn hold_settings(&self) -> Result<HeldSettings, GitError> {
        let settings = self.newest_settings()?;
        *self.held_settings.lock() = Some(settings);
        Ok(HeldSettings(Arc::clone(&self.held_settings)))
    }

    pub(super) fn settings(&self) -> Result<Arc<Settings>, GitError> {
        let held = self.held_settings.lock().clone();
        held.map_or_else(|| self.newest_settings(), Ok)
    }

    fn newest_settings(&self) -> Result<Arc<Settings>, GitError> {
        let mut known = self.known_settings.lock();
        // Invariant: the files are examined before they are read, so that a change in between is noticed the next time.
        let (looks, now) = (self.settings_versions(), SystemTime::now());
        if let Some((_, settings)) = known.as_ref().filter(|(then, _)| *then == looks) {
            return Ok(Arc::clone(settings));
        }
        let settings = Arc::new(self.read_settings()?);
        let can_be_kept = looks.are_settled(now) && settings.are_whole();
        *known = can_be_kept.then(|| (looks, Arc::clone(&settings)));
        Ok(settings)
    }

    fn read_settings(&self) -> Result<Settings, GitError> {
        // Ownership was checked when the repository was found.
        let branch = match self.find_target("HEAD")? {
            Some(Target::Symbolic(name)) => Some(name),
            _ => None,
        };
        let branch = branch.as_deref().and_then(|name| <&FullNameRef>::try_from(name).ok());
        let subject = Subject { common_dir: self.common_dir(), git_dir: self.git_dir(), branch };
        // Only an unreadable file that exists is an error: git reads on without a file that it may not read.
        let read = match subject.settings(Unreadable::Fails) {
            Err(error) if failed_read(&error).is_none() => subject.settings(Unreadable::IsSkipped),
            read => read,
        };
        read.map(Settings).map_err(|error| {
            let cause = failed_read(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            GitError::broken(&self.common_dir().join("config"), format!("{error}{cause}"))
        })
    }

    /// Returns the value of a key such as `user.name`, if it is set.
    pub fn config_string(&self, key: &str) -> Result<Option<String>, GitError> {
        Ok(self.settings()?.string(key))
    }

    /// Returns all values of a key.
    pub fn config_strings(&self, key: &str) -> Result<Vec<String>, GitError> {
        Ok(self.settings()?.strings(key))
    }

    /// Returns an integer setting, or the default.
    pub(crate) fn config_integer(&self, key: &str, default: i64) -> Result<i64, GitError> {
        Ok(self.settings()?.integer(key, default))
    }

    /// Returns whether the repository is a partial clone, so that objects may be missing.
    pub(super) fn is_partial_clone(&self) -> Result<bool, GitError> {
        let settings = self.settings()?;
        let is_promisor = |remote: &String| settings.boolean(&format!("remote.{remote}.promisor"), false);
        Ok(settings.string("extensions.partialClone").is_some()
            || settings.subsections("remote").iter().any(is_promisor))
    }
}

/// Returns the I/O error that prevented a read. A file without read permission counts as absent, as in git.
fn failed_read(error: &gix::Error) -> Option<&io::Error> {
    let error = error.downcast_any_ref::<io::Error>()?;
    let is_absent = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied);
    (!is_absent).then_some(error)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use testkit::TestRepository;

    use super::*;

    /// Caches the settings as if their files had not changed for a long time.
    fn know(repository: &Repository) {
        let settings = Arc::new(repository.read_settings().unwrap());
        *repository.known_settings.lock() = Some((repository.settings_versions(), settings));
    }

    #[test]
    fn a_change_is_seen_at_once() {
        let fixture = TestRepository::new();
        let repository = Repository::discover(fixture.path()).unwrap();
        for name in ["Ada", "Grace", "Edsger"] {
            know(&repository);
            fixture.git(&["config", "user.name", name]);
            assert_eq!(repository.config_string("user.name").unwrap().as_deref(), Some(name));
        }
    }

    #[test]
    fn settings_are_known_while_their_files_look_the_same() {
        let fixture = TestRepository::new();
        let repository = Repository::discover(fixture.path()).unwrap();
        know(&repository);
        assert!(Arc::ptr_eq(&repository.settings().unwrap(), &repository.settings().unwrap()));
    }

    #[test]
    fn settings_that_include_others_are_not_kept() {
        let fixture = TestRepository::new();
        let repository = Repository::discover(fixture.path()).unwrap();
        assert!(repository.settings().unwrap().are_whole());
        let other = fixture.directory_path().join("other");
        fs::write(&other, "[user]\nname = Grace\n").unwrap();
        fixture.git(&["config", "include.path", other.to_str().unwrap()]);
        assert!(!repository.settings().unwrap().are_whole());
        fixture.git(&["config", "--unset", "include.path"]);
        fixture.git(&["config", "includeIf.onbranch:main.path", other.to_str().unwrap()]);
        assert!(!repository.settings().unwrap().are_whole());
    }

    /// The settings of the work tree win, an included file counts where it is included, and conditions are met or not.
    #[test]
    fn values_are_those_that_git_reports() {
        let fixture = TestRepository::new();
        let folder = fixture.directory_path();
        let include = |condition: &str, name: &str| {
            fs::write(folder.join(name), format!("[cairn]\n\t{name} = {name}\n\tlast = {name}\n")).unwrap();
            fixture.git(&["config", condition, folder.join(name).to_str().unwrap()]);
        };
        include("include.path", "plain");
        include("includeIf.gitdir:**/.git.path", "folder");
        include("includeIf.gitdir:/nowhere/.path", "nowhere");
        include("includeIf.onbranch:other.path", "other");
        let branch = fixture.git(&["symbolic-ref", "--short", "HEAD"]);
        include(&format!("includeIf.onbranch:{}.path", branch.trim()), "branch");
        fixture.git(&["config", "extensions.worktreeConfig", "true"]);
        fixture.git(&["config", "--worktree", "cairn.worktree", "own"]);
        let repository = Repository::discover(fixture.path()).unwrap();
        for key in
            ["plain", "folder", "nowhere", "other", "branch", "last", "worktree"].map(|name| format!("cairn.{name}"))
        {
            let expected = fixture.try_git(&["config", "--get", &key]).stdout;
            let expected = String::from_utf8(expected).unwrap().trim().to_owned();
            assert_eq!(repository.config_string(&key).unwrap().unwrap_or_default(), expected, "{key}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error() {
        let fixture = TestRepository::new();
        let repository = Repository::discover(fixture.path()).unwrap();
        let file = fixture.git_dir().join("config");
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let error = repository.config_string("user.name").unwrap_err().to_string();
        insta::assert_snapshot!(testkit::redact(&error), @"the repository at `<tmp>/project/.git/config` is broken");
    }

    #[test]
    fn a_bad_value_does_not_hide_the_others() {
        let fixture = TestRepository::new();
        let repository = Repository::discover(fixture.path()).unwrap();
        let file = fixture.git_dir().join("config");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{text}[core]\nabbrev = nonsense\n[user]\nname = Ada\n")).unwrap();
        assert_eq!(repository.config_string("user.name").unwrap().as_deref(), Some("Ada"));
    }
}
