//! Reads: missing, damaged and oversized objects are distinguished.

use std::fs;
use std::path::PathBuf;

use store::git::{CommitId, NewCommit, ReadError, RefName, Repository};
use testkit::{Layout, TestRepository};

use crate::git_support::{LIMIT, advance, commit, open};

fn loose_path(fixture: &TestRepository, id: &CommitId) -> PathBuf {
    let hex = id.to_string();
    fixture.git_dir().join("objects").join(&hex[..2]).join(&hex[2..])
}

/// Replaces the file of an object, which git makes read-only.
fn overwrite(path: &PathBuf, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_commit_of_git_is_read_in_full() {
    for hash in ["sha1", "sha256"] {
        let fixture = TestRepository::with(Layout { hash, ..Layout::PLAIN });
        fs::write(fixture.path().join("file"), "x").unwrap();
        fixture.git(&["add", "file"]);
        fixture.git(&["commit", "--quiet", "--author=Grace Hopper <grace@example.com>", "-m", "first"]);
        let id: CommitId = fixture.git(&["rev-parse", "HEAD"]).parse().unwrap();
        let read = open(fixture.path()).read_commit(&id, LIMIT).unwrap();
        assert_eq!(read.author.name, "Grace Hopper");
        assert_eq!(read.author.email, "grace@example.com");
        assert_eq!((read.author_time, read.committer_time), (1_767_225_600, 1_767_225_600));
        assert_eq!(read.message, b"first\n");
        assert_eq!(read.tree.to_string(), fixture.git(&["rev-parse", "HEAD^{tree}"]));
        assert!(!read.has_empty_tree && read.parents.is_empty());
    }
}

#[test]
fn a_missing_object_is_missing() {
    let fixture = TestRepository::new();
    let id = "1234567890123456789012345678901234567890".parse().unwrap();
    let result = open(fixture.path()).read_commit(&id, LIMIT);
    assert!(matches!(result, Err(ReadError::Missing { .. })), "{result:?}");
}

#[test]
fn a_damaged_object_is_damaged() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let [good, other] = ["good", "other"].map(|message| commit(&repository, &[], message));
    let path = loose_path(&fixture, &good);
    let bytes = fs::read(&path).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 0x40;
    let foreign = fs::read(loose_path(&fixture, &other)).unwrap();
    for (what, content) in [("flipped", &flipped[..]), ("cut", &bytes[..20]), ("empty", b""), ("foreign", &foreign[..])]
    {
        overwrite(&path, content);
        let result = repository.read_commit(&good, LIMIT);
        assert!(matches!(result, Err(ReadError::Damaged { .. })), "{what}: {result:?}");
    }
    overwrite(&path, &bytes);
    assert!(repository.read_commit(&good, LIMIT).is_ok());
}

#[test]
fn an_object_of_another_kind_is_malformed_for_good() {
    let fixture = TestRepository::new();
    fs::write(fixture.path().join("file"), "x").unwrap();
    let blob = fixture.git(&["hash-object", "-w", "file"]).parse().unwrap();
    let result = open(fixture.path()).read_commit(&blob, LIMIT);
    assert!(matches!(&result, Err(error @ ReadError::Malformed { .. }) if error.is_final()), "{result:?}");
}

#[test]
fn an_oversize_commit_is_refused_loose_and_packed() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let id = advance(&repository, &"x".repeat(100_000));
    for step in ["loose", "packed"] {
        let result = repository.read_commit(&id, 50_000);
        assert!(matches!(result, Err(ReadError::TooLarge { limit: 50_000, .. })), "{step}: {result:?}");
        assert_eq!(repository.read_commit(&id, LIMIT).unwrap().message.len(), 100_000);
        fixture.git(&["repack", "-adq"]);
    }
}

#[test]
fn an_oversized_commit_is_refused_at_any_limit() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let id = advance(&repository, &"x".repeat(65 * 1024 * 1024));
    for step in ["loose", "packed"] {
        let result = repository.read_commit(&id, u64::MAX);
        assert!(matches!(result, Err(ReadError::TooLarge { .. })), "{step}");
        fixture.git(&["repack", "-adq"]);
    }
}

#[test]
fn objects_are_found_after_git_repacked_them() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let ids: Vec<CommitId> = (0..20).map(|number| advance(&repository, &number.to_string())).collect();
    for _ in 0..3 {
        fixture.git(&["repack", "-adq"]);
        fixture.git(&["prune-packed"]);
        let read = |id| repository.read_commit(id, LIMIT).unwrap();
        assert!(ids.iter().all(|id| read(id).has_empty_tree));
        advance(&repository, "more");
    }
}

