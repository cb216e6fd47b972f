//! Writing: commits on the work ref, created under the writers' lock, and published by compare-and-swap. Concurrent
//! writes of a process go through `group`.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use uuid::Uuid;

use crate::adopt::{Adoption, OnPublishedConflict, claiming_operations};
use crate::attach::Attachment;
use crate::attachments;
use crate::format::{self, v1};
use crate::git::{CommitId, MoveError, NewCommit, ObjectId, ReadError, RefName};
use crate::index::{CLOCK_JUMP, Index};
use crate::open::{Notice, Store, StoreError};
use crate::operation_files::{write_operations, write_with_blobs};
use crate::shared::{RefMove, TurnGuard};

/// Maximum attempts of a write if something other than Cairn moves the ref. Cairn's own writers wait for the lock.
const MAX_TRIES: usize = 64;

/// The parent of a new commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// The last commit; `None` for the first one.
    pub(crate) tip: Option<CommitId>,
    /// The highest clock at or below it.
    pub(crate) clock: u64,
}

/// The changes of one write.
#[derive(Debug, Clone, Default)]
pub struct WritePlan {
    /// The subject line of the commit.
    pub subject: String,
    /// The changes, in order. An empty plan writes nothing.
    pub steps: Vec<Step>,
}

impl WritePlan {
    /// Creates a plan with changes of the writer.
    pub fn new(subject: impl Into<String>, changes: impl IntoIterator<Item = (EntityId, Change)>) -> Self {
        Self {
            subject: subject.into(),
            steps: changes.into_iter().map(|(entity, change)| Step::own(entity, change)).collect(),
        }
    }
}

/// One change, and its origin.
#[derive(Debug, Clone)]
pub struct Step {
    /// The changed entity.
    pub entity: EntityId,
    /// The change.
    pub change: Change,
    /// Author and time, if not the writer and now.
    pub origin: Option<Origin>,
    /// The operation that it takes back.
    pub undoes: Option<OpId>,
}

/// Author and time of a change that was made elsewhere.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The time.
    pub at: Timestamp,
    /// The author.
    pub by: Person,
    /// The tool it was imported from, if it says so in the log.
    pub imported: Option<Arc<str>>,
    /// The operation id, if every clone must use the same one; a new id otherwise.
    pub id: Option<OpId>,
}

impl Step {
    /// Creates a change of the writer.
    pub fn own(entity: EntityId, change: Change) -> Self {
        Self { entity, change, origin: None, undoes: None }
    }

    /// Creates a change that was made elsewhere.
    pub fn imported(entity: EntityId, change: Change, origin: Origin) -> Self {
        Self { entity, change, origin: Some(origin), undoes: None }
    }

    /// Creates a change that takes back an operation.
    pub fn undoing(entity: EntityId, change: Change, undone: OpId) -> Self {
        Self { entity, change, origin: None, undoes: Some(undone) }
    }
}

/// Takes the subject and the lines of one commit.
pub type LineWriter<'a> = dyn FnMut(&str, &[u8]) -> Result<(), StoreError> + 'a;

/// Author, time and source of operation ids of a write.
pub struct WriteMeta<'a> {
    /// The time.
    pub at: Timestamp,
    /// The author.
    pub by: Person,
    /// Returns a new id each time.
    pub next_id: &'a mut dyn FnMut() -> Uuid,
}

impl Store {
    /// Writes the operations that `plan` decides on the newest state, and returns the result of `read` on the state
    /// after the write.
    ///
    /// Both run again if the ref moved before the write, so neither may have side effects. A plan without steps writes
    /// nothing. The write is kept even if `read` fails.
    pub fn write<T: Clone, U, E: From<StoreError>>(
        &mut self,
        meta: &mut WriteMeta<'_>,
        mut plan: impl FnMut(&Index) -> Result<(WritePlan, T), E>,
        mut read: impl FnMut(&Index, T) -> Result<U, E>,
    ) -> Result<U, E> {
        let group = Arc::clone(&self.group);
        retry(|| group.write(self, meta, &mut plan, &mut read))
    }

    /// Returns the number of queued writes of this process.
    pub fn n_waiting(&self) -> usize {
        self.group.n_waiting()
    }

