//! Sync: fetch, join, push, through the `git` program. Never forced: after a rejected push it fetches, joins and
//! retries. `join` decides how histories are joined; `adopt` renumbers items when both sides took the same number.

mod divergence;
mod join;
mod notes;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use model::id::{EntityId, OpId};
use model::number::ItemNumber;

use crate::adopt::{Adoption, OnPublishedConflict, claiming_operations};
use crate::format;
use crate::git::{
    CommitId, GitError, GitProgress, LogLine, MoveError, PushSpec, PushStatus, ReadError, RefName, Repository,
};
use crate::index::NumberMap;
use crate::open::{Store, StoreError};
pub(crate) use divergence::{Divergence, TipChoice};
use join::OtherRemotes;

/// Maximum number of attempts after a rejected push, with exponential backoff.
const MAX_TRIES: u32 = 12;
/// First delay; it doubles up to `MAX_RETRY_INTERVAL`.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(3);
/// How long a lock on the remote's ref may exist before it counts as stale. A running push holds one for milliseconds.
const REMOTE_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of a fetch from another remote.
const OTHER_REMOTE_TIMEOUT: Duration = Duration::from_secs(10);
/// Log lines reported per direction.
const MAX_LOG_LINES: usize = 20;

/// The result of a sync.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// The received log lines.
    pub received: Traffic,
    /// What went to the remote.
    pub sent: Traffic,
    /// Items with another number than before, whoever renumbered them.
    pub renumbered: Vec<Renumbered>,
    /// The result for annotations.
    pub notes: NotesOutcome,
    /// Number of attempts.
    pub n_tries: u32,
}

/// Log lines that were transferred in one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of log lines.
    pub n_entries: usize,
    /// The newest of them.
    pub newest: Vec<LogLine>,
}

/// A renumbered item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renumbered {
    /// The item.
    pub id: EntityId,
    /// Reference before.
    pub from: ItemNumber,
    /// Reference now.
    pub to: ItemNumber,
}

/// The result of a sync for annotations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotesOutcome {
    /// Nothing to do: both sides were equal, or neither has any.
    #[default]
    Same,
    /// One side was updated.
    Shared,
    /// Both sides had changes, which were merged.
    Merged,
}

impl std::fmt::Display for NotesOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Same => "same",
            Self::Shared => "shared",
            Self::Merged => "merged",
        })
    }
}

/// The state of a running sync.
#[derive(Default)]
struct SyncRun {
    report: SyncReport,
    /// Numbers before anything was received.
    before: Option<NumberMap>,
    /// Since when the remote's ref is locked.
    locked_since: Option<Instant>,
    /// The state of the other remotes.
    other_remotes: OtherRemotes,
}

/// The result of a merge attempt.
#[derive(PartialEq, Eq)]
enum MergeStatus {
    /// Complete.
    Done,
    /// The merge depends on the state of the other remotes.
    NeedsOtherRemotes,
}

impl Store {
    /// Syncs this repository with a remote.
    pub fn sync(&mut self, remote: &str, notes: &RefName, progress: GitProgress) -> Result<SyncReport, StoreError> {
        // Taking the writer lock removes reference locks that a killed sync may have left, which would make git fail.
        drop(self.lock()?);
        let mut run = SyncRun::default();
        let mut pause = RETRY_INTERVAL;
        for n_tries in 1..=MAX_TRIES {
            run.report.n_tries = n_tries;
            if self.try_sync(remote, notes, progress, &mut run)? {
                if let Some(before) = &run.before {
                    run.report.renumbered = self.renumbered(before)?;
                }
                return Ok(run.report);
            }
            tracing::debug!(n_tries, remote, "the remote moved during a sync; trying again");
            std::thread::sleep(jittered(pause));
            pause = (pause * 2).min(MAX_RETRY_INTERVAL);
        }
        Err(StoreError::Contended)
    }

    /// Fetches, joins and pushes once; false if the remote changed meanwhile.
    fn try_sync(
        &mut self,
        remote: &str,
        notes: &RefName,
        progress: GitProgress,
        run: &mut SyncRun,
    ) -> Result<bool, StoreError> {
        // The other remotes may have changed since the last attempt.
        run.other_remotes = OtherRemotes::NotFetched;
        let theirs = self.fetch(remote, &[RefName::WORK, notes.clone()], progress)?;
        self.merge(remote, theirs, run)?;
        let their_notes = self.merge_notes(remote, notes, &mut run.report)?;
        let specs = self.to_push(theirs, notes, their_notes)?;
        if specs.is_empty() {
            return Ok(true);
        }
        let outgoing = if specs.iter().any(|spec| spec.from == RefName::WORK) { self.index.tip()? } else { None };
        let outcome = self.repository.push(remote, &specs, progress)?;
        run.locked_since = outcome.is_locked().then(|| run.locked_since.unwrap_or_else(Instant::now));
        for (name, status) in &outcome.refs {
            refuse(remote, name, status, run.locked_since)?;
        }
        if !outcome.is_complete() {
            return Ok(false);
        }
        if let Some(tip) = outgoing {
            run.report.sent = self.traffic(theirs, tip)?;
        }
        self.mark_pushed(remote, &specs)?;
        Ok(true)
    }

