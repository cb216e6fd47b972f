//! Brings the index up to the tip of the log: reads the commits it has not seen, parents first, and hands their
//! operations on. When the log was rewritten under it, it starts anew.
//!
//! Nothing a commit says can stop it: what cannot be read is passed over and named in a warning.

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::{Duration, Instant};

use model::op::Op;
use rusqlite::ErrorCode;

use super::absorb::Batch;
use super::{BUSY, Index, IndexError, schema};
use crate::format::{self, v1};
use crate::git::{CommitId, RawCommit, ReadError, RefName, Repository};

/// How far an operation's clock may run ahead of all it could have seen. Honest writers count by one; whoever jumps
/// further would outrank everyone for ever.
pub const CLOCK_JUMP: u64 = 1 << 20;
/// How many operations are gathered before they are folded.
const BATCH: usize = 200_000;
/// How many bytes of messages are held while the walk goes down; beyond that they are read again on the way up.
const HELD: usize = 256 * 1024 * 1024;

/// How long to wait at the most before looking again whether someone else still writes the index.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// What catching up found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CatchUp {
    /// Commits read.
    pub n_commits: usize,
    /// Operations taken in.
    pub n_ops: usize,
    /// Whether it was built from nothing.
    pub rebuilt: bool,
    /// What was passed over.
    pub warnings: Vec<Warning>,
}

/// Something in the log that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The commit it stands in.
    pub place: String,
    /// What is wrong with it.
    pub text: String,
}

/// Told while a long catch-up runs: how many commits were read, and how many there are as far as is known.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

impl Index {
    /// Brings the index up to where `tip` says the log ends. `tip` is asked once no one else is writing the index, so
    /// that it never goes back.
    pub fn catch_up(
        &mut self,
        repository: &Repository,
        tip: &dyn Fn() -> Result<Option<CommitId>, crate::git::GitError>,
        progress: Progress<'_>,
    ) -> Result<CatchUp, IndexError> {
        if !self.begin_catch_up(repository, tip)? {
            return Ok(CatchUp::default());
        }
        let done = self.catch_up_inside(repository, tip, progress);
        let end = self.connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        let done = done?;
        self.check(end)?;
        self.tidy_journal();
        Ok(done)
    }

