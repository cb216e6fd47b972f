//! `cairn list`.

use std::process::ExitCode;

use app::verb::ListOptions;
use app::{Error, Project};
use clap::Args;
use model::item::ItemKind;

use crate::output::{Ui, print_page};

/// List items, most recently updated first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn list
  cairn list issue --filter 'labels ~ bug and priority >= 5'
  cairn list --filter '(and (= assignee me@example.org) (< due 2026-12-01))'
  cairn list task --sort priority:desc --sort due --limit 20
  cairn list --all --filter 'updated > -7d'

Fields of a filter: id number title description status state kind labels milestone board parent assignee
author priority size severity type blocked approved created updated started expected completed due
comment_count has_comments text. Operators: == != < <= > >= ~ (contains) in [a, b], and or not.")]
pub(crate) struct Arguments {
    /// Only this kind: issue, task, story, epic, milestone or board.
    kind: Option<ItemKind>,
    /// Only items that match this filter.
    #[arg(short, long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Sort by this field, as FIELD or FIELD:desc; may be given several times.
    #[arg(short, long, value_name = "FIELD[:desc]")]
    sort: Vec<String>,
    /// Maximum number of items; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Continue after the last page, with its cursor.
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
    /// Closed items too.
    #[arg(short, long)]
    all: bool,
    /// Deleted items too.
    #[arg(long)]
    deleted: bool,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let page = project.list(&ListOptions {
        kinds: arguments.kind.into_iter().collect(),
        filter: arguments.filter.clone(),
        sort: arguments.sort.clone(),
        limit: limit(arguments.limit),
        cursor: arguments.cursor.clone(),
        all: arguments.all,
        deleted: arguments.deleted,
        ..ListOptions::default()
    })?;
    print_page(ui, &page, "nothing to show; `cairn list --all` includes closed items");
    Ok(ExitCode::SUCCESS)
}

/// Zero means all.
pub(super) fn limit(n: usize) -> Option<usize> {
    (n > 0).then_some(n)
}
