//! Many concurrent writers: every write succeeds, without an error about the others.

use std::path::PathBuf;
use std::thread;

use crate::support::{Project, assert_sound, numbers};
use testkit::Cairn;

/// Runs one writer per place, all in parallel, each write in its own process.
fn crowd(writers: &[Cairn], n_writes: usize, arguments: impl Fn(usize, usize) -> Vec<String> + Sync) {
    thread::scope(|scope| {
        for (who, cairn) in writers.iter().enumerate() {
            let arguments = &arguments;
            scope.spawn(move || {
                for n in 0..n_writes {
                    cairn.quiet(&arguments(who, n));
                }
            });
        }
    });
}

fn new_item(who: usize, n: usize) -> Vec<String> {
    ["new".to_owned(), "task".to_owned(), format!("task {n} of writer {who}")].into()
}

#[test]
fn eight_processes_make_a_hundred_items_each() {
    let project = Project::in_memory();
    let writers = vec![project.cairn.clone(); 8];
    crowd(&writers, 100, new_item);
    assert_eq!(numbers(&project.cairn), (1..=800).collect::<Vec<u64>>());
    assert_eq!(project.cairn.json(&["stats"])["operations"], 800);
    assert_sound(project.repository.path());
}

#[test]
fn work_trees_of_one_repository_share_the_work() {
    let project = Project::in_memory();
    project.repository.git(&["commit", "--quiet", "--allow-empty", "--message=start"]);
    let trees: Vec<PathBuf> = (0..4)
        .map(|n| {
            let path = project.repository.directory_path().join(format!("tree{n}"));
            project.repository.git(&["worktree", "add", "--quiet", "--detach", path.to_str().unwrap()]);
            path
        })
        .collect();
    let writers: Vec<Cairn> = (0..8).map(|n| project.cairn.at(&trees[n % trees.len()])).collect();
    crowd(&writers, 25, new_item);
    for cairn in [&project.cairn, &writers[3]] {
        assert_eq!(numbers(cairn), (1..=200).collect::<Vec<u64>>());
    }
    assert_sound(project.repository.path());
}

#[test]
fn eight_processes_comment_on_one_item() {
    let project = Project::with_items(&["the one"]);
    let writers = vec![project.cairn.clone(); 8];
    crowd(&writers, 20, |who, n| ["comment", "1", &format!("{who}.{n}")].map(str::to_owned).into());
    let item = project.cairn.json(&["show", "1"]);
    let mut bodies: Vec<&str> =
        item["comments"].as_array().unwrap().iter().map(|comment| comment["body"].as_str().unwrap()).collect();
    bodies.sort_unstable();
    let mut expected: Vec<String> = (0..8).flat_map(|who| (0..20).map(move |n| format!("{who}.{n}"))).collect();
    expected.sort_unstable();
    assert_eq!(bodies, expected);
    assert_sound(project.repository.path());
}

/// A reader must never get an error because of a writer, nor see half a write.
#[test]
fn readers_among_writers_see_whole_writes() {
    let project = Project::with_items(&["first"]);
    let readers = project.cairn.clone();
    thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for n in 0..30 {
                project.cairn.quiet(&["new", "issue", &format!("number {n}"), "--label", "a", "--label", "b"]);
            }
        });
        while !writing.is_finished() {
            for item in crate::support::items(&readers).iter().skip(1) {
                assert_eq!(item["labels"], serde_json::json!(["a", "b"]));
            }
            readers.quiet(&["ready", "--limit", "0"]);
        }
    });
}
