//! `cairn edit`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{ChangeSet, Error, Project};
use clap::Args;
use model::field;
use model::item_ref::ItemRef;
use model::person::PersonRef;
use serde_json::Value;

use super::known::UnknownNameFlags;
use super::selection::Matching;
use crate::fields::{FieldFlags, parse};
use crate::output::Ui;
use crate::{editor, input};

/// Change fields of items, or title and description in your editor.
///
/// Without any field, title and description open in your editor. An empty value clears.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn edit 42 --status review --assign ada
  cairn edit 42 43 44 --milestone 12
  cairn edit --where 'labels ~ login and status == backlog' --priority high
  cairn edit 42 --due ''
  cairn edit 42 --add-assignee grace --remove-assignee ada
  cairn edit 42 --priority 9 --if-unchanged 3f9c2a71b0de
  cairn edit 42")]
pub(crate) struct Arguments {
    /// Numbers, ids, or unique beginnings of ids.
    #[arg(required_unless_present = "matching", value_name = "ID")]
    ids: Vec<ItemRef>,
    #[command(flatten)]
    matching: Matching,
    /// The title, in one line.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// The description, in Markdown.
    #[arg(short, long, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    description: Option<String>,
    /// Read the description from a file; `-` is standard input.
    #[arg(short = 'F', long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    fields: FieldFlags,
    /// Add a label; may be given several times.
    #[arg(short, long = "label", value_name = "LABEL")]
    labels: Vec<String>,
    /// Remove a label; may be given several times.
    #[arg(long = "unlabel", value_name = "LABEL")]
    unlabels: Vec<String>,
    /// Add an assignee; may be given several times.
    #[arg(long, value_name = "WHO")]
    add_assignee: Vec<String>,
    /// Remove an assignee; may be given several times.
    #[arg(long, value_name = "WHO")]
    remove_assignee: Vec<String>,
    /// Set a field of your own, as NAME=VALUE; the value may be JSON. An empty value clears.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    extra: Vec<String>,
    /// Fail if the item has another revision.
    #[arg(long, value_name = "REV")]
    if_unchanged: Option<String>,
    #[command(flatten)]
    insist: UnknownNameFlags,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let mut edit = read(arguments)?;
    if edit.is_empty() {
        let [id] = arguments.ids.as_slice() else {
            if arguments.matching.is_given() {
                return Err(Error::invalid("say what to change").hint("`cairn edit --help` lists the fields"));
            }
            return Err(Error::invalid("say what to change: several items do not fit into one editor")
                .hint("`cairn edit --help` lists the fields"));
        };
        let item = project.show(id)?;
        let Some((title, description)) = editor::edit_item(&project, &item.title, &item.description)? else {
            return Err(Error::invalid("the title was left empty; nothing was changed"));
        };
        edit.fields = vec![parse(&field::TITLE, &title)?, parse(&field::DESCRIPTION, &description)?];
        // Detects changes to the item while the editor was open.
        edit.if_unchanged.get_or_insert(item.revision);
    }
    arguments.insist.check_changes(&mut project, &mut edit)?;
    let chosen = arguments.matching.select(&arguments.ids, "update", &project)?;
    chosen.apply(ui, "updated", |ids| project.edit(ids, &edit))?;
    Ok(ExitCode::SUCCESS)
}

fn read(arguments: &Arguments) -> Result<ChangeSet, Error> {
    let mut fields = arguments.fields.parse()?;
    fields.extend(arguments.title.as_deref().map(|text| parse(&field::TITLE, text)).transpose()?);
    let description = match &arguments.file {
        Some(path) => Some(input::read_file(path)?),
        None => arguments.description.clone(),
    };
    fields.extend(description.map(|text| parse(&field::DESCRIPTION, &text)).transpose()?);
    Ok(ChangeSet {
        fields,
        extra: arguments.extra.iter().map(|text| own_field(text)).collect::<Result<_, _>>()?,
        add_labels: arguments.labels.clone(),
        remove_labels: arguments.unlabels.clone(),
        add_assignees: people(&arguments.add_assignee)?,
        remove_assignees: people(&arguments.remove_assignee)?,
        if_unchanged: arguments.if_unchanged.clone(),
        ..ChangeSet::default()
    })
}

fn people(texts: &[String]) -> Result<Vec<PersonRef>, Error> {
    texts.iter().map(|text| Ok(PersonRef::parse(text)?)).collect()
}

fn own_field(text: &str) -> Result<(String, Value), Error> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Error::invalid(format!("`{text}` must be NAME=VALUE")));
    };
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if !is_name {
        return Err(Error::invalid(format!(
            "invalid field name `{name}`; letters, digits, `-`, `_` and `.` are allowed"
        )));
    }
    if let Some(known) = field::Field::try_find(name) {
        return Err(Error::invalid(format!("`{name}` is a field of its own; write `--{} {value}`", known.name)));
    }
    if value.contains('\0') {
        return Err(Error::invalid(format!("the value of `{name}` contains a NUL character")));
    }
    let value = match value {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    };
    Ok((name.to_owned(), value))
}
