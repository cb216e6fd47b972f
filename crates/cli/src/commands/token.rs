//! `cairn token`.

use std::process::ExitCode;

use anstyle::Style;
use app::{Error, ErrorKind, Role};
use clap::{Args, Subcommand};
use model::person::Person;
use serde::Serialize;
use web::{NewToken, TokenSecret, TokenView};

use super::RepoPath;
use super::database_argument::{DatabaseArgument, tokens};
use crate::output::{Column, FAINT, GOOD, STRONG, Table, Ui, safe};

/// Create, list and revoke the tokens for access over HTTP.
///
/// A token is stored next to the repository, not in its history: it is valid for the server of this clone, and `cairn
/// sync` does not transfer it. With `--database` it is stored there and valid for all servers of that database; none
/// has to run.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn token create ada
  cairn token create build-bot --role reader
  cairn token create laptop --as 'Ada Lovelace <ada@example.org>'
  cairn token list
  cairn token revoke laptop
  cairn token list --database postgres://cairn@db1/project")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a token and print it once: only its hash is stored.
    Create {
        /// The name of the token, also in logs: its owner or the program that uses it.
        name: String,
        /// Its role: `reader` reads, `writer` changes items; `admin` is reserved for changes of members and workflows,
        /// which HTTP does not offer yet.
        #[arg(long, value_name = "ROLE", default_value = "writer")]
        role: Role,
        /// The person recorded as the author of changes: a member, or `Name <email>`. By default the member named NAME,
        /// or else a new person of that name.
        #[arg(long = "as", value_name = "WHO")]
        person: Option<String>,
        #[command(flatten)]
        database: DatabaseArgument,
    },
    /// List the tokens; their secrets are not stored.
    List {
        #[command(flatten)]
        database: DatabaseArgument,
    },
    /// Revoke a token; running servers refuse it at once.
    Revoke {
        /// The name of the token.
        name: String,
        #[command(flatten)]
        database: DatabaseArgument,
    },
}

impl Action {
    fn database(&self) -> &DatabaseArgument {
        match self {
            Self::Create { database, .. } | Self::List { database } | Self::Revoke { database, .. } => database,
        }
    }
}

/// A new token with its secret, which is shown only once.
#[derive(Debug, Serialize)]
struct CreatedToken<'a> {
    #[serde(flatten)]
    view: &'a TokenView,
    token: &'a str,
}

pub(super) fn run(arguments: &Arguments, place: &RepoPath, ui: &Ui) -> Result<ExitCode, Error> {
    let database = arguments.action.database().open()?;
    // A clone is needed for its own tokens only; with a database it helps to find members.
    if database.is_none() {
        place.check()?;
    }
    let tokens = tokens(database.as_ref(), place)?;
    match &arguments.action {
        Action::Create { name, role, person, .. } => {
            let person = match app::locate(place.path()) {
                Err(error) if database.is_some() && error.kind == ErrorKind::NotARepository => {
                    Person::parse(person.as_deref().unwrap_or(name))
                }
                _ => person_of_clone(place, name, person.as_deref())?,
            };
            let new = NewToken { name: name.clone(), role: *role, person };
            let (view, secret) = tokens.create(&new, app::now())?;
            created(ui, &view, &secret);
        }
        Action::List { .. } => list(ui, &tokens.list()?),
        Action::Revoke { name, .. } => revoked(ui, &tokens.revoke(name)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn person_of_clone(place: &RepoPath, name: &str, person: Option<&str>) -> Result<Person, Error> {
    let project = place.open()?;
    match person {
        Some(who) => project.person(who),
        None => project.namesake(name),
    }
}

// Only the token goes to stdout, for scripts.
fn created(ui: &Ui, view: &TokenView, secret: &TokenSecret) {
    if ui.json {
        ui.data(&CreatedToken { view, token: secret.reveal() });
        return;
    }
    let (name, role, person) = (safe(&view.name), &view.role, safe(&view.person));
    ui.note(&format!("{GOOD}created{GOOD:#} {name} ({role}, acts as {person}); it is shown only once:"));
    ui.line(secret.reveal());
}

fn list(ui: &Ui, tokens: &[TokenView]) {
    if ui.json {
        ui.data(&tokens);
        return;
    }
    if tokens.is_empty() {
        ui.note("no tokens yet; `cairn token create NAME` makes one");
        return;
    }
    let mut table = Table::new(&[
        Column::main("NAME"),
        Column::fixed("ROLE"),
        Column::gives_way("ACTS AS", 8, 40),
        Column::fixed("CREATED"),
    ]);
    for token in tokens {
        let plain = |text: &str| (text.to_owned(), Style::new());
        let day = token.created_at.get(..10).unwrap_or_default().to_owned();
        table.row(vec![(token.name.clone(), STRONG), plain(&token.role), plain(&token.person), (day, FAINT)]);
    }
    ui.print(&table.render());
}

fn revoked(ui: &Ui, token: &TokenView) {
    if ui.json {
        ui.data(token);
    } else {
        ui.line(&format!("{GOOD}revoked{GOOD:#} {}", safe(&token.name)));
    }
}
