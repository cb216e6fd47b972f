//! Trees of notes: compatible with git in both directions, and no write is lost.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::{Command, Stdio};

use model::annotation::Note;
use store::StoreError;
use store::git::{CommitId, RefName};
use store::notes::{NotePlan, Notes};
use testkit::{Layout, TestRepository, git_with_input};

use crate::git_support::assert_sound;
use crate::notes_support::{ids, note, open_store, write};

const WRITER: &str = "CAIRN_TEST_NOTE_WRITER";

fn listed(fixture: &TestRepository, name: &str) -> BTreeSet<String> {
    let lines = fixture.git(&["notes", "--ref", name, "list"]);
    lines.lines().filter_map(|line| line.split_once(' ').map(|(_, commit)| commit.to_owned())).collect()
}

fn names(commits: &[CommitId]) -> BTreeSet<String> {
    commits.iter().map(CommitId::to_string).collect()
}

#[test]
fn git_reads_what_is_written_in_every_layout() {
    for layout in Layout::all() {
        let fixture = TestRepository::with(layout);
        let mut store = open_store(fixture.path());
        let commits = ids(3, store.repository().hash_length());
        for commit in &commits {
            write(&mut store, &RefName::NOTES, &[(*commit, note(commit, 1, "f", "why"))]);
        }
        assert_eq!(listed(&fixture, "ultragit"), names(&commits), "{layout:?}");
        let shown = fixture.git(&["notes", "--ref=ultragit", "show", &commits[0].to_string()]);
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["regions"][0]["intent"], "why", "{layout:?}: {shown}");
        assert_eq!(fixture.git(&["log", "-1", "--format=%an %s", "refs/notes/ultragit"]), "Ada Lovelace annotate");
        assert_sound(&fixture);
        let notes = store.notes(&RefName::NOTES).unwrap();
        assert_eq!(notes.list().unwrap().len(), 3);
        assert_eq!(notes.read(&commits[1]).unwrap(), Some(Ok(note(&commits[1], 1, "f", "why"))));
        assert_eq!(notes.read(&ids(4, store.repository().hash_length())[3]).unwrap(), None);
    }
}

#[test]
fn the_tree_is_the_one_git_makes() {
    // About eighty notes fill the first folder, and fifty times as many the folders in it.
    for n in [1, 40, 75, 90, 150, 12_000] {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let mut store = open_store(fixture.path());
        let mut commits = ids(n + 1, 20);
        commits.sort_unstable_by_key(|commit| commit.as_bytes()[19]);
        let last = commits[n];
        import(&fixture, &commits[..n]);
        assert_eq!(store.notes(&RefName::NOTES).unwrap().list().unwrap().len(), n);
        let blob = fixture.git(&["rev-parse", "refs/notes/ultragit"]);
        fixture.git(&["update-ref", "refs/notes/theirs", &blob]);
        write(&mut store, &RefName::NOTES, &[(last, note(&last, 1, "f", "why"))]);
        let blob = fixture.git(&["notes", "--ref=ultragit", "list", &last.to_string()]);
        fixture.git(&["notes", "--ref=theirs", "add", "-C", &blob, &last.to_string()]);
        let trees =
            ["ultragit", "theirs"].map(|name| fixture.git(&["rev-parse", &format!("refs/notes/{name}^{{tree}}")]));
        assert_eq!(trees[0], trees[1], "{n} notes");
        assert_eq!(store.notes(&RefName::NOTES).unwrap().list().unwrap().len(), n + 1);
    }
}

/// Lets git write notes in one commit, with git's own fan-out.
fn import(fixture: &TestRepository, commits: &[CommitId]) {
    let source = fixture.git(&["hash-object", "-w", "--stdin"]);
    fixture.git(&["notes", "--ref=ultragit", "add", "-f", "-m", "{}", &source]);
    let lines = commits.iter().fold(String::new(), |mut lines, commit| {
        let _ = writeln!(lines, "{source} {commit}");
        lines
    });
    git_with_input(fixture.path(), &["notes", "--ref=ultragit", "copy", "-f", "--stdin"], lines.as_bytes());
    fixture.git(&["notes", "--ref=ultragit", "remove", &source]);
}

