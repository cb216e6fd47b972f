//! Makes each step of a write fail: nothing is half written, and the next write works.

use std::fs;
use std::path::Path;
use std::process::Command;

use app::verb::ListOptions;
use app::{Error, ErrorKind, Project};
use model::item::ItemKind;
use testkit::git_in;

use crate::harness::{TestProject, by_name, new_item, open, tip};

/// A project with one item, whose objects and refs are all packed, so that every step has to create its file.
fn packed() -> TestProject {
    let test = TestProject::with(ItemKind::Task, &["One"]);
    test.fixture.git(&["repack", "-adq"]);
    test.fixture.git(&["prune-packed", "-q"]);
    test.fixture.git(&["pack-refs", "--all"]);
    for fan_out in 0..=255_u8 {
        let _ = fs::remove_dir(test.fixture.git_dir().join(format!("objects/{fan_out:02x}")));
    }
    TestProject { project: open(test.fixture.path()), ..test }
}

fn write(project: &mut Project) -> Result<(), Error> {
    project.create(&new_item(ItemKind::Task, "Two", &[])).map(drop)
}

/// Breaks a step, tries to write with a project opened before and one opened after, repairs it and writes.
fn check(name: &str, break_it: impl Fn(&Path), repair: impl Fn(&Path)) {
    let mut test = packed();
    let (git_dir, before) = (test.fixture.git_dir(), test.tip());
    break_it(&git_dir);
    let errors = [write(&mut test.project), write(&mut open(test.fixture.path()))];
    repair(&git_dir);
    for error in errors {
        let error = error.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable, "{name}: {error:?}");
        assert!(error.message.contains(git_dir.to_str().unwrap()), "{name} names no place: {error}");
    }
    assert_eq!(test.tip(), before, "{name} moved something");
    assert_eq!(open(test.fixture.path()).list(&ListOptions::default()).unwrap().total, 1, "{name}");
    assert_nothing_left(name, &test);
    test.create(ItemKind::Task, "Two");
    assert_eq!(open(test.fixture.path()).show(&by_name("2")).unwrap().title, "Two", "{name}");
    assert!(test.project.doctor().unwrap().ok, "{name}");
}

fn assert_nothing_left(name: &str, test: &TestProject) {
    let fsck = test.fixture.git(&["fsck", "--strict", "--full", "--no-dangling"]);
    assert_eq!(fsck, "", "{name}");
    let mut folders = vec![test.fixture.git_dir()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(!file.starts_with("tmp_obj") && !file.ends_with("work.lock"), "{name} left {}", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}

/// Puts an empty file in place of a folder.
fn obstruct(path: &Path) {
    let _ = fs::remove_dir_all(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "").unwrap();
}

#[test]
fn the_writers_lock_cannot_be_made() {
    let path = |git_dir: &Path| git_dir.join("cairn/write.lock");
    let break_it = |git_dir: &Path| {
        fs::remove_file(path(git_dir)).unwrap();
        fs::create_dir(path(git_dir)).unwrap();
    };
    check("writers' lock", break_it, |git_dir| fs::remove_dir(path(git_dir)).unwrap());
}

#[test]
fn an_object_cannot_be_written() {
    let paths = |git_dir: &Path| (0..=255_u8).map(|n| git_dir.join(format!("objects/{n:02x}"))).collect::<Vec<_>>();
    let break_it = |git_dir: &Path| paths(git_dir).iter().for_each(|path| obstruct(path));
    check("object", break_it, |git_dir| paths(git_dir).iter().for_each(|path| fs::remove_file(path).unwrap()));
}

#[test]
fn the_reference_cannot_be_locked() {
    let path = |git_dir: &Path| git_dir.join("refs/cairn/work.lock");
    let break_it = |git_dir: &Path| fs::create_dir_all(path(git_dir)).unwrap();
    check("reference lock", break_it, |git_dir| fs::remove_dir(path(git_dir)).unwrap());
}

#[test]
fn the_folder_of_the_reference_cannot_be_made() {
    let path = |git_dir: &Path| git_dir.join("refs/cairn");
    check("reference folder", |git_dir| obstruct(&path(git_dir)), |git_dir| fs::remove_file(path(git_dir)).unwrap());
}

#[test]
fn the_reference_cannot_take_its_name() {
    let path = |git_dir: &Path| git_dir.join("refs/cairn/work").join("in/the/way");
    let break_it = |git_dir: &Path| {
        fs::create_dir_all(path(git_dir)).unwrap();
        fs::write(path(git_dir).join("x"), "").unwrap();
    };
    check("reference", break_it, |git_dir| fs::remove_dir_all(git_dir.join("refs/cairn/work")).unwrap());
}

#[test]
fn the_reflog_cannot_be_written() {
    let path = |git_dir: &Path| git_dir.join("logs/refs/cairn");
    let break_it = |git_dir: &Path| {
        git_in(git_dir, &["config", "core.logAllRefUpdates", "always"]);
        obstruct(&path(git_dir));
    };
    check("reflog", break_it, |git_dir| fs::remove_file(path(git_dir)).unwrap());
}

#[test]
fn a_folder_in_the_place_of_the_index_does_not_fail_the_write() {
    let test = packed();
    let path = test.fixture.git_dir().join("cairn/index");
    drop(test.project);
    fs::remove_file(&path).unwrap();
    fs::create_dir_all(path.join("in the way")).unwrap();
    let mut project = open(test.fixture.path());
    write(&mut project).unwrap();
    assert_eq!(project.show(&by_name("2")).unwrap().title, "Two");
    assert_eq!(open(test.fixture.path()).show(&by_name("2")).unwrap().title, "Two");
}

#[test]
fn nothing_at_all_can_be_written() {
    let directory = tempfile::TempDir::new().unwrap();
    let disk = directory.path().canonicalize().unwrap();
    let run = |words: &[&str]| {
        Command::new(words[0]).args(&words[1..]).arg(&disk).status().is_ok_and(|status| status.success())
    };
    if !run(&["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs"]) {
        return testkit::skip("only root can mount a disk that is read-only");
    }
    let result = std::panic::catch_unwind(|| on_a_read_only_disk(&disk, &run));
    assert!(run(&["umount", "--lazy"]));
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn on_a_read_only_disk(disk: &Path, run: &dyn Fn(&[&str]) -> bool) {
    git_in(disk, &["init", "--quiet"]);
    git_in(disk, &["config", "user.name", "Ada"]);
    git_in(disk, &["config", "user.email", "ada@example.com"]);
    write(&mut open(disk)).unwrap();
    let at = tip(disk);
    assert!(run(&["mount", "-o", "remount,ro"]));
    let mut project = open(disk);
    let error = write(&mut project).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable, "{error:?}");
    assert_eq!(project.list(&ListOptions::default()).unwrap().total, 1, "reading works");
    drop(project);
    assert!(run(&["mount", "-o", "remount,rw"]));
    assert_eq!(tip(disk), at);
    write(&mut open(disk)).unwrap();
    assert_eq!(open(disk).list(&ListOptions::default()).unwrap().total, 2);
}
