//! Blame and line history of a whole generated project equal git's.

use std::collections::BTreeMap;

use model::annotation::Lines;
use store::Store;
use store::git::{BlameHunk, CommitId, TreePath};
use testkit::{CodeFile, CodeHistory, Layout, TestRepository, git_in, write_code_history};

use crate::notes_support::open_store;

/// Smaller in the ordinary run: git itself needs a minute for the full size.
fn size() -> (usize, usize, usize) {
    let is_full = std::env::var_os("CAIRN_FULL_HISTORY").is_some();
    if is_full { (5_000, 300, 50) } else { (600, 40, 12) }
}

fn project() -> (TestRepository, CodeHistory, Store) {
    let (n_commits, n_files, _) = size();
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let history = write_code_history(fixture.path(), 20_260_116, n_commits, n_files);
    let store = open_store(fixture.path());
    (fixture, history, store)
}

/// The result of `git blame` for each line: commit, source line, source file.
fn blamed_by_git(fixture: &TestRepository, path: &str) -> Vec<(String, u32, String)> {
    let porcelain = fixture.git(&["blame", "--line-porcelain", "HEAD", "--", path]);
    let mut lines = Vec::new();
    let mut head = (String::new(), 0);
    for line in porcelain.lines() {
        let mut words = line.split(' ');
        if let (Some(commit), Some(Ok(number))) = (words.next(), words.next().map(str::parse)) {
            let is_id = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_id {
                head = (commit.to_owned(), number);
            }
        }
        if let Some(name) = line.strip_prefix("filename ") {
            lines.push((head.0.clone(), head.1, name.to_owned()));
        }
    }
    lines
}

fn line_by_line(hunks: &[BlameHunk]) -> Vec<(String, u32, String)> {
    let of = |hunk: &BlameHunk| -> Vec<_> {
        (0..hunk.n_lines).map(|n| (hunk.commit.to_string(), hunk.source_start + n, hunk.path.to_string())).collect()
    };
    hunks.iter().flat_map(of).collect()
}

// Renamed files first: they are the hard case.
fn chosen(history: &CodeHistory, n: usize) -> Vec<&CodeFile> {
    let mut files: Vec<&CodeFile> = history.files.iter().filter(|file| !file.functions.is_empty()).collect();
    files.sort_by_key(|file| !file.path.contains("moved"));
    assert!(files[0].path.contains("moved"));
    files.into_iter().take(n).collect()
}

#[test]
fn every_line_is_blamed_as_git_blames_it() {
    let (fixture, history, store) = project();
    let head = store.repository().head().unwrap().unwrap();
    for file in chosen(&history, size().2) {
        let expected = blamed_by_git(&fixture, &file.path);
        let path: TreePath = file.path.parse().unwrap();
        let n_lines = u32::try_from(expected.len()).unwrap();
        // In pieces, so that cached and new results must fit together; after the piece that covers everything, each
        // begins and ends inside cached lines.
        let mut pieces =
            vec![(n_lines / 3, n_lines / 2), (n_lines / 4, n_lines / 3 + 1), (2, n_lines / 2), (1, n_lines)];
        pieces.extend((0..8).map(|n| (n_lines * n / 9 + 1, (n_lines * (n + 2) / 9))));
        for (start, end) in pieces.into_iter().map(|(start, end)| (start.max(1), end.max(start.max(1)))) {
            let hunks = store.blame(&head, &path, &[Lines { start, end }]).unwrap();
            assert_eq!(hunks[0].start, start);
            let wanted = &expected[start as usize - 1..end as usize];
            assert_eq!(line_by_line(&hunks), wanted, "{} {start}..{end}", file.path);
        }
    }
}

