//! `cairn ready`.

use std::process::ExitCode;

use app::view::{ListView, Reference};
use app::{Error, Project};
use clap::Args;

use super::list::limit;
use crate::output::{FAINT, NOTABLE, STRONG, Ui, print_page, safe};

/// Show the items that can be started now, most urgent first.
///
/// Issues, tasks and stories that are not started, not blocked and have no open blockers.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn ready
  cairn ready -n 1 --json
  cairn ready --explain")]
pub(crate) struct Arguments {
    /// Maximum number of items; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Explain why the other open items cannot be started.
    #[arg(long)]
    explain: bool,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let limit = limit(arguments.limit);
    let ready = if arguments.explain { project.ready_explained(limit)? } else { project.ready(limit)? };
    if ui.json {
        ui.data(&ready);
        return Ok(ExitCode::SUCCESS);
    }
    let n_shown = ready.items.len() as u64;
    let page = ListView { items: ready.items, total: ready.total, next_cursor: None };
    let empty =
        if arguments.explain { "nothing is ready" } else { "nothing is ready; `cairn ready --explain` says why" };
    print_page(ui, &page, 1, empty);
    if n_shown < page.total {
        ui.note(&format!("{FAINT}{n_shown} of {}; `-n 0` shows all{FAINT:#}", page.total));
    }
    for waiting in ready.waiting.iter().flatten() {
        let name = waiting.item.name();
        let title = safe(&waiting.item.title);
        let reasons = safe(&waiting.reasons.join("; "));
        ui.line(&format!("{STRONG}{name}{STRONG:#} {title} {FAINT}waits: {reasons}{FAINT:#}"));
    }
    for cycle in ready.cycles.iter().flatten() {
        let numbers: Vec<String> = cycle.iter().map(Reference::name).collect();
        ui.line(&format!("{NOTABLE}these wait for each other in a cycle:{NOTABLE:#} {}", numbers.join(" → ")));
    }
    Ok(ExitCode::SUCCESS)
}
