//! Fetch and push through a bare hub, with the real `git`.

use std::fs;
use std::path::{Path, PathBuf};

use store::git::{GitError, GitProgress, PushSpec, PushStatus, ReadError, RefName, Repository};
use testkit::{Layout, TestRepository, git_in};

use crate::git_support::{LIMIT, advance, commit, open};

fn fetch(repository: &Repository, remote: &str) -> Option<store::git::CommitId> {
    repository.fetch(remote, &[RefName::WORK], GitProgress::Quiet).unwrap();
    let tracking = repository.tracking_ref(remote, &RefName::WORK).unwrap();
    repository.read_ref(&tracking).unwrap()
}

fn push(repository: &Repository, remote: &str) -> PushStatus {
    let spec = PushSpec { from: RefName::WORK, to: RefName::WORK };
    let outcome = repository.push(remote, &[spec], GitProgress::Quiet).unwrap();
    assert_eq!(outcome.refs.len(), 1, "{outcome:?}");
    outcome.refs[0].1.clone()
}

/// A hub with one commit on `main`, and two clones of it.
fn hub_and_clones(layout: Layout) -> (TestRepository, PathBuf, PathBuf) {
    let hub = TestRepository::with(layout);
    let seed = hub.clone_beside("seed", &[]);
    git_in(&seed, &["commit", "--quiet", "--allow-empty", "-m", "first"]);
    git_in(&seed, &["push", "--quiet", "origin", "HEAD:main"]);
    let [one, two] = ["one", "two"].map(|name| hub.clone_beside(name, &[]));
    (hub, one, two)
}

#[test]
fn work_goes_through_the_hub_and_back() {
    for layout in [Layout::BARE, Layout { hash: "sha256", refs: "reftable", bare: true }] {
        let (hub, one, two) = hub_and_clones(layout);
        let (one, two) = (open(&one), open(&two));
        assert_eq!(fetch(&one, "origin"), None, "the hub has no work yet");
        let first = advance(&one, "one");
        assert_eq!(push(&one, "origin"), PushStatus::Pushed);
        assert_eq!(push(&one, "origin"), PushStatus::UpToDate);
        assert_eq!(hub.git(&["rev-parse", "refs/cairn/work"]), first.to_string());
        assert_eq!(fetch(&two, "origin"), Some(first), "{layout:?}");
        assert_eq!(two.read_commit(&first, LIMIT).unwrap().message, b"one");
        let other = advance(&two, "other");
        assert_eq!(push(&two, "origin"), PushStatus::RejectedNonFastForward);
        let merge = commit(&two, &[first, other], "merge");
        two.move_ref(&RefName::WORK, Some(other), merge, "merge").unwrap();
        assert_eq!(push(&two, "origin"), PushStatus::Pushed);
        assert_eq!(fetch(&one, "origin"), Some(merge));
        hub.git(&["fsck", "--strict"]);
    }
}

#[test]
fn nothing_else_of_the_repository_changes() {
    let (_hub, one, two) = hub_and_clones(Layout::BARE);
    advance(&open(&one), "one");
    git_in(&one, &["tag", "v1"]);
    git_in(&one, &["push", "--quiet", "origin", "v1"]);
    push(&open(&one), "origin");
    // Settings of the person that would fetch and delete more.
    git_in(&two, &["config", "--add", "remote.origin.fetch", "+refs/cairn/*:refs/heads/cairn/*"]);
    git_in(&two, &["config", "fetch.prune", "true"]);
    git_in(&two, &["config", "push.followTags", "true"]);
    let before = git_in(&two, &["for-each-ref"]);
    let repository = open(&two);
    assert!(fetch(&repository, "origin").is_some());
    let after = git_in(&two, &["for-each-ref"]);
    let new: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
    assert!(new.len() == 1 && new[0].ends_with("refs/cairn/remotes/origin/work"), "{new:?}");
    assert!(!two.join(".git/FETCH_HEAD").exists());
}

#[test]
fn several_references_travel_together() {
    let (hub, one, two) = hub_and_clones(Layout::BARE);
    let notes: RefName = "refs/notes/ultragit".parse().unwrap();
    let repository = open(&one);
    advance(&repository, "one");
    git_in(&one, &["notes", "--ref=ultragit", "add", "-m", "why", "HEAD"]);
    let specs = [&RefName::WORK, &notes].map(|name| PushSpec { from: name.clone(), to: name.clone() });
    let outcome = repository.push("origin", &specs, GitProgress::Quiet).unwrap();
    assert!(outcome.is_complete() && outcome.refs.len() == 2, "{outcome:?}");
    let repository = open(&two);
    repository.fetch("origin", &[RefName::WORK, notes.clone()], GitProgress::Quiet).unwrap();
    let tracking = repository.tracking_ref("origin", &notes).unwrap();
    assert_eq!(tracking.as_str(), "refs/cairn/remotes/origin/notes/ultragit");
    let there = hub.git(&["rev-parse", "refs/notes/ultragit"]);
    assert_eq!(repository.read_ref(&tracking).unwrap().unwrap().to_string(), there);
}

