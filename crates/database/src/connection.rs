//! Opens one connection: timeouts, TLS, settings of the session; and keeps its prepared statements.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use postgres::config::{Host, SslMode, TargetSessionAttrs};
use postgres::types::ToSql;
use postgres::{Client, NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Address, DatabaseError, DatabaseErrorKind, Options, hosts, tls};

/// How long sent bytes may stay unacknowledged. Without it, a host that vanished is noticed after the kernel's quarter
/// of an hour.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle time before the first keepalive.
const KEEPALIVE_TIME: Duration = Duration::from_secs(10);

/// A database or a role may be set to acknowledge a commit before it is on disk. Stronger settings, which wait for a
/// standby in other ways, stay.
const WAIT_FOR_DISK: &str =
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/// Opens connections to one address.
#[derive(Clone)]
pub(crate) struct Connector {
    address: Address,
    /// One for each host.
    configs: Vec<postgres::Config>,
    /// The host that answered last, the first one to try.
    last_good: Arc<AtomicUsize>,
    /// How long a host may take, from the first packet to the first answer to a query.
    timeout: Duration,
    /// `None` if the address rules TLS out; a machine without roots can connect then.
    tls: Option<MakeRustlsConnect>,
}

impl Connector {
    pub(crate) fn new(address: Address, options: &Options) -> Result<Self, DatabaseError> {
        let config = with_settings(address.config().clone(), options);
        let timeout = config.get_connect_timeout().copied().unwrap_or(options.connect_timeout);
        let is_tcp = |host: &Host| matches!(host, Host::Tcp(_));
        let may_use_tls = config.get_ssl_mode() != SslMode::Disable && config.get_hosts().iter().any(is_tcp);
        let tls = may_use_tls.then(tls::connector).transpose()?;
        let configs = hosts::one_per_host(&config);
        Ok(Self { address, configs, last_good: Arc::default(), timeout, tls })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Connects to the first host that accepts, beginning with the one that did so last.
    pub(crate) fn connect(&self) -> Result<Client, DatabaseError> {
        let first = self.last_good.load(Ordering::Relaxed);
        let mut failure: Option<DatabaseError> = None;
        for at in (first..self.configs.len()).chain(0..first) {
            match self.connect_to(at) {
                Ok(client) => {
                    self.last_good.store(at, Ordering::Relaxed);
                    return Ok(client);
                }
                // A host that refuses says more than one that is away.
                Err(error) if failure.as_ref().is_none_or(DatabaseError::is_away) => failure = Some(error),
                Err(_) => {}
            }
        }
        Err(failure.unwrap_or_else(|| DatabaseError::new(DatabaseErrorKind::Refused, "the address names no host")))
    }

    /// Connects to one host, on a thread of its own. The library's own limit is for the packets of TCP alone: a host
    /// whose database hangs accepts connections and says nothing. Such a thread ends when the host does.
    fn connect_to(&self, at: usize) -> Result<Client, DatabaseError> {
        let (config, tls) = (self.configs[at].clone(), self.tls.clone());
        let (sender, connected) = mpsc::sync_channel(1);
        let connect = move || {
            let client = match tls {
                Some(tls) => config.connect(tls),
                None => config.connect(NoTls),
            };
            let client = client.and_then(|mut client| client.batch_execute(WAIT_FOR_DISK).map(|()| client));
            // The caller may have given up waiting.
            drop(sender.send(client));
        };
        let spawned = thread::Builder::new().name("cairn-connect".to_owned()).spawn(connect);
        let away = |why: String| DatabaseError::new(DatabaseErrorKind::Away, why);
        spawned.map_err(|error| away(format!("cannot connect to the database: {error}")))?;
        if let Ok(client) = connected.recv_timeout(self.timeout) {
            return client.map_err(|error| DatabaseError::from_postgres(&self.address, error));
        }
        let (host, seconds) = (hosts::show(&self.configs[at], 0), self.timeout.as_secs_f64());
        Err(away(format!("the database is not available: no answer from `{host}` within {seconds} s")))
    }
}

/// Adds the settings of a server; those of the address take precedence.
fn with_settings(mut config: postgres::Config, options: &Options) -> postgres::Config {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(options.connect_timeout);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
    }
    if config.get_application_name().is_none() {
        config.application_name("cairn");
    }
    // Of several hosts, one may be a standby: it would answer with what it has so far.
    if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    config.keepalives_idle(KEEPALIVE_TIME).keepalives_interval(KEEPALIVE_TIME / 5).keepalives_retries(3);
    // A publication that waits for another one compares the tip after it. In a stricter isolation it would fail.
    let settings = format!(
        "-c statement_timeout={} -c lock_timeout={0} -c idle_in_transaction_session_timeout={0} \
         -c default_transaction_isolation=read\\ committed",
        options.statement_timeout.as_millis()
    );
    let given = config.get_options().unwrap_or_default().to_owned();
    config.options(&format!("{settings} {given}"));
    config
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_hosts_the_one_that_accepts_writes_is_used() {
        let attributes = |text: &str| {
            let connector =
                Connector::new(text.parse().expect("an address"), &Options::default()).expect("a connector");
            connector.configs.iter().map(postgres::Config::get_target_session_attrs).collect::<Vec<_>>()
        };
        assert_eq!(attributes("postgres://ada@a,b/x?sslmode=disable"), [TargetSessionAttrs::ReadWrite; 2]);
        assert_eq!(attributes("postgres://ada@a/x?sslmode=disable"), [TargetSessionAttrs::Any]);
    }
}
