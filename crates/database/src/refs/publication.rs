//! Publishes commits on a ref, and finds out whether a publication whose connection broke took effect.
//!
//! The same publication is sent again until the database answers. It cannot happen twice, since it moves the tip from
//! one value to another, and no tip comes back. If the tip is another one then, either this commit is among the former
//! tips of the ref, or some other publication was first and the lost one, should it arrive late, finds nothing to move.

use std::time::{Duration, Instant};

use postgres::types::ToSql;

use super::{CHANNEL, StoredObject};
use crate::connection::Session;
use crate::{Database, DatabaseError, DatabaseErrorKind};

/// Maximum size of the content that is sent in one statement, in bytes and objects.
const MAX_CHUNK_BYTES: usize = 4 * 1024 * 1024;
const MAX_CHUNK_OBJECTS: usize = 2000;
/// First pause between two attempts; it doubles up to `MAX_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSE: Duration = Duration::from_millis(500);

const ADD_REF: &str = "INSERT INTO cairn_refs (name) VALUES ($1) ON CONFLICT DO NOTHING";
/// Everything in one statement and so in one transaction: the row of the ref is locked for no round trip. It also tells
/// whether a server has its turn, without waiting for it: one that publishes without turns would never learn of another
/// one that always loses against it.
const PUBLISH: &str = "
WITH moved AS (
    UPDATE cairn_refs SET tip = $3, seq = seq + $4
    WHERE name = $1 AND tip IS NOT DISTINCT FROM $2 RETURNING id, seq - $4 AS before
), added AS (
    INSERT INTO cairn_objects (ref, seq, kind, is_tip, id, content)
    SELECT moved.id, moved.before + object.place, object.kind, object.is_tip, object.id, object.content
    FROM moved, unnest($5::smallint[], $6::boolean[], $7::bytea[], $8::bytea[])
    WITH ORDINALITY AS object (kind, is_tip, id, content, place)
), free_turn AS (
    SELECT FROM cairn_turn FOR KEY SHARE SKIP LOCKED
)
SELECT before, pg_notify($9, $1 || ' ' || before + $4), NOT EXISTS (SELECT FROM free_turn) FROM moved";
/// A change that changes nothing.
const TOUCH: &str = "UPDATE cairn_refs SET seq = seq WHERE name = $1";
const ADD_OBJECTS: &str = "
INSERT INTO cairn_objects (ref, seq, kind, is_tip, id, content)
SELECT ref.id, $2 + object.place, object.kind, object.is_tip, object.id, object.content
FROM cairn_refs ref, unnest($3::smallint[], $4::boolean[], $5::bytea[], $6::bytea[])
WITH ORDINALITY AS object (kind, is_tip, id, content, place)
WHERE ref.name = $1";

/// New objects of a ref, and the commit it moves to.
pub struct Publication<'a, E> {
    /// The ref.
    pub name: &'a str,
    /// Its expected commit; `None` if it must not have one.
    pub from: Option<&'a [u8]>,
    /// Its new commit, the last of the objects.
    pub to: &'a [u8],
    /// The number of new objects.
    pub n_objects: usize,
    /// Reads the object at a place; called again if the publication is repeated.
    pub read: &'a dyn Fn(usize) -> Result<StoredObject, E>,
}

/// What became of a publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishOutcome {
    /// It is committed; the ref has this many objects with it.
    Published {
        /// The number of its last object.
        seq: i64,
        /// Whether a server, this one or another, had its turn meanwhile.
        is_turn_taken: bool,
    },
    /// The ref has another commit; nothing was changed.
    Moved,
}

