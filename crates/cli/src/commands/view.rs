//! `cairn view`: lists under a name, shared with the team.

use std::process::ExitCode;

use anstyle::Style;
use app::verb::ListOptions;
use app::view::SavedView;
use app::{Error, Project};
use clap::{Args, Subcommand};

use super::list::{PageFlags, QueryFlags, add_progress, limit, page_table};
use crate::output::{Column, GOOD, STRONG, Table, Ui, print_page_with, safe};

/// Names that are commands.
const RESERVED: [&str; 3] = ["save", "list", "remove"];

/// Show a saved view, or save a list under a name for the team.
///
/// A view is stored in the log, so `cairn sync` shares it. `--mine` in a view refers to its reader.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  cairn view save triage issue --status backlog --sort priority:desc
  cairn view save mine --mine --columns number,status,title,due
  cairn view triage
  cairn view
  cairn view remove triage")]
pub(crate) struct Arguments {
    /// The view to show; all views are listed if omitted.
    name: Option<String>,
    /// Maximum number of items; 0 for all.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    page: PageFlags,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Save a list under a name, in place of an earlier view of that name.
    #[command(after_help = "Example:
  cairn view save late --overdue --sort due --columns number,title,due,assignee")]
    Save {
        /// The name.
        name: String,
        #[command(flatten)]
        query: Box<QueryFlags>,
    },
    /// List all views.
    List,
    /// Remove a view.
    #[command(after_help = "Example:
  cairn view remove late")]
    Remove {
        /// The view.
        name: String,
    },
}

pub(crate) fn run(arguments: &Arguments, mut project: Project, ui: &Ui) -> Result<ExitCode, Error> {
    match (&arguments.action, &arguments.name) {
        (Some(Action::Save { name, query }), _) => {
            if RESERVED.contains(&name.trim().to_lowercase().as_str()) {
                return Err(Error::invalid(format!("`{name}` is a command of `cairn view`; choose another name")));
            }
            changed(ui, "saved", &project.save_view(name, &query.query())?);
        }
        (Some(Action::Remove { name }), _) => changed(ui, "removed", &project.remove_view(name)?),
        (Some(Action::List), _) | (None, None) => list(ui, &project.saved_views()?),
        (None, Some(name)) => show(arguments, name, &project, ui)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show(arguments: &Arguments, name: &str, project: &Project, ui: &Ui) -> Result<(), Error> {
    let query = project.saved_view(name)?.query();
    let mut page = project.list(&ListOptions {
        limit: limit(arguments.limit),
        skip: arguments.page.skip(arguments.limit),
        cursor: arguments.page.cursor.clone(),
        ..project.view_options(&query)?
    })?;
    let table = page_table(project, &query)?;
    add_progress(&mut page, &table);
    print_page_with(ui, &page, arguments.page.number(), "no item is in this view", &table);
    Ok(())
}

fn changed(ui: &Ui, verb: &str, view: &SavedView) {
    if ui.json {
        ui.data(view);
    } else {
        ui.line(&format!("{GOOD}{verb}{GOOD:#} view {}: {}", safe(&view.name), safe(&described(view))));
    }
}

fn list(ui: &Ui, views: &[SavedView]) {
    if ui.json {
        ui.data(&views);
        return;
    }
    if views.is_empty() {
        ui.note("no views yet; `cairn view save NAME …` saves one");
        return;
    }
    let mut table = Table::new(&[Column::fixed("NAME"), Column::main("LIST")]);
    for view in views {
        table.row(vec![(view.name.clone(), STRONG), (described(view), Style::new())]);
    }
    ui.page(&table.render());
}

/// Describes a view with the flags of `cairn list`.
fn described(view: &SavedView) -> String {
    let mut words: Vec<String> = view.kind.iter().cloned().collect();
    let mut flag = |name: &str, value: &str| words.push(format!("--{name} {}", quoted(value)));
    view.statuses.iter().for_each(|status| flag("status", status));
    view.labels.iter().for_each(|label| flag("label", label));
    let given = [
        ("assignee", &view.assignee),
        ("milestone", &view.milestone),
        ("board", &view.board),
        ("epic", &view.epic),
        ("text", &view.text),
        ("filter", &view.filter),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            flag(name, value);
        }
    }
    view.sort.iter().for_each(|key| flag("sort", key));
    if !view.columns.is_empty() {
        flag("columns", &view.columns.join(","));
    }
    let switches = [("--blocked", view.blocked), ("--overdue", view.overdue), ("--all", view.all)];
    words.extend(switches.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (*name).to_owned()));
    if words.is_empty() { "all open items".to_owned() } else { words.join(" ") }
}

fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.,:@/".contains(c);
    if value.chars().all(is_plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}
