//! Turns of the servers that publish on the same ref.
//!
//! Of two servers that plan at the same time, one plans in vain: the other one moves the ref first. So a server that
//! sees others publish waits for its turn before it plans. A turn is the lock of a row, which PostgreSQL grants in the
//! order of requests and releases when the connection ends. Nothing but speed depends on it: a publication compares the
//! tip in any case, and a server that waits too long goes on without a turn.

use std::time::Duration;

use crate::pool::Pooled;
use crate::{Database, DatabaseError};

/// A migration.
pub(crate) const TABLES: &str = "
CREATE TABLE cairn_turn (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only)
) WITH (fillfactor = 10);
INSERT INTO cairn_turn DEFAULT VALUES;
";

/// How long a server that hangs during its turn keeps it.
const MAX_TURN: Duration = Duration::from_secs(5);

/// The turn of this server, until it is dropped.
pub struct Turn {
    connection: Pooled,
}

impl Database {
    /// Waits for the turn, at most `timeout`.
    pub fn take_turn(&self, timeout: Duration) -> Result<Turn, DatabaseError> {
        let mut connection = self.pool.get()?;
        let take = format!(
            "BEGIN; SET LOCAL lock_timeout = {}; SET LOCAL idle_in_transaction_session_timeout = {}; \
             SELECT FROM cairn_turn FOR UPDATE",
            timeout.as_millis(),
            MAX_TURN.as_millis()
        );
        let taken = connection.session().client.batch_execute(&take);
        // Also after a failure: the connection is in a transaction, which must end before anybody else uses it.
        let turn = Turn { connection };
        taken.map_err(|error| DatabaseError::from_postgres(self.address(), error)).map(|()| turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Nothing was changed, so nothing waits for a disk. A connection that broke is not used again.
        let _ = self.connection.session().client.batch_execute("ROLLBACK");
    }
}
