//! `cairn serve`.

use std::net::SocketAddr;
use std::process::ExitCode;

use app::{Ambient, Error, ErrorKind};
use clap::Args;
use dialects::Projects;
use dialects::mile::MILE;

use super::Place;
use super::mcp::{Choice, find};
use crate::output::{self, Screen};

/// Serve the project to agents over HTTP, at `/mcp/mile`, to this machine only.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn serve
  cairn serve --addr 127.0.0.1:0")]
pub(crate) struct Arguments {
    /// Where to listen; a loopback address. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8931")]
    addr: SocketAddr,
    #[command(flatten)]
    choice: Choice,
}

pub(super) fn run(arguments: &Arguments, place: &Place, screen: &Screen) -> Result<ExitCode, Error> {
    place.check()?;
    let projects = Projects::new(place.0.clone(), Ambient::default(), output::listener());
    let ready = |address| screen.note(&format!("serving http://{address}/mcp/{}", MILE.name));
    mcp::http::serve(arguments.addr, &MILE, projects, arguments.choice.offer(&[find(MILE.name)?])?, ready).map_err(
        |error| {
            let kind = if error.kind() == std::io::ErrorKind::InvalidInput {
                ErrorKind::Invalid
            } else {
                ErrorKind::Unavailable
            };
            Error { kind, message: format!("cannot serve on {}: {error}", arguments.addr), hint: None }
        },
    )?;
    Ok(ExitCode::SUCCESS)
}
