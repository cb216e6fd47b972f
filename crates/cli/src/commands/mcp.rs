//! `cairn mcp`.

mod doctor;
mod install;
mod probe;
mod start;

use std::process::ExitCode;

use app::Error;
use clap::{Args, Subcommand};

use super::RepoPath;
use crate::output::Ui;
pub(super) use install::install_ultragit;
pub(super) use start::{Choice, context, dialect_names, find, serve_dialect, server_context_of};

/// Serve the project to agents, over the Model Context Protocol.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn mcp install
  cairn mcp doctor
  cairn mcp start --dialect mile")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Start(start::Start),
    Install(install::Install),
    Doctor(doctor::Doctor),
}

impl Arguments {
    /// Returns the dialect to serve; `None` if this command does not serve.
    pub(crate) fn served_dialect(&self) -> Option<&str> {
        match &self.verb {
            Verb::Start(start) => Some(&start.dialect),
            Verb::Install(_) | Verb::Doctor(_) => None,
        }
    }
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    match &arguments.verb {
        Verb::Start(start) => start::run(start, place),
        Verb::Install(install) => install::run(install, place, ui),
        Verb::Doctor(doctor) => doctor::run(doctor, place, ui),
    }
}
