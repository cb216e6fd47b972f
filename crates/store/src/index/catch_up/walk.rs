//! A walk through the log: from a tip down to known commits, and up again, parents first, with their operations.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;

use model::op::Op;
use model::text::counted;

use super::super::op_feed::OpFeed;
use super::super::seen::UnreadablePart;
use super::super::{Index, IndexError};
use super::{CLOCK_JUMP, CatchUp, CatchUpProgress, Warning};
use crate::format;
use crate::format::v1::{self, OpReader};
use crate::git::{CommitId, ObjectId, RawCommit, ReadError, Repository};

/// Bytes of messages that are kept during the descent; beyond that, messages are read again on the way up.
const MAX_HELD: usize = 32 * 1024 * 1024;

/// A walk from a tip down to known commits and up again.
pub(super) struct Walk<'a> {
    index: &'a mut Index,
    repository: &'a Repository,
    /// The old tip; `None` if the index is rebuilt.
    old: Option<CommitId>,
    pub(super) reached_old: bool,
    /// A commit was lost, and with it the path to its ancestors.
    pub(super) is_cut: bool,
    /// Commits that were entered, each with the clock at it once it was left, or that the index knows.
    clocks: HashMap<CommitId, Option<u64>>,
    /// Ingested commits, recorded together and sorted, because inserting ids in random order is slower.
    taken: Vec<(CommitId, u64)>,
    feed: OpFeed,
    reader: OpReader,
    found: CatchUp,
    /// Bytes of messages that are held, now and at most.
    held: usize,
    max_held: usize,
    /// Files that were read: a file that occurs again adds nothing.
    blobs: HashMap<ObjectId, Clocks>,
    /// Maximum bytes of operations, and the bytes read so far.
    limit: u64,
    n_bytes: u64,
}

/// A commit on the stack of the walk.
struct Frame {
    id: CommitId,
    parents: Vec<CommitId>,
    next_parent: usize,
    content: Content,
}

/// The content of a commit.
enum Content {
    /// In memory.
    Held(RawCommit),
    /// To be read again on the way up, because too much is in memory.
    Dropped,
    /// Skipped.
    Skipped,
}

impl<'a> Walk<'a> {
    pub(super) fn new(index: &'a mut Index, repository: &'a Repository, old: Option<CommitId>, limit: u64) -> Self {
        let feed = if old.is_none() { OpFeed::of_new_index() } else { OpFeed::of_known_index() };
        Self {
            index,
            repository,
            old,
            reached_old: false,
            is_cut: false,
            clocks: HashMap::new(),
            taken: Vec::new(),
            feed,
            reader: OpReader::default(),
            found: CatchUp::default(),
            held: 0,
            max_held: 0,
            blobs: HashMap::new(),
            limit,
            n_bytes: 0,
        }
    }

    // Depth-first with an explicit stack: a history may be deeper than the call stack.
    pub(super) fn run(&mut self, tip: CommitId, progress: CatchUpProgress<'_>) -> Result<(), IndexError> {
        let mut stack = Vec::new();
        if self.mark_entered(tip) {
            self.enter(tip, &mut stack)?;
        }
        while let Some(frame) = stack.last_mut() {
            if let Some(parent) = frame.parents.get(frame.next_parent).copied() {
                frame.next_parent += 1;
                if !self.is_known(parent)? && self.mark_entered(parent) {
                    self.enter(parent, &mut stack)?;
                }
                continue;
            }
            let Some(frame) = stack.pop() else { break };
            self.leave(frame)?;
            self.found.n_commits += 1;
            // Not for every commit, so that the reports cost nothing.
            if self.found.n_commits.is_multiple_of(1024) {
                progress(self.found.n_commits, self.found.n_commits + stack.len());
            }
        }
        Ok(())
    }

