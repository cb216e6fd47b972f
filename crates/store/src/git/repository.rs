//! An open repository: its directories and its format. Opening reads one small file and creates nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::GitError;
use super::discover::{self, Environment, Location};
use super::folder_cache::FolderCache;
use super::format::Format;
use super::gix;
use super::objects::Objects;
use super::ownership;
use super::settings::{SettingsCache, SettingsSlot};
use parking_lot::Mutex;

/// The storage format of references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefStorage {
    /// Loose files and `packed-refs`.
    Files,
    /// Reftable, which only the `git` program reads and writes.
    Reftable,
}

/// A git repository. Threads may share one, or use a clone each.
#[derive(Debug)]
pub struct Repository {
    pub(super) location: Location,
    pub(super) format: Format,
    pub(super) refs: gix::refs::file::Store,
    pub(super) objects: Mutex<Option<Objects>>,
    pub(super) folders: FolderCache,
    /// The empty tree is known to be in the object store.
    pub(super) has_empty_tree: AtomicBool,
    pub(super) held_settings: SettingsSlot,
    pub(super) known_settings: SettingsCache,
}

impl Repository {
    /// Finds and opens the repository that contains `start`, as git does: `GIT_DIR` first, then upwards.
    ///
    /// A repository of another user is refused unless git's `safe.directory` lists it. No repository is ever created.
    pub fn discover(start: &Path) -> Result<Self, GitError> {
        Self::open(&Environment::of_process(), start)
    }

    pub(super) fn open(environment: &Environment, start: &Path) -> Result<Self, GitError> {
        let mut location = discover::locate(environment, start)?;
        ownership::check(&location)?;
        let format = Format::read(&location.common_dir)?;
        if environment.work_tree.is_none() {
            location.work_tree = work_tree(&location, &format);
        }
        let refs = ref_store(&location, &format);
        Ok(Self {
            location,
            format,
            refs,
            objects: Mutex::default(),
            folders: FolderCache::default(),
            has_empty_tree: AtomicBool::new(false),
            held_settings: SettingsSlot::default(),
            known_settings: SettingsCache::default(),
        })
    }

    /// Returns the git directory of this work tree.
    pub fn git_dir(&self) -> &Path {
        &self.location.git_dir
    }

    /// Returns the git directory that all work trees share, with objects, references and our own files.
    pub fn common_dir(&self) -> &Path {
        &self.location.common_dir
    }

    /// Returns the top of the work tree, if there is one.
    pub fn workdir(&self) -> Option<&Path> {
        self.location.work_tree.as_deref()
    }

    /// Returns the length of an object id in bytes: 20 for SHA-1, 32 for SHA-256.
    pub fn hash_length(&self) -> usize {
        self.format.hash.len_in_bytes()
    }

    /// Returns the storage format of references.
    pub fn ref_storage(&self) -> RefStorage {
        self.format.ref_storage
    }

    /// Returns the name of the project: the name of its folder, the same in every linked work tree.
    pub fn project_name(&self) -> String {
        let common = self.common_dir();
        let is_dot_git = common.file_name().is_some_and(|name| name == ".git");
        let folder = if is_dot_git { common.parent().unwrap_or(common) } else { common };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.strip_suffix(".git").unwrap_or(&name).to_owned()
    }

    /// Returns whether the repository is shallow.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        let path = self.common_dir().join("shallow");
        match fs::metadata(&path) {
            Ok(metadata) => Ok(metadata.len() > 0),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(GitError::reading(&path, source)),
        }
    }

    pub(super) fn objects_dir(&self) -> PathBuf {
        self.common_dir().join("objects")
    }
}

impl Clone for Repository {
    fn clone(&self) -> Self {
        let objects = self.objects.lock().clone();
        Self {
            location: self.location.clone(),
            format: self.format.clone(),
            refs: ref_store(&self.location, &self.format),
            objects: Mutex::new(objects),
            folders: FolderCache::default(),
            has_empty_tree: AtomicBool::new(false),
            held_settings: SettingsSlot::default(),
            known_settings: SettingsCache::default(),
        }
    }
}

/// Determines the work tree, once the configuration is known.
fn work_tree(location: &Location, format: &Format) -> Option<PathBuf> {
    let is_linked = location.git_dir != location.common_dir;
    if is_linked {
        return location.work_tree.clone().or_else(|| linked_work_tree(&location.git_dir));
    }
    if format.is_bare == Some(true) {
        return None;
    }
    if let Some(configured) = &format.work_tree {
        let path = location.git_dir.join(configured);
        return Some(fs::canonicalize(&path).unwrap_or(path));
    }
    let is_dot_git = location.git_dir.file_name().is_some_and(|name| name == ".git");
    let above = if is_dot_git { location.git_dir.parent().map(Path::to_owned) } else { None };
    location.work_tree.clone().or(above)
}

/// The private directory of a linked work tree names the `.git` file at its top.
fn linked_work_tree(git_dir: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(git_dir.join("gitdir")).ok()?;
    let top = git_dir.join(text.trim_end()).parent()?.to_owned();
    fs::canonicalize(top).ok()
}

fn ref_store(location: &Location, format: &Format) -> gix::refs::file::Store {
    let options = gix::refs::store::init::Options {
        write_reflog: gix::refs::store::WriteReflog::Disable,
        precompose_unicode: false,
        prohibit_windows_device_names: cfg!(windows),
    };
    let git_dir = location.git_dir.clone();
    if location.git_dir == location.common_dir {
        gix::refs::file::Store::at_opts(git_dir, format.hash, options)
    } else {
        gix::refs::file::Store::for_linked_worktree_opts(git_dir, location.common_dir.clone(), format.hash, options)
    }
}
