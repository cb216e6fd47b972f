//! The writes of one commit. Each is planned on the state after the previous ones, which is not visible to others
//! before the commit is on disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use super::outcome::{Completion, Outcome, Waiter};
use crate::format;
use crate::git::{CommitId, WriterGuard};
use crate::index::{Index, SearchText};
use crate::open::{Notice, Store, StoreError};
use crate::shared::TurnGuard;
use crate::write::{Parent, WriteMeta, WritePlan, retry, stamped};

/// Default for the maximum number of writes per commit: the first one waits for all of them.
const MAX_WRITES: i64 = 100;
/// Maximum size of the operations in a batch, so that they fit into the commit message.
const MAX_BYTES: usize = format::MESSAGE_TARGET / 4;
/// Maximum length of the subject line.
const MAX_SUBJECT: usize = 120;

pub(super) struct Batch {
    store: Store,
    // Before the lock: only its holder may have a turn.
    turn: TurnGuard,
    guard: WriterGuard,
    /// The parent of the commit.
    parent: Parent,
    completion: Completion,
    most: usize,
    /// The clock of the last operation.
    clock: u64,
    /// The subject of each write.
    subjects: Vec<String>,
    lines: Vec<u8>,
    /// The search texts of all writes, for the index.
    words: Vec<SearchText>,
    /// Why the index could not apply a write. Nothing of the batch is written then.
    failure: Option<StoreError>,
    /// Whether the index fully reflects the operations.
    is_plain: bool,
    /// Whether the store may be the reason that a plan failed.
    is_doubtful: bool,
}

impl Batch {
    /// Begins a batch on the newest state, under the writers' lock.
    pub(super) fn begin(mut store: Store) -> Result<Self, StoreError> {
        let guard = store.lock()?;
        let turn = TurnGuard::take(&store.shared);
        let most = store.repository.config_integer("cairn.writesPerCommit", MAX_WRITES)?;
        let parent = begin_speculative(&mut store)?;
        Ok(Self {
            store,
            turn,
            guard,
            clock: parent.clock,
            parent,
            completion: Completion::new(),
            most: usize::try_from(most).unwrap_or(1),
            subjects: Vec::new(),
            lines: Vec::new(),
            words: Vec::new(),
            failure: None,
            is_plain: true,
            is_doubtful: false,
        })
    }

    /// Limits the number of writes.
    pub(super) fn admit(&mut self, n_writes: usize) {
        self.most = self.most.min(n_writes);
    }

    pub(super) fn waiter(&self) -> Waiter {
        self.completion.waiter()
    }

    /// Returns whether it must be written before another write may join.
    pub(super) fn is_full(&self) -> bool {
        self.failure.is_some() || self.subjects.len() >= self.most || self.lines.len() >= MAX_BYTES
    }

    /// Runs a plan, adds its changes and reads the result; if they cannot be added, nothing is read. Only the changes
    /// of a plan can affect the others, never an error of the plan or the read.
    pub(super) fn plan<T, U, E>(
        &mut self,
        writer: &Store,
        meta: &mut WriteMeta<'_>,
        plan: &mut impl FnMut(&Index) -> Result<(WritePlan, T), E>,
        read: &mut impl FnMut(&Index, T) -> Result<U, E>,
    ) -> thread::Result<Result<Option<U>, E>> {
        self.store.listener = Arc::clone(&writer.listener);
        let planned = catch_unwind(AssertUnwindSafe(|| plan(&self.store.index)));
        let seen = match planned {
            Ok(Ok((plan, answer))) => {
                self.add(meta, plan);
                let is_added = self.failure.is_none();
                let read = || if is_added { read(&self.store.index, answer).map(Some) } else { Ok(None) };
                catch_unwind(AssertUnwindSafe(read))
            }
            Ok(Err(error)) => Ok(Err(error)),
            Err(panic) => Err(panic),
        };
        self.is_doubtful |= !matches!(seen, Ok(Ok(_)));
        seen
    }

    fn add(&mut self, meta: &mut WriteMeta<'_>, plan: WritePlan) {
        if plan.steps.is_empty() || self.failure.is_some() {
            return;
        }
        let n_ops = plan.steps.len() as u64;
        let lines = stamped(self.clock, meta, plan.steps);
        match self.store.index.apply_speculative(&lines, &mut self.words) {
            Ok(is_plain) => self.is_plain &= is_plain,
            Err(error) => self.failure = Some(error.into()),
        }
        self.clock += n_ops;
        self.lines.extend(lines);
        self.subjects.push(plan.subject);
    }

