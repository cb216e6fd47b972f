//! `cairn serve`.

mod access;
mod auth;
mod logging;
mod sharing;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use app::Error;
use clap::Args;
use dialects::{DIALECTS, DialectEntry};
use inbox::InboxPlace;
use serde::Serialize;
use web::{ServerSettings, TokenSecret};

use super::RepoPath;
use super::database_argument::{DatabaseArgument, tokens};
use super::mcp::{Choice, context, dialect_names, find};
use crate::output::Ui;

/// Serve the project over HTTP: each dialect at `/mcp/NAME` and one at `/mcp`, a JSON API at `/api`, and the board.
///
/// Clients need a token from `cairn token create`. If there is none, a token for this run is created and printed, but
/// only on a loopback address.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn serve
  cairn serve --addr 127.0.0.1:0 --dialect mile --read-only
  CAIRN_TOKEN=your-secret-token cairn serve
  cairn serve --behind-proxy --host board.example.org
  cairn serve --addr 0.0.0.0:8931 --host board.example.org --tls-cert chain.pem --tls-key key.pem
  CAIRN_DATABASE=postgres://cairn@db1,db2/project cairn serve --behind-proxy")]
pub(crate) struct Arguments {
    /// Listen address; port 0 takes a free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8931")]
    addr: SocketAddr,
    /// The dialect served at `/mcp`.
    #[arg(long, value_name = "NAME", default_value = "cairn", value_parser = dialect_names())]
    dialect: String,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    auth: auth::AuthArguments,
    #[command(flatten)]
    access: access::AccessArguments,
    #[command(flatten)]
    database: DatabaseArgument,
    #[command(flatten)]
    sharing: sharing::SharingArguments,
    /// Log each request to stderr: method, path, status, time and token name; never a token.
    #[arg(long, value_name = "FORM")]
    log: Option<logging::Form>,
}

/// The effect of the contract's statuses on some clients.
const STATUS_WARNING: &str = "note: `quicksilver` answers errors with HTTP 400 and 404, as its contract has it; clients \
                              that treat those as transport errors (Python SDK 1.x) need `--http-status spec`";

/// The address of a server, for scripts.
#[derive(Debug, Serialize)]
struct ServedAddress {
    address: String,
    url: String,
    token: Option<String>,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let mut context = context(place, &arguments.choice)?;
    let database = arguments.database.open()?;
    // Until the server ends: everything that is opened on the clone meanwhile goes through the database.
    let _shared = database.as_ref().map(|database| arguments.sharing.share(place, database)).transpose()?;
    if let Some(database) = &database {
        context.inbox = InboxPlace::Database(Arc::clone(database));
    }
    let offer = arguments.choice.offer(&DIALECTS.iter().collect::<Vec<&DialectEntry>>())?;
    let chosen = find(&arguments.dialect)?.name;
    let (auth_mode, made) = arguments.auth.auth_mode(arguments.addr, &tokens(database.as_ref(), place)?)?;
    let access = &arguments.access;
    let tls = access.tls()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let settings = ServerSettings {
        address: arguments.addr,
        services: Box::new(move |context| DIALECTS.iter().map(|entry| (entry.open)(context, offer.clone())).collect()),
        chosen,
        context,
        database,
        rate: access.rate(&auth_mode),
        auth_mode,
        first_login: None,
        hosts: access.hosts(),
        tls,
        allows_plain: access.allows_plain(),
        proxy: access.proxy(),
        max_connections: access.max_connections(),
        log: arguments.log.map(logging::Form::log),
    };
    web::serve(settings, |address| {
        print_address(ui, &format!("{scheme}://{address}"), address, chosen, made.as_ref());
        if chosen == "quicksilver" && arguments.choice.keeps_contract_status() {
            ui.note(STATUS_WARNING);
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print_address(ui: &Ui, url: &str, address: SocketAddr, chosen: &str, made: Option<&TokenSecret>) {
    let token = made.map(TokenSecret::reveal);
    if ui.json {
        let (address, url) = (address.to_string(), url.to_owned());
        ui.data(&ServedAddress { address, url, token: token.map(str::to_owned) });
        return;
    }
    ui.note(&format!("serving {url}/mcp/{chosen}"));
    ui.note(&format!("board: {url}/"));
    if let Some(token) = token {
        ui.note(&format!("token for this run: {token}"));
    }
}
