//! `cairn serve`.

use std::net::SocketAddr;
use std::process::ExitCode;

use app::{Error, ErrorKind};
use clap::Args;
use dialects::{DIALECTS, Entry};

use super::Place;
use super::mcp::{Choice, dialect_names, find, setting};
use crate::output::Screen;

/// Serve the project to agents over HTTP, to this machine only: each dialect at `/mcp/NAME`, and one at `/mcp`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn serve
  cairn serve --addr 127.0.0.1:0 --dialect mile --read-only")]
pub(crate) struct Arguments {
    /// Where to listen; a loopback address. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8931")]
    addr: SocketAddr,
    /// The dialect that is found at `/mcp`.
    #[arg(long, value_name = "NAME", default_value = "cairn", value_parser = dialect_names())]
    dialect: String,
    #[command(flatten)]
    choice: Choice,
}

pub(super) fn run(arguments: &Arguments, place: &Place, screen: &Screen) -> Result<ExitCode, Error> {
    let setting = setting(place, &arguments.choice)?;
    let offer = arguments.choice.offer(&DIALECTS.iter().collect::<Vec<&Entry>>())?;
    let chosen = find(&arguments.dialect)?.name;
    let services = DIALECTS.iter().map(|entry| (entry.open)(&setting, offer.clone())).collect();
    let settings = web::Settings { address: arguments.addr, services, chosen, setting };
    let ready = |address| screen.note(&format!("serving http://{address}/mcp/{chosen}"));
    web::serve(settings, ready).map_err(|error| {
        let kind =
            if error.kind() == std::io::ErrorKind::InvalidInput { ErrorKind::Invalid } else { ErrorKind::Unavailable };
        Error { kind, message: format!("cannot serve on {}: {error}", arguments.addr), hint: None, detail: None }
    })?;
    Ok(ExitCode::SUCCESS)
}
