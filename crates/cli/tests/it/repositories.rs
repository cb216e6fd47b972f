//! Every kind of git repository, and the files that must not be changed in any of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use testkit::{Cairn, Layout, Ran, TestRepository, git_in};

use crate::support::{Project, assert_sound, cairn, items, titles};

/// Runs one of each kind of write, and checks the results.
#[track_caller]
fn use_it(cairn: &Cairn, n_before: usize) {
    cairn.quiet(&["new", "issue", "made here"]);
    let number = (n_before + 1).to_string();
    cairn.quiet(&["comment", &number, "said"]);
    cairn.quiet(&["close", &number]);
    let all = items(cairn);
    assert_eq!(all.len(), n_before + 1);
    assert_eq!(all[n_before]["state"], "closed");
    assert_eq!(cairn.json(&["doctor"])["ok"], true);
    assert!(cairn.quiet(&["log"]).out().contains("close"));
}

#[test]
fn every_layout_works() {
    for layout in Layout::all() {
        let project = Project::with(layout);
        use_it(&project.cairn, 0);
        assert_sound(project.repository.path());
    }
}

#[test]
fn every_layout_syncs() {
    for layout in Layout::all().into_iter().filter(|layout| !layout.bare) {
        let hub = TestRepository::with(Layout { bare: true, ..layout });
        let format = format!("--ref-format={}", layout.refs);
        let [one, two] = ["one", "two"].map(|name| cairn(&hub.clone_beside(name, &[&format])));
        for clone in [&one, &two] {
            clone.quiet(&["new", "issue", "same number"]);
        }
        for clone in [&one, &two, &one] {
            clone.quiet(&["sync"]);
        }
        assert_eq!(items(&one), items(&two), "{layout:?}");
        assert_eq!(items(&one).len(), 2);
        assert_sound(hub.path());
    }
}

#[test]
fn linked_work_trees_share_one_log() {
    let project = Project::new();
    project.repository.git(&["commit", "--quiet", "--allow-empty", "--message=start"]);
    let tree = project.repository.directory_path().join("tree");
    project.repository.git(&["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    use_it(&project.cairn, 0);
    use_it(&project.cairn.at(&tree), 1);
    assert_eq!(titles(&project.cairn), ["made here", "made here"]);
    let private = fs::read_to_string(tree.join(".git")).unwrap();
    let private = PathBuf::from(private.trim().strip_prefix("gitdir: ").unwrap());
    assert!(!private.join("cairn").exists(), "the index belongs into the common directory");
}

#[test]
fn packed_and_collected() {
    let project = Project::with_items(&["one", "two"]);
    for arguments in [&["pack-refs", "--all"][..], &["gc", "--quiet", "--prune=now"], &["repack", "-adq"]] {
        project.repository.git(arguments);
        let n_before = items(&project.cairn).len();
        use_it(&project.cairn, n_before);
        project.remove_index();
        assert_eq!(items(&project.cairn).len(), n_before + 1);
    }
    assert_sound(project.repository.path());
}

#[test]
fn a_shallow_clone_has_all_the_work() {
    let hub = Project::new();
    hub.repository.git(&["commit", "--quiet", "--allow-empty", "--message=start"]);
    hub.repository.git(&["commit", "--quiet", "--allow-empty", "--message=more"]);
    for n in 0..5 {
        hub.cairn.quiet(&["new", "issue", &format!("item {n}")]);
    }
    let clone = cairn(&hub.repository.clone_beside("clone", &["--depth=1"]));
    clone.quiet(&["sync"]);
    use_it(&clone, 5);
    clone.quiet(&["sync"]);
    assert_eq!(git_in(clone.directory(), &["rev-list", "--count", "HEAD"]), "1", "it must stay shallow");
    assert_eq!(items(&hub.cairn).len(), 6);
}

#[test]
fn a_submodule_has_a_log_of_its_own() {
    let library = Project::new();
    library.repository.git(&["commit", "--quiet", "--allow-empty", "--message=start"]);
    let project = Project::with_items(&["of the project"]);
    let url = format!("file://{}", library.repository.path().display());
    project.repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "library"]);
    let inside = project.cairn.at(&project.repository.path().join("library"));
    use_it(&inside, 0);
    assert_eq!(titles(&project.cairn), ["of the project"]);
}

#[test]
fn from_a_folder_below_and_from_outside() {
    let project = Project::with_items(&["one"]);
    let below = project.repository.path().join("deep/er");
    fs::create_dir_all(&below).unwrap();
    assert_eq!(titles(&project.cairn.at(&below)), ["one"]);
    assert_eq!(titles(&project.cairn.at(&project.repository.git_dir())), ["one"]);
    let elsewhere = project.cairn.at(&project.repository.directory_path());
    let path = project.repository.path().to_str().unwrap();
    elsewhere.quiet(&["-C", path, "new", "issue", "two"]);
    elsewhere.quiet(&["new", "issue", "three", "--repo", path]);
    assert_eq!(titles(&project.cairn), ["one", "two", "three"]);
    let run = |directory: &str| {
        let mut command = elsewhere.command(&["list", "--json"]);
        Ran::of(command.env("GIT_DIR", directory).spawn().unwrap())
    };
    assert_eq!(run(project.repository.git_dir().to_str().unwrap()).json()["total"], 3);
    assert_eq!(run("project/.git").json()["total"], 3);
    assert_eq!(run("/nowhere").code(), Some(3));
}

