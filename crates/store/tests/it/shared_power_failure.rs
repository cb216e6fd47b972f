//! Power failures of a server with a database: the clone has the last commits without a sync. Whatever the kernel had
//! written by then, the clone is sound afterwards, and has everything again once its server is back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use store::shared::ShareOptions;
use store::{Notice, Store};
use testkit::TestRepository;
use testkit::postgres::TestDatabase;

use crate::power_failure::{Left, NOTE, fail_power, files, left, open};
use crate::random_log::cases;
use crate::shared_support::{Server, assert_sound, connect, create, numbers, with_code};

/// A server on a clone with some work, and another one.
struct Pair {
    one: Server,
    other: Server,
    fixture: TestRepository,
    database: TestDatabase<'static>,
}

impl Pair {
    fn new() -> Option<Self> {
        let database = TestDatabase::shared()?;
        let fixture = with_code();
        let clone = fixture.clone_beside("one", &[]);
        create(&mut Store::open(&clone, std::sync::Arc::new(|_| {})).unwrap(), "before").unwrap();
        let one = connect(clone, &database.url(), ShareOptions::default()).unwrap();
        let other = fixture.clone_beside("other", &[]);
        let other = connect(other, &database.url(), ShareOptions::default()).unwrap();
        Some(Self { one, other, fixture, database })
    }

    /// Returns the files of the first clone, as those of its copy.
    fn files_for(&self, copy: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let moved = |path: PathBuf| copy.join(path.strip_prefix(&self.one.clone).unwrap());
        files(&self.one.clone.join(".git")).into_iter().map(|(path, content)| (moved(path), content)).collect()
    }

    /// Copies the first clone as it is now: its server goes on, and what happens to the copy is not its doing.
    fn copy(&self) -> PathBuf {
        let copy = self.copy_path();
        let status = Command::new("cp").arg("-r").arg(&self.one.clone).arg(&copy).status().unwrap();
        assert!(status.success());
        copy
    }

    fn copy_path(&self) -> PathBuf {
        self.fixture.path().parent().unwrap().join("copy")
    }
}

/// Returns what the first command after the power failure said.
fn check(n_own: usize, n_others: usize, left: &[Left]) -> Option<Vec<Notice>> {
    let pair = Pair::new()?;
    let before = pair.files_for(&pair.copy_path());
    for _ in 0..n_own {
        create(&mut pair.one.store(), "own").unwrap();
    }
    for _ in 0..n_others {
        create(&mut pair.other.store(), "another's").unwrap();
    }
    let n_items = 1 + n_own + n_others;
    assert_eq!(numbers(&mut pair.one.store()).len(), n_items);
    let copy = pair.copy();
    assert!(copy.join(".git").join(NOTE).exists(), "the last commits are not synced");
    fail_power(&copy.join(".git"), &before, left);
    let (mut alone, notices) = open(&copy);
    assert!(numbers(&mut alone).contains(&1), "what was synced is there");
    drop(alone);
    assert!(!copy.join(".git").join(NOTE).exists());
    assert_sound(&copy);
    let again = connect(copy, &pair.database.url(), ShareOptions::default()).unwrap();
    assert_eq!(numbers(&mut again.store()), (1..=n_items as u64).collect::<Vec<_>>());
    assert_sound(&again.clone);
    Some(notices)
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn a_clone_has_everything_again(
        n_own in 0_usize..6,
        n_others in 0_usize..6,
        left in prop::collection::vec(left(), 1..12),
    ) {
        prop_assume!(n_own + n_others > 0);
        check(n_own, n_others, &left);
    }
}

#[test]
fn a_log_ref_to_a_missing_commit_is_restored_and_reported() {
    let is_told = |left| {
        let notices = check(3, 3, &[left])?;
        Some(notices.iter().any(|notice| matches!(notice, Notice::LackedSharedCommits { .. })))
    };
    assert_ne!(is_told(Left::Empty), Some(false));
    // The ref has its old value too: nothing is missing below it.
    assert_ne!(is_told(Left::Before), Some(true));
}

#[test]
fn a_write_outside_the_server_syncs_the_log_below_it() {
    let Some(pair) = Pair::new() else { return };
    create(&mut pair.one.store(), "own").unwrap();
    let copy = pair.copy();
    let note = || std::fs::read_to_string(copy.join(".git").join(NOTE));
    assert!(note().is_ok());
    let (mut alone, _) = open(&copy);
    create(&mut alone, "past the server").unwrap();
    assert!(note().is_err(), "no server holds it, and all of it is synced");
    assert_eq!(numbers(&mut open(&copy).0), [1, 2, 3]);
}

#[test]
fn a_server_that_ends_leaves_a_synced_clone() {
    let Some(pair) = Pair::new() else { return };
    create(&mut pair.one.store(), "own").unwrap();
    let note = pair.one.clone.join(".git").join(NOTE);
    assert!(note.exists());
    drop(pair.one);
    assert!(!note.exists());
}
