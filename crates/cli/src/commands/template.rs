//! `cairn template`: forms for new items.

use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::Style;
use app::view::TemplateView;
use app::{Error, Project};
use clap::{Args, Subcommand};

use crate::output::{Column, FAINT, GOOD, STRONG, Table, Ui, safe, safe_block};
use crate::{editor, input};

/// List, show and save templates for `cairn new --template`.
///
/// A template is Markdown; its front matter has the kind, the title, the labels and the fields. It is a file
/// `.cairn/templates/NAME.md` of the work tree, or saved in the log, which `cairn sync` shares.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn template
  cairn template show bug
  cairn template save bug -F bug.md
  cairn new --template bug 'Login fails on Safari'")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List all templates.
    List,
    /// Print a template.
    Show {
        /// The template.
        name: String,
    },
    /// Save a template in the log.
    #[command(after_help = "Example:
  cairn template save bug -F bug.md")]
    Save {
        /// Its name.
        name: String,
        /// Read the text from a file; `-` is standard input. Your editor opens if omitted.
        #[arg(short = 'F', long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Remove a template from the log.
    Remove {
        /// The template.
        name: String,
    },
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    match &arguments.action {
        None | Some(Action::List) => list(ui, &project.templates()?),
        Some(Action::Show { name }) => show(ui, &project.template(name)?),
        Some(Action::Save { name, file }) => {
            let text = match file {
                Some(path) => input::read_file(path)?,
                None => edited(&project, name)?,
            };
            exchange::read_template(name, &text)?;
            changed(ui, "saved", &project.save_template(name, &text)?);
        }
        Some(Action::Remove { name }) => changed(ui, "removed", &project.remove_template(name)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn edited(project: &Project, name: &str) -> Result<String, Error> {
    let before = project.template(name).map(|template| template.text);
    let form = before.unwrap_or_else(|_| "---\nkind: issue\nlabels: []\n---\n\n".to_owned());
    let text = editor::fill_in(project, &form, "The front matter has the fields, the rest is the description.")?;
    if text.trim().is_empty() {
        return Err(Error::invalid("the template is empty; nothing was saved"));
    }
    Ok(text)
}

fn show(ui: &Ui, template: &TemplateView) {
    if ui.json {
        ui.data(template);
    } else {
        ui.line(safe_block(&template.text).trim_end());
    }
}

fn changed(ui: &Ui, verb: &str, template: &TemplateView) {
    if ui.json {
        ui.data(template);
    } else {
        ui.line(&format!("{GOOD}{verb}{GOOD:#} template {}", safe(&template.name)));
    }
}

fn list(ui: &Ui, templates: &[TemplateView]) {
    if ui.json {
        ui.data(&templates);
        return;
    }
    if templates.is_empty() {
        ui.note("no templates yet; `cairn template save NAME` or a file `.cairn/templates/NAME.md` adds one");
        return;
    }
    let mut table = Table::new(&[Column::fixed("NAME"), Column::fixed("KIND"), Column::main("STORED IN")]);
    for template in templates {
        // An unreadable template is listed too: `show` and `new` report its errors.
        let kind = exchange::read_template(&template.name, &template.text).map(|item| item.kind.name());
        let place = template.path.clone().unwrap_or_else(|| "the log".to_owned());
        let kind = (kind.unwrap_or("invalid").to_owned(), Style::new());
        table.row(vec![(template.name.clone(), STRONG), kind, (place, FAINT)]);
    }
    ui.page(&table.render());
}
