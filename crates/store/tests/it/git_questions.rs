//! Queries to the `git` program: unusual names, limits, caches and cost.

use std::fs;
use std::time::{Duration, Instant};

use model::annotation::Lines;
use store::git::{CommitId, GitError, ReadError, Repository, TreeEntry, TreePath};
use store::{Store, StoreError};
use testkit::{Layout, TestRepository, write_code_history};

use crate::git_support::open;
use crate::notes_support::open_store;

const ALL: Duration = Duration::from_secs(30);

fn commit_file(fixture: &TestRepository, name: &[u8], text: &str) {
    use std::os::unix::ffi::OsStrExt;

    let path = fixture.path().join(std::ffi::OsStr::from_bytes(name));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fixture.git(&["add", "--all"]);
    fixture.git(&["commit", "--quiet", "--message=a change"]);
}

fn head(repository: &Repository) -> CommitId {
    repository.head().unwrap().unwrap()
}

fn content(store: &Store, path: &TreePath) -> Vec<u8> {
    match store.repository().read_path(&head(store.repository()), path, 100).unwrap() {
        Some(TreeEntry::File(_, bytes)) => bytes,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn any_name_can_be_asked_about() {
    for layout in [Layout::PLAIN, Layout { hash: "sha256", refs: "reftable", bare: false }] {
        let fixture = TestRepository::with(layout);
        let names: [&[u8]; 8] = [
            b"plain.rs",
            b"with space and \"quotes\".rs",
            b"--output=stolen",
            b"-L1,1:x",
            b":(top)*.rs",
            b"deep/er/\xff\xfe",
            "gr\u{fc}n\ttab\nline".as_bytes(),
            b"back\\slash:colon",
        ];
        for name in names {
            commit_file(&fixture, name, "one\ntwo\n");
        }
        let store = open_store(fixture.path());
        let head = head(store.repository());
        assert_eq!(store.repository().resolve_commit("HEAD").unwrap(), Some(head));
        for name in names {
            let path = TreePath::from_bytes(name).unwrap();
            let hunks = store.blame(&head, &path, &[Lines { start: 1, end: 2 }]).unwrap();
            assert_eq!((hunks.len(), hunks[0].n_lines, &hunks[0].path), (1, 2, &path), "{path} {layout:?}");
            let history = store.line_history(&head, &path, &[Lines { start: 2, end: 2 }]).unwrap();
            assert_eq!(history.len(), 1, "{path}");
            assert_eq!((history[0].commit, history[0].message.as_str()), (hunks[0].commit, "a change"), "{path}");
            assert_eq!(store.lineage(&head, &path).unwrap().former_names().next(), None, "{path}");
            assert_eq!(content(&store, &path), b"one\ntwo\n", "{path}");
        }
        assert!(!fixture.path().join("stolen").exists());
        let deep: TreePath = "deep".parse().unwrap();
        assert_eq!(store.repository().read_path(&head, &deep, 100).unwrap(), Some(TreeEntry::Folder));
        assert_eq!(store.repository().read_path(&head, &"deep/x".parse().unwrap(), 100).unwrap(), None);
    }
}

#[test]
fn revisions_are_never_options() {
    let fixture = TestRepository::new();
    let repository = open(fixture.path());
    assert_eq!(repository.head().unwrap(), None);
    commit_file(&fixture, b"a", "1\n");
    for revision in ["--all", "-h", "--git-dir", "", "nothing", "HEAD:a", "HEAD\0", "HEAD^{tree}"] {
        assert_eq!(repository.resolve_commit(revision).unwrap(), None, "{revision:?}");
    }
    let full = fixture.git(&["rev-parse", "HEAD"]);
    for revision in ["HEAD", "main", &full[..8]] {
        assert_eq!(repository.resolve_commit(revision).unwrap().unwrap().to_string(), full);
    }
}

#[test]
fn lines_a_file_does_not_have_are_told_with_its_length() {
    let fixture = TestRepository::new();
    commit_file(&fixture, b"a.rs", "1\n2\n3\n");
    let store = open_store(fixture.path());
    let (head, path) = (head(store.repository()), "a.rs".parse().unwrap());
    for _ in 0..2 {
        for (start, end) in [(2, 9), (7, 9)] {
            let error = store.blame(&head, &path, &[Lines { start, end }]).unwrap_err();
            let is_told = matches!(error, StoreError::Git(GitError::TooFewLines { n_lines: 3, .. }));
            assert!(is_told, "{start}..{end}: {error}");
        }
    }
    let error = store.line_history(&head, &path, &[Lines { start: 7, end: 9 }]).unwrap_err();
    assert!(matches!(error, StoreError::Git(GitError::TooFewLines { n_lines: 3, .. })), "{error}");
    for (start, end) in [(0, 1), (3, 2)] {
        assert!(matches!(store.blame(&head, &path, &[Lines { start, end }]), Err(StoreError::BadLines { .. })));
    }
    let error = store.blame(&head, &"none.rs".parse().unwrap(), &[Lines { start: 1, end: 1 }]).unwrap_err();
    insta::assert_snapshot!(testkit::redact(&error.to_string()), @"`git blame <id> none.rs` failed: fatal: no such path none.rs in <id>");
}

#[test]
fn commits_to_be_ignored_are_and_a_change_of_the_list_counts_at_once() {
    let fixture = TestRepository::new();
    commit_file(&fixture, b"a.rs", "let a = 1;\n");
    let first = fixture.git(&["rev-parse", "HEAD"]);
    commit_file(&fixture, b"a.rs", "let  a  =  1;\n");
    let second = fixture.git(&["rev-parse", "HEAD"]);
    let store = open_store(fixture.path());
    let (head, path) = (head(store.repository()), "a.rs".parse().unwrap());
    let blamed = || store.blame(&head, &path, &[Lines { start: 1, end: 1 }]).unwrap()[0].commit.to_string();
    assert_eq!(blamed(), second);
    fs::write(fixture.path().join("ignored"), "").unwrap();
    fixture.git(&["config", "blame.ignoreRevsFile", "ignored"]);
    assert_eq!(blamed(), second);
    fs::write(fixture.path().join("ignored"), format!("{second}\n")).unwrap();
    assert_eq!(blamed(), first);
    fs::write(fixture.path().join("ignored"), "").unwrap();
    assert_eq!(blamed(), second);
}

#[test]
fn a_question_that_takes_too_long_is_ended() {
    let fixture = TestRepository::new();
    commit_file(&fixture, b"a.rs", "1\n");
    let store = open_store(fixture.path());
    let head = head(store.repository());
    let path = "a.rs".parse().unwrap();
    // A FIFO without a writer blocks git forever.
    let pipe = fixture.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fixture.git(&["config", "blame.ignoreRevsFile", "pipe"]);
    let patience = Duration::from_millis(100);
    let error = store.blame_within(&head, &path, &[Lines { start: 1, end: 1 }], patience).unwrap_err();
    assert!(matches!(error, StoreError::Git(GitError::TooSlow { .. })), "{error}");
    insta::assert_snapshot!(testkit::redact(&error.to_string()), @"`git blame <id> a.rs` did not finish within 100ms and was killed");
    fixture.git(&["config", "--unset", "blame.ignoreRevsFile"]);
    assert!(store.blame(&head, &path, &[Lines { start: 1, end: 1 }]).is_ok(), "the turn was given back");
}

#[test]
fn questions_at_once_are_all_answered() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let history = write_code_history(fixture.path(), 3, 150, 12);
    let repository = open(fixture.path());
    let head = head(&repository);
    std::thread::scope(|scope| {
        for file in &history.files {
            let repository = repository.clone();
            scope.spawn(move || {
                let path = file.path.parse().unwrap();
                let n_lines = u32::try_from(file.text().lines().count()).unwrap();
                let hunks = repository.blame(&head, &path, &[(1, n_lines)], ALL).unwrap();
                assert_eq!(hunks.iter().map(|hunk| hunk.n_lines).sum::<u32>(), n_lines);
            });
        }
    });
}

/// A hub with a file of three commits.
fn hub_of_three() -> TestRepository {
    let hub = TestRepository::new();
    for text in ["1\n", "1\n2\n", "1\n2\n3\n"] {
        commit_file(&hub, b"a.rs", text);
    }
    hub.git(&["config", "uploadpack.allowFilter", "true"]);
    hub
}

fn assert_answers(path: &std::path::Path) {
    let store = open_store(path);
    let head = head(store.repository());
    let path = "a.rs".parse().unwrap();
    let hunks = store.blame(&head, &path, &[Lines { start: 1, end: 3 }]).unwrap();
    assert_eq!(hunks.iter().map(|hunk| hunk.n_lines).sum::<u32>(), 3);
    assert_eq!(content(&store, &path), b"1\n2\n3\n");
}

#[test]
fn a_shallow_clone_answers_too() {
    let hub = hub_of_three();
    assert_answers(&hub.clone_beside("shallow", &["--depth=1"]));
}

#[test]
fn reading_a_partial_clone_fetches_nothing() {
    let hub = hub_of_three();
    let clone = hub.clone_beside("partial", &["--filter=blob:none", "--no-checkout"]);
    let store = open_store(&clone);
    let head = head(store.repository());
    let path = "a.rs".parse().unwrap();
    let error = store.blame(&head, &path, &[Lines { start: 1, end: 3 }]).unwrap_err();
    assert!(matches!(error, StoreError::Git(GitError::NotFetched)), "{error}");
    let error = store.repository().read_path(&head, &path, 100).unwrap_err();
    assert!(matches!(error, ReadError::Git(GitError::NotFetched)), "{error}");
    assert!(!store.repository().has_file_at("HEAD", "a.rs").unwrap());
}

const PARTIAL_CLONE: &str = "CAIRN_TEST_PARTIAL_CLONE";

/// Reads a partial clone that may fetch objects; run only by [`person_may_let_git_fetch`], in a process with that
/// environment.
#[test]
fn partial_clone_probe() {
    if let Some(path) = std::env::var_os(PARTIAL_CLONE) {
        assert_answers(path.as_ref());
    }
}

#[test]
fn person_may_let_git_fetch() {
    let hub = hub_of_three();
    let clone = hub.clone_beside("partial", &["--filter=blob:none", "--no-checkout"]);
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["git_questions::partial_clone_probe", "--exact"]);
    let output = command.env(PARTIAL_CLONE, &clone).env("GIT_NO_LAZY_FETCH", "0").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn cached_blame_takes_less_than_a_millisecond() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let history = write_code_history(fixture.path(), 3, 150, 12);
    let store = open_store(fixture.path());
    let head = head(store.repository());
    let path = history.files[0].path.parse().unwrap();
    let lines = Lines { start: 1, end: 10 };
    store.blame(&head, &path, &[lines]).unwrap();
    let price = |_| {
        let started = Instant::now();
        store.blame(&head, &path, &[lines]).unwrap();
        started.elapsed()
    };
    // The minimum of many runs: other load only adds time.
    let least = (0..200).map(price).min().unwrap();
    assert!(least < Duration::from_millis(1), "{least:?}");
}

