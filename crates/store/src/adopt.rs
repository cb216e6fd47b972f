//! Adopts a history from elsewhere, a remote's or an import, as the log.
//!
//! The ref moves once, after the index has ingested everything and every number is settled. A history that cannot be
//! ingested must not become ours, or every later command would fail on it; and at no moment may an item lose a number
//! that others have seen.

use std::collections::HashSet;

use model::id::OpId;
use model::number::{ItemNumber, NumberSpace};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use model::renumber::Renumbering;

use crate::format::{self, v1};
use crate::git::{CommitId, FixedIdentity, Identity, ReadError, RefName, Repository};
use crate::index::{Index, NumberMap};
use crate::open::{Notice, Store, StoreError};
use crate::operation_files::OperationFiles;
use crate::shared::RefMove;

/// Maximum number of renumberings in the subject of their commit.
const MAX_NAMED: usize = 5;

/// A history to adopt.
#[derive(Debug)]
pub(crate) struct Adoption<'a> {
    /// The current tip of the log.
    pub(crate) from: Option<CommitId>,
    /// The tip that other servers have: the same, unless commits of this clone are joined with theirs.
    pub(crate) shared_from: Option<CommitId>,
    /// The new tip; all operations of the log must be reachable from it.
    pub(crate) tip: CommitId,
    /// Maximum number of bytes of operations to ingest.
    pub(crate) limit: u64,
    /// The reflog message.
    pub(crate) reason: &'a str,
    /// What to do when two published items have the same number.
    pub(crate) on_published_conflict: OnPublishedConflict,
}

/// What to do when two published items have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnPublishedConflict {
    /// Renumber the later item.
    Renumber,
    /// Adopt nothing.
    Abort,
}

impl Store {
    /// Moves the log and returns the numbers before the move; `None` if published numbers conflict and nothing was
    /// adopted. The caller refreshes the index. `unpublished` returns the operations that no remote has: of two
    /// entities that claim a number, the unpublished one gives way. It is called only on a conflict.
    pub(crate) fn adopt(
        &mut self,
        adoption: &Adoption<'_>,
        unpublished: impl FnOnce(&Repository) -> Result<HashSet<OpId>, StoreError>,
    ) -> Result<Option<NumberMap>, StoreError> {
        let before = self.index.numbers()?;
        let (repository, listener, shared) = (&self.repository, &self.listener, &self.shared);
        let mut progress = |done, total| listener(Notice::Indexing { done, total });
        let (mut is_moved, mut is_aborted) = (false, false);
        let adopted = self.index.write_transaction(|index| {
            let found = index.take_in(repository, adoption.tip, adoption.limit, &mut progress)?;
            let mut tip = adoption.tip;
            if index.has_contested(&found.contested)? {
                let renumberings = index.renumberings(&found.contested, &unpublished(repository)?, &before)?;
                if adoption.on_published_conflict == OnPublishedConflict::Abort
                    && renumberings.iter().any(|(_, one)| one.is_published)
                {
                    is_aborted = true;
                    // An error rolls the transaction back; `is_aborted` distinguishes it from a real one.
                    return Err(StoreError::Contended);
                }
                if !renumberings.is_empty() {
                    tip = write_renumberings(repository, index, tip, &renumberings)?;
                    // No limit: this commit is our own.
                    index.take_in(repository, tip, u64::MAX, &mut progress)?;
                }
            }
            if adoption.from != Some(tip) {
                // Inside the transaction: if the ref cannot be moved, the index is rolled back.
                let to = RefMove {
                    shared_from: adoption.shared_from,
                    ..RefMove::new(&RefName::WORK, adoption.from, tip, adoption.reason)
                };
                shared.publish(repository, &to)?;
                is_moved = true;
            }
            Ok::<_, StoreError>(found)
        });
        match adopted {
            Ok(found) => found.warnings.into_iter().for_each(|warning| self.tell(Notice::Skipped(warning))),
            Err(_) if is_aborted => return Ok(None),
            // The ref has moved, so the adoption counts; the next catch-up repairs the index.
            Err(StoreError::Index(_)) if is_moved => {}
            Err(error) => return Err(error),
        }
        Ok(Some(before))
    }

