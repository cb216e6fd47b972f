//! Group commit: writes of one process that meet go into the log as one commit, and each is answered once that is on disk.
//!
//! Whoever writes takes a turn. Who is alone writes as if there were no group. Otherwise each one plans on the batch and,
//! while others wait for their turn, leaves it to them; the last writes the commit. Nobody ever waits for company: a batch
//! is for those who wait when it begins, and whoever comes later is in the next one. So, while some have theirs written,
//! others are answered and come again, rather than all waiting for the last of them.

mod batch;
mod outcome;

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::git::Repository;
use crate::index::Index;
use crate::open::{Store, StoreError};
use crate::write::{WriteMeta, WritePlan};
use batch::Batch;
use outcome::Outcome;

/// The groups of this process, by git directory: two work trees may have settings of their own, also for who commits.
static GROUPS: Mutex<BTreeMap<PathBuf, Weak<Group>>> = Mutex::new(BTreeMap::new());

/// All writers of one repository in this process.
#[derive(Default)]
pub(crate) struct Group {
    /// How many wait for their turn.
    n_waiting: AtomicUsize,
    turn: Mutex<Turn>,
}

/// What the one whose turn it is has in hand.
#[derive(Default)]
struct Turn {
    /// The writes that wait for their commit. Someone waits for a turn whenever there is one.
    batch: Option<Batch>,
    /// The group's own store, between two batches.
    idle: Option<Store>,
}

impl Group {
    /// Returns the group of a repository.
    pub(crate) fn of(repository: &Repository) -> Arc<Self> {
        let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
        groups.retain(|_, group| group.strong_count() > 0);
        if let Some(group) = groups.get(repository.git_dir()).and_then(Weak::upgrade) {
            return group;
        }
        let group = Arc::new(Self::default());
        groups.insert(repository.git_dir().to_owned(), Arc::downgrade(&group));
        group
    }

    /// Returns how many writes wait for their turn.
    pub(crate) fn n_waiting(&self) -> usize {
        self.n_waiting.load(Ordering::SeqCst)
    }

    /// Writes what `plan` decides and looks at it; `None` when the log moved on meanwhile and it has to be planned again.
    pub(crate) fn write<T: Clone, U, E: From<StoreError>>(
        &self,
        writer: &mut Store,
        meta: &mut WriteMeta<'_>,
        plan: &mut impl FnMut(&Index) -> Result<(WritePlan, T), E>,
        read: &mut impl FnMut(&Index, T) -> Result<U, E>,
    ) -> Result<Option<U>, E> {
        let mut turn = self.wait_for_turn();
        let Some(mut batch) = self.next_batch(&mut turn, writer)? else {
            return writer.write_alone(meta, plan, read);
        };
        let seen = batch.plan(writer, meta, plan, read);
        let waiter = batch.waiter();
        let is_last = batch.is_full() || self.n_waiting() == 0;
        // Invariant: a batch is left to others only if one of them is sure to take a turn after this one.
        if is_last {
            turn.idle = batch.seal();
        } else {
            turn.batch = Some(batch);
        }
        drop(turn);
        let outcome = waiter.wait();
        let seen = seen.unwrap_or_else(|panic| resume_unwind(panic));
        match outcome {
            Outcome::Written { indexed_in } => {
                // Another index may have been built meanwhile: what counts is the one that this writer will ask.
                let is_indexed = indexed_in.as_deref() == Some(writer.index.path());
                writer.after_batch(is_indexed, is_last);
            }
            Outcome::Moved => return Ok(None),
            Outcome::Failed(error) => return Err(StoreError::Together(error).into()),
        }
        // An error, too, may rest on what others of the batch did, and so is told only now.
        seen
    }

    fn wait_for_turn(&self) -> MutexGuard<'_, Turn> {
        self.n_waiting.fetch_add(1, Ordering::SeqCst);
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.n_waiting.fetch_sub(1, Ordering::SeqCst);
        turn
    }

    /// Returns the batch to write with, or none for a writer that is alone: it has all it needs, and opening a second
    /// store would take longer than the write.
    fn next_batch(&self, turn: &mut Turn, writer: &Store) -> Result<Option<Batch>, StoreError> {
        if turn.batch.is_some() {
            return Ok(turn.batch.take());
        }
        if self.n_waiting() == 0 {
            return Ok(None);
        }
        let store = turn.idle.take().map_or_else(|| writer.open_beside(), Ok)?;
        let mut batch = Batch::begin(store)?;
        batch.admit(self.n_waiting() + 1);
        Ok(Some(batch))
    }
}