    fn fetch(&mut self, remote: &str, refs: &[RefName], progress: GitProgress) -> Result<Option<CommitId>, StoreError> {
        let tracking = self.repository.tracking_ref(remote, &RefName::WORK)?;
        let lost = self.index.unread_objects()?;
        if lost.is_empty() {
            self.repository.fetch(remote, refs, progress)?;
        } else {
            // Git does not fetch an object that exists, even if it is damaged.
            self.repository.set_aside(&lost)?;
            self.repository.fetch_again(remote, refs, progress)?;
            self.refresh()?;
        }
        self.repository.record_address(remote)?;
        // The work ref was fetched with `--depth`: git believes it is complete, so it must be told to fetch again.
        let tip = self.repository.read_ref(&tracking)?;
        if self.repository.is_shallow()? && !self.is_whole(tip)? {
            self.repository.fetch_whole(remote, refs, progress)?;
            self.refresh()?;
        }
        Ok(self.repository.read_ref(&tracking)?)
    }

    fn is_whole(&self, tip: Option<CommitId>) -> Result<bool, StoreError> {
        let mut stack: Vec<CommitId> = tip.into_iter().collect();
        let mut entered: HashSet<CommitId> = stack.iter().copied().collect();
        while let Some(id) = stack.pop() {
            match self.repository.read_commit(&id, format::MESSAGE_LIMIT) {
                Ok(commit) => stack.extend(commit.parents.into_iter().filter(|parent| entered.insert(*parent))),
                Err(ReadError::Missing { .. }) => return Ok(false),
                Err(ReadError::Git(error)) => return Err(error.into()),
                Err(_) => {}
            }
        }
        Ok(true)
    }