#[test]
fn many_ranges_are_blamed_as_one_is() {
    let (fixture, history, store) = project();
    let head = store.repository().head().unwrap().unwrap();
    let file = chosen(&history, 1).into_iter().next().unwrap();
    let expected = blamed_by_git(&fixture, &file.path);
    let path: TreePath = file.path.parse().unwrap();
    let n_lines = u32::try_from(expected.len()).unwrap();
    let range = |start: u32, end: u32| Lines { start, end: end.min(n_lines) };
    let (apart, overlapping) = (vec![range(9, 11), range(2, 3)], vec![range(4, 12), range(1, 5), range(5, 5)]);
    let many: Vec<Lines> = (0..n_lines / 2).map(|n| range(n * 2 + 1, n * 2 + 1)).collect();
    for ranges in [&apart, &overlapping, &many, &apart] {
        let found: Vec<u32> = store
            .blame(&head, &path, ranges)
            .unwrap()
            .iter()
            .flat_map(|hunk| {
                let lines = hunk.start..=hunk.end();
                assert_eq!(
                    line_by_line(std::slice::from_ref(hunk)),
                    expected[hunk.start as usize - 1..hunk.end() as usize]
                );
                lines
            })
            .collect();
        let wanted: Vec<u32> =
            (1..=n_lines).filter(|line| ranges.iter().any(|range| (range.start..=range.end).contains(line))).collect();
        assert_eq!(found, wanted, "{ranges:?}");
    }
}

#[test]
fn every_function_has_the_history_git_gives_it() {
    let (fixture, history, store) = project();
    let head = store.repository().head().unwrap().unwrap();
    let files = chosen(&history, size().2);
    let functions = files.iter().map(|file| (file, &file.functions[file.functions.len() / 2].name));
    let mut lengths = BTreeMap::new();
    for (file, name) in functions {
        let (start, end) = file.lines_of(name).unwrap();
        let range = format!("-L{start},{end}:{}", file.path);
        let expected = fixture.git(&["log", "--no-patch", "--format=%H %ct %s", &range]);
        let found = store.line_history(&head, &file.path.parse().unwrap(), &[Lines { start, end }]).unwrap();
        let found: Vec<String> = found
            .iter()
            .map(|change| format!("{} {} {}", change.commit, change.seconds, change.message.lines().next().unwrap()))
            .collect();
        *lengths.entry(found.len()).or_insert(0) += 1;
        assert_eq!(found, expected.lines().collect::<Vec<_>>(), "{} {name}", file.path);
    }
    assert!(lengths.keys().max().unwrap() > &2, "some function has a past: {lengths:?}");
}

#[test]
fn former_names_are_those_git_follows() {
    let (fixture, history, store) = project();
    let head = store.repository().head().unwrap().unwrap();
    for file in chosen(&history, 8) {
        let followed = fixture.git(&["log", "--follow", "--name-only", "--format=", "HEAD", "--", &file.path]);
        let mut expected: Vec<&str> = Vec::new();
        for name in followed.lines().filter(|name| *name != file.path) {
            if !expected.contains(&name) {
                expected.push(name);
            }
        }
        for time in ["asked", "remembered"] {
            let lineage = store.lineage(&head, &file.path.parse().unwrap()).unwrap();
            let found: Vec<&str> = lineage.former_names().collect();
            assert_eq!(found, expected, "{} {time}", file.path);
        }
    }
}

