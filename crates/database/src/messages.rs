//! The inbox: messages, their replies, and the readers that deliver them.
//!
//! A reader holds a lease that it renews; the clock is the database's. The messages of a reader whose lease ended are
//! delivered again, marked, because nobody can know whether it had passed them on.

use std::time::Duration;

use postgres::{GenericClient, IsolationLevel, Row, Transaction};

use crate::{Database, DatabaseError, DatabaseErrorKind};

/// The channel on which changes of the inbox are announced.
pub const MESSAGES_CHANNEL: &str = "cairn_messages";

/// A migration.
pub(crate) const TABLES: &str = r#"
CREATE TABLE cairn_messages (
    id text COLLATE "C" PRIMARY KEY,
    place smallint NOT NULL,
    is_again boolean NOT NULL DEFAULT false,
    reader text,
    delivered_at bigint,
    content bytea NOT NULL
);
CREATE INDEX cairn_messages_waiting ON cairn_messages (place, id) WHERE place IN (1, 2);
CREATE TABLE cairn_replies (
    id text COLLATE "C" PRIMARY KEY,
    content bytea NOT NULL
);
CREATE TABLE cairn_readers (
    id text PRIMARY KEY,
    lease_ends_at timestamptz NOT NULL
);
"#;

/// Where a message is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePlace {
    /// Not sent yet.
    Draft = 0,
    /// Waits for a reader.
    New = 1,
    /// A reader delivers it.
    Taken = 2,
    /// Delivered, or withdrawn.
    Seen = 3,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its id; the order of ids is the order of messages.
    pub id: String,
    /// Where it is.
    pub place: MessagePlace,
    /// Whether a reader that died may have delivered it already.
    pub is_again: bool,
    /// Time of delivery, in milliseconds since 1970.
    pub delivered_at: Option<i64>,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// All messages and the contents of all replies, each in the order of ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredInbox {
    /// The messages.
    pub messages: Vec<StoredMessage>,
    /// The replies, with their ids.
    pub replies: Vec<(String, Vec<u8>)>,
}

const COLUMNS: &str = "id, place, is_again, delivered_at, content";

// Every statement may be sent again after a connection broke: rows are found by ids that their sender made.
impl Database {
    /// Stores a message.
    pub fn add_message(&self, id: &str, place: MessagePlace, content: &[u8]) -> Result<(), DatabaseError> {
        let insert = "INSERT INTO cairn_messages (id, place, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        self.announced(|transaction| transaction.execute(insert, &[&id, &(place as i16), &content]).map(|_| ()))
    }

    /// Stores a reply.
    pub fn add_reply(&self, id: &str, content: &[u8]) -> Result<(), DatabaseError> {
        let insert = "INSERT INTO cairn_replies (id, content) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        self.announced(|transaction| transaction.execute(insert, &[&id, &content]).map(|_| ()))
    }

    /// Sends drafts, all or none; returns the ids that are no drafts, because of which none was sent.
    pub fn submit_messages(&self, ids: &[String]) -> Result<Vec<String>, DatabaseError> {
        let find = "SELECT id FROM cairn_messages WHERE id = ANY($1) AND (place = 0 OR $2) FOR UPDATE";
        // A repeated call finds its own drafts sent already.
        let mut is_repeated = false;
        self.announced(|transaction| {
            let found: Vec<String> =
                transaction.query(find, &[&ids, &is_repeated])?.iter().map(|row| row.get(0)).collect();
            is_repeated = true;
            let missing: Vec<String> = ids.iter().filter(|id| !found.contains(id)).cloned().collect();
            if missing.is_empty() {
                transaction.execute("UPDATE cairn_messages SET place = 1 WHERE id = ANY($1) AND place = 0", &[&ids])?;
            }
            Ok(missing)
        })
    }

    /// Marks an undelivered message as seen, so that nobody gets it.
    pub fn withdraw_message(&self, id: &str, at: i64) -> Result<(), DatabaseError> {
        let update = "UPDATE cairn_messages SET place = 3, delivered_at = $2 WHERE id = $1 AND place = 1";
        self.announced(|transaction| transaction.execute(update, &[&id, &at]).map(|_| ()))
    }

    /// Deletes a draft; returns whether it was there.
    pub fn discard_message(&self, id: &str) -> Result<bool, DatabaseError> {
        let mut is_repeated = false;
        self.announced(|transaction| {
            let n_deleted = transaction.execute("DELETE FROM cairn_messages WHERE id = $1 AND place = 0", &[&id])?;
            Ok(n_deleted > 0 || std::mem::replace(&mut is_repeated, true))
        })
    }

    /// Deletes a message that nobody has got; returns whether it was waiting.
    pub fn take_back_message(&self, id: &str) -> Result<bool, DatabaseError> {
        let mut is_repeated = false;
        self.announced(|transaction| {
            let n_deleted = transaction.execute("DELETE FROM cairn_messages WHERE id = $1 AND place = 1", &[&id])?;
            Ok(n_deleted > 0 || std::mem::replace(&mut is_repeated, true))
        })
    }

    /// Deletes a reply, and sends the message that was withdrawn with it at this time, if any.
    pub fn take_back_reply(&self, id: &str, message: &str, withdrawn_at: Option<i64>) -> Result<(), DatabaseError> {
        let send = "UPDATE cairn_messages SET place = 1, delivered_at = NULL \
                    WHERE id = $1 AND place = 3 AND delivered_at = $2";
        self.announced(|transaction| {
            transaction.execute("DELETE FROM cairn_replies WHERE id = $1", &[&id])?;
            transaction.execute(send, &[&message, &withdrawn_at]).map(|_| ())
        })
    }

