//! Power failures: of an acknowledged write only its record in the write-ahead log is sure to be on disk. Whatever else
//! the kernel had written by then, no write is lost and no object is damaged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use model::id::EntityId;
use model::number::NumberSpace;
use model::op::Change;
use model::person::Person;
use proptest::prelude::*;
use store::git::{RefName, RefRecovery};
use store::index::Index;
use store::{Notice, Store, StoreError, WriteMeta, WritePlan};
use testkit::{TestRepository, git_in};
use uuid::Uuid;

use crate::git_support::assert_sound;
use crate::random_log::cases;

const WAL: &str = "cairn/wal";
/// Where the boot id is in the log.
const BOOT_ID: std::ops::Range<usize> = 12..48;

/// The note of a shared log whose last commits are not synced, and where the boot id is in it.
pub(crate) const NOTE: &str = "cairn/unsynced";
const BOOT_ID_OF_NOTE: std::ops::Range<usize> = 17..53;

const EMPTY_TREE: &str = "4b/825dc642cb6eb9a060e54bf8d69288fbee4904";

/// What is left of an unsynced file after a power failure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Left {
    /// The state before the writes: the file does not exist, or has its old content.
    Before,
    /// Its name, without content.
    Empty,
    /// The first half of its content.
    Half,
    /// All of it.
    Whole,
}

pub(crate) fn left() -> impl Strategy<Value = Left> {
    prop_oneof![Just(Left::Before), Just(Left::Empty), Just(Left::Half), Just(Left::Whole)]
}

pub(crate) fn open(path: &Path) -> (Store, Vec<Notice>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let store = Store::open(path, Arc::new(move |notice| listener.lock().unwrap().push(notice))).unwrap();
    let notices = heard.lock().unwrap().clone();
    (store, notices)
}

fn create(store: &mut Store, title: &str) {
    let plan = |index: &Index| -> Result<_, StoreError> {
        let id = EntityId::new(Uuid::now_v7());
        let number = index.next_number(NumberSpace::Work)?;
        let fields = BTreeMap::from([("title".to_owned(), title.into())]);
        let change = Change::Create { kind: "task".to_owned(), number: Some(number), fields, sets: BTreeMap::new() };
        Ok((WritePlan::new("create", [(id, change)]), ()))
    };
    let mut next_id = Uuid::now_v7;
    let mut meta = WriteMeta { at: Timestamp::UNIX_EPOCH, by: Person::new("Ada", ""), next_id: &mut next_id };
    store.write(&mut meta, plan, |_, ()| Ok::<_, StoreError>(())).unwrap();
}

/// All files below a folder, with their content.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Replaces a file; objects are read-only.
fn put(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
    fs::write(path, content).unwrap();
}

/// Turns the repository into what a power failure could leave of it. Only the write-ahead log and the note of a shared log
/// were synced since `before`.
pub(crate) fn fail_power(git_dir: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, left: &[Left]) {
    let mut left = left.iter().cycle();
    for folder in ["objects", "refs"] {
        for (path, content) in files(&git_dir.join(folder)) {
            // The empty tree is written once, with a sync of its own.
            if before.get(&path) == Some(&content) || path.ends_with(EMPTY_TREE) {
                continue;
            }
            match (left.next().unwrap(), before.get(&path)) {
                (Left::Before, Some(old)) => put(&path, old),
                (Left::Before, None) => fs::remove_file(&path).unwrap(),
                (Left::Empty, _) => put(&path, b""),
                (Left::Half, _) => put(&path, &content[..content.len() / 2]),
                (Left::Whole, _) => {}
            }
        }
    }
    // The index is synced by nobody either.
    let is_synced = |path: &PathBuf| path.ends_with(WAL) || path.ends_with(NOTE);
    for path in files(&git_dir.join("cairn")).into_keys().filter(|path| !is_synced(path)) {
        fs::remove_file(path).unwrap();
    }
    restart(git_dir);
}

/// Makes the write-ahead log and the note those of an earlier start of the system.
fn restart(git_dir: &Path) {
    for (file, boot_id) in [(WAL, BOOT_ID), (NOTE, BOOT_ID_OF_NOTE)] {
        let path = git_dir.join(file);
        let Ok(mut content) = fs::read(&path) else { continue };
        content[boot_id].copy_from_slice(b"00000000-0000-0000-0000-000000000000");
        fs::write(path, content).unwrap();
    }
}

