//! The audit records of all servers, in their database. A record that the database does not take goes to the file of this
//! clone, so that none is lost while the database is away.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use database::Database;
use database::audit::AuditRecord;
use uuid::Uuid;

use super::{AuditLog, AuditStore};

/// How long a record waits for others. A transaction waits for the disk and wakes a process of the database: without this,
/// a busy server began two of them for each commit of the log.
const COLLECT_TIME: Duration = Duration::from_millis(20);

/// The audit log of several servers.
pub(crate) struct SharedAuditLog {
    database: Arc<Database>,
    fallback: AuditLog,
}

impl SharedAuditLog {
    pub(crate) fn new(database: Arc<Database>, folder: &Path) -> Self {
        Self { database, fallback: AuditLog::in_folder(folder) }
    }
}

impl AuditStore for SharedAuditLog {
    fn append(&self, lines: &[Vec<u8>]) -> io::Result<()> {
        let records: Vec<AuditRecord> = lines.iter().map(|line| record(line)).collect();
        self.database.add_audit_records(&records).or_else(|error| {
            tracing::warn!(%error, n_records = lines.len(), "audit records written to the clone's own log");
            self.fallback.append(lines)
        })
    }

    fn collect_time(&self) -> Duration {
        COLLECT_TIME
    }
}

/// Makes a record of a line, with an id by which it is stored once. Ids that begin with the time are added at the end of the
/// index of the database, not each to another page of it.
pub(crate) fn record(line: &[u8]) -> AuditRecord {
    AuditRecord { id: Uuid::now_v7().to_string(), entry: String::from_utf8_lossy(line).trim_end().to_owned() }
}
