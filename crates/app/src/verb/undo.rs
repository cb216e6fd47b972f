//! Takes back the acting person's last changes by writing their inverse. Nothing is erased: the log has the change and
//! its inverse, which names the operation it takes back, so that the next undo goes on with the change before.

mod inverse;

use std::collections::HashSet;

use model::id::{EntityId, OpId};
use model::member::Member;
use model::op::Op;
use store::Extent;
use store::git::{CommitId, LogLine};

use crate::error::{Error, ErrorKind};
use crate::project::{PlanContext, Project, WritePlan};
use crate::view::{UndoView, UndoneView};
use inverse::InverseBuilder;
pub use inverse::OnConflict;

/// Commits of the log that are searched for changes of the acting person.
const MAX_COMMITS: usize = 5_000;
/// Commits that are read at first; the number grows until enough changes are found.
const FIRST_COMMITS: usize = 50;

/// Options of `undo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UndoOptions {
    /// Number of changes to take back.
    pub n_changes: usize,
    /// What to do if someone else changed the same field since.
    pub on_conflict: OnConflict,
    /// Whether to write.
    pub mode: UndoMode,
}

/// Whether an undo is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoMode {
    /// It is written.
    Write,
    /// It is only shown.
    DryRun,
}

/// One write of the acting person.
#[derive(Debug, Clone)]
struct OwnChange {
    line: LogLine,
    ops: Vec<Op>,
}

/// The newest part of the log.
#[derive(Default)]
struct OwnHistory {
    /// Newest first.
    changes: Vec<OwnChange>,
    /// Operations that were taken back.
    undone: HashSet<OpId>,
}

impl Project {
    /// Takes back the last changes of the acting person, each in a commit of its own, and returns them, newest first.
    pub fn undo(&mut self, options: &UndoOptions) -> Result<UndoView, Error> {
        if options.mode == UndoMode::DryRun {
            let changes = self.changes_to_undo(options.n_changes, options.on_conflict)?;
            let undone = changes.iter().map(|change| self.undone_view(change)).collect::<Result<_, _>>()?;
            return Ok(UndoView { undone, dry_run: true });
        }
        let mut undone = Vec::new();
        for n_undone in 0..options.n_changes {
            match self.undo_last(options.on_conflict) {
                Ok(one) => undone.push(one),
                // Fewer changes than asked for are not an error, but a conflict is.
                Err(error) if error.kind == ErrorKind::NotFound && n_undone > 0 => break,
                Err(error) if n_undone > 0 => {
                    return Err(error.in_context(format!("undid {n_undone} of {} changes", options.n_changes)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(UndoView { undone, dry_run: false })
    }

    fn undo_last(&mut self, on_conflict: OnConflict) -> Result<UndoneView, Error> {
        let mut changes = self.changes_to_undo(1, on_conflict)?;
        let change = changes.pop().ok_or_else(nothing_to_undo)?;
        let view = self.undone_view(&change)?;
        self.commit(|context| {
            let steps = InverseBuilder::new(context, on_conflict).take_back(&change.ops)?;
            Ok((WritePlan { subject: format!("undo: {}", change.line.subject), steps }, ()))
        })?;
        Ok(view)
    }

    fn undone_view(&self, change: &OwnChange) -> Result<UndoneView, Error> {
        let sentences = self.sentences(&change.ops)?;
        Ok(UndoneView {
            commit: change.line.id.clone(),
            at: change.ops.first().map(|op| op.at).unwrap_or_default(),
            text: change.line.subject.clone(),
            sentences,
        })
    }

    /// Returns the last changes that still have an effect, newest first.
    fn changes_to_undo(&self, n_changes: usize, on_conflict: OnConflict) -> Result<Vec<OwnChange>, Error> {
        let mut n_commits = FIRST_COMMITS;
        loop {
            let (history, is_whole) = self.own_history(n_commits)?;
            let chosen = self.dry_run(|context| chosen(context, history, n_changes, on_conflict))?;
            if chosen.len() >= n_changes || is_whole || n_commits >= MAX_COMMITS {
                return if chosen.is_empty() { Err(nothing_to_undo()) } else { Ok(chosen) };
            }
            n_commits *= 10;
        }
    }

    /// Returns the acting person's part of the newest commits, and whether that is the whole log.
    fn own_history(&self, n_commits: usize) -> Result<(OwnHistory, bool), Error> {
        let Some(tip) = self.index().tip()? else { return Ok((OwnHistory::default(), true)) };
        let (total, lines) = self.store.repository().log_between(None, tip, n_commits)?;
        let is_whole = total <= lines.len();
        let me = Member::id_of(&self.me()?);
        let mut history = OwnHistory::default();
        for line in lines {
            let Ok(commit) = line.id.parse::<CommitId>() else { continue };
            let ops = self.store.operations_of(commit, Extent::Whole)?;
            history.undone.extend(ops.iter().filter_map(|op| op.undoes));
            history.changes.extend(own_changes(&line, ops, me));
        }
        Ok((history, is_whole))
    }
}

fn nothing_to_undo() -> Error {
    Error::not_found("nothing to undo: no change of yours is left that has an effect")
        .hint("`cairn log` shows the changes of everyone")
}

/// Splits the operations of a commit into the writes of one person. The operations of a write have one time; those of
/// an import or an undo are not changes to take back.
fn own_changes(line: &LogLine, ops: Vec<Op>, me: EntityId) -> Vec<OwnChange> {
    let mut changes: Vec<OwnChange> = Vec::new();
    let is_own = |op: &Op| Member::id_of(&op.by) == me && op.imported.is_none() && op.undoes.is_none();
    for op in ops.into_iter().filter(is_own) {
        match changes.last_mut() {
            Some(change) if change.ops.first().is_some_and(|first| first.at == op.at) => change.ops.push(op),
            _ => changes.push(OwnChange { line: line.clone(), ops: vec![op] }),
        }
    }
    changes.reverse();
    changes
}

/// Chooses the changes to take back: the newest ones that still have an effect.
fn chosen(
    context: &PlanContext<'_>,
    history: OwnHistory,
    n_changes: usize,
    on_conflict: OnConflict,
) -> Result<Vec<OwnChange>, Error> {
    let mut chosen: Vec<OwnChange> = Vec::new();
    // All together: a later change that is undone first does not conflict with the undo of an earlier one.
    let mut inverse = InverseBuilder::new(context, on_conflict);
    for mut change in history.changes {
        if chosen.len() == n_changes {
            break;
        }
        change.ops.retain(|op| !history.undone.contains(&op.stamp.id));
        if !inverse.take_back(&change.ops)?.is_empty() {
            chosen.push(change);
        }
    }
    Ok(chosen)
}
