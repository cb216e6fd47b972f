//! A small project with everything that is read: a packed log, loose commits on top, packed references, notes, a remote.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Cairn, git_in};

/// How up to date the index is before a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexIs {
    /// As the last write left it.
    Current,
    /// Some commits behind the log.
    Behind,
    /// Not there: the command builds it.
    Gone,
}

/// The project, ready to be copied.
pub(crate) struct Scenario {
    folder: TempDir,
    cairn: Cairn,
}

impl Scenario {
    /// Makes the project with references stored in one of git's formats: `files` or `reftable`.
    pub(crate) fn new(references: &str) -> Self {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let original = folder.path().join("original/project");
        fs::create_dir_all(&original).unwrap();
        let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), &original);
        let hub = folder.path().join("hub.git");
        git_in(folder.path(), &["init", "--quiet", "--bare", hub.to_str().unwrap()]);
        git_in(&original, &["init", "--quiet", "--initial-branch=main", &format!("--ref-format={references}")]);
        git_in(&original, &["remote", "add", "origin", hub.to_str().unwrap()]);
        for (key, value) in [("maintenance.auto", "false"), ("gc.auto", "0")] {
            git_in(&original, &["config", key, value]);
        }
        let scenario = Self { folder, cairn };
        scenario.fill(&original, &hub);
        scenario
    }

    fn fill(&self, original: &Path, hub: &Path) {
        let cairn = &self.cairn;
        fs::write(original.join("code.rs"), "fn one() {}\nfn two() {}\n").unwrap();
        git_in(original, &["add", "."]);
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
        git_in(original, &[&identity[..], &["commit", "--quiet", "--message=code"]].concat());
        for number in 1..=6 {
            cairn.ok(&["new", "issue", &format!("item {number}")]);
        }
        for version in 1..=4 {
            cairn.ok(&["edit", "1", "--title", &format!("title {version}")]);
        }
        cairn.ok(&["comment", "2", "first"]);
        cairn.ok(&["close", "3"]);
        cairn.ok(&["annotate", "--anchor", "code.rs:one", "--intent", "to be first"]);
        cairn.ok(&["token", "create", "first"]);
        cairn.ok(&["sync"]);
        git_in(original, &["gc", "--quiet"]);
        self.keep_index(original, "behind");
        cairn.ok(&["comment", "2", "second"]);
        git_in(original, &["pack-refs", "--all"]);
        cairn.ok(&["edit", "4", "--title", "late"]);
        self.keep_index(original, "current");
        let other = self.folder.path().join("other");
        git_in(self.folder.path(), &["clone", "--quiet", hub.to_str().unwrap(), other.to_str().unwrap()]);
        let other = cairn.at(&other);
        other.ok(&["sync"]);
        other.ok(&["new", "issue", "from elsewhere"]);
        other.ok(&["sync"]);
    }

    fn keep_index(&self, original: &Path, name: &str) {
        copy(&original.join(".git/cairn"), &self.folder.path().join(name));
    }

    /// Puts a fresh copy of the project into a folder of its own and returns the program in it.
    pub(crate) fn copy(&self, name: &str, index: IndexIs) -> Cairn {
        let place = self.folder.path().join(name);
        let _ = fs::remove_dir_all(&place);
        copy(&self.folder.path().join("original"), &place);
        copy(&self.folder.path().join("hub.git"), &place.join("hub.git"));
        let project: PathBuf = place.join("project");
        let hub = place.join("hub.git");
        let config = project.join(".git/config");
        let text = fs::read_to_string(&config).unwrap();
        let original_hub = self.folder.path().join("hub.git");
        fs::write(&config, text.replace(original_hub.to_str().unwrap(), hub.to_str().unwrap())).unwrap();
        fs::remove_dir_all(project.join(".git/cairn")).unwrap();
        match index {
            IndexIs::Current => copy(&self.folder.path().join("current"), &project.join(".git/cairn")),
            IndexIs::Behind => copy(&self.folder.path().join("behind"), &project.join(".git/cairn")),
            IndexIs::Gone => {}
        }
        self.cairn.at(&project)
    }
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg("-T").arg(from).arg(to).status();
    assert!(copied.unwrap().success(), "cannot copy {}", from.display());
}

/// Returns all that the commands here change of the items, but for what differs from run to run.
#[track_caller]
pub(crate) fn state(cairn: &Cairn) -> Vec<Value> {
    let page = cairn.json(&["list", "--all", "--deleted", "--limit", "0", "--sort", "number"]);
    let items = page["items"].as_array().unwrap().iter();
    let mut state: Vec<Value> = items.map(|item| json!([item["number"], item["title"], item["status"]])).collect();
    for number in ["1", "2"] {
        let item = cairn.json(&["show", number]);
        let comments = item["comments"].as_array().map(Vec::as_slice).unwrap_or_default();
        state.push(comments.iter().map(|comment| comment["body"].clone()).collect());
    }
    let tokens = cairn.json(&["token", "list"]);
    state.push(tokens.as_array().unwrap().iter().map(|token| token["name"].clone()).collect());
    state
}
