//! `cairn log`.

use std::process::ExitCode;

use app::view::{EntryView, LogView};
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use crate::output::{FAINT, STRONG, Ui, moment, safe};

/// Show the history of the project or of one item.
///
/// The commits of the project's log, newest first, or every change of one item, oldest first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn log
  cairn log 42")]
pub(crate) struct Arguments {
    /// Only this item, deleted or not.
    id: Option<ItemRef>,
    /// Maximum number of log lines.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let log = match &arguments.id {
        Some(id) => project.log_of(id)?,
        None => project.log(arguments.limit)?,
    };
    if ui.json {
        ui.data(&log);
    } else {
        print(ui, &log);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(ui: &Ui, log: &LogView) {
    if log.total == 0 {
        ui.note("nothing has happened yet");
    }
    for op in &log.operations {
        let (at, by) = (moment(op.at), safe(&op.by));
        ui.line(&format!("{FAINT}{at}{FAINT:#}  {STRONG}{by}{STRONG:#}  {}", safe(&op.text)));
    }
    for entry in &log.entries {
        ui.line(&entry_line(entry));
    }
    let n_shown = log.operations.len() + log.entries.len();
    if n_shown < log.total {
        ui.note(&format!("{FAINT}{n_shown} of {}; `-n` shows more{FAINT:#}", log.total));
    }
}

/// Formats a log entry as one line.
pub(super) fn entry_line(entry: &EntryView) -> String {
    let commit: String = entry.commit.chars().take(8).collect();
    let (at, by) = (moment(entry.at), safe(&entry.by));
    format!("{FAINT}{commit}  {at}{FAINT:#}  {STRONG}{by}{STRONG:#}  {}", safe(&entry.text))
}
