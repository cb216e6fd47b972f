//! Readers and writers beside two processes that reindex and one that damages the index: no result is incomplete, no
//! clock decreases, no number is assigned twice.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use testkit::{Cairn, Layout, TestRepository};

use crate::linearizable::check_clocks;
use crate::time_to_run;

struct World {
    cairn: Cairn,
    is_over: AtomicBool,
    /// Acknowledged writes.
    n_written: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

#[test]
fn rebuilding_the_index_disturbs_no_other_process() {
    check(6, |_| {});
}

#[test]
fn repairing_the_index_disturbs_no_other_process() {
    let damages = [names_nothing, is_deleted, has_no_header];
    let next = AtomicUsize::new(0);
    check(6, move |git_dir| damages[next.fetch_add(1, Ordering::SeqCst) % damages.len()](git_dir));
}

fn check(usual: u64, damage: impl Fn(&Path) + Sync) {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), fixture.path());
    let world =
        World { cairn, is_over: AtomicBool::new(false), n_written: AtomicUsize::new(0), wrong: Mutex::default() };
    for number in 0..5 {
        world.write(&format!("before {number}"));
    }
    let time = time_to_run(usual);
    std::thread::scope(|scope| {
        let (world, damage, git_dir) = (&world, &damage, fixture.git_dir());
        for name in 0..2 {
            scope.spawn(move || world.repeat(|n| world.write(&format!("item {name}-{n}"))));
            scope.spawn(move || world.repeat(|_| world.read()));
            scope.spawn(move || world.repeat(|_| world.run(&["reindex"])));
        }
        scope.spawn(move || {
            world.repeat(|_| {
                damage(&git_dir);
                std::thread::sleep(Duration::from_millis(150));
            });
        });
        std::thread::sleep(time);
        world.is_over.store(true, Ordering::SeqCst);
    });
    let wrong = world.wrong.lock().unwrap();
    assert!(wrong.is_empty(), "{} wrong, the first: {}", wrong.len(), wrong[0]);
    check_clocks(fixture.path());
    let page = world.cairn.json(&["list", "--all", "--limit", "0"]);
    let numbers: Vec<u64> =
        page["items"].as_array().unwrap().iter().filter_map(|item| item["number"].as_u64()).collect();
    let distinct: std::collections::BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(distinct, (1..=numbers.len() as u64).collect(), "a number was claimed twice");
    assert_eq!(numbers.len(), world.n_written.load(Ordering::SeqCst), "a write was lost");
    assert_eq!(world.cairn.json(&["doctor"])["ok"], true);
}

impl World {
    fn repeat(&self, mut step: impl FnMut(usize)) {
        let mut n_steps = 0;
        while !self.is_over.load(Ordering::SeqCst) {
            step(n_steps);
            n_steps += 1;
        }
    }

    fn write(&self, title: &str) {
        self.run(&["new", "issue", title]);
        self.n_written.fetch_add(1, Ordering::SeqCst);
    }

    fn read(&self) {
        let at_least = self.n_written.load(Ordering::SeqCst);
        let ran = self.cairn.run(&["--json", "list", "--all", "--limit", "0"]);
        if !ran.status.success() {
            return self.wrong.lock().unwrap().push(format!("a read failed: {ran}"));
        }
        let n_items = ran.json()["items"].as_array().map_or(0, Vec::len);
        if n_items < at_least {
            self.wrong.lock().unwrap().push(format!("{n_items} of at least {at_least} items: {ran}"));
        }
    }

    fn run(&self, arguments: &[&str]) {
        let ran = self.cairn.run(arguments);
        if !ran.status.success() {
            self.wrong.lock().unwrap().push(format!("{arguments:?} failed: {ran}"));
        }
    }
}

fn index_file(git_dir: &Path) -> Option<std::path::PathBuf> {
    let name = fs::read_to_string(git_dir.join("cairn/index")).ok()?;
    Some(git_dir.join("cairn").join(name.trim_end()))
}

fn names_nothing(git_dir: &Path) {
    fs::write(git_dir.join("cairn/index"), "someone was here\n").unwrap();
}

fn is_deleted(git_dir: &Path) {
    let Some(file) = index_file(git_dir) else { return };
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", file.display()));
    }
}

fn has_no_header(git_dir: &Path) {
    use std::os::unix::fs::FileExt;

    let file = index_file(git_dir).and_then(|file| fs::OpenOptions::new().write(true).open(file).ok());
    if let Some(file) = file {
        file.write_all_at(&[0xa5; 100], 0).unwrap();
    }
}
