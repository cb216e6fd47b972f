//! `cairn move`.

use std::process::ExitCode;

use app::verb::MoveTo;
use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use super::print_changed;
use crate::output::Ui;

/// Move an item in the order of cards.
///
/// Issues, tasks, stories and epics share one order, in which boards and `cairn list --sort rank` show them. A new item
/// comes last. Milestones and boards each have an order of their own.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn move 42 --before 17
  cairn move 42 --after TG-9
  cairn move 42 --top
  cairn list story --sort rank")]
pub(crate) struct Arguments {
    /// The item: its number, its id, or a prefix of the id.
    id: ItemRef,
    #[command(flatten)]
    to: To,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct To {
    /// Directly before this item.
    #[arg(long, value_name = "ID")]
    before: Option<ItemRef>,
    /// Directly after this item.
    #[arg(long, value_name = "ID")]
    after: Option<ItemRef>,
    /// Before all others.
    #[arg(long)]
    top: bool,
    /// After all others.
    #[arg(long)]
    bottom: bool,
}

impl To {
    fn read(&self) -> MoveTo {
        match self {
            Self { before: Some(id), .. } => MoveTo::Before(id.clone()),
            Self { after: Some(id), .. } => MoveTo::After(id.clone()),
            Self { top: true, .. } => MoveTo::Top,
            _ => MoveTo::Bottom,
        }
    }
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let item = project.move_item(&arguments.id, &arguments.to.read())?;
    print_changed(ui, "moved", &[item]);
    Ok(ExitCode::SUCCESS)
}
