//! The client of a PostgreSQL that several servers of one project share.
//!
//! It knows rows, ids and bytes, and nothing of git, HTTP or the model. One module for each group of tables; the SQL of
//! a table is in no other place. Calls block: an async caller runs them on a thread for blocking work.

pub mod access;
mod address;
pub mod audit;
mod connection;
mod error;
pub mod failures;
mod hosts;
mod listen;
pub mod messages;
mod migration;
mod pool;
pub mod refs;
mod tls;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use connection::Session;
use postgres::types::ToSql;
use postgres::{Client, Row};

pub use address::Address;
pub use error::{DatabaseError, DatabaseErrorKind};
pub use listen::Subscription;
pub use migration::{LATEST, SchemaState};
use pool::Pool;
pub use turns::Turn;

/// Settings of a client. `Default` has those of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Maximum number of connections; more callers wait for one.
    pub max_connections: usize,
    /// How long connecting to one host may take, with TLS and authentication.
    pub connect_timeout: Duration,
    /// How long a statement may run, and how long a caller waits for a connection.
    pub statement_timeout: Duration,
    /// How long the outcome of a publication is looked for after its connection broke.
    pub resolve_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            // PostgreSQL's default is 100 for everyone: three servers of this size leave room for people.
            max_connections: 16,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
            // Enough for a standby to be promoted.
            resolve_timeout: Duration::from_mins(1),
        }
    }
}

/// A shared database, with a pool of connections.
#[derive(Debug)]
pub struct Database {
    pool: Arc<Pool>,
    resolve_timeout: Duration,
}

impl Database {
    /// Connects, and creates or updates the tables.
    pub fn open(address: Address, options: &Options) -> Result<Self, DatabaseError> {
        let database = Self::connect(address, options)?;
        database.migrate()?;
        Ok(database)
    }

    /// Connects and changes nothing.
    pub fn connect(address: Address, options: &Options) -> Result<Self, DatabaseError> {
        let database = Self::lazy(address, options)?;
        database.ping()?;
        Ok(database)
    }

    /// Returns a client that connects at its first call.
    pub fn lazy(address: Address, options: &Options) -> Result<Self, DatabaseError> {
        Ok(Self { pool: Arc::new(Pool::new(address, options)?), resolve_timeout: options.resolve_timeout })
    }

    /// Returns the address, which shows no password.
    pub fn address(&self) -> &Address {
        self.pool.address()
    }

    /// Checks that the database answers.
    pub fn ping(&self) -> Result<(), DatabaseError> {
        self.read(|client| client.simple_query("SELECT 1").map(|_| ()))
    }

    /// Runs a query that may be repeated: a connection that broke is replaced once. A server that was restarted closes
    /// every idle connection, which is noticed only at the next use.
    pub(crate) fn read<T>(
        &self,
        mut query: impl FnMut(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, DatabaseError> {
        self.twice(|session| query(&mut session.client))
    }

    /// Runs a query that may be repeated, and is prepared at its first use on each connection.
    pub(crate) fn query(&self, sql: &'static str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, DatabaseError> {
        self.twice(|session| session.query(sql, values))
    }

    fn twice<T>(&self, mut work: impl FnMut(&mut Session) -> Result<T, postgres::Error>) -> Result<T, DatabaseError> {
        match self.once(&mut work) {
            Err(error) if error.is_away() => {
                self.pool.discard_idle();
                self.once(work)
            }
            other => other,
        }
    }

    /// Runs statements once. If the connection broke meanwhile, whether they took effect is not known.
    pub(crate) fn run<T>(
        &self,
        statements: impl FnOnce(&mut Client) -> Result<T, postgres::Error>,
    ) -> Result<T, DatabaseError> {
        self.once(|session| statements(&mut session.client))
    }

    fn once<T>(&self, work: impl FnOnce(&mut Session) -> Result<T, postgres::Error>) -> Result<T, DatabaseError> {
        let mut connection = self.pool.get()?;
        work(connection.session()).map_err(|error| DatabaseError::from_postgres(self.address(), error))
    }
}
