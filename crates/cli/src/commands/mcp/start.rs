//! `cairn mcp start`.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use app::{Env, Error};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use dialects::{DIALECTS, DialectEntry, OnCall, ServerContext};
use inbox::InboxPlace;
use mcp::ServeOptions;

use crate::commands::RepoPath;
use crate::{output, taiga_setup};

/// Serve on standard input and output, one JSON message per line, until the client disconnects.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn mcp start
  claude mcp add --scope project cairn -- cairn mcp start --tool-names underscore
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | cairn mcp start")]
pub(crate) struct Start {
    /// The contract to follow.
    #[arg(long, value_name = "NAME", default_value = "cairn", value_parser = dialect_names())]
    pub(super) dialect: String,
    #[command(flatten)]
    choice: Choice,
}

/// Options that narrow or extend a dialect.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "they are switches of a command line")]
pub(crate) struct Choice {
    /// Spelling of the tool names in the list; calls accept both spellings. Claude Desktop, Cursor and Copilot CLI need
    /// `underscore`.
    #[arg(long, value_name = "STYLE", default_value = "dotted")]
    tool_names: ToolNames,
    /// Serve only tools that read.
    #[arg(long)]
    read_only: bool,
    /// Serve only the tools of these groups, separated by commas; all if omitted.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    toolsets: Option<Vec<String>>,
    /// Serve tools and fields beyond the contract: `quicksilver` lists, claims and accepts tasks, `taiga` has sprints,
    /// due dates, points, order, comments and versions.
    #[arg(long)]
    extended: bool,
    /// Follow a contract exactly even where official clients reject it: `quicksilver` ends a list with `"nextCursor":
    /// null`.
    #[arg(long)]
    contract_strict: bool,
    /// HTTP status of errors, where a contract defines its own: `quicksilver` has 400 for wrong arguments and 404 for
    /// an unknown task, on which some clients abort.
    #[arg(long, value_name = "WHOSE", default_value = "contract")]
    http_status: HttpStatus,
    /// The notes ref of the annotations; by default git's `ultragit.noteref`, else `refs/notes/ultragit`.
    #[arg(long, value_name = "REF")]
    noteref: Option<String>,
    /// Print a line to standard error for each call of a tool of `taiga`: its name, outcome, duration and trace.
    #[arg(long = "verbose")]
    log_calls: bool,
}

/// Returns the names of all dialects, for clap.
pub(in crate::commands) fn dialect_names() -> PossibleValuesParser {
    let values = DIALECTS.iter().map(|entry| PossibleValue::new(entry.name).help(entry.about));
    PossibleValuesParser::new(values)
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ToolNames {
    /// As the contract has them: `git_mile.list`.
    Dotted,
    /// Without dots: `git_mile_list`.
    Underscore,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HttpStatus {
    /// The contract's.
    Contract,
    /// 200 for whatever was a request, since the error is in the answer.
    Spec,
}

impl Choice {
    /// Returns whether errors use the contract's own HTTP statuses.
    pub(in crate::commands) fn keeps_contract_status(&self) -> bool {
        matches!(self.http_status, HttpStatus::Contract)
    }

    /// Returns the options for these dialects; fails on an unknown toolset.
    pub(in crate::commands) fn offer(&self, dialects: &[&DialectEntry]) -> Result<ServeOptions, Error> {
        let known: BTreeSet<&str> = dialects.iter().flat_map(|entry| (entry.toolsets)()).collect();
        if let Some(unknown) = self.toolsets.iter().flatten().find(|name| !known.contains(name.as_str())) {
            let known: Vec<&str> = known.into_iter().collect();
            return Err(Error::invalid(format!("unknown toolset `{unknown}` (expected: {})", known.join(", "))));
        }
        let names = match self.tool_names {
            ToolNames::Dotted => mcp::ToolNames::Dotted,
            ToolNames::Underscore => mcp::ToolNames::Underscore,
        };
        let http_status = match self.http_status {
            HttpStatus::Contract => mcp::HttpStatus::Contract,
            HttpStatus::Spec => mcp::HttpStatus::Specification,
        };
        Ok(ServeOptions {
            names,
            read_only: self.read_only,
            toolsets: self.toolsets.clone(),
            extended: self.extended,
            contract_strict: self.contract_strict,
            http_status,
        })
    }
}

pub(super) fn run(start: &Start, place: &RepoPath) -> Result<ExitCode, Error> {
    serve_dialect(&start.dialect, &start.choice, place)
}

/// Serves a dialect. The repository is opened by the first call that needs it, so that the client's `initialize` is
/// answered at once.
pub(in crate::commands) fn serve_dialect(name: &str, choice: &Choice, place: &RepoPath) -> Result<ExitCode, Error> {
    let entry = find(name)?;
    let service = (entry.open)(&context(place, choice)?, choice.offer(&[entry])?);
    let served = mcp::stdio::serve(service);
    served.map_err(|error| Error::unavailable(format!("cannot serve on standard input and output: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Finds a dialect.
pub(in crate::commands) fn find(name: &str) -> Result<&'static DialectEntry, Error> {
    dialects::try_find(name).ok_or_else(|| Error::invalid(format!("unknown dialect `{name}`")))
}

/// Returns the context of a server.
pub(in crate::commands) fn context(place: &RepoPath, choice: &Choice) -> Result<ServerContext, Error> {
    let context = server_context_of(place)?;
    let on_call = if choice.log_calls { Some(log_line()) } else { context.on_call };
    Ok(ServerContext { noteref: choice.noteref.clone(), on_call, ..context })
}

/// Returns the default context of a server.
pub(in crate::commands) fn server_context_of(place: &RepoPath) -> Result<ServerContext, Error> {
    place.check()?;
    let (env, listener) = (Env::default(), output::listener());
    Ok(ServerContext {
        place: place.0.clone(),
        env,
        listener,
        inbox: InboxPlace::Clone,
        noteref: None,
        taiga: taiga_setup::of_environment(),
        on_call: output::logs_debug().then(log_line),
    })
}

/// Prints the log lines that a contract fixes.
fn log_line() -> OnCall {
    Arc::new(output::note)
}
