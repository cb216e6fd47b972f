//! Git can read what is written, in every kind of repository.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use store::git::{CommitId, FixedIdentity, GitError, Identity, NewCommit, RefName};
use testkit::{Layout, TestRepository};

use crate::git_support::{LIMIT, advance, assert_sound, commit, fixed, open};

#[test]
fn every_layout_writes_what_git_reads_back() {
    for layout in Layout::all() {
        let fixture = TestRepository::with(layout);
        let repository = open(fixture.path());
        let first = advance(&repository, "issue #1: new\n\n{\"v\":1}\n");
        let second = advance(&repository, "issue #1: close\n\n{\"v\":1}\n");
        assert_eq!(fixture.git(&["rev-parse", "refs/cairn/work"]), second.to_string(), "{layout:?}");
        assert_eq!(fixture.git(&["log", "--format=%s", "refs/cairn/work"]), "issue #1: close\nissue #1: new");
        assert_eq!(
            fixture.git(&["log", "-1", "--format=%an <%ae>", "refs/cairn/work"]),
            "Ada Lovelace <ada@example.com>"
        );
        let read = repository.read_commit(&second, LIMIT).unwrap();
        assert_eq!(read.parents, [first]);
        assert!(read.has_empty_tree);
        assert_eq!(read.message, b"issue #1: close\n\n{\"v\":1}\n");
        assert_sound(&fixture);
    }
}

#[test]
fn work_tree_index_and_branches_stay_untouched() {
    let fixture = TestRepository::new();
    fs::write(fixture.path().join("file"), "one").unwrap();
    fixture.git(&["add", "file"]);
    fixture.git(&["commit", "--quiet", "-m", "first"]);
    let index = fs::read(fixture.git_dir().join("index")).unwrap();
    let before = fixture.git(&["for-each-ref", "refs/heads"]);
    advance(&open(fixture.path()), "work");
    assert_eq!(fs::read(fixture.git_dir().join("index")).unwrap(), index);
    assert_eq!(fixture.git(&["for-each-ref", "refs/heads"]), before);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
    assert_eq!(fixture.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
}

/// `git gc` removes empty directories of the object store at any moment.
#[test]
fn directories_that_vanish_under_a_writer_are_made_again() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let repository = open(fixture.path());
    let objects = fixture.git_dir().join("objects");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                for fan_out in 0..=255_u8 {
                    // It fails if the directory is not empty or does not exist.
                    let _ = fs::remove_dir(objects.join(format!("{fan_out:02x}")));
                }
            }
        });
        let written = |n: usize| {
            let message = format!("commit {n}");
            let new = NewCommit { parents: &[], message: message.as_bytes(), files: &[], author: Some(&fixed()) };
            let id = repository.write_commit(&new);
            // Only an empty directory can be removed.
            let _ =
                id.as_ref().map(|id| fs::remove_file(objects.join(&id.to_string()[..2]).join(&id.to_string()[2..])));
            id.err().map(|error| error.to_string())
        };
        let failed: Vec<String> = (0..1500).filter_map(written).collect();
        is_done.store(true, Ordering::Relaxed);
        assert!(failed.is_empty(), "{} failed, such as {}", failed.len(), failed[0]);
    });
}

#[test]
fn files_are_in_the_tree_git_sees() {
    for layout in [Layout::PLAIN, Layout { hash: "sha256", ..Layout::BARE }] {
        let fixture = TestRepository::with(layout);
        let repository = open(fixture.path());
        // `ops` sorts between `ops-a` and `ops0` as a folder, before both as a file.
        let files: [(&str, &[u8]); 4] =
            [("ops/2.jsonl", b"two"), ("ops-a", b"a"), ("ops0", b"0"), ("ops/1.jsonl", b"one")];
        let id = repository
            .write_commit(&NewCommit { parents: &[], message: b"import\n", files: &files, author: None })
            .unwrap();
        repository.move_ref(&RefName::WORK, None, id, "import").unwrap();
        let listed = fixture.git(&["ls-tree", "-r", "--name-only", "refs/cairn/work"]);
        assert_eq!(listed, "ops-a\nops/1.jsonl\nops/2.jsonl\nops0");
        assert_eq!(fixture.git(&["cat-file", "-p", "refs/cairn/work:ops/2.jsonl"]), "two");
        assert!(!repository.read_commit(&id, LIMIT).unwrap().has_empty_tree);
        assert_sound(&fixture);
    }
}