#[test]
fn mixed_depths_and_foreign_files_are_read_and_kept() {
    let fixture = TestRepository::new();
    let mut store = open_store(fixture.path());
    let commits = ids(4, 20);
    let blob = git_with_input(fixture.path(), &["hash-object", "-w", "--stdin"], b"flat");
    let hex: Vec<String> = commits.iter().map(CommitId::to_string).collect();
    let mut paths = vec![
        hex[0].clone(),
        format!("{}/{}", &hex[1][..2], &hex[1][2..]),
        format!("{}/{}/{}", &hex[2][..2], &hex[2][2..4], &hex[2][4..]),
        "README".to_owned(),
        "zz/file".to_owned(),
    ];
    let index: String = paths.iter().fold(String::new(), |mut lines, path| {
        let _ = writeln!(lines, "100644 {blob}\t{path}");
        lines
    });
    git_with_input(fixture.path(), &["update-index", "--add", "--index-info"], index.as_bytes());
    let tree = fixture.git(&["write-tree"]);
    let commit = fixture.git(&["commit-tree", "-m", "mixed", &tree]);
    fixture.git(&["update-ref", "refs/notes/ultragit", &commit]);
    std::fs::remove_file(fixture.git_dir().join("index")).unwrap();
    let mut sorted = commits[..3].to_vec();
    sorted.sort_unstable();
    assert_eq!(store.notes(&RefName::NOTES).unwrap().list().unwrap(), sorted);
    write(&mut store, &RefName::NOTES, &[(commits[3], note(&commits[3], 1, "f", "why"))]);
    assert_eq!(listed(&fixture, "ultragit"), names(&commits));
    for commit in &commits {
        assert!(store.notes(&RefName::NOTES).unwrap().read(commit).unwrap().is_some());
    }
    let files = fixture.git(&["ls-tree", "-r", "--name-only", "refs/notes/ultragit"]);
    paths.retain(|path| path.contains(['z', 'R']));
    assert!(paths.iter().all(|path| files.lines().any(|line| line == path)), "{files}");
    assert_sound(&fixture);
}

#[test]
fn broken_notes_are_named_and_the_others_read() {
    let fixture = TestRepository::new();
    let mut store = open_store(fixture.path());
    let commits = ids(6, 20);
    write(&mut store, &RefName::NOTES, &[(commits[5], note(&commits[5], 1, "f", "why"))]);
    let broken: [&[u8]; 5] =
        [b"{\"$schema\":\"ultragit/v1\",\"summary\":\"a\nb\"}", b"words", br#"{"$schema":"x/v1"}"#, &[0, 255, 3], b""];
    for (commit, bytes) in commits.iter().zip(broken) {
        let blob = git_with_input(fixture.path(), &["hash-object", "-w", "--stdin"], bytes);
        fixture.git(&["notes", "--ref=ultragit", "add", "--allow-empty", "-C", &blob, &commit.to_string()]);
    }
    let notes = store.notes(&RefName::NOTES).unwrap();
    let read: Vec<(CommitId, _)> =
        commits.iter().filter_map(|commit| Some((*commit, notes.read(commit).unwrap()?))).collect();
    assert_eq!(read.len(), 6);
    let problems: Vec<&'static str> = read[..5]
        .iter()
        .map(|(_, note)| match note.as_ref().unwrap_err().to_string() {
            problem if problem.contains("control character") => "newline",
            problem if problem.contains("not valid JSON") => "words",
            problem if problem.contains("`x/v1`") => "schema",
            problem if problem.contains("UTF-8") => "binary",
            problem if problem.contains("empty") => "empty",
            problem => panic!("{problem}"),
        })
        .collect();
    assert_eq!(problems, ["newline", "words", "schema", "binary", "empty"]);
    assert!(read[5].1.is_ok());
}

/// Writes notes, each based on the current one; run as a child process by the test below only.
#[test]
fn note_writer() {
    let Ok(name) = std::env::var(WRITER) else {
        return;
    };
    let mut store = open_store(std::path::Path::new("."));
    let length = store.repository().hash_length();
    let shared = ids(1, length)[0];
    let (own, n) = name.split_once('/').unwrap();
    let (own, n): (usize, usize) = (own.parse().unwrap(), n.parse().unwrap());
    for commit in &ids(1 + 8 * n, length)[1 + own * n..][..n] {
        let plan = |notes: &Notes<'_>| -> Result<(NotePlan, ()), StoreError> {
            let mut tally: Note = match notes.read(&shared)? {
                Some(read) => read.unwrap(),
                None => note(&shared, 1, "f", "counts"),
            };
            tally.provenance.derived_from.push(commit.to_string());
            let notes = vec![(shared, tally), (*commit, note(commit, 1, "f", "own"))];
            Ok((NotePlan { subject: format!("by {name}"), notes }, ()))
        };
        store.write_notes(&RefName::NOTES, plan).unwrap();
    }
}

