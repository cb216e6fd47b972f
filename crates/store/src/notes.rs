//! Annotations in git: the notes of a notes ref, as documents. Reads use a snapshot; a write is one commit under the
//! writer lock with compare-and-swap, so that no writer loses another's note.

mod merge;

use std::collections::HashSet;

use model::annotation::Note;

use crate::format::annotation::{self, BadNote, MAX_BYTES};
use crate::git::{CommitId, GitError, NewCommit, ObjectId, ReadError, RefName, Repository};
use crate::open::{Store, StoreError};
use crate::shared::{RefMove, SharedRefsHandle};
pub(crate) use merge::{write_equal_merge, write_merge};

/// How often a write is planned again because a foreign program moved the ref. Cairn's own writers queue.
const MAX_TRIES: usize = 64;
/// Commits per search through all notes.
const NAMES_PER_SEARCH: usize = 200;
/// Maximum length of the message of a notes commit; git's own are one line.
pub(crate) const MESSAGE_LIMIT: u64 = 1024 * 1024;

/// A commit's note, or why it is invalid.
pub type Read = Result<Note, BadNote>;

/// The notes of a ref at one moment.
pub struct Notes<'a> {
    repository: &'a Repository,
    tip: Option<CommitId>,
    tree: Option<ObjectId>,
}

/// A write to notes.
#[derive(Debug, Clone, Default)]
pub struct NotePlan {
    /// Subject of the commit on the notes ref.
    pub subject: String,
    /// The new note of each commit.
    pub notes: Vec<(CommitId, Note)>,
}

impl<'a> Notes<'a> {
    /// Returns the current notes of a ref; a missing ref has none.
    pub(crate) fn at_ref(repository: &'a Repository, name: &RefName) -> Result<Self, StoreError> {
        Self::at(repository, repository.read_ref(name)?)
    }

    /// Returns the notes at a commit of a notes ref.
    pub fn at(repository: &'a Repository, tip: Option<CommitId>) -> Result<Self, StoreError> {
        let tree = tip.map(|tip| repository.read_commit(&tip, MESSAGE_LIMIT)).transpose()?.map(|commit| commit.tree);
        Ok(Self { repository, tip, tree })
    }

    /// Returns the commit of the notes ref.
    pub fn tip(&self) -> Option<CommitId> {
        self.tip
    }

    /// Reads the note of a commit, if it has one.
    pub fn read(&self, commit: &CommitId) -> Result<Option<Read>, StoreError> {
        let Some(tree) = &self.tree else { return Ok(None) };
        let blob = self.repository.find_note(tree, commit)?;
        Ok(blob.map(|blob| read_blob(self.repository, &blob)).transpose()?)
    }

    /// Reads the documents of a commit's note: one, or several if git concatenated notes; none without a note.
    pub fn documents(&self, commit: &CommitId) -> Result<Result<Vec<Note>, BadNote>, StoreError> {
        let Some(tree) = &self.tree else { return Ok(Ok(Vec::new())) };
        let Some(blob) = self.repository.find_note(tree, commit)? else { return Ok(Ok(Vec::new())) };
        Ok(read_blob_as(self.repository, &blob, annotation::read_documents)?)
    }

    /// Returns those commits whose notes were carried into the note of another commit.
    pub fn carried(&self, commits: &[CommitId]) -> Result<HashSet<CommitId>, StoreError> {
        let mut carried = HashSet::new();
        let Some(tip) = self.tip else { return Ok(carried) };
        for some in commits.chunks(NAMES_PER_SEARCH) {
            let names: Vec<String> = some.iter().map(CommitId::to_string).collect();
            for (file, name) in self.repository.files_with(&tip, &names)? {
                let (Ok(at), Ok(commit)) = (file.replace('/', "").parse::<CommitId>(), name.parse()) else { continue };
                if at == commit || carried.contains(&commit) {
                    continue;
                }
                let is_origin = |note: &Note| note.provenance.derived_from.contains(&name);
                if self.read(&at)?.is_some_and(|note| note.is_ok_and(|note| is_origin(&note))) {
                    carried.insert(commit);
                }
            }
        }
        Ok(carried)
    }

    /// Returns all commits with a note, readable or not.
    pub fn list(&self) -> Result<Vec<CommitId>, StoreError> {
        let all = self.repository.diff_notes(None, self.tree.as_ref())?;
        Ok(all.into_iter().map(|change| change.commit).collect())
    }
}

