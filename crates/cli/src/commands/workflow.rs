//! `cairn workflow`.

use std::process::ExitCode;

use anstyle::Style;
use app::verb::StatusChange;
use app::view::WorkflowView;
use app::{Error, Project};
use clap::{Args, Subcommand};
use model::item::ItemKind;

use crate::output::{Column, STRONG, Table, Ui};

/// Show and change the statuses of each kind of item.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn workflow
  cairn workflow show task
  cairn workflow set issue triage --category todo --order 5
  cairn workflow set issue wontfix --category dropped
  cairn workflow set task in_progress --limit 3
  cairn workflow remove task review")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the statuses of a kind, or of all.
    Show {
        /// issue, task, story, epic, milestone or board.
        kind: Option<ItemKind>,
    },
    /// Add a status, or change the given properties of one.
    Set {
        /// issue, task, story, epic, milestone or board.
        kind: ItemKind,
        /// The status.
        status: String,
        /// Its category: draft, todo, doing, review, done or dropped.
        #[arg(long, value_name = "CATEGORY")]
        category: Option<String>,
        /// Its position on a board, lowest on the left.
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        order: Option<i64>,
        /// Its color, as #rrggbb.
        #[arg(id = "status_color", long = "colour", value_name = "#RRGGBB")]
        color: Option<String>,
        /// Whether items with this status count as closed.
        #[arg(long, value_name = "BOOL")]
        closed: Option<bool>,
        /// How many items should be in it at most, shown on boards; 0 removes the limit.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
    },
    /// Remove a status; refused while items have it.
    Remove {
        /// issue, task, story, epic, milestone or board.
        kind: ItemKind,
        /// The status.
        status: String,
    },
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let workflows = match &arguments.action {
        None => project.workflows(None)?,
        Some(Action::Show { kind }) => project.workflows(*kind)?,
        Some(Action::Set { kind, status, category, order, color, closed, limit }) => {
            let (category, color) = (category.clone(), color.clone());
            let change = StatusChange { category, order: *order, color, closed: *closed, limit: *limit };
            vec![project.set_status(*kind, status, &change)?]
        }
        Some(Action::Remove { kind, status }) => vec![project.remove_status(*kind, status)?],
    };
    print(ui, &workflows);
    Ok(ExitCode::SUCCESS)
}

fn print(ui: &Ui, workflows: &[WorkflowView]) {
    if ui.json {
        ui.data(&workflows);
        return;
    }
    let mut table = Table::new(&[
        Column::fixed("KIND"),
        Column::number("ORDER"),
        Column::main("STATUS"),
        Column::fixed("CATEGORY"),
        Column::fixed("CLOSED"),
        Column::fixed("COLOR"),
        Column::number("ITEMS"),
        Column::number("LIMIT"),
    ]);
    for workflow in workflows {
        for status in &workflow.statuses {
            let plain = |text: String| (text, Style::new());
            table.row(vec![
                plain(workflow.kind.to_string()),
                plain(status.order.to_string()),
                (status.name.clone(), STRONG),
                plain(status.category.to_string()),
                plain(if status.closed { "yes".into() } else { "no".into() }),
                plain(status.color.clone()),
                plain(status.n_items.to_string()),
                plain(status.limit.map(|limit| limit.to_string()).unwrap_or_default()),
            ]);
        }
    }
    ui.print(&table.render());
}
