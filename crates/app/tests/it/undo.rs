//! `undo`: the inverse of the acting person's last changes.

use app::verb::{CloseOptions, OnConflict, UndoMode, UndoOptions};
use app::{ChangeSet, Error, Project};
use model::item::ItemKind;
use model::person::Person;
use proptest::prelude::*;

use crate::harness::{TestProject, by_name, cases, ids, parsed, refusal, texts};

fn undo(project: &mut Project, n_changes: usize) -> Result<Vec<String>, Error> {
    undo_with(project, n_changes, OnConflict::Refuse)
}

fn undo_with(project: &mut Project, n_changes: usize, on_conflict: OnConflict) -> Result<Vec<String>, Error> {
    let view = project.undo(&UndoOptions { n_changes, on_conflict, mode: UndoMode::Write })?;
    Ok(view.undone.into_iter().flat_map(|one| one.sentences).collect())
}

fn grace() -> Person {
    Person::parse("Grace Hopper <grace@example.com>")
}

#[test]
fn each_undo_takes_back_the_change_before() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    test.edit("1", &[("priority", "high")]);
    test.edit("1", &[("priority", "low")]);
    test.project
        .close(&ids(&["1"]), &CloseOptions { comment: Some("done".into()), ..CloseOptions::default() })
        .unwrap();
    assert_eq!(undo(&mut test.project, 1).unwrap(), ["Ada Lovelace closed #1 One as done, commented on it"]);
    let item = test.show("1");
    let n_comments = item.comments.unwrap().iter().filter(|comment| !comment.body.is_empty()).count();
    assert_eq!((item.status.as_str(), item.completed, n_comments, item.priority), ("backlog", None, 0, 3));
    undo(&mut test.project, 1).unwrap();
    assert_eq!(test.show("1").priority, 7);
    undo(&mut test.project, 2).unwrap();
    assert!(test.show("1").deleted);
    insta::assert_snapshot!(refusal(undo(&mut test.project, 1)), @"
    NotFound: nothing to undo: no change of yours is left that has an effect
    hint: `cairn log` shows the changes of everyone
    ");
}

#[test]
fn undo_restores_labels_deletions_and_comments() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let label = |test: &mut TestProject, add: &[&str], remove: &[&str]| {
        let set = ChangeSet { add_labels: texts(add), remove_labels: texts(remove), ..ChangeSet::default() };
        test.project.edit(&ids(&["1"]), &set).unwrap();
    };
    label(&mut test, &["bug", "ui"], &[]);
    label(&mut test, &[], &["bug"]);
    test.project.comment(&by_name("1"), "first", None).unwrap();
    test.project.edit_comment(&by_name("1"), "1", "second", None).unwrap();
    test.project.delete(&ids(&["1"]), None).unwrap();
    undo(&mut test.project, 2).unwrap();
    let item = test.show("1");
    assert_eq!((item.deleted, item.comments.unwrap()[0].body.as_str()), (false, "first"));
    undo(&mut test.project, 2).unwrap();
    assert_eq!(test.show("1").labels, ["bug", "ui"]);
    // The label that the undo brought back is the one that was added first.
    undo(&mut test.project, 1).unwrap();
    assert!(test.show("1").labels.is_empty());
}

#[test]
fn changes_of_others_are_left_alone() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    test.edit("1", &[("priority", "high")]);
    test.project.act_as(Some(grace()));
    test.edit("2", &[("priority", "urgent")]);
    test.project.act_as(None);
    assert_eq!(undo(&mut test.project, 1).unwrap(), ["Ada Lovelace set the priority of #1 One to high"]);
    assert_eq!((test.show("1").priority, test.show("2").priority), (0, 9));
}

#[test]
fn undo_of_a_field_changed_since_is_refused_unless_forced() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    test.edit("1", &[("status", "review")]);
    test.project.act_as(Some(grace()));
    test.edit("1", &[("status", "ready")]);
    test.project.act_as(None);
    let refused = test.writes_nothing(|test| undo(&mut test.project, 1));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: cannot undo: Grace Hopper changed the field `status` of issue #1 `One` since
    hint: `--force` undoes your change anyway; `cairn log ID` shows what happened
    ");
    undo_with(&mut test.project, 1, OnConflict::Overwrite).unwrap();
    assert_eq!(test.show("1").status, "backlog");
    // A new item that someone else works on is not hidden.
    let refused = test.writes_nothing(|test| undo(&mut test.project, 1));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: cannot undo: Grace Hopper changed a field of issue #1 `One` since
    hint: `--force` undoes your change anyway; `cairn log ID` shows what happened
    ");
}

