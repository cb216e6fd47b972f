//! Full and read-only disks: the error says so and names the path, and nothing has changed.

use std::fs;
use std::process::Command;

use store::git::{CommitId, FixedIdentity, GitError, NewCommit, RefName, Repository};
use testkit::{TestRepository, git_in};

use crate::git_support::{is_root, open};

const ATTEMPT: &str = "CAIRN_TEST_ATTEMPT";

/// Tries to write; run as a child process by the tests below only.
#[test]
fn attempt() {
    let Ok(path) = std::env::var(ATTEMPT) else {
        return;
    };
    let repository = open(std::path::Path::new(&path));
    println!("ATTEMPT {:?}", repository.lock_writers(|_| ()).map(drop));
}

fn attempt_in(fixture: &TestRepository) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["git_failures::attempt", "--exact", "--nocapture"]).current_dir("/");
    command.env(ATTEMPT, fixture.path()).env("HOME", "/");
    command
}

#[cfg(unix)]
#[test]
fn an_unwritable_repository_says_so() {
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;

    let fixture = TestRepository::new();
    let readable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(fixture.directory_path(), readable).unwrap();
    let mut command = attempt_in(&fixture);
    if is_root() {
        // Root may write anywhere, so another user has to try.
        chown(fixture.path(), Some(65_534), None).unwrap();
        chown(fixture.git_dir(), Some(65_534), None).unwrap();
        command.uid(65_534);
    }
    fs::set_permissions(fixture.git_dir(), fs::Permissions::from_mode(0o555)).unwrap();
    let output = command.output();
    fs::set_permissions(fixture.git_dir(), fs::Permissions::from_mode(0o755)).unwrap();
    let Ok(output) = output else {
        return testkit::skip("no other user may run this test's program");
    };
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("ATTEMPT Err(Unwritable {"), "{stdout}");
}

#[test]
fn a_full_disk_says_so_and_the_reference_stays() {
    let fixture = TestRepository::new();
    let small = fixture.directory_path().join("small");
    fs::create_dir(&small).unwrap();
    let mount = |arguments: &[&str]| Command::new(arguments[0]).args(&arguments[1..]).arg(&small).status();
    let mounted = mount(&["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs"]);
    if !mounted.is_ok_and(|status| status.success()) {
        return testkit::skip("only root can mount a small disk");
    }
    let result = std::panic::catch_unwind(|| fill(&small));
    mount(&["umount"]).unwrap();
    let (error, is_unchanged) = result.unwrap();
    assert!(matches!(error, GitError::DiskFull { .. }), "{error:?}");
    assert!(is_unchanged, "{error}");
    insta::assert_snapshot!(testkit::redact(&error.to_string()), @"no space left to write `<tmp>/small/.git/objects/44/817c04014bac5c51723afea379c9a55f85747a`");
}

/// Writes until the disk is full; returns the error and whether the reference is unchanged.
fn fill(directory: &std::path::Path) -> (GitError, bool) {
    git_in(directory, &["init", "--quiet", "--template="]);
    let repository = open(directory);
    let identity = crate::git_support::fixed();
    let first = advance_as(&repository, &identity, b"small").unwrap();
    let error = advance_as(&repository, &identity, &noise(2_000_000)).unwrap_err();
    (error, repository.read_ref(&RefName::WORK).unwrap() == Some(first))
}

fn advance_as(repository: &Repository, author: &FixedIdentity, message: &[u8]) -> Result<CommitId, GitError> {
    let author = Some(author);
    let id = repository.write_commit(&NewCommit { parents: &[], message, files: &[], author })?;
    repository.move_ref(&RefName::WORK, None, id, "test").unwrap();
    Ok(id)
}

/// Incompressible bytes, deterministic.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8 | 1
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn a_file_in_the_way_is_named() {
    let fixture = TestRepository::new();
    fs::write(fixture.git_dir().join("cairn"), "").unwrap();
    let error = open(fixture.path()).lock_writers(|_| ()).unwrap_err();
    insta::assert_snapshot!(testkit::redact(&error.to_string()), @"cannot use `<tmp>/project/.git/cairn`");
}
