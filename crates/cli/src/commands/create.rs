//! `cairn new`.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{Error, NewItem, Project};
use clap::Args;
use model::field::{self, FieldChange, FieldValue};
use model::item::ItemKind;

use super::known::UnknownNameFlags;
use super::print_changed;
use crate::fields::{FieldFlags, parse};
use crate::output::Ui;
use crate::{editor, input};

/// Create an issue, a task, a story, an epic, a milestone or a board.
///
/// Without a kind or a title, it asks for them on a terminal.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn new issue 'Login fails on Safari' --label bug --priority high
  cairn new task 'Write the release notes' --milestone 12 --assign me --due 2026-12-01
  cairn new story 'As a guest I can pay by card' -F story.md
  cairn new --template bug 'Login fails on Safari'
  git log -1 --format=%B | cairn new issue 'Revert this' -F -
  cairn new issue --edit")]
pub(crate) struct Arguments {
    /// issue, task, story, epic, milestone or board; may be omitted with `--template`.
    kind: Option<String>,
    /// The title, in one line.
    title: Option<String>,
    /// Begin with a template; see `cairn template`.
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
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
    #[command(flatten)]
    insist: UnknownNameFlags,
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    let mut new = begin(arguments, &project)?;
    let mut fields = arguments.fields.parse()?;
    fields.extend(description(arguments)?.map(|text| parse(&field::DESCRIPTION, &text)).transpose()?);
    override_fields(&mut new, fields);
    add_labels(&mut new, &arguments.labels);
    if arguments.edit {
        write_in_editor(&mut new, &project)?;
    } else if new.title.trim().is_empty() && arguments.title.is_none() {
        ask(&mut new, arguments)?;
    }
    arguments.insist.check_new(&mut project, &mut new)?;
    let item = project.create(&new)?;
    print_changed(ui, "created", &[item]);
    Ok(ExitCode::SUCCESS)
}

/// Returns the item of the template, or an empty one, with the kind and the title of the arguments.
fn begin(arguments: &Arguments, project: &Project) -> Result<NewItem, Error> {
    let template = arguments.template.as_deref().map(|name| project.template(name)).transpose()?;
    let mut new = match &template {
        Some(template) => exchange::read_template(&template.name, &template.text)?,
        None => NewItem::new(ItemKind::Issue, ""),
    };
    match (&arguments.kind, &arguments.title) {
        // With a template the kind is known, so that a single word is the title.
        (Some(word), None) if template.is_some() && word.parse::<ItemKind>().is_err() => {
            word.clone_into(&mut new.title);
        }
        (Some(kind), title) => {
            new.kind = kind.parse()?;
            new.title = title.clone().unwrap_or(new.title);
        }
        (None, _) => {}
    }
    Ok(new)
}

fn description(arguments: &Arguments) -> Result<Option<String>, Error> {
    match &arguments.file {
        Some(path) => input::read_file(path).map(Some),
        None => Ok(arguments.description.clone()),
    }
}

/// Sets fields; a field that the template has too is replaced.
fn override_fields(new: &mut NewItem, fields: Vec<FieldChange>) {
    new.fields.retain(|old| !fields.iter().any(|change| change.field() == old.field()));
    new.fields.extend(fields);
}

fn add_labels(new: &mut NewItem, labels: &[String]) {
    let missing: Vec<String> = labels.iter().filter(|label| !new.labels.contains(label)).cloned().collect();
    new.labels.extend(missing);
}

fn write_in_editor(new: &mut NewItem, project: &Project) -> Result<(), Error> {
    let before = new.fields.iter().find(|change| *change.field() == field::DESCRIPTION);
    let before = match before.map(FieldChange::value) {
        Some(FieldValue::Literal(value)) => value.as_str().unwrap_or_default(),
        _ => "",
    };
    let written = editor::edit_item(project, &new.title, before)?;
    let Some((title, description)) = written else {
        return Err(Error::invalid("the title was left empty; nothing was created"));
    };
    new.title = title;
    override_fields(new, vec![parse(&field::DESCRIPTION, &description)?]);
    Ok(())
}

/// Asks for what is missing: the title, and without any argument also the kind and the labels.
fn ask(new: &mut NewItem, arguments: &Arguments) -> Result<(), Error> {
    let is_bare = arguments.kind.is_none() && arguments.template.is_none();
    if !input::can_ask() {
        let missing = if is_bare { "the kind and the title are missing" } else { "the title is missing" };
        return Err(Error::invalid(missing).hint("`cairn new issue TITLE`; `--edit` opens your editor"));
    }
    if is_bare {
        let kinds = ItemKind::ALL.map(ItemKind::name).join(", ");
        new.kind = ask_until(&format!("kind ({kinds}) [issue]: "), |answer| match answer {
            "" => Ok(ItemKind::Issue),
            answer => Ok(answer.to_lowercase().parse()?),
        })?;
    }
    new.title = ask_until("title: ", |answer| Ok(model::text::check_line("title", answer)?))?;
    if is_bare {
        let labels = input::ask("labels, separated by commas []: ")?;
        add_labels(
            new,
            &labels.split(',').map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned).collect::<Vec<_>>(),
        );
        let text = input::ask("description, one line; `cairn edit` writes more []: ")?;
        if !text.trim().is_empty() {
            override_fields(new, vec![parse(&field::DESCRIPTION, &text)?]);
        }
    }
    Ok(())
}

/// Asks again until the answer is valid; gives up at the end of input.
fn ask_until<T>(question: &str, read: impl Fn(&str) -> Result<T, Error>) -> Result<T, Error> {
    const MAX_TRIES: usize = 5;
    for _ in 1..MAX_TRIES {
        match read(input::ask(question)?.trim()) {
            Ok(value) => return Ok(value),
            Err(error) => crate::output::note(&format!("{error}")),
        }
    }
    read(input::ask(question)?.trim())
}