    /// Returns the whole inbox, at one moment.
    pub fn inbox(&self) -> Result<StoredInbox, DatabaseError> {
        let (messages, replies) = self.read(|client| {
            let builder = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let mut transaction = builder.start()?;
            let messages = transaction.query(&format!("SELECT {COLUMNS} FROM cairn_messages ORDER BY id"), &[])?;
            let replies = transaction.query("SELECT id, content FROM cairn_replies ORDER BY id", &[])?;
            Ok((messages, replies))
        })?;
        let messages = messages.iter().map(message).collect::<Result<_, _>>()?;
        Ok(StoredInbox { messages, replies: replies.iter().map(|row| (row.get(0), row.get(1))).collect() })
    }

    /// Begins or renews the lease of a reader.
    pub fn renew_reader(&self, reader: &str, lease: Duration) -> Result<(), DatabaseError> {
        self.read(|client| renew(client, reader, lease))
    }

    /// Ends the lease of a reader.
    pub fn remove_reader(&self, reader: &str) -> Result<(), DatabaseError> {
        self.query("DELETE FROM cairn_readers WHERE id = $1", &[&reader]).map(|_| ())
    }

    /// Takes all waiting messages for a reader; returns every message that it holds, oldest first.
    pub fn take_messages(&self, reader: &str, lease: Duration) -> Result<Vec<StoredMessage>, DatabaseError> {
        let abandoned = "UPDATE cairn_messages SET place = 1, reader = NULL, is_again = true WHERE place = 2 AND NOT \
                         EXISTS (SELECT 1 FROM cairn_readers r WHERE r.id = reader AND r.lease_ends_at > now())";
        let take = "UPDATE cairn_messages SET place = 2, reader = $1 WHERE id IN \
                    (SELECT id FROM cairn_messages WHERE place = 1 ORDER BY id FOR UPDATE SKIP LOCKED)";
        let held = format!("SELECT {COLUMNS} FROM cairn_messages WHERE place = 2 AND reader = $1 ORDER BY id");
        let rows = self.read(|client| {
            let mut transaction = client.transaction()?;
            renew(&mut transaction, reader, lease)?;
            transaction.execute(abandoned, &[])?;
            transaction.execute("DELETE FROM cairn_readers WHERE lease_ends_at <= now()", &[])?;
            if transaction.execute(take, &[&reader])? > 0 {
                announce(&mut transaction)?;
            }
            let rows = transaction.query(&held, &[&reader])?;
            transaction.commit()?;
            Ok(rows)
        })?;
        rows.iter().map(message).collect()
    }

    /// Records that the client of a reader has a message.
    pub fn finish_message(&self, reader: &str, id: &str, at: i64) -> Result<(), DatabaseError> {
        let update = "UPDATE cairn_messages SET place = 3, reader = NULL, delivered_at = $3 \
                      WHERE id = $1 AND reader = $2 AND place = 2";
        self.announced(|transaction| transaction.execute(update, &[&id, &reader, &at]).map(|_| ()))
    }

    /// Gives a message back, to be delivered by any reader.
    pub fn put_back_message(&self, reader: &str, id: &str) -> Result<(), DatabaseError> {
        let update = "UPDATE cairn_messages SET place = 1, reader = NULL WHERE id = $1 AND reader = $2 AND place = 2";
        self.announced(|transaction| transaction.execute(update, &[&id, &reader]).map(|_| ()))
    }

    /// Runs a change that may be repeated, and announces it.
    fn announced<T>(
        &self,
        mut change: impl FnMut(&mut Transaction<'_>) -> Result<T, postgres::Error>,
    ) -> Result<T, DatabaseError> {
        self.read(|client| {
            let mut transaction = client.transaction()?;
            let answer = change(&mut transaction)?;
            announce(&mut transaction)?;
            transaction.commit()?;
            Ok(answer)
        })
    }
}

fn renew(client: &mut impl GenericClient, reader: &str, lease: Duration) -> Result<(), postgres::Error> {
    let renew = "INSERT INTO cairn_readers (id, lease_ends_at) VALUES ($1, now() + $2 * interval '1 second') \
                 ON CONFLICT (id) DO UPDATE SET lease_ends_at = excluded.lease_ends_at";
    client.execute(renew, &[&reader, &lease.as_secs_f64()]).map(|_| ())
}

fn announce(transaction: &mut Transaction<'_>) -> Result<(), postgres::Error> {
    transaction.execute("SELECT pg_notify($1, '')", &[&MESSAGES_CHANNEL]).map(|_| ())
}

fn message(row: &Row) -> Result<StoredMessage, DatabaseError> {
    let place = match row.get::<_, i16>(1) {
        0 => MessagePlace::Draft,
        1 => MessagePlace::New,
        2 => MessagePlace::Taken,
        3 => MessagePlace::Seen,
        other => {
            let message = format!("message `{}` in the database has the unknown state {other}", row.get::<_, &str>(0));
            return Err(DatabaseError::new(DatabaseErrorKind::Damaged, message));
        }
    };
    let (is_again, delivered_at, content) = (row.get(2), row.get(3), row.get(4));
    Ok(StoredMessage { id: row.get(0), place, is_again, delivered_at, content })
}
