//! Finds the repository of a path, as git does: `GIT_DIR`, then upwards to the first `.git` or bare repository. It
//! creates nothing and reads no configuration.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::GitError;

/// Git's environment variables for the location of a repository.
#[derive(Debug, Default)]
pub(super) struct Environment {
    pub(super) git_dir: Option<PathBuf>,
    pub(super) common_dir: Option<PathBuf>,
    pub(super) work_tree: Option<PathBuf>,
    pub(super) ceilings: Vec<PathBuf>,
    pub(super) across_filesystems: bool,
}

impl Environment {
    pub(super) fn of_process() -> Self {
        let path = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let across = env::var("GIT_DISCOVERY_ACROSS_FILESYSTEM").unwrap_or_default();
        Self {
            git_dir: path("GIT_DIR"),
            common_dir: path("GIT_COMMON_DIR"),
            work_tree: path("GIT_WORK_TREE"),
            ceilings: ceilings(env::var_os("GIT_CEILING_DIRECTORIES")),
            across_filesystems: matches!(across.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on"),
        }
    }
}

/// The directories of a repository; all paths are absolute.
#[derive(Debug, Clone)]
pub(super) struct Location {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    /// The directory with the `.git` entry, if the repository was found by one.
    pub(super) work_tree: Option<PathBuf>,
    /// The `.git` file that led here, in linked work trees and submodules.
    pub(super) git_file: Option<PathBuf>,
    /// Named by `GIT_DIR`: an explicit choice, for which git skips the ownership check.
    pub(super) explicit: bool,
}

/// Finds the repository that contains `start`.
pub(super) fn locate(environment: &Environment, start: &Path) -> Result<Location, GitError> {
    let not_found = || GitError::NotARepository { path: start.to_owned() };
    let start = if_present(start, fs::canonicalize(start))?.ok_or_else(not_found)?;
    let mut location = match &environment.git_dir {
        Some(git_dir) => explicit(environment, &start.join(git_dir))?,
        None => upwards(environment, &start)?.ok_or_else(not_found)?,
    };
    if let Some(work_tree) = &environment.work_tree {
        location.work_tree = Some(start.join(work_tree));
    }
    Ok(location)
}

fn explicit(environment: &Environment, path: &Path) -> Result<Location, GitError> {
    let not_found = || GitError::NotARepository { path: path.to_owned() };
    let is_file = if_present(path, fs::metadata(path))?.is_some_and(|metadata| metadata.is_file());
    let target = if is_file { read_git_file(path)? } else { path.to_owned() };
    let git_dir = fs::canonicalize(target).map_err(|_| not_found())?;
    let common_dir = common_dir(environment, &git_dir)?.ok_or_else(not_found)?;
    Ok(Location { git_dir, common_dir, work_tree: None, git_file: None, explicit: true })
}

fn upwards(environment: &Environment, start: &Path) -> Result<Option<Location>, GitError> {
    // The start itself is always checked; a ceiling only stops the walk upwards.
    let ceiling = environment.ceilings.iter().filter(|ceiling| start != *ceiling && start.starts_with(ceiling));
    let ceiling = ceiling.max_by_key(|ceiling| ceiling.as_os_str().len());
    for directory in start.ancestors() {
        if ceiling.is_some_and(|ceiling| directory == ceiling) {
            break;
        }
        if !environment.across_filesystems && !same_filesystem(start, directory)? {
            break;
        }
        if let Some(location) = look_in(environment, directory)? {
            return Ok(Some(location));
        }
    }
    Ok(None)
}

fn look_in(environment: &Environment, directory: &Path) -> Result<Option<Location>, GitError> {
    let dot_git = directory.join(".git");
    let kind = if_present(&dot_git, fs::metadata(&dot_git))?.map(|metadata| metadata.file_type());
    let (git_dir, git_file) = match kind {
        // A dangling `.git` file ends the search, or we would write into an outer repository.
        Some(kind) if kind.is_file() => (read_git_file(&dot_git)?, Some(dot_git)),
        Some(kind) if kind.is_dir() => (dot_git, None),
        _ => return bare(environment, directory),
    };
    let found = match if_present(&git_dir, fs::canonicalize(&git_dir))? {
        Some(git_dir) => common_dir(environment, &git_dir)?.map(|common_dir| (git_dir, common_dir)),
        None => None,
    };
    match (found, git_file) {
        (Some((git_dir, common_dir)), git_file) => {
            let work_tree = Some(directory.to_owned());
            Ok(Some(Location { git_dir, common_dir, work_tree, git_file, explicit: false }))
        }
        (None, Some(git_file)) => {
            Err(GitError::broken(&git_file, format!("it names `{}`, which is not a repository", git_dir.display())))
        }
        (None, None) => bare(environment, directory),
    }
}

fn bare(environment: &Environment, directory: &Path) -> Result<Option<Location>, GitError> {
    let Some(common_dir) = common_dir(environment, directory)? else { return Ok(None) };
    let git_dir = directory.to_owned();
    Ok(Some(Location { git_dir, common_dir, work_tree: None, git_file: None, explicit: false }))
}

/// Distinguishes an absent or inaccessible path from an I/O error. An I/O error must end the search, or it would go on
/// upwards and find an outer repository.
fn if_present<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>, GitError> {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};

    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | InvalidFilename) => Ok(None),
        Err(source) => Err(GitError::reading(path, source)),
    }
}

