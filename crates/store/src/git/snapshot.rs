//! Resolves commits and reads the project's own files in them, byte for byte. Read-only.

use std::sync::Arc;

use gix::objs::tree::EntryMode;
use gix::objs::{CommitRef, Kind, TreeRefIter};

use super::gix;
use super::objects::malformed;
use super::question::{ANSWER_TIMEOUT, Subcommand, may_fetch};
use super::reference::Target;
use super::{CommitId, GitError, ObjectId, ReadError, RefStorage, Repository, TreePath};

/// Maximum size of a tree object.
const MAX_TREE: u64 = 64 * 1024 * 1024;
/// Maximum number of files in one listing.
const MAX_FILES: usize = 4 * 1024 * 1024;
/// Maximum size of a commit object.
const MAX_COMMIT: u64 = 64 * 1024 * 1024;
/// Maximum length of a chain of symbolic references; git's own limit.
const MAX_CHAIN: usize = 5;

/// The object at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEntry {
    /// A file, with its blob and its content.
    File(ObjectId, Vec<u8>),
    /// A folder.
    Folder,
    /// A symbolic link or a submodule.
    Other,
}

/// The type of a tree entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryType {
    File,
    Folder,
    Other,
}

impl EntryType {
    fn of(mode: EntryMode) -> Self {
        match mode {
            mode if mode.is_tree() => Self::Folder,
            mode if mode.is_blob() => Self::File,
            _ => Self::Other,
        }
    }
}

impl Repository {
    /// Returns the commit of `HEAD`; `None` before the first commit.
    pub fn head(&self) -> Result<Option<CommitId>, GitError> {
        if self.ref_storage() == RefStorage::Reftable {
            return self.resolve_commit("HEAD");
        }
        let broken = |why: String| GitError::broken(&self.git_dir().join("HEAD"), why);
        let mut name = "HEAD".to_owned();
        for _ in 0..MAX_CHAIN {
            match self.find_target(&name)? {
                None => return Ok(None),
                Some(Target::Object(id)) => return Ok(Some(CommitId(id))),
                Some(Target::Symbolic(target)) => name = target,
                Some(Target::Broken(why)) => return Err(broken(why)),
            }
        }
        Err(broken("it is a chain of links without an end".to_owned()))
    }

