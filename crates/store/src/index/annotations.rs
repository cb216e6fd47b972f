//! Queries about annotations: regions of a file, annotated commits, dependents of a piece of code. The cost depends on
//! the number of results, not on the number of notes. The full text of a region is in its note, which is read by its
//! blob.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use model::annotation::{AnnotationKind, ContextLevel, Lines, Operation, is_same_name};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::schema::REGIONS_PER_NOTE;
use super::{Index, IndexError};
use crate::git::{CommitId, ObjectId};

/// A region, with the fields needed to choose among many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionRow {
    /// The annotated commit.
    pub commit: CommitId,
    /// The blob of the note.
    pub blob: ObjectId,
    /// Key in this index; regions that were written later have a higher one.
    pub key: i64,
    /// Position in the note, counted from 0.
    pub place: usize,
    /// How the note came to its commit.
    pub operation: Operation,
    /// Path of the file at that commit.
    pub file: String,
    /// Name of the symbol; empty if only lines are meant.
    pub anchor: String,
    /// Kind of symbol.
    pub kind: String,
    /// Signature, if the note has it.
    pub signature: Option<String>,
    /// Lines at that commit.
    pub lines: Option<Lines>,
    /// Time at which it was written.
    pub timestamp: Option<jiff::Timestamp>,
    /// The source of its knowledge.
    pub context_level: ContextLevel,
    /// Number of flags.
    pub n_flags: usize,
    /// Kind of annotation.
    pub knowledge: AnnotationKind,
    /// Whether it was superseded.
    pub is_superseded: bool,
    /// Last day on which it is valid.
    pub until: Option<Date>,
}

/// Which regions queries return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgedRegions {
    /// Only those that are valid on this day: neither superseded nor expired.
    Hidden(Date),
    /// All regions.
    Shown,
}

impl AgedRegions {
    fn includes(self, row: &RegionRow) -> bool {
        match self {
            Self::Hidden(today) => !row.is_superseded && row.until.is_none_or(|until| today <= until),
            Self::Shown => true,
        }
    }
}

/// A region that depends on other code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependent {
    /// The region.
    pub region: RegionRow,
    /// The anchor in the other file.
    pub anchor: String,
    /// What it assumes.
    pub nature: String,
}

const COLUMNS: &str = "region.key, region.file, region.anchor, region.kind, region.first, region.last, region.at, \
    region.context, region.n_flags, region.knowledge, region.superseded, region.until, region.signature";
/// The number of `COLUMNS`: further columns of a query follow them.
const N_COLUMNS: usize = 13;

impl Index {
    /// Sets which regions queries return from now on; the default is all.
    pub fn set_aged(&self, aged: AgedRegions) {
        self.aged.set(aged);
    }

    /// Returns all commits with a note, readable or not.
    pub fn annotated_commits(&self) -> Result<Vec<CommitId>, IndexError> {
        let read = || -> rusqlite::Result<Vec<Vec<u8>>> {
            let mut statement = self.connection.prepare_cached("SELECT id FROM note ORDER BY id")?;
            statement.query_map((), |row| row.get(0))?.collect()
        };
        Ok(self.check(read())?.iter().filter_map(|id| CommitId::from_bytes(id).ok()).collect())
    }

