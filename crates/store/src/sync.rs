//! Sharing: fetch, merge, push, through the `git` program. Never forced: a rejected push fetches, merges and tries
//! again. Two clones that merge the same two histories make the same commits, so they meet instead of chasing.

use std::collections::HashSet;
use std::time::Duration;

use model::id::{EntityId, OpId};
use model::number::ItemRef;
use model::op::{Change, Op, Stamp};
use model::person::Person;

use crate::format::{self, v1};
use crate::git::{
    CommitId, Fixed, GitError, Identity, LogLine, MoveError, NewCommit, Progress, PushSpec, PushStatus, ReadError,
    RefName,
};
use crate::open::{Notice, Store, StoreError};

/// How often a rejected push is tried again, with longer and longer pauses.
const TRIES: u32 = 12;
/// The first pause; it doubles each time, up to `LONGEST_PAUSE`.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// How many lines of the diary are told of each direction.
const LINES: usize = 20;

/// What a sync did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// What came from the remote.
    pub received: Traffic,
    /// What went to the remote.
    pub sent: Traffic,
    /// Items that had to take another number.
    pub renumbered: Vec<Renumbered>,
    /// What became of the annotations.
    pub notes: NotesOutcome,
    /// How often the push was tried.
    pub n_tries: u32,
}

/// Entries of the diary that travelled one way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many.
    pub n_entries: usize,
    /// The newest of them.
    pub newest: Vec<LogLine>,
}

/// An item that took another number, because someone else held its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renumbered {
    /// The item.
    pub id: EntityId,
    /// What it is called by from now on.
    pub reference: ItemRef,
}

/// What a sync did to the annotations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum NotesOutcome {
    /// Both sides have the same, or neither has any.
    #[default]
    Same,
    /// Both sides have the same now.
    Shared,
    /// Both sides had changed notes; they are merged, and both have the same now.
    Merged,
}

impl Store {
    /// Brings a remote and this repository together.
    pub fn sync(&mut self, remote: &str, notes: &RefName, progress: Progress) -> Result<SyncReport, StoreError> {
        let refs = [RefName::WORK, notes.clone()];
        // A sync that was killed may have left a lock that git would stumble over; taking the writers' lock removes it.
        drop(self.lock()?);
        let mut report = SyncReport::default();
        let mut pause = PAUSE;
        for n_tries in 1..=TRIES {
            report.n_tries = n_tries;
            let theirs = self.fetch(remote, &refs, progress)?;
            self.merge(theirs, &mut report)?;
            let their_notes = self.merge_notes(remote, notes, &mut report)?;
            let specs = self.to_push(theirs, notes, their_notes)?;
            if specs.is_empty() {
                return Ok(report);
            }
            let outgoing = if specs.iter().any(|spec| spec.from == RefName::WORK) { self.index.tip()? } else { None };
            let outcome = self.repository.push(remote, &specs, progress)?;
            if let Some((name, why)) = outcome.refs.iter().find_map(refusal) {
                return Err(GitError::PushRefused { remote: remote.to_owned(), name: name.clone(), why }.into());
            }
            if outcome.is_complete() {
                if let Some(tip) = outgoing {
                    report.sent = self.traffic(theirs, tip)?;
                }
                self.mark_pushed(remote, &specs)?;
                return Ok(report);
            }
            std::thread::sleep(jittered(pause));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Err(StoreError::Contended)
    }

    fn fetch(&mut self, remote: &str, refs: &[RefName], progress: Progress) -> Result<Option<CommitId>, StoreError> {
        let tracking = self.repository.tracking_ref(remote, &RefName::WORK)?;
        let lost = self.index.unread_objects()?;
        if lost.is_empty() {
            self.repository.fetch(remote, refs, progress)?;
        } else {
            self.repository.set_aside(&lost)?;
            self.repository.fetch_again(remote, refs, progress)?;
            self.refresh()?;
        }
        // Someone fetched the work with `--depth`: git believes it has all of it, so it must be told to look again.
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

    // Something other than Cairn may move the ref in between, such as a mirror's `git fetch`; then all is merged anew.
    fn merge(&mut self, theirs: Option<CommitId>, report: &mut SyncReport) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            match self.merge_once(theirs, report) {
                Err(StoreError::Move(MoveError::Moved { .. }) | StoreError::Contended) => {}
                other => return other,
            }
        }
        Err(StoreError::Contended)
    }

