//! `cairn mcp`.

mod doctor;
mod install;
mod probe;
mod start;

use std::process::ExitCode;

use app::Error;
use clap::{Args, Subcommand};

pub(super) use install::install_ultragit;
pub(super) use start::{Choice, dialect_names, find, serve_dialect, setting, setting_of};

use super::Place;
use crate::output::Screen;

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
    /// Tells whether this is a server about to start.
    pub(super) fn starts_server(&self) -> bool {
        matches!(self.verb, Verb::Start(_))
    }
}

pub(super) fn run(arguments: &Arguments, place: &Place, screen: &Screen) -> Result<ExitCode, Error> {
    match &arguments.verb {
        Verb::Start(start) => start::run(start, place),
        Verb::Install(install) => install::run(install, place, screen),
        Verb::Doctor(doctor) => doctor::run(doctor, place, screen),
    }
}