/// Returns the common directory if `git_dir` looks like a repository: `HEAD`, `objects` and `refs`.
fn common_dir(environment: &Environment, git_dir: &Path) -> Result<Option<PathBuf>, GitError> {
    if !has_head(git_dir)? {
        return Ok(None);
    }
    let path = git_dir.join("commondir");
    let common = match &environment.common_dir {
        // Git reads the variable only together with `GIT_DIR`.
        Some(common) if environment.git_dir.is_some() => if_present(common, fs::canonicalize(common))?,
        _ => match if_present(&path, fs::read_to_string(&path))? {
            Some(text) => {
                let target = git_dir.join(text.trim_end_matches(['\n', '\r']));
                if_present(&target, fs::canonicalize(&target))?
            }
            None => Some(git_dir.to_owned()),
        },
    };
    let Some(common) = common else { return Ok(None) };
    let is_complete = is_folder(&common.join("objects"))? && is_folder(&common.join("refs"))?;
    Ok(is_complete.then_some(common))
}

fn is_folder(path: &Path) -> Result<bool, GitError> {
    Ok(if_present(path, fs::metadata(path))?.is_some_and(|metadata| metadata.is_dir()))
}

fn has_head(git_dir: &Path) -> Result<bool, GitError> {
    let path = git_dir.join("HEAD");
    if let Ok(target) = fs::read_link(&path) {
        return Ok(target.starts_with("refs"));
    }
    let Some(file) = if_present(&path, fs::File::open(&path))? else { return Ok(false) };
    let mut text = Vec::new();
    match file.take(256).read_to_end(&mut text) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Ok(false),
        Err(source) => return Err(GitError::reading(&path, source)),
    }
    Ok(text.starts_with(b"ref:") || (text.len() >= 40 && text[..40].iter().all(u8::is_ascii_hexdigit)))
}

fn read_git_file(path: &Path) -> Result<PathBuf, GitError> {
    let text = fs::read_to_string(path).map_err(|source| GitError::broken(path, source))?;
    let Some(target) = text.strip_prefix("gitdir:") else {
        return Err(GitError::broken(path, "it does not start with `gitdir:`"));
    };
    let target = target.trim_start_matches(' ').trim_end_matches(['\n', '\r']);
    Ok(path.parent().unwrap_or(path).join(target))
}

/// Splits the list as git does: relative entries are ignored, and after an empty entry symbolic links are not resolved.
fn ceilings(value: Option<OsString>) -> Vec<PathBuf> {
    let mut resolve = true;
    let mut ceilings = Vec::new();
    for path in env::split_paths(&value.unwrap_or_default()) {
        if path.as_os_str().is_empty() {
            resolve = false;
        } else if path.is_absolute() {
            let resolved = if resolve { fs::canonicalize(&path).ok() } else { None };
            ceilings.push(resolved.unwrap_or(path));
        }
    }
    ceilings
}

#[cfg(unix)]
fn same_filesystem(one: &Path, other: &Path) -> Result<bool, GitError> {
    use std::os::unix::fs::MetadataExt;

    let device = |path: &Path| Ok(if_present(path, fs::metadata(path))?.map(|metadata| metadata.dev()));
    Ok(device(one)? == device(other)?)
}

#[cfg(not(unix))]
fn same_filesystem(_one: &Path, _other: &Path) -> Result<bool, GitError> {
    Ok(true)
}
