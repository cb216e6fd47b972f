//! The derived index: SQLite in the common git directory. All queries use it, but the log is the truth; deleting it at
//! any moment only makes the next command slower. It is never cleared in place: see `generation`.

mod ahead;
mod annotations;
mod blame_cache;
mod cached_facts;
mod catch_up;
mod checksum;
mod compare;
mod courses;
mod deferred;
mod file_events;
pub(crate) mod generation;
mod ingest;
mod item_table;
mod labels;
mod last_fold;
mod list;
mod mentions;
mod new_build;
mod note_catch_up;
mod numbers;
mod op_feed;
mod op_lines;
mod outlines;
mod ranks;
mod read;
mod row;
mod schema;
mod seen;
mod strays;
mod titles;
mod unreached;
mod visibility;
mod where_clause;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::git::{CommitId, GitError, ReadError};
pub use annotations::{AgedRegions, Dependent, RegionRow};
pub use catch_up::{CLOCK_JUMP, CatchUp, CatchUpProgress, Warning};
pub use file_events::{Ancestry, EventChange};
pub(crate) use ingest::SearchText;
use last_fold::LastFold;
pub use list::{ItemQuery, Position, RowPage};
pub use mentions::{Mention, MentionChange, Reach};
pub(crate) use new_build::NewBuild;
pub use note_catch_up::NoteCatchUp;
pub(crate) use numbers::NumberMap;
pub use op_lines::OpPlace;
pub use outlines::OutlineKey;
pub use ranks::{Direction, RankedItem};
pub use read::{Blocker, FinishedItem, GroupField, KindCount, StatusInUse};
pub use row::{ReferencedItem, Row};
pub use strays::StrayRegions;
pub use titles::TitledItem;
pub use unreached::UnreachedCommits;

/// How long a process waits for another one that is writing the index.
const BUSY_TIMEOUT: Duration = Duration::from_mins(2);

/// Size of the prepared-statement cache; ingesting a batch uses most of them for every item.
const MAX_STATEMENTS: usize = 64;
/// Maximum size of the write-ahead log, in bytes. A process that opens the index alone reads all of it first (2 µs per
/// page), and a checkpoint waits for the disk, so neither a very small nor a large one is cheap.
const MAX_WAL: u64 = 1024 * 1024;
/// A process that writes all the time lets the log grow to this size within [`CHECKPOINT_INTERVAL`]: each commit writes the
/// same few pages again, and a checkpoint copies each of them once, however often it was written.
const MAX_BUSY_WAL: u64 = 16 * MAX_WAL;
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);

/// Size of the page cache of a catch-up, in KiB as SQLite takes it: twice the usual, because it writes to nearly all tables.
const LARGE_CACHE: i64 = -32_000;

/// The path of an index in memory.
const MEMORY: &str = ":memory:";

/// Why the index failed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file is damaged. Nothing is lost: it is rebuilt from the log.
    #[error("the index `{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// SQLite failed.
    #[error("cannot use the index `{}`", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: rusqlite::Error,
    },
    /// The pointer file could not be read or written.
    #[error("cannot use the index `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// More bytes of operations arrived at once than the limit.
    #[error("the log that was received has more than {limit} bytes of operations; it was rejected")]
    TooMuch {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The file does not exist, or was replaced while it was opened.
    #[error("the index `{}` is gone", path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// The file was made by another version of this program.
    #[error("the index `{}` is of another version", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
    },
    /// An operation that this process wrote is not read as it was written.
    #[error("an operation of {commit} cannot be read again")]
    NotAsWritten {
        /// Its commit.
        commit: CommitId,
    },
    /// The log could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A note could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// An open index.
pub struct Index {
    connection: Connection,
    path: PathBuf,
    aged: Cell<AgedRegions>,
    /// When another process last prevented a write to the cache of symbols.
    outlines_paused: Cell<Option<Instant>>,
    last_fold: LastFold,
    /// When this connection made its last checkpoint.
    checkpointed: Cell<Option<Instant>>,
}

