//! The audit records of all servers. A record has an id of its own, so that it can be sent again without being doubled.

use postgres::GenericClient;

use crate::{Database, DatabaseError};

/// A migration.
pub(crate) const TABLES: &str = "
CREATE TABLE cairn_audit (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    stored_at timestamptz NOT NULL DEFAULT now(),
    entry jsonb NOT NULL
);
CREATE INDEX cairn_audit_time ON cairn_audit (stored_at);
";

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Its id, unique among all servers.
    pub id: String,
    /// The event, as JSON.
    pub entry: String,
}

impl Database {
    /// Stores records, each once, in one transaction.
    pub fn add_audit_records(&self, records: &[AuditRecord]) -> Result<(), DatabaseError> {
        let (ids, entries): (Vec<&str>, Vec<&str>) =
            records.iter().map(|record| (record.id.as_str(), record.entry.as_str())).unzip();
        self.query(INSERT, &[&ids, &entries]).map(|_| ())
    }
}

const INSERT: &str = "INSERT INTO cairn_audit (id, entry) \
                      SELECT id, entry::jsonb FROM unnest($1::text[], $2::text[]) \
                      WITH ORDINALITY AS new (id, entry, place) ORDER BY place \
                      ON CONFLICT (id) DO NOTHING";

/// Stores a record in the transaction of the change that it is about.
pub(crate) fn insert(client: &mut impl GenericClient, record: &AuditRecord) -> Result<(), postgres::Error> {
    client.execute(INSERT, &[&vec![&record.id], &vec![&record.entry]]).map(|_| ())
}

/// Returns whether a record is stored: then its change was made.
pub(crate) fn is_there(client: &mut impl GenericClient, record: &AuditRecord) -> Result<bool, postgres::Error> {
    client.query_opt("SELECT 1 FROM cairn_audit WHERE id = $1", &[&record.id]).map(|row| row.is_some())
}
