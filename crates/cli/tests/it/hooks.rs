//! The hooks: they chain existing ones, never block a commit, and uninstall completely.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::git_in;

use crate::support::cairn;
use crate::workshop::Workshop;

const NAMES: [&str; 4] = ["prepare-commit-msg", "post-commit", "post-merge", "post-rewrite"];

fn folder(workshop: &Workshop) -> PathBuf {
    workshop.repository.git_dir().join("hooks")
}

fn put(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns all files of a folder: name, content and mode.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>, u32)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode();
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap(), mode)
        })
        .collect();
    all.sort();
    all
}

fn states(workshop: &Workshop) -> Vec<String> {
    let view = workshop.cairn.json(&["hooks", "status"]);
    view["hooks"].as_array().unwrap().iter().map(|hook| hook["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn earlier_hook_runs_first_and_is_restored_byte_for_byte() {
    let workshop = Workshop::new();
    let folder = folder(&workshop);
    let log = workshop.repository.directory_path().join("log");
    for name in NAMES {
        let input = if name == "post-rewrite" { "cat" } else { "true" };
        put(
            &folder.join(name),
            &format!("#!/bin/sh\n{input} >> '{0}'\necho {name} $1 >> '{0}'\nexit 0\n# no end of line", log.display()),
            0o750,
        );
    }
    put(&folder.join("pre-push"), "other", 0o644);
    let before = contents(&folder);
    for _ in 0..2 {
        workshop.cairn.quiet(&["hooks", "install"]);
        assert_eq!(states(&workshop), ["installed"; 4]);
    }
    workshop.edit("src/lib.rs", "is_living", "lives");
    let old = workshop.commit("Lives\n\nIntent: i");
    workshop.git(&["commit", "--quiet", "--amend", "-m", "Lives on"]);
    let expected = format!(
        "prepare-commit-msg .git/COMMIT_EDITMSG\npost-commit\nprepare-commit-msg .git/COMMIT_EDITMSG\npost-commit\n{old} {}\npost-rewrite amend\n",
        workshop.head()
    );
    assert_eq!(fs::read_to_string(&log).unwrap(), expected);
    assert!(workshop.try_note("HEAD").is_some());
    workshop.cairn.quiet(&["hooks", "remove"]);
    assert_eq!(contents(&folder), before);
    workshop.cairn.quiet(&["hooks", "remove"]);
    assert_eq!(contents(&folder), before);
    assert_eq!(states(&workshop), ["foreign"; 4]);
}

#[test]
fn without_hooks_before_there_are_none_after() {
    let workshop = Workshop::new();
    assert_eq!(states(&workshop), ["absent"; 4]);
    fs::remove_dir_all(folder(&workshop)).unwrap();
    workshop.cairn.quiet(&["hooks", "install"]);
    assert_eq!(states(&workshop), ["installed"; 4]);
    workshop.cairn.quiet(&["hooks", "remove"]);
    assert_eq!(contents(&folder(&workshop)), []);
}

#[test]
fn a_persons_own_hook_still_refuses_and_a_disabled_one_stays_so() {
    let workshop = Workshop::new();
    put(&folder(&workshop).join("prepare-commit-msg"), "#!/bin/sh\nexit 7\n", 0o755);
    put(&folder(&workshop).join("post-commit"), "#!/bin/sh\necho ran >&2\n", 0o644);
    workshop.cairn.quiet(&["hooks", "install"]);
    let output = workshop.git_with(&[], &["commit", "--quiet", "--allow-empty", "-m", "Refused"]);
    assert!(!output.status.success());
    put(&folder(&workshop).join("prepare-commit-msg.before-cairn"), "#!/bin/sh\nexit 0\n", 0o755);
    let output = workshop.git_with(&[], &["commit", "--quiet", "--allow-empty", "-m", "Allowed"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_hook_that_replaced_ours_stays() {
    let workshop = Workshop::new();
    let file = folder(&workshop).join("post-commit");
    put(&file, "mine", 0o755);
    workshop.cairn.quiet(&["hooks", "install"]);
    put(&file, "theirs", 0o755);
    let status = workshop.cairn.quiet(&["hooks", "status"]).out();
    insta::assert_snapshot!(testkit::redact(&status), @"
    prepare-commit-msg  installed
    post-commit         foreign  runs <tmp>/project/.git/hooks/post-commit.before-cairn first
    post-merge          installed
    post-rewrite        installed
    another program replaced Cairn's hook `post-commit`; the hook from before Cairn is `<tmp>/project/.git/hooks/post-commit.before-cairn`
    ");
    let again = workshop.cairn.run(&["hooks", "install"]);
    assert!(again.code() == Some(1), "{again}");
    insta::assert_snapshot!(again.snapshot(), @"
    exit status: 1
    --- stderr
    error: there are already two hooks `post-commit`
    hint: `<tmp>/project/.git/hooks/post-commit` and `<tmp>/project/.git/hooks/post-commit.before-cairn`: merge them or remove one
    ");
    workshop.cairn.quiet(&["hooks", "remove"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
    assert_eq!(fs::read_to_string(folder(&workshop).join("post-commit.before-cairn")).unwrap(), "mine");
}

#[test]
fn a_folder_of_hooks_that_others_keep_is_left_alone_unless_asked() {
    let workshop = Workshop::new();
    workshop.git(&["config", "core.hooksPath", ".husky"]);
    let refused = workshop.cairn.run(&["hooks", "install"]);
    assert_eq!(refused.code(), Some(1));
    insta::assert_snapshot!(refused.snapshot(), @r#"
    exit status: 1
    --- stderr
    error: git runs hooks from `<tmp>/project/.husky`, which is not this repository's own
    hint: husky runs the files in `.husky`; add to the hook `prepare-commit-msg`: cairn hooks run prepare-commit-msg "$@" || true; add to the hook `post-commit`: cairn hooks run post-commit "$@" || true; add to the hook `post-merge`: cairn hooks run post-merge "$@" || true; add to the hook `post-rewrite`: cairn hooks run post-rewrite "$@" || true; or put them there with `--anywhere`
    "#);
    assert!(!workshop.path(".husky").exists() && states(&workshop) == ["absent"; 4]);
    workshop.cairn.quiet(&["hooks", "install", "--anywhere"]);
    assert!(workshop.path(".husky/post-commit").exists());
    workshop.git(&["config", "core.hooksPath", ".git/our hooks"]);
    workshop.cairn.quiet(&["hooks", "install"]);
    assert!(workshop.repository.git_dir().join("our hooks/post-commit").exists());
    assert!(!folder(&workshop).join("post-commit").exists());
    workshop.edit("src/lib.rs", "is_living", "lives");
    let id = workshop.commit("Lives\n\nIntent: i");
    assert!(workshop.try_note(&id).is_some());
}

#[test]
fn linked_work_trees_and_blanks_in_paths() {
    let workshop = Workshop::with_hooks();
    let other = workshop.repository.directory_path().join("it's another tree");
    workshop.git(&["worktree", "add", "--quiet", "-b", "side", other.to_str().unwrap()]);
    let code = fs::read_to_string(other.join("src/lib.rs")).unwrap();
    fs::write(other.join("src/lib.rs"), code.replace("is_living", "lives")).unwrap();
    git_in(&other, &["commit", "--quiet", "-am", "Lives\n\nIntent: i"]);
    let id = git_in(&other, &["rev-parse", "HEAD"]);
    assert!(workshop.try_note(&id).is_some());
    git_in(&other, &["commit", "--quiet", "--amend", "-m", "Lives on"]);
    assert!(workshop.try_note(&git_in(&other, &["rev-parse", "HEAD"])).is_some());
    workshop.git(&["merge", "--quiet", "--squash", "side"]);
    workshop.git(&["commit", "--quiet", "-m", "At once"]);
    assert_eq!(workshop.intents("src/lib.rs", "count"), ["i"]);
    insta::assert_snapshot!(cairn(&other).quiet(&["hooks", "status"]).snapshot(), @"
    --- stdout
    prepare-commit-msg  installed
    post-commit         installed
    post-merge          installed
    post-rewrite        installed
    ");
}

#[test]
fn a_missing_program_is_searched_on_the_path_and_else_ignored() {
    let workshop = Workshop::new();
    let places = workshop.repository.directory_path();
    let (first, second) = (places.join("first"), places.join("on the path"));
    for place in [&first, &second] {
        fs::create_dir(place).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_cairn"), place.join("cairn")).unwrap();
    }
    let installed =
        Command::new(first.join("cairn")).args(["hooks", "install"]).current_dir(workshop.repository.path()).output();
    assert!(installed.unwrap().status.success());
    fs::remove_dir_all(&first).unwrap();
    let path = std::env::var("PATH").unwrap();
    let with = format!("{}:{path}", second.display());
    for (variable, is_found) in [(with.as_str(), true), (path.as_str(), false)] {
        workshop.edit("src/lib.rs", "files", "more_files");
        let output = workshop.git_with(&[("PATH", variable)], &["commit", "--quiet", "-am", "Files\n\nIntent: i"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(workshop.try_note("HEAD").is_some(), is_found);
        assert!(is_found || output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_hook_never_fails_and_reports_problems_in_one_line() {
    let workshop = Workshop::with_hooks();
    workshop.git(&["config", "ultragit.noteref", "not a ref"]);
    workshop.edit("src/lib.rs", "is_living", "lives");
    workshop.git(&["add", "--all"]);
    let output = workshop.git_with(&[], &["commit", "--quiet", "-m", "Lives\n\nIntent: i"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.starts_with("cairn: ") && said.lines().count() == 1, "{said}");
    for input in
        ["", "nonsense\n", "0000000000000000000000000000000000000000 1111111111111111111111111111111111111111\n"]
    {
        let ran = workshop.cairn.run_with_input(&["hooks", "run", "post-rewrite", "rebase"], input.as_bytes());
        assert!(ran.status.success() && ran.stdout.is_empty() && ran.err().lines().count() <= 1, "{ran}");
    }
}

#[test]
fn reminder_needs_annotations_and_the_setting() {
    let workshop = Workshop::with_hooks();
    let commit = |options: &[&str]| {
        let output = workshop.git_with(&[], &[&["commit", "--quiet", "--allow-empty", "-m", "x"], options].concat());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(commit(&[]), "", "there are no annotations yet");
    workshop.annotate("src/lib.rs:open", "i", "c");
    let said = commit(&[]);
    assert!(said.lines().count() == 1, "{said}");
    insta::assert_snapshot!(testkit::redact(&said), @"cairn: this commit does not say why; `cairn annotate` adds it (`git config cairn.remind false` ends this)");
    assert_eq!(commit(&["--amend"]), "");
    workshop.git(&["config", "cairn.remind", "false"]);
    assert_eq!(commit(&[]), "");
}
