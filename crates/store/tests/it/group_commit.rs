//! Group commit: concurrent writes of one process share a commit, each gets its own result, and a failing plan does not
//! affect the others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use jiff::Timestamp;
use model::id::EntityId;
use model::number::{ItemNumber, NumberSpace};
use model::op::Change;
use model::person::Person;
use store::index::Index;
use store::{Notice, Store, StoreError, WriteMeta, WritePlan};
use testkit::{Layout, TestRepository};
use uuid::Uuid;

const OTHER_PROCESS: &str = "CAIRN_TEST_GROUP";

type Planned<T> = Result<(WritePlan, T), Refused>;

/// Why a write of these tests failed.
#[derive(Debug)]
enum Refused {
    ByPlan,
    ByStore(StoreError),
}

impl<E: Into<StoreError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::ByStore(error.into())
    }
}

fn open(path: &Path) -> Store {
    Store::open(path, Arc::new(|_| {})).unwrap()
}

fn write<T: Clone>(store: &mut Store, by: &str, plan: impl FnMut(&Index) -> Planned<T>) -> Result<T, Refused> {
    write_then_read(store, by, plan, |_, answer| Ok(answer))
}

fn write_then_read<T: Clone, U>(
    store: &mut Store,
    by: &str,
    plan: impl FnMut(&Index) -> Planned<T>,
    look: impl FnMut(&Index, T) -> Result<U, Refused>,
) -> Result<U, Refused> {
    let mut next_id = Uuid::now_v7;
    let mut stamps = WriteMeta { at: Timestamp::UNIX_EPOCH, by: Person::new(by, ""), next_id: &mut next_id };
    store.write(&mut stamps, plan, look)
}

/// A plan that creates an item with the next number and returns both.
fn create(index: &Index) -> Planned<(EntityId, u64)> {
    let id = EntityId::new(Uuid::now_v7());
    let number = index.next_number(NumberSpace::Work)?;
    let fields = BTreeMap::from([("title".to_owned(), "a".into())]);
    let change = Change::Create { kind: "task".to_owned(), number: Some(number), fields, sets: BTreeMap::new() };
    Ok((WritePlan::new(format!("task #{number}: create"), [(id, change)]), (id, number)))
}

/// Makes `n_writers` writers meet in one batch: one write is held inside its plan, finally by `hold`, until all others
/// wait.
fn meet<T: Send>(
    fixture: &TestRepository,
    n_writers: usize,
    hold: impl FnOnce() + Send,
    writer: impl Fn(usize, &mut Store) -> T + Sync,
) -> Vec<thread::Result<T>> {
    let (mut holder, watcher) = (open(fixture.path()), open(fixture.path()));
    let mut stores: Vec<Store> = (0..n_writers).map(|_| open(fixture.path())).collect();
    let is_held = AtomicBool::new(false);
    let hold = std::sync::Mutex::new(Some(hold));
    thread::scope(|scope| {
        let (is_held, hold, writer) = (&is_held, &hold, &writer);
        scope.spawn(move || {
            let held = write(&mut holder, "holder", |_| {
                is_held.store(true, Ordering::SeqCst);
                while watcher.n_waiting() < n_writers {
                    thread::yield_now();
                }
                if let Some(hold) = hold.lock().unwrap().take() {
                    hold();
                }
                Ok((WritePlan::default(), ()))
            });
            held.unwrap();
        });
        while !is_held.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        let threads: Vec<_> =
            stores.iter_mut().enumerate().map(|(n, store)| scope.spawn(move || writer(n, store))).collect();
        threads.into_iter().map(thread::ScopedJoinHandle::join).collect()
    })
}

fn n_commits(fixture: &TestRepository) -> usize {
    fixture.git(&["rev-list", "--count", "refs/cairn/work"]).parse().unwrap()
}

fn assert_true(fixture: &TestRepository, n_items: usize) {
    let store = open(fixture.path());
    assert!(store.verify_index().unwrap().is_true);
    assert_eq!(store.index().next_number(NumberSpace::Work).unwrap(), n_items as u64 + 1);
}

#[test]
fn concurrent_writes_become_one_commit() {
    let fixture = TestRepository::new();
    let met = meet(
        &fixture,
        16,
        || {},
        |n, store| {
            let (id, number) = write(store, &format!("writer {n}"), create).unwrap();
            // A writer sees its own write, and the write is in the log.
            assert_eq!(store.index().item(id).unwrap().unwrap().number, number);
            assert_eq!(store.repository().read_ref(&store::git::RefName::WORK).unwrap(), store.index().tip().unwrap());
            number
        },
    );
    let mut numbers: Vec<u64> = met.into_iter().map(Result::unwrap).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=16).collect::<Vec<u64>>());
    assert_eq!(n_commits(&fixture), 1);
    let message = fixture.git(&["log", "-1", "--format=%B", "refs/cairn/work"]);
    assert!(message.starts_with("16 changes: task #1: create; task #2: create; "), "{message}");
    let lines: Vec<&str> = message.lines().filter(|line| line.starts_with('{')).collect();
    for (n, line) in lines.iter().enumerate() {
        assert!(line.contains(&format!("\"lamport\":{},", n + 1)), "{line}");
    }
    for n in 0..16 {
        assert_eq!(lines.iter().filter(|line| line.contains(&format!("\"by\":\"writer {n}\""))).count(), 1);
    }
    assert_true(&fixture, 16);
}

