//! Commits of items: links, mentions in messages, and closing.

use std::sync::Arc;

use app::verb::LinkTarget::Commit;
use app::view::{CommitRelation, CommitState};
use app::{Env, Project};
use jiff::Timestamp;
use model::item::ItemKind;
use model::workflow::State;

use crate::harness::{ENV, TestProject, by_name, ids, open, refusal};

/// Noon of a day before the fixed commit time of test repositories, 2026-01-01.
const START: i64 = 1_764_590_400;

/// A clock that stands still at `START`: all items are older than all commits.
const BEFORE_COMMITS: Env = Env { now: || Timestamp::from_second(START).unwrap(), ..ENV };

/// Commits on the empty tree, authored at a time in seconds after `START`.
fn commit(test: &TestProject, seconds: i64, message: &str) -> String {
    let date = format!("{} +0000", START + seconds);
    test.fixture.git(&["commit", "-q", "--allow-empty", "--date", &date, "-m", message]);
    test.fixture.git(&["rev-parse", "HEAD"])
}

fn on_main(titles: &[&str]) -> TestProject {
    let mut test = TestProject::new();
    test.project = open_before_commits(&test);
    for title in titles {
        test.create(ItemKind::Task, title);
    }
    test.fixture.git(&["checkout", "-q", "-B", "main"]);
    commit(&test, 0, "start");
    test
}

fn open_before_commits(test: &TestProject) -> Project {
    Project::open(test.fixture.path(), BEFORE_COMMITS, Arc::new(|_| {})).unwrap()
}

fn commits(test: &TestProject, id: &str) -> Vec<(String, CommitRelation, CommitState)> {
    let item = test.project.show_with_commits(&by_name(id)).unwrap();
    item.commits.unwrap().into_iter().map(|one| (one.subject, one.relation, one.state)).collect()
}

fn closed(project: &mut Project) -> Vec<u64> {
    project.close_from_commits().unwrap().into_iter().filter_map(|one| one.item.number).collect()
}

#[test]
fn commit_is_linked_by_any_name_and_unlinked_by_its_beginning() {
    let mut test = on_main(&["One"]);
    let id = commit(&test, 1, "a change");
    let linked = test.project.link(&by_name("1"), &Commit("HEAD".into()), None).unwrap();
    assert_eq!(linked.commits.unwrap()[0].id, id);
    test.writes_nothing(|test| test.project.link(&by_name("1"), &Commit(id[..8].into()), None).unwrap());
    let refused = test.writes_nothing(|test| test.project.link(&by_name("1"), &Commit("nowhere".into()), None));
    insta::assert_snapshot!(refusal(refused), @"
    NotFound: commit not found: `nowhere`
    hint: name a commit of this repository, as in `git show REV`
    ");
    assert!(test.show("1").extra.is_empty(), "links are typed");
    let bare = test.project.unlink(&by_name("1"), &Commit(id[..6].into()), None).unwrap();
    assert_eq!(bare.commits, Some(Vec::new()));
    let refused = test.writes_nothing(|test| test.project.unlink(&by_name("1"), &Commit(id.clone()), None));
    insta::assert_snapshot!(refusal(refused).replace(&id[..7], "COMMIT"), @"
    NotFound: task #1 `One` has no such link (commit COMMIT)
    hint: `cairn show 1` shows its links
    ");
}

#[test]
fn rewritten_commit_that_was_linked_is_shown_as_gone() {
    use CommitRelation::Linked;
    let mut test = on_main(&["One"]);
    commit(&test, 1, "a change");
    test.project.link(&by_name("1"), &Commit("HEAD".into()), None).unwrap();
    assert_eq!(commits(&test, "1"), [("a change".to_owned(), Linked, CommitState::Merged)]);
    test.fixture.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "another change"]);
    assert_eq!(commits(&test, "1"), [("a change".to_owned(), Linked, CommitState::Gone)]);
    test.fixture.git(&["branch", "side", "HEAD@{1}"]);
    assert_eq!(commits(&test, "1"), [("a change".to_owned(), Linked, CommitState::Branch)]);
}

