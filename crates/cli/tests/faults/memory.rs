//! Hostile pushes: bounded memory, linear time, and an oversized log does not affect ours.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use testkit::{Cairn, Layout, Ran, TestRepository, git_in, git_with_input};

/// Maximum memory of a sync, in KiB.
const MAX_MEMORY: u64 = 300 * 1024;
/// Maximum memory of an import, in KiB: 193 MB were measured for 170 MB of items.
const MAX_IMPORT_MEMORY: u64 = 260 * 1024;
/// Maximum memory of an export, in KiB.
const MAX_EXPORT_MEMORY: u64 = 96 * 1024;

/// A hub whose log is one commit that refers to one file of operations many times, and a clone of it.
fn hub_and_clone(n_items: usize, n_comments: usize, n_names: usize) -> (TestRepository, Cairn) {
    let hub = TestRepository::in_memory(Layout::BARE);
    let blob =
        git_with_input(hub.path(), &["hash-object", "-w", "--stdin"], operations(n_items, n_comments).as_bytes());
    let entries: String = (0..n_names).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "100644 blob {blob}\t{n:06}.jsonl");
        text
    });
    let folder = git_with_input(hub.path(), &["mktree"], entries.as_bytes());
    let tree = git_with_input(hub.path(), &["mktree"], format!("040000 tree {folder}\tops\n").as_bytes());
    let commit = testkit::write_commit(hub.path(), &tree, &[], b"import\n");
    git_in(hub.path(), &["update-ref", "refs/cairn/work", &commit]);
    let clone = hub.clone_beside("clone", &[]);
    (hub, Cairn::new(env!("CARGO_BIN_EXE_cairn"), &clone))
}

fn operations(n_items: usize, n_comments: usize) -> String {
    let mut lines = String::new();
    let mut lamport = 0;
    let mut line = |lines: &mut String, item: usize, rest: &str| {
        lamport += 1;
        let (id, entity) = (uuid(0x10_0000 + lamport), uuid(item));
        let _ = writeln!(
            lines,
            "{{\"v\":1,\"id\":\"{id}\",\"entity\":\"{entity}\",\"lamport\":{lamport},\
             \"at\":\"2026-03-10T00:00:00Z\",\"by\":\"Mallory <m@example.com>\",{rest}}}"
        );
    };
    for item in 0..n_items {
        let number = item + 1;
        let rest = format!(
            "\"kind\":\"create\",\"item\":\"issue\",\"number\":{number},\"fields\":{{\"title\":\"item {number}\"}}"
        );
        line(&mut lines, item, &rest);
    }
    for comment in 0..n_comments {
        let body = format!("remark {comment} {}", "and so on ".repeat(8));
        let id = uuid(0x2000_0000 + comment);
        let rest = format!("\"kind\":\"comment\",\"comment\":\"{id}\",\"body\":\"{body}\"");
        line(&mut lines, comment % n_items, &rest);
    }
    lines
}

fn uuid(n: usize) -> String {
    format!("00000000-0000-7000-8000-{n:012x}")
}

