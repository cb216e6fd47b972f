//! An index that is damaged, missing or foreign: rebuilt automatically with one warning, and the results are correct.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use testkit::redact;

use crate::support::{Project, titles};

/// Returns the schema version in the index file.
fn version_of(path: &Path) -> u32 {
    let bytes = fs::read(path).unwrap();
    u32::from_be_bytes(bytes[60..64].try_into().unwrap())
}

const TITLES: [&str; 3] = ["one", "two", "three"];

/// Damages the index, checks the results of the next command, and returns its warning, which all commands print alike.
/// A missing index is not damage: it can be deleted at any time.
#[track_caller]
fn check(damage: impl Fn(&Path)) -> String {
    let mut warning = None;
    for first in [&["list", "--json"][..], &["new", "issue", "three"], &["search", "two"], &["show", "1", "--json"]] {
        let project = Project::with_items(&TITLES[..2]);
        damage(&project.index());
        let ran = project.cairn.ok(first);
        let told = redact(&ran.err());
        assert_eq!(warning.get_or_insert_with(|| told.clone()), &told, "{first:?}");
        let n_expected = if first[0] == "new" { 3 } else { 2 };
        match first[0] {
            "list" => assert_eq!(ran.json()["total"], 2),
            "show" => assert_eq!(ran.json()["title"], "one"),
            _ => assert!(ran.out().contains(TITLES[n_expected - 1]), "{ran}"),
        }
        project.cairn.quiet(&["list"]);
        assert_eq!(titles(&project.cairn), TITLES[..n_expected]);
        assert_eq!(project.cairn.json(&["doctor"])["ok"], true);
    }
    warning.unwrap_or_default()
}

fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    format!("{}{suffix}", path.display()).into()
}

/// Overwrites a part of a file.
fn scribble(path: &Path, at: u64, length: usize) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&vec![0xa5; length]).unwrap();
}

/// Leaves only the main file, so that a change to it has an effect.
fn without_wal(path: &Path) {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(path, suffix));
    }
}

#[test]
fn overwritten_with_garbage() {
    let warning = check(|path| {
        without_wal(path);
        fs::write(path, b"this is no database, it is a shopping list\n".repeat(500)).unwrap();
    });
    insta::assert_snapshot!(warning, @"warning: the index `<tmp>/project/.git/cairn/index` was damaged (file is not a database) and is rebuilt; nothing is lost");
}

/// If SQLite has all pages in the WAL, the main file does not matter yet.
#[test]
fn overwritten_while_its_log_stays() {
    let project = Project::with_items(&["one", "two"]);
    fs::write(project.index(), b"garbage".repeat(2000)).unwrap();
    assert!(project.cairn.ok(&["list"]).err().lines().count() <= 1);
    project.cairn.quiet(&["new", "issue", "three"]);
    assert_eq!(titles(&project.cairn), TITLES);
    // Pages that are not in the WAL are still damaged, and `doctor` reports it.
    project.cairn.ok(&["reindex"]);
    assert_eq!(project.cairn.json(&["doctor"])["ok"], true);
}

#[test]
fn truncated() {
    let warning = check(|path| {
        without_wal(path);
        let version = version_of(path);
        fs::write(path, &database(version)[..3000]).unwrap();
    });
    insta::assert_snapshot!(warning, @"warning: the index `<tmp>/project/.git/cairn/index` was damaged (no such table: meta) and is rebuilt; nothing is lost");
}

#[test]
fn without_its_tables() {
    let warning = check(|path| {
        without_wal(path);
        let version = version_of(path);
        fs::write(path, database(version)).unwrap();
    });
    insta::assert_snapshot!(warning, @"warning: the index `<tmp>/project/.git/cairn/index` was damaged (no such table: meta) and is rebuilt; nothing is lost");
}

#[test]
fn of_another_version() {
    let warning = check(|path| {
        without_wal(path);
        fs::write(path, database(4711)).unwrap();
    });
    insta::assert_snapshot!(warning, @"");
}

#[test]
fn empty() {
    insta::assert_snapshot!(check(|path| fs::write(path, b"").unwrap()), @"");
}

#[test]
fn deleted_while_its_log_stays() {
    insta::assert_snapshot!(check(|path| fs::remove_file(path).unwrap()), @"");
}

#[test]
fn a_pointer_that_names_nothing() {
    insta::assert_snapshot!(check(|path| fs::write(path.with_file_name("index"), "someone was here").unwrap()), @"warning: the index `<tmp>/project/.git/cairn/index` was damaged (it names no index) and is rebuilt; nothing is lost");
}

#[test]
fn a_missing_index_pointer() {
    insta::assert_snapshot!(check(|path| fs::remove_file(path.with_file_name("index")).unwrap()), @"");
}

#[test]
fn a_folder() {
    let warning = check(|path| {
        without_wal(path);
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("someone"), "was here").unwrap();
    });
    insta::assert_snapshot!(warning, @"warning: the index `<tmp>/project/.git/cairn/index` was damaged (it is a folder) and is rebuilt; nothing is lost");
}

#[test]
fn garbage_in_its_log() {
    let project = Project::with_items(&["one", "two"]);
    let wal = beside(&project.index(), "-wal");
    let length = fs::metadata(&wal).unwrap().len();
    // SQLite treats a truncated WAL as a crash: it uses the part before the break, which may be empty.
    for at in [0, length / 3, length / 2] {
        scribble(&wal, at, 100);
        assert!(project.cairn.ok(&["list"]).err().lines().count() <= 1);
        assert_eq!(titles(&project.cairn), ["one", "two"]);
        project.cairn.quiet(&["comment", "1", "more"]);
    }
    assert_eq!(project.cairn.json(&["doctor"])["ok"], true);
}

