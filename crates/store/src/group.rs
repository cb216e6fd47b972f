//! Group commit: concurrent writes of one process share a commit, and each is acknowledged once it is on disk.
//!
//! Writers take turns. A writer without others waiting writes as if there were no group. Otherwise each writer adds its
//! plan to the batch and, while others are waiting, passes the batch on; the last one writes the commit. Only writes
//! already queued when a batch begins join it: later ones would make everyone wait for the last. So while one batch is
//! written, acknowledged clients can queue for the next.

mod batch;
mod outcome;

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use crate::git::Repository;
use crate::index::Index;
use crate::open::{Store, StoreError};
use crate::write::{WriteMeta, WritePlan};
use batch::Batch;
use outcome::Outcome;
use parking_lot::{Mutex, MutexGuard};

/// The groups of this process, by git directory: two work trees may have different settings, also for the committer.
static GROUPS: Mutex<BTreeMap<PathBuf, Weak<Group>>> = Mutex::new(BTreeMap::new());

/// All writers of one repository in this process.
#[derive(Default)]
pub(crate) struct Group {
    /// Number of queued writers.
    n_waiting: AtomicUsize,
    turn: Mutex<WriterTurn>,
}

/// State that belongs to the writer whose turn it is.
#[derive(Default)]
struct WriterTurn {
    /// The writes that wait for their commit. Invariant: if there is a batch, some writer is queued.
    batch: Option<Batch>,
    /// The group's own store, between two batches.
    idle: Option<Store>,
}

impl Group {
    /// Returns the group of a repository.
    pub(crate) fn of(repository: &Repository) -> Arc<Self> {
        let mut groups = GROUPS.lock();
        groups.retain(|_, group| group.strong_count() > 0);
        if let Some(group) = groups.get(repository.git_dir()).and_then(Weak::upgrade) {
            return group;
        }
        let group = Arc::new(Self::default());
        groups.insert(repository.git_dir().to_owned(), Arc::downgrade(&group));
        group
    }

    /// Returns the number of queued writes.
    pub(crate) fn n_waiting(&self) -> usize {
        self.n_waiting.load(Ordering::SeqCst)
    }

    /// Writes a plan and reads its result; `None` if the log moved and it must be planned again.
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
        // Invariant: a batch is passed on only if another writer is sure to take a turn after this one.
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
                // The index may have been rebuilt meanwhile: only the file that this writer reads counts.
                let is_indexed = indexed_in.as_deref() == Some(writer.index.path());
                if !is_indexed {
                    writer.update_index();
                }
                // Once for all writes of the batch.
                if is_last {
                    writer.repository.maintain();
                }
            }
            Outcome::Moved => return Ok(None),
            Outcome::Failed(error) => return Err(StoreError::Together(error).into()),
        }
        // An error may also depend on other plans of the batch, so it is returned only now.
        seen
    }

    fn wait_for_turn(&self) -> MutexGuard<'_, WriterTurn> {
        self.n_waiting.fetch_add(1, Ordering::SeqCst);
        let turn = self.turn.lock();
        self.n_waiting.fetch_sub(1, Ordering::SeqCst);
        turn
    }

    /// Returns the batch to join; `None` for a writer without others: it has an open store, and opening a second one
    /// would take longer than the write. If servers write in turn, others will be waiting by the time of the turn.
    fn next_batch(&self, turn: &mut WriterTurn, writer: &Store) -> Result<Option<Batch>, StoreError> {
        if turn.batch.is_some() {
            return Ok(turn.batch.take());
        }
        if self.n_waiting() == 0 && !writer.shared.is_contended() {
            return Ok(None);
        }
        let store = turn.idle.take().map_or_else(|| writer.open_beside(), Ok)?;
        let mut batch = Batch::begin(store)?;
        batch.admit(self.n_waiting() + 1);
        Ok(Some(batch))
    }
}