    /// Returns the unreadable notes with their errors.
    pub fn broken_notes(&self) -> Result<Vec<(CommitId, String)>, IndexError> {
        let sql = "SELECT id, broken FROM note WHERE broken IS NOT NULL ORDER BY id";
        let read = || -> rusqlite::Result<Vec<(Vec<u8>, String)>> {
            self.connection.prepare_cached(sql)?.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let broken = self.check(read())?.into_iter();
        Ok(broken.filter_map(|(id, why)| Some((CommitId::from_bytes(&id).ok()?, why))).collect())
    }

    /// Returns the blob of a commit's note; `None` if it has none.
    pub fn note_blob(&self, commit: &CommitId) -> Result<Option<ObjectId>, IndexError> {
        let read = || {
            let mut statement = self.connection.prepare_cached("SELECT blob FROM note WHERE id = ?1")?;
            statement.query_row([commit.as_bytes()], |row| row.get::<_, Vec<u8>>(0)).optional()
        };
        Ok(self.check(read())?.and_then(|blob| ObjectId::from_bytes(&blob).ok()))
    }

    /// Returns all regions of a file.
    pub fn regions_in(&self, file: &str) -> Result<Vec<RegionRow>, IndexError> {
        self.regions("file = ?1", params![file])
    }

    /// Returns the conventions for a file or a folder.
    pub fn conventions_of(&self, path: &str) -> Result<Vec<RegionRow>, IndexError> {
        self.regions("file = ?1 AND knowledge = ?2", params![path, AnnotationKind::Convention.as_str()])
    }

    /// Returns all regions in a folder, recursively; of the whole repository if it is empty.
    pub fn regions_under(&self, folder: &str) -> Result<Vec<RegionRow>, IndexError> {
        if folder.is_empty() {
            return self.regions("file > ?1", params![""]);
        }
        // In byte order, `0` follows `/`.
        let (first, beyond) = (format!("{folder}/"), format!("{folder}0"));
        self.regions("file >= ?1 AND file < ?2", params![first, beyond])
    }

    /// Returns all regions with exactly this anchor, in any file.
    pub fn regions_named(&self, anchor: &str) -> Result<Vec<RegionRow>, IndexError> {
        self.regions("anchor = ?1", params![anchor])
    }

    /// Returns the regions with these keys; missing ones are left out.
    pub fn regions_with_keys(&self, keys: &[i64]) -> Result<Vec<RegionRow>, IndexError> {
        let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
        let condition = "key IN (SELECT value FROM json_each(?1))";
        self.regions(condition, params![format!("[{}]", keys.join(","))])
    }

    /// Returns the annotated files of each commit, without duplicates; aged regions count too.
    pub fn annotated_files_by_commit(&self) -> Result<Vec<(CommitId, String)>, IndexError> {
        // Distinct by key first: thousands of regions of one note need no lookup of it.
        let sql = format!(
            "SELECT note.id, place.file FROM (SELECT DISTINCT file, key / {REGIONS_PER_NOTE} AS note FROM region) place
             JOIN note ON note.key = place.note ORDER BY place.file, note.id"
        );
        let query = || -> rusqlite::Result<Vec<(Vec<u8>, String)>> {
            self.connection.prepare_cached(&sql)?.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let places = self.check(query())?.into_iter();
        Ok(places.filter_map(|(id, file)| Some((CommitId::from_bytes(&id).ok()?, file))).collect())
    }

    /// Returns the number of regions, aged ones included.
    pub fn n_regions(&self) -> Result<usize, IndexError> {
        let count = || self.connection.prepare_cached("SELECT count(*) FROM region")?.query_row((), |row| row.get(0));
        self.check(count())
    }

    /// Returns the number of annotated commits.
    pub fn n_annotated(&self) -> Result<usize, IndexError> {
        let count = || self.connection.prepare_cached("SELECT count(*) FROM note")?.query_row((), |row| row.get(0));
        self.check(count())
    }

    /// Returns the regions that depend on a symbol with this name in another file, each with that file.
    pub fn dependents_elsewhere(&self, file: &str, anchor: &str) -> Result<Vec<(String, Dependent)>, IndexError> {
        let mut found =
            self.dependents_where("dependency.tail = ?1 AND dependency.file <> ?2", [tail(anchor), file])?;
        found.retain(|(_, dependent)| is_same_name(anchor, &dependent.anchor));
        Ok(found)
    }

    /// Returns the regions that depend on a file or, with an anchor, on that symbol, named in full or by its last
    /// segment.
    pub fn dependents(&self, file: &str, anchor: Option<&str>) -> Result<Vec<Dependent>, IndexError> {
        let found = match anchor {
            Some(anchor) => {
                self.dependents_where("dependency.file = ?1 AND dependency.tail = ?2", [file, tail(anchor)])?
            }
            None => self.dependents_where("dependency.file = ?1", [file])?,
        };
        let mut dependents: Vec<Dependent> = found.into_iter().map(|(_, dependent)| dependent).collect();
        dependents.retain(|dependent| anchor.is_none_or(|anchor| is_same_name(anchor, &dependent.anchor)));
        Ok(dependents)
    }

    /// Returns the anchors in a file that regions depend on, as written, without duplicates.
    pub fn dependency_anchors(&self, file: &str) -> Result<Vec<String>, IndexError> {
        let sql = "SELECT DISTINCT anchor FROM dependency WHERE file = ?1 ORDER BY tail, anchor";
        let query = || -> rusqlite::Result<Vec<String>> {
            self.connection.prepare_cached(sql)?.query_map([file], |row| row.get(0))?.collect()
        };
        self.check(query())
    }

    /// Returns the regions that depend on exactly this anchor of a file.
    pub fn dependents_on(&self, file: &str, anchor: &str) -> Result<Vec<Dependent>, IndexError> {
        let mut dependents = self.dependents(file, Some(anchor))?;
        dependents.retain(|dependent| dependent.anchor == anchor);
        Ok(dependents)
    }

    /// Returns those of the anchors that any region has in another file.
    pub fn named_elsewhere(&self, names: &[&str], file: &str) -> Result<HashSet<String>, IndexError> {
        // Tens of thousands of names need no lookup if nothing is recorded elsewhere.
        if !self.is_any_elsewhere(file)? {
            return Ok(HashSet::new());
        }
        let sql = "SELECT value FROM json_each(?1)
            WHERE EXISTS (SELECT 1 FROM region WHERE region.anchor = value AND region.file <> ?2)";
        let names = serde_json::Value::from(names).to_string();
        let query = || -> rusqlite::Result<HashSet<String>> {
            self.connection.prepare_cached(sql)?.query_map([&names, file], |row| row.get(0))?.collect()
        };
        self.check(query())
    }

    fn is_any_elsewhere(&self, file: &str) -> Result<bool, IndexError> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM region WHERE file < ?1) OR EXISTS (SELECT 1 FROM region WHERE file > ?1)";
        self.check(self.connection.prepare_cached(sql).and_then(|mut query| query.query_row([file], |row| row.get(0))))
    }