    // A foreign program, such as a mirror's `git fetch`, may move the ref in between; then the merge is repeated.
    fn merge(&mut self, remote: &str, theirs: Option<CommitId>, run: &mut SyncRun) -> Result<(), StoreError> {
        for _ in 0..MAX_TRIES {
            match self.merge_once(theirs, run) {
                Ok(MergeStatus::Done) => return Ok(()),
                Ok(MergeStatus::NeedsOtherRemotes) => run.other_remotes = self.fetch_other_remotes(remote)?,
                Err(StoreError::Move(MoveError::Moved { .. }) | StoreError::Contended) => {}
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Contended)
    }

    fn merge_once(&mut self, theirs: Option<CommitId>, run: &mut SyncRun) -> Result<MergeStatus, StoreError> {
        let is_same = theirs.is_none() || self.index.tip()? == theirs;
        // Checked without the lock, so that a sync without changes does not wait for writers.
        if is_same && self.index.unsettled()?.is_empty() {
            return Ok(MergeStatus::Done);
        }
        let _guard = self.lock()?;
        self.refresh()?;
        if let Some(theirs) = theirs
            && self.take_in(theirs, run)? == MergeStatus::NeedsOtherRemotes
        {
            return Ok(MergeStatus::NeedsOtherRemotes);
        }
        if !self.index.unsettled()?.is_empty() {
            let before = self.index.numbers()?;
            run.before.get_or_insert(before);
            self.settle()?;
        }
        Ok(MergeStatus::Done)
    }

    /// Fetches the work of the other known remotes, as far as they are reachable.
    fn fetch_other_remotes(&self, remote: &str) -> Result<OtherRemotes, StoreError> {
        // 1: the remote of this sync was just fetched.
        let mut n_fetched = 1;
        for other in self.repository.known_remotes()?.into_iter().filter(|other| other != remote) {
            let tracking = self.repository.tracking_ref(&other, &RefName::WORK)?;
            let is_known = self.repository.read_ref(&tracking)?.is_some();
            if is_known && self.repository.fetch_with_timeout(&other, &RefName::WORK, OTHER_REMOTE_TIMEOUT).is_ok() {
                n_fetched += 1;
            }
        }
        let n_tracked = self.repository.tracked(&RefName::WORK)?.len();
        Ok(if n_fetched >= n_tracked { OtherRemotes::Fresh } else { OtherRemotes::Stale })
    }

    fn take_in(&mut self, theirs: CommitId, run: &mut SyncRun) -> Result<MergeStatus, StoreError> {
        let ours = self.index.tip()?;
        if ours == Some(theirs) {
            return Ok(MergeStatus::Done);
        }
        if let Err(error @ (ReadError::Missing { .. } | ReadError::Damaged { .. })) =
            self.repository.read_commit(&theirs, format::MESSAGE_LIMIT)
        {
            // Merging onto an unreadable commit would publish a broken history under our name.
            return Err(error.into());
        }
        let tip = match ours {
            None => theirs,
            Some(ours) => match self.joined_tip(ours, theirs, run.other_remotes)? {
                Some(tip) => tip,
                None => return Ok(MergeStatus::NeedsOtherRemotes),
            },
        };
        if Some(tip) == ours {
            return Ok(MergeStatus::Done);
        }
        let has_other_remotes = self.repository.tracked(&RefName::WORK)?.len() > 1;
        // Fetch the other remotes once before a published item is renumbered; they may have a tip without the conflict
        // (docs/decisions/0019-sync-convergence.md).
        let may_fetch = run.other_remotes == OtherRemotes::NotFetched && has_other_remotes;
        let limit = self.repository.config_integer("cairn.maxReceiveBytes", format::RECEIVE_LIMIT.cast_signed())?;
        let adoption = Adoption {
            from: ours,
            shared_from: ours,
            tip,
            limit: limit.max(0).cast_unsigned(),
            reason: "sync",
            on_published_conflict: if may_fetch { OnPublishedConflict::Abort } else { OnPublishedConflict::Renumber },
        };
        let Some(before) = self.adopt(&adoption, |repository| unpublished(repository, ours))? else {
            return Ok(MergeStatus::NeedsOtherRemotes);
        };
        self.refresh()?;
        run.before.get_or_insert(before);
        let received = self.traffic(ours, theirs)?;
        run.report.received.n_entries += received.n_entries;
        run.report.received.newest.extend(received.newest);
        run.report.received.newest.truncate(MAX_LOG_LINES);
        Ok(MergeStatus::Done)
    }

    /// Returns the items with another number than they were known by, in this clone or, for received items, elsewhere.
    fn renumbered(&self, before: &NumberMap) -> Result<Vec<Renumbered>, StoreError> {
        if before.0.is_empty() {
            // An empty clone knew no numbers.
            return Ok(Vec::new());
        }
        let released = self.index.released()?;
        let mut moved = Vec::new();
        self.index.for_each_number(|id, to| {
            let from = before.0.get(&id).or_else(|| released.get(&id)).copied();
            moved.extend(from.filter(|from| *from != to).map(|from| Renumbered { id, from, to }));
        })?;
        moved.sort_by_key(|one| (one.from, one.to));
        Ok(moved)
    }

    fn to_push(
        &self,
        theirs: Option<CommitId>,
        notes: &RefName,
        their_notes: Option<CommitId>,
    ) -> Result<Vec<PushSpec>, StoreError> {
        let mut specs = Vec::new();
        let ours = self.index.tip()?;
        if ours.is_some() && ours != theirs {
            specs.push(PushSpec { from: RefName::WORK, to: RefName::WORK });
        }
        let our_notes = self.repository.read_ref(notes)?;
        // A push is a fast-forward, so our notes must contain theirs.
        if our_notes.is_some() && our_notes != their_notes && self.repository.contains(our_notes, their_notes)? {
            specs.push(PushSpec { from: notes.clone(), to: notes.clone() });
        }
        Ok(specs)
    }

    // Updates the tracking refs, so that the next sync knows what the remote has.
    fn mark_pushed(&mut self, remote: &str, specs: &[PushSpec]) -> Result<(), StoreError> {
        let _guard = self.lock()?;
        for spec in specs {
            let tracking = self.repository.tracking_ref(remote, &spec.to)?;
            let (old, new) = (self.repository.read_ref(&tracking)?, self.repository.read_ref(&spec.from)?);
            if let Some(new) = new.filter(|new| Some(*new) != old) {
                self.repository.move_ref(&tracking, old, new, "sync")?;
            }
        }
        Ok(())
    }

    fn traffic(&self, without: Option<CommitId>, tip: CommitId) -> Result<Traffic, StoreError> {
        let (n_entries, newest) = self.repository.log_between(without, tip, MAX_LOG_LINES)?;
        Ok(Traffic { n_entries, newest })
    }
}

/// Returns the number-claiming operations of our history that no remote has, as far as known.
fn unpublished(repository: &Repository, ours: Option<CommitId>) -> Result<HashSet<OpId>, StoreError> {
    let Some(ours) = ours else { return Ok(HashSet::new()) };
    let tracked = repository.tracked(&RefName::WORK)?;
    claiming_operations(repository, repository.commits_between(ours, &tracked)?.into_iter().map(|(id, _)| id))
}

/// Fails if a retry would not help: the remote rejects the reference, or a lock on it persists.
fn refuse(remote: &str, name: &RefName, status: &PushStatus, locked_since: Option<Instant>) -> Result<(), GitError> {
    let (remote, name) = (remote.to_owned(), name.clone());
    match status {
        PushStatus::RejectedOther(why) => Err(GitError::PushRefused { remote, name, why: why.clone() }),
        PushStatus::Locked(why) if locked_since.is_some_and(|since| since.elapsed() >= REMOTE_LOCK_TIMEOUT) => {
            Err(GitError::RemoteLocked { remote, name, why: why.clone() })
        }
        _ => Ok(()),
    }
}

// Jitter, so that clones that were rejected together do not retry together.
fn jittered(pause: Duration) -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        // The multiplicative hash of the process id separates processes that read the same time.
        .map_or(0, |now| now.subsec_nanos() ^ std::process::id().wrapping_mul(2_654_435_761));
    pause / 2 + pause.mul_f64(f64::from(nanos % 1000) / 1000.0)
}
