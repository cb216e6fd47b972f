//! `cairn database`.

use std::process::ExitCode;
use std::sync::Arc;

use app::Error;
use app::shared::{ShareOptions, database_status, share};
use app::view::DatabaseView;
use clap::{Args, Subcommand};
use database::{Database, Options};

use super::RepoPath;
use super::database_argument::DatabaseArgument;
use crate::output::{self, FAINT, Ui};

/// Look at the PostgreSQL that several servers share, and fill it.
///
/// `cairn serve --database URL` does all of this itself; these commands are for preparation and for checks.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn database status --database postgres://cairn@db.example.org/project
  CAIRN_DATABASE=postgres://cairn@db.example.org/project cairn database init")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the version of the tables and how the shared refs compare with this clone; changes nothing.
    Status(DatabaseArgument),
    /// Create or update the tables, and join this clone's work with the database's.
    Init(DatabaseArgument),
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    place.check()?;
    let (Action::Status(argument) | Action::Init(argument)) = &arguments.action;
    let address = argument.address()?.ok_or_else(|| {
        Error::invalid("no database is named").hint("name one with `--database URL` or the variable `CAIRN_DATABASE`")
    })?;
    let database = Arc::new(Database::connect(address, &Options::default())?);
    if matches!(arguments.action, Action::Init(_)) {
        share(place.path(), Arc::clone(&database), ShareOptions::default(), output::listener())?;
    }
    show(ui, &database_status(place.path(), &database)?);
    Ok(ExitCode::SUCCESS)
}

fn show(ui: &Ui, view: &DatabaseView) {
    if ui.json {
        ui.data(view);
        return;
    }
    let version = view.version.map(|version| format!(" (version {version})")).unwrap_or_default();
    ui.line(&format!("{}: tables {}{version}", view.address, view.schema));
    for one in &view.refs {
        let standing = match (&one.clone_tip, one.same) {
            (_, true) => "same as this clone",
            (None, false) => "not in this clone",
            (Some(_), false) => "differs from this clone",
        };
        let tip = one.tip.as_deref().unwrap_or("empty");
        ui.line(&format!("{}  {FAINT}{tip}{FAINT:#}  {} objects, {standing}", one.name, one.objects));
    }
}