fn n_items(store: &Store) -> u64 {
    store.index().next_number(NumberSpace::Work).unwrap() - 1
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn no_acknowledged_write_is_lost(
        n_before in 0_usize..3,
        n_lost in 1_usize..8,
        left in prop::collection::vec(left(), 1..12),
    ) {
        let fixture = TestRepository::new();
        let (mut store, _) = open(fixture.path());
        for n in 0..n_before {
            create(&mut store, &format!("before {n}"));
        }
        let before = files(&fixture.git_dir());
        for n in 0..n_lost {
            create(&mut store, &format!("lost {n}"));
        }
        let tip = store.repository().read_ref(&RefName::WORK).unwrap();
        drop(store);
        fail_power(&fixture.git_dir(), &before, &left);
        let (mut store, notices) = open(fixture.path());
        prop_assert!(matches!(notices.first(), Some(Notice::LostWrites(_))), "{notices:?}");
        prop_assert_eq!(store.repository().read_ref(&RefName::WORK).unwrap(), tip);
        prop_assert_eq!(n_items(&store), (n_before + n_lost) as u64);
        create(&mut store, "after");
        assert_sound(&fixture);
        let (store, notices) = open(fixture.path());
        prop_assert_eq!(notices, vec![]);
        prop_assert_eq!(n_items(&store), (n_before + n_lost + 1) as u64);
    }
}

#[test]
fn a_torn_record_is_not_a_write() {
    let fixture = TestRepository::new();
    let (mut store, _) = open(fixture.path());
    create(&mut store, "kept");
    let before = files(&fixture.git_dir());
    let n_used = fs::read(fixture.git_dir().join(WAL)).unwrap().iter().rposition(|byte| *byte != 0).unwrap();
    create(&mut store, "torn");
    fail_power(&fixture.git_dir(), &before, &[Left::Before]);
    let mut wal = fs::read(fixture.git_dir().join(WAL)).unwrap();
    // Only the first sector of the second record reached the disk.
    wal[n_used + 100..].fill(0);
    fs::write(fixture.git_dir().join(WAL), wal).unwrap();
    let (store, _) = open(fixture.path());
    assert_eq!(n_items(&store), 1);
    assert_sound(&fixture);
}

#[test]
fn a_full_log_is_emptied_once_everything_is_synced() {
    let fixture = TestRepository::new();
    let (mut store, _) = open(fixture.path());
    // About 700 bytes each: more than the log holds.
    for n in 0..260 {
        create(&mut store, &format!("item {n}"));
    }
    drop(store);
    assert_eq!(fs::metadata(fixture.git_dir().join(WAL)).unwrap().len(), 128 * 1024);
    restart(&fixture.git_dir());
    let (store, notices) = open(fixture.path());
    assert!(matches!(notices.as_slice(), [Notice::LostWrites(found)] if found.n_restored == 0), "{notices:?}");
    assert_eq!(n_items(&store), 260);
}

#[test]
fn a_log_that_something_else_moved_is_left_alone() {
    let fixture = TestRepository::new();
    let (mut store, _) = open(fixture.path());
    create(&mut store, "one");
    let last = store.repository().read_ref(&RefName::WORK).unwrap().unwrap();
    drop(store);
    let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let other = git_in(fixture.path(), &["commit-tree", tree, "-m", "rewritten"]);
    git_in(fixture.path(), &["update-ref", "refs/cairn/work", other.trim()]);
    restart(&fixture.git_dir());
    let (store, notices) = open(fixture.path());
    assert!(
        matches!(notices.first(), Some(Notice::LostWrites(found)) if found.reference == RefRecovery::Foreign { last }),
        "{notices:?}"
    );
    assert_eq!(store.repository().read_ref(&RefName::WORK).unwrap().unwrap().to_string(), other.trim());
}

#[test]
fn a_disk_that_cannot_be_written_is_still_read() {
    let fixture = TestRepository::new();
    let (mut store, _) = open(fixture.path());
    create(&mut store, "one");
    drop(store);
    restart(&fixture.git_dir());
    // Root may write everything, but not into a folder that is a file.
    let lock = fixture.git_dir().join("cairn/write.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let (store, notices) = open(fixture.path());
    assert!(matches!(notices.first(), Some(Notice::LostWritesRemain { .. })), "{notices:?}");
    assert_eq!(n_items(&store), 1);
}

/// `git gc --prune=now` removes objects that nothing names yet; a writer's may be among them. A disk may lose them too.
#[test]
fn the_next_write_restores_what_somebody_removed() {
    for left in [None, Some(&b""[..])] {
        let fixture = TestRepository::new();
        let mut store = Store::open(fixture.path(), Arc::new(|_| {})).unwrap();
        for title in ["first", "second", "third"] {
            create(&mut store, title);
        }
        let git_dir = fixture.git_dir();
        for commit in ["refs/cairn/work", "refs/cairn/work~1"].map(|name| git_in(fixture.path(), &["rev-parse", name]))
        {
            let path = git_dir.join("objects").join(&commit[..2]).join(&commit[2..]);
            fs::remove_file(&path).unwrap();
            if let Some(content) = left {
                put(&path, content);
            }
        }
        create(&mut Store::open(fixture.path(), Arc::new(|_| {})).unwrap(), "fourth");
        assert_sound(&fixture);
        let store = Store::open(fixture.path(), Arc::new(|_| {})).unwrap();
        assert_eq!(store.index().op_counts().unwrap().len(), 4);
    }
}