    fn merge_once(&mut self, theirs: Option<CommitId>, report: &mut SyncReport) -> Result<(), StoreError> {
        let is_same = theirs.is_none() || self.index.tip()? == theirs;
        if is_same && self.index.unsettled()?.is_empty() {
            return Ok(());
        }
        let _guard = self.lock()?;
        self.refresh()?;
        if let Some(theirs) = theirs
            && !self.index.has_seen(theirs)?
        {
            let received = self.take_in(theirs)?;
            report.received.n_entries += received.n_entries;
            report.received.newest.extend(received.newest);
            report.received.newest.truncate(LINES);
        }
        report.renumbered.extend(self.settle()?);
        Ok(())
    }

    fn take_in(&mut self, theirs: CommitId) -> Result<Traffic, StoreError> {
        let ours = self.index.tip()?;
        if let Err(error @ (ReadError::Missing { .. } | ReadError::Damaged { .. })) =
            self.repository.read_commit(&theirs, format::MESSAGE_LIMIT)
        {
            // A commit on top of it would be broken too, and would be ours.
            return Err(error.into());
        }
        let merged = match ours {
            None => theirs,
            Some(ours) if self.descends(theirs, ours)? => theirs,
            Some(ours) => self.write_merge(ours, theirs)?,
        };
        self.adopt(ours, merged)?;
        self.traffic(ours, theirs)
    }

    /// Takes a received log in and only then moves the ref to it: one that cannot be taken in must not become ours, or every
    /// later command would stumble over it.
    fn adopt(&mut self, ours: Option<CommitId>, merged: CommitId) -> Result<(), StoreError> {
        let limit = self.repository.config_integer("cairn.maxReceiveBytes", format::RECEIVE_LIMIT.cast_signed())?;
        let (repository, listener) = (&self.repository, &self.listener);
        let mut progress = |done, total| listener(Notice::Indexing { done, total });
        let mut is_moved = false;
        let adopted = self.index.catch_up_then(repository, merged, limit.max(0).cast_unsigned(), &mut progress, || {
            repository.move_ref(&RefName::WORK, ours, merged, "sync")?;
            is_moved = true;
            Ok::<_, StoreError>(())
        });
        match adopted {
            Ok(found) => found.warnings.into_iter().for_each(|warning| self.tell(Notice::PassedOver(warning))),
            // The ref is where it belongs; an index that could not follow is looked after by the next catch-up.
            Err(StoreError::Index(_)) if is_moved => {}
            Err(error) => return Err(error),
        }
        self.refresh().map(|_| ())
    }

    // Everything below `ours` is known, so the walk ends where it meets what is known: at `ours` itself when `theirs`
    // was built on it.
    fn descends(&self, theirs: CommitId, ours: CommitId) -> Result<bool, StoreError> {
        let mut stack = vec![theirs];
        let mut entered = HashSet::from([theirs]);
        while let Some(id) = stack.pop() {
            if id == ours {
                return Ok(true);
            }
            if self.index.has_seen(id)? {
                continue;
            }
            match self.repository.read_commit(&id, format::MESSAGE_LIMIT) {
                Ok(commit) => stack.extend(commit.parents.into_iter().filter(|parent| entered.insert(*parent))),
                Err(ReadError::Git(error)) => return Err(error.into()),
                // What cannot be read is passed over and named when the index takes it in.
                Err(_) => stack.extend(self.repository.parents_of(&id)?.into_iter().flatten()),
            }
        }
        Ok(false)
    }

    fn write_merge(&self, ours: CommitId, theirs: CommitId) -> Result<CommitId, StoreError> {
        let mut parents = [ours, theirs];
        parents.sort_unstable();
        let seconds = self.seconds(ours)?.max(self.seconds(theirs)?);
        let message = format::write_message("merge", b"");
        let author = machine(seconds);
        let commit = NewCommit { parents: &parents, message: &message, files: &[], author: Some(&author) };
        Ok(self.repository.write_commit(&commit)?)
    }

