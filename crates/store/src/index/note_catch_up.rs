//! Brings the index of annotations up to the tip of a notes ref: only notes with changed blobs are read. The index
//! holds one ref at a time; for another ref it is rebuilt.

use model::annotation::{Dependency, Note, Region};
use rusqlite::{Connection, OptionalExtension, params};

use super::catch_up::Warning;
use super::schema::REGIONS_PER_NOTE;
use super::seen::UnreadablePart;
use super::{Index, IndexError, cached_facts};
use crate::format::annotation::BadNote;
use crate::git::{CommitId, GitError, NoteChange, ObjectId, ReadError, RefName, Repository};
use crate::notes::{self, MESSAGE_LIMIT};

/// The result of a catch-up with notes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NoteCatchUp {
    /// Notes that were added, changed or removed.
    pub n_changed: usize,
    /// Unreadable notes, each reported once.
    pub warnings: Vec<Warning>,
}

/// The state of the index: which ref, at which commit, with which tree.
struct Place {
    name: String,
    tip: CommitId,
    tree: ObjectId,
}

impl Index {
    /// Brings the annotations up to the commit that `tip` returns. `tip` is called when no other process is writing the
    /// index, so that the index never goes back.
    pub fn catch_up_notes(
        &mut self,
        repository: &Repository,
        name: &RefName,
        tip: &dyn Fn() -> Result<Option<CommitId>, GitError>,
    ) -> Result<NoteCatchUp, IndexError> {
        if self.is_at(name, tip()?)? && !self.can_read_more(repository, UnreadablePart::Notes)? {
            return Ok(NoteCatchUp::default());
        }
        self.check(self.connection.execute_batch("BEGIN IMMEDIATE"))?;
        let done = self.catch_up_notes_inside(repository, name, tip);
        let end = self.connection.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" });
        let done = done?;
        self.check(end)?;
        self.tidy_journal();
        Ok(done)
    }

    /// Returns the notes ref of the index and its tip; `None` if it follows none.
    pub fn followed_notes(&self) -> Result<Option<(RefName, Option<CommitId>)>, IndexError> {
        let place = self.check(read_place(&self.connection))?;
        Ok(place.and_then(|place| Some((place.name.parse().ok()?, Some(place.tip)))))
    }

    fn is_at(&self, name: &RefName, tip: Option<CommitId>) -> Result<bool, IndexError> {
        let place = self.check(read_place(&self.connection))?;
        Ok(match (place, tip) {
            (Some(place), Some(tip)) => place.name == name.as_str() && place.tip == tip,
            (None, None) => true,
            _ => false,
        })
    }

    fn catch_up_notes_inside(
        &self,
        repository: &Repository,
        name: &RefName,
        tip: &dyn Fn() -> Result<Option<CommitId>, GitError>,
    ) -> Result<NoteCatchUp, IndexError> {
        let tip = tip()?;
        let place = self.check(read_place(&self.connection))?.filter(|place| place.name == name.as_str());
        let is_mended = self.can_read_more(repository, UnreadablePart::Notes)?;
        let Some(tip) = tip else {
            self.check(self.forget_notes())?;
            return Ok(NoteCatchUp::default());
        };
        let tree = repository.read_commit(&tip, MESSAGE_LIMIT)?.tree;
        let changes =
            match place.filter(|_| !is_mended).map(|place| repository.diff_notes(Some(&place.tree), Some(&tree))) {
                Some(Ok(changes)) => changes,
                // Another ref, a rewritten history whose old tree is gone, or a note that came back.
                Some(Err(ReadError::Missing { .. })) | None => {
                    self.check(self.forget_notes())?;
                    repository.diff_notes(None, Some(&tree))?
                }
                Some(Err(error)) => return Err(error.into()),
            };
        let found = self.take_notes(repository, &changes)?;
        let place = Place { name: name.to_string(), tip, tree };
        self.check(write_place(&self.connection, &place))?;
        Ok(found)
    }

    fn forget_notes(&self) -> rusqlite::Result<()> {
        cached_facts::keep_sums(&self.connection)?;
        self.connection.execute_batch(
            "DELETE FROM note; DELETE FROM region; DELETE FROM dependency; DELETE FROM unreached; DELETE FROM stray;
             DELETE FROM meta WHERE name LIKE 'notes_%'; DELETE FROM unread WHERE part = 'notes'",
        )
    }

