//! Clones that each have the bridge and sync over a hub hold one item for each there.

use app::Project;
use app::verb::GitProgress;
use model::item::ItemKind;
use serde_json::json;
use testkit::taiga::{FakeTaiga, Fault, ItemKind as There};
use testkit::{Layout, TestRepository, git_in};

use super::{Way, edit, everything, is_quiet, linked};
use crate::harness::{dump, new_item, open};

fn clones(hub: &TestRepository) -> [Project; 2] {
    ["one", "two"].map(|name| {
        let path = hub.clone_beside(name, &[]);
        git_in(&path, &["config", "user.name", name]);
        git_in(&path, &["config", "user.email", &format!("{name}@example.org")]);
        open(&path)
    })
}

#[track_caller]
fn sync(projects: &mut [Project]) {
    for _ in 0..2 {
        for project in projects.iter_mut() {
            project.sync(Some("origin"), GitProgress::Quiet).unwrap();
        }
    }
}

#[test]
fn two_clones_that_both_pulled_hold_one_item_each() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    way.pull(&mut projects[0]);
    let id = fake.items(There::Story, 2)[0]["id"].as_u64().unwrap();
    fake.edit("alice", There::Story, id, &json!({"subject": "Changed in between", "comment": "Said once"}));
    projects[1].create(&new_item(ItemKind::Board, "Takes number one", &[])).unwrap();
    way.pull(&mut projects[1]);
    sync(&mut projects);
    for project in &mut projects {
        way.pull(project);
    }
    sync(&mut projects);
    for project in &projects {
        let stories = everything(project).into_iter().filter(|item| item.kind == "story").count();
        assert_eq!(stories, 6);
        let story = linked(project, There::Story, id).unwrap();
        assert_eq!((story.title.as_str(), story.comment_count), ("Changed in between", 1));
    }
    let numbers = |project: &Project| -> Vec<(u64, String)> {
        let mut all: Vec<_> = everything(project).into_iter().map(|item| (item.number, item.id)).collect();
        all.sort();
        all
    };
    assert_eq!(numbers(&projects[0]), numbers(&projects[1]));
    assert_eq!(dump(&hub_path(&hub, "one")), dump(&hub_path(&hub, "two")));
    fake.forget_requests();
    for project in &mut projects {
        assert!(is_quiet(&way.push(project)));
    }
    assert!(way.writes().is_empty());
}

fn hub_path(hub: &TestRepository, name: &str) -> std::path::PathBuf {
    hub.path().parent().unwrap().join(name)
}

#[test]
fn what_one_clone_sent_another_recognises() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    way.pull(&mut projects[0]);
    let story = projects[0].create(&new_item(ItemKind::Story, "Made by one", &[])).unwrap().id;
    projects[0].comment(&story, "Said by one", None).unwrap();
    sync(&mut projects);
    way.push(&mut projects[0]);
    // The second has the story, but does not know yet that it was sent.
    way.pull(&mut projects[1]);
    edit(&mut projects[1], &story, &[("due", "2026-12-06")]);
    way.settle(&mut projects[1]);
    sync(&mut projects);
    for project in &mut projects {
        way.settle(project);
    }
    let made: Vec<_> =
        fake.items(There::Story, 2).into_iter().filter(|item| item["subject"] == "Made by one").collect();
    assert_eq!(made.len(), 1, "{made:#?}");
    assert_eq!((&made[0]["total_comments"], &made[0]["due_date"]), (&json!(1), &json!("2026-12-06")));
    for project in &projects {
        let here: Vec<_> = everything(project).into_iter().filter(|item| item.title == "Made by one").collect();
        assert_eq!((here.len(), here[0].comment_count), (1, 1), "{here:#?}");
    }
}

#[test]
fn an_item_that_was_sent_by_one_and_brought_over_by_another_becomes_one() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    way.pull(&mut projects[0]);
    sync(&mut projects);
    projects[0].create(&new_item(ItemKind::Epic, "Sent by one", &[])).unwrap();
    way.push(&mut projects[0]);
    // The second sees it there before it hears of it from the first.
    way.pull(&mut projects[1]);
    sync(&mut projects);
    way.pull(&mut projects[0]);
    sync(&mut projects);
    for project in &mut projects {
        way.settle(project);
        let here = everything(project).into_iter().filter(|item| item.title == "Sent by one").count();
        assert_eq!(here, 1);
    }
    assert_eq!(fake.items(There::Epic, 2).len(), 1);
}

#[test]
fn an_epic_whose_making_lost_its_answer_is_found_by_its_name() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let [mut project, _] = clones(&hub);
    way.pull(&mut project);
    project.create(&new_item(ItemKind::Epic, "Twice asked for", &[])).unwrap();
    fake.fault_on("POST", "/epics", 1, Fault::CutAfter);
    way.try_push(&mut project).unwrap_err();
    assert_eq!(fake.items(There::Epic, 2).len(), 1);
    // Somebody else makes one of the same name.
    let report = way.pull(&mut project);
    assert_eq!((report.adopted.len(), report.created.len()), (1, 0), "{report:#?}");
    way.settle(&mut project);
    assert_eq!(fake.items(There::Epic, 2).len(), 1);
    assert_eq!(everything(&project).into_iter().filter(|item| item.kind == "epic").count(), 1);
}