#[test]
fn a_reader_sees_its_write_and_those_before_it() {
    let fixture = TestRepository::new();
    let look = |store: &mut Store| {
        write_then_read(store, "a", create, |index, (id, number)| {
            assert_eq!(index.item(id)?.map(|row| row.number), Some(number));
            assert!(
                (1..number).all(|before| index.item_by_number(ItemNumber::work(before)).is_ok_and(|row| row.is_some()))
            );
            Ok(number)
        })
    };
    assert_eq!(look(&mut open(fixture.path())).unwrap(), 1, "alone");
    let met = meet(&fixture, 8, || {}, |_, store| look(store));
    let mut numbers: Vec<u64> = met.into_iter().map(|seen| seen.unwrap().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (2..=9).collect::<Vec<u64>>());
    assert_eq!(n_commits(&fixture), 2);
    assert_true(&fixture, 9);
}

#[test]
fn a_failing_reader_reverts_nothing() {
    let fixture = TestRepository::new();
    let met = meet(
        &fixture,
        6,
        || {},
        |n, store| {
            write_then_read(store, "a", create, |_, (_, number)| match n {
                1 => Err(Refused::ByPlan),
                2 => panic!("it cannot see"),
                _ => Ok(number),
            })
        },
    );
    for (n, seen) in met.into_iter().enumerate() {
        match n {
            1 => assert!(matches!(seen, Ok(Err(Refused::ByPlan)))),
            2 => assert!(seen.is_err()),
            _ => assert!(seen.unwrap().is_ok()),
        }
    }
    assert_eq!(n_commits(&fixture), 1);
    assert_true(&fixture, 6);
}

#[test]
fn listeners_get_the_number_of_writes_per_commit() {
    let fixture = TestRepository::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let write_once = || {
        let heard = Arc::clone(&heard);
        let listener = move |notice| {
            if let Notice::Committed { n_writes } = notice {
                heard.lock().unwrap().push(n_writes);
            }
        };
        let mut store = Store::open(fixture.path(), Arc::new(listener)).unwrap();
        write(&mut store, "writer", create).unwrap();
    };
    meet(&fixture, 4, || {}, |_, _| write_once());
    write_once();
    assert_eq!(*heard.lock().unwrap(), [4, 1]);
}

#[test]
fn a_failing_or_panicking_plan_affects_no_other_write() {
    let fixture = TestRepository::new();
    let met = meet(
        &fixture,
        9,
        || {},
        |n, store| {
            write(store, "writer", |index| match n % 3 {
                0 => create(index),
                1 => Err(Refused::ByPlan),
                _ => std::panic::resume_unwind(Box::new("the plan broke down")),
            })
        },
    );
    for (n, met) in met.into_iter().enumerate() {
        match n % 3 {
            0 => assert!(matches!(met, Ok(Ok(_))), "{n}"),
            1 => assert!(matches!(met, Ok(Err(Refused::ByPlan))), "{n}"),
            _ => assert!(met.is_err(), "{n}"),
        }
    }
    assert_eq!(n_commits(&fixture), 1);
    write(&mut open(fixture.path()), "later", create).unwrap();
    assert_true(&fixture, 4);
}

#[test]
fn a_plan_sees_the_plans_before_it() {
    let fixture = TestRepository::new();
    let met = meet(
        &fixture,
        8,
        || {},
        |_, store| {
            write(store, "writer", |index| {
                if index.next_number(NumberSpace::Work)? == 1 { create(index) } else { Err(Refused::ByPlan) }
            })
        },
    );
    let met: Vec<_> = met.into_iter().map(Result::unwrap).collect();
    assert_eq!(met.iter().filter(|met| met.is_ok()).count(), 1);
    assert_eq!(met.iter().filter(|met| matches!(met, Err(Refused::ByPlan))).count(), 7);
    assert_true(&fixture, 1);
}

#[test]
fn unsynced_writes_are_invisible_to_others() {
    let fixture = TestRepository::new();
    write(&mut open(fixture.path()), "first", create).unwrap();
    let most = AtomicUsize::new(0);
    let met = meet(
        &fixture,
        8,
        || {},
        |_, store| {
            write(store, "writer", |index| {
                let pending = usize::try_from(index.next_number(NumberSpace::Work)?).unwrap() - 2;
                most.fetch_max(pending, Ordering::SeqCst);
                assert_eq!(open(fixture.path()).index().next_number(NumberSpace::Work)?, 2, "{pending} are pending");
                create(index)
            })
        },
    );
    assert!(met.into_iter().all(|met| met.unwrap().is_ok()));
    assert_eq!(most.load(Ordering::SeqCst), 7);
    assert_true(&fixture, 9);
}