    fn regions(&self, condition: &str, values: impl Params) -> Result<Vec<RegionRow>, IndexError> {
        let sql = format!("SELECT {COLUMNS} FROM region WHERE {condition}");
        let mut rows = self.check(self.region_rows(&sql, values, |_| Ok(())))?;
        rows.sort_by(|(a, ()), (b, ())| a.file.cmp(&b.file).then_with(|| a.order().cmp(&b.order())));
        Ok(rows.into_iter().map(|(row, ())| row).collect())
    }

    /// Returns the regions with a dependency, each with the file that it depends on.
    fn dependents_where(&self, condition: &str, values: impl Params) -> Result<Vec<(String, Dependent)>, IndexError> {
        let sql = format!(
            "SELECT {COLUMNS}, dependency.n, dependency.file, dependency.anchor, dependency.nature FROM dependency
             JOIN region ON region.key = dependency.region WHERE {condition}"
        );
        let on = |row: &Row<'_>| {
            let n: i64 = row.get(N_COLUMNS)?;
            let texts: (String, String, String) =
                (row.get(N_COLUMNS + 1)?, row.get(N_COLUMNS + 2)?, row.get(N_COLUMNS + 3)?);
            Ok((n, texts))
        };
        let mut rows = self.check(self.region_rows(&sql, values, on))?;
        rows.sort_by(|(a, (m, _)), (b, (n, _))| a.order().cmp(&b.order()).then_with(|| m.cmp(n)));
        let rows = rows.into_iter();
        Ok(rows.map(|(region, (_, (file, anchor, nature)))| (file, Dependent { region, anchor, nature })).collect())
    }

    /// Returns regions that are not too old, with what `rest` reads from each row. They are not joined with their notes,
    /// nor sorted by SQLite: tens of thousands of them may be of one note.
    fn region_rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        rest: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<(RegionRow, T)>> {
        let mut notes = NoteFields { connection: &self.connection, known: HashMap::new() };
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let region = notes.read(row)?;
            if let Some(region) = region.filter(|region| self.aged.get().includes(region)) {
                found.push((region, rest(row)?));
            }
        }
        Ok(found)
    }
}

