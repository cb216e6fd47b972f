//! `cairn stats`.

use std::process::ExitCode;

use anstyle::Style;
use app::view::StatsView;
use app::{Error, Project};
use clap::Args;

use crate::output::{Column, STRONG, Table, Ui};

/// Count items, operations and people.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn stats --json")]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let stats = project.stats()?;
    if ui.json {
        ui.data(&stats);
    } else {
        print(ui, &stats);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(ui: &Ui, stats: &StatsView) {
    let mut table = Table::new(&[
        Column::fixed("KIND"),
        Column::number("OPEN"),
        Column::number("CLOSED"),
        Column::number("DELETED"),
        Column::main("BY STATUS"),
    ]);
    for kind in stats.kinds.iter().filter(|kind| kind.open + kind.closed + kind.deleted > 0) {
        let statuses = kind.statuses.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name} {n}"));
        let plain = |n: u64| (n.to_string(), Style::new());
        table.row(vec![
            (kind.kind.to_string(), STRONG),
            plain(kind.open),
            plain(kind.closed),
            plain(kind.deleted),
            (statuses.collect::<Vec<_>>().join(", "), Style::new()),
        ]);
    }
    ui.print(&table.render());
    ui.line(&format!(
        "operations: {}, people: {}, labels: {}; closed in the last 7 days: {}, in the last 30: {}; index: {} KiB",
        stats.operations,
        stats.people,
        stats.labels,
        stats.closed_last_week,
        stats.closed_last_month,
        stats.index_bytes / 1024
    ));
}
