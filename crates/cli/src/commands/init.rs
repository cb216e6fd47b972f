//! `cairn init`.

use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;

use crate::output::Screen;

/// Tell git to fetch the work along and to carry annotations; optional.
///
/// Everything works without it; running it twice changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn init")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, mut project: Project, screen: &Screen) -> Result<ExitCode, Error> {
    let report = project.init()?;
    if screen.json {
        screen.data(&report);
        return Ok(ExitCode::SUCCESS);
    }
    for setting in &report.added {
        screen.line(&format!("added to git's settings: {setting}"));
    }
    for setting in &report.kept {
        screen.line(&format!("already there: {setting}"));
    }
    screen.line(&format!("`{}` is ready. What next:", report.project));
    screen.line("  cairn new issue 'The first thing to do'");
    screen.line("  cairn ready");
    screen.line("  cairn sync");
    Ok(ExitCode::SUCCESS)
}
