//! Tokens and browser sessions: hashes only, never a secret. A change increments the version of its table, by which
//! every server notices it.

use postgres::{Row, Transaction};

use crate::audit::{self, AuditRecord};
use crate::{Database, DatabaseError};

/// A migration.
pub(crate) const TABLES: &str = "
CREATE TABLE cairn_versions (
    name text PRIMARY KEY,
    version bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO cairn_versions (name) VALUES ('tokens'), ('sessions');
CREATE TABLE cairn_tokens (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL,
    person text NOT NULL,
    created_at text NOT NULL,
    sha256 bytea NOT NULL UNIQUE
);
CREATE UNIQUE INDEX cairn_tokens_name ON cairn_tokens (lower(name));
CREATE TABLE cairn_sessions (
    sha256 bytea PRIMARY KEY,
    token_sha256 bytea NOT NULL,
    expires_at bigint NOT NULL
);
";

/// A table whose changes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versioned {
    /// The tokens.
    Tokens,
    /// The browser sessions.
    Sessions,
}

impl Versioned {
    fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Sessions => "sessions",
        }
    }
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredToken {
    /// Its name; unique, whatever the case.
    pub name: String,
    /// Access level.
    pub role: String,
    /// Who its bearer acts as.
    pub person: String,
    /// Time of creation.
    pub created_at: String,
    /// The hash of its secret.
    pub sha256: Vec<u8>,
}

/// A browser session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The hash of the cookie's secret.
    pub sha256: Vec<u8>,
    /// The hash of the token that it stands for.
    pub token_sha256: Vec<u8>,
    /// When it ends, in seconds since 1970.
    pub expires_at: i64,
}

/// What became of a new token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenAddition {
    /// It is stored.
    Added,
    /// Another token has its name; nothing was changed.
    NameTaken,
}

// Every change below may be sent again after a connection broke: a row is found by its hash or by its audit record,
// which is written in the same transaction.
impl Database {
    /// Returns how often a table was changed.
    pub fn version(&self, table: Versioned) -> Result<i64, DatabaseError> {
        let rows = self.query("SELECT version FROM cairn_versions WHERE name = $1", &[&table.name()])?;
        Ok(rows.first().map_or(0, |row| row.get(0)))
    }

    /// Returns the tokens in order of creation.
    pub fn tokens(&self) -> Result<Vec<StoredToken>, DatabaseError> {
        let query = "SELECT name, role, person, created_at, sha256 FROM cairn_tokens ORDER BY position";
        Ok(self.query(query, &[])?.iter().map(token).collect())
    }

    /// Stores a token together with its audit record.
    pub fn add_token(&self, token: &StoredToken, record: &AuditRecord) -> Result<TokenAddition, DatabaseError> {
        let StoredToken { name, role, person, created_at, sha256 } = token;
        let insert = "INSERT INTO cairn_tokens (name, role, person, created_at, sha256) VALUES ($1, $2, $3, $4, $5) \
                      ON CONFLICT DO NOTHING";
        self.read(|client| {
            let mut transaction = client.transaction()?;
            if transaction.execute(insert, &[name, role, person, created_at, sha256])? == 0 {
                let is_own = transaction.query_opt("SELECT 1 FROM cairn_tokens WHERE sha256 = $1", &[sha256])?;
                return Ok(if is_own.is_some() { TokenAddition::Added } else { TokenAddition::NameTaken });
            }
            audit::insert(&mut transaction, record)?;
            count_change(&mut transaction, Versioned::Tokens)?;
            transaction.commit()?;
            Ok(TokenAddition::Added)
        })
    }

    /// Removes a token by name, whatever the case, together with the audit record; `None` if there is none.
    pub fn remove_token(&self, name: &str, record: &AuditRecord) -> Result<Option<StoredToken>, DatabaseError> {
        let query = "SELECT name, role, person, created_at, sha256 FROM cairn_tokens WHERE lower(name) = lower($1)";
        let Some(found) = self.query(query, &[&name])?.first().map(token) else { return Ok(None) };
        let is_removed = self.read(|client| {
            let mut transaction = client.transaction()?;
            let n_removed = transaction.execute("DELETE FROM cairn_tokens WHERE sha256 = $1", &[&found.sha256])?;
            if n_removed == 0 {
                return audit::is_there(&mut transaction, record);
            }
            audit::insert(&mut transaction, record)?;
            count_change(&mut transaction, Versioned::Tokens)?;
            transaction.commit()?;
            Ok(true)
        })?;
        Ok(is_removed.then_some(found))
    }

    /// Returns the sessions that have not expired.
    pub fn sessions(&self, now: i64) -> Result<Vec<StoredSession>, DatabaseError> {
        let query = "SELECT sha256, token_sha256, expires_at FROM cairn_sessions WHERE expires_at > $1";
        let session =
            |row: &Row| StoredSession { sha256: row.get(0), token_sha256: row.get(1), expires_at: row.get(2) };
        Ok(self.query(query, &[&now])?.iter().map(session).collect())
    }

    /// Stores a session, and removes the expired ones and the oldest beyond a number.
    pub fn add_session(&self, session: &StoredSession, now: i64, max_sessions: usize) -> Result<(), DatabaseError> {
        let n_kept = i64::try_from(max_sessions).unwrap_or(i64::MAX);
        let StoredSession { sha256, token_sha256, expires_at } = session;
        let insert = "INSERT INTO cairn_sessions (sha256, token_sha256, expires_at) VALUES ($1, $2, $3) \
                      ON CONFLICT DO NOTHING";
        let trim = "DELETE FROM cairn_sessions WHERE sha256 IN \
                    (SELECT sha256 FROM cairn_sessions ORDER BY expires_at DESC, sha256 = $2 DESC OFFSET $1)";
        self.read(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute("DELETE FROM cairn_sessions WHERE expires_at <= $1", &[&now])?;
            transaction.execute(insert, &[sha256, token_sha256, expires_at])?;
            transaction.execute(trim, &[&n_kept, sha256])?;
            count_change(&mut transaction, Versioned::Sessions)?;
            transaction.commit()
        })
    }

    /// Removes a session.
    pub fn remove_session(&self, sha256: &[u8]) -> Result<(), DatabaseError> {
        self.read(|client| {
            let mut transaction = client.transaction()?;
            transaction.execute("DELETE FROM cairn_sessions WHERE sha256 = $1", &[&sha256])?;
            count_change(&mut transaction, Versioned::Sessions)?;
            transaction.commit()
        })
    }
}

fn count_change(transaction: &mut Transaction<'_>, table: Versioned) -> Result<(), postgres::Error> {
    let update = "UPDATE cairn_versions SET version = version + 1 WHERE name = $1";
    transaction.execute(update, &[&table.name()]).map(|_| ())
}

fn token(row: &Row) -> StoredToken {
    StoredToken { name: row.get(0), role: row.get(1), person: row.get(2), created_at: row.get(3), sha256: row.get(4) }
}
