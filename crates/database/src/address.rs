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
            let why = match unsupported_option(&text) {
                Some((name, instead)) => format!("`{name}` is not supported; {instead}"),
                None if why.is_empty() || why.contains(text.as_str()) => "it cannot be parsed".to_owned(),
                None => "it is invalid".to_owned(),
            };
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

/// Options of libpq that people copy from the address of another client, and what to do instead.
const UNSUPPORTED: [(&str, &str); 8] = [
    ("sslrootcert", "`SSL_CERT_FILE` names a file with trusted certificates"),
    ("sslcert", "the user is known by a password"),
    ("sslkey", "the user is known by a password"),
    ("sslcrl", "leave it out"),
    ("gssencmode", "leave it out"),
    ("passfile", "write the password into the address"),
    ("service", "write its host, user and database into the address"),
    ("pgbouncer", "connect to the database directly"),
];

fn unsupported_option(text: &str) -> Option<(&'static str, &'static str)> {
    let is_given = |name: &str| [' ', '?', '&'].iter().any(|before| text.contains(&format!("{before}{name}=")));
    UNSUPPORTED.into_iter().find(|(name, _)| is_given(name) || text.starts_with(&format!("{name}=")))
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

    #[test]
    fn an_option_of_other_clients_is_named() {
        for text in [
            "postgres://ada:hunter2@db/cairn?sslmode=require&sslrootcert=/ca.pem",
            "host=db dbname=x sslrootcert=/ca.pem",
        ] {
            let error = text.parse::<Address>().expect_err("it is not supported").to_string();
            let expected = "invalid database address: `sslrootcert` is not supported; `SSL_CERT_FILE` names a file with \
                            trusted certificates";
            assert_eq!(error, expected);
        }
    }
}
