//! Discovery of the repository, and refusal of repositories of other users.

use std::fs;

use store::git::{GitError, Repository};
use testkit::{Layout, TestRepository, git_in};

use crate::git_support::open;

#[test]
fn a_repository_is_found_from_anywhere_inside() {
    let fixture = TestRepository::new();
    let deep = fixture.path().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    for start in [fixture.path(), &deep, &fixture.git_dir(), &fixture.git_dir().join("refs")] {
        let repository = open(start);
        assert_eq!(repository.git_dir(), fixture.git_dir(), "{}", start.display());
        assert_eq!(repository.common_dir(), fixture.git_dir());
        assert_eq!(repository.workdir(), Some(fixture.path()));
        assert_eq!(repository.project_name(), "project");
        assert_eq!(repository.hash_length(), 20);
    }
}

#[test]
fn a_bare_repository_has_no_work_tree() {
    let fixture = TestRepository::with(Layout { hash: "sha256", ..Layout::BARE });
    let repository = open(&fixture.path().join("refs"));
    assert_eq!(repository.git_dir(), fixture.path());
    assert_eq!(repository.workdir(), None);
    assert_eq!(repository.project_name(), "project");
    assert_eq!(repository.hash_length(), 32);
}

#[test]
fn a_linked_work_tree_shares_the_common_directory() {
    let fixture = TestRepository::new();
    fixture.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
    fixture.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = fixture.directory_path().join("linked");
    for start in [linked.clone(), fixture.git_dir().join("worktrees/linked")] {
        let repository = open(&start);
        assert_eq!(repository.git_dir(), fixture.git_dir().join("worktrees/linked"));
        assert_eq!(repository.common_dir(), fixture.git_dir());
        assert_eq!(repository.workdir(), Some(linked.as_path()));
        assert_eq!(repository.project_name(), "project");
    }
}

#[test]
fn a_submodule_is_its_own_repository() {
    let inner = TestRepository::new();
    inner.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]);
    let outer = TestRepository::new();
    let source = inner.path().to_str().unwrap();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "part"]);
    let repository = open(&outer.path().join("part"));
    assert_eq!(repository.git_dir(), outer.git_dir().join("modules/part"));
    assert_eq!(repository.workdir(), Some(outer.path().join("part").as_path()));
    assert_eq!(repository.project_name(), "part");
}

#[test]
fn no_repository_is_an_error_and_none_is_made() {
    let directory = tempfile::TempDir::new().unwrap();
    for start in [directory.path().to_owned(), directory.path().join("absent")] {
        let error = Repository::discover(&start).unwrap_err();
        assert!(matches!(&error, GitError::NotARepository { path } if *path == start), "{error}");
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_git_file_that_leads_nowhere_does_not_lead_outside() {
    let fixture = TestRepository::new();
    let inside = fixture.path().join("inside");
    fs::create_dir(&inside).unwrap();
    for content in ["gitdir: /nowhere/at/all\n", "something else"] {
        fs::write(inside.join(".git"), content).unwrap();
        let error = Repository::discover(&inside).unwrap_err();
        assert!(matches!(error, GitError::Broken { .. }), "{content}: {error}");
    }
}

#[test]
fn half_a_repository_is_none() {
    let directory = tempfile::TempDir::new().unwrap();
    for name in ["objects", "refs"] {
        fs::create_dir_all(directory.path().join(".git").join(name)).unwrap();
    }
    assert!(matches!(Repository::discover(directory.path()), Err(GitError::NotARepository { .. })));
}

#[test]
fn unknown_formats_are_refused() {
    let refused = |settings: &[(&str, &str)]| {
        let fixture = TestRepository::new();
        for (key, value) in settings {
            fixture.git(&["config", "--file", ".git/config", key, value]);
        }
        let error = Repository::discover(fixture.path()).unwrap_err();
        assert!(matches!(error, GitError::Unsupported { .. }), "{settings:?}: {error}");
        testkit::redact(&error.to_string())
    };
    let version = ("core.repositoryFormatVersion", "1");
    insta::assert_snapshot!(refused(&[("core.repositoryFormatVersion", "2")]), @"the repository at `<tmp>/project/.git` needs repository format version 2, which is not supported");
    insta::assert_snapshot!(refused(&[version, ("extensions.futureThing", "true")]), @"the repository at `<tmp>/project/.git` needs the extension `futurething`, which is not supported");
    insta::assert_snapshot!(refused(&[version, ("extensions.refStorage", "cloud")]), @"the repository at `<tmp>/project/.git` needs the ref storage `cloud`, which is not supported");
    insta::assert_snapshot!(refused(&[version, ("extensions.objectFormat", "sha512")]), @"the repository at `<tmp>/project/.git` needs the object format `sha512`, which is not supported");
}

#[test]
fn a_broken_configuration_names_the_file() {
    let fixture = TestRepository::new();
    let path = fixture.git_dir().join("config");
    fs::write(&path, "[core\nnonsense").unwrap();
    let error = Repository::discover(fixture.path()).unwrap_err();
    assert!(matches!(&error, GitError::Broken { path: named, .. } if *named == path), "{error}");
}

#[test]
fn an_included_identity_is_found() {
    let fixture = TestRepository::new();
    fixture.git(&["config", "--unset", "user.name"]);
    fs::write(fixture.git_dir().join("person"), "[user]\nname = Grace Hopper\n").unwrap();
    fixture.git(&["config", "include.path", "person"]);
    let identity = open(fixture.path()).identity().unwrap();
    assert_eq!(identity.name, "Grace Hopper");
    assert_eq!(identity.email, "ada@example.com");
}

#[test]
fn a_changed_identity_is_seen_at_once() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    assert_eq!(repository.identity().unwrap().name, "Ada Lovelace");
    fixture.git(&["config", "user.name", "Grace Hopper"]);
    assert_eq!(repository.identity().unwrap().name, "Grace Hopper");
    assert_eq!(repository.config_string("user.name").unwrap().as_deref(), Some("Grace Hopper"));
    assert_eq!(repository.config_string("cairn.absent").unwrap(), None);
}

#[test]
fn held_settings_stay_as_they_were_read() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let name = || repository.config_string("cairn.test").unwrap();
    let held = repository.hold_settings().unwrap();
    fixture.git(&["config", "cairn.test", "new"]);
    assert_eq!(name(), None);
    drop(held);
    assert_eq!(name().as_deref(), Some("new"));
    fixture.git(&["config", "cairn.test", "newer"]);
    assert_eq!(name().as_deref(), Some("newer"));
}

#[test]
fn remotes_are_listed_and_one_is_the_default() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    let default = || repository.default_remote().unwrap();
    assert_eq!(default(), None);
    fixture.git(&["remote", "add", "hub", "/srv/hub.git"]);
    assert_eq!(default().as_deref(), Some("hub"));
    fixture.git(&["remote", "add", "other", "/srv/other.git"]);
    assert_eq!(default(), None);
    fixture.git(&["remote", "add", "origin", "/srv/origin.git"]);
    assert_eq!(default().as_deref(), Some("origin"));
    fixture.git(&["config", "branch.main.remote", "other"]);
    assert_eq!(default().as_deref(), Some("other"));
    assert_eq!(repository.remotes().unwrap(), ["hub", "other", "origin"]);
    git_in(fixture.path(), &["config", "branch.main.remote", "."]);
    assert_eq!(default().as_deref(), Some("origin"));
}
