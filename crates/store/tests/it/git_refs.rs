//! References: read from all of git's formats, moved only by compare-and-swap.

use std::fs;
use std::thread;

use store::git::{CommitId, GitError, MoveError, RefName, RefStorage};
use testkit::{Layout, TestRepository};

use crate::git_support::{advance, commit, open};

fn reftable() -> Layout {
    Layout { refs: "reftable", ..Layout::PLAIN }
}

#[test]
fn an_absent_reference_is_none() {
    for layout in Layout::all() {
        let fixture = TestRepository::with(layout);
        assert_eq!(open(fixture.path()).read_ref(&RefName::WORK).unwrap(), None, "{layout:?}");
    }
}

#[test]
fn packed_references_are_read_and_moved() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let first = advance(&repository, "one");
    fixture.git(&["pack-refs", "--all", "--prune"]);
    assert!(!fixture.git_dir().join("refs/cairn/work").exists());
    assert_eq!(repository.read_ref(&RefName::WORK).unwrap(), Some(first));
    let second = advance(&repository, "two");
    assert_eq!(fixture.git(&["rev-parse", "refs/cairn/work"]), second.to_string());
    fixture.git(&["pack-refs", "--all", "--prune"]);
    assert_eq!(repository.read_ref(&RefName::WORK).unwrap(), Some(second));
}

#[test]
fn the_slower_of_two_writers_loses() {
    for layout in [Layout::PLAIN, reftable()] {
        let fixture = TestRepository::with(layout);
        let repository = open(fixture.path());
        let [a, b] = ["a", "b"].map(|message| commit(&repository, &[], message));
        let move_ref = |from, to| repository.move_ref(&RefName::WORK, from, to, "test");
        move_ref(None, a).unwrap();
        assert!(matches!(move_ref(None, b), Err(MoveError::Moved { .. })), "{layout:?}");
        assert!(matches!(move_ref(Some(b), a), Err(MoveError::Moved { .. })), "{layout:?}");
        assert_eq!(repository.read_ref(&RefName::WORK).unwrap(), Some(a));
        move_ref(Some(a), b).unwrap();
        assert_eq!(fixture.git(&["rev-parse", "refs/cairn/work"]), b.to_string());
    }
}

#[test]
fn a_reftable_repository_gets_no_loose_reference() {
    let fixture = TestRepository::with(reftable());
    let repository = open(fixture.path());
    assert_eq!(repository.ref_storage(), RefStorage::Reftable);
    advance(&repository, "one");
    assert!(!fixture.git_dir().join("refs/cairn").exists());
}

#[test]
fn a_broken_reference_is_an_error_that_names_it() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let first = advance(&repository, "one");
    let path = fixture.git_dir().join("refs/cairn/work");
    let mut errors = Vec::new();
    for content in ["", "nonsense\n", "4b825dc\n", "ref: refs/heads/main\n", "\0\0\0\0"] {
        fs::write(&path, content).unwrap();
        let error = repository.read_ref(&RefName::WORK).unwrap_err();
        assert!(matches!(error, GitError::BrokenRef { .. }), "{content:?}: {error}");
        errors.push(format!("{content:?}: {}", testkit::redact(&error.to_string())));
        let to = commit(&repository, &[], "new");
        assert!(repository.move_ref(&RefName::WORK, None, to, "test").is_err(), "{content:?} was overwritten");
        assert!(repository.move_ref(&RefName::WORK, Some(first), to, "test").is_err());
    }
    insta::assert_snapshot!(errors.join("\n"), @r#"
    "": the reference `refs/cairn/work` is broken: it holds ``
    "nonsense\n": the reference `refs/cairn/work` is broken: it holds `nonsense`
    "4b825dc\n": the reference `refs/cairn/work` is broken: it holds `4b825dc`
    "ref: refs/heads/main\n": the reference `refs/cairn/work` is broken: it is a link to `refs/heads/main`
    "\0\0\0\0": the reference `refs/cairn/work` is broken: it holds `\0\0\0\0`
    "#);
}

#[test]
fn the_reflog_is_written_where_the_person_keeps_one() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    assert!(!fixture.git_dir().join("logs/refs/cairn/work").exists());
    fixture.git(&["config", "core.logAllRefUpdates", "always"]);
    let second = advance(&repository, "two");
    let log = fixture.git(&["reflog", "show", "--format=%H %gs", "refs/cairn/work"]);
    assert_eq!(log, format!("{second} test"));
}

#[test]
fn an_empty_folder_at_the_refs_path_is_removed() {
    let fixture = TestRepository::new();
    fs::create_dir_all(fixture.git_dir().join("refs/cairn/work")).unwrap();
    let repository = open(fixture.path());
    let id = advance(&repository, "one");
    assert_eq!(fixture.git(&["rev-parse", "refs/cairn/work"]), id.to_string());
}

#[test]
fn references_packed_all_the_time_lose_no_move() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let mut expected = Vec::new();
    thread::scope(|scope| {
        let packing = scope.spawn(|| {
            for _ in 0..25 {
                fixture.try_git(&["pack-refs", "--all", "--prune"]);
            }
        });
        while !packing.is_finished() {
            expected.push(advance(&repository, "again"));
        }
    });
    expected.reverse();
    let listed = fixture.git(&["rev-list", "refs/cairn/work"]);
    let listed: Vec<CommitId> = listed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(listed, expected);
}