/// Runs a process to its end and returns its peak memory, in KiB.
fn peak_memory(child: Child) -> (Ran, u64) {
    let status = format!("/proc/{}/status", child.id());
    let watch = std::thread::spawn(move || {
        let mut peak = 0;
        // The status file is gone once the process has exited.
        while let Some(now) = high_water_mark(Path::new(&status)) {
            peak = peak.max(now);
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    });
    let ran = Ran::of(child);
    (ran, watch.join().unwrap())
}

fn high_water_mark(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

#[test]
fn a_small_push_takes_little_memory() {
    // More operations than are folded at once, so that those of one item come in several batches.
    let (_hub, cairn) = hub_and_clone(400, 140_000, 16);
    let (ran, peak) = peak_memory(cairn.command(&["sync"]).spawn().unwrap());
    assert!(ran.status.success(), "{ran}");
    assert!(peak > 1024 && peak < MAX_MEMORY, "{peak} KiB");
    let page = cairn.json(&["list", "--limit", "1"]);
    assert_eq!(page["total"], 400);
    for number in ["1", "400"] {
        assert_eq!(cairn.json(&["show", number])["commentCount"], 350, "#{number}");
    }
    cairn.ok(&["doctor"]);
}

/// The state of each item during ingestion is in a temporary table.
#[test]
fn a_push_of_many_items_takes_little_memory() {
    const N_ITEMS: usize = 120_000;
    let (_hub, cairn) = hub_and_clone(N_ITEMS, 0, 1);
    let (ran, peak) = peak_memory(cairn.command(&["sync"]).spawn().unwrap());
    assert!(ran.status.success(), "{ran}");
    assert!(peak > 1024 && peak < MAX_MEMORY, "{peak} KiB");
    assert_eq!(cairn.json(&["list", "--limit", "1"])["total"], N_ITEMS);
}

#[test]
fn a_log_that_is_too_much_leaves_ours_alone() {
    let (_hub, cairn) = hub_and_clone(50, 2_000, 4);
    cairn.ok(&["new", "issue", "ours"]);
    git_in(cairn.directory(), &["config", "cairn.maxReceiveBytes", "100000"]);
    let before = git_in(cairn.directory(), &["rev-parse", "refs/cairn/work"]);
    let ran = cairn.run(&["sync"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: the log that was received has more than 100000 bytes of operations; it was rejected
    hint: what was here before is untouched; if you trust the remote, raise the limit with `git config cairn.maxReceiveBytes BYTES`
    ");
    assert_eq!(git_in(cairn.directory(), &["rev-parse", "refs/cairn/work"]), before);
    assert_eq!(cairn.json(&["list"])["total"], 1);
    cairn.quiet(&["new", "issue", "another"]);
    git_in(cairn.directory(), &["config", "--unset", "cairn.maxReceiveBytes"]);
    cairn.ok(&["sync"]);
    assert_eq!(cairn.json(&["list", "--limit", "1"])["total"], 52);
}

/// Writes items in the form of `cairn import`: 150 MB of text, so that memory that grows with the file shows.
fn items_file(directory: &Path, n_items: usize) -> PathBuf {
    let path = directory.join("items.jsonl");
    let mut file = BufWriter::new(File::create(&path).unwrap());
    let description = format!("{} ", "lorem".repeat(20)).repeat(30);
    for n in 0..n_items {
        writeln!(file, "{{\"id\":\"E-{n}\",\"title\":\"Item {n}\",\"description\":\"{description}\"}}").unwrap();
    }
    file.into_inner().unwrap();
    path
}

/// An import reads its input twice, an export its operations, instead of keeping them.
#[test]
fn a_large_import_and_its_export_take_little_memory() {
    const N_ITEMS: usize = 50_000;
    let project = TestRepository::in_memory(Layout::PLAIN);
    let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), project.path());
    let file = items_file(&project.directory_path(), N_ITEMS);
    assert!(file.metadata().unwrap().len() > 150_000_000);
    let (ran, peak) = peak_memory(cairn.command(&["import", file.to_str().unwrap()]).spawn().unwrap());
    insta::assert_snapshot!(testkit::lines_with(&ran.out(), "items created"), @"items created: 50000, updated: 0, unchanged: 0; comments: 0");
    assert!(peak > 1024 && peak < MAX_IMPORT_MEMORY, "import: {peak} KiB");
    std::fs::remove_file(&file).unwrap();
    let (ran, peak) = peak_memory(cairn.command(&["export", "jsonl", file.to_str().unwrap()]).spawn().unwrap());
    assert!(ran.status.success() && file.metadata().unwrap().len() > 150_000_000, "{ran}");
    assert!(peak > 1024 && peak < MAX_EXPORT_MEMORY, "export: {peak} KiB");
}