#[test]
fn a_remote_may_be_a_path_or_an_address() {
    let (hub, one, two) = hub_and_clones(Layout::BARE);
    let address = format!("file://{}", hub.path().display());
    let id = advance(&open(&one), "one");
    assert_eq!(push(&open(&one), &address), PushStatus::Pushed);
    assert_eq!(fetch(&open(&two), &address), Some(id));
    assert_eq!(fetch(&open(&two), hub.path().to_str().unwrap()), Some(id));
}

#[test]
fn a_mirror_takes_single_references() {
    let (_hub, one, _) = hub_and_clones(Layout::BARE);
    git_in(&one, &["config", "remote.origin.mirror", "true"]);
    advance(&open(&one), "one");
    assert_eq!(push(&open(&one), "origin"), PushStatus::Pushed);
}

#[cfg(unix)]
#[test]
fn a_hook_that_declines_is_quoted() {
    use std::os::unix::fs::PermissionsExt;

    let (hub, one, _) = hub_and_clones(Layout::BARE);
    let hook = hub.path().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    advance(&open(&one), "one");
    let status = push(&open(&one), "origin");
    let PushStatus::RejectedOther(text) = &status else { panic!("{status:?}") };
    insta::assert_snapshot!(text, @"[remote rejected] (pre-receive hook declined)");
}

#[test]
fn an_unreachable_remote_is_an_error_without_secrets() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    advance(&repository, "one");
    let address = "file://me:secret@localhost/nowhere/hub.git";
    let fetched = repository.fetch(address, &[RefName::WORK], GitProgress::Quiet).unwrap_err();
    let spec = PushSpec { from: RefName::WORK, to: RefName::WORK };
    let pushed = repository.push(address, &[spec], GitProgress::Quiet).unwrap_err();
    for error in [fetched, pushed] {
        let text = error.to_string();
        assert!(matches!(error, GitError::Program { .. }), "{text}");
        assert!(text.starts_with("`git ") && text.contains("does not appear") && !text.contains("secret"), "{text}");
    }
    let refused = repository.fetch("--upload-pack=touch x", &[RefName::WORK], GitProgress::Quiet);
    assert!(matches!(refused, Err(GitError::BadRemote { .. })));
}

#[test]
fn a_shallow_clone_gets_the_work_whole() {
    let (hub, one, _) = hub_and_clones(Layout::BARE);
    for message in ["second", "third"] {
        git_in(&one, &["commit", "--quiet", "--allow-empty", "-m", message]);
    }
    git_in(&one, &["push", "--quiet", "origin", "HEAD:main"]);
    let repository = open(&one);
    for number in 0..5 {
        advance(&repository, &number.to_string());
    }
    push(&repository, "origin");
    for (name, options) in [("shallow", &["--depth", "1"][..]), ("partial", &["--filter=tree:0", "--no-checkout"])] {
        hub.git(&["config", "uploadpack.allowFilter", "true"]);
        let path = hub.clone_beside(name, options);
        assert_whole(&path, 5);
    }
}

fn assert_whole(path: &Path, n_commits: usize) {
    let shallow = fs::read(path.join(".git/shallow")).ok();
    let repository = open(path);
    let mut next = fetch(&repository, "origin");
    let mut found = 0;
    while let Some(id) = next {
        let read = repository.read_commit(&id, LIMIT).unwrap();
        next = read.parents.first().copied();
        found += 1;
    }
    assert_eq!(found, n_commits, "{}", path.display());
    assert_eq!(fs::read(path.join(".git/shallow")).ok(), shallow, "the person's own history is cut as before");
}

#[test]
fn work_cut_short_is_repaired_without_touching_the_rest() {
    let (hub, one, _) = hub_and_clones(Layout::BARE);
    git_in(&one, &["commit", "--quiet", "--allow-empty", "-m", "second"]);
    git_in(&one, &["push", "--quiet", "origin", "HEAD:main"]);
    let repository = open(&one);
    for number in 0..5 {
        advance(&repository, &number.to_string());
    }
    push(&repository, "origin");
    let path = hub.clone_beside("cut", &["--depth", "1"]);
    git_in(&path, &["fetch", "--quiet", "--depth=1", "origin", "refs/cairn/work:refs/cairn/work"]);
    let cut = open(&path);
    let tip = cut.read_ref(&RefName::WORK).unwrap().unwrap();
    let parent = cut.read_commit(&tip, LIMIT).unwrap().parents[0];
    let is_missing = || matches!(cut.read_commit(&parent, LIMIT), Err(ReadError::Missing { .. }));
    assert!(cut.is_shallow().unwrap() && is_missing());
    fetch(&cut, "origin");
    assert!(is_missing(), "git thinks it has everything");
    cut.fetch_whole("origin", &[RefName::WORK], GitProgress::Quiet).unwrap();
    assert!(!is_missing());
    assert_eq!(git_in(&path, &["rev-list", "--count", "refs/cairn/work"]), "5");
    assert_eq!(git_in(&path, &["rev-list", "--count", "HEAD"]), "1");
}
