//! A cache of the courses of items, for charts. A course is computed from an item's operations once, and again when there
//! are more of them. Losing the cache only costs time.

use std::collections::HashMap;

use jiff::Timestamp;
use model::course::{Course, Place};
use model::item::ItemKind;
use model::op::Op;
use rusqlite::{Connection, params};

use super::ingest::read_lines;
use super::{Index, IndexError};
use crate::format::v1;

/// Courses that are computed before they are written, so that memory does not grow with the number of items.
const BATCH: u16 = 10_000;
/// SQLite's word for no limit.
const ALL: i64 = -1;

/// A course as of a number of operations, encoded.
struct Cached {
    n_ops: i64,
    places: String,
}

/// A course as it is stored: the kind, and the places with their times in microseconds.
type Stored<'a> = (&'a str, Vec<(i64, Option<(String, String, String)>)>);

impl Index {
    /// Returns the courses of all items that ever were in the milestone or on the board with this id; `None` if there are
    /// more than `limit`.
    pub fn courses_through(&self, id: &str, limit: usize) -> Result<Option<Vec<Course>>, IndexError> {
        let uncached = self.cache_courses()?;
        let read = || {
            let sql = "SELECT key, places FROM course WHERE instr(places, ?1) > 0";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([id])?;
            let mut courses = Vec::new();
            while let Some(row) = rows.next()? {
                if !uncached.contains_key(&row.get(0)?) {
                    courses.extend(decoded(row.get_ref(1)?.as_str()?));
                }
                if courses.len() > limit {
                    break;
                }
            }
            Ok(courses)
        };
        let mut courses: Vec<Course> = self.check(read())?;
        let others = uncached.values().filter(|course| course.places.contains(id));
        courses.extend(others.filter_map(|course| decoded(&course.places)));
        Ok((courses.len() <= limit).then_some(courses))
    }

    /// Caches the courses of items with new operations, and returns those that cannot be cached now: another process may
    /// be writing the index, or it may be read-only.
    fn cache_courses(&self) -> Result<HashMap<i64, Cached>, IndexError> {
        loop {
            let stale = self.computed(i64::from(BATCH))?;
            let is_last = stale.len() < usize::from(BATCH);
            if stale.is_empty() {
                return Ok(stale);
            }
            if self.in_transaction(|connection| write(connection, &stale)).is_err() {
                return if is_last { Ok(stale) } else { self.computed(ALL) };
            }
            if is_last {
                return Ok(HashMap::new());
            }
        }
    }

    /// Computes the courses of at most `limit` items with new operations.
    fn computed(&self, limit: i64) -> Result<HashMap<i64, Cached>, IndexError> {
        let mut found = HashMap::new();
        for (key, n_ops) in self.check(self.stale_courses(limit))? {
            let lines = self.check(read_lines(&self.connection, key, n_ops))?;
            let ops: Vec<Op> = lines.iter().filter_map(|line| v1::read(line).ok()).collect();
            let places = Course::of(&ops).map_or_else(String::new, |course| encoded(&course));
            found.insert(key, Cached { n_ops, places });
        }
        Ok(found)
    }

    // The kinds of items that charts show; a milestone or a board lies on none itself.
    fn stale_courses(&self, limit: i64) -> rusqlite::Result<Vec<(i64, i64)>> {
        let sql = "SELECT entity.key, entity.n_ops FROM entity LEFT JOIN course USING (key)
             WHERE entity.kind IN ('issue', 'task', 'story', 'epic') AND course.n_ops IS NOT entity.n_ops LIMIT ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map([limit], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }
}

fn write(connection: &Connection, courses: &HashMap<i64, Cached>) -> rusqlite::Result<()> {
    let mut remove = connection.prepare_cached("DELETE FROM course WHERE key = ?1")?;
    let mut insert = connection.prepare_cached("INSERT INTO course VALUES (?1, ?2, ?3)")?;
    for (key, Cached { n_ops, places }) in courses {
        remove.execute([key])?;
        insert.execute(params![key, n_ops, places])?;
    }
    Ok(())
}

fn encoded(course: &Course) -> String {
    let stored = |(at, place): &(Timestamp, Option<Place>)| {
        let place = place.as_ref().map(|place| (place.milestone.clone(), place.board.clone(), place.status.clone()));
        (at.as_microsecond(), place)
    };
    let stored: Stored<'_> = (course.kind.name(), course.places.iter().map(stored).collect());
    serde_json::to_string(&stored).unwrap_or_default()
}

fn decoded(text: &str) -> Option<Course> {
    let (kind, places): Stored<'_> = serde_json::from_str(text).ok()?;
    let kind = ItemKind::ALL.into_iter().find(|own| own.name() == kind)?;
    let place = |(at, place): (i64, Option<(String, String, String)>)| {
        let place = place.map(|(milestone, board, status)| Place { milestone, board, status });
        Some((Timestamp::from_microsecond(at).ok()?, place))
    };
    Some(Course { kind, places: places.into_iter().map(place).collect::<Option<_>>()? })
}
