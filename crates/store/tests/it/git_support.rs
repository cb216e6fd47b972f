//! Helpers of the git tests.

use std::collections::BTreeSet;
use std::path::Path;

use store::git::{CommitId, FixedIdentity, Identity, NewCommit, RefName, Repository};
use store::{Store, StoreError};
use testkit::TestRepository;

pub(crate) const LIMIT: u64 = 16 * 1024 * 1024;

pub(crate) fn open(path: &Path) -> Repository {
    Repository::discover(path).unwrap()
}

pub(crate) fn fixed() -> FixedIdentity {
    let identity = Identity { name: "Cairn".into(), email: "cairn@example.com".into() };
    FixedIdentity { identity, seconds: 1_767_225_600 }
}

/// Appends lines that already have ids and clocks.
pub(crate) fn append_lines(store: &mut Store, subject: &str, lines: &str) {
    let write = |commit: &mut store::LineWriter<'_>| commit(subject, lines.as_bytes());
    store.append_lines::<StoreError>(&BTreeSet::new(), write).unwrap();
}

/// Writes a commit with the empty tree.
pub(crate) fn commit(repository: &Repository, parents: &[CommitId], message: &str) -> CommitId {
    repository.write_commit(&NewCommit { parents, message: message.as_bytes(), files: &[], author: None }).unwrap()
}

/// Adds a commit to the work reference.
pub(crate) fn advance(repository: &Repository, message: &str) -> CommitId {
    let from = repository.read_ref(&RefName::WORK).unwrap();
    let parents: Vec<CommitId> = from.into_iter().collect();
    let to = commit(repository, &parents, message);
    repository.move_ref(&RefName::WORK, from, to, "test").unwrap();
    to
}

/// Fails the test if `git fsck` finds an error.
pub(crate) fn assert_sound(fixture: &TestRepository) {
    let output = fixture.try_git(&["fsck", "--strict", "--full", "--no-dangling"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !said.contains("error") && !said.contains("missing"), "{said}");
}

pub(crate) fn is_root() -> bool {
    current_user() == Some(0)
}

#[cfg(unix)]
fn current_user() -> Option<u32> {
    use std::os::unix::fs::MetadataExt;

    // The owner of a new file is the current user.
    let file = tempfile::NamedTempFile::new().ok()?;
    std::fs::metadata(file.path()).ok().map(|metadata| metadata.uid())
}

#[cfg(not(unix))]
fn current_user() -> Option<u32> {
    None
}
