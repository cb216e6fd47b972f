//! A small project with every kind of data: a packed log, loose commits on top, packed refs, notes, a remote.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Cairn, git_in};

use crate::folder::{copy, digest};

/// The state of the index before a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexIs {
    /// As the last write left it.
    Current,
    /// The same, mostly in SQLite's WAL.
    Journaled,
    /// Some commits behind the log.
    Behind,
    /// Missing: the command builds it.
    Gone,
}

/// The project, ready to be copied.
pub(crate) struct Scenario {
    folder: TempDir,
    cairn: Cairn,
}

impl Scenario {
    /// Creates the project with one of git's ref formats: `files` or `reftable`.
    pub(crate) fn new(references: &str) -> Self {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let original = folder.path().join("original/project");
        fs::create_dir_all(&original).unwrap();
        let cairn = Cairn::new(env!("CARGO_BIN_EXE_cairn"), &original);
        let hub = folder.path().join("original/hub.git");
        git_in(folder.path(), &["init", "--quiet", "--bare", "--template=", hub.to_str().unwrap()]);
        let format = format!("--ref-format={references}");
        git_in(&original, &["init", "--quiet", "--initial-branch=main", "--template=", &format]);
        // A relative URL: a copy of both folders stays a clone of its own hub.
        git_in(&original, &["remote", "add", "origin", "../hub.git"]);
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
        for number in 1..=4 {
            cairn.ok(&["new", "issue", &format!("item {number}")]);
        }
        for version in 1..=3 {
            cairn.ok(&["edit", "1", "--title", &format!("title {version}")]);
        }
        cairn.ok(&["comment", "2", "first"]);
        cairn.ok(&["close", "3"]);
        cairn.ok(&["annotate", "--anchor", "code.rs:one", "--intent", "to be first"]);
        cairn.ok(&["token", "create", "first"]);
        cairn.ok(&["sync"]);
        git_in(original, &["gc", "--quiet"]);
        // Without a WAL, which every command would read page by page.
        cairn.ok(&["reindex"]);
        self.keep_index(original, "behind");
        cairn.ok(&["comment", "2", "second"]);
        git_in(original, &["pack-refs", "--all"]);
        cairn.ok(&["edit", "4", "--title", "late"]);
        self.keep_index(original, "journaled");
        cairn.ok(&["reindex"]);
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

    /// Copies the project into a new folder and returns the program in it.
    pub(crate) fn copy(&self, name: &str, index: IndexIs) -> Cairn {
        let place = self.folder.path().join(name);
        let _ = fs::remove_dir_all(&place);
        copy(&self.folder.path().join("original"), &place);
        let project = place.join("project");
        fs::remove_dir_all(project.join(".git/cairn")).unwrap();
        match index {
            IndexIs::Current => copy(&self.folder.path().join("current"), &project.join(".git/cairn")),
            IndexIs::Journaled => copy(&self.folder.path().join("journaled"), &project.join(".git/cairn")),
            IndexIs::Behind => copy(&self.folder.path().join("behind"), &project.join(".git/cairn")),
            IndexIs::Gone => {}
        }
        self.cairn.at(&project)
    }

    /// Returns everything that the commands change, except for values that differ between runs.
    pub(crate) fn state(&self, cairn: &Cairn) -> Result<Vec<Value>, String> {
        let mut state = items(cairn)?;
        // Settings and tokens are read only if they changed.
        if self.has_changed(cairn, "config") {
            answer(cairn, &["init"])?;
            let settings = fs::read_to_string(cairn.directory().join(".git/config")).unwrap();
            state.push(settings.lines().collect());
        }
        if self.has_changed(cairn, "cairn/tokens.json") {
            let tokens = read_json(&answer(cairn, &["--json", "token", "list"])?)?;
            state.push(tokens.as_array().into_iter().flatten().map(|token| token["name"].clone()).collect());
        }
        Ok(state)
    }

    fn has_changed(&self, cairn: &Cairn, file: &str) -> bool {
        let original = self.folder.path().join("original/project/.git").join(file);
        fs::read(cairn.directory().join(".git").join(file)).ok() != fs::read(original).ok()
    }
}

/// Returns the items of a project without ids and values derived from them: a retry uses other random bytes.
pub(crate) fn items(cairn: &Cairn) -> Result<Vec<Value>, String> {
    let listed = answer(cairn, &["--json", "list", "--all", "--deleted", "--limit", "0", "--sort", "number"])?;
    let mut items = read_json(&listed)?["items"].as_array().cloned().ok_or("a list without items")?;
    for item in &mut items {
        let fields = item.as_object_mut().ok_or("an item without fields")?;
        fields.retain(|name, _| !["id", "revision"].contains(&name.as_str()));
    }
    Ok(items)
}

/// Runs a command and returns its output.
pub(crate) fn answer(cairn: &Cairn, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let ran = cairn.run(arguments);
    if ran.status.success() {
        Ok(ran.stdout)
    } else {
        Err(format!("`{}` fails afterwards: {ran}", arguments.join(" ")))
    }
}

fn read_json(text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

/// Returns a hash of everything a command may have changed in a copy: the project and its hub.
pub(crate) fn digest_of(cairn: &Cairn) -> u64 {
    digest(cairn.directory()) ^ digest(&cairn.directory().with_file_name("hub.git")).rotate_left(1)
}