    /// Writes a renumber operation for each item whose number is provisional, so that no later item can take the
    /// number.
    pub(crate) fn settle(&mut self) -> Result<(), StoreError> {
        let Some(tip) = self.parent()?.tip else { return Ok(()) };
        if self.index.unsettled()?.is_empty() {
            return Ok(());
        }
        let adoption = Adoption {
            from: Some(tip),
            shared_from: Some(tip),
            tip,
            limit: u64::MAX,
            reason: "renumber",
            on_published_conflict: OnPublishedConflict::Renumber,
        };
        self.adopt(&adoption, |_| Ok(HashSet::new()))?;
        self.refresh().map(|_| ())
    }
}

/// Writes the renumber commit. It is deterministic: every clone that makes the same decision on this tip writes the
/// same commit.
fn write_renumberings(
    repository: &Repository,
    index: &Index,
    tip: CommitId,
    renumberings: &[(NumberSpace, Renumbering)],
) -> Result<CommitId, StoreError> {
    let clock = index.clock_of(tip)?.ok_or(StoreError::UnknownClock { commit: tip })?;
    let seconds = seconds(repository, tip)?;
    let at = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    let mut files = OperationFiles::new(repository);
    for (lamport, (_, one)) in (clock + 1..).zip(renumberings) {
        let stamp = Stamp { lamport, id: OpId::shared(&format!("renumber:{tip}:{}", one.entity)) };
        let change = Change::Renumber { number: one.number, releases: one.releases.clone() };
        let by = machine_person();
        files.push(&Op { stamp, entity: one.entity, at, by, imported: None, undoes: None, change })?;
    }
    files.commit(&[tip], &subject(renumberings), Some(&machine(seconds)))
}

fn subject(renumberings: &[(NumberSpace, Renumbering)]) -> String {
    let named = renumberings.iter().take(MAX_NAMED).map(|(space, one)| {
        let reference = |number| ItemNumber { space: *space, number };
        match one.releases.last() {
            Some(from) => format!("{} → {}", reference(*from), reference(one.number)),
            None => format!("now {}", reference(one.number)),
        }
    });
    let words = named.collect::<Vec<_>>().join(", ");
    match renumberings.len().saturating_sub(MAX_NAMED) {
        0 => format!("renumber: {words}"),
        n => format!("renumber: {words} and {n} more"),
    }
}

/// Returns the operations of commits that claim a number. Unreadable commits claim nothing: the index skipped them too.
pub(crate) fn claiming_operations(
    repository: &Repository,
    commits: impl IntoIterator<Item = CommitId>,
) -> Result<HashSet<OpId>, StoreError> {
    let mut found = HashSet::new();
    for id in commits {
        if let Err(ReadError::Git(error)) = add_claiming(repository, &id, &mut found) {
            return Err(error.into());
        }
    }
    Ok(found)
}

fn add_claiming(repository: &Repository, id: &CommitId, found: &mut HashSet<OpId>) -> Result<(), ReadError> {
    let commit = repository.read_commit(id, format::MESSAGE_LIMIT)?;
    found.extend(claiming(format::read_message(&commit.message).body));
    for (_, blob) in repository.list_folder(&commit, format::FOLDER, format::FILE_LIMITS.files)? {
        repository.with_blob(&blob, format::FILE_LIMITS.file_bytes, |bytes| found.extend(claiming(bytes)))?;
    }
    Ok(())
}

/// Returns the operations among lines that claim a number.
pub(crate) fn claiming(lines: &[u8]) -> impl Iterator<Item = OpId> {
    let ops = lines.split(|byte| *byte == b'\n').filter_map(|line| v1::read(line.trim_ascii()).ok());
    let claims = |op: &Op| matches!(op.change, Change::Create { number: Some(_), .. } | Change::Renumber { .. });
    ops.filter(claims).map(|op| op.stamp.id)
}

/// Returns the commit time. A commit that no clone can read has the time 0 in every clone.
pub(crate) fn seconds(repository: &Repository, commit: CommitId) -> Result<i64, StoreError> {
    match repository.read_commit(&commit, format::MESSAGE_LIMIT) {
        Ok(commit) => Ok(commit.committer_time),
        Err(error) if error.is_final() => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// Returns the author of commits that Cairn derives from the log (merges, renumberings).
pub(crate) fn machine(seconds: i64) -> FixedIdentity {
    let identity = Identity { name: "cairn".to_owned(), email: "cairn@localhost".to_owned() };
    FixedIdentity { identity, seconds }
}

fn machine_person() -> Person {
    Person::new("cairn", "cairn@localhost")
}
