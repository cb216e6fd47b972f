//! `ultragit`: the command line under that program name, so that existing scripts and clients keep working.

use std::path::PathBuf;
use std::process::ExitCode;

use app::Error;
use clap::{Args, Parser, Subcommand};

use super::mcp::{Choice, install_ultragit, serve_dialect};
use super::{RepoPath, annotate, correct, reasons};
use crate::arguments::Global;
use crate::output::Ui;

/// Why the code is so: annotations, kept in git notes.
///
/// This is `cairn` under another name; `cairn --help` shows everything it can do.
#[derive(Debug, Parser)]
#[command(name = "ultragit", version, disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct UltragitCli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Read(reasons::Read),
    Deps(reasons::Deps),
    History(reasons::History),
    Summary(reasons::Summary),
    // Boxed, since it has many more options than the others.
    Annotate(Box<annotate::Arguments>),
    Flag(correct::Flag),
    Correct(correct::Correct),
    /// Serve annotations to agents.
    Mcp(Mcp),
}

#[derive(Debug, Args)]
struct Mcp {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve on standard input and output, until the client hangs up.
    Start(Choice),
    /// Register the server with an agent: in `.mcp.json` of the repository, unless said.
    Install(Install),
}

#[derive(Debug, Args)]
struct Install {
    /// In this file.
    #[arg(long, value_name = "PATH", conflicts_with = "global")]
    config: Option<PathBuf>,
    /// In the settings of Claude Desktop.
    #[arg(long)]
    global: bool,
}

impl UltragitCli {
    /// Returns whether this command starts a server.
    pub(super) fn starts_server(&self) -> bool {
        matches!(&self.command, Command::Mcp(Mcp { verb: Verb::Start(_) }))
    }
}

pub(crate) fn run(cli: &UltragitCli, ui: &Ui) -> Result<ExitCode, Error> {
    let place = RepoPath(cli.global.repo.clone().unwrap_or_else(|| PathBuf::from(".")));
    match &cli.command {
        Command::Read(asked) => asked.run(place.open()?, ui),
        Command::Deps(asked) => asked.run(place.open()?, ui),
        Command::History(asked) => asked.run(place.open()?, ui),
        Command::Summary(asked) => asked.run(place.open()?, ui),
        Command::Annotate(asked) => annotate::run(asked, place.open()?, ui),
        Command::Flag(asked) => asked.run(place.open()?, ui),
        Command::Correct(asked) => asked.run(place.open()?, ui),
        Command::Mcp(Mcp { verb: Verb::Start(choice) }) => serve_dialect("ultragit", choice, &place),
        Command::Mcp(Mcp { verb: Verb::Install(install) }) => {
            install_ultragit(install.config.as_deref(), install.global, &place, ui)
        }
    }
}
