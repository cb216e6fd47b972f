//! One file per command: its arguments and its output.

pub(crate) mod agents;
pub(crate) mod annotate;
pub(crate) mod assign;
pub(crate) mod attach;
pub(crate) mod board;
pub(crate) mod bridge;
pub(crate) mod check;
pub(crate) mod comment;
pub(crate) mod compat;
pub(crate) mod completions;
pub(crate) mod correct;
pub(crate) mod create;
mod dashboard;
pub(crate) mod database;
mod database_argument;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod export;
pub(crate) mod hooks;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod items;
mod known;
pub(crate) mod label;
pub(crate) mod lazygit;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod member;
pub(crate) mod mile;
pub(crate) mod move_item;
pub(crate) mod prime;
pub(crate) mod ready;
pub(crate) mod reasons;
pub(crate) mod reference;
pub(crate) mod reindex;
pub(crate) mod search;
mod selection;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod sync;
pub(crate) mod taiga;
pub(crate) mod template;
pub(crate) mod token;
pub(crate) mod tui;
pub(crate) mod ultragit;
pub(crate) mod undo;
pub(crate) mod view;
pub(crate) mod workflow;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::view::ItemView;
use app::{Env, Error, ErrorKind, Project};

use crate::arguments::{Cli, Command};
use crate::help;
use crate::output::{self, GOOD, Ui, safe};

/// Runs a command. If the index turns out to be damaged, it is rebuilt and the command runs again, unless it has
/// already written something: then it would write twice.
pub(crate) fn run(cli: &Cli, ui: &Ui) -> Result<ExitCode, Error> {
    let place = RepoPath(cli.global.repo.clone().unwrap_or_else(|| PathBuf::from(".")));
    let command = || match &cli.command {
        Some(command) => dispatch(command, &place, ui),
        None => overview(&place, ui),
    };
    match command() {
        Err(error) if error.kind == ErrorKind::IndexDamaged => {
            ui.note(&format!("warning: {error}; it is rebuilt, nothing is lost"));
            place.open()?.reindex()?;
            if output::has_written() {
                return Err(error.hint("the change was written before that: do not repeat it"));
            }
            command()
        }
        other => other,
    }
}

/// Shows the dashboard, or help outside of a repository.
fn overview(place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    match dashboard::run(place, ui) {
        Err(error) if error.kind == ErrorKind::NotARepository && !ui.json => {
            ui.print(&help::overview());
            Ok(ExitCode::SUCCESS)
        }
        other => other,
    }
}

fn dispatch(command: &Command, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    match command {
        Command::New(arguments) => create::run(arguments, place.open()?, ui),
        Command::List(arguments) => list::run(arguments, &place.open()?, ui),
        Command::Show(arguments) => show::run(arguments, &place.open()?, ui),
        Command::Edit(arguments) => edit::run(arguments, place.open()?, ui),
        Command::Attach(arguments) => attach::run(arguments, place.open()?, ui),
        Command::Comment(arguments) => comment::run(arguments, place.open()?, ui),
        Command::Label(arguments) => label::run(arguments, place.open()?, ui),
        Command::Move(arguments) => move_item::run(arguments, place.open()?, ui),
        Command::Start(arguments) => arguments.run(place.open()?, ui),
        Command::Close(arguments) => arguments.run(place.open()?, ui),
        Command::Assign(arguments) => arguments.run(place.open()?, ui),
        Command::Status(arguments) => arguments.run(place, ui),
        Command::Reopen(arguments) => arguments.run(place.open()?, ui),
        Command::Delete(arguments) => arguments.run(place.open()?, ui),
        Command::Link(arguments) => arguments.run(place.open()?, ui),
        Command::Unlink(arguments) => arguments.run(place.open()?, ui),
        Command::Ready(arguments) => ready::run(arguments, &place.open()?, ui),
        Command::Search(arguments) => search::run(arguments, &place.open()?, ui),
        Command::Undo(arguments) => undo::run(arguments, place.open()?, ui),
        Command::View(arguments) => view::run(arguments, place.open()?, ui),
        Command::Template(arguments) => template::run(arguments, place.open()?, ui),
        Command::Log(arguments) => log::run(arguments, &place.open()?, ui),
        Command::Sync(arguments) => sync::run(arguments, place.open()?, ui),
        Command::Member(arguments) => member::run(arguments, place.open()?, ui),
        Command::Workflow(arguments) => workflow::run(arguments, place.open()?, ui),
        Command::Export(arguments) => arguments.run(&place.open()?, ui),
        Command::Import(arguments) => arguments.run(place.open()?, ui),
        Command::Init(arguments) => init::run(arguments, place, ui),
        Command::Doctor(arguments) => doctor::run(arguments, place, ui),
        Command::Database(arguments) => database::run(arguments, place, ui),
        Command::Reindex(arguments) => reindex::run(arguments, place.open()?, ui),
        Command::Stats(arguments) => stats::run(arguments, &place.open()?, ui),
        Command::Read(arguments) => arguments.run(place.open()?, ui),
        Command::Deps(arguments) => arguments.run(place.open()?, ui),
        Command::History(arguments) => arguments.run(place.open()?, ui),
        Command::Summary(arguments) => arguments.run(place.open()?, ui),
        Command::Context(arguments) => arguments.run(place, ui),
        Command::Annotate(arguments) => arguments.run(place.open()?, ui),
        Command::Flag(arguments) => arguments.run(place.open()?, ui),
        Command::Correct(arguments) => arguments.run(place.open()?, ui),
        Command::Check(arguments) => check::run(arguments, place, ui),
        Command::Hooks(arguments) => hooks::run(arguments, place, ui),
        Command::Inbox(arguments) => inbox::run(arguments, place, ui),
        Command::Lazygit(arguments) => lazygit::run(arguments, ui),
        Command::Taiga(arguments) => taiga::run(arguments, place, ui),
        Command::Prime(arguments) => prime::run(arguments, place, ui),
        Command::Agents(arguments) => agents::run(arguments, place, ui),
        Command::Mcp(arguments) => mcp::run(arguments, place, ui),
        Command::Board(arguments) => board::run(arguments, place, ui),
        Command::Tui(_) => tui::run(place),
        Command::Serve(arguments) => serve::run(arguments, place, ui),
        Command::Token(arguments) => token::run(arguments, place, ui),
        Command::Compat(arguments) => compat::run(arguments, ui),
        Command::Demo(arguments) => demo::run(arguments, ui),
        Command::Completions(arguments) => Ok(completions::run(arguments, ui)),
        Command::Man(arguments) => man::run(arguments, ui),
        Command::Reference(arguments) => Ok(reference::run(arguments, ui)),
    }
}

/// The path of the repository.
struct RepoPath(PathBuf);

impl RepoPath {
    fn open(&self) -> Result<Project, Error> {
        self.check()?;
        Project::open(&self.0, Env::default(), output::listener())
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn check(&self) -> Result<(), Error> {
        if Path::new(&self.0).is_dir() {
            return Ok(());
        }
        Err(Error::invalid(format!("`{}` is not a folder", self.0.display())))
    }
}

/// Prints changed items: JSON, or one line of text each. A single item is printed as an object, several as a list.
fn print_changed(ui: &Ui, verb: &str, items: &[ItemView]) {
    if ui.json {
        match items {
            [item] => ui.data(item),
            items => ui.data(&items),
        }
        return;
    }
    for item in items {
        let (kind, number, title) = (&item.kind, item.number, safe(&item.title));
        ui.line(&format!("{GOOD}{verb}{GOOD:#} {kind} #{number}: {title}"));
    }
}
