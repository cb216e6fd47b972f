//! The writer lock: one writer at a time, no write lost, and recovery after a killed writer.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

use store::git::{Holder, Repository, WriterGuard};
use testkit::{Layout, TestRepository};

use crate::git_support::{advance, assert_sound, open};

const WRITER: &str = "CAIRN_TEST_WRITER";
const DOOMED: &str = "CAIRN_TEST_DOOMED";

fn lock(repository: &Repository) -> WriterGuard {
    repository.lock_writers(|_| ()).unwrap()
}

/// Writes fifty commits under the lock; run as a child process by the test below only.
#[test]
fn writer() {
    let Ok(name) = std::env::var(WRITER) else {
        return;
    };
    let repository = open(std::path::Path::new("."));
    for number in 0..50 {
        let _guard = lock(&repository);
        advance(&repository, &format!("{name} {number}"));
    }
}

#[test]
fn four_processes_lose_no_write() {
    let fixture = TestRepository::new();
    let writers = [0, 1, 2, 3].map(|name| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["git_writers::writer", "--exact"]).current_dir(fixture.path());
        command.env(WRITER, name.to_string()).stdout(Stdio::null()).spawn().unwrap()
    });
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(fixture.git(&["rev-list", "--count", "refs/cairn/work"]), "200");
    assert_sound(&fixture);
}

#[test]
fn four_threads_lose_no_write() {
    for layout in [Layout::PLAIN, Layout { refs: "reftable", ..Layout::BARE }] {
        let fixture = TestRepository::with(layout);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let repository = open(fixture.path());
                    (0..10).for_each(|_| {
                        let _guard = lock(&repository);
                        advance(&repository, "write");
                    });
                });
            }
        });
        assert_eq!(fixture.git(&["rev-list", "--count", "refs/cairn/work"]), "40", "{layout:?}");
    }
}

#[test]
fn a_clean_release_leaves_nothing_to_recover() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    assert_eq!(lock(&repository).recovered(), None);
    assert_eq!(lock(&repository).recovered(), None);
    assert_eq!(fs::read_to_string(fixture.git_dir().join("cairn/write.lock")).unwrap(), "");
}

/// Dies in the middle of a write; run as a child process by the test below only.
#[test]
fn doomed() {
    let Ok(path) = std::env::var(DOOMED) else {
        return;
    };
    let repository = open(std::path::Path::new(&path));
    let _guard = lock(&repository);
    fs::write(repository.common_dir().join("refs/cairn/work.lock"), "").unwrap();
    std::process::abort();
}

#[test]
fn a_writer_that_crashes_locks_nobody_out() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["git_writers::doomed", "--exact"]).env(DOOMED, fixture.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = child.id();
    assert!(!child.wait().unwrap().success());
    let guard = lock(&repository);
    let recovered = guard.recovered().unwrap();
    assert_eq!(recovered.pid, pid);
    assert_eq!(recovered.removed, [fixture.git_dir().join("refs/cairn/work.lock")]);
    advance(&repository, "two");
}

#[test]
fn a_killed_writers_lock_is_removed_and_reported() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    drop(lock(&repository));
    let stale = fixture.git_dir().join("refs/cairn/work.lock");
    fs::write(fixture.git_dir().join("cairn/write.lock"), format!("pid 4242 {}\n", seconds_ago(60))).unwrap();
    make(&stale, 30);
    let guard = lock(&repository);
    let recovered = guard.recovered().unwrap();
    assert_eq!((recovered.pid, recovered.removed.as_slice()), (4242, [stale.clone()].as_slice()));
    assert!(!stale.exists());
    advance(&repository, "two");
}

#[test]
fn a_lock_from_before_the_killed_writer_is_not_its_own() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    drop(lock(&repository));
    let foreign = fixture.git_dir().join("refs/cairn/work.lock");
    fs::write(fixture.git_dir().join("cairn/write.lock"), format!("pid 4242 {}\n", seconds_ago(60))).unwrap();
    make(&foreign, 3600);
    let guard = lock(&repository);
    assert!(guard.recovered().unwrap().removed.is_empty());
    assert!(foreign.exists());
}

#[test]
fn a_lock_file_without_a_dead_holder_is_left_alone() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    let foreign = fixture.git_dir().join("refs/cairn/work.lock");
    make(&foreign, 30);
    assert_eq!(lock(&repository).recovered(), None);
    assert!(foreign.exists());
}

#[test]
fn a_waiting_writer_learns_the_lock_holder() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let guard = lock(&repository);
    let (tell, told) = mpsc::channel::<Option<Holder>>();
    thread::scope(|scope| {
        let second = repository.clone();
        let waiting = scope.spawn(move || {
            let on_wait = move |holder| tell.send(holder).unwrap();
            let guard = second.lock_writers_with_notice(Duration::from_millis(50), on_wait).unwrap();
            assert_eq!(guard.recovered(), None);
        });
        let holder = told.recv().unwrap().unwrap();
        assert_eq!(holder.pid, std::process::id());
        assert!(!waiting.is_finished());
        drop(guard);
    });
}

#[test]
fn a_deleted_folder_does_not_let_two_writers_in() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let first = lock(&repository);
    let (started, start) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let second = repository.clone();
        let waiting = scope.spawn(move || {
            second
                .lock_writers_with_notice(Duration::from_millis(20), move |_| {
                    started.send(()).unwrap();
                })
                .unwrap()
        });
        start.recv().unwrap();
        fs::remove_dir_all(fixture.git_dir().join("cairn")).unwrap();
        drop(first);
        let guard = waiting.join().unwrap();
        let file = File::open(fixture.git_dir().join("cairn/write.lock")).unwrap();
        assert!(file.try_lock().is_err(), "the lock is on the file others open");
        drop(guard);
    });
}

#[test]
fn maintenance_packs_loose_objects() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    let sample = fixture.git_dir().join("objects/17");
    fs::create_dir_all(&sample).unwrap();
    let packs = || fs::read_dir(fixture.git_dir().join("objects/pack")).unwrap().count();
    (0..30).for_each(|number| fs::write(sample.join(format!("{number:038}")), "").unwrap());
    repository.maintain();
    assert_eq!(packs(), 0, "the person turned it off");
    (0..30).for_each(|number| fs::remove_file(sample.join(format!("{number:038}"))).unwrap());
    fixture.git(&["config", "gc.auto", "1"]);
    fixture.git(&["config", "maintenance.auto", "true"]);
    let mut number = 0;
    while fs::read_dir(&sample).unwrap().count() < 2 {
        number += 1;
        advance(&repository, &number.to_string());
    }
    repository.maintain();
    let deadline = SystemTime::now() + Duration::from_secs(20);
    while packs() == 0 && SystemTime::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(packs() > 0);
}

fn seconds_ago(seconds: u64) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    now.as_secs() - seconds
}

fn make(path: &std::path::Path, age_in_seconds: u64) {
    let file = File::create(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(age_in_seconds)).unwrap();
}
