//! Failed logins per client address and minute, summed over all servers: an attacker must not get one allowance per
//! server. The minute is the database's, so clocks of servers do not matter.

use crate::{Database, DatabaseError};

/// A migration.
// The table is about the last minute, and a crash may forget it.
pub(crate) const TABLES: &str = "
CREATE UNLOGGED TABLE cairn_failures (
    address text NOT NULL,
    minute bigint NOT NULL,
    n_failures bigint NOT NULL,
    PRIMARY KEY (minute, address)
);
";

/// The failures of the current minute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureCounts {
    /// Addresses with at least the asked number of failures.
    pub addresses: Vec<String>,
    /// Seconds until the minute ends.
    pub seconds_left: u64,
}

impl Database {
    /// Adds the new failures of this server, and returns the addresses with at least `min` failures on all of them.
    pub fn exchange_failures(&self, new: &[(String, i64)], min: i64) -> Result<FailureCounts, DatabaseError> {
        if !new.is_empty() {
            self.add_failures(new)?;
        }
        let query = "SELECT coalesce(array_agg(address) FILTER (WHERE n_failures >= $1), '{}'), \
                     60 - (floor(extract(epoch FROM now()))::bigint % 60) FROM cairn_failures \
                     WHERE minute = floor(extract(epoch FROM now()) / 60)::bigint";
        let rows = self.query(query, &[&min])?;
        let Some(row) = rows.first() else { return Ok(FailureCounts::default()) };
        let seconds_left = u64::try_from(row.get::<_, i64>(1)).unwrap_or_default();
        Ok(FailureCounts { addresses: row.get(0), seconds_left })
    }

    fn add_failures(&self, new: &[(String, i64)]) -> Result<(), DatabaseError> {
        let (addresses, counts): (Vec<&str>, Vec<i64>) =
            new.iter().map(|(address, count)| (address.as_str(), *count)).unzip();
        let add = "INSERT INTO cairn_failures (address, minute, n_failures) \
                   SELECT address, floor(extract(epoch FROM now()) / 60)::bigint, n \
                   FROM unnest($1::text[], $2::bigint[]) AS new (address, n) ORDER BY address \
                   ON CONFLICT (minute, address) DO UPDATE SET n_failures = cairn_failures.n_failures + excluded.n_failures";
        let forget = "DELETE FROM cairn_failures WHERE minute < floor(extract(epoch FROM now()) / 60)::bigint - 1";
        // Once: repeated, they might count twice.
        self.run(|client| {
            client.execute(forget, &[])?;
            client.execute(add, &[&addresses, &counts]).map(|_| ())
        })
    }
}
