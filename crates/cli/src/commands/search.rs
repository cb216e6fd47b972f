//! `cairn search`.

use std::process::ExitCode;

use app::verb::ListOptions;
use app::{Error, Project};
use clap::Args;
use model::item::ItemKind;

use super::list::{PageFlags, limit};
use crate::output::{Ui, print_page};

/// Find items by words in titles, descriptions, comments and labels.
///
/// An item must have all the words, or words that begin with them. Closed items are found too. Items with the words in
/// their title come first, then the newest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn search safari login
  cairn search 'pay card' --kind story --filter 'state == open'")]
pub(crate) struct Arguments {
    /// The words.
    #[arg(required = true, value_name = "TEXT")]
    words: Vec<String>,
    /// Only this kind.
    #[arg(long)]
    kind: Option<ItemKind>,
    /// Only items that match this filter.
    #[arg(short, long, value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Maximum number of items; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    page: PageFlags,
}

pub(crate) fn run(arguments: &Arguments, project: &Project, ui: &Ui) -> Result<ExitCode, Error> {
    let page = project.list(&ListOptions {
        kinds: arguments.kind.into_iter().collect(),
        filter: arguments.filter.clone(),
        words: Some(arguments.words.join(" ")),
        limit: limit(arguments.limit),
        skip: arguments.page.skip(arguments.limit),
        cursor: arguments.page.cursor.clone(),
        all: true,
        ..ListOptions::default()
    })?;
    print_page(ui, &page, arguments.page.number(), "nothing found");
    Ok(ExitCode::SUCCESS)
}
