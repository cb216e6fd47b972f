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
struct CachedCourse {
    n_ops: i64,
    places: String,
}

/// A course as it is stored: the kind and the places.
type StoredCourse<S> = (S, Vec<StoredPlace<S>>);
/// A time in microseconds; the milestone, board and status from then on.
type StoredPlace<S> = (i64, Option<(S, S, S)>);

impl Index {
    /// Passes on the courses of all items that ever were in the milestone or on the board with this id, and returns their
    /// number; it stops after `limit`.
    pub fn visit_courses_through(
        &self,
        id: &str,
        limit: usize,
        mut visit: impl FnMut(&Course<&str>),
    ) -> Result<usize, IndexError> {
        let uncached = self.cache_courses()?;
        let mut read = || {
            let sql = "SELECT key, places FROM course WHERE instr(places, ?1) > 0";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut rows = statement.query([id])?;
            let mut n_visited = 0;
            while let Some(row) = rows.next()? {
                if !uncached.contains_key(&row.get(0)?) {
                    n_visited += usize::from(decode(row.get_ref(1)?.as_str()?, &mut visit));
                }
                if n_visited >= limit {
                    break;
                }
            }
            Ok(n_visited)
        };
        let n_visited: usize = self.check(read())?;
        let others = uncached.values().filter(|course| course.places.contains(id)).take(limit - n_visited);
        Ok(n_visited + others.filter(|course| decode(&course.places, &mut visit)).count())
    }

    /// Caches the courses of items with new operations, and returns those that cannot be cached now: another process may
    /// be writing the index, or it may be read-only.
    fn cache_courses(&self) -> Result<HashMap<i64, CachedCourse>, IndexError> {
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
    fn computed(&self, limit: i64) -> Result<HashMap<i64, CachedCourse>, IndexError> {
        let mut found = HashMap::new();
        for (key, n_ops) in self.check(self.stale_courses(limit))? {
            let lines = self.check(read_lines(&self.connection, key, n_ops))?;
            let ops: Vec<Op> = lines.iter().filter_map(|line| v1::read(line).ok()).collect();
            let places = Course::of(&ops).map_or_else(String::new, |course| encoded(&course));
            found.insert(key, CachedCourse { n_ops, places });
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

fn write(connection: &Connection, courses: &HashMap<i64, CachedCourse>) -> rusqlite::Result<()> {
    let mut remove = connection.prepare_cached("DELETE FROM course WHERE key = ?1")?;
    let mut insert = connection.prepare_cached("INSERT INTO course VALUES (?1, ?2, ?3)")?;
    for (key, CachedCourse { n_ops, places }) in courses {
        remove.execute([key])?;
        insert.execute(params![key, n_ops, places])?;
    }
    Ok(())
}

fn encoded(course: &Course) -> String {
    let stored: StoredCourse<&str> = (course.kind.name(), course.places.iter().map(stored_place).collect());
    serde_json::to_string(&stored).unwrap_or_default()
}

fn stored_place((at, place): &(Timestamp, Option<Place>)) -> StoredPlace<&str> {
    let place = place.as_ref();
    (at.as_microsecond(), place.map(|place| (&*place.milestone, &*place.board, &*place.status)))
}

/// Decodes a course and passes it on; returns whether it could be read.
fn decode(text: &str, visit: impl FnMut(&Course<&str>)) -> bool {
    // Nearly all texts are without escapes, and borrowed: to copy them would take most of the time.
    match serde_json::from_str::<StoredCourse<&str>>(text) {
        Ok(stored) => course_of(&stored).as_ref().map(visit).is_some(),
        Err(_) => serde_json::from_str::<StoredCourse<String>>(text)
            .is_ok_and(|stored| course_of(&stored).as_ref().map(visit).is_some()),
    }
}

fn course_of<S: AsRef<str>>((kind, places): &StoredCourse<S>) -> Option<Course<&str>> {
    let kind = ItemKind::ALL.into_iter().find(|own| own.name() == kind.as_ref())?;
    Some(Course { kind, places: places.iter().map(read_place).collect::<Option<_>>()? })
}

fn read_place<S: AsRef<str>>((at, place): &StoredPlace<S>) -> Option<(Timestamp, Option<Place<&str>>)> {
    let place = place.as_ref().map(|(milestone, board, status)| Place {
        milestone: milestone.as_ref(),
        board: board.as_ref(),
        status: status.as_ref(),
    });
    Some((Timestamp::from_microsecond(*at).ok()?, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_and_without_escapes_read_back() {
        for status in ["done", "half \"done\"\n"] {
            let place = Place { milestone: "m".to_owned(), board: String::new(), status: status.to_owned() };
            let at = Timestamp::from_second(1).unwrap();
            let course = Course { kind: ItemKind::Task, places: vec![(at, Some(place)), (at, None)] };
            let mut statuses = Vec::new();
            assert!(decode(&encoded(&course), |read| {
                assert_eq!((read.kind, read.places.len()), (ItemKind::Task, 2));
                statuses.extend(
                    read.places.iter().filter_map(|(_, place)| place.as_ref()).map(|place| place.status.to_owned()),
                );
            }));
            assert_eq!(statuses, [status]);
        }
        assert!(!decode("[]", |_| ()));
    }
}
