//! A synchronous standby: a commit is answered only after the standby has it too.

use std::time::{Duration, Instant};

use super::Postgres;

/// How long the standby may take to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

impl Postgres {
    /// Starts a standby of this server, and makes every commit wait for it from now on.
    #[must_use]
    pub fn start_synchronous_standby(&self) -> Self {
        let copy = format!(
            "pg_basebackup --host=127.0.0.1 --port={} --username=postgres --pgdata=data --write-recovery-conf \
             --wal-method=stream --checkpoint=fast --no-sync",
            self.port
        );
        let standby = Self::prepared(self.programs.clone(), &copy);
        self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("postgres", "SELECT pg_reload_conf()");
        self.wait_for_standby();
        standby
    }

    fn wait_for_standby(&self) {
        let start = Instant::now();
        while self.sql("postgres", "SELECT sync_state FROM pg_stat_replication") != "sync" {
            assert!(start.elapsed() < CONNECT_TIMEOUT, "the standby does not connect");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Makes a standby the primary; returns when it accepts writes.
    pub fn promote(&self) {
        self.control(&["promote", "--timeout=30"]);
    }
}
