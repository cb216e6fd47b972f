//! Helpers of the annotation tests.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use model::annotation::{ContextLevel, Note, Region};
use store::git::{CommitId, RefName};
use store::notes::NotePlan;
use store::{Store, StoreError};
use testkit::Random;

pub(crate) fn open_store(path: &Path) -> Store {
    Store::open(path, Arc::new(|_| {})).unwrap()
}

/// Returns deterministic ids that look like commit ids.
pub(crate) fn ids(n: usize, n_bytes: usize) -> Vec<CommitId> {
    let mut random = Random::new(7);
    let mut byte = move || (random.bits() >> 56) as u8;
    (0..n).map(|_| CommitId::from_bytes(&(0..n_bytes).map(|_| byte()).collect::<Vec<_>>()).unwrap()).collect()
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_767_225_600 + second).unwrap()
}

/// A note with one region, for `name` in `a.rs`.
pub(crate) fn note(commit: &CommitId, second: i64, name: &str, intent: &str) -> Note {
    let regions = vec![Region::new("a.rs", name, intent)];
    Note { regions, ..Note::new(&commit.to_string(), at(second), ContextLevel::Enhanced) }
}

pub(crate) fn write(store: &mut Store, name: &RefName, notes: &[(CommitId, Note)]) {
    let plan = |_: &store::notes::Notes<'_>| -> Result<_, StoreError> {
        Ok((NotePlan { subject: "annotate".to_owned(), notes: notes.to_vec() }, ()))
    };
    store.write_notes(name, plan).unwrap();
}