    /// Returns whether a commit is met for the first time.
    fn mark_entered(&mut self, id: CommitId) -> bool {
        match self.clocks.entry(id) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(None);
                true
            }
        }
    }

    fn enter(&mut self, id: CommitId, stack: &mut Vec<Frame>) -> Result<(), IndexError> {
        match self.repository.read_commit(&id, format::MESSAGE_LIMIT) {
            Ok(commit) => {
                let parents = commit.parents.clone();
                let is_held = self.held + commit.message.len() <= MAX_HELD;
                self.held += if is_held { commit.message.len() } else { 0 };
                self.max_held = self.max_held.max(self.held);
                let content = if is_held { Content::Held(commit) } else { Content::Dropped };
                stack.push(Frame { id, parents, content, next_parent: 0 });
            }
            Err(ReadError::Git(error)) => return Err(error.into()),
            Err(error) => self.enter_unread(id, &error, stack)?,
        }
        Ok(())
    }

    /// Continues below an unreadable commit, if git knows its parents: an oversized or malformed commit must not hide
    /// its ancestors.
    fn enter_unread(&mut self, id: CommitId, error: &ReadError, stack: &mut Vec<Frame>) -> Result<(), IndexError> {
        let parents = self.repository.parents_of(&id)?;
        if !error.is_final() || parents.is_none() {
            self.index.remember_unread(UnreadablePart::Log, id.into(), id)?;
        }
        if let Some(parents) = parents {
            self.warn(id, format!("skipped: {}", with_cause(error)));
            stack.push(Frame { id, parents, content: Content::Skipped, next_parent: 0 });
            return Ok(());
        }
        self.is_cut = true;
        let cause = with_cause(error);
        self.warn(id, format!("skipped with its unreachable parents: {cause}; `cairn sync` may restore it"));
        Ok(())
    }

    fn is_known(&mut self, id: CommitId) -> Result<bool, IndexError> {
        let Some(old) = self.old else { return Ok(false) };
        if matches!(self.clocks.get(&id), Some(Some(_))) {
            return Ok(true);
        }
        self.reached_old |= id == old;
        let Some(clock) = self.index.clock_of(id)? else { return Ok(false) };
        self.clocks.insert(id, Some(clock));
        Ok(true)
    }

    fn leave(&mut self, frame: Frame) -> Result<(), IndexError> {
        let clocks = frame.parents.iter().filter_map(|parent| *self.clocks.get(parent)?);
        let mut clock = clocks.max().unwrap_or(0);
        match frame.content {
            Content::Held(commit) => {
                self.held -= commit.message.len();
                self.take(frame.id, &commit, &mut clock)?;
            }
            // It was readable on the way down, so a failure now is an I/O error.
            Content::Dropped => {
                let commit = self.repository.read_commit(&frame.id, format::MESSAGE_LIMIT)?;
                self.take(frame.id, &commit, &mut clock)?;
            }
            Content::Skipped => {}
        }
        self.clocks.insert(frame.id, Some(clock));
        self.taken.push((frame.id, clock));
        Ok(())
    }

    fn take(&mut self, id: CommitId, commit: &RawCommit, clock: &mut u64) -> Result<(), IndexError> {
        let body = format::read_message(&commit.message).body;
        if body.trim_ascii().is_empty() && commit.has_empty_tree {
            // Our merges have no operations; any other commit without operations is foreign.
            if commit.parents.len() < 2 {
                self.warn(id, "skipped: it has no operations and was not written by cairn");
            }
            return Ok(());
        }
        self.count_bytes(body.len() as u64)?;
        self.take_lines(id, body, clock)?;
        match self.repository.list_folder(commit, format::FOLDER, format::FILE_LIMITS.files) {
            Ok(files) => self.take_files(id, &files, clock),
            Err(ReadError::Git(error)) => Err(error.into()),
            Err(error) => self.leave_files(id, &error),
        }
    }

    fn take_files(&mut self, id: CommitId, files: &[(String, ObjectId)], clock: &mut u64) -> Result<(), IndexError> {
        let mut left = format::FILE_LIMITS.total_bytes;
        for (_, blob) in files {
            let limit = left.min(format::FILE_LIMITS.file_bytes);
            match self.take_file(id, *blob, limit, clock) {
                Ok(n_bytes) => left -= n_bytes,
                Err(IndexError::Read(ReadError::Git(error))) => return Err(error.into()),
                Err(IndexError::Read(error)) => return self.leave_files(id, &error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ingests the operations of a file and returns the number of bytes read.
    fn take_file(&mut self, id: CommitId, blob: ObjectId, limit: u64, clock: &mut u64) -> Result<u64, IndexError> {
        if let Some(known) = self.blobs.get(&blob)
            && known.is_taken_at(*clock)
        {
            *clock = known.highest.max(*clock);
            return Ok(0);
        }
        let repository = self.repository;
        let (n_bytes, clocks) = repository.with_blob(&blob, limit, |bytes| {
            self.count_bytes(bytes.len() as u64)?;
            Ok::<_, IndexError>((bytes.len() as u64, self.take_lines(id, bytes, clock)?))
        })??;
        self.blobs.insert(blob, clocks);
        Ok(n_bytes)
    }

    fn count_bytes(&mut self, n_bytes: u64) -> Result<(), IndexError> {
        self.n_bytes = self.n_bytes.saturating_add(n_bytes);
        if self.n_bytes > self.limit { Err(IndexError::TooMuch { limit: self.limit }) } else { Ok(()) }
    }

    fn leave_files(&mut self, id: CommitId, error: &ReadError) -> Result<(), IndexError> {
        if let (false, Some(object)) = (error.is_final(), error.object()) {
            self.index.remember_unread(UnreadablePart::Log, object, id)?;
        }
        self.warn(id, format!("skipped its files: {}", with_cause(error)));
        Ok(())
    }

    /// Ingests operations line by line, so that at most one batch is in memory.
    ///
    /// Operations count in the order of their clocks, not of their lines. An operation that seems too far ahead may
    /// follow one on a later line, so these are checked again at the end.
    fn take_lines(&mut self, id: CommitId, body: &[u8], clock: &mut u64) -> Result<Clocks, IndexError> {
        let mut clocks = Clocks::default();
        let mut ahead: Vec<(u64, usize)> = Vec::new();
        let mut bad: Option<(usize, v1::BadOp)> = None;
        for (place, line) in lines(body) {
            match self.reader.read(line) {
                Ok(op) if op.stamp.lamport > clock.saturating_add(CLOCK_JUMP) => ahead.push((op.stamp.lamport, place)),
                Ok(op) => {
                    *clock = op.stamp.lamport.max(*clock);
                    clocks.count(op.stamp.lamport);
                    self.push(op, line)?;
                }
                Err(error) => bad = Some((bad.map_or(1, |(n, _)| n + 1), error)),
            }
        }
        if let Some((n, error)) = bad {
            self.warn(id, format!("skipped {} ({error})", counted(n, "malformed operation")));
        }
        self.take_ahead_lines(id, body, ahead, &mut clocks, clock)?;
        Ok(clocks)
    }

    fn take_ahead_lines(
        &mut self,
        id: CommitId,
        body: &[u8],
        mut ahead: Vec<(u64, usize)>,
        clocks: &mut Clocks,
        clock: &mut u64,
    ) -> Result<(), IndexError> {
        // By clock: each accepted operation raises the clock for the next one.
        ahead.sort_unstable();
        let mut n_taken = 0;
        for (lamport, place) in &ahead {
            if *lamport > clock.saturating_add(CLOCK_JUMP) {
                break;
            }
            *clock = *lamport.max(clock);
            clocks.count(*lamport);
            let line = line_at(body, *place);
            if let Ok(op) = self.reader.read(line) {
                self.push(op, line)?;
            }
            n_taken += 1;
        }
        let n_left = ahead.len() - n_taken;
        if n_left > 0 {
            clocks.is_whole = false;
            self.found.n_ops += n_left;
            self.warn(id, format!("skipped {} too far ahead of the clock", counted(n_left, "operation")));
        }
        Ok(())
    }

    fn push(&mut self, op: Op, line: &[u8]) -> Result<(), IndexError> {
        self.found.n_ops += 1;
        // Messages that were held on the way down leave their memory to the batch.
        self.feed.push(self.index, op, line, self.max_held - self.held)
    }

    pub(super) fn finish(mut self, tip: CommitId) -> Result<CatchUp, IndexError> {
        let rebuilt = self.old.is_none();
        let ingested = self.feed.finish(self.index)?;
        self.found.warnings.extend(ingested.warnings);
        self.taken.sort_unstable();
        self.index.remember(&self.taken)?;
        self.index.settle_numbers(&ingested.contested)?;
        self.found.contested = ingested.contested;
        self.index.set_tip(tip)?;
        self.index.keep_warnings(&self.found.warnings)?;
        self.found.rebuilt = rebuilt;
        Ok(self.found)
    }

    fn warn(&mut self, id: CommitId, text: impl Into<String>) {
        self.found.warnings.push(Warning { place: id.to_string(), text: text.into() });
    }
}

/// Returns an error with its cause, for a warning.
fn with_cause(error: &ReadError) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), |cause| format!("{error} ({cause})"))
}

