//! The address of a database: a URL or the `key=value` form of libpq, with one or several hosts.
//!
//! A password never leaves this type: `Display` and `Debug` show hosts, ports and the name of the database.

use std::fmt;
use std::str::FromStr;

use postgres::Config;

use crate::{DatabaseError, DatabaseErrorKind, hosts};

/// The address of a database, with credentials.
#[derive(Clone)]
pub struct Address {
    config: Config,
    shown: String,
}

impl Address {
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }
}

impl FromStr for Address {
    type Err = DatabaseError;

    fn from_str(text: &str) -> Result<Self, DatabaseError> {
        let text = with_known_ssl_mode(text);
        // The cause may quote the text, and with it the password.
        let config = text.parse::<Config>().map_err(|error| {
            let why = error.to_string();
            let why =
                if why.is_empty() || why.contains(text.as_str()) { "it cannot be parsed" } else { "it is invalid" };
            DatabaseError::new(DatabaseErrorKind::Refused, format!("invalid database address: {why}"))
        })?;
        if config.get_hosts().is_empty() {
            return Err(DatabaseError::new(
                DatabaseErrorKind::Refused,
                "the database address names no host".to_owned(),
            ));
        }
        let shown = show(&config);
        Ok(Self { config, shown })
    }
}

/// Certificates are always verified, so libpq's stricter modes mean what `require` means here.
fn with_known_ssl_mode(text: &str) -> String {
    text.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require")
}

fn show(config: &Config) -> String {
    let hosts: Vec<String> = (0..config.get_hosts().len()).map(|at| hosts::show(config, at)).collect();
    let hosts = hosts.join(",");
    match config.get_dbname() {
        Some(name) => format!("{hosts}/{name}"),
        None => hosts,
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Address").field(&self.shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_hosts_and_no_password() {
        let check = |text: &str, expected: &str| {
            let address: Address = text.parse().expect("a valid address");
            assert_eq!(address.to_string(), expected);
            assert!(!format!("{address:?}").contains("hunter2"), "{address:?}");
        };
        check("postgres://ada:hunter2@db.example/cairn", "db.example:5432/cairn");
        check("postgres://ada:hunter2@a:1,b:2/cairn?target_session_attrs=read-write", "a:1,b:2/cairn");
        check("host=/run/postgresql user=ada password=hunter2 dbname=cairn", "/run/postgresql:5432/cairn");
        check("postgres://ada:hunter2@db.example/cairn?sslmode=verify-full", "db.example:5432/cairn");
    }

    #[test]
    fn an_invalid_address_is_refused_without_its_password() {
        for text in
            ["postgres://ada:hunter2@db:port/cairn", "postgres://ada:hunter2@db/cairn?unknown=hunter2", "dbname=x"]
        {
            let error = text.parse::<Address>().expect_err("it is invalid");
            assert_eq!(error.kind(), DatabaseErrorKind::Refused);
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