#[test]
fn uncached_blame_takes_little_more_than_git() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let history = write_code_history(fixture.path(), 11, 800, 8);
    let store = open_store(fixture.path());
    // At another commit the same query is not cached, and costs the same.
    let commits = fixture.git(&["rev-list", "--max-count=8", "HEAD"]);
    let commits: Vec<CommitId> = commits.lines().map(|line| line.parse().unwrap()).collect();
    let is_long = |entry: Option<TreeEntry>| match entry {
        Some(TreeEntry::File(_, bytes)) => String::from_utf8(bytes).unwrap().lines().count() >= 20,
        _ => false,
    };
    let mut total = [Duration::ZERO; 2];
    for file in &history.files {
        let path: TreePath = file.path.parse().unwrap();
        let mut least = [Duration::MAX; 2];
        for commit in &commits {
            if !is_long(store.repository().read_path(commit, &path, 1 << 20).unwrap()) {
                continue;
            }
            let started = Instant::now();
            store.blame(commit, &path, &[Lines { start: 1, end: 20 }]).unwrap();
            least[0] = least[0].min(started.elapsed());
            let started = Instant::now();
            fixture.try_git(&["blame", "--porcelain", "-L1,20", &commit.to_string(), "--", &file.path]);
            least[1] = least[1].min(started.elapsed());
        }
        if least[1] < Duration::MAX {
            total = [total[0] + least[0], total[1] + least[1]];
        }
    }
    assert!(total[1] > Duration::ZERO && total[0] <= total[1].mul_f64(1.3), "{total:?}");
}
