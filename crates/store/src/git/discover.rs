//! Finds the repository a path belongs to, as git does: `GIT_DIR`, then upwards to the first `.git` or bare
//! repository. It never creates anything and reads no configuration.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::GitError;

/// Git's own variables that say where a repository is.
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

/// Where a repository's parts are; all paths are absolute.
#[derive(Debug, Clone)]
pub(super) struct Location {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    /// The directory the search found the repository in, when that was by a `.git` entry.
    pub(super) work_tree: Option<PathBuf>,
    /// The `.git` file that led here, in linked work trees and submodules.
    pub(super) git_file: Option<PathBuf>,
    /// Named by `GIT_DIR`: the person's own choice, which git does not question.
    pub(super) explicit: bool,
}

/// Finds the repository that `start` belongs to.
pub(super) fn locate(environment: &Environment, start: &Path) -> Result<Location, GitError> {
    let not_found = || GitError::NotARepository { path: start.to_owned() };
    let start = fs::canonicalize(start).map_err(|_| not_found())?;
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
    let target = if path.is_file() { read_git_file(path)? } else { path.to_owned() };
    let git_dir = fs::canonicalize(target).map_err(|_| not_found())?;
    let common_dir = common_dir(environment, &git_dir).ok_or_else(not_found)?;
    Ok(Location { git_dir, common_dir, work_tree: None, git_file: None, explicit: true })
}

fn upwards(environment: &Environment, start: &Path) -> Result<Option<Location>, GitError> {
    // The start itself is always looked at; only the way up ends at a ceiling.
    let ceiling = environment.ceilings.iter().filter(|ceiling| start != *ceiling && start.starts_with(ceiling));
    let ceiling = ceiling.max_by_key(|ceiling| ceiling.as_os_str().len());
    for directory in start.ancestors() {
        if ceiling.is_some_and(|ceiling| directory == ceiling) {
            break;
        }
        if !environment.across_filesystems && !same_filesystem(start, directory) {
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
    let kind = fs::metadata(&dot_git).ok().map(|metadata| metadata.file_type());
    let (git_dir, git_file) = match kind {
        // A `.git` file that leads nowhere ends the search, or we would write into an outer repository.
        Some(kind) if kind.is_file() => (read_git_file(&dot_git)?, Some(dot_git)),
        Some(kind) if kind.is_dir() => (dot_git, None),
        _ => return Ok(bare(environment, directory)),
    };
    let resolved = fs::canonicalize(&git_dir).ok();
    let found = resolved.and_then(|git_dir| common_dir(environment, &git_dir).map(|common_dir| (git_dir, common_dir)));
    match (found, git_file) {
        (Some((git_dir, common_dir)), git_file) => {
            let work_tree = Some(directory.to_owned());
            Ok(Some(Location { git_dir, common_dir, work_tree, git_file, explicit: false }))
        }
        (None, Some(git_file)) => {
            Err(GitError::broken(&git_file, format!("it names `{}`, which is no repository", git_dir.display())))
        }
        (None, None) => Ok(bare(environment, directory)),
    }
}

fn bare(environment: &Environment, directory: &Path) -> Option<Location> {
    let common_dir = common_dir(environment, directory)?;
    let git_dir = directory.to_owned();
    Some(Location { git_dir, common_dir, work_tree: None, git_file: None, explicit: false })
}

/// Returns the common directory if `git_dir` looks like a repository: a `HEAD`, `objects` and `refs`.
fn common_dir(environment: &Environment, git_dir: &Path) -> Option<PathBuf> {
    if !has_head(git_dir) {
        return None;
    }
    let common = match &environment.common_dir {
        // Git reads the variable for the repository that `GIT_DIR` names, and for no other.
        Some(common) if environment.git_dir.is_some() => fs::canonicalize(common).ok()?,
        _ => match fs::read_to_string(git_dir.join("commondir")) {
            Ok(text) => fs::canonicalize(git_dir.join(text.trim_end_matches(['\n', '\r']))).ok()?,
            Err(_) => git_dir.to_owned(),
        },
    };
    let is_complete = common.join("objects").is_dir() && common.join("refs").is_dir();
    is_complete.then_some(common)
}

fn has_head(git_dir: &Path) -> bool {
    let path = git_dir.join("HEAD");
    if let Ok(target) = fs::read_link(&path) {
        return target.starts_with("refs");
    }
    let mut text = Vec::new();
    let Ok(file) = fs::File::open(&path) else {
        return false;
    };
    if file.take(256).read_to_end(&mut text).is_err() {
        return false;
    }
    text.starts_with(b"ref:") || (text.len() >= 40 && text[..40].iter().all(u8::is_ascii_hexdigit))
}

fn read_git_file(path: &Path) -> Result<PathBuf, GitError> {
    let text = fs::read_to_string(path).map_err(|source| GitError::broken(path, source))?;
    let Some(target) = text.strip_prefix("gitdir:") else {
        return Err(GitError::broken(path, "it does not start with `gitdir:`"));
    };
    let target = target.trim_start_matches(' ').trim_end_matches(['\n', '\r']);
    Ok(path.parent().unwrap_or(path).join(target))
}

/// Splits the list as git does: relative entries do not count, and after an empty one links are kept as they are.
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
fn same_filesystem(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    device(one) == device(other)
}

#[cfg(not(unix))]
fn same_filesystem(_one: &Path, _other: &Path) -> bool {
    true
}
