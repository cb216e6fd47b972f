//! `cairn log`.

use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use crate::output::{FAINT, Ui, log_lines};

/// Show the history of the project or of one item.
///
/// The changes of everyone, newest first, or every change of one item, oldest first. With `-v` also the commits of the
/// log.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn log
  cairn log 42
  cairn log -v -n 5")]
pub(crate) struct Arguments {
    /// Only this item, deleted or not.
    id: Option<ItemRef>,
    /// Maximum number of log lines; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let log = match &arguments.id {
        Some(id) => project.log_of(id)?,
        None => project.log(if arguments.limit == 0 { usize::MAX } else { arguments.limit })?,
    };
    if ui.json {
        ui.data(&log);
        return Ok(ExitCode::SUCCESS);
    }
    if log.total == 0 {
        ui.note("no changes yet");
        return Ok(ExitCode::SUCCESS);
    }
    ui.page(&(log_lines(&log, ui.detail()).join("\n") + "\n"));
    let n_shown = log.operations.len() + log.entries.len();
    if n_shown < log.total {
        ui.note(&format!("{FAINT}{n_shown} of {} changes; `-n` shows more{FAINT:#}", log.total));
    }
    Ok(ExitCode::SUCCESS)
}
