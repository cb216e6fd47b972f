//! `cairn serve`.

mod door;

use std::net::SocketAddr;
use std::process::ExitCode;

use app::Error;
use clap::Args;
use dialects::{DIALECTS, Entry};
use serde::Serialize;

use super::Place;
use super::mcp::{Choice, dialect_names, find, setting};
use crate::output::Screen;

/// Serve the project over HTTP: each dialect at `/mcp/NAME` and one at `/mcp`, a JSON API at `/api`, and the board.
///
/// Whoever comes in has a token, made with `cairn token create`. Where there is none yet, one is made for this run and
/// printed; but only on a loopback address.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn serve
  cairn serve --addr 127.0.0.1:0 --dialect mile --read-only
  CAIRN_TOKEN=your-secret-token cairn serve")]
pub(crate) struct Arguments {
    /// Where to listen; a loopback address. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8931")]
    addr: SocketAddr,
    /// The dialect that is found at `/mcp`.
    #[arg(long, value_name = "NAME", default_value = "cairn", value_parser = dialect_names())]
    dialect: String,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    door: door::Door,
}

/// Where a server is, for scripts.
#[derive(Debug, Serialize)]
struct Served {
    address: String,
    url: String,
    token: Option<String>,
}

pub(super) fn run(arguments: &Arguments, place: &Place, screen: &Screen) -> Result<ExitCode, Error> {
    let setting = setting(place, &arguments.choice)?;
    let offer = arguments.choice.offer(&DIALECTS.iter().collect::<Vec<&Entry>>())?;
    let chosen = find(&arguments.dialect)?.name;
    let (entrance, made) = arguments.door.entrance(arguments.addr, place)?;
    let services = DIALECTS.iter().map(|entry| (entry.open)(&setting, offer.clone())).collect();
    let settings = web::Settings { address: arguments.addr, services, chosen, setting, entrance };
    web::serve(settings, |address| {
        let token = made.as_ref().map(web::Secret::reveal);
        say(screen, address, chosen, token);
    })?;
    Ok(ExitCode::SUCCESS)
}

fn say(screen: &Screen, address: SocketAddr, chosen: &str, token: Option<&str>) {
    let url = format!("http://{address}");
    if screen.json {
        screen.data(&Served { address: address.to_string(), url, token: token.map(str::to_owned) });
        return;
    }
    screen.note(&format!("serving {url}/mcp/{chosen}"));
    if let Some(token) = token {
        screen.note(&format!("token for this run: {token}"));
    }
}
