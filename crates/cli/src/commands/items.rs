//! `cairn start`, `close`, `reopen`, `delete`: status changes of one or more items.

use std::process::ExitCode;

use app::verb::Closing;
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use super::print_changed;
use crate::output::Ui;

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
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn close 42 43
  cairn close 42 --comment 'Fixed by 3f9c2a7.'
  cairn close 42 --as dropped")]
pub(crate) struct Close {
    #[command(flatten)]
    items: Items,
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
#[command(after_help = "Example:
  cairn delete 42")]
pub(crate) struct Delete {
    #[command(flatten)]
    items: Items,
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

impl Start {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let items = project.start(&self.items.ids, self.items.if_unchanged.as_deref())?;
        print_changed(ui, "started", &items);
        Ok(ExitCode::SUCCESS)
    }
}

impl Close {
    pub(crate) fn run(&self, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
        let closing = Closing {
            status: self.status.clone(),
            comment: self.comment.clone(),
            if_unchanged: self.items.if_unchanged.clone(),
        };
        let items = project.close(&self.items.ids, &closing)?;
        print_changed(ui, "closed", &items);
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
        let items = project.delete(&self.items.ids, self.items.if_unchanged.as_deref())?;
        print_changed(ui, "deleted", &items);
        Ok(ExitCode::SUCCESS)
    }
}