    /// Waits for the right to write the index. False when there is nothing to take in, or no longer: a busy writer keeps
    /// the index up to date by itself, and whoever insisted on a turn would wait for a long time for nothing.
    fn begin_catch_up(
        &self,
        repository: &Repository,
        tip: &dyn Fn() -> Result<Option<CommitId>, crate::git::GitError>,
    ) -> Result<bool, IndexError> {
        let give_up = Instant::now() + BUSY;
        let mut pause = Duration::from_millis(1);
        while self.tip()? != tip()? || self.can_read_more(repository)? {
            match self.try_begin() {
                Err(error) if is_busy(&error) && Instant::now() < give_up => {}
                begun => return self.check(begun).map(|()| true),
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        Ok(false)
    }

    fn try_begin(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let begun = self.connection.execute_batch("BEGIN IMMEDIATE");
        self.connection.busy_timeout(BUSY)?;
        begun
    }

    fn catch_up_inside(
        &mut self,
        repository: &Repository,
        tip: &dyn Fn() -> Result<Option<CommitId>, crate::git::GitError>,
        progress: Progress<'_>,
    ) -> Result<CatchUp, IndexError> {
        let (old, new) = (self.tip()?, tip()?);
        let is_mended = self.can_read_more(repository)?;
        if old == new && !is_mended {
            return Ok(CatchUp::default());
        }
        let cache = self.connection.pragma_update(None, "cache_size", -64_000);
        self.check(cache)?;
        if let (Some(old), Some(new), false) = (old, new, is_mended) {
            let mut walk = Walk::new(self, repository, Some(old));
            walk.run(new, progress)?;
            if walk.reached_old {
                return walk.finish(new, false);
            }
        }
        let Some(new) = new else {
            self.check(self.remake())?;
            return Ok(CatchUp { rebuilt: true, ..CatchUp::default() });
        };
        self.check(self.remake_tables())?;
        let mut walk = Walk::new(self, repository, None);
        walk.run(new, progress)?;
        if walk.is_cut {
            // What lies below a lost commit may still be reached from where the remotes were.
            for tracked in repository.tracked(&RefName::WORK)? {
                walk.run(tracked, progress)?;
            }
        }
        walk.finish(new, true)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// A walk from a tip down to what the index knows, and up again.
struct Walk<'a> {
    index: &'a mut Index,
    repository: &'a Repository,
    /// Where the index stood; `None` when it starts anew.
    old: Option<CommitId>,
    reached_old: bool,
    /// Whether a commit was lost, and with it the way to what lies below it.
    is_cut: bool,
    entered: HashSet<CommitId>,
    clocks: HashMap<CommitId, u64>,
    /// What was taken in, to be remembered in one go: in order, which their names are not.
    taken: Vec<(CommitId, u64)>,
    batch: Batch,
    found: CatchUp,
    contested: bool,
    held: usize,
}

/// A commit on the way down.
struct Frame {
    id: CommitId,
    parents: Vec<CommitId>,
    next_parent: usize,
    content: Content,
}

/// What a commit says.
enum Content {
    /// At hand.
    Held(RawCommit),
    /// To be read again on the way up, since too much is held already.
    Dropped,
    /// Not to be read.
    PassedOver,
}

impl<'a> Walk<'a> {
    fn new(index: &'a mut Index, repository: &'a Repository, old: Option<CommitId>) -> Self {
        let batch = Batch::new(old.is_none());
        Self {
            index,
            repository,
            old,
            reached_old: false,
            is_cut: false,
            entered: HashSet::new(),
            clocks: HashMap::new(),
            taken: Vec::new(),
            batch,
            found: CatchUp::default(),
            contested: false,
            held: 0,
        }
    }

    // Depth first with our own stack: a history is as deep as it is long.
    fn run(&mut self, tip: CommitId, progress: Progress<'_>) -> Result<(), IndexError> {
        let mut stack = Vec::new();
        if self.entered.insert(tip) {
            self.enter(tip, &mut stack)?;
        }
        while let Some(frame) = stack.last_mut() {
            if let Some(parent) = frame.parents.get(frame.next_parent).copied() {
                frame.next_parent += 1;
                if !self.is_known(parent)? && self.entered.insert(parent) {
                    self.enter(parent, &mut stack)?;
                }
                continue;
            }
            let Some(frame) = stack.pop() else { break };
            self.leave(frame)?;
            self.found.n_commits += 1;
            if self.found.n_commits.is_multiple_of(1024) {
                progress(self.found.n_commits, self.found.n_commits + stack.len());
            }
        }
        Ok(())
    }

    fn enter(&mut self, id: CommitId, stack: &mut Vec<Frame>) -> Result<(), IndexError> {
        match self.repository.read_commit(&id, format::MESSAGE_LIMIT) {
            Ok(commit) => {
                let parents = commit.parents.clone();
                let is_held = self.held + commit.message.len() <= HELD;
                self.held += if is_held { commit.message.len() } else { 0 };
                let content = if is_held { Content::Held(commit) } else { Content::Dropped };
                stack.push(Frame { id, parents, content, next_parent: 0 });
            }
            Err(ReadError::Git(error)) => return Err(error.into()),
            Err(error) => self.enter_unread(id, &error, stack)?,
        }
        Ok(())
    }

    // What is too large or too odd for us must not hide what lies below it.
    fn enter_unread(&mut self, id: CommitId, error: &ReadError, stack: &mut Vec<Frame>) -> Result<(), IndexError> {
        if let Some(parents) = self.repository.parents_of(&id)? {
            self.warn(id, format!("{error}; it was passed over"));
            stack.push(Frame { id, parents, content: Content::PassedOver, next_parent: 0 });
            return Ok(());
        }
        self.is_cut = true;
        self.index.remember_unread(id)?;
        let text = format!("{error}; it was passed over, with what only it leads to; `cairn sync` may bring it back");
        self.warn(id, text);
        Ok(())
    }

    fn is_known(&mut self, id: CommitId) -> Result<bool, IndexError> {
        let Some(old) = self.old else { return Ok(false) };
        if self.clocks.contains_key(&id) {
            return Ok(true);
        }
        self.reached_old |= id == old;
        let Some(clock) = self.index.clock_of(id)? else { return Ok(false) };
        self.clocks.insert(id, clock);
        Ok(true)
    }

    fn leave(&mut self, frame: Frame) -> Result<(), IndexError> {
        let mut clock = frame.parents.iter().filter_map(|parent| self.clocks.get(parent)).max().copied().unwrap_or(0);
        match frame.content {
            Content::Held(commit) => {
                self.held -= commit.message.len();
                self.take(frame.id, &commit, &mut clock)?;
            }
            Content::Dropped => match self.repository.read_commit(&frame.id, format::MESSAGE_LIMIT) {
                Ok(commit) => self.take(frame.id, &commit, &mut clock)?,
                Err(error) => self.warn(frame.id, error.to_string()),
            },
            Content::PassedOver => {}
        }
        self.clocks.insert(frame.id, clock);
        self.taken.push((frame.id, clock));
        if self.batch.n_ops() >= BATCH {
            self.flush()?;
        }
        Ok(())
    }

    fn take(&mut self, id: CommitId, commit: &RawCommit, clock: &mut u64) -> Result<(), IndexError> {
        let body = format::read_message(&commit.message).body;
        if body.trim_ascii().is_empty() && commit.has_empty_tree {
            if commit.parents.len() < 2 {
                self.warn(id, "it holds no operations; it was not made by cairn and was passed over");
            }
            return Ok(());
        }
        self.take_lines(id, body, clock);
        if commit.has_empty_tree {
            return Ok(());
        }
        match self.repository.read_files(&id, format::FOLDER, format::FILE_LIMITS) {
            Ok(files) => {
                for (_, bytes) in files {
                    self.take_lines(id, &bytes, clock);
                }
            }
            Err(ReadError::Git(error)) => return Err(error.into()),
            Err(error) => self.warn(id, format!("{error}; its files were passed over")),
        }
        Ok(())
    }

    fn take_lines(&mut self, id: CommitId, body: &[u8], clock: &mut u64) {
        let mut ops: Vec<(Op, &[u8])> = Vec::new();
        let mut bad: Option<(usize, v1::BadOp)> = None;
        for line in body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
            match v1::read(line) {
                Ok(op) => ops.push((op, line)),
                Err(error) => bad = Some((bad.map_or(1, |(n, _)| n + 1), error)),
            }
        }
        if let Some((n, error)) = bad {
            self.warn(id, format!("{n} of its lines are no operations ({error}); they were passed over"));
        }
        ops.sort_by_key(|(op, _)| op.stamp);
        let n_ops = ops.len();
        for (op, line) in ops {
            if op.stamp.lamport > clock.saturating_add(CLOCK_JUMP) {
                let text = format!("operation {} runs too far ahead of the clock and was passed over", op.stamp.id);
                self.warn(id, text);
                continue;
            }
            *clock = op.stamp.lamport.max(*clock);
            self.batch.push(op, line);
        }
        self.found.n_ops += n_ops;
    }

    fn flush(&mut self) -> Result<(), IndexError> {
        let batch = std::mem::replace(&mut self.batch, Batch::new(false));
        let absorbed = self.index.absorb(batch)?;
        self.found.warnings.extend(absorbed.warnings);
        self.contested |= absorbed.contested;
        Ok(())
    }

    fn finish(mut self, tip: CommitId, rebuilt: bool) -> Result<CatchUp, IndexError> {
        self.flush()?;
        if rebuilt {
            self.index.check(self.index.connection.execute_batch(schema::INDEXES))?;
        }
        self.taken.sort_unstable();
        self.index.remember(&self.taken)?;
        self.index.settle_numbers(self.contested)?;
        self.index.set_tip(tip)?;
        self.index.keep_warnings(&self.found.warnings)?;
        self.found.rebuilt = rebuilt;
        Ok(self.found)
    }

    fn warn(&mut self, id: CommitId, text: impl Into<String>) {
        self.found.warnings.push(Warning { place: id.to_string(), text: text.into() });
    }
}
