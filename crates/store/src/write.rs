//! Writing: commits on the work ref, made under the writers' lock, moved in by compare-and-swap. Writes that meet go
//! through `group`.

use std::sync::Arc;

use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use uuid::Uuid;

use crate::adopt::{Adoption, OnPublishedConflict, claiming};
use crate::format::{self, v1};
use crate::git::{CommitId, Fixed, MoveError, NewCommit, ReadError, RefName, Repository};
use crate::index::{CLOCK_JUMP, Index};
use crate::open::{Notice, Store, StoreError};

/// How often a write is planned anew because something other than Cairn moved the ref. Cairn's own writers queue.
const MAX_TRIES: usize = 64;

/// What a commit is built on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// The last commit; `None` for the first one.
    pub(crate) tip: Option<CommitId>,
    /// The highest clock at or below it.
    pub(crate) clock: u64,
}

/// What one write does.
#[derive(Debug, Clone, Default)]
pub struct WritePlan {
    /// The subject line of the commit.
    pub subject: String,
    /// The changes, in order. A plan without any writes nothing.
    pub steps: Vec<Step>,
}

impl WritePlan {
    /// Plans changes of the writer.
    pub fn new(subject: impl Into<String>, changes: impl IntoIterator<Item = (EntityId, Change)>) -> Self {
        Self {
            subject: subject.into(),
            steps: changes.into_iter().map(|(entity, change)| Step::own(entity, change)).collect(),
        }
    }
}

/// One change, and where it comes from.
#[derive(Debug, Clone)]
pub struct Step {
    /// What is changed.
    pub entity: EntityId,
    /// What happens.
    pub change: Change,
    /// Who did it and when, if it was not the writer just now.
    pub origin: Option<Origin>,
}

/// Who made a change that was made elsewhere.
#[derive(Debug, Clone)]
pub struct Origin {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: Person,
    /// The operation's name, for one that every clone must name alike; a new one otherwise.
    pub id: Option<OpId>,
}

impl Step {
    /// A change that the writer makes, now.
    pub fn own(entity: EntityId, change: Change) -> Self {
        Self { entity, change, origin: None }
    }
}

/// Who writes, when, and how operations get their names.
pub struct WriteMeta<'a> {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: Person,
    /// Returns a new id each time.
    pub next_id: &'a mut dyn FnMut() -> Uuid,
}

impl Store {
    /// Writes the operations that `plan` decides on after it saw the newest state, and returns what `read` makes of the
    /// state with the write in it.
    ///
    /// Both run again when the ref moved before the write, so neither may have a side effect. A plan without steps
    /// writes nothing. The write stands even if `read` fails.
    pub fn write<T: Clone, U, E: From<StoreError>>(
        &mut self,
        meta: &mut WriteMeta<'_>,
        mut plan: impl FnMut(&Index) -> Result<(WritePlan, T), E>,
        mut read: impl FnMut(&Index, T) -> Result<U, E>,
    ) -> Result<U, E> {
        let group = Arc::clone(&self.group);
        retry(|| group.write(self, meta, &mut plan, &mut read))
    }

    /// Returns how many writes of this process wait for their turn.
    pub fn n_waiting(&self) -> usize {
        self.group.n_waiting()
    }

    /// Writes one plan as a commit of its own; `None` when the ref moved first.
    pub(crate) fn write_alone<T: Clone, U, E: From<StoreError>>(
        &mut self,
        meta: &mut WriteMeta<'_>,
        plan: &mut impl FnMut(&Index) -> Result<(WritePlan, T), E>,
        read: &mut impl FnMut(&Index, T) -> Result<U, E>,
    ) -> Result<Option<U>, E> {
        let guard = self.lock()?;
        self.refresh()?;
        let parent = self.parent()?;
        let (plan, answer) = plan(&self.index)?;
        if plan.steps.is_empty() {
            return read(&self.index, answer).map(Some);
        }
        let clock = parent.clock + plan.steps.len() as u64;
        let lines = stamped(parent.clock, meta, plan.steps);
        let Some(commit) = self.append(parent, &plan.subject, &lines, None)? else { return Ok(None) };
        drop(guard);
        self.tell(Notice::Committed { n_writes: 1 });
        self.after_commit(parent, Parent { tip: Some(commit), clock }, &lines);
        self.read_after_commit(answer, read).map(Some)
    }

    /// Reads the state after a commit. The write cannot be repeated, so an index that turns out to be damaged or replaced
    /// is recovered here, and read again.
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

    /// Appends operations that have their ids and clocks already, such as those of an import.
    pub fn append_lines(&mut self, subject: &str, lines: &[u8]) -> Result<(), StoreError> {
        let guard = self.lock()?;
        retry(|| self.try_append_lines(subject, lines))?;
        drop(guard);
        self.tell(Notice::Committed { n_writes: 1 });
        self.update_index();
        self.repository.maintain();
        Ok(())
    }