    /// Writes the commit and notifies all writers. Returns the store if it can be used for the next batch.
    pub(super) fn seal(mut self) -> Option<Store> {
        let outcome = self.carry_out();
        let is_sound = matches!(outcome, Outcome::Written { .. }) && !self.is_doubtful;
        drop(self.turn);
        drop(self.guard);
        self.completion.send(outcome);
        is_sound.then_some(self.store)
    }

    fn carry_out(&mut self) -> Outcome {
        let appended = match self.failure.take() {
            Some(error) => Err(error),
            None if self.lines.is_empty() => Ok(None),
            None => self.append(),
        };
        let outcome = match appended {
            Ok(Some(commit)) => {
                tracing::debug!(n_writes = self.subjects.len(), %commit, "batch committed");
                self.store.tell(Notice::Committed { n_writes: self.subjects.len() });
                return Outcome::Written { indexed_in: self.follow(commit) };
            }
            Ok(None) if self.lines.is_empty() => Outcome::Written { indexed_in: None },
            Ok(None) => Outcome::Moved,
            Err(error) => Outcome::Failed(Arc::new(error)),
        };
        self.is_doubtful |= self.store.index.rollback_speculative().is_err();
        outcome
    }

    fn append(&mut self) -> Result<Option<CommitId>, StoreError> {
        let _settings = self.store.repository.hold_settings()?;
        self.store.append(self.parent, &in_words(&self.subjects), &self.lines)
    }

    // The writes are durable by now: an error of the index must not look like a failed write. Returns the index file
    // that has all of them; `None` for an index in memory, which no one else uses.
    fn follow(&mut self, commit: CommitId) -> Option<PathBuf> {
        let followed = if self.is_plain {
            self.store.index.commit_speculative(commit, self.clock, &self.words).map_err(StoreError::from)
        } else {
            let taken_back = self.store.index.rollback_speculative().map_err(StoreError::from);
            taken_back.and_then(|()| self.store.refresh().map(|_| ()))
        };
        if let Err(error) = &followed {
            self.is_doubtful = true;
            self.store.tell(Notice::IndexBehind { why: error.to_string() });
        }
        let is_shared = followed.is_ok() && !self.store.index.is_in_memory();
        is_shared.then(|| self.store.index.path().to_owned())
    }
}

/// Begins the speculative transaction of a batch on the newest state, and returns its parent commit.
fn begin_speculative(store: &mut Store) -> Result<Parent, StoreError> {
    retry(|| {
        store.refresh()?;
        let parent = store.parent()?;
        store.index.begin_speculative()?;
        if store.index.tip()? == parent.tip {
            return Ok(Some(parent));
        }
        // Something other than Cairn moved the ref, and another process has indexed it already.
        store.index.rollback_speculative()?;
        Ok(None)
    })
}

/// Returns the subject of a commit: that of its only write, or the number of writes and the first subjects.
fn in_words(subjects: &[String]) -> String {
    let [first, others @ ..] = subjects else { return String::new() };
    if others.is_empty() {
        return first.clone();
    }
    let mut line = format!("{} changes: {first}", subjects.len());
    for subject in others {
        if line.chars().count() + subject.chars().count() + "; ; …".len() > MAX_SUBJECT {
            return line + "; …";
        }
        line = format!("{line}; {subject}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_many_changes_there_are_and_names_the_first() {
        let check = |subjects: &[&str], expected: &str| {
            let subjects: Vec<String> = subjects.iter().map(ToString::to_string).collect();
            assert_eq!(in_words(&subjects), expected);
        };
        check(&["issue #1: close"], "issue #1: close");
        check(&["issue #1: close", "task #2: create `a`"], "2 changes: issue #1: close; task #2: create `a`");
        let long = "task #3: create `a title of many words that takes the better part of a line`";
        check(&["issue #1: close", long, long], &format!("3 changes: issue #1: close; {long}; …"));
        check(&[long, "issue #1: close", "issue #2: close"], &format!("3 changes: {long}; issue #1: close; …"));
    }

    #[test]
    fn a_line_fits_the_message() {
        let subjects: Vec<String> = (0..200).map(|n| format!("issue #{n}: close")).collect();
        let line = in_words(&subjects);
        assert!(line.chars().count() <= MAX_SUBJECT, "{line}");
        assert!(line.starts_with("200 changes: issue #0: close; issue #1: close; "), "{line}");
    }
}
