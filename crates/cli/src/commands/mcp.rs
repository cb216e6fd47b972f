//! `cairn mcp`.

mod start;

use std::process::ExitCode;

use app::Error;
use clap::{Args, Subcommand};

pub(super) use start::{Choice, dialect_names, find, serve_dialect, setting};

use super::Place;

/// Serve the project to agents, over the Model Context Protocol.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  cairn mcp start --dialect mile")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Start(start::Start),
}

pub(super) fn run(arguments: &Arguments, place: &Place) -> Result<ExitCode, Error> {
    match &arguments.verb {
        Verb::Start(start) => start::run(start, place),
    }
}
