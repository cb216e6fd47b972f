//! A repository with code, for tests of annotations.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use testkit::{Cairn, Layout, TestRepository};

use crate::support::cairn;

/// Three functions without a common line.
pub(crate) const CODE: &str = "\
pub fn open(path: &str) -> File {
    let handle = acquire(path);
    register(&handle);
    handle
}

pub fn close(file: File) {
    flush(&file);
    release(file);
}

pub fn count(files: &[File]) -> usize {
    let living = files.iter().filter(is_living);
    living.count()
}
";

pub(crate) struct Workshop {
    pub(crate) repository: TestRepository,
    pub(crate) cairn: Cairn,
}

impl Workshop {
    /// Creates one with `src/lib.rs` committed.
    pub(crate) fn new() -> Self {
        let repository = TestRepository::in_memory(Layout::PLAIN);
        let cairn = cairn(repository.path());
        let new = Self { repository, cairn };
        new.write("src/lib.rs", CODE);
        new.commit("Files");
        new
    }

    /// Creates one with hooks installed.
    pub(crate) fn with_hooks() -> Self {
        let new = Self::new();
        new.cairn.quiet(&["hooks", "install"]);
        new
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.repository.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Replaces text in a file.
    #[track_caller]
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{name} has no {from:?}");
        self.write(name, &text.replace(from, to));
    }

    /// Commits all changes and returns the commit.
    #[track_caller]
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.head()
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.repository.git(arguments)
    }

    /// Runs git with additional environment variables, and returns its output.
    pub(crate) fn git_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.repository.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
        command.envs(variables.iter().copied()).output().unwrap()
    }

    /// Returns the note of a commit, if it has one.
    pub(crate) fn try_note(&self, commit: &str) -> Option<Value> {
        let output = self.repository.try_git(&["notes", "--ref=ultragit", "show", commit]);
        output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
    }

    #[track_caller]
    pub(crate) fn note(&self, commit: &str) -> Value {
        self.try_note(commit).unwrap_or_else(|| panic!("{commit} has no note"))
    }

    /// Annotates a function.
    #[track_caller]
    pub(crate) fn annotate(&self, target: &str, intent: &str, constraint: &str) -> Value {
        self.cairn.json(&["annotate", "--anchor", target, "--intent", intent, "--constraint", constraint])
    }

    /// Reads the annotations of a function.
    #[track_caller]
    pub(crate) fn read(&self, path: &str, anchor: &str) -> Vec<Value> {
        self.cairn.json(&["read", path, anchor])["regions"].as_array().unwrap().clone()
    }

    /// Returns the intents of a function, sorted.
    #[track_caller]
    pub(crate) fn intents(&self, path: &str, anchor: &str) -> Vec<String> {
        let regions = self.read(path, anchor);
        let mut intents: Vec<String> =
            regions.iter().map(|region| region["intent"].as_str().unwrap().to_owned()).collect();
        intents.sort();
        intents
    }

    /// Returns the constraints of a function, sorted, without duplicates.
    #[track_caller]
    pub(crate) fn constraints(&self, path: &str, anchor: &str) -> Vec<String> {
        let regions = self.read(path, anchor);
        let constraints = regions.iter().flat_map(|region| region["constraints"].as_array().unwrap());
        let mut texts: Vec<String> = constraints.map(|one| one["text"].as_str().unwrap().to_owned()).collect();
        texts.sort();
        texts.dedup();
        texts
    }
}

/// A file, a name in it, and its lines.
pub(crate) type Place = (String, String, Option<(u64, u64)>);

/// Returns the names and lines of a note's regions.
pub(crate) fn places(note: &Value) -> Vec<Place> {
    let regions = note["regions"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut places: Vec<_> = regions
        .map(|region| {
            let lines = region["lines"]["start"].as_u64().zip(region["lines"]["end"].as_u64());
            (text(&region["file"]), text(&region["ast_anchor"]["name"]), lines)
        })
        .collect();
    places.sort();
    places
}

pub(crate) fn place(file: &str, name: &str, lines: (u64, u64)) -> Place {
    (file.to_owned(), name.to_owned(), Some(lines))
}