#[test]
fn eight_processes_lose_no_note() {
    // With reftable each step is a run of git; the lock between writers is the same.
    for (layout, n) in [(Layout::PLAIN, 50), (Layout { hash: "sha256", refs: "reftable", bare: false }, 8)] {
        let fixture = TestRepository::in_memory(layout);
        let writers: Vec<_> = (0..8)
            .map(|own| {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["notes_tree::note_writer", "--exact"]).current_dir(fixture.path());
                command.env(WRITER, format!("{own}/{n}")).stdout(Stdio::null()).spawn().unwrap()
            })
            .collect();
        for mut writer in writers {
            assert!(writer.wait().unwrap().success());
        }
        let store = open_store(fixture.path());
        let commits = ids(1 + 8 * n, store.repository().hash_length());
        assert_eq!(listed(&fixture, "ultragit"), names(&commits), "{layout:?}");
        let tally = store.notes(&RefName::NOTES).unwrap().read(&commits[0]).unwrap().unwrap().unwrap();
        assert_eq!(tally.provenance.derived_from.len(), 8 * n, "{layout:?}");
        assert_sound(&fixture);
    }
}

#[test]
fn the_ref_is_given_configured_or_the_usual() {
    let fixture = TestRepository::new();
    let store = open_store(fixture.path());
    assert_eq!(store.notes_ref(None).unwrap(), RefName::NOTES);
    fixture.git(&["config", "ultragit.noteref", "review"]);
    assert_eq!(store.notes_ref(None).unwrap().as_str(), "refs/notes/review");
    assert_eq!(store.notes_ref(Some("refs/notes/x")).unwrap().as_str(), "refs/notes/x");
    assert!(matches!(store.notes_ref(Some("refs/heads/main")), Err(StoreError::NotForNotes { .. })));
}

#[test]
fn a_tree_that_looks_endless_is_refused() {
    let fixture = TestRepository::new();
    let mut tree = git_with_input(fixture.path(), &["mktree"], b"");
    // Each folder contains the next one 256 times: a few kilobytes that expand to 256^8 folders.
    for _ in 0..8 {
        let entries = (0..256).fold(String::new(), |mut lines, n| {
            let _ = writeln!(lines, "040000 tree {tree}\t{n:02x}");
            lines
        });
        tree = git_with_input(fixture.path(), &["mktree"], entries.as_bytes());
    }
    let commit = fixture.git(&["commit-tree", "-m", "endless", &tree]);
    fixture.git(&["update-ref", "refs/notes/ultragit", &commit]);
    let store = open_store(fixture.path());
    let error = store.notes(&RefName::NOTES).unwrap().list().unwrap_err();
    insta::assert_snapshot!(testkit::redact(&error.to_string()), @"the tree `<id>` holds more than 80000 files");
    let commit = ids(1, 20)[0];
    assert_eq!(store.notes(&RefName::NOTES).unwrap().read(&commit).unwrap(), None);
}
