//! TLS to a real PostgreSQL: the certificate must be trusted by the machine and valid for the host's name, or nothing is
//! sent.

use std::fs;
use std::path::PathBuf;

use testkit::certificates::{AUTHORITY, SELF_SIGNED, SIGNED};
use testkit::postgres::{Postgres, TestDatabase};
use testkit::{Cairn, Ran};

use crate::served::Served;
use crate::several_servers::with_code;
use crate::support::cairn;

/// A clone, and a file with the certificates that its machine trusts.
struct Machine {
    cairn: Cairn,
    trusted: PathBuf,
    _fixture: testkit::TestRepository,
}

impl Machine {
    fn trusting(authority: &str) -> Self {
        let fixture = with_code();
        let trusted = fixture.path().join("trusted.pem");
        fs::write(&trusted, authority).unwrap();
        Self { cairn: cairn(fixture.path()), trusted, _fixture: fixture }
    }

    fn status(&self, url: &str) -> Ran {
        let mut command = self.cairn.command(&["database", "status", "--database", url]);
        Ran::of(command.env("SSL_CERT_FILE", &self.trusted).spawn().unwrap())
    }

    /// Returns what the program says when it refuses an address.
    fn refusal(&self, database: &TestDatabase<'_>, host: &str, mode: &str) -> String {
        let ran = self.status(&url(database, host, mode));
        assert_eq!(ran.code(), Some(1), "{ran}");
        let name = database.url().rsplit('/').next().unwrap().to_owned();
        let port = database.server_address().port().to_string();
        ran.err().replace(&name, "NAME").replace(&port, "PORT")
    }
}

fn url(database: &TestDatabase<'_>, host: &str, mode: &str) -> String {
    let url = database.url().replace("127.0.0.1", host);
    format!("{url}?sslmode={mode}")
}

#[test]
fn a_server_uses_tls_with_a_trusted_certificate() {
    let Some(postgres) = Postgres::start() else { return };
    postgres.offer_tls(SIGNED);
    let database = postgres.database();
    let machine = Machine::trusting(AUTHORITY);
    for mode in ["require", "verify-full", "prefer"] {
        let url = url(&database, "localhost", mode);
        let mut command = machine.cairn.command(&["serve", "--json", "--addr", "127.0.0.1:0"]);
        let served = Served::spawn(command.env("CAIRN_DATABASE", &url).env("SSL_CERT_FILE", &machine.trusted));
        assert_eq!(served.ask("GET", "/api/items", served.token.as_deref()).status, 200);
        let counts = "SELECT count(*) > 0, bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                      WHERE application_name = 'cairn'";
        assert_eq!(database.sql(counts), "t|t", "every connection, with {mode}");
        drop(served);
    }
}

#[test]
fn a_certificate_that_is_not_trusted_or_for_another_name_is_refused() {
    let Some(postgres) = Postgres::start() else { return };
    let database = postgres.database();
    let machine = Machine::trusting(AUTHORITY);
    insta::assert_snapshot!(machine.refusal(&database, "localhost", "require"), @r#"
    error: no trusted connection to the database (`localhost:PORT/NAME`): error performing TLS handshake: server does not support TLS
    hint: the database must offer TLS with a certificate for the host's name that this machine trusts: `SSL_CERT_FILE` names a file with trusted certificates; `sslmode=disable` connects without TLS
    "#);
    postgres.offer_tls(SIGNED);
    insta::assert_snapshot!(machine.refusal(&database, "127.0.0.1", "require"), @r#"
    error: no trusted connection to the database (`127.0.0.1:PORT/NAME`): error performing TLS handshake: invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("localhost") or DnsName("board.example")
    hint: the database must offer TLS with a certificate for the host's name that this machine trusts: `SSL_CERT_FILE` names a file with trusted certificates; `sslmode=disable` connects without TLS
    "#);
    let stranger = Machine::trusting(SELF_SIGNED.chain);
    insta::assert_snapshot!(stranger.refusal(&database, "localhost", "require"), @r#"
    error: no trusted connection to the database (`localhost:PORT/NAME`): error performing TLS handshake: invalid peer certificate: UnknownIssuer
    hint: the database must offer TLS with a certificate for the host's name that this machine trusts: `SSL_CERT_FILE` names a file with trusted certificates; `sslmode=disable` connects without TLS
    "#);
    // The default uses TLS if it is offered; it does not fall back to an unprotected connection.
    assert_eq!(stranger.status(&url(&database, "localhost", "prefer")).code(), Some(1));
    assert_eq!(stranger.status(&url(&database, "localhost", "disable")).code(), Some(0));
}
