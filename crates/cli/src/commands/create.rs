//! `cairn new`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{Error, NewItem, Project};
use clap::Args;
use model::field;
use model::item::ItemKind;

use super::print_changed;
use crate::fields::{FieldFlags, parse};
use crate::output::Ui;
use crate::{editor, input};

/// Create an issue, a task, a story, an epic, a milestone or a board.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn new issue 'Login fails on Safari' --label bug --priority 7
  cairn new task 'Write the release notes' --milestone 12 --assign me --due 2026-12-01
  cairn new story 'As a guest I can pay by card' -F story.md
  git log -1 --format=%B | cairn new issue 'Revert this' -F -
  cairn new issue --edit")]
pub(crate) struct Arguments {
    /// issue, task, story, epic, milestone or board.
    kind: ItemKind,
    /// The title, in one line.
    #[arg(required_unless_present = "edit")]
    title: Option<String>,
    /// The description, in Markdown.
    #[arg(short, long, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    description: Option<String>,
    /// Read the description from a file; `-` is standard input.
    #[arg(short = 'F', long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write title and description in your editor.
    #[arg(long)]
    edit: bool,
    /// A label; may be given several times.
    #[arg(short, long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    #[command(flatten)]
    fields: FieldFlags,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let mut title = arguments.title.clone().unwrap_or_default();
    let mut description = match &arguments.file {
        Some(path) => Some(input::read_file(path)?),
        None => arguments.description.clone(),
    };
    if arguments.edit {
        let written = editor::edit_item(&project, &title, description.as_deref().unwrap_or_default())?;
        let Some((new_title, new_description)) = written else {
            return Err(Error::invalid("the title was left empty; nothing was made"));
        };
        title = new_title;
        description = Some(new_description);
    }
    let mut fields = arguments.fields.parse()?;
    fields.extend(description.map(|text| parse(&field::DESCRIPTION, &text)).transpose()?);
    let new = NewItem { fields, labels: arguments.labels.clone(), ..NewItem::new(arguments.kind, title) };
    let item = project.create(&new)?;
    print_changed(ui, "created", &[item]);
    Ok(ExitCode::SUCCESS)
}
