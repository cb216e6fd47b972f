//! `cairn reindex`.

use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;

use crate::output::Ui;

/// Rebuild the index from the log; always safe.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn reindex")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let n_commits = project.reindex()?;
    if ui.json {
        ui.data(&serde_json::json!({"commits": n_commits}));
    } else {
        ui.line(&format!("commits read: {n_commits}"));
    }
    Ok(ExitCode::SUCCESS)
}
