//! Checksums of the tables that cache git's answers, which cannot be verified against the log. `cache_sum` holds a
//! checksum per table, and `cairn doctor` recomputes them. Temporary triggers maintain the sums; only writers of these
//! tables create them, because every command would have to parse permanent triggers.

use rusqlite::Connection;

/// A table and its columns.
type CacheTable = (&'static str, &'static [&'static str]);

const TABLES: [CacheTable; 9] = [
    ("blamed", &["key", "id", "path", "settings"]),
    ("blame", &["file", "first", "n", "source", "source_path", "source_first"]),
    ("file_event", &["key", "id", "before", "after"]),
    ("mention", &["number", "id", "closes", "is_merged", "authored", "committed", "author", "subject"]),
    ("course", &["key", "n_ops", "places"]),
    ("ancestry", &["old", "new", "is_ancestor"]),
    ("outline", &["key", "blob", "language", "version", "symbols", "sum"]),
    ("stray", &["anchor", "id", "last_note", "regions"]),
    ("unreached", &["key", "id", "last_note", "commits"]),
];

/// Initializes the sums of empty tables.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    let mut insert = connection.prepare("INSERT INTO cache_sum VALUES (?1, 0)")?;
    TABLES.iter().try_for_each(|(table, _)| insert.execute([table]).map(drop))
}

/// Creates the triggers on this connection. Call it before writing one of the tables. Rows are inserted, deleted and
/// replaced, never updated.
pub(super) fn keep_sums(connection: &Connection) -> rusqlite::Result<()> {
    let mut made = connection.prepare_cached("SELECT 1 FROM temp.sqlite_schema WHERE name = 'blame_added'")?;
    if made.exists(())? {
        return Ok(());
    }
    for (table, columns) in TABLES {
        // Exclusive or: independent of the order of rows, and a row that is inserted and deleted leaves no trace.
        let keep = |row: &str| {
            let sum = checksum(columns, &format!("{row}."));
            format!("UPDATE cache_sum SET sum = (sum | {sum}) - (sum & {sum}) WHERE name = '{table}'")
        };
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS {table}_added AFTER INSERT ON main.{table} BEGIN {}; END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_removed AFTER DELETE ON main.{table} BEGIN {}; END;",
            keep("NEW"),
            keep("OLD"),
        ))?;
    }
    Ok(())
}

/// Returns whether each table matches its stored sum.
pub(super) fn are_sound(connection: &Connection) -> rusqlite::Result<bool> {
    for (table, columns) in TABLES {
        let mut rows = connection.prepare(&format!("SELECT {} FROM {table}", checksum(columns, "")))?;
        let sums = rows.query_map((), |row| row.get::<_, i64>(0))?;
        let sum = sums.collect::<rusqlite::Result<Vec<i64>>>()?.into_iter().fold(0, |all, one| all ^ one);
        let kept: i64 = connection.query_row("SELECT sum FROM cache_sum WHERE name = ?1", [table], |row| row.get(0))?;
        if sum != kept {
            return Ok(false);
        }
    }
    Ok(true)
}

fn checksum(columns: &[&str], prefix: &str) -> String {
    let columns: Vec<String> = columns.iter().map(|column| format!("{prefix}{column}")).collect();
    format!("checksum({})", columns.join(", "))
}