impl Index {
    /// Creates an empty index in a new file. The file must not be published before it has caught up.
    pub fn create(path: &Path) -> Result<Self, IndexError> {
        let index = Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        // Nobody opens the file before it is published, and a failed build is discarded: so there is nothing to recover,
        // and one sync at the end suffices (`finish_build`).
        index.check(index.connection.execute_batch("PRAGMA journal_mode = memory; PRAGMA synchronous = off"))?;
        index.check(index.make_tables())?;
        Ok(index)
    }

    /// Opens an existing index.
    pub fn open(path: &Path) -> Result<Self, IndexError> {
        let before = file_identity(path).ok_or_else(|| IndexError::Gone { path: path.to_owned() })?;
        let index = Self::connect(path, OpenFlags::empty())?;
        let is_ours = index.check(index.has_our_version())?;
        // That query opened the `-wal` as well. It belongs to this file if the file still exists under its name: see
        // `sweep`.
        if file_identity(path) != Some(before) {
            return Err(IndexError::Gone { path: path.to_owned() });
        }
        if is_ours { Ok(index) } else { Err(IndexError::OtherVersion { path: path.to_owned() }) }
    }

    fn connect(path: &Path, create: OpenFlags) -> Result<Self, IndexError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
        let connection = Connection::open_with_flags(path, flags).map_err(|error| classify(path, error))?;
        let index = Self::over(connection, path);
        index.check(index.prepare_connection())?;
        Ok(index)
    }

    fn over(connection: Connection, path: &Path) -> Self {
        Self {
            connection,
            path: path.to_owned(),
            aged: Cell::new(AgedRegions::Shown),
            outlines_paused: Cell::default(),
            last_fold: LastFold::default(),
            checkpointed: Cell::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens an existing index on read-only media; `None` if there is no usable one.
    pub(crate) fn open_read_only(path: &Path) -> Option<Self> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if std::fs::metadata(&log).is_ok_and(|metadata| metadata.len() > 0) {
            // Without its write-ahead log the file is outdated or inconsistent.
            return None;
        }
        // With `immutable`, SQLite does not look for the auxiliary files of a live database.
        let name =
            format!("file:{}?immutable=1", path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23"));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags).ok()?;
        where_clause::register(&connection).ok()?;
        let index = Self::over(connection, path);
        index.has_our_version().ok()?.then_some(index)
    }

    /// Creates an index in memory, for repositories without write access.
    pub fn in_memory() -> Result<Self, IndexError> {
        let path = PathBuf::from(MEMORY);
        let connection = Connection::open_in_memory().map_err(|error| classify(&path, error))?;
        let index = Self::over(connection, &path);
        where_clause::register(&index.connection).map_err(|error| classify(&path, error))?;
        index.make_tables().map_err(|error| classify(&path, error))?;
        Ok(index)
    }

    /// Returns whether the index is in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.path == Path::new(MEMORY)
    }

    fn prepare_connection(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        self.connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
        // A short-lived process should neither checkpoint on close nor wait for the disk on commit. What a power
        // failure takes away is ingested again from the log, which is durable. `recursive_triggers`, because REPLACE
        // runs the delete triggers of `cached_facts` only then.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        self.connection.execute_batch(
            "PRAGMA synchronous = normal; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -16000;
                 PRAGMA recursive_triggers = on",
        )?;
        // A query plan that depends on bound values would be made again for each value.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        where_clause::register(&self.connection)
    }

    /// Brings the journal into the form that is cheapest to open, after a commit.
    ///
    /// The first build has no write-ahead log, which would write every page twice. SQLite's automatic checkpoints do
    /// not help processes that live for milliseconds: the next process does not know about them and repeats them.
    fn tidy_journal(&self) {
        let mut wal = self.path.as_os_str().to_owned();
        wal.push("-wal");
        let tidy = match std::fs::metadata(wal) {
            Err(_) => "PRAGMA journal_mode = wal",
            Ok(metadata) if metadata.len() > self.max_wal() => {
                self.checkpointed.set(Some(Instant::now()));
                "PRAGMA wal_checkpoint(truncate)"
            }
            Ok(_) => return,
        };
        // Does not wait for readers: the next writer tries again.
        let tidied = self.connection.busy_timeout(Duration::ZERO).and_then(|()| self.connection.execute_batch(tidy));
        let _ = tidied.and(self.connection.busy_timeout(BUSY_TIMEOUT));
    }

    /// Returns the size of the write-ahead log over which a checkpoint is made now.
    fn max_wal(&self) -> u64 {
        let is_busy = self.checkpointed.get().is_some_and(|at| at.elapsed() < CHECKPOINT_INTERVAL);
        if is_busy { MAX_BUSY_WAL } else { MAX_WAL }
    }

    /// Makes a new build durable, and switches its journal to write-ahead logging, even if there was nothing to ingest.
    pub(crate) fn finish_build(&self) -> Result<(), IndexError> {
        self.tidy_journal();
        let synced = std::fs::File::open(&self.path).and_then(|file| file.sync_data());
        synced.map_err(|source| IndexError::Io { path: self.path.clone(), source })?;
        let journal: String = self.check(self.connection.query_row("PRAGMA journal_mode", (), |row| row.get(0)))?;
        // A file system without shared memory has no write-ahead log. Others use the file from now on, so a crash must
        // leave a journal.
        let usual = if journal == "wal" { "" } else { "PRAGMA journal_mode = delete;" };
        self.check(self.connection.execute_batch(&format!("{usual} PRAGMA synchronous = normal")))
    }

    fn has_our_version(&self) -> rusqlite::Result<bool> {
        let version: i64 = self.connection.query_row("PRAGMA user_version", (), |row| row.get(0))?;
        Ok(version == schema::VERSION)
    }

    fn make_tables(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let made = self.remake();
        self.connection.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        made
    }

    fn remake(&self) -> rusqlite::Result<()> {
        self.remake_tables()?;
        self.connection.execute_batch(schema::INDEXES)
    }

    /// Drops and recreates all tables inside the caller's transaction, which must then create `schema::INDEXES`.
    fn remake_tables(&self) -> rusqlite::Result<()> {
        // Dropping the full-text table `words` first also drops its shadow tables `words_…`, which SQLite does not let
        // us drop.
        let mut statement = self.connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND name NOT LIKE 'words_%' ORDER BY name = 'words' DESC",
        )?;
        let names: Vec<String> = statement.query_map((), |row| row.get(0))?.collect::<Result<_, _>>()?;
        for name in names {
            self.connection.execute_batch(&format!("DROP TABLE IF EXISTS \"{name}\""))?;
        }
        self.connection.execute_batch(schema::TABLES)?;
        self.connection.execute_batch(&item_table::definition())?;
        self.connection.execute_batch(&item_table::triggers())?;
        cached_facts::make(&self.connection)?;
        self.connection.pragma_update(None, "user_version", schema::VERSION)
    }

    fn check<T>(&self, result: rusqlite::Result<T>) -> Result<T, IndexError> {
        result.map_err(|error| classify(&self.path, error))
    }
}

/// Returns device and inode, which detect a replaced file.
#[cfg(unix)]
fn file_identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file_identity(path: &Path) -> Option<(u64, u64)> {
    path.exists().then_some((0, 0))
}

fn classify(path: &Path, source: rusqlite::Error) -> IndexError {
    let path = path.to_owned();
    let is_damage = match &source {
        rusqlite::Error::SqliteFailure(error, message) => {
            // "no such table" or "no such column": the file does not have our schema, although it has our version.
            let missing = message.as_deref().is_some_and(|text| text.starts_with("no such "));
            missing || matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        // The index wrote other types here, so the bytes are not its own.
        rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..) => true,
        _ => false,
    };
    if is_damage { IndexError::Damaged { path, source: source.into() } } else { IndexError::Sqlite { path, source } }
}