    /// Writes one plan as its own commit; `None` if the ref moved first.
    pub(crate) fn write_alone<T: Clone, U, E: From<StoreError>>(
        &mut self,
        meta: &mut WriteMeta<'_>,
        plan: &mut impl FnMut(&Index) -> Result<(WritePlan, T), E>,
        read: &mut impl FnMut(&Index, T) -> Result<U, E>,
    ) -> Result<Option<U>, E> {
        let guard = self.lock()?;
        let turn = TurnGuard::take(&self.shared);
        self.refresh()?;
        let parent = self.parent()?;
        let (plan, answer) = plan(&self.index)?;
        if plan.steps.is_empty() {
            return read(&self.index, answer).map(Some);
        }
        let clock = parent.clock + plan.steps.len() as u64;
        let lines = stamped(parent.clock, meta, plan.steps);
        let Some(commit) = self.append(parent, &plan.subject, &lines)? else { return Ok(None) };
        drop(turn);
        self.index_own_commit(parent, Parent { tip: Some(commit), clock }, &lines);
        // After the index: the next writer plans on it, and would have to poll for it, or to read the commit again.
        drop(guard);
        self.tell(Notice::Committed { n_writes: 1 });
        self.repository.maintain();
        self.read_after_commit(answer, read).map(Some)
    }

    /// Reads the state after a commit. The write cannot be repeated, so a damaged or replaced index is recovered here,
    /// and read again.
    fn read_after_commit<T: Clone, U, E>(
        &mut self,
        answer: T,
        read: &mut impl FnMut(&Index, T) -> Result<U, E>,
    ) -> Result<U, E> {
        let before = self.index.path().to_owned();
        let first = read(&self.index, answer.clone());
        if first.is_err() {
            self.update_index();
        }
        if first.is_err() && self.index.path() != before { read(&self.index, answer) } else { first }
    }

    /// Writes plans as consecutive commits that appear together: the ref moves once, after the last of them. So an error
    /// in between writes nothing, and memory holds one plan at a time. `body` gives each plan to its second argument;
    /// all of them are made on the state before the write.
    pub fn write_sequence<T, E: From<StoreError>>(
        &mut self,
        meta: &mut WriteMeta<'_>,
        body: impl FnOnce(&Index, &mut dyn FnMut(WritePlan) -> Result<(), StoreError>) -> Result<T, E>,
    ) -> Result<T, E> {
        let guard = self.lock()?;
        self.refresh()?;
        let start = self.parent()?;
        let (mut last, mut subject) = (start, String::new());
        let repository = &self.repository;
        let attachment = Attachment::new(repository, &self.listener);
        // The first work of a project is often a large import. Its index is built of the operations on their way into the
        // log, without a write-ahead log, which would write every page twice.
        let is_first = start.tip.is_none() && !self.index.is_in_memory();
        let mut build = if is_first { attachment.begin_build() } else { None };
        let answer = body(&self.index, &mut |plan| {
            if !plan.steps.is_empty() {
                let clock = last.clock + plan.steps.len() as u64;
                let ops = stamped_ops(last.clock, meta, plan.steps);
                let (lines, ends) = written(&ops);
                let commit = write_operations(repository, last.tip.as_slice(), &plan.subject, &lines, None)?;
                last = Parent { tip: Some(commit), clock };
                subject = plan.subject;
                if let Some(build) = &mut build {
                    build.add(commit, clock, with_lines(ops, &lines, &ends));
                }
            }
            Ok(())
        })?;
        let Some(tip) = last.tip.filter(|_| last.clock > start.clock) else { return Ok(answer) };
        // Under the lock, only something other than Cairn can move the ref; `body` cannot run again.
        let to = RefMove::new(&RefName::WORK, start.tip, tip, &subject);
        let published = self.shared.publish(&self.repository, &to);
        published.map_err(|error| if error.is_moved() { StoreError::Contended } else { error.into() })?;
        drop(guard);
        self.tell(Notice::Committed { n_writes: 1 });
        match build.map(|build| attachment.finish_build(build)) {
            Some(Ok(index)) => self.index = index,
            _ => self.update_index(),
        }
        self.repository.maintain();
        Ok(answer)
    }

