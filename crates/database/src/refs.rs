//! The shared refs, and the git objects that each of them gained, in order.
//!
//! `seq` counts the objects of a ref without gaps. A publication is one transaction: it moves the tip by
//! compare-and-swap, which locks the row of the ref, and adds its objects with the next numbers; the commit that becomes
//! the tip is the last of them. So whoever reads a `seq` can read every object up to it, and whoever has the history of
//! a former tip lacks only the objects after it.

mod publication;

use postgres::Row;

use crate::{Database, DatabaseError, DatabaseErrorKind};
pub use publication::{Publication, PublishError, PublishOutcome};

/// The channel on which publications are announced; the payload is an [`Announcement`].
pub const CHANNEL: &str = "cairn_refs";

/// The announcement of a publication to all servers, also to its own: the ref, and the number of its last object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement<'a> {
    /// The ref.
    pub name: &'a str,
    /// The number of its objects.
    pub seq: i64,
}

impl<'a> Announcement<'a> {
    /// Reads a payload; `None` if it is another version's.
    pub fn parse(payload: &'a str) -> Option<Self> {
        let (name, seq) = payload.rsplit_once(' ')?;
        Some(Self { name, seq: seq.parse().ok()? })
    }
}

/// The first migration.
// No foreign key from objects to refs: it would cost a look-up for each object, and rows of refs are never deleted.
// The row of a ref is updated with each publication: room on its page lets PostgreSQL do that in place.
pub(crate) const TABLES: &str = "
CREATE TABLE cairn_project (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    object_format text NOT NULL,
    roots text[] NOT NULL
);
CREATE TABLE cairn_refs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    tip bytea,
    seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
CREATE TABLE cairn_objects (
    ref integer NOT NULL,
    seq bigint NOT NULL,
    kind smallint NOT NULL,
    is_tip boolean NOT NULL,
    id bytea NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (ref, seq)
);
CREATE INDEX cairn_objects_tips ON cairn_objects (ref, id) WHERE is_tip;
";

/// Maximum number of objects per query, so that none exceeds its time limit.
const MAX_OBJECTS_PER_QUERY: i64 = 5000;

/// The type of an object, with git's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// A commit.
    Commit = 1,
    /// A tree.
    Tree = 2,
    /// A blob.
    Blob = 3,
}

/// An object: its id and its bytes, without git's header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Its type.
    pub kind: ObjectKind,
    /// Its id, as bytes.
    pub id: Vec<u8>,
    /// Its content.
    pub content: Vec<u8>,
    /// Whether it is the commit that its publication moved the ref to.
    pub is_tip: bool,
}

/// A shared ref.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefState {
    /// The id of its commit; `None` before the first publication.
    pub tip: Option<Vec<u8>>,
    /// The number of its objects.
    pub seq: i64,
}

/// The project whose refs these are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProject {
    /// The hash of its object ids, in git's words.
    pub object_format: String,
    /// The root commits of its code, as far as known.
    pub roots: Vec<String>,
}

impl Database {
    /// Returns the project of this database; `None` if it is empty.
    pub fn project(&self) -> Result<Option<StoredProject>, DatabaseError> {
        let row = self.read(|client| client.query_opt("SELECT object_format, roots FROM cairn_project", &[]))?;
        Ok(row.map(|row| StoredProject { object_format: row.get(0), roots: row.get(1) }))
    }

    /// Makes this the database of a project, unless it is one's already.
    pub fn claim_project(&self, project: &StoredProject) -> Result<(), DatabaseError> {
        let insert = "INSERT INTO cairn_project (object_format, roots) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        self.read(|client| client.execute(insert, &[&project.object_format, &project.roots])).map(|_| ())
    }

    /// Records the root commits of the code, unless some are recorded.
    pub fn record_roots(&self, roots: &[String]) -> Result<(), DatabaseError> {
        let update = "UPDATE cairn_project SET roots = $1 WHERE roots = '{}'";
        self.read(|client| client.execute(update, &[&roots])).map(|_| ())
    }

    /// Returns a ref: one indexed look-up.
    pub fn ref_state(&self, name: &str) -> Result<RefState, DatabaseError> {
        let query = "SELECT tip, seq FROM cairn_refs WHERE name = $1";
        let rows = self.query(query, &[&name])?;
        Ok(rows.first().map_or_else(RefState::default, |row| RefState { tip: row.get(0), seq: row.get(1) }))
    }

    /// Returns the names of all refs.
    pub fn ref_names(&self) -> Result<Vec<String>, DatabaseError> {
        let rows = self.read(|client| client.query("SELECT name FROM cairn_refs ORDER BY name", &[]))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Returns the number of a commit that is or was the tip of a ref; `None` if it never was.
    pub fn seq_of_tip(&self, name: &str, commit: &[u8]) -> Result<Option<i64>, DatabaseError> {
        let query = "SELECT max(o.seq) FROM cairn_objects o JOIN cairn_refs r ON r.id = o.ref \
                     WHERE r.name = $1 AND o.id = $2 AND o.is_tip";
        let rows = self.query(query, &[&name, &commit])?;
        Ok(rows.first().and_then(|row| row.get(0)))
    }

    /// Returns whether one of these is among the objects of a ref. Reads all of their ids: for the start of a server.
    pub fn has_any_object(&self, name: &str, ids: &[&[u8]]) -> Result<bool, DatabaseError> {
        let query = "SELECT EXISTS (SELECT FROM cairn_objects o JOIN cairn_refs r ON r.id = o.ref \
                     WHERE r.name = $1 AND o.id = ANY ($2))";
        let rows = self.query(query, &[&name, &ids])?;
        Ok(rows.first().is_some_and(|row| row.get(0)))
    }

    /// Gives the objects of a ref after a number, in order, to `each`, up to the number `last`. An error of `each`
    /// ends it.
    pub fn objects_between<E: From<DatabaseError>>(
        &self,
        name: &str,
        after: i64,
        last: i64,
        mut each: impl FnMut(i64, StoredObject) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = "SELECT o.seq, o.kind, o.id, o.content, o.is_tip FROM cairn_objects o JOIN cairn_refs r ON r.id = o.ref \
                     WHERE r.name = $1 AND o.seq > $2 AND o.seq <= $3 ORDER BY o.seq";
        let mut after = after;
        while after < last {
            let end = last.min(after + MAX_OBJECTS_PER_QUERY);
            let rows = self.query(query, &[&name, &after, &end])?;
            for row in rows {
                after += 1;
                let seq: i64 = row.get(0);
                if seq != after {
                    return Err(gap(name, after).into());
                }
                each(seq, object(name, &row)?)?;
            }
            if after < end {
                return Err(gap(name, after + 1).into());
            }
        }
        Ok(())
    }
}

fn object(name: &str, row: &Row) -> Result<StoredObject, DatabaseError> {
    let kind = match row.get::<_, i16>(1) {
        1 => ObjectKind::Commit,
        2 => ObjectKind::Tree,
        3 => ObjectKind::Blob,
        other => {
            let message =
                format!("object {} of `{name}` in the database has the unknown type {other}", row.get::<_, i64>(0));
            return Err(DatabaseError::new(DatabaseErrorKind::Damaged, message));
        }
    };
    Ok(StoredObject { kind, id: row.get(2), content: row.get(3), is_tip: row.get(4) })
}

fn gap(name: &str, seq: i64) -> DatabaseError {
    DatabaseError::new(DatabaseErrorKind::Damaged, format!("object {seq} of `{name}` is missing in the database"))
}
