//! Reads the git configuration in the order that git reads it: system, person, repository, work tree, included files,
//! environment.

use std::env;
use std::path::{Path, PathBuf};

use super::gix;
use gix::config::file::{Metadata, includes, init};
use gix::config::{File, Source, path};
use gix::refs::FullNameRef;
use gix::sec::Trust;

/// What happens if a file exists and cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    Fails,
    IsSkipped,
}

/// The folders of a repository and its current branch, on which `includeIf` depends.
pub(super) struct Subject<'a> {
    pub(super) common_dir: &'a Path,
    pub(super) git_dir: &'a Path,
    pub(super) branch: Option<&'a FullNameRef>,
}

impl Subject<'_> {
    /// Returns all settings of the repository.
    pub(super) fn settings(&self, unreadable: Unreadable) -> Result<File, gix::Error> {
        let local = read([(Source::Local, self.common_dir.join("config"))], unreadable)?;
        let has_own = local.boolean("extensions.worktreeConfig").ok().flatten().unwrap_or(false);
        let own = has_own.then(|| (Source::Worktree, self.git_dir.join("config.worktree")));
        let mut settings = everyones(unreadable)?;
        settings.append(local)?;
        settings.append(read(own, unreadable)?)?;
        complete(settings, self.git_dir, self.branch)
    }
}

/// Returns the settings that a repository cannot influence: system, person and environment.
pub(super) fn personal(git_dir: &Path) -> Result<File, gix::Error> {
    complete(everyones(Unreadable::IsSkipped)?, git_dir, None)
}

/// Returns the settings of the system and of the person.
fn everyones(unreadable: Unreadable) -> Result<File, gix::Error> {
    let located = |source: Source| Some((source, source.storage_location(&mut |name| env::var_os(name))?));
    let system = located(Source::System);
    // `GIT_CONFIG_SYSTEM` replaces both, and `GIT_CONFIG_NOSYSTEM` leaves both out.
    let is_replaced = system.is_none() || env::var_os("GIT_CONFIG_SYSTEM").is_some();
    let installed = if is_replaced { None } else { installation_config() };
    let installed = installed.map(|path| (Source::GitInstallation, path));
    let own = [Source::Git, Source::User].into_iter().filter_map(located);
    read(installed.into_iter().chain(system).chain(own), unreadable)
}

/// Returns where an installed git has its settings, if not in `/etc`: in `etc` beside the folder of the program. Only git
/// knows for sure, but asking it is a process for every command, which takes as long as most of them.
fn installation_config() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let program = env::split_paths(&folders).map(|folder| folder.join("git")).find(|path| path.is_file())?;
    Some(program.canonicalize().ok()?.parent()?.parent()?.join("etc/gitconfig"))
}

/// Reads files, later ones with precedence. Absent ones have no settings.
fn read(files: impl IntoIterator<Item = (Source, PathBuf)>, unreadable: Unreadable) -> Result<File, gix::Error> {
    let mut files = files.into_iter().map(|(source, path)| Metadata::from(source).at(path).with(Trust::Full));
    let options = init::Options { ignore_io_errors: unreadable == Unreadable::IsSkipped, ..Default::default() };
    let must_exist = false;
    Ok(File::from_paths_metadata_buf(&mut files, &mut Vec::new(), must_exist, options)?.unwrap_or_default())
}

/// Adds the included files and `GIT_CONFIG_COUNT` to the settings of all files.
fn complete(mut settings: File, git_dir: &Path, branch: Option<&FullNameRef>) -> Result<File, gix::Error> {
    let home = gix::path::env::home_dir();
    let paths = path::interpolate::Context {
        home_dir: home.as_deref(),
        home_for_user: Some(path::interpolate::home_for_user),
        ..Default::default()
    };
    let conditions = includes::conditional::Context { git_dir: Some(git_dir), branch_name: branch };
    let options = init::Options { includes: includes::Options::follow(paths, conditions), ..Default::default() };
    settings.resolve_includes(options)?;
    settings.append(File::from_env(options)?.unwrap_or_default())?;
    Ok(settings)
}
