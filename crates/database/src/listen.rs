//! Waits for announcements of other clients (`NOTIFY`), on a connection of its own.

use std::time::Duration;

use postgres::Client;
use postgres::fallible_iterator::FallibleIterator as _;

use crate::{Database, DatabaseError};

/// A connection that listens on a channel.
pub struct Subscription<'a> {
    database: &'a Database,
    client: Client,
}

impl Database {
    /// Listens on a channel. Earlier announcements are lost: read the tables once after this call.
    pub fn subscribe(&self, channel: &str) -> Result<Subscription<'_>, DatabaseError> {
        let mut client = self.pool.connector().connect()?;
        let listen = format!("LISTEN {channel}");
        client.batch_execute(&listen).map_err(|error| DatabaseError::from_postgres(self.address(), error))?;
        Ok(Subscription { database: self, client })
    }
}

impl Subscription<'_> {
    /// Waits for announcements and returns their payloads: all that have arrived, none after the timeout.
    pub fn wait(&mut self, timeout: Duration) -> Result<Vec<String>, DatabaseError> {
        let failed = |error| DatabaseError::from_postgres(self.database.address(), error);
        let mut notifications = self.client.notifications();
        let first = notifications.timeout_iter(timeout).next().map_err(failed)?;
        let mut payloads: Vec<String> = first.iter().map(|one| one.payload().to_owned()).collect();
        // All that have arrived: one catch-up serves several announcements.
        if !payloads.is_empty() {
            let mut others = notifications.iter();
            while let Some(one) = others.next().map_err(failed)? {
                payloads.push(one.payload().to_owned());
            }
        }
        Ok(payloads)
    }
}
