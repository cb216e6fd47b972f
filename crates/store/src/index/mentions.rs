//! A cache of the items that commit messages mention: of all commits of the default branch, and of those of `HEAD`
//! beyond it. Losing it only costs time.

use model::mention::MentionKind;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::{Index, IndexError};
use crate::git::CommitId;

/// A commit whose message mentions an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The commit.
    pub commit: CommitId,
    /// The number of the item.
    pub number: u64,
    /// The relation.
    pub kind: MentionKind,
    /// Where the commit is.
    pub reach: Reach,
    /// Author time in seconds since 1970.
    pub authored: i64,
    /// Commit time in seconds since 1970.
    pub committed: i64,
    /// `Name <email>`.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// Where a commit can be reached from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// From the default branch.
    Merged,
    /// From another branch or a tag only.
    Branch,
    /// From nowhere: it was rewritten, or it is not in this clone.
    Gone,
}

/// The difference between two states of the cache. A state is a text that the caller chooses.
#[derive(Debug, Default)]
pub struct MentionChange {
    /// The state it starts from; `None` starts over.
    pub from: Option<String>,
    /// The state after it.
    pub to: String,
    /// Commits that are no longer on the default branch.
    pub gone: Vec<CommitId>,
    /// New mentions. Those of commits beyond the default branch replace all earlier ones.
    pub mentions: Vec<Mention>,
}

const STATE: &str = "mentions";

impl Index {
    /// Returns the state of the cache; `None` if it is empty.
    pub(crate) fn mention_state(&self) -> Result<Option<String>, IndexError> {
        self.check(read_state(&self.connection))
    }

    /// Moves the cache to another state. Returns `false` if another process was faster.
    pub(crate) fn move_mentions(&self, change: &MentionChange) -> Result<bool, IndexError> {
        let mut is_done = false;
        self.in_transaction(|connection| {
            match &change.from {
                Some(from) if read_state(connection)?.as_ref() != Some(from) => return Ok(()),
                Some(_) => connection.execute_batch("DELETE FROM mention WHERE is_merged = 0")?,
                None => connection.execute_batch("DELETE FROM mention")?,
            }
            let mut statement = connection.prepare_cached("DELETE FROM mention WHERE id = ?1")?;
            for commit in &change.gone {
                statement.execute([commit.as_bytes()])?;
            }
            insert(connection, &change.mentions)?;
            is_done = true;
            let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute([STATE, &change.to]).map(drop)
        })?;
        Ok(is_done)
    }

    /// Returns the commits that mention an item, newest first.
    pub fn mentions_of(&self, number: u64) -> Result<Vec<Mention>, IndexError> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.mentions("number = ?1", [number])
    }

    /// Returns the commits of the default branch that close items which are not closed yet, newest first.
    pub fn closing_mentions(&self) -> Result<Vec<Mention>, IndexError> {
        // `+` keeps SQLite from beginning with all open items, to look for the commits of each: most often there are few
        // commits or none, and this runs with every sync.
        let condition =
            "is_merged = 1 AND closes = 1 AND +number IN (SELECT number FROM item WHERE visibility = 'open')";
        self.mentions(condition, ())
    }

    fn mentions(&self, condition: &str, values: impl Params) -> Result<Vec<Mention>, IndexError> {
        let sql = format!(
            "SELECT id, number, closes, is_merged, authored, committed, author, subject FROM mention WHERE {condition}
             ORDER BY authored DESC, id"
        );
        let read = move || -> rusqlite::Result<Vec<Option<Mention>>> {
            self.connection.prepare_cached(&sql)?.query_map(values, read_mention)?.collect()
        };
        Ok(self.check(read())?.into_iter().flatten().collect())
    }
}

fn read_state(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    statement.query_row([STATE], |row| row.get(0)).optional()
}

fn insert(connection: &Connection, mentions: &[Mention]) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO mention (number, id, closes, is_merged, authored, committed, author, subject)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut statement = connection.prepare_cached(sql)?;
    for one in mentions {
        let closes = one.kind == MentionKind::Closes;
        let values = params![
            one.number.cast_signed(),
            one.commit.as_bytes(),
            closes,
            one.reach == Reach::Merged,
            one.authored,
            one.committed,
            one.author,
            one.subject
        ];
        statement.execute(values)?;
    }
    Ok(())
}

fn read_mention(row: &Row<'_>) -> rusqlite::Result<Option<Mention>> {
    let id: Vec<u8> = row.get(0)?;
    let Ok(commit) = CommitId::from_bytes(&id) else { return Ok(None) };
    let number: i64 = row.get(1)?;
    let kind = if row.get(2)? { MentionKind::Closes } else { MentionKind::Refs };
    Ok(Some(Mention {
        commit,
        number: number.cast_unsigned(),
        kind,
        reach: if row.get(3)? { Reach::Merged } else { Reach::Branch },
        authored: row.get(4)?,
        committed: row.get(5)?,
        author: row.get(6)?,
        subject: row.get(7)?,
    }))
}
