//! Conflicting changes are reported and never overwritten until a person resolves them.

use model::item::ItemKind;
use serde_json::json;
use testkit::taiga::{FakeTaiga, ItemKind as There};
use tracker::bridge::{PullOptions, PushOptions};
use tracker::view::BridgeView;

use super::{Way, assert_same, edit, is_quiet, linked};
use crate::harness::{TestProject, by_name, ids, new_item};

/// A project with one story that was renamed on both sides, among other changes.
fn renamed_twice(fake: &FakeTaiga) -> (Way<'_>, TestProject, u64, String) {
    let way = Way::to(fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let id = fake.items(There::Story, 2)[0]["id"].as_u64().unwrap();
    let here = linked(&test.project, There::Story, id).unwrap().id;
    edit(&mut test.project, &here, &[("title", "Ours"), ("due", "2026-12-01")]);
    fake.edit("alice", There::Story, id, &json!({"subject": "Theirs", "description": "From there"}));
    (way, test, id, here)
}

fn conflicts(view: &BridgeView) -> Vec<(String, Vec<String>)> {
    let fields = |one: &tracker::view::BridgeConflictView| {
        one.fields.iter().map(|field| format!("{}: {:?} / {:?}", field.field, field.local, field.remote)).collect()
    };
    view.conflicts.iter().map(|one| (one.item.id.clone(), fields(one))).collect()
}

#[test]
fn a_conflict_is_reported_each_time_and_other_items_continue() {
    let fake = FakeTaiga::start();
    let (way, mut test, id, here) = renamed_twice(&fake);
    let expect = vec![(here.clone(), vec![r#"subject: Some("Ours") / Some("Theirs")"#.to_owned()])];
    assert_eq!(conflicts(&way.push(&mut test.project)), expect);
    assert_eq!(conflicts(&way.pull(&mut test.project)), expect);
    assert_eq!(conflicts(&way.settle(&mut test.project)), expect);
    let (local, there) = (test.project.show(&by_name(&here)).unwrap(), fake.item(There::Story, id).unwrap());
    assert_eq!((local.title.as_str(), local.description.as_str()), ("Ours", "From there"));
    assert_eq!((&there["subject"], &there["due_date"]), (&json!("Theirs"), &json!("2026-12-01")));
    way.assert_at_rest(&mut test);
    // A person makes both sides equal.
    edit(&mut test.project, &here, &[("title", "Theirs")]);
    assert!(way.settle(&mut test.project).conflicts.is_empty());
    edit(&mut test.project, &here, &[("title", "Agreed")]);
    way.settle(&mut test.project);
    assert_same(&test.project, &fake, There::Story, id);
}

#[test]
fn a_conflict_has_the_agreed_value() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    let id = fake.items(There::Story, 2)[0]["id"].as_u64().unwrap();
    fake.edit("alice", There::Story, id, &json!({"subject": "Agreed", "assigned_to": 6}));
    way.pull(&mut test.project);
    let here = linked(&test.project, There::Story, id).unwrap().id;
    edit(&mut test.project, &here, &[("title", "Between"), ("due", "2026-12-01"), ("assign", "none")]);
    edit(&mut test.project, &here, &[("title", "Ours"), ("assign", "nobody@nowhere")]);
    let theirs = json!({"subject": "Theirs", "due_date": "2026-12-02", "assigned_to": null});
    fake.edit("alice", There::Story, id, &theirs);
    for view in [way.push(&mut test.project), way.pull(&mut test.project), way.pull(&mut test.project)] {
        let bases: Vec<(&str, Option<&str>)> =
            view.conflicts[0].fields.iter().map(|field| (field.field.as_str(), field.base.as_deref())).collect();
        assert_eq!(bases, [("subject", Some("Agreed")), ("assignee", Some("Alice Moreau")), ("due", None)]);
    }
}

#[test]
fn a_person_chooses_a_side_of_a_conflict() {
    for takes_remote in [true, false] {
        let fake = FakeTaiga::start();
        let (way, mut test, id, here) = renamed_twice(&fake);
        let (target, named) = (way.target(), ids(&[&here]));
        let report = if takes_remote {
            let options = PullOptions { take_remote: named, ..PullOptions::default() };
            tracker::bridge::pull(&mut test.project, &target, &options, &mut |_| {}).unwrap()
        } else {
            let options = PushOptions { take_local: named, ..PushOptions::default() };
            tracker::bridge::push(&mut test.project, &target, &options, &mut |_| {}).unwrap()
        };
        assert!(report.conflicts.is_empty(), "{report:#?}");
        assert!(way.settle(&mut test.project).conflicts.is_empty());
        let expect = if takes_remote { "Theirs" } else { "Ours" };
        assert_eq!(test.project.show(&by_name(&here)).unwrap().title, expect);
        assert_same(&test.project, &fake, There::Story, id);
    }
}

#[test]
fn concurrent_change_between_read_and_write_is_detected() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let id = fake.items(There::Story, 2)[0]["id"].as_u64().unwrap();
    let here = linked(&test.project, There::Story, id).unwrap().id;
    edit(&mut test.project, &here, &[("title", "Ours")]);
    // The server rejects the change as if the version were stale, although nobody changed anything.
    let refused =
        testkit::taiga::Answer::json(400, &json!({"version": "The version doesn't match with the current one"}));
    fake.fault_on("PATCH", "/userstories", 1, testkit::taiga::Fault::Answer(refused.clone()));
    let report = way.push(&mut test.project);
    assert_eq!((report.changed.len(), report.conflicts.len()), (1, 0), "{report:#?}");
    edit(&mut test.project, &here, &[("title", "Ours again")]);
    // Each of the two attempts is repeated once if nobody changed the same fields.
    fake.fault_on("PATCH", "/userstories", 4, testkit::taiga::Fault::Answer(refused));
    let report = way.push(&mut test.project);
    assert_eq!((report.changed.len(), report.conflicts.len()), (0, 1), "{report:#?}");
    assert_eq!(way.push(&mut test.project).changed.len(), 1);
    assert_same(&test.project, &fake, There::Story, id);
}

#[test]
fn deletions_are_followed_unless_the_other_side_changed() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let stories: Vec<u64> = fake.items(There::Story, 2).iter().map(|item| item["id"].as_u64().unwrap()).collect();
    let here: Vec<String> = stories.iter().map(|id| linked(&test.project, There::Story, *id).unwrap().id).collect();
    // Deleted remotely, unchanged and changed here; deleted here, unchanged and changed remotely.
    fake.remove("alice", There::Story, stories[0]);
    fake.remove("alice", There::Story, stories[1]);
    edit(&mut test.project, &here[1], &[("title", "Still needed")]);
    test.project.delete(&ids(&[&here[2], &here[3]]), None).unwrap();
    fake.edit("alice", There::Story, stories[3], &json!({"subject": "Still needed"}));
    let pulled = way.pull(&mut test.project);
    let why = |view: &BridgeView| -> Vec<(String, String)> {
        view.conflicts.iter().map(|one| (one.item.id.clone(), one.why.clone())).collect()
    };
    assert_eq!(pulled.deleted.iter().map(|item| &item.id).collect::<Vec<_>>(), [&here[0]]);
    let clashes = vec![
        (here[3].clone(), "deleted here, changed there".to_owned()),
        (here[1].clone(), "deleted there, changed here".to_owned()),
    ];
    assert_eq!(why(&pulled), clashes);
    let pushed = way.push(&mut test.project);
    assert_eq!(pushed.deleted.iter().map(|item| &item.id).collect::<Vec<_>>(), [&here[2]]);
    assert_eq!(why(&pushed), [clashes[1].clone(), clashes[0].clone()]);
    assert!(fake.item(There::Story, stories[2]).is_none() && fake.item(There::Story, stories[3]).is_some());
    assert!(!test.project.show(&by_name(&here[1])).unwrap().deleted);
    way.assert_at_rest(&mut test);
    // Items restored here are linked again, or created again on the server.
    test.project.reopen(&ids(&[&here[0], &here[3]]), None).unwrap();
    let pushed = way.push(&mut test.project);
    assert_eq!(pushed.created.len(), 1, "{pushed:#?}");
    way.pull(&mut test.project);
    assert_eq!(test.project.show(&by_name(&here[3])).unwrap().title, "Still needed");
    // An item deleted remotely but changed here is created again with `take_local`.
    let options = PushOptions { take_local: ids(&[&here[1]]), ..PushOptions::default() };
    let pushed = tracker::bridge::push(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap();
    assert_eq!((pushed.created.len(), pushed.conflicts.len()), (1, 0), "{pushed:#?}");
    assert!(way.settle(&mut test.project).conflicts.is_empty());
    assert!(is_quiet(&way.settle(&mut test.project)));
}

#[test]
fn pushed_item_can_be_deleted_without_a_pull_in_between() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let make = |test: &mut TestProject, kind| test.project.create(&new_item(kind, "A mistake", &[])).unwrap().id;
    // The server assigns a color to an epic, so it differs slightly from what was sent.
    let made = [ItemKind::Epic, ItemKind::Story, ItemKind::Issue].map(|kind| make(&mut test, kind));
    way.push(&mut test.project);
    let story = fake.items(There::Story, 2).into_iter().find(|item| item["subject"] == "A mistake").unwrap();
    fake.edit("alice", There::Story, story["id"].as_u64().unwrap(), &json!({"description": "Is it one?"}));
    test.project.delete(&made.map(by_name), None).unwrap();
    let report = way.push(&mut test.project);
    assert_eq!((report.deleted.len(), report.conflicts.len()), (2, 1), "{report:#?}");
    assert_eq!(report.conflicts[0].item.kind, "story");
}

#[test]
fn a_story_is_not_deleted_under_tasks_that_are_still_wanted() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 1);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let task = fake.items(There::Task, 1).into_iter().find(|task| task["user_story"].is_u64()).unwrap();
    let story = task["user_story"].as_u64().unwrap();
    let here = linked(&test.project, There::Story, story).unwrap();
    test.project.delete(&ids(&[&here.id]), None).unwrap();
    let report = way.push(&mut test.project);
    assert!(report.deleted.is_empty(), "{report:#?}");
    insta::assert_snapshot!(report.conflicts[0].why, @"deleted here, but 2 tasks there that are not deleted would be deleted with it");
    let tasks: Vec<_> = here.children.unwrap().into_iter().map(|task| by_name(task.id)).collect();
    test.project.delete(&tasks, None).unwrap();
    let report = way.push(&mut test.project);
    assert_eq!((report.deleted.len(), report.conflicts.len()), (tasks.len() + 1, 0), "{report:#?}");
    assert!(fake.item(There::Story, story).is_none());
    way.assert_at_rest(&mut test);
}
