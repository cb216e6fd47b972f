//! Opens one connection: timeouts, TLS, settings of the session; and keeps its prepared statements.

use std::collections::HashMap;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::types::ToSql;
use postgres::{Client, NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Address, DatabaseError, Options, tls};

/// How long sent bytes may stay unacknowledged. Without it, a host that vanished is noticed after the kernel's quarter
/// of an hour.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle time before the first keepalive.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Opens connections to one address.
#[derive(Clone)]
pub(crate) struct Connector {
    address: Address,
    config: postgres::Config,
    /// `None` if the address rules TLS out; a machine without roots can connect then.
    tls: Option<MakeRustlsConnect>,
}

impl Connector {
    pub(crate) fn new(address: Address, options: &Options) -> Result<Self, DatabaseError> {
        let mut config = address.config().clone();
        // What the address says goes before.
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(options.connect_timeout);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("cairn");
        }
        config.keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE / 5).keepalives_retries(3);
        let settings = format!(
            "-c statement_timeout={} -c lock_timeout={0} -c idle_in_transaction_session_timeout={0}",
            options.statement_timeout.as_millis()
        );
        let given = config.get_options().unwrap_or_default().to_owned();
        config.options(&format!("{settings} {given}"));
        let is_tcp = |host: &Host| matches!(host, Host::Tcp(_));
        let may_use_tls = config.get_ssl_mode() != SslMode::Disable && config.get_hosts().iter().any(is_tcp);
        let tls = may_use_tls.then(tls::connector).transpose()?;
        Ok(Self { address, config, tls })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn connect(&self) -> Result<Client, DatabaseError> {
        let connected = match &self.tls {
            Some(tls) => self.config.connect(tls.clone()),
            None => self.config.connect(NoTls),
        };
        connected.map_err(|error| DatabaseError::from_postgres(&self.address, error))
    }
}

/// A connection with its prepared statements: parsing and planning a publication takes longer than running it.
pub(crate) struct Session {
    pub(crate) client: Client,
    prepared: HashMap<&'static str, Statement>,
}

impl Session {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, prepared: HashMap::new() }
    }

    /// Runs a query that is prepared at its first use.
    pub(crate) fn query(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, postgres::Error> {
        if !self.prepared.contains_key(sql) {
            self.prepared.insert(sql, self.client.prepare(sql)?);
        }
        self.client.query(&self.prepared[sql], values)
    }
}