    /// Writes a renumber operation for each item that answers to a number no operation of its own claims, so that no
    /// later item can move it. Written like the merge itself: the same operations with the same names in every clone
    /// that has the same tip.
    pub(crate) fn settle(&mut self) -> Result<Vec<Renumbered>, StoreError> {
        let unsettled = self.index.unsettled()?;
        let Some(tip) = self.index.tip()?.filter(|_| !unsettled.is_empty()) else { return Ok(Vec::new()) };
        let parent = self.parent()?;
        let seconds = self.seconds(tip)?;
        let at = jiff::Timestamp::from_second(seconds).unwrap_or_default();
        let mut lines = Vec::new();
        for (lamport, (entity, reference)) in (parent.clock + 1..).zip(&unsettled) {
            let stamp = Stamp { lamport, id: OpId::shared(&format!("renumber:{tip}:{entity}")) };
            let change = Change::Renumber { number: reference.number };
            v1::write(&Op { stamp, entity: *entity, at, by: machine_person(), change }, &mut lines);
        }
        let words: Vec<String> = unsettled.iter().map(|(_, reference)| reference.to_string()).collect();
        let subject = format!("renumber: now {}", words.join(", "));
        self.append(parent, &subject, &lines, Some(&machine(seconds)))?.ok_or(StoreError::Contended)?;
        self.refresh()?;
        Ok(unsettled.into_iter().map(|(id, reference)| Renumbered { id, reference }).collect())
    }

    // What no clone can read has no time, in every clone alike.
    fn seconds(&self, commit: CommitId) -> Result<i64, StoreError> {
        match self.repository.read_commit(&commit, format::MESSAGE_LIMIT) {
            Ok(commit) => Ok(commit.committer_time),
            Err(error) if error.is_final() => Ok(0),
            Err(error) => Err(error.into()),
        }
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
        if our_notes.is_some() && our_notes != their_notes && self.repository.contains(our_notes, their_notes)? {
            specs.push(PushSpec { from: notes.clone(), to: notes.clone() });
        }
        Ok(specs)
    }

    // The next sync must not think that the remote still lacks what it was just given.
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

    fn merge_notes(
        &mut self,
        remote: &str,
        notes: &RefName,
        report: &mut SyncReport,
    ) -> Result<Option<CommitId>, StoreError> {
        let tracking = self.repository.tracking_ref(remote, notes)?;
        let (ours, theirs) = (self.repository.read_ref(notes)?, self.repository.read_ref(&tracking)?);
        let Some(new) = theirs.filter(|theirs| ours != Some(*theirs)) else {
            if ours.is_some() && theirs.is_none() {
                report.notes = NotesOutcome::Shared;
            }
            return Ok(theirs);
        };
        if report.notes == NotesOutcome::Same {
            report.notes = NotesOutcome::Shared;
        }
        let _guard = self.lock()?;
        for _ in 0..TRIES {
            let ours = self.repository.read_ref(notes)?;
            if self.repository.contains(ours, Some(new))? {
                return Ok(theirs);
            }
            let merged = match ours {
                Some(ours) if !self.repository.contains(Some(new), Some(ours))? => {
                    report.notes = NotesOutcome::Merged;
                    crate::notes::write_merge(&self.repository, ours, new)?
                }
                _ => new,
            };
            match self.repository.move_ref(notes, ours, merged, "sync") {
                Ok(()) => return Ok(theirs),
                Err(MoveError::Moved { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(StoreError::Contended)
    }

    fn traffic(&self, without: Option<CommitId>, tip: CommitId) -> Result<Traffic, StoreError> {
        let (n_entries, newest) = self.repository.log_between(without, tip, LINES)?;
        Ok(Traffic { n_entries, newest })
    }
}

impl Store {
    /// Tells the listener once more about everything that was passed over.
    pub fn repeat_warnings(&self) -> Result<(), StoreError> {
        for warning in self.index.warnings()? {
            self.tell(Notice::PassedOver(warning));
        }
        Ok(())
    }
}

/// Who stands as the author of what follows from the log itself.
pub(crate) fn machine(seconds: i64) -> Fixed {
    let identity = Identity { name: "cairn".to_owned(), email: "cairn@localhost".to_owned() };
    Fixed { identity, seconds }
}

fn machine_person() -> Person {
    Person::new("cairn", "cairn@localhost")
}

fn refusal((name, status): &(RefName, PushStatus)) -> Option<(&RefName, String)> {
    match status {
        PushStatus::RejectedOther(why) => Some((name, why.clone())),
        _ => None,
    }
}

// Clones that were rejected together must not come back together.
fn jittered(pause: Duration) -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos() ^ std::process::id().wrapping_mul(2_654_435_761));
    pause / 2 + pause.mul_f64(f64::from(nanos % 1000) / 1000.0)
}
