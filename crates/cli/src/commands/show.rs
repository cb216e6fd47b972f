//! `cairn show`.

use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use crate::output::{Detail, Ui, print_item};

/// Show items with their comments and links.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn show 42
  cairn show 42 -v                 also the id and the revision
  cairn show '#42' 0190ab --json")]
pub(crate) struct Arguments {
    /// Numbers (42), ids, or unique beginnings of ids.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<ItemRef>,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let items = arguments.ids.iter().map(|id| project.show_with_commits(id)).collect::<Result<Vec<_>, _>>()?;
    if ui.json && items.len() > 1 {
        ui.data(&items);
        return Ok(ExitCode::SUCCESS);
    }
    let detail = if ui.is_verbose { Detail::Verbose } else { Detail::Normal };
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            ui.line("");
        }
        print_item(ui, item, detail);
    }
    Ok(ExitCode::SUCCESS)
}