#[test]
fn a_failed_batch_fails_for_all_and_leaves_nothing() {
    let fixture = TestRepository::new();
    write(&mut open(fixture.path()), "first", create).unwrap();
    let lock = fixture.git_dir().join("refs/cairn/work.lock");
    let hold = || fs::write(&lock, "").unwrap();
    let met = meet(&fixture, 8, hold, |n, store| match n {
        // It has nothing to write, but what it saw was never there.
        0 => write(store, "writer", |_| Ok((WritePlan::default(), ()))),
        _ => write(store, "writer", create).map(|_| ()),
    });
    let n_failed = met
        .into_iter()
        .filter(|met| {
            let Ok(Err(Refused::ByStore(error))) = met else { return false };
            matches!(error.unshared(), StoreError::Move(store::git::MoveError::Locked { .. }))
        })
        .count();
    assert_eq!(n_failed, 8);
    assert_eq!(n_commits(&fixture), 1);
    assert_true(&fixture, 1);
    fs::remove_file(lock).unwrap();
    write(&mut open(fixture.path()), "later", create).unwrap();
    assert_true(&fixture, 2);
}

#[test]
fn all_is_planned_again_when_the_ref_moved() {
    let fixture = TestRepository::new();
    write(&mut open(fixture.path()), "first", create).unwrap();
    let (n_plans, is_moved) = (AtomicUsize::new(0), AtomicBool::new(false));
    let met = meet(
        &fixture,
        8,
        || {},
        |_, store| {
            write(store, "writer", |index| {
                n_plans.fetch_add(1, Ordering::SeqCst);
                if !is_moved.swap(true, Ordering::SeqCst) {
                    move_by_hand(&fixture);
                }
                create(index)
            })
        },
    );
    let mut numbers: Vec<u64> = met.into_iter().map(|met| met.unwrap().unwrap().1).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (3..=10).collect::<Vec<u64>>());
    assert_eq!(n_plans.load(Ordering::SeqCst), 16);
    assert_true(&fixture, 10);
}

/// Moves the ref without the writer lock, like a mirror's `git fetch`.
fn move_by_hand(fixture: &TestRepository) {
    let line = "{\"v\":1,\"id\":\"01000000-0000-7000-8000-000000000001\",\"entity\":\
        \"02000000-0000-7000-8000-000000000001\",\"lamport\":2,\"by\":\"Ada\",\"kind\":\"create\",\"item\":\"issue\",\
        \"number\":2,\"fields\":{\"title\":\"by hand\"}}";
    let tree = fixture.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let message = format!("by hand\n\n{line}\n");
    let commit = fixture.git(&["commit-tree", "-p", "refs/cairn/work", "-m", &message, &tree]);
    fixture.git(&["update-ref", "refs/cairn/work", &commit]);
}

#[test]
fn a_person_may_want_a_commit_for_each_write() {
    let fixture = TestRepository::new();
    for (most, n_expected) in [("1", 6), ("4", 2), ("-1", 6)] {
        fixture.git(&["config", "cairn.writesPerCommit", most]);
        write(&mut open(fixture.path()), "before", create).unwrap();
        let before = n_commits(&fixture);
        let met = meet(&fixture, 6, || {}, |_, store| write(store, "writer", create));
        assert!(met.into_iter().all(|met| met.unwrap().is_ok()));
        assert_eq!(n_commits(&fixture) - before, n_expected, "{most}");
    }
    assert_true(&fixture, 21);
}

#[test]
fn an_index_deleted_under_a_group_changes_nothing() {
    let fixture = TestRepository::new();
    for round in 0..3 {
        let folder = fixture.git_dir().join("cairn");
        let met = meet(&fixture, 6, || fs::remove_dir_all(&folder).unwrap(), |_, store| write(store, "writer", create));
        assert!(met.into_iter().all(|met| met.unwrap().is_ok()), "{round}");
    }
    assert_true(&fixture, 18);
}

/// Writes ten items; run as a child process by the test below only.
#[test]
fn other_process() {
    let Ok(path) = std::env::var(OTHER_PROCESS) else {
        return;
    };
    let mut store = open(Path::new(&path));
    for _ in 0..10 {
        write(&mut store, "other process", create).unwrap();
    }
}

#[test]
fn a_busy_group_lets_other_processes_in() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["group_commit::other_process", "--exact"]).env(OTHER_PROCESS, fixture.path());
    let (is_over, n_written) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut store = open(fixture.path());
                while !is_over.load(Ordering::SeqCst) {
                    write(&mut store, "writer", create).unwrap();
                    n_written.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        while n_written.load(Ordering::SeqCst) < 40 {
            thread::yield_now();
        }
        let done = command.stdout(Stdio::null()).status();
        is_over.store(true, Ordering::SeqCst);
        assert!(done.unwrap().success());
    });
    assert_true(&fixture, n_written.into_inner() + 10);
}
