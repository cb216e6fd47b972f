//! Compares the complete content of two indexes of the same log. Cached answers of git are not in the log; they have a
//! checksum per table, maintained by triggers.

use std::collections::HashMap;

use rusqlite::types::ValueRef;

use super::checksum::Checksum;
use super::item_table::columns_of;
use super::{Index, IndexError};

/// All derived tables but `item`, in an order that does not depend on how they were built.
const ROWS: [&str; 12] = [
    "SELECT 'label', id, label FROM label JOIN item USING (key) ORDER BY 2, 3",
    "SELECT 'link', id, link.kind, target FROM link JOIN item USING (key) ORDER BY 2, 3, 4",
    "SELECT 'claim', hex(id), claim.space, claim.number, claim.lamport, hex(claim.op), claim.released
     FROM claim JOIN entity USING (key) ORDER BY 2, 3, 4, 5, 6",
    "SELECT 'person', hex(id), lamport, hex(op), number FROM person ORDER BY 2",
    "SELECT 'entity', hex(id), kind, lamport, hex(op), n_ops FROM entity ORDER BY 2",
    "SELECT 'tally', kind, visibility, n FROM tally WHERE n <> 0 ORDER BY 2, 3",
    "SELECT 'member', id, name, email, username, role FROM member ORDER BY 2",
    "SELECT 'seen', hex(id), clock FROM seen ORDER BY 2",
    "SELECT 'unread', part, hex(object), hex(commit_id) FROM unread ORDER BY 2, 3",
    "SELECT 'note', hex(id), hex(blob), operation, broken FROM note ORDER BY 2",
    "SELECT 'region', hex(id), region.key % 1048576, file, anchor, kind, signature, first, last, at, context, n_flags,
     knowledge, superseded, until FROM region JOIN note ON note.key = region.key / 1048576 ORDER BY 2, 3",
    "SELECT 'dependency', hex(id), region % 1048576, n, file, tail, anchor, nature
     FROM dependency JOIN note ON note.key = region / 1048576 ORDER BY 2, 3, 4",
];

/// All search terms and all operations, each row with the key of its owner.
const WORDS: &str = "SELECT doc, term, col, offset FROM temp.word_place";
const OPERATIONS: &str = "SELECT key / 1048576, line FROM op";

impl Index {
    /// Returns whether this index has the same content as a newly built one, and is undamaged.
    pub fn is_same_as(&self, fresh: &Self) -> Result<bool, IndexError> {
        let is_same = || Ok(self.is_intact()? && self.dump()? == fresh.dump()?);
        match is_same() {
            Err(IndexError::Damaged { .. }) => Ok(false),
            other => other,
        }
    }

    /// Returns the whole content derived from the log and the notes: equal for two indexes of the same data.
    pub fn dump(&self) -> Result<Vec<String>, IndexError> {
        // The key of an item, its first column, differs between indexes.
        let items = format!(
            "SELECT 'item', {}, description, comments FROM item JOIN body USING (key) ORDER BY id",
            columns_of("item").replacen("item.key, ", "", 1)
        );
        let mut lines = self.check(self.printed(&items))?;
        for sql in ROWS {
            lines.extend(self.check(self.printed(sql))?);
        }
        let words = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_place USING fts5vocab(main, words, instance)";
        self.check(self.connection.execute_batch(words))?;
        for sql in [WORDS, OPERATIONS] {
            lines.push(self.check(self.sum_by_owner(sql))?.to_string());
        }
        Ok(lines)
    }

    /// Returns whether the file is consistent by SQLite's check and its table checksums.
    fn is_intact(&self) -> Result<bool, IndexError> {
        let sql = "PRAGMA integrity_check(1)";
        let found: String = self.check(self.connection.query_row(sql, (), |row| row.get(0)))?;
        Ok(found == "ok" && self.check(super::cached_facts::are_sound(&self.connection))?)
    }

    fn printed(&self, sql: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare(sql)?;
        let n_columns = statement.column_count();
        let print = |row: &rusqlite::Row<'_>| -> rusqlite::Result<String> {
            let values = (0..n_columns).map(|column| Ok(format!("{:?}", row.get_ref(column)?)));
            Ok(values.collect::<rusqlite::Result<Vec<_>>>()?.join(" "))
        };
        statement.query_map((), print)?.collect()
    }

    /// Returns a checksum of rows, independent of their order. The first value of each row is an entity key, which
    /// differs between indexes, so the entity's id is used instead.
    fn sum_by_owner(&self, sql: &str) -> rusqlite::Result<i64> {
        let mut ids = self.connection.prepare("SELECT key, id FROM entity")?;
        let ids = ids.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let ids: HashMap<i64, [u8; 16]> = ids.collect::<Result<_, _>>()?;
        let mut statement = self.connection.prepare(sql)?;
        let n_columns = statement.column_count();
        let mut rows = statement.query(())?;
        let mut total = 0_i64;
        while let Some(row) = rows.next()? {
            let owner = ids.get(&row.get(0)?).map_or(ValueRef::Null, |id| ValueRef::Blob(id));
            let mut sum = Checksum::new().add(owner);
            for column in 1..n_columns {
                sum = sum.add(row.get_ref(column)?);
            }
            total = total.wrapping_add(sum.finish());
        }
        Ok(total)
    }
}