    /// Appends operations that already have ids and clocks, such as those of an import, as consecutive commits that
    /// appear together. `body` gives the subject and the lines of each commit to its argument, and is called again if
    /// the ref moved meanwhile. Of the attachments that the operations name, only those in `contents` are kept with the
    /// commits.
    pub fn append_lines<E: From<StoreError>>(
        &mut self,
        contents: &BTreeSet<ObjectId>,
        mut body: impl FnMut(&mut LineWriter<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let guard = self.lock()?;
        retry(|| self.try_append_lines(contents, &mut body))?;
        drop(guard);
        self.tell(Notice::Committed { n_writes: 1 });
        self.update_index();
        self.repository.maintain();
        Ok(())
    }

    fn try_append_lines<E: From<StoreError>>(
        &mut self,
        contents: &BTreeSet<ObjectId>,
        body: &mut impl FnMut(&mut LineWriter<'_>) -> Result<(), E>,
    ) -> Result<Option<()>, E> {
        self.refresh()?;
        let parent = self.parent()?;
        let (mut commits, mut reason) = (Vec::<CommitId>::new(), String::new());
        let repository = &self.repository;
        body(&mut |subject, lines| {
            let before = commits.last().copied().or(parent.tip);
            let mut attached = attachments::named_by(repository, lines);
            attached.retain(|_, id| contents.contains(id));
            commits.push(write_with_blobs(repository, before.as_slice(), subject, lines, None, &attached)?);
            subject.clone_into(&mut reason);
            Ok(())
        })?;
        let Some(tip) = commits.last().copied() else { return Ok(Some(())) };
        let adoption = Adoption {
            from: parent.tip,
            shared_from: parent.tip,
            tip,
            limit: u64::MAX,
            reason: &reason,
            on_published_conflict: OnPublishedConflict::Renumber,
        };
        // Existing items keep their numbers: imported ones get new ones.
        match self.adopt(&adoption, |repository| claiming_operations(repository, commits)) {
            Ok(_) => Ok(Some(())),
            Err(StoreError::Move(MoveError::Moved { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn lock(&mut self) -> Result<crate::git::WriterGuard, StoreError> {
        let listener = std::sync::Arc::clone(&self.listener);
        let on_wait = move |holder: Option<crate::git::Holder>| {
            listener(Notice::WaitingForWriter { pid: holder.map(|holder| holder.pid) });
        };
        let guard = self.repository.lock_writers(on_wait)?;
        if let Some(recovered) = guard.recovered() {
            self.tell(Notice::WriterDied { pid: recovered.pid, removed: recovered.removed.clone() });
        }
        Ok(guard)
    }

    /// Returns the parent of the next commit, with its clock.
    ///
    /// Two checks fail only if something is badly wrong: the last commit must be readable, or commits on top of it
    /// could not be pushed; and the index must have a clock for it that its own operations do not contradict, or a new
    /// operation would lose against older ones. A commit that the write-ahead log has is restored, and an index that fails
    /// the check is rebuilt.
    pub(crate) fn parent(&mut self) -> Result<Parent, StoreError> {
        for is_last in [false, true] {
            let Some(tip) = self.index.tip()? else { return Ok(Parent { tip: None, clock: 0 }) };
            let lamports = match self.lamports_of(tip) {
                Err(StoreError::BrokenTip { .. }) if self.repository.restore_logged(&tip)? => {
                    self.refresh_index()?;
                    self.lamports_of(tip)?
                }
                lamports => lamports?,
            };
            if let Some(clock) = self.index.clock_of(tip)?
                // An operation with a clock further ahead was skipped.
                && !lamports.iter().any(|lamport| *lamport > clock && *lamport <= clock.saturating_add(CLOCK_JUMP))
            {
                return Ok(Parent { tip: Some(tip), clock });
            }
            if is_last {
                return Err(StoreError::UnknownClock { commit: tip });
            }
            self.rebuild()?;
        }
        Err(StoreError::Contended)
    }

    /// Returns the clocks of the operations in the tip's message.
    fn lamports_of(&self, tip: CommitId) -> Result<Vec<u64>, StoreError> {
        let commit = match self.repository.read_commit(&tip, format::MESSAGE_LIMIT) {
            Ok(commit) => commit,
            // It was skipped for good: its operations do not count, and it must not block all writes.
            Err(error) if error.is_final() => return Ok(Vec::new()),
            Err(ReadError::Git(error)) => return Err(error.into()),
            Err(source) => return Err(StoreError::BrokenTip { commit: tip, source }),
        };
        let body = format::read_message(&commit.message).body;
        let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| v1::read(line).ok()).map(|op| op.stamp.lamport).collect())
    }

    /// Appends lines of operations to the log; `None` if the ref moved meanwhile.
    pub(crate) fn append(
        &mut self,
        parent: Parent,
        subject: &str,
        lines: &[u8],
    ) -> Result<Option<CommitId>, StoreError> {
        let (tip, repository) = (parent.tip, &self.repository);
        let attached = attachments::named_by(repository, lines);
        let published = if attached.is_empty() && lines.len() <= format::MESSAGE_TARGET {
            let message = format::write_message(subject, lines);
            let commit = NewCommit { parents: tip.as_slice(), message: &message, files: &[], author: None };
            self.shared.publish_commit(repository, &commit, tip, subject)
        } else {
            let commit = write_with_blobs(repository, tip.as_slice(), subject, lines, None, &attached)?;
            self.shared.publish(repository, &RefMove::new(&RefName::WORK, tip, commit, subject)).map(|()| commit)
        };
        match published {
            Ok(commit) => Ok(Some(commit)),
            Err(error) if error.is_moved() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Indexes this writer's commit.
    fn index_own_commit(&mut self, parent: Parent, new: Parent, lines: &[u8]) {
        // The index was at the parent when the plan was made, so only the new lines are missing, unless another process
        // was faster.
        if !matches!(self.index.ingest_commit(parent, new, lines), Ok(true)) {
            self.update_index();
        }
    }

    /// Brings the index up to the log after a write. The write is acknowledged by now: an error of the index must not look
    /// like a failed write.
    pub(crate) fn update_index(&mut self) {
        if let Err(error) = self.refresh() {
            self.tell(Notice::IndexBehind { why: error.to_string() });
        }
    }
}

/// Retries a write until the ref does not move; the attempt returns `None` if it moved.
pub(crate) fn retry<T, E: From<StoreError>>(mut attempt: impl FnMut() -> Result<Option<T>, E>) -> Result<T, E> {
    for n_tries in 1..=MAX_TRIES {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
        tracing::debug!(n_tries, "the ref moved under a write; planning again");
    }
    Err(StoreError::Contended.into())
}

/// Serializes changes as operations with consecutive clocks after `clock`.
pub(crate) fn stamped(clock: u64, meta: &mut WriteMeta<'_>, steps: Vec<Step>) -> Vec<u8> {
    written(&stamped_ops(clock, meta, steps)).0
}

/// Makes operations of changes, with consecutive clocks after `clock`.
fn stamped_ops(clock: u64, meta: &mut WriteMeta<'_>, steps: Vec<Step>) -> Vec<Op> {
    let stamped = (clock + 1..).zip(steps).map(|(lamport, step)| {
        let Step { entity, change, origin, undoes } = step;
        let (at, by, imported, id) = match origin {
            Some(origin) => (origin.at, origin.by, origin.imported, origin.id),
            None => (meta.at, meta.by.clone(), None, None),
        };
        let stamp = Stamp { lamport, id: id.unwrap_or_else(|| OpId::new((meta.next_id)())) };
        Op { stamp, entity, at, by, imported, undoes, change }
    });
    stamped.collect()
}

/// Serializes operations, a line for each, and returns the lines with the end of each.
fn written(ops: &[Op]) -> (Vec<u8>, Vec<usize>) {
    let (mut lines, mut ends) = (Vec::new(), Vec::with_capacity(ops.len()));
    for op in ops {
        v1::write(op, &mut lines);
        ends.push(lines.len());
    }
    (lines, ends)
}

/// Returns each operation with its line, without the line break.
fn with_lines<'a>(ops: Vec<Op>, lines: &'a [u8], ends: &'a [usize]) -> impl Iterator<Item = (Op, &'a [u8])> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    ops.into_iter().zip(starts.zip(ends)).map(|(op, (start, end))| (op, &lines[start..*end - 1]))
}
