//! `cairn mcp start`.

use std::process::ExitCode;

use app::{Ambient, Error};
use clap::{Args, ValueEnum};
use dialects::Projects;
use dialects::mile::MILE;

use crate::commands::Place;
use crate::output;

/// Serve on standard input and output, one JSON message per line, until the client hangs up.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn mcp start
  claude mcp add --scope project cairn -- cairn mcp start --tool-names underscore
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | cairn mcp start")]
pub(crate) struct Start {
    /// The contract to follow; `mile` is the only one so far.
    #[arg(long, value_name = "NAME", default_value = "mile")]
    dialect: DialectName,
    #[command(flatten)]
    names: Names,
}

/// How tools are listed.
#[derive(Debug, Args)]
pub(crate) struct Names {
    /// How to list the tools; both spellings are understood whatever this says. Claude Desktop, Cursor and Copilot CLI
    /// need `underscore`.
    #[arg(long, value_name = "STYLE", default_value = "dotted")]
    tool_names: ToolNames,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum DialectName {
    /// Issues and milestones, as git-mile has them.
    Mile,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ToolNames {
    /// As the contract has them: `git_mile.list`.
    Dotted,
    /// Without dots: `git_mile_list`.
    Underscore,
}

impl Names {
    /// Returns the way to list them.
    pub(in crate::commands) fn style(&self) -> mcp::ToolNames {
        match self.tool_names {
            ToolNames::Dotted => mcp::ToolNames::Dotted,
            ToolNames::Underscore => mcp::ToolNames::Underscore,
        }
    }
}

pub(super) fn run(start: &Start, place: &Place) -> Result<ExitCode, Error> {
    match start.dialect {
        DialectName::Mile => serve_mile(&start.names, place),
    }
}

/// Serves the `mile` dialect. The repository is opened by the first call that needs it, so that the client's first
/// question is answered at once.
pub(in crate::commands) fn serve_mile(names: &Names, place: &Place) -> Result<ExitCode, Error> {
    place.check()?;
    let projects = Projects::new(place.0.clone(), Ambient::default(), output::listener());
    let served = mcp::stdio::serve(&MILE, projects, names.style());
    served.map_err(|error| Error::unavailable(format!("cannot serve on standard input and output: {error}")))?;
    Ok(ExitCode::SUCCESS)
}
