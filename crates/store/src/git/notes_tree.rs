//! The tree of a notes ref: one blob per commit, named by the commit's id, with fan-out folders of two digits if there
//! are many. Reads any depth that git or other programs made, also mixed ones; splits folders as git does; keeps all
//! other entries of the tree.

use std::collections::BTreeMap;

use gix::objs::tree::{Entry, EntryKind, EntryMode};
use gix::objs::{Kind, Tree, TreeRefIter, WriteTo};

use super::gix;
use super::objects::malformed;
use super::{CommitId, GitError, ObjectId, ReadError, Repository};

/// Maximum size of a tree object.
const MAX_TREE: u64 = 64 * 1024 * 1024;

/// Maximum number of folders in one walk: two full levels, enough for millions of notes. A few small trees that contain
/// each other could otherwise expand without end.
const MAX_WALK: usize = 80_000;

/// A change of one note between two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteChange {
    /// The annotated commit.
    pub commit: CommitId,
    /// Blob before, if there was one.
    pub old: Option<ObjectId>,
    /// Blob after, if there is one.
    pub new: Option<ObjectId>,
}

/// One folder of the tree. The keys of `notes` are the remaining digits of the id, after those in the path.
#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, gix::ObjectId>,
    notes: BTreeMap<String, gix::ObjectId>,
    others: Vec<(EntryMode, Vec<u8>, gix::ObjectId)>,
}

/// Notes to add, or to remove if there is no blob, by the remaining digits of their commit's id.
type Edits = BTreeMap<String, Option<gix::ObjectId>>;

impl Repository {
    /// Returns the blob of a commit's note.
    pub(crate) fn find_note(&self, tree: &ObjectId, commit: &CommitId) -> Result<Option<ObjectId>, ReadError> {
        let hex = commit.to_string();
        let (mut folder, mut rest) = (tree.0, hex.as_str());
        loop {
            let level = self.read_folder(folder, rest.len())?;
            if let Some(blob) = level.notes.get(rest) {
                return Ok(Some(ObjectId(*blob)));
            }
            match level.folders.get(&rest[..2.min(rest.len())]) {
                Some(below) => (folder, rest) = (*below, &rest[2..]),
                None => return Ok(None),
            }
        }
    }

    /// Returns the differences between two trees of notes, by commit. Folders that are equal in both are not read.
    pub(crate) fn diff_notes(
        &self,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
    ) -> Result<Vec<NoteChange>, ReadError> {
        let mut walk = Walk { repository: self, sides: Default::default(), left: MAX_WALK };
        let digits = self.hash_length() * 2;
        walk.compare([old, new].map(|tree| tree.map(|tree| tree.0)), "", digits)?;
        let [old, new] = walk.sides;
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let change = |name: &String| {
            let commit = name.parse().ok()?;
            let (old, new) = (old.get(name).copied().map(ObjectId), new.get(name).copied().map(ObjectId));
            (old != new).then_some(NoteChange { commit, old, new })
        };
        Ok(names.into_iter().filter_map(change).collect())
    }

    /// Writes a tree with notes added, or removed if there is no blob, durably, and returns its id.
    pub fn write_notes_tree(
        &self,
        tree: Option<&ObjectId>,
        edits: &[(CommitId, Option<ObjectId>)],
    ) -> Result<ObjectId, ReadError> {
        let edits = edits.iter().map(|(commit, blob)| (commit.to_string(), blob.map(|blob| blob.0))).collect();
        let written = self.edit_folder(tree.map(|tree| tree.0), edits, self.hash_length() * 2)?;
        let written = match written {
            Some(written) => written,
            None => self.write_tree(&[])?,
        };
        Ok(ObjectId(written))
    }

    /// Reads a blob of at most `limit` bytes.
    pub fn read_blob(&self, id: &ObjectId, limit: u64) -> Result<Vec<u8>, ReadError> {
        self.with_object(id.0, Kind::Blob, limit, |bytes| Ok(bytes.to_vec()))
    }

    /// Writes a blob durably and returns its id.
    pub fn write_blob(&self, bytes: &[u8]) -> Result<ObjectId, GitError> {
        self.write_object(Kind::Blob, bytes).map(ObjectId)
    }

    // `None` if the folder becomes empty.
    fn edit_folder(
        &self,
        tree: Option<gix::ObjectId>,
        mut edits: Edits,
        digits: usize,
    ) -> Result<Option<gix::ObjectId>, ReadError> {
        let mut folder = match tree {
            Some(tree) => self.read_folder(tree, digits)?,
            None => Folder::default(),
        };
        if folder.folders.is_empty() {
            for (name, blob) in edits {
                match blob {
                    Some(blob) => folder.notes.insert(name, blob),
                    None => folder.notes.remove(&name),
                };
            }
            edits = Edits::new();
        }
        if !folder.folders.is_empty() || is_full(&folder.notes, digits) {
            // Notes next to folders are moved into them: each commit has one place, and until now the nearer one took
            // precedence.
            let notes = std::mem::take(&mut folder.notes);
            for (name, blob) in notes {
                edits.entry(name).or_insert(Some(blob));
            }
        }
        self.edit_below(&mut folder, edits, digits)?;
        if folder.is_empty() {
            return Ok(None);
        }
        let bytes = folder.bytes()?;
        let is_same = |tree| gix::objs::compute_hash(self.format.hash, Kind::Tree, &bytes).is_ok_and(|id| id == tree);
        // An unchanged folder is in the store already.
        match tree.filter(|tree| is_same(*tree)) {
            Some(tree) => Ok(Some(tree)),
            None => Ok(Some(self.write_object(Kind::Tree, &bytes)?)),
        }
    }

