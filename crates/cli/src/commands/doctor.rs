//! `cairn doctor`.

use std::process::ExitCode;

use annotations::Annotated as _;
use anstyle::Style;
use app::view::CheckOutcome;
use app::{Error, Project};
use clap::Args;

use crate::output::{BAD, FAINT, GOOD, NOTABLE, Ui, safe};

/// Check the project for problems and print how to fix them.
///
/// Changes nothing; exits with code 1 if it finds an error.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn doctor")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let mut report = project.doctor()?;
    // Before the check of the remote, which comes last.
    let place = report.checks.len().saturating_sub(1);
    if let Some(check) = project.annotations().check()? {
        report.checks.insert(place, check);
    }
    if ui.json {
        ui.data(&report);
    } else {
        for check in &report.checks {
            let style = outcome_style(check.outcome);
            ui.line(&format!("{style}{:>7}{style:#}  {:<10}  {}", check.outcome, check.name, safe(&check.text)));
            if let Some(hint) = &check.hint {
                ui.line(&format!("{:>19}  {FAINT}{}{FAINT:#}", "", safe(hint)));
            }
        }
    }
    Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the style of a check's outcome.
pub(crate) fn outcome_style(outcome: CheckOutcome) -> Style {
    match outcome {
        CheckOutcome::Ok => GOOD,
        CheckOutcome::Warning => NOTABLE,
        CheckOutcome::Broken => BAD,
    }
}