/// The clocks of the operations of a file.
#[derive(Clone, Copy)]
struct Clocks {
    lowest: u64,
    highest: u64,
    /// All of them were ingested.
    is_whole: bool,
}

impl Default for Clocks {
    fn default() -> Self {
        Self { lowest: u64::MAX, highest: 0, is_whole: true }
    }
}

impl Clocks {
    fn count(&mut self, lamport: u64) {
        self.lowest = self.lowest.min(lamport);
        self.highest = self.highest.max(lamport);
    }

    /// Returns whether reading the file again at this clock would find nothing new: all of it was ingested, and none of
    /// it is too far ahead of this clock.
    fn is_taken_at(&self, clock: u64) -> bool {
        self.is_whole && self.highest <= clock.saturating_add(CLOCK_JUMP)
    }
}

/// Returns the nonblank lines, each with its offset.
fn lines(body: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut place = 0;
    let lines = std::iter::from_fn(move || {
        let mut rest = body.get(place..).filter(|rest| !rest.is_empty())?;
        let start = place;
        // Not `split`, which compares byte by byte; reading from a slice cannot fail.
        place += rest.skip_until(b'\n').unwrap_or(rest.len());
        Some((start, body[start..place].trim_ascii()))
    });
    lines.filter(|(_, line)| !line.is_empty())
}

fn line_at(body: &[u8], place: usize) -> &[u8] {
    body.get(place..).and_then(|rest| rest.split(|byte| *byte == b'\n').next()).unwrap_or_default().trim_ascii()
}
