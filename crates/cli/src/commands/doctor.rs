//! `cairn doctor`.

use std::process::ExitCode;

use annotations::Annotated as _;
use anstyle::Style;
use app::Error;
use app::shared::check_database;
use app::view::CheckOutcome;
use clap::Args;

use super::RepoPath;
use super::database_argument::DatabaseArgument;
use crate::output::{BAD, FAINT, GOOD, NOTABLE, Ui, safe};

/// Check the project for problems and print how to fix them.
///
/// Changes nothing; exits with code 1 if it finds an error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn doctor
  cairn doctor --database postgres://cairn@db.example.org/project")]
pub(crate) struct Arguments {
    #[command(flatten)]
    database: DatabaseArgument,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let mut project = place.open()?;
    let mut report = project.doctor()?;
    project.follow_annotations(None)?;
    // Before the check of the remote, which comes last.
    let before_remote = report.checks.len().saturating_sub(1);
    let checks = project.annotations().check()?;
    report.ok &= checks.iter().all(|check| check.outcome != CheckOutcome::Broken);
    report.checks.splice(before_remote..before_remote, checks);
    if let Some(database) = arguments.database.connect()? {
        let checks = check_database(place.path(), &database)?;
        report.ok &= checks.iter().all(|check| check.outcome != CheckOutcome::Broken);
        report.checks.extend(checks);
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