#[test]
fn no_repository_is_an_error_of_its_own_and_none_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let cairn = cairn(directory.path());
    for command in [&["list"][..], &["new", "issue", "x"], &["sync"], &["doctor"], &["init"], &["reindex"]] {
        let ran = cairn.run(command);
        insta::allow_duplicates! {
            insta::assert_snapshot!(ran.snapshot(), @"
            exit status: 3
            --- stderr
            error: `.` is not in a git repository
            hint: go to a git repository, name one with `-C PATH`, or make one with `git init`
            ");
        }
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn repository_of_another_user_is_refused_until_trusted() {
    let project = Project::with_items(&["one"]);
    let path = project.repository.path();
    let changed = std::process::Command::new("chown").args(["-R", "12345"]).arg(path).output().unwrap();
    if !changed.status.success() {
        return testkit::skip("only root can give a repository to someone else");
    }
    let ran = project.cairn.run(&["list"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @"
    exit status: 1
    --- stderr
    error: the repository at `<tmp>/project` belongs to another user; to trust it, run `git config --global --add safe.directory <tmp>/project`
    ");
    let settings = fs::read_to_string(project.cairn.gitconfig()).unwrap();
    let trusting = format!("{settings}[safe]\n\tdirectory = {}\n", path.display());
    fs::write(project.cairn.gitconfig(), trusting).unwrap();
    assert_eq!(titles(&project.cairn), ["one"]);
    let _ = std::process::Command::new("chown").args(["-R", "0"]).arg(path).output();
}

/// Returns path and content of all files in a folder, except for ours and git's objects.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let short = path.strip_prefix(root).unwrap().to_owned();
            let is_ours = [".git/objects", ".git/cairn", ".git/refs/cairn"].iter().any(|own| short.starts_with(own));
            if is_ours {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                found.insert(short, Vec::new());
                folders.push(path);
            } else {
                let stamp = fs::symlink_metadata(&path).unwrap().modified().unwrap();
                let content = fs::read(&path).unwrap_or_default();
                found.insert(short, [format!("{stamp:?} ").into_bytes(), content].concat());
            }
        }
    }
    found
}

#[test]
fn only_our_own_files_change() {
    let hub = crate::support::Hub::new();
    let other = hub.clone_as("grace");
    other.quiet(&["new", "issue", "theirs"]);
    other.quiet(&["sync"]);
    let cairn = hub.clone_as("ada");
    let path = cairn.directory().to_owned();
    fs::write(path.join("file"), "committed").unwrap();
    git_in(&path, &["add", "file"]);
    git_in(&path, &["commit", "--quiet", "--message=start"]);
    git_in(&path, &["branch", "topic"]);
    git_in(&path, &["tag", "v1"]);
    fs::write(path.join("file"), "changed").unwrap();
    fs::write(path.join("staged"), "staged").unwrap();
    git_in(&path, &["add", "staged"]);
    fs::write(path.join("untracked"), "untracked").unwrap();
    let before = snapshot(&path);
    for arguments in [
        "new issue ours",
        "new task more --label a --priority 3",
        "list --all",
        "show 1",
        "edit 1 --title other",
        "comment 1 words",
        "label 1 +b",
        "start 1",
        "close 1",
        "reopen 1",
        "link 1 --relates 2",
        "unlink 1 --relates 2",
        "delete 2",
        "ready --explain",
        "search ours",
        "log",
        "log 1",
        "sync",
        "member add Grace --email grace@example.com",
        "workflow set issue triage --category todo",
        "export",
        "doctor",
        "reindex",
        "stats",
        "completions bash",
        "man",
        "demo",
        "sync",
    ] {
        cairn.ok(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(snapshot(&path), before, "`cairn {arguments}` touched something");
    }
    let ran = cairn.run_with_input(&["import", "-"], b"{\"title\":\"imported\"}\n");
    assert_eq!(ran.code(), Some(0), "{ran}");
    assert!(snapshot(&path) == before, "`cairn import` touched something");
    let hub_refs = hub.repository.git(&["for-each-ref", "--format=%(refname)"]);
    assert_eq!(hub_refs, "refs/cairn/work");
}

#[test]
fn the_person_git_names_is_the_author() {
    let project = Project::new();
    project.repository.git(&["config", "user.name", "Grace Hopper"]);
    project.repository.git(&["config", "user.email", "grace@example.com"]);
    assert_eq!(project.cairn.json(&["new", "issue", "one"])["author"], "Grace Hopper <grace@example.com>");
    project.repository.git(&["config", "--unset", "user.name"]);
    project.repository.git(&["config", "--unset", "user.email"]);
    fs::write(project.cairn.gitconfig(), "").unwrap();
    let ran = project.cairn.run(&["new", "issue", "two"]);
    assert_eq!(ran.code(), Some(1), "{ran}");
    insta::assert_snapshot!(ran.snapshot(), @r#"
    exit status: 1
    --- stderr
    error: git does not know who you are; run `git config --global user.name "Your Name"` and `git config --global user.email you@example.com`
    "#);
    assert_eq!(titles(&project.cairn), ["one"]);
}

#[test]
fn reading_needs_no_name() {
    let project = Project::new();
    project.cairn.ok(&["new", "issue", "one"]);
    project.repository.git(&["config", "--unset", "user.name"]);
    project.repository.git(&["config", "--unset", "user.email"]);
    fs::write(project.cairn.gitconfig(), "").unwrap();
    for command in ["list", "ready", "log", "doctor", "stats"] {
        project.cairn.ok(&[command]);
    }
    let status = project.cairn.json(&["status"]);
    assert_eq!([&status["mine"]["total"], &status["ready"]["total"]], [0, 1]);
    let prime = project.cairn.json(&["prime"]);
    assert_eq!((&prime["me"], &prime["nReady"]), (&"".into(), &1.into()));
    assert_eq!(project.cairn.run(&["list", "--mine"]).code(), Some(1));
}