#[test]
fn link_follows_a_rewritten_commit() {
    let mut test = on_main(&["One"]);
    let old = commit(&test, 1, "a change");
    test.project.link(&by_name("1"), &Commit(old.clone()), None).unwrap();
    test.fixture.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "another change"]);
    let new = test.fixture.git(&["rev-parse", "HEAD"]);
    let pairs = [(old.parse().unwrap(), new.parse().unwrap())];
    test.project.follow_rewritten_commits(&pairs).unwrap();
    let linked = ("another change".to_owned(), CommitRelation::Linked, CommitState::Merged);
    assert_eq!(commits(&test, "1"), [linked]);
    test.writes_nothing(|test| test.project.follow_rewritten_commits(&pairs).unwrap());
}

#[test]
fn messages_name_items_and_side_branches_do_not_close() {
    use CommitRelation::{Closes, Refs};
    let mut test = on_main(&["One", "Two"]);
    commit(&test, 1, "topic: first\n\nRefs: #1");
    test.fixture.git(&["checkout", "-q", "-b", "side"]);
    commit(&test, 2, "topic: second\n\nFixes #1, #2");
    let first = ("topic: first".to_owned(), Refs, CommitState::Merged);
    let second = ("topic: second".to_owned(), Closes, CommitState::Branch);
    assert_eq!(commits(&test, "1"), [second, first.clone()]);
    assert!(test.writes_nothing(|test| closed(&mut test.project)).is_empty(), "it is not on the default branch");
    test.fixture.git(&["checkout", "-q", "main"]);
    assert_eq!(commits(&test, "1"), std::slice::from_ref(&first), "neither HEAD nor the default branch has it");
    test.fixture.git(&["merge", "-q", "--no-edit", "side"]);
    assert_eq!(closed(&mut test.project), [1, 2]);
    let second = ("topic: second".to_owned(), Closes, CommitState::Merged);
    assert_eq!((commits(&test, "1"), test.show("1").state), (vec![second, first], State::Closed));
    assert!(test.writes_nothing(|test| closed(&mut test.project)).is_empty(), "closing is done once");
}

#[test]
fn reopened_item_stays_open_when_its_commit_is_rewritten() {
    let mut test = on_main(&["One"]);
    commit(&test, -1, "Fixes #1");
    assert_eq!(closed(&mut test.project), [1]);
    test.project.reopen(&ids(&["1"]), None).unwrap();
    assert!(closed(&mut test.project).is_empty());
    test.fixture.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "better words\n\nFixes #1"]);
    assert!(closed(&mut test.project).is_empty(), "an amended commit keeps its author time");
    assert_eq!(commits(&test, "1").len(), 1, "the former commit is not listed");
    commit(&test, 1, "once more: fixes #1");
    assert_eq!(closed(&mut test.project), [1]);
}

#[test]
fn commit_from_before_the_item_means_another_one() {
    let mut test = on_main(&[]);
    commit(&test, 1, "Fixes #1");
    test.project = open(test.fixture.path());
    test.create(ItemKind::Task, "One");
    assert!(commits(&test, "1").is_empty());
    assert!(test.writes_nothing(|test| closed(&mut test.project)).is_empty());
}

#[test]
fn mentions_follow_every_move_of_the_branches() {
    let mut test = on_main(&["One", "Two", "Three"]);
    for step in ["a\n\nRefs #1", "b\n\nFixes #2", "c\n\nsee #3", "d\n\nRefs #1, #2"] {
        commit(&test, 1, step);
        compare_with_fresh(&mut test);
    }
    test.fixture.git(&["reset", "-q", "--hard", "HEAD~2"]);
    compare_with_fresh(&mut test);
    test.fixture.git(&["checkout", "-q", "-b", "side"]);
    commit(&test, 2, "e\n\nFixes #3");
    compare_with_fresh(&mut test);
    test.fixture.git(&["checkout", "-q", "main"]);
    commit(&test, 3, "f\n\nRefs #3");
    test.fixture.git(&["merge", "-q", "--no-edit", "side"]);
    compare_with_fresh(&mut test);
    test.fixture.git(&["config", "cairn.closeKeywords", "erledigt"]);
    compare_with_fresh(&mut test);
    commit(&test, 4, "g\n\nErledigt: #1");
    compare_with_fresh(&mut test);
    assert_eq!(closed(&mut test.project), [1]);
}

/// Fails unless the mentions that were kept up to date equal those that are read from nothing.
#[track_caller]
fn compare_with_fresh(test: &mut TestProject) {
    let all = |test: &TestProject| ["1", "2", "3"].map(|id| commits(test, id));
    let kept = all(test);
    test.project.reindex().unwrap();
    test.project = open_before_commits(test);
    assert_eq!(all(test), kept);
}
