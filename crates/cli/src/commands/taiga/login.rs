//! `cairn taiga login`. A password or a token is read without echo, or from a pipe; it is never an argument, which
//! other users of the machine could see.

use std::io::{self, BufRead};

use app::Error;
use clap::Args;
use console::Term;
use tracker::{Instance, Proof, Secret, Servers};

use crate::input;

/// Log in to a server. The password is asked for, or read from standard input.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cairn taiga login https://taiga.example.org --username ada
  pass show taiga | cairn taiga login https://taiga.example.org --username ada --name work
  pass show taiga-token | cairn taiga login https://taiga.example.org --token")]
pub(super) struct Login {
    /// The URL of the server, as in a browser.
    url: String,
    /// Your user name or e-mail address there; asked for unless it is given.
    #[arg(long, value_name = "NAME", conflicts_with = "token")]
    username: Option<String>,
    /// A name for the server; its host if omitted.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Log in with an access token instead of a password. It cannot be renewed when it runs out.
    #[arg(long)]
    token: bool,
}

impl Login {
    pub(super) fn run(&self, servers: &Servers) -> Result<Instance, Error> {
        let proof = if self.token {
            Proof::Token(secret("Token")?)
        } else {
            let username = self.username()?;
            Proof::Password { username, password: secret("Password")? }
        };
        servers.log_in(&self.url, self.name.as_deref(), &proof)
    }

    fn username(&self) -> Result<String, Error> {
        if let Some(username) = &self.username {
            return Ok(username.clone());
        }
        if input::is_piped() {
            return Err(Error::invalid("missing `--username`").hint("give `--username NAME`"));
        }
        let terminal = Term::stderr();
        let read = terminal.write_str("User name: ").and_then(|()| terminal.read_line());
        let username = read.map_err(|error| unreadable(&error))?;
        Ok(username.trim().to_owned())
    }
}

fn secret(what: &str) -> Result<Secret, Error> {
    let text = if input::is_piped() { piped() } else { typed(what) };
    let secret = Secret::new(text.map_err(|error| unreadable(&error))?.trim_end_matches(['\r', '\n']));
    if secret.is_empty() {
        return Err(
            Error::invalid(format!("the {} is empty", what.to_lowercase())).hint("type it when asked, or pipe it in")
        );
    }
    Ok(secret)
}

fn piped() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

fn typed(what: &str) -> io::Result<String> {
    let terminal = Term::stderr();
    terminal.write_str(&format!("{what}: "))?;
    terminal.read_secure_line()
}

fn unreadable(error: &io::Error) -> Error {
    Error::invalid(format!("cannot read standard input: {error}"))
}
