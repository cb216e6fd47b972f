//! `cairn comment`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{Error, Project};
use clap::Args;
use model::item_ref::ItemRef;

use super::print_changed;
use crate::output::Ui;
use crate::{editor, input};

/// Comment on an item.
///
/// Without a text, it is read from standard input or written in your editor.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn comment 42 'It also happens on Firefox.'
  make 2>&1 | tail -20 | cairn comment 42
  cairn comment 42 --edit-comment 1 'It happens on Firefox 120 and later.'
  cairn comment 42 --delete-comment 1")]
pub(crate) struct Arguments {
    /// The item.
    id: ItemRef,
    /// The text, in Markdown.
    #[arg(allow_hyphen_values = true)]
    text: Option<String>,
    /// Read the text from a file; `-` is standard input.
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Replace the text of an earlier comment, named by its position (1 is the oldest) or its id. The old text is kept.
    #[arg(long, value_name = "COMMENT")]
    edit_comment: Option<String>,
    /// Delete a comment, named by its position (1 is the oldest) or its id. Its text stays in the log.
    #[arg(long, value_name = "COMMENT", conflicts_with_all = ["text", "file", "edit_comment"])]
    delete_comment: Option<String>,
    /// Fail if the item has another revision.
    #[arg(long, value_name = "REV", conflicts_with = "edit_comment")]
    if_unchanged: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    if let Some(comment) = &arguments.delete_comment {
        let item = project.delete_comment(&arguments.id, comment, arguments.if_unchanged.as_deref())?;
        print_changed(ui, "deleted a comment on", &[item]);
        return Ok(ExitCode::SUCCESS);
    }
    let body = body(arguments, &project)?;
    let item = match &arguments.edit_comment {
        Some(comment) => project.edit_comment(&arguments.id, comment, &body, None)?,
        None => project.comment(&arguments.id, &body, arguments.if_unchanged.as_deref())?,
    };
    print_changed(ui, "commented on", &[item]);
    Ok(ExitCode::SUCCESS)
}

fn body(arguments: &Arguments, project: &Project) -> Result<String, Error> {
    if let Some(text) = &arguments.text {
        return Ok(text.clone());
    }
    if let Some(path) = &arguments.file {
        return input::read_file(path);
    }
    if input::is_piped() {
        return input::read_pipe();
    }
    let item = project.show(&arguments.id)?;
    let about = format!("A comment on {} #{} {}", item.kind, item.number, item.title.replace(['\n', '\r'], " "));
    editor::write(project, &about)?.ok_or_else(|| Error::invalid("the comment is empty; nothing was written"))
}
