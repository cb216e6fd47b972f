//! One database per test, on the shared server or on one of its own.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{OWNER, Postgres};

/// An empty database; dropped with the value, with the connections to it.
#[derive(Debug)]
pub struct TestDatabase<'a> {
    server: &'a Postgres,
    name: String,
}

impl TestDatabase<'static> {
    /// Creates a database on the shared server; `None`, after [`crate::skip`], without PostgreSQL.
    #[track_caller]
    pub fn shared() -> Option<Self> {
        Postgres::shared().map(TestDatabase::create)
    }
}

impl<'a> TestDatabase<'a> {
    pub(super) fn create(server: &'a Postgres) -> Self {
        static N_DATABASES: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}", N_DATABASES.fetch_add(1, Ordering::Relaxed));
        server.sql("postgres", &format!("CREATE DATABASE {name} OWNER {OWNER}"));
        Self { server, name }
    }

    /// Returns the address of the server, for a proxy.
    pub fn server_address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> String {
        self.url_at(&[self.server.address()])
    }

    /// Returns a URL that reaches the database at other addresses, such as a proxy's or also a standby's.
    pub fn url_at(&self, addresses: &[SocketAddr]) -> String {
        let hosts: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        format!("postgres://{OWNER}@{}/{}", hosts.join(","), self.name)
    }

    /// Runs SQL as the superuser and returns the rows, with `|` between columns.
    pub fn sql(&self, sql: &str) -> String {
        self.server.sql(&self.name, sql)
    }

    /// Runs SQL on another server that has a copy of the database.
    pub fn sql_on(&self, server: &Postgres, sql: &str) -> String {
        server.sql(&self.name, sql)
    }

    /// Ends all connections to the database, as a restart of the server does.
    pub fn disconnect_all(&self) {
        let backends = format!("FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()", self.name);
        self.server.sql("postgres", &format!("SELECT pg_terminate_backend(pid) {backends}"));
    }
}

impl Drop for TestDatabase<'_> {
    fn drop(&mut self) {
        // A test may have stopped the server; its directory is removed anyway.
        let _ = self.server.try_sql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}
