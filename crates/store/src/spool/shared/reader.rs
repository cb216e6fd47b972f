//! Delivers messages from the database. A reader renews its lease on a thread of its own while it lives.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use database::Database;
use jiff::Timestamp;
use parking_lot::Mutex;
use uuid::Uuid;

use crate::spool::{Claim, Delivery, MessageReader, SpoolError, format};

/// How long the messages of a server that died wait for another reader. Long enough for a failover of the database, in
/// which no lease can be renewed.
const LEASE: Duration = Duration::from_mins(1);
const RENEWAL_INTERVAL: Duration = Duration::from_secs(15);

/// A reader of messages. It lives until it and all its deliveries are dropped.
#[derive(Debug)]
pub(super) struct SharedReader(Arc<ReaderLife>);

#[derive(Debug)]
struct ReaderLife {
    database: Arc<Database>,
    name: String,
    /// Messages with a delivery. The database may hold more for this reader: those whose taking was answered by a
    /// connection that broke.
    held: Mutex<HashSet<String>>,
    /// Ends the thread that renews the lease when it is dropped.
    _renewal: Sender<()>,
}

#[derive(Debug)]
struct TakenRow {
    reader: Arc<ReaderLife>,
    id: String,
}

impl SharedReader {
    pub(super) fn register(database: &Arc<Database>, name: Uuid) -> Result<Self, SpoolError> {
        let name = name.to_string();
        database.renew_reader(&name, LEASE)?;
        let (renewal, stop) = mpsc::channel();
        let (renewed, own) = (Arc::clone(database), name.clone());
        thread::spawn(move || {
            while stop.recv_timeout(RENEWAL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                // A failure is repaired by the next renewal; the lease outlasts a few.
                let _ = renewed.renew_reader(&own, LEASE);
            }
        });
        let (database, held) = (Arc::clone(database), Mutex::default());
        Ok(Self(Arc::new(ReaderLife { database, name, held, _renewal: renewal })))
    }

    fn delivery(&self, id: String, is_again: bool, content: &[u8]) -> Option<Delivery> {
        let claim = TakenRow { reader: Arc::clone(&self.0), id };
        let Some(message) = format::read_message(content) else {
            // Do not drop it: a newer version may be able to read it.
            Box::new(claim).put_back();
            return None;
        };
        Some(Delivery::new(message, is_again, Box::new(claim)))
    }
}

impl MessageReader for SharedReader {
    fn take(&self) -> Result<Vec<Delivery>, SpoolError> {
        let mut held = self.0.held.lock();
        let mut rows = self.0.database.take_messages(&self.0.name, LEASE)?;
        rows.retain(|row| !held.contains(&row.id));
        held.extend(rows.iter().map(|row| row.id.clone()));
        drop(held);
        Ok(rows.into_iter().filter_map(|row| self.delivery(row.id, row.is_again, &row.content)).collect())
    }
}

impl Claim for TakenRow {
    fn finish(self: Box<Self>, at: Timestamp) -> Result<(), SpoolError> {
        let finished =
            on_own_thread(|| self.reader.database.finish_message(&self.reader.name, &self.id, at.as_millisecond()));
        self.reader.held.lock().remove(&self.id);
        Ok(finished?)
    }

    fn put_back(self: Box<Self>) {
        // If this fails, the reader holds the message still, and its next `take` delivers it.
        let _ = on_own_thread(|| self.reader.database.put_back_message(&self.reader.name, &self.id));
        self.reader.held.lock().remove(&self.id);
    }
}

impl Drop for ReaderLife {
    fn drop(&mut self) {
        // If this fails, the lease ends by itself.
        let _ = on_own_thread(|| self.database.remove_reader(&self.name));
    }
}

/// Runs on a thread of its own: a delivery may end on a thread of an async runtime, where a blocking call of the
/// database would panic.
fn on_own_thread<T: Send>(
    work: impl FnOnce() -> Result<T, database::DatabaseError> + Send,
) -> Result<T, database::DatabaseError> {
    let lost = |_| {
        Err(database::DatabaseError::new(database::DatabaseErrorKind::Internal, "the call of the database did not end"))
    };
    thread::scope(|scope| scope.spawn(work).join().unwrap_or_else(lost))
}