    fn try_append_lines(&mut self, subject: &str, lines: &[u8]) -> Result<Option<()>, StoreError> {
        self.refresh()?;
        let parent = self.parent()?;
        let tip = write_operations(&self.repository, parent.tip.as_slice(), subject, lines, None)?;
        let adoption = Adoption {
            from: parent.tip,
            tip,
            limit: u64::MAX,
            reason: subject,
            on_published_conflict: OnPublishedConflict::Renumber,
        };
        // Items that are here already keep their numbers: imported ones get new ones.
        match self.adopt(&adoption, |_| Ok(claiming(lines).collect())) {
            Ok(_) => Ok(Some(())),
            Err(StoreError::Move(MoveError::Moved { .. })) => Ok(None),
            Err(error) => Err(error),
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

    /// Returns what the next commit is built on, with the clock that stands there.
    ///
    /// Two things are checked that hold unless something is badly wrong: the last commit can be read, or what is built on it
    /// could not be pushed; and the index knows a clock for it that its own operations do not contradict, or a new operation
    /// would lose against older ones. An index that fails is built anew.
    pub(crate) fn parent(&mut self) -> Result<Parent, StoreError> {
        for is_last in [false, true] {
            let Some(tip) = self.index.tip()? else { return Ok(Parent { tip: None, clock: 0 }) };
            let lamports = self.lamports_of(tip)?;
            if let Some(clock) = self.index.clock_of(tip)?
                // One further ahead was passed over.
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
            // It was passed over for good: nothing it says counts, and it must not stop everyone.
            Err(error) if error.is_final() => return Ok(Vec::new()),
            Err(ReadError::Git(error)) => return Err(error.into()),
            Err(source) => return Err(StoreError::BrokenTip { commit: tip, source }),
        };
        let body = format::read_message(&commit.message).body;
        let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        Ok(lines.filter_map(|line| v1::read(line).ok()).map(|op| op.stamp.lamport).collect())
    }

    /// Appends lines of operations to the log; `None` when the ref moved under it.
    pub(crate) fn append(
        &mut self,
        parent: Parent,
        subject: &str,
        lines: &[u8],
        author: Option<&Fixed>,
    ) -> Result<Option<CommitId>, StoreError> {
        let tip = parent.tip;
        let commit = write_operations(&self.repository, tip.as_slice(), subject, lines, author)?;
        match self.repository.move_ref(&RefName::WORK, tip, commit, subject) {
            Ok(()) => Ok(Some(commit)),
            Err(MoveError::Moved { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Indexes the commit that this writer made and runs git's maintenance.
    fn after_commit(&mut self, parent: Parent, new: Parent, lines: &[u8]) {
        // The index stood at the parent when the plan was made, so the new lines are all it lacks, unless another
        // process was faster.
        if !matches!(self.index.ingest_commit(parent, new, lines), Ok(true)) {
            self.update_index();
        }
        self.repository.maintain();
    }

    /// Does what is left to do after a commit that carried this write and others, once for all of them where that is enough.
    pub(crate) fn after_batch(&mut self, is_indexed: bool, is_last: bool) {
        if !is_indexed {
            self.update_index();
        }
        if is_last {
            self.repository.maintain();
        }
    }

    // The write is acknowledged by now: an error of the index must not look like a failed write.
    fn update_index(&mut self) {
        if let Err(error) = self.refresh() {
            self.tell(Notice::IndexBehind { why: error.to_string() });
        }
    }
}

/// Tries a write until the ref stays where it was; `None` means that it moved.
pub(crate) fn retry<T, E: From<StoreError>>(mut attempt: impl FnMut() -> Result<Option<T>, E>) -> Result<T, E> {
    for _ in 0..MAX_TRIES {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
    }
    Err(StoreError::Contended.into())
}

/// Writes a commit with operations. Nothing points at it yet.
pub(crate) fn write_operations(
    repository: &Repository,
    parents: &[CommitId],
    subject: &str,
    lines: &[u8],
    author: Option<&Fixed>,
) -> Result<CommitId, StoreError> {
    let is_small = lines.len() <= format::MESSAGE_TARGET;
    let message = format::write_message(subject, if is_small { lines } else { b"" });
    let files = if is_small { Vec::new() } else { split_into_files(lines) };
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
    let commit = NewCommit { parents, message: &message, files: &files, author };
    Ok(repository.write_commit(&commit)?)
}

/// Writes changes down as operations, each with its place after `clock`.
pub(crate) fn stamped(clock: u64, meta: &mut WriteMeta<'_>, steps: Vec<Step>) -> Vec<u8> {
    let mut lines = Vec::new();
    for (lamport, step) in (clock + 1..).zip(steps) {
        let Step { entity, change, origin } = step;
        let (at, by, id) = match origin {
            Some(origin) => (origin.at, origin.by, origin.id),
            None => (meta.at, meta.by.clone(), None),
        };
        let stamp = Stamp { lamport, id: id.unwrap_or_else(|| OpId::new((meta.next_id)())) };
        v1::write(&Op { stamp, entity, at, by, change }, &mut lines);
    }
    lines
}

fn split_into_files(lines: &[u8]) -> Vec<(String, &[u8])> {
    let mut files = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let target = rest.len().min(format::FILE_TARGET);
        let end = rest[target - 1..].iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| target + at);
        let (file, after) = rest.split_at(end);
        files.push((format!("{}/{:06}.jsonl", format::FOLDER, files.len() + 1), file));
        rest = after;
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_split_at_line_ends() {
        let line = vec![b'x'; format::FILE_TARGET / 2 + 1].into_iter().chain([b'\n']).collect::<Vec<u8>>();
        let lines = line.repeat(5);
        let files = split_into_files(&lines);
        assert_eq!(files.len(), 3);
        assert_eq!(files[0].0, "ops/000001.jsonl");
        assert!(files.iter().all(|(_, bytes)| bytes.ends_with(b"\n")));
        assert_eq!(files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(), lines.len());
    }
}