/// Why a publication failed.
#[derive(Debug, thiserror::Error)]
pub enum PublishError<E> {
    /// An object could not be read; nothing was changed.
    #[error(transparent)]
    Object(E),
    /// The database failed; nothing was changed.
    #[error(transparent)]
    Database(DatabaseError),
    /// The connection broke, and the database did not come back: whether it is committed is not known.
    #[error("the connection to the database broke while writing; whether the write took effect is not known")]
    Unknown(#[source] DatabaseError),
}

impl Database {
    /// Publishes objects and moves a ref, in one transaction.
    pub fn publish<E>(&self, publication: &Publication<'_, E>) -> Result<PublishOutcome, PublishError<E>> {
        let give_up = Instant::now() + self.resolve_timeout;
        let mut pause = FIRST_PAUSE;
        // Whether an attempt was lost: until the database answers, it may have taken effect.
        let mut is_lost = false;
        loop {
            let failure = match self.attempt(publication) {
                Ok(PublishOutcome::Moved) if is_lost => match self.find_published(publication) {
                    Ok(Some(seq)) => return Ok(PublishOutcome::Published { seq, is_turn_taken: false }),
                    Ok(None) => return Ok(PublishOutcome::Moved),
                    Err(error) => error,
                },
                Ok(outcome) => return Ok(outcome),
                Err(Failure::Object(error)) if !is_lost => return Err(PublishError::Object(error)),
                Err(Failure::NothingChanged(error)) if !is_lost => return Err(PublishError::Database(error)),
                Err(Failure::Object(_)) => {
                    DatabaseError::new(DatabaseErrorKind::Away, "an object could not be read again to be published")
                }
                Err(Failure::NothingChanged(error) | Failure::RolledBack(error)) => error,
                Err(Failure::Lost(error)) => {
                    is_lost = true;
                    error
                }
            };
            tracing::debug!(error = %failure, name = publication.name, is_lost, "publishing again");
            if Instant::now() >= give_up {
                return Err(if is_lost { PublishError::Unknown(failure) } else { PublishError::Database(failure) });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
            self.pool.discard_idle();
        }
    }

    /// Looks for the commit of a publication among the former tips. What is found may be on this server alone: one that
    /// was restarted while a commit waited for its synchronous standby shows that commit at once. So another commit
    /// waits for the standby here, and with it everything before.
    fn find_published<E>(&self, publication: &Publication<'_, E>) -> Result<Option<i64>, DatabaseError> {
        let found = self.seq_of_tip(publication.name, publication.to)?;
        if found.is_some() {
            self.read(|client| client.execute(TOUCH, &[&publication.name]))?;
        }
        Ok(found)
    }

    fn attempt<E>(&self, publication: &Publication<'_, E>) -> Result<PublishOutcome, Failure<E>> {
        // Read before a connection is taken: it may take long, and can fail.
        let first = chunk(publication, 0).map_err(Failure::Object)?;
        let mut connection = self.pool.get().map_err(Failure::NothingChanged)?;
        let sent = if first.len() == publication.n_objects {
            publish_at_once(connection.session(), publication, &first)
        } else {
            publish_in_parts(connection.session(), publication)
        };
        sent.map_err(|error| match error {
            SendError::Object(error) => Failure::Object(error),
            SendError::Postgres(error) => classify(DatabaseError::from_postgres(self.address(), error)),
        })
    }
}

/// Why an attempt failed.
enum Failure<E> {
    Object(E),
    /// The database refused, or the statement was never sent.
    NothingChanged(DatabaseError),
    /// Nothing was changed, for a reason that passes: another publication took long, or another server takes over.
    RolledBack(DatabaseError),
    /// The connection broke after something was sent.
    Lost(DatabaseError),
}

enum SendError<E> {
    Object(E),
    Postgres(postgres::Error),
}

impl<E> From<postgres::Error> for SendError<E> {
    fn from(error: postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

// An error that the server sends rolls the transaction back, but not one about its own shutdown: that can follow a
// commit.
fn classify<E>(error: DatabaseError) -> Failure<E> {
    if error.may_follow_commit() {
        Failure::Lost(error)
    } else if error.passes() {
        Failure::RolledBack(error)
    } else {
        Failure::NothingChanged(error)
    }
}

fn publish_at_once<E>(
    session: &mut Session,
    publication: &Publication<'_, E>,
    objects: &[StoredObject],
) -> Result<PublishOutcome, SendError<E>> {
    let Publication { name, from, to, .. } = *publication;
    let Columns { kinds, are_tips, ids, contents } = Columns::of(objects);
    let n_objects = to_i64(objects.len());
    let values: [&(dyn ToSql + Sync); 9] =
        [&name, &from, &to, &n_objects, &kinds, &are_tips, &ids, &contents, &CHANNEL];
    let rows = session.query(PUBLISH, &values)?;
    if let Some(row) = rows.first() {
        return Ok(PublishOutcome::Published { seq: row.get::<_, i64>(0) + n_objects, is_turn_taken: row.get(2) });
    }
    // The row of a ref is made with its first publication.
    if from.is_none() && session.client.execute(ADD_REF, &[&name])? > 0 {
        return publish_at_once(session, publication, objects);
    }
    Ok(PublishOutcome::Moved)
}

fn publish_in_parts<E>(
    session: &mut Session,
    publication: &Publication<'_, E>,
) -> Result<PublishOutcome, SendError<E>> {
    let Publication { name, from, to, n_objects, .. } = *publication;
    session.client.execute(ADD_REF, &[&name])?;
    let mut transaction = session.client.transaction()?;
    let Columns { kinds, are_tips, ids, contents } = Columns::of(&[]);
    let values: [&(dyn ToSql + Sync); 9] =
        [&name, &from, &to, &to_i64(n_objects), &kinds, &are_tips, &ids, &contents, &CHANNEL];
    let row = transaction.query_opt(PUBLISH, &values)?;
    let Some(row) = row else { return Ok(PublishOutcome::Moved) };
    let (before, is_turn_taken): (i64, bool) = (row.get(0), row.get(2));
    let statement = transaction.prepare(ADD_OBJECTS)?;
    let mut n_sent = 0;
    while n_sent < n_objects {
        let objects = chunk(publication, n_sent).map_err(SendError::Object)?;
        let Columns { kinds, are_tips, ids, contents } = Columns::of(&objects);
        let after = before + to_i64(n_sent);
        transaction.execute(&statement, &[&name, &after, &kinds, &are_tips, &ids, &contents])?;
        n_sent += objects.len();
    }
    transaction.commit()?;
    Ok(PublishOutcome::Published { seq: before + to_i64(n_objects), is_turn_taken })
}

/// Reads the objects from a place on that fit one statement, at least one.
fn chunk<E>(publication: &Publication<'_, E>, from: usize) -> Result<Vec<StoredObject>, E> {
    let (mut objects, mut n_bytes) = (Vec::new(), 0);
    for place in from..publication.n_objects.min(from + MAX_CHUNK_OBJECTS) {
        let object = (publication.read)(place)?;
        n_bytes += object.content.len();
        objects.push(object);
        if n_bytes >= MAX_CHUNK_BYTES {
            break;
        }
    }
    Ok(objects)
}

/// Objects as arrays, which one statement turns into rows.
struct Columns<'a> {
    kinds: Vec<i16>,
    are_tips: Vec<bool>,
    ids: Vec<&'a [u8]>,
    contents: Vec<&'a [u8]>,
}

impl<'a> Columns<'a> {
    fn of(objects: &'a [StoredObject]) -> Self {
        Self {
            kinds: objects.iter().map(|object| object.kind as i16).collect(),
            are_tips: objects.iter().map(|object| object.is_tip).collect(),
            ids: objects.iter().map(|object| object.id.as_slice()).collect(),
            contents: objects.iter().map(|object| object.content.as_slice()).collect(),
        }
    }
}

fn to_i64(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