#[test]
fn every_file_is_listed_with_its_text() {
    let (_fixture, history, store) = project();
    let head = store.repository().head().unwrap().unwrap();
    let mut paths: Vec<TreePath> = history.files.iter().map(|file| file.path.parse().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(store.repository().list_files(&head, None).unwrap(), paths);
    let folder: TreePath = "src/part3".parse().unwrap();
    let below: Vec<TreePath> = paths.into_iter().filter(|path| path.as_bytes().starts_with(b"src/part3/")).collect();
    assert_eq!(store.repository().list_files(&head, Some(&folder)).unwrap(), below);
    for file in &history.files {
        let entry = store.repository().read_path(&head, &file.path.parse().unwrap(), 1 << 20).unwrap();
        let Some(store::git::TreeEntry::File(_, bytes)) = entry else { panic!("{entry:?}") };
        assert_eq!(bytes, file.text().into_bytes());
    }
}

#[test]
fn the_same_seed_makes_the_same_commits() {
    let tips = [0, 1].map(|_| {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        write_code_history(fixture.path(), 5, 50, 10);
        assert!(git_in(fixture.path(), &["rev-list", "--merges", "--count", "HEAD"]).parse::<usize>().unwrap() > 0);
        fixture.git(&["rev-parse", "HEAD"])
    });
    assert_eq!(tips[0], tips[1]);
}

/// Stages everything and commits; returns the commit.
fn commit(fixture: &TestRepository, message: &str) -> CommitId {
    fixture.git(&["add", "--all"]);
    fixture.git(&["commit", "--quiet", "--allow-empty", &format!("--message={message}")]);
    fixture.git(&["rev-parse", "HEAD"]).trim().parse().unwrap()
}

fn code(name: &str) -> String {
    (0..12).map(|n| format!("fn {name}_{n}() {{ call_{name}({n}) }}\n")).collect::<Vec<_>>().concat()
}

fn write(fixture: &TestRepository, file: &str, text: &str) {
    std::fs::write(fixture.path().join(file), text).unwrap();
}

#[test]
fn name_that_another_file_took_over_is_not_a_former_name() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    write(&fixture, "a.rs", &code("old"));
    let first = commit(&fixture, "Add a");
    fixture.git(&["mv", "a.rs", "b.rs"]);
    let renamed = commit(&fixture, "Rename a to b");
    write(&fixture, "a.rs", &code("new"));
    let taken = commit(&fixture, "Add another a");
    let head = commit(&fixture, "Go on");
    let store = open_store(fixture.path());
    let lineage = |path: &str| store.lineage(&head, &path.parse().unwrap()).unwrap();
    let is_of = |path: &str, commit: &CommitId, name: &str| store.is_of(&lineage(path), commit, name).unwrap();
    assert_eq!(lineage("b.rs").names().collect::<Vec<_>>(), ["b.rs", "a.rs"]);
    assert_eq!(lineage("a.rs").names().collect::<Vec<_>>(), ["a.rs"]);
    assert!(is_of("b.rs", &first, "a.rs") && !is_of("a.rs", &first, "a.rs"));
    assert!(is_of("a.rs", &taken, "a.rs") && is_of("a.rs", &head, "a.rs") && !is_of("b.rs", &head, "a.rs"));
    assert!(is_of("b.rs", &renamed, "b.rs"));
    let now = |commit: &CommitId, name: &str| store.name_at_head(&head, commit, name).unwrap();
    assert_eq!((now(&first, "a.rs").as_str(), now(&taken, "a.rs").as_str()), ("b.rs", "a.rs"));
}

#[test]
fn rename_on_a_branch_counts_only_where_the_branch_is_merged() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    write(&fixture, "a.rs", &code("old"));
    let first = commit(&fixture, "Add a");
    fixture.git(&["switch", "--quiet", "--create", "side"]);
    fixture.git(&["mv", "a.rs", "b.rs"]);
    let side = commit(&fixture, "Rename on the side");
    fixture.git(&["switch", "--quiet", "-"]);
    write(&fixture, "other.rs", "fn other() {}\n");
    let main = commit(&fixture, "Go on");
    let store = open_store(fixture.path());
    let names = |head: &CommitId, path: &str| -> Vec<String> {
        store.lineage(head, &path.parse().unwrap()).unwrap().names().map(str::to_owned).collect()
    };
    // Back and forth: cached events of one branch must not be used for the other.
    for _ in 0..2 {
        assert_eq!(names(&side, "b.rs"), ["b.rs", "a.rs"]);
        assert_eq!(names(&main, "a.rs"), ["a.rs"]);
        assert_eq!(store.name_at_head(&main, &first, "a.rs").unwrap(), "a.rs");
    }
    fixture.git(&["merge", "--quiet", "--no-edit", "side"]);
    let merged: CommitId = fixture.git(&["rev-parse", "HEAD"]).trim().parse().unwrap();
    assert_eq!(names(&merged, "b.rs"), ["b.rs", "a.rs"]);
    // Recorded on the branch without the rename, under the old name.
    assert_eq!(store.name_at_head(&merged, &main, "a.rs").unwrap(), "b.rs");
}