/// Damage in the middle of pages, or half of them missing: results stay correct, after at most one warning.
#[test]
fn garbage_in_the_middle_of_pages() {
    let project = Project::with_items(&["one", "two"]);
    // Enough data for SQLite to checkpoint the WAL by itself.
    let lines: Vec<String> =
        (0..1500).map(|n| format!("{{\"title\":\"item {n}\",\"description\":\"{}\"}}", "text ".repeat(500))).collect();
    let ran = project.cairn.run_with_input(&["import", "-"], lines.join("\n").as_bytes());
    assert_eq!(ran.code(), Some(0), "{ran}");
    project.cairn.quiet(&["list", "--limit", "0"]);
    let expected = project.cairn.quiet(&["list", "--all", "--limit", "0", "--json"]).stdout;
    let whole = fs::read(project.index()).unwrap();
    assert!(whole.len() > 2_000_000, "the index is still in its log: {} bytes", whole.len());
    let n_pages = whole.len() / 4096;
    let mut n_said = 0;
    for page in [0, 1, 2, 5, n_pages / 4, n_pages / 2, n_pages - 2, n_pages] {
        project.remove_index();
        if page == n_pages {
            fs::write(project.index(), &whole[..whole.len() / 2]).unwrap();
        } else {
            fs::write(project.index(), &whole).unwrap();
            scribble(&project.index(), page as u64 * 4096 + if page == 0 { 100 } else { 0 }, 2000);
        }
        let mut n_warnings = 0;
        for command in [&["list", "--all", "--limit", "0", "--json"][..], &["search", "text", "--json"], &["show", "1"]]
        {
            let ran = project.cairn.ok(command);
            n_warnings += ran.err().lines().count();
            if command[0] == "list" {
                assert!(ran.stdout == expected, "page {page}: the list differs");
            }
        }
        assert!(n_warnings <= 1, "page {page}: said {n_warnings} times");
        n_said += n_warnings;
        let ran = project.cairn.ok(&["new", "issue", "still works"]);
        n_said += ran.err().lines().count();
        let tip = project.repository.git(&["rev-parse", "refs/cairn/work~1"]);
        project.repository.git(&["update-ref", "refs/cairn/work", &tip]);
    }
    assert!(n_said >= 2, "no damage was ever noticed");
}

/// SQLite accepts a flipped bit inside a text; the checksums of the index do not.
#[test]
fn flipped_bits_in_texts_are_not_believed() {
    let [title, remark] = ["unmistakable title", "unmistakable remark"];
    for (text, command) in [
        (title, &["list"][..]),
        (title, &["show", "1"]),
        (title, &["edit", "1", "--priority", "3"]),
        (title, &["export", "-"]),
        (remark, &["show", "1"]),
    ] {
        let project = Project::with_items(&[title]);
        project.cairn.quiet(&["comment", "1", remark]);
        // A rebuilt index is in the main file, not in the WAL.
        project.cairn.ok(&["reindex"]);
        let mut bytes = fs::read(project.index()).unwrap();
        let is_there = |at: &usize| bytes[*at..].starts_with(text.as_bytes());
        let places: Vec<usize> = (0..bytes.len()).filter(is_there).collect();
        assert!(!places.is_empty(), "`{text}` is not in the index");
        for at in places {
            bytes[at + 3] ^= 1;
        }
        fs::write(project.index(), bytes).unwrap();
        let ran = project.cairn.ok(command);
        assert!(ran.out().contains(text), "{command:?}: {ran}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(redact(&ran.err()), @"warning: the index `<tmp>/project/.git/cairn/index-<id>.db` is damaged: a value does not fit its checksum: Error code 11: database disk image is malformed; it is rebuilt, nothing is lost");
        }
        assert!(project.cairn.quiet(&["show", "1"]).out().contains(text));
    }
}

/// A SQLite file of one page without tables, with a given `user_version`.
fn database(user_version: u32) -> Vec<u8> {
    let mut page = vec![0; 4096];
    page[..16].copy_from_slice(b"SQLite format 3\0");
    page[16..18].copy_from_slice(&4096_u16.to_be_bytes());
    page[18..24].copy_from_slice(&[1, 1, 0, 64, 32, 32]);
    for (at, value) in [(24, 1), (28, 1), (44, 4), (56, 1), (60, user_version), (92, 1), (96, 3_045_000)] {
        page[at..at + 4].copy_from_slice(&u32::to_be_bytes(value));
    }
    page[100] = 0x0d;
    page[105..107].copy_from_slice(&4096_u16.to_be_bytes());
    page
}

#[test]
fn the_log_says_why_an_index_is_built_and_only_if_asked() {
    let project = Project::with_items(&TITLES[..2]);
    let before = project.cairn.ok(&["list"]);
    assert_eq!(before.err(), "");
    fs::remove_file(project.index()).unwrap();
    let logged = project.cairn.ok(&["-v", "list"]);
    insta::assert_snapshot!(redact(&logged.err()), @"
    <moment> DEBUG store::attach: building an index path=<tmp>/project/.git/cairn/index-<id>.db
    <moment> DEBUG store::attach: index caught up n_commits=2 rebuilt=true
    ");
    assert_eq!(logged.out(), before.out());
    assert_eq!(project.cairn.ok(&["-v", "list"]).err(), "", "nothing to log if the index is current");
}
