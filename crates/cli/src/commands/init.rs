//! `cairn init`.

use std::process::ExitCode;

use app::Error;
use clap::Args;

use super::{RepoPath, agents};
use crate::output::Ui;

/// Configure git to fetch the work and to carry annotations; optional.
///
/// Everything works without it; running it twice changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn init")]
pub(crate) struct Arguments {}

pub(super) fn run(_: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let mut project = place.open()?;
    let report = project.init()?;
    if ui.json {
        ui.data(&report);
        return Ok(ExitCode::SUCCESS);
    }
    for setting in &report.added {
        ui.line(&format!("added to git's settings: {setting}"));
    }
    for setting in &report.kept {
        ui.line(&format!("already there: {setting}"));
    }
    ui.line(&format!("`{}` is ready. What next:", report.project));
    ui.line("  cairn new issue 'The first thing to do'");
    ui.line("  cairn ready");
    ui.line("  cairn sync");
    if !agents::is_installed(place) {
        ui.line("  cairn agents install --print     instructions and hooks for coding agents");
    }
    Ok(ExitCode::SUCCESS)
}
