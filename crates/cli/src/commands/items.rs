//! `cairn start`, `close`, `reopen`, `delete`: status changes of one or more items.

use std::process::ExitCode;

use app::verb::CloseOptions;
use app::view::ClosedByCommitView;
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;
use serde::Serialize;

use super::print_changed;
use super::selection::Matching;
use crate::output::{FAINT, GOOD, Ui, safe};

/// Start items: set them in progress, started today and assigned to you.
///
/// An existing assignee and an earlier start date are kept.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn start 42
  cairn ready -n 1 --json | jq '.items[0].number' | xargs cairn start")]
pub(crate) struct Start {
    #[command(flatten)]
    items: Items,
}

/// Close items.
///
/// They get the first closed status of their workflow and the date of today.
///
/// With `--from-commits`: the items that commits of the default branch close, as in `Fixes #42`. Hooks and `cairn sync`
/// do this by themselves.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn close 42 43
  cairn close 42 --comment 'Fixed by 3f9c2a7.'
  cairn close 42 --as dropped
  cairn close --where 'milestone == \"Beta\" and status == review'
  cairn close --from-commits --dry-run")]
pub(crate) struct Close {
    /// Numbers, ids, or unique beginnings of ids.
    #[arg(required_unless_present_any = ["from_commits", "matching"], value_name = "ID")]
    ids: Vec<ItemRef>,
    #[command(flatten)]
    matching: Matching,
    /// Close the items that commits of the default branch close.
    #[arg(long, conflicts_with_all = ["ids", "matching", "status", "comment", "if_unchanged"])]
    from_commits: bool,
    /// Only show which items would be closed.
    #[arg(long, requires = "from_commits")]
    dry_run: bool,
    /// Fail if an item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
    /// The closed status; the first one of the workflow if omitted.
    #[arg(long = "as", value_name = "STATUS")]
    status: Option<String>,
    /// Add a comment.
    #[arg(short = 'm', long, value_name = "TEXT", allow_hyphen_values = true)]
    comment: Option<String>,
}

/// Reopen closed items and restore deleted ones.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn reopen 42")]
pub(crate) struct Reopen {
    #[command(flatten)]
    items: Items,
}

/// Delete items; `cairn reopen` restores them.
///
/// Nothing is erased: `cairn log ID` still shows their history.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn delete 42
  cairn delete --where 'labels ~ spam' --yes")]
pub(crate) struct Delete {
    #[command(flatten)]
    items: ItemSelection,
}

/// The JSON output of `cairn close --from-commits`.
#[derive(Serialize)]
struct FromCommits {
    closed: Vec<ClosedByCommitView>,
}

/// Prints one line per item that a commit closed.
pub(super) fn print_closed_by_commits(ui: &Ui, verb: &str, closed: &[ClosedByCommitView]) {
    for one in closed {
        let (item, title) = (one.item.name(), safe(&one.item.title));
        let (commit, subject) = (&one.commit[..7], safe(&one.subject));
        ui.line(&format!("{GOOD}{verb}{GOOD:#} {item}: {title} {FAINT}by {commit} {subject}{FAINT:#}"));
    }
}

#[derive(Debug, Args)]
struct Items {
    /// Numbers, ids, or unique beginnings of ids.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<ItemRef>,
    /// Fail if an item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

/// Items by name or by a filter.
#[derive(Debug, Args)]
struct ItemSelection {
    /// Numbers, ids, or unique beginnings of ids.
    #[arg(required_unless_present = "matching", value_name = "ID")]
    ids: Vec<ItemRef>,
    #[command(flatten)]
    matching: Matching,
    /// Fail if an item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

impl Start {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let items = project.start(&self.items.ids, self.items.if_unchanged.as_deref())?;
        print_changed(ui, "started", &items);
        Ok(ExitCode::SUCCESS)
    }
}

impl Close {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        if self.from_commits {
            return self.run_from_commits(project, ui);
        }
        let closing = CloseOptions {
            status: self.status.clone(),
            comment: self.comment.clone(),
            if_unchanged: self.if_unchanged.clone(),
        };
        let chosen = self.matching.select(&self.ids, "close", &project)?;
        chosen.apply(ui, "closed", |ids| project.close(ids, &closing))?;
        Ok(ExitCode::SUCCESS)
    }

    fn run_from_commits(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let closed = if self.dry_run { project.closable_from_commits()? } else { project.close_from_commits()? };
        if ui.json {
            ui.data(&FromCommits { closed });
            return Ok(ExitCode::SUCCESS);
        }
        print_closed_by_commits(ui, if self.dry_run { "would close" } else { "closed" }, &closed);
        if closed.is_empty() {
            ui.note("no commit of the default branch closes an open item");
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Reopen {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let items = project.reopen(&self.items.ids, self.items.if_unchanged.as_deref())?;
        print_changed(ui, "reopened", &items);
        Ok(ExitCode::SUCCESS)
    }
}

impl Delete {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let chosen = self.items.matching.select(&self.items.ids, "delete", &project)?;
        chosen.apply(ui, "deleted", |ids| project.delete(ids, self.items.if_unchanged.as_deref()))?;
        Ok(ExitCode::SUCCESS)
    }
}
