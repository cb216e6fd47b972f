//! `cairn undo`.

use std::process::ExitCode;

use app::verb::{OnConflict, UndoMode, UndoOptions};
use app::{Error, Project};
use clap::Args;

use crate::output::{GOOD, Ui, safe};

/// Undo your last changes by writing their inverse.
///
/// A change is all that one command wrote. Nothing is erased: the log has the change and its inverse, and the next undo
/// goes on with the change before. If someone else changed the same field since, nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn undo
  cairn undo 3
  cairn undo 3 --dry-run
  cairn undo --force")]
pub(crate) struct Arguments {
    /// Number of changes to undo.
    #[arg(value_name = "N", default_value_t = 1, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    n_changes: u16,
    /// Undo a change even if someone else changed the same field since.
    #[arg(long)]
    force: bool,
    /// Show the changes that would be undone, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let view = project.undo(&UndoOptions {
        n_changes: usize::from(arguments.n_changes),
        on_conflict: if arguments.force { OnConflict::Overwrite } else { OnConflict::Refuse },
        mode: if arguments.dry_run { UndoMode::DryRun } else { UndoMode::Write },
    })?;
    if ui.json {
        ui.data(&view);
        return Ok(ExitCode::SUCCESS);
    }
    let verb = if view.dry_run { "would undo" } else { "undone" };
    for change in &view.undone {
        let described =
            if change.sentences.is_empty() { std::slice::from_ref(&change.text) } else { &change.sentences };
        for sentence in described {
            ui.line(&format!("{GOOD}{verb}:{GOOD:#} {}", safe(sentence)));
        }
    }
    Ok(ExitCode::SUCCESS)
}
