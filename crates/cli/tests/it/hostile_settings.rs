//! A repository whose configuration sets a command for everything git can run. Reading it must not run any of them,
//! must not hang, and must not rewrite git's index.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::{Layout, Ran, TestRepository, git_in};

use crate::workshop::Workshop;

/// Settings that git runs as a command.
const COMMAND_SETTINGS: [&str; 31] = [
    "alias.blame",
    "alias.log",
    "alias.status",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.evil.command",
    "diff.evil.textconv",
    "diff.external",
    "filter.a=b.clean",
    "filter.a=b.smudge",
    "filter.Evil Filter.process",
    "filter.evil.clean",
    "filter.evil.process",
    "filter.evil.smudge",
    "gpg.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "merge.evil.driver",
    "pager.blame",
    "pager.log",
    "remote.origin.uploadpack",
    "sequence.editor",
    "trailer.see.cmd",
    "uploadpack.packObjectsHook",
];

/// Settings that make git run one of them.
const OTHER_SETTINGS: [(&str, &str); 9] = [
    ("core.untrackedCache", "true"),
    ("diff.submodule", "diff"),
    ("filter.evil.required", "true"),
    ("gpg.format", "ssh"),
    ("log.showSignature", "true"),
    ("protocol.allow", "always"),
    ("protocol.ext.allow", "always"),
    ("status.submoduleSummary", "true"),
    ("submodule.recurse", "true"),
];

const HOOKS: [&str; 12] = [
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Every read-only command.
const READS: [&[&str]; 29] = [
    &["list", "--all"],
    &["show", "1"],
    &["ready", "--explain"],
    &["search", "work"],
    &["log"],
    &["log", "1"],
    &["stats"],
    &["member"],
    &["workflow"],
    &["export"],
    &["doctor"],
    &["reindex"],
    &["context", "src/lib.rs"],
    &["context", "src/lib.rs", "open"],
    &["read", "src/lib.rs"],
    &["read", "src/lib.rs", "open"],
    &["deps", "src/lib.rs", "open"],
    &["history", "src/lib.rs", "open"],
    &["summary", "src/lib.rs"],
    &["summary", "src"],
    &["inbox", "list"],
    &["inbox", "check"],
    &["inbox", "files"],
    &["inbox", "files", "--commit", "HEAD"],
    &["inbox", "lines", "src/lib.rs"],
    &["inbox", "lines", "notes.txt"],
    &["inbox", "lines", "src/lib.rs", "--commit", "HEAD"],
    &["hooks", "status"],
    &["token", "list"],
];

/// A repository full of traps, and the folder where each triggered one leaves a file.
struct Trapped {
    workshop: Workshop,
    traps: tempfile::TempDir,
    /// The source of objects that git never fetched: it must outlive the test.
    _library: TestRepository,
}

impl Trapped {
    fn new() -> Self {
        let workshop = Workshop::new();
        workshop.write("notes.txt", "one\n");
        workshop.commit("Notes\n\nSee: 1");
        let library = TestRepository::with(Layout::PLAIN);
        library.git(&["commit", "--quiet", "--allow-empty", "--message=start"]);
        let url = format!("file://{}", library.path().display());
        workshop.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "library"]);
        workshop.edit("src/lib.rs", "flush(&file);", "flush(&file)?;");
        workshop.commit("Flush");
        workshop.cairn.quiet(&["new", "issue", "work"]);
        workshop.annotate("src/lib.rs:open", "one way in", "never blocks");
        workshop.cairn.quiet(&["inbox", "send", "--file", "src/lib.rs", "--line", "2", "--comment", "why"]);
        let new = Self { workshop, traps: tempfile::tempdir().unwrap(), _library: library };
        new.set_traps();
        new.make_dirty();
        new
    }

    /// Writes a program that leaves a file with its name and then never exits.
    fn trap(&self, name: &str) -> PathBuf {
        let name = name.replace([' ', '='], "_");
        let path = self.traps.path().join(format!("trap-{name}"));
        let witness = self.traps.path().join(format!("sprung-{name}"));
        fs::write(&path, format!("#!/bin/sh\n: > '{}'\nexec sleep 40\n", witness.display())).unwrap();
        make_executable(&path);
        path
    }

    fn set_traps(&self) {
        let git_dir = self.workshop.repository.git_dir();
        let set = |key: &str, value: &str| _ = self.workshop.git(&["config", "--file", &config(&git_dir), key, value]);
        for key in COMMAND_SETTINGS {
            let shell = if key.starts_with("alias.") { "!" } else { "" };
            set(key, &format!("{shell}{}", self.trap(key).display()));
        }
        for (key, value) in OTHER_SETTINGS {
            set(key, value);
        }
        let inside = git_dir.join("modules/library");
        let filter = self.trap("submodule-filter");
        git_in(&inside, &["config", "--file", &config(&inside), "filter.inside.clean", filter.to_str().unwrap()]);
        fs::write(inside.join("info/attributes"), "* filter=inside\n").unwrap();
        fs::write(
            git_dir.join("info/attributes"),
            "*.rs filter=evil diff=evil merge=evil\n*.txt filter=a=b diff=evil\n",
        )
        .unwrap();
        for name in HOOKS {
            let hook = git_dir.join("hooks").join(name);
            fs::create_dir_all(hook.parent().unwrap()).unwrap();
            fs::copy(self.trap(&format!("hook-{name}")), &hook).unwrap();
        }
    }

    /// Leaves files whose times or content differ from git's index.
    fn make_dirty(&self) {
        self.workshop.edit("notes.txt", "one", "two");
        let text = fs::read_to_string(self.workshop.path("src/lib.rs")).unwrap();
        self.workshop.write("src/lib.rs", &(text + "\n// more\n"));
        self.workshop.write("new.rs", "fn new() {}\n");
        self.workshop.write("library/inside.rs", "fn inside() {}\n");
    }

    /// Turns it into a partial clone, so that git would fetch missing objects.
    fn become_partial(&self) {
        let git_dir = self.workshop.repository.git_dir();
        for (key, value) in [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", "ssh://nowhere.invalid/project"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
        ] {
            git_in(&git_dir, &["config", "--file", &config(&git_dir), key, value]);
        }
    }

    fn remove_object(&self, id: &str) {
        let path = self.workshop.repository.git_dir().join("objects").join(&id[..2]).join(&id[2..]);
        fs::remove_file(path).unwrap();
    }

    /// Runs every read-only command, and checks that no trap was triggered, none hung, and git's index is unchanged.
    #[track_caller]
    fn read_everything(&self) -> Vec<(String, Ran)> {
        let index = self.workshop.repository.git_dir().join("index");
        let before = fs::read(&index).unwrap();
        let mut all = Vec::new();
        for command in READS {
            let wrapper = ["timeout", "--kill-after=1", "20"];
            let ran = Ran::of(self.workshop.cairn.command_through(&wrapper, command).spawn().unwrap());
            assert_ne!(ran.code(), Some(124), "{command:?} hung: {ran}");
            assert!(ran.code().is_some_and(|code| code < 3), "{command:?}: {ran}");
            assert!(!ran.err().contains("panicked"), "{command:?}: {ran}");
            assert_eq!(self.sprung(), [""; 0], "{command:?} started a program: {ran}");
            assert!(fs::read(&index).unwrap() == before, "{command:?} rewrote git's index");
            all.push((command.join(" "), ran));
        }
        all
    }

    fn sprung(&self) -> Vec<String> {
        let entries = fs::read_dir(self.traps.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("sprung-")).collect()
    }
}