/// gix treats the objects of a pack index that it cannot open as missing; that must not be believed.
#[test]
fn a_pack_index_that_cannot_be_read_is_an_error() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let id = advance(&repository, "packed");
    fixture.git(&["repack", "-adq"]);
    fixture.git(&["prune-packed"]);
    let packs = fixture.git_dir().join("objects/pack");
    let index = fs::read_dir(packs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ext| ext == "idx"));
    let index = index.unwrap();
    let bytes = fs::read(&index).unwrap();
    fs::remove_file(&index).unwrap();
    fs::write(&index, "not a pack index").unwrap();
    let result = open(fixture.path()).read_commit(&id, LIMIT);
    assert!(matches!(result, Err(ReadError::Git(_))), "{result:?}");
    fs::write(&index, bytes).unwrap();
    assert!(open(fixture.path()).read_commit(&id, LIMIT).is_ok());
}

#[test]
fn files_of_a_folder_come_by_name_and_no_others() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let files: [(&str, &[u8]); 4] = [("ops/b", b"2"), ("ops/a", b"1"), ("ops/deep/c", b"3"), ("other/d", b"4")];
    let id = write(&repository, &files);
    assert_eq!(names(&repository, &id, "ops").unwrap(), ["a", "b"]);
    assert!(names(&repository, &id, "absent").unwrap().is_empty());
    let empty = commit(&repository, &[], "empty tree");
    assert!(names(&repository, &empty, "ops").unwrap().is_empty());
}

#[test]
fn files_over_a_limit_are_refused() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let id = write(&repository, &[("ops/a", &[b'x'; 1001])]);
    let files = repository.list_folder(&repository.read_commit(&id, LIMIT).unwrap(), "ops", 10).unwrap();
    assert_eq!(repository.with_blob(&files[0].1, 1001, <[u8]>::len).unwrap(), 1001);
    let large = repository.with_blob(&files[0].1, 1000, <[u8]>::len);
    assert!(matches!(large, Err(ReadError::TooLarge { limit: 1000, .. })), "{large:?}");
    let many: Vec<String> = (0..11).map(|number| format!("ops/{number}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let result = names(&repository, &write(&repository, &many), "ops");
    assert!(matches!(result, Err(ReadError::TooMany { limit: 10, .. })), "{result:?}");
}

fn names(repository: &Repository, id: &CommitId, folder: &str) -> Result<Vec<String>, ReadError> {
    let files = repository.list_folder(&repository.read_commit(id, LIMIT).unwrap(), folder, 10)?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

fn write(repository: &Repository, files: &[(&str, &[u8])]) -> CommitId {
    repository.write_commit(&NewCommit { parents: &[], message: b"import\n", files, author: None }).unwrap()
}

#[test]
fn replacement_refs_do_not_change_commits() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let [one, two] = ["one", "two"].map(|message| commit(&repository, &[], message));
    fixture.git(&["replace", &one.to_string(), &two.to_string()]);
    assert_eq!(open(fixture.path()).read_commit(&one, LIMIT).unwrap().message, b"one");
}

#[test]
fn a_shallow_clone_says_so_and_misses_parents() {
    let fixture = TestRepository::new();
    for message in ["one", "two", "three"] {
        fixture.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }
    let repository = open(&fixture.clone_beside("shallow", &["--depth", "1"]));
    assert!(repository.is_shallow().unwrap() && !open(fixture.path()).is_shallow().unwrap());
    let head = fixture.git(&["rev-parse", "HEAD"]).parse().unwrap();
    let parents = repository.read_commit(&head, LIMIT).unwrap().parents;
    let result = repository.read_commit(&parents[0], LIMIT);
    assert!(matches!(result, Err(ReadError::Missing { .. })), "{result:?}");
    assert_eq!(repository.read_ref(&RefName::WORK).unwrap(), None);
}

#[test]
fn threads_share_a_repository() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let ids: Vec<CommitId> = (0..50).map(|number| advance(&repository, &number.to_string())).collect();
    let cloned = repository.clone();
    std::thread::scope(|scope| {
        for own in [&repository, &repository, &cloned] {
            let ids = &ids;
            scope.spawn(move || {
                for id in ids {
                    own.read_commit(id, LIMIT).unwrap();
                }
            });
        }
    });
}
