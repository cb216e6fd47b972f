//! `cairn show`.

use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use crate::output::{Ui, print_item, print_item_with_history};

/// Show items with their comments and links.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn show 42
  cairn show 42 --history          also every change
  cairn show 42 -v                 also the id and the revision
  cairn show '#42' 0190ab --json")]
pub(crate) struct Arguments {
    /// Numbers (42), ids, or unique beginnings of ids.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<ItemRef>,
    /// Also show every change, oldest first; with `--json` use `cairn log ID`.
    #[arg(long)]
    history: bool,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let items = arguments.ids.iter().map(|id| project.show_with_commits(id)).collect::<Result<Vec<_>, _>>()?;
    if ui.json && items.len() > 1 {
        ui.data(&items);
        return Ok(ExitCode::SUCCESS);
    }
    for (n, (id, item)) in arguments.ids.iter().zip(&items).enumerate() {
        if n > 0 {
            ui.line("");
        }
        if arguments.history {
            print_item_with_history(ui, item, ui.detail(), &project.log_of(id)?);
        } else {
            print_item(ui, item, ui.detail());
        }
    }
    Ok(ExitCode::SUCCESS)
}
