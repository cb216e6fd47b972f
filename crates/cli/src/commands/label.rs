//! `cairn label`.

use std::process::ExitCode;

use app::verb::Edit;
use app::{Error, Project};
use clap::Args;

use super::print_changed;
use crate::output::Screen;

/// Adds and removes labels.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn label 42 +bug -later
  cairn label 42 43 44 +release-2")]
pub(crate) struct Arguments {
    /// Items, then labels: `+name` adds one, `-name` takes one away.
    #[arg(required = true, num_args = 2.., value_name = "ID… ±LABEL", allow_hyphen_values = true)]
    words: Vec<String>,
    /// Refuse when an item is no longer in this revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, screen: &Screen) -> Result<ExitCode, Error> {
    let mut ids = Vec::new();
    let mut edit = Edit { if_unchanged: arguments.if_unchanged.clone(), ..Edit::default() };
    for word in &arguments.words {
        if let Some(label) = word.strip_prefix('+') {
            edit.add_labels.push(label.to_owned());
        } else if let Some(label) = word.strip_prefix('-') {
            edit.remove_labels.push(label.to_owned());
        } else if edit.add_labels.is_empty() && edit.remove_labels.is_empty() {
            ids.push(word.clone());
        } else {
            return Err(Error::invalid(format!("`{word}` is neither +LABEL nor -LABEL; items come first")));
        }
    }
    if ids.is_empty() || ids.len() == arguments.words.len() {
        return Err(Error::invalid("name at least one item and one label, such as `cairn label 42 +bug`"));
    }
    let items = project.edit(&ids, &edit)?;
    print_changed(screen, "labelled", &items);
    Ok(ExitCode::SUCCESS)
}
