//! Shared fixtures: the program in a new repository, and checks that must hold after every test.

use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::{Cairn, Layout, TestRepository, git_in};

/// The empty tree of a SHA-1 repository.
pub(crate) const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Returns the program, run in a directory.
pub(crate) fn cairn(directory: &Path) -> Cairn {
    Cairn::new(env!("CARGO_BIN_EXE_cairn"), directory)
}

/// A repository and the program in it.
pub(crate) struct Project {
    pub(crate) repository: TestRepository,
    pub(crate) cairn: Cairn,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::with(Layout::PLAIN)
    }

    pub(crate) fn with(layout: Layout) -> Self {
        Self::of(TestRepository::with(layout))
    }

    /// Creates a project in memory, for tests whose many writes would spend most of their time on the disk.
    pub(crate) fn in_memory() -> Self {
        Self::of(TestRepository::in_memory(Layout::PLAIN))
    }

    fn of(repository: TestRepository) -> Self {
        let cairn = cairn(repository.path());
        Self { repository, cairn }
    }

    /// Creates a project in memory, with an issue for each title.
    pub(crate) fn with_items(titles: &[&str]) -> Self {
        let project = Self::in_memory();
        for title in titles {
            project.cairn.quiet(&["new", "issue", title]);
        }
        project
    }

    pub(crate) fn tip(&self) -> String {
        self.repository.git(&["rev-parse", "refs/cairn/work"])
    }

    /// Returns the file of the index.
    pub(crate) fn index(&self) -> PathBuf {
        index_file(&self.repository.git_dir())
    }

    /// Removes the index with all of its files.
    pub(crate) fn remove_index(&self) {
        let index = self.index();
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", index.display()));
        }
    }

    /// Puts a hand-made commit on top of the log.
    pub(crate) fn push_commit(&self, message: &[u8]) -> String {
        let tip = self.tip();
        let id = testkit::write_commit(self.repository.path(), EMPTY_TREE, &[&tip], message);
        self.repository.git(&["update-ref", "refs/cairn/work", &id]);
        id
    }
}

/// Returns the file of a repository's index.
pub(crate) fn index_file(git_dir: &Path) -> PathBuf {
    let name = std::fs::read_to_string(git_dir.join("cairn/index")).unwrap();
    git_dir.join("cairn").join(name.trim_end())
}

/// A bare repository that clones share.
pub(crate) struct Hub {
    pub(crate) repository: TestRepository,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { repository: TestRepository::with(Layout::BARE) }
    }

    /// Creates a hub in memory, and its clones with it.
    pub(crate) fn in_memory() -> Self {
        Self { repository: TestRepository::in_memory(Layout::BARE) }
    }

    /// Clones it; the user has the name of the clone.
    pub(crate) fn clone_as(&self, name: &str) -> Cairn {
        let path = self.repository.clone_beside(name, &[]);
        git_in(&path, &["config", "user.name", name]);
        git_in(&path, &["config", "user.email", &format!("{name}@example.com")]);
        cairn(&path)
    }
}

/// Returns all items, including deleted ones, by number.
#[track_caller]
pub(crate) fn items(cairn: &Cairn) -> Vec<Value> {
    let page = cairn.json(&["list", "--all", "--deleted", "--limit", "0", "--sort", "number"]);
    page["items"].as_array().unwrap().clone()
}

/// Returns the title of every item, by number.
#[track_caller]
pub(crate) fn titles(cairn: &Cairn) -> Vec<String> {
    items(cairn).iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

/// Returns the number of every item, in order.
#[track_caller]
pub(crate) fn numbers(cairn: &Cairn) -> Vec<u64> {
    items(cairn).iter().map(|item| item["number"].as_u64().unwrap()).collect()
}

/// Checks that `git fsck` reports no problem.
#[track_caller]
pub(crate) fn assert_sound(path: &Path) {
    git_in(path, &["fsck", "--strict", "--no-dangling"]);
}