impl Store {
    /// Returns the notes ref: the given one, else git's `ultragit.noteref`, else the default.
    pub fn notes_ref(&self, given: Option<&str>) -> Result<RefName, StoreError> {
        Self::notes_ref_of(&self.repository, given)
    }

    /// Returns the same for a repository that is not opened as a store.
    pub fn notes_ref_of(repository: &Repository, given: Option<&str>) -> Result<RefName, StoreError> {
        let configured = match given {
            Some(_) => None,
            None => repository.config_string("ultragit.noteref")?,
        };
        match given.or(configured.as_deref()) {
            Some(name) => RefName::for_notes(name).map_err(|_| StoreError::NotForNotes { name: name.to_owned() }),
            None => Ok(RefName::NOTES),
        }
    }

    /// Returns the current notes of a ref.
    pub fn notes(&self, name: &RefName) -> Result<Notes<'_>, StoreError> {
        self.follow_shared_notes(name)?;
        Notes::at_ref(&self.repository, name)
    }

    /// Reads the note in a blob.
    pub fn read_note(&self, blob: &ObjectId) -> Result<Read, StoreError> {
        Ok(read_blob(&self.repository, blob)?)
    }

    /// Writes what `plan` decides on the newest notes. `plan` may be called again if they change before the write, so
    /// it must have no side effects. A plan without notes writes nothing.
    pub fn write_notes<T, E: From<StoreError>>(
        &mut self,
        name: &RefName,
        mut plan: impl FnMut(&Notes<'_>) -> Result<(NotePlan, T), E>,
    ) -> Result<T, E> {
        let guard = self.lock()?;
        for _ in 0..MAX_TRIES {
            self.follow_shared_notes(name)?;
            let notes = Notes::at_ref(&self.repository, name)?;
            let (plan, answer) = plan(&notes)?;
            if plan.notes.is_empty() {
                return Ok(answer);
            }
            if append(&self.shared, &notes, name, &plan)? {
                drop(guard);
                self.repository.maintain();
                return Ok(answer);
            }
        }
        Err(StoreError::Contended.into())
    }
}

/// Reads a note from its blob. A missing, damaged or oversized blob makes the note invalid, like one that is not JSON.
pub(crate) fn read_blob(repository: &Repository, blob: &ObjectId) -> Result<Read, GitError> {
    read_blob_as(repository, blob, annotation::read)
}

fn read_blob_as<T>(
    repository: &Repository,
    blob: &ObjectId,
    read: fn(&[u8]) -> Result<T, BadNote>,
) -> Result<Result<T, BadNote>, GitError> {
    match repository.read_blob(blob, MAX_BYTES) {
        Ok(bytes) => Ok(read(&bytes)),
        Err(ReadError::Git(error)) => Err(error),
        Err(ReadError::TooLarge { .. }) => Ok(Err(BadNote::TooLong)),
        Err(error @ (ReadError::Missing { .. } | ReadError::Damaged { .. })) => {
            Ok(Err(BadNote::Unreadable(error.to_string())))
        }
        Err(error) => Ok(Err(BadNote::Malformed(error.to_string()))),
    }
}

// `false` if the ref was moved concurrently.
fn append(shared: &SharedRefsHandle, notes: &Notes<'_>, name: &RefName, plan: &NotePlan) -> Result<bool, StoreError> {
    let repository = notes.repository;
    // Nothing is written without an identity.
    repository.identity()?;
    let mut edits = Vec::with_capacity(plan.notes.len());
    for (commit, note) in &plan.notes {
        let refused = |why| StoreError::NoteRefused { commit: *commit, why };
        let bytes = annotation::write_readable(note).map_err(refused)?;
        edits.push((*commit, Some(repository.write_blob(&bytes)?)));
    }
    let tree = repository.write_notes_tree(notes.tree.as_ref(), &edits)?;
    if Some(tree) == notes.tree {
        return Ok(true);
    }
    let parents: Vec<CommitId> = notes.tip.into_iter().collect();
    let message = crate::format::write_message(&plan.subject, b"");
    let commit = NewCommit { parents: &parents, message: &message, files: &[], author: None };
    let commit = repository.write_commit_with_tree(&commit, tree)?;
    match shared.publish(repository, &RefMove::new(name, notes.tip, commit, &plan.subject)) {
        Ok(()) => Ok(true),
        Err(error) if error.is_moved() => Ok(false),
        Err(error) => Err(error.into()),
    }
}