#[test]
fn fixed_commits_are_the_same_everywhere() {
    let id = |layout| {
        let fixture = TestRepository::with(layout);
        let author = Some(&fixed());
        let new = NewCommit { parents: &[], message: b"merge\n", files: &[], author };
        open(fixture.path()).write_commit(&new).unwrap().to_string()
    };
    assert_eq!(id(Layout::PLAIN), id(Layout::BARE));
    // Golden: the bytes of a deterministic commit are part of the format.
    assert_eq!(id(Layout::PLAIN), "be2be240680426844e50971958479ed6331082b3");
}

#[test]
fn paths_and_messages_git_would_refuse_are_refused() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let check = |message: &[u8], files: &[(&str, &[u8])]| {
        let result = repository.write_commit(&NewCommit { parents: &[], message, files, author: None });
        assert!(matches!(result, Err(GitError::BadCommit { .. })), "{files:?} {result:?}");
    };
    check(b"nul \0 byte", &[]);
    for path in ["", "/a", "a/", "a//b", "../a", "a/./b", ".git/config", "a/.GIT", "a\0b"] {
        check(b"x", &[(path, b"")]);
    }
    check(b"x", &[("a", b""), ("a", b"")]);
    check(b"x", &[("a", b""), ("a/b", b"")]);
}

#[test]
fn hostile_names_cannot_break_the_header() {
    let fixture = TestRepository::new();
    let identity = Identity { name: "A <x>\nparent 0".into(), email: "a@b>\n".into() };
    let author = FixedIdentity { identity, seconds: -5 };
    let new = NewCommit { parents: &[], message: b"x\n", files: &[], author: Some(&author) };
    let id = open(fixture.path()).write_commit(&new).unwrap();
    let lines = fixture.git(&["cat-file", "-p", &id.to_string()]).lines().count();
    assert_eq!(lines, 5);
}

#[test]
fn commits_are_signed_when_the_persons_git_signs() {
    let fixture = TestRepository::new();
    let program = fixture.directory_path().join("fake-gpg");
    fs::write(&program, "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho 'signed by a test'\n")
        .unwrap();
    fixture.git(&["update-index", "--refresh"]);
    make_executable(&program);
    fixture.git(&["config", "gpg.program", program.to_str().unwrap()]);
    fixture.git(&["config", "user.signingkey", "test"]);
    fixture.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    fixture.git(&["config", "commit.gpgsign", "true"]);
    let repository = open(fixture.path());
    let parent = commit(&repository, &[], "first ü");
    let id = commit(&repository, &[parent], "second, no line end");
    let text = fixture.git(&["cat-file", "commit", &id.to_string()]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("Ada Lovelace")).collect();
    insta::assert_snapshot!(testkit::redact(&lines.join("\n")), @"
    tree <id>
    parent <id>
    gpgsig signed by a test

    second, no line end
    ");
    assert_eq!(repository.read_commit(&parent, LIMIT).unwrap().message, "first ü".as_bytes());
    let author = Some(&fixed());
    let new = NewCommit { parents: &[id], message: b"merge\n", files: &[], author };
    let merge: CommitId = repository.write_commit(&new).unwrap();
    assert!(!fixture.git(&["cat-file", "commit", &merge.to_string()]).contains("gpgsig"));
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_shared_repository_stays_writable_for_the_group() {
    use std::os::unix::fs::PermissionsExt;

    let fixture = TestRepository::with(Layout::BARE);
    fixture.git(&["config", "core.sharedRepository", "group"]);
    let id = advance(&open(fixture.path()), "shared").to_string();
    let mode = |path: &str| fs::metadata(fixture.git_dir().join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&format!("objects/{}", &id[..2])) & 0o2070, 0o2070);
    assert_eq!(mode(&format!("objects/{}/{}", &id[..2], &id[2..])), 0o444);
    assert_eq!(mode("refs/cairn") & 0o2070, 0o2070);
    assert_eq!(mode("refs/cairn/work") & 0o060, 0o060);
}