    /// Resolves a revision such as `HEAD~2` or a short id; `None` if there is no such commit.
    pub fn resolve_commit(&self, revision: &str) -> Result<Option<CommitId>, GitError> {
        // An argument of a process cannot contain NUL.
        if revision.contains('\0') {
            return Ok(None);
        }
        let mut command = self.question(Subcommand::RevParse);
        command.args(["--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")]);
        let answer = command.ask_to_end(ANSWER_TIMEOUT)?;
        Ok(str::from_utf8(&answer.stdout).ok().and_then(|text| text.trim().parse().ok()))
    }

    /// Returns the object at a path of a commit, files of at most `limit` bytes; `None` if the path does not exist.
    pub fn read_path(&self, commit: &CommitId, path: &TreePath, limit: u64) -> Result<Option<TreeEntry>, ReadError> {
        match self.find_path(commit, path)? {
            None => Ok(None),
            Some((EntryType::Folder, _)) => Ok(Some(TreeEntry::Folder)),
            Some((EntryType::Other, _)) => Ok(Some(TreeEntry::Other)),
            Some((EntryType::File, id)) => {
                self.read_or_fetch(id, Kind::Blob, limit).map(|bytes| Some(TreeEntry::File(ObjectId(id), bytes)))
            }
        }
    }

    /// Returns the files in a folder of a commit, or in the whole commit, recursively, sorted by name. Empty if the
    /// path is not a folder.
    pub fn list_files(&self, commit: &CommitId, folder: Option<&TreePath>) -> Result<Vec<TreePath>, ReadError> {
        let tree = match folder {
            None => Some(self.tree_of_commit(commit)?),
            Some(folder) => match self.find_path(commit, folder)? {
                Some((EntryType::Folder, id)) => Some(id),
                _ => None,
            },
        };
        let mut files = Vec::new();
        let mut left = MAX_FILES;
        if let Some(tree) = tree {
            self.list_into(&mut files, &mut left, tree, folder)?;
        }
        files.sort_unstable();
        Ok(files)
    }

    fn tree_of_commit(&self, commit: &CommitId) -> Result<gix::ObjectId, ReadError> {
        let bytes = self.folders.get(commit.0, || self.read_or_fetch(commit.0, Kind::Commit, MAX_COMMIT))?;
        let read = CommitRef::from_bytes(&bytes, commit.0.kind());
        read.map(|read| read.tree()).map_err(|error| malformed(commit.0, error.to_string()))
    }

    fn find_path(&self, commit: &CommitId, path: &TreePath) -> Result<Option<(EntryType, gix::ObjectId)>, ReadError> {
        let mut found = (EntryType::Folder, self.tree_of_commit(commit)?);
        for part in path.parts() {
            if found.0 != EntryType::Folder {
                return Ok(None);
            }
            let Some(entry) = self.find_entry(found.1, part)? else { return Ok(None) };
            found = entry;
        }
        Ok(Some(found))
    }

    fn list_into(
        &self,
        files: &mut Vec<TreePath>,
        left: &mut usize,
        tree: gix::ObjectId,
        folder: Option<&TreePath>,
    ) -> Result<(), ReadError> {
        for (kind, name, id) in self.read_entries(tree)? {
            *left = left.checked_sub(1).ok_or(ReadError::TooMany { id: ObjectId(tree), limit: MAX_FILES })?;
            let path = TreePath::below(folder, &name);
            match kind {
                EntryType::File => files.push(path),
                EntryType::Folder => self.list_into(files, left, id, Some(&path))?,
                EntryType::Other => {}
            }
        }
        Ok(())
    }

    fn read_entries(&self, tree: gix::ObjectId) -> Result<Vec<(EntryType, Vec<u8>, gix::ObjectId)>, ReadError> {
        let bytes = self.folder_bytes(tree)?;
        let entries = TreeRefIter::from_bytes(&bytes, tree.kind()).map(|entry| {
            let entry = entry.map_err(|error| malformed(tree, error.to_string()))?;
            Ok((EntryType::of(entry.mode), entry.filename.to_vec(), entry.oid.to_owned()))
        });
        entries.collect()
    }

    fn find_entry(&self, tree: gix::ObjectId, name: &[u8]) -> Result<Option<(EntryType, gix::ObjectId)>, ReadError> {
        let bytes = self.folder_bytes(tree)?;
        for entry in TreeRefIter::from_bytes(&bytes, tree.kind()) {
            let entry = entry.map_err(|error| malformed(tree, error.to_string()))?;
            if entry.filename == name {
                return Ok(Some((EntryType::of(entry.mode), entry.oid.to_owned())));
            }
        }
        Ok(None)
    }

    fn folder_bytes(&self, tree: gix::ObjectId) -> Result<Arc<[u8]>, ReadError> {
        // Git knows the empty tree without an object, so it may be absent from the store.
        if tree == gix::ObjectId::empty_tree(self.format.hash) {
            return Ok(Arc::default());
        }
        self.folders.get(tree, || self.read_or_fetch(tree, Kind::Tree, MAX_TREE))
    }

    // In a partial clone git fetches the missing object, if the person allows it.
    fn read_or_fetch(&self, id: gix::ObjectId, kind: Kind, limit: u64) -> Result<Vec<u8>, ReadError> {
        let missing = match self.with_object(id, kind, limit, |bytes| Ok(bytes.to_vec())) {
            Err(error @ ReadError::Missing { .. }) => error,
            other => return other,
        };
        if !may_fetch() {
            return Err(if self.is_partial_clone()? { GitError::NotFetched.into() } else { missing });
        }
        let mut command = self.question(Subcommand::CatFile);
        command.args([&kind.to_string(), &id.to_hex().to_string()]);
        let answer = command.ask_to_end(ANSWER_TIMEOUT)?;
        if answer.is_success() { Ok(answer.stdout) } else { Err(missing) }
    }
}
