//! `cairn board`.

use std::net::SocketAddr;
use std::process::ExitCode;

use app::Error;
use clap::Args;
use dialects::DIALECTS;
use mcp::ServeOptions;
use serde::Serialize;
use web::{AuthMode, Proxy, Rate, ServerSettings, StaticToken, TokenSecret};

use super::RepoPath;
use super::mcp::server_context_of;
use crate::output::Ui;

/// Enough for one person's browser and agents.
const MAX_CONNECTIONS: usize = 128;

/// Show the board of this repository in a browser, until interrupted.
///
/// The browser is logged in already, as the person git names, by a link that works until the command ends. Other machines
/// cannot reach it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn board
  cairn board --no-open --addr 127.0.0.1:9000")]
pub(crate) struct Arguments {
    /// Listen address, a loopback address; port 0 takes a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    addr: SocketAddr,
    /// Print the link instead of opening a browser.
    #[arg(long)]
    no_open: bool,
}

/// The URL of the board, for scripts.
#[derive(Debug, Serialize)]
struct BoardUrl {
    url: String,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    if !arguments.addr.ip().is_loopback() {
        return Err(Error::invalid(format!("the board is for this machine only, not for `{}`", arguments.addr))
            .hint("`cairn serve` serves others"));
    }
    let context = server_context_of(place)?;
    let key = TokenSecret::random()?;
    let settings = ServerSettings {
        address: arguments.addr,
        services: Box::new(|context| {
            DIALECTS.iter().map(|entry| (entry.open)(context, ServeOptions::default())).collect()
        }),
        chosen: "cairn",
        context,
        database: None,
        auth_mode: AuthMode::Tokens(vec![StaticToken::for_this_run()?]),
        first_login: Some(key.clone()),
        hosts: Vec::new(),
        tls: None,
        allows_plain: false,
        proxy: Proxy::None,
        max_connections: MAX_CONNECTIONS,
        rate: Rate::Unlimited,
        log: None,
    };
    web::serve(settings, |address| show(arguments, ui, address, &key))?;
    Ok(ExitCode::SUCCESS)
}

fn show(arguments: &Arguments, ui: &Ui, address: SocketAddr, key: &TokenSecret) {
    let url = format!("http://{address}/login?key={}", key.reveal());
    if arguments.no_open {
        if ui.json {
            ui.data(&BoardUrl { url });
        } else {
            ui.line(&url);
        }
        return;
    }
    ui.note(&format!("the board is at http://{address}/ until you press Ctrl-C"));
    // The error says how a launcher ended, which helps nobody; the link does.
    if open::that_detached(&url).is_err() {
        ui.note("cannot open a browser; open this link:");
        ui.line(&url);
    }
}
