//! Merges two diverged notes refs: a three-way merge per note, and a merge of documents where both sides changed. It is
//! deterministic: every clone makes the same commit, so that clones converge.

use std::collections::BTreeMap;

use super::{MESSAGE_LIMIT, Notes, read_blob};
use crate::adopt::machine;
use crate::format::annotation::{self, MAX_BYTES};
use crate::git::{CommitId, NewCommit, ObjectId, ReadError, Repository};
use crate::index::Warning;
use crate::open::StoreError;

/// The notes that a side changed; `None` is a removed note.
type Changes = BTreeMap<CommitId, Option<ObjectId>>;

/// Writes the merge commit of two tips of a notes ref, and returns what was left out of it. No ref points at it yet.
pub(crate) fn write_merge(
    repository: &Repository,
    a: CommitId,
    b: CommitId,
) -> Result<(CommitId, Vec<Warning>), StoreError> {
    // Invariant: everything below depends only on the two tips in this order, never on which side is ours.
    let mut parents = [a, b];
    parents.sort_unstable();
    let [first, second] = parents;
    let [ours, theirs] = [Notes::at(repository, Some(first))?, Notes::at(repository, Some(second))?];
    let base = Notes::at(repository, repository.only_merge_base(first, second)?)?;
    let changed_here = changes(&base, &ours)?;
    let mut edits = Vec::new();
    let mut warnings = Vec::new();
    for (commit, blob) in changes(&base, &theirs)? {
        let merged = match changed_here.get(&commit) {
            None => blob,
            Some(own) => {
                let merged = merge_blobs(repository, *own, blob)?;
                warnings.extend(merged.left_out.map(|left_out| left_out_of(&commit, &left_out)));
                merged.blob
            }
        };
        edits.push((commit, merged));
    }
    let tree = repository.write_notes_tree(ours.tree.as_ref(), &edits)?;
    let seconds = committer_time(repository, first)?.max(committer_time(repository, second)?);
    let author = machine(seconds);
    let commit = NewCommit { parents: &parents, message: b"merge notes\n", files: &[], author: Some(&author) };
    Ok((repository.write_commit_with_tree(&commit, tree)?, warnings))
}

fn left_out_of(commit: &CommitId, blob: &ObjectId) -> Warning {
    let text = format!(
        "two clones changed its annotation, and together they are too long; the newer one is kept, the other one is \
         `{blob}`"
    );
    Warning { place: commit.to_string(), text }
}

/// Writes the merge commit of tips that all have the same tree.
pub(crate) fn write_equal_merge(
    repository: &Repository,
    tips: &[CommitId],
    tree: ObjectId,
) -> Result<CommitId, StoreError> {
    let mut parents = tips.to_vec();
    parents.sort_unstable();
    let mut seconds = 0;
    for tip in &parents {
        seconds = committer_time(repository, *tip)?.max(seconds);
    }
    let author = machine(seconds);
    let commit = NewCommit { parents: &parents, message: b"merge notes\n", files: &[], author: Some(&author) };
    Ok(repository.write_commit_with_tree(&commit, tree)?)
}

fn changes(base: &Notes<'_>, side: &Notes<'_>) -> Result<Changes, StoreError> {
    let changes = side.repository.diff_notes(base.tree.as_ref(), side.tree.as_ref())?;
    Ok(changes.into_iter().map(|change| (change.commit, change.new)).collect())
}

/// The merge of a note that both sides changed.
struct MergedNote {
    /// `None` if both removed it.
    blob: Option<ObjectId>,
    /// The note that could not be merged with the other one.
    left_out: Option<ObjectId>,
}

impl From<Option<ObjectId>> for MergedNote {
    fn from(blob: Option<ObjectId>) -> Self {
        Self { blob, left_out: None }
    }
}

// A note that one side removed and the other changed is kept.
fn merge_blobs(
    repository: &Repository,
    one: Option<ObjectId>,
    other: Option<ObjectId>,
) -> Result<MergedNote, StoreError> {
    let (Some(one), Some(other)) = (one, other) else { return Ok(one.or(other).into()) };
    if one == other {
        return Ok(Some(one).into());
    }
    let only = |kept: ObjectId| {
        let left_out = if kept == one { other } else { one };
        MergedNote { blob: Some(kept), left_out: Some(left_out) }
    };
    let merged = match (read_blob(repository, &one)?, read_blob(repository, &other)?) {
        (Ok(a), Ok(b)) => match annotation::write_readable(&model::annotation::merge(&a, &b)) {
            Ok(merged) => merged,
            // Together they are too long. No reader would accept the merge, so the newer one is kept; the other one is
            // in the history of the ref.
            Err(_) => return Ok(only(if (a.timestamp, one) > (b.timestamp, other) { one } else { other })),
        },
        (Ok(_), Err(_)) => return Ok(Some(one).into()),
        (Err(_), Ok(_)) => return Ok(Some(other).into()),
        (Err(_), Err(_)) => match (text(repository, &one)?, text(repository, &other)?) {
            (Some(a), Some(b)) if (a.len() + b.len()) as u64 <= MAX_BYTES => each_line_once(&a, &b),
            _ => return Ok(only(one.max(other))),
        },
    };
    Ok(Some(repository.write_blob(&merged)?).into())
}

/// Reads a note that is not an annotation; `None` if it is too long, missing or damaged.
fn text(repository: &Repository, blob: &ObjectId) -> Result<Option<Vec<u8>>, StoreError> {
    match repository.read_blob(blob, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::Git(error)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

// Neither side can be parsed: keep all lines of both, sorted, so that the result does not depend on the side.
fn each_line_once(one: &[u8], other: &[u8]) -> Vec<u8> {
    let lines = [one, other].into_iter().flat_map(|text| text.split(|byte| *byte == b'\n'));
    let mut lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().flat_map(|line| [line, b"\n"].concat()).collect()
}

fn committer_time(repository: &Repository, commit: CommitId) -> Result<i64, StoreError> {
    Ok(repository.read_commit(&commit, MESSAGE_LIMIT)?.committer_time)
}