fn config(git_dir: &Path) -> String {
    git_dir.join("config").to_str().unwrap().to_owned()
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn reading_starts_no_program_the_repository_names() {
    let trapped = Trapped::new();
    let all = trapped.read_everything();
    for (command, ran) in &all {
        assert!(ran.status.success() || command == "hooks status", "{command}: {ran}");
    }
    let said = |wanted: &str| all.iter().find(|(command, _)| command == wanted).unwrap().1.out();
    let files = said("inbox files");
    for name in ["src/lib.rs", "notes.txt", "new.rs"] {
        assert!(files.contains(name), "{name}: {files}");
    }
    insta::assert_snapshot!(said("inbox lines notes.txt"), @"
    all: the whole file
    old:1: one
    1: two
    ");
    // The traps work: git itself triggers them.
    let mut git = std::process::Command::new("timeout");
    git.args(["--kill-after=1", "2", "git", "status", "--short"]).current_dir(trapped.workshop.repository.path());
    let ran = git.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status();
    assert!(ran.is_ok() && !trapped.sprung().is_empty());
}

#[test]
fn reading_fetches_no_missing_blob() {
    let trapped = Trapped::new();
    let blobs = ["HEAD:src/lib.rs", "HEAD~1:src/lib.rs"].map(|name| trapped.workshop.git(&["rev-parse", name]));
    trapped.become_partial();
    for id in &blobs {
        trapped.remove_object(id);
    }
    let all = trapped.read_everything();
    let (_, ran) = all.iter().find(|(command, _)| command == "history src/lib.rs open").unwrap();
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: this partial clone lacks objects that are needed here, and reading does not fetch them
    hint: set `GIT_NO_LAZY_FETCH=0` to let git fetch them, or bring all with `git fetch --refetch --no-filter`
    ");
}

#[test]
fn reading_fetches_no_missing_commit_of_the_log() {
    let trapped = Trapped::new();
    let tip = trapped.workshop.git(&["rev-parse", "refs/cairn/work"]);
    trapped.become_partial();
    trapped.remove_object(&tip);
    let git_dir = trapped.workshop.repository.git_dir();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(git_dir.join(format!("cairn/index.db{suffix}")));
    }
    trapped.read_everything();
}