    fn take_notes(&self, repository: &Repository, changes: &[NoteChange]) -> Result<NoteCatchUp, IndexError> {
        let mut found = NoteCatchUp { n_changed: changes.len(), warnings: Vec::new() };
        for change in changes {
            // Regions are inserted again: they have no identity across versions of a note.
            self.check(remove(&self.connection, &change.commit))?;
            let Some(blob) = change.new else { continue };
            let read = notes::read_blob(repository, &blob)?;
            if let Err(BadNote::Unreadable(_)) = &read {
                self.remember_unread(UnreadablePart::Notes, blob, change.commit)?;
            }
            if let Err(problem) = &read {
                let text = format!("its annotation was skipped: {problem}");
                found.warnings.push(Warning { place: change.commit.to_string(), text });
            }
            self.check(insert(&self.connection, &change.commit, &blob, read.as_ref()))?;
        }
        Ok(found)
    }
}

fn remove(connection: &Connection, commit: &CommitId) -> rusqlite::Result<()> {
    let mut find = connection.prepare_cached("SELECT key FROM note WHERE id = ?1")?;
    let Some(key) = find.query_row([commit.as_bytes()], |row| row.get::<_, i64>(0)).optional()? else { return Ok(()) };
    let regions = [key * REGIONS_PER_NOTE, (key + 1) * REGIONS_PER_NOTE - 1];
    connection.prepare_cached("DELETE FROM dependency WHERE region BETWEEN ?1 AND ?2")?.execute(regions)?;
    connection.prepare_cached("DELETE FROM region WHERE key BETWEEN ?1 AND ?2")?.execute(regions)?;
    connection.prepare_cached("DELETE FROM note WHERE key = ?1")?.execute([key])?;
    Ok(())
}

fn insert(
    connection: &Connection,
    commit: &CommitId,
    blob: &ObjectId,
    read: Result<&Note, &BadNote>,
) -> rusqlite::Result<()> {
    let operation = read.map_or("", |note| note.provenance.operation.as_str());
    let broken = read.err().map(BadNote::to_string);
    let mut statement =
        connection.prepare_cached("INSERT INTO note (id, blob, operation, broken) VALUES (?1, ?2, ?3, ?4)")?;
    let key = statement.insert(params![commit.as_bytes(), blob.as_bytes(), operation, broken])?;
    let Ok(note) = read else { return Ok(()) };
    for (key, region) in (key * REGIONS_PER_NOTE..).zip(&note.regions) {
        insert_region(connection, key, (commit, note), region)?;
        for (n, dependency) in region.semantic_dependencies.iter().enumerate() {
            insert_dependency(connection, key, n, dependency)?;
        }
    }
    Ok(())
}

fn insert_region(
    connection: &Connection,
    key: i64,
    (commit, note): (&CommitId, &Note),
    region: &Region,
) -> rusqlite::Result<()> {
    let lines = note.lines_at(&commit.to_string(), region);
    let sql = "INSERT INTO region VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let values = params![
        key,
        region.file,
        region.anchor.name,
        region.anchor.kind,
        region.anchor.signature,
        lines.map(|lines| lines.start),
        lines.map(|lines| lines.end),
        note.time_of(region).map(|at| at.to_string()),
        note.context_of(region).as_str(),
        region.n_flags(),
        region.kind.as_str(),
        region.is_superseded(note.time_of(region)),
        region.last_day().map(|day| day.to_string()),
    ];
    connection.prepare_cached(sql)?.execute(values).map(|_| ())
}

fn insert_dependency(connection: &Connection, region: i64, n: usize, on: &Dependency) -> rusqlite::Result<()> {
    let sql = "INSERT INTO dependency VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![on.file, super::annotations::tail(&on.anchor), region, n, on.anchor, on.nature];
    connection.prepare_cached(sql)?.execute(values).map(|_| ())
}

fn read_place(connection: &Connection) -> rusqlite::Result<Option<Place>> {
    let mut statement = connection.prepare_cached(
        "SELECT a.value, b.value, c.value FROM meta a, meta b, meta c
         WHERE a.name = 'notes_ref' AND b.name = 'notes_tip' AND c.name = 'notes_tree'",
    )?;
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, Vec<u8>>(2)?));
    let Some((name, tip, tree)) = statement.query_row((), read).optional()? else { return Ok(None) };
    let ids = (CommitId::from_bytes(&tip), ObjectId::from_bytes(&tree));
    Ok(if let (Ok(tip), Ok(tree)) = ids { Some(Place { name, tip, tree }) } else { None })
}

fn write_place(connection: &Connection, place: &Place) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
    statement.execute(params!["notes_ref", place.name])?;
    statement.execute(params!["notes_tip", place.tip.as_bytes()])?;
    statement.execute(params!["notes_tree", place.tree.as_bytes()])?;
    Ok(())
}