impl RegionRow {
    /// The order of the regions of one file.
    fn order(&self) -> (&CommitId, i64) {
        (&self.commit, self.key)
    }
}

/// Reads the fields of notes, each note once.
struct NoteFields<'c> {
    connection: &'c Connection,
    known: HashMap<i64, Option<(CommitId, ObjectId, Operation)>>,
}

impl NoteFields<'_> {
    /// Reads a region with `COLUMNS`; `None` if there is no such note.
    fn read(&mut self, row: &Row<'_>) -> rusqlite::Result<Option<RegionRow>> {
        let key: i64 = row.get(0)?;
        let note = key / REGIONS_PER_NOTE;
        if !self.known.contains_key(&note) {
            let fields = self.look_up(note)?;
            self.known.insert(note, fields);
        }
        let fields = self.known.get(&note).cloned().flatten();
        fields.map(|fields| read(row, key, fields)).transpose()
    }

    fn look_up(&self, note: i64) -> rusqlite::Result<Option<(CommitId, ObjectId, Operation)>> {
        let foreign = |column, why: String| {
            rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, why.into())
        };
        let mut statement = self.connection.prepare_cached("SELECT id, blob, operation FROM note WHERE key = ?1")?;
        let read = |row: &Row<'_>| {
            let commit = CommitId::from_bytes(row.get_ref(0)?.as_blob()?);
            let blob = ObjectId::from_bytes(row.get_ref(1)?.as_blob()?);
            let commit = commit.map_err(|error| foreign(0, error.to_string()))?;
            let blob = blob.map_err(|error| foreign(1, error.to_string()))?;
            Ok((commit, blob, Operation::from(row.get_ref(2)?.as_str()?)))
        };
        statement.query_row([note], read).optional()
    }
}

fn read(
    row: &Row<'_>,
    key: i64,
    (commit, blob, operation): (CommitId, ObjectId, Operation),
) -> rusqlite::Result<RegionRow> {
    let (first, last): (Option<u32>, Option<u32>) = (row.get(4)?, row.get(5)?);
    Ok(RegionRow {
        commit,
        blob,
        key,
        place: usize::try_from(key % REGIONS_PER_NOTE).unwrap_or_default(),
        operation,
        file: row.get(1)?,
        anchor: row.get(2)?,
        kind: row.get(3)?,
        lines: first.zip(last).map(|(start, end)| Lines { start, end }),
        timestamp: row.get_ref(6)?.as_str_or_null()?.and_then(|text| text.parse().ok()),
        context_level: ContextLevel::from(row.get_ref(7)?.as_str()?),
        n_flags: row.get(8)?,
        knowledge: AnnotationKind::from(row.get_ref(9)?.as_str()?),
        is_superseded: row.get(10)?,
        until: row.get_ref(11)?.as_str_or_null()?.and_then(|text| text.parse().ok()),
        signature: row.get(12)?,
    })
}

/// Returns the last segment of a qualified name.
pub(super) fn tail(anchor: &str) -> &str {
    let after_colons = anchor.rsplit("::").next().unwrap_or(anchor);
    after_colons.rsplit('.').next().unwrap_or(after_colons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_by_their_end() {
        assert_eq!(["A::f", "f", "m.A.f"].map(tail), ["f", "f", "f"]);
        assert!(is_same_name("A::f", "f") && is_same_name("f", "m::A::f") && is_same_name("A::f", "A::f"));
        assert!(!is_same_name("A::f", "B::f") && !is_same_name("of", "f"));
    }
}