#[test]
fn a_dry_run_writes_nothing() {
    let mut test = TestProject::with(ItemKind::Issue, &["One", "Two"]);
    let options = UndoOptions { n_changes: 5, on_conflict: OnConflict::Refuse, mode: UndoMode::DryRun };
    let view = test.writes_nothing(|test| test.project.undo(&options).unwrap());
    let sentences: Vec<String> = view.undone.into_iter().flat_map(|one| one.sentences).collect();
    assert_eq!(sentences, ["Ada Lovelace created #2 Two", "Ada Lovelace created #1 One"]);
}

#[test]
fn a_workflow_is_refused() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    let change = app::verb::StatusChange { category: Some("doing".into()), ..Default::default() };
    test.project.set_status(ItemKind::Issue, "testing", &change).unwrap();
    let refused = test.writes_nothing(|test| undo(&mut test.project, 1));
    insta::assert_snapshot!(refusal(refused), @"
    Conflict: your last change is to a workflow, which `undo` cannot revert
    hint: change it with `cairn workflow`
    ");
}

proptest! {
    #![proptest_config(cases(8))]

    /// As many undos as there were changes lead back to the state before them.
    #[test]
    fn undoing_every_change_restores_the_item(steps in proptest::collection::vec((0_usize..6, 0_usize..3), 1..7)) {
        let mut test = TestProject::with(ItemKind::Issue, &["One"]);
        let before = state(&test);
        let mut n_changes = 0;
        for (what, value) in steps {
            let tip = test.tip();
            change(&mut test, what, value);
            n_changes += usize::from(test.tip() != tip);
        }
        if n_changes > 0 {
            undo(&mut test.project, n_changes).unwrap();
        }
        prop_assert_eq!(state(&test), before);
    }
}

fn change(test: &mut TestProject, what: usize, value: usize) {
    let one = ids(&["1"]);
    let label = texts(&[["bug", "ui", "later"][value]]);
    let done = match what {
        0 => test.project.edit(&one, &ChangeSet::of_fields(parsed(&[("priority", ["1", "5", "9"][value])]))),
        1 => test.project.edit(&one, &ChangeSet::of_fields(parsed(&[("status", ["ready", "review", "done"][value])]))),
        2 => test.project.edit(&one, &ChangeSet { add_labels: label, ..ChangeSet::default() }),
        3 => test.project.edit(&one, &ChangeSet { remove_labels: label, ..ChangeSet::default() }),
        4 => test.project.reopen(&one, None),
        _ => test.project.delete(&one, None),
    };
    // Some changes do not apply, such as removing a label that is not there.
    drop(done);
}

fn state(test: &TestProject) -> (String, u8, Vec<String>, bool, Option<jiff::civil::Date>) {
    let item = test.show("1");
    (item.status, item.priority, item.labels, item.deleted, item.completed)
}

#[test]
fn a_dry_run_lists_the_changes_that_undo_reverts() {
    let mut test = TestProject::with(ItemKind::Issue, &["One"]);
    test.edit("1", &[("priority", "high")]);
    // Back to the value before: taken back alone, the first change would have no effect.
    test.edit("1", &[("priority", "none")]);
    let options = UndoOptions { n_changes: 3, on_conflict: OnConflict::Refuse, mode: UndoMode::DryRun };
    let shown: Vec<String> = test.project.undo(&options).unwrap().undone.into_iter().map(|one| one.commit).collect();
    let view = test.project.undo(&UndoOptions { mode: UndoMode::Write, ..options }).unwrap();
    let written: Vec<String> = view.undone.into_iter().map(|one| one.commit).collect();
    assert_eq!((shown.len(), shown), (3, written));
    assert!(test.show("1").deleted);
}