    fn edit_below(&self, folder: &mut Folder, edits: Edits, digits: usize) -> Result<(), ReadError> {
        let mut by_folder: BTreeMap<String, Edits> = BTreeMap::new();
        for (name, blob) in edits {
            let (head, rest) = name.split_at(2);
            by_folder.entry(head.to_owned()).or_default().insert(rest.to_owned(), blob);
        }
        for (name, edits) in by_folder {
            let old = folder.folders.remove(&name);
            if let Some(new) = self.edit_folder(old, edits, digits - 2)? {
                folder.folders.insert(name, new);
            }
        }
        Ok(())
    }

    fn read_folder(&self, tree: gix::ObjectId, digits: usize) -> Result<Folder, ReadError> {
        self.with_object(tree, Kind::Tree, MAX_TREE, |bytes| {
            let mut folder = Folder::default();
            for entry in TreeRefIter::from_bytes(bytes, tree.kind()) {
                let entry = entry.map_err(|error| malformed(tree, error.to_string()))?;
                let (name, id) = (entry.filename, entry.oid.to_owned());
                let is_hex = name.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
                if is_hex && entry.mode.is_blob() && name.len() == digits {
                    folder.notes.insert(name.to_string(), id);
                } else if is_hex && entry.mode.is_tree() && name.len() == 2 && digits > 2 {
                    folder.folders.insert(name.to_string(), id);
                } else {
                    folder.others.push((entry.mode, name.to_vec(), id));
                }
            }
            Ok(folder)
        })
    }
}

/// Git's criterion for splitting a folder: at least two notes for each first digit.
fn is_full(notes: &BTreeMap<String, gix::ObjectId>, digits: usize) -> bool {
    let mut counts = [0usize; 16];
    let first = notes.keys().filter_map(|name| name.chars().next()?.to_digit(16));
    first.for_each(|digit| counts[digit as usize] += 1);
    digits > 2 && counts.iter().all(|count| *count >= 2)
}

impl Folder {
    fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.notes.is_empty() && self.others.is_empty()
    }

    fn bytes(self) -> Result<Vec<u8>, GitError> {
        let folders = self.folders.into_iter().map(|(name, id)| (EntryKind::Tree.into(), name.into_bytes(), id));
        let notes = self.notes.into_iter().map(|(name, id)| (EntryKind::Blob.into(), name.into_bytes(), id));
        let all = folders.chain(notes).chain(self.others);
        let mut entries: Vec<Entry> = all.map(|(mode, name, oid)| Entry { mode, filename: name.into(), oid }).collect();
        entries.sort();
        let mut bytes = Vec::new();
        Tree { entries }.write_to(&mut bytes).map_err(|error| GitError::BadCommit { why: error.to_string() })?;
        Ok(bytes)
    }
}

/// A simultaneous walk through two trees.
struct Walk<'a> {
    repository: &'a Repository,
    /// The notes of each side in folders that differ.
    sides: [BTreeMap<String, gix::ObjectId>; 2],
    left: usize,
}

impl Walk<'_> {
    fn compare(&mut self, trees: [Option<gix::ObjectId>; 2], prefix: &str, digits: usize) -> Result<(), ReadError> {
        if trees[0] == trees[1] {
            return Ok(());
        }
        self.count(trees)?;
        let read = |tree: Option<gix::ObjectId>| match tree {
            Some(tree) => self.repository.read_folder(tree, digits),
            None => Ok(Folder::default()),
        };
        let folders = [read(trees[0])?, read(trees[1])?];
        let mut names: Vec<&String> = folders.iter().flat_map(|folder| folder.folders.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let below = [0, 1].map(|side: usize| folders[side].folders.get(name).copied());
            // A note next to a folder hides the one in it, on its own side only.
            let hides = |folder: &Folder| folder.notes.keys().any(|note| note.starts_with(name.as_str()));
            let path = format!("{prefix}{name}");
            if below[0] == below[1] && folders.iter().any(hides) {
                self.compare([below[0], None], &path, digits - 2)?;
                self.compare([None, below[1]], &path, digits - 2)?;
            } else {
                self.compare(below, &path, digits - 2)?;
            }
        }
        for (side, folder) in folders.into_iter().enumerate() {
            let notes = folder.notes.into_iter().map(|(name, blob)| (format!("{prefix}{name}"), blob));
            self.sides[side].extend(notes);
        }
        Ok(())
    }

    fn count(&mut self, trees: [Option<gix::ObjectId>; 2]) -> Result<(), ReadError> {
        match (self.left.checked_sub(1), trees.into_iter().flatten().next()) {
            (None, Some(id)) => Err(ReadError::TooMany { id: ObjectId(id), limit: MAX_WALK }),
            (left, _) => {
                self.left = left.unwrap_or(0);
                Ok(())
            }
        }
    }
}
