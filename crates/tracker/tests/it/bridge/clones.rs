//! Clones that use the bridge independently and sync through a hub have one local item per remote item.

use app::Project;
use app::verb::GitProgress;
use model::item::ItemKind;
use serde_json::json;
use testkit::taiga::{Answer, FakeTaiga, Fault, ItemKind as There};
use testkit::{Layout, TestRepository, git_in};

use super::{Way, edit, everything, is_quiet, linked};
use crate::harness::{by_name, dump, new_item, open};

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
            project.sync(Some("origin"), GitProgress::Quiet, tracker::bridge::after_sync).unwrap();
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
        let stories = everything(project).into_iter().filter(|item| item.kind.name() == "story").count();
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
fn item_pushed_by_one_clone_is_recognized_by_another() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    way.pull(&mut projects[0]);
    let story = projects[0].create(&new_item(ItemKind::Story, "Made by one", &[])).unwrap().id;
    projects[0].comment(&by_name(&story), "Said by one", None).unwrap();
    sync(&mut projects);
    way.push(&mut projects[0]);
    // The second clone pulls the story without knowing that the first pushed it.
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
    // The second clone pulls it before the first one's link is synced.
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
fn an_epic_created_without_a_response_is_found_by_its_name() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let [mut project, _] = clones(&hub);
    way.pull(&mut project);
    project.create(&new_item(ItemKind::Epic, "Twice asked for", &[])).unwrap();
    fake.fault_on("POST", "/epics", 1, Fault::CutAfter);
    way.try_push(&mut project).unwrap_err();
    assert_eq!(fake.items(There::Epic, 2).len(), 1);
    // Someone else creates one with the same name.
    let report = way.pull(&mut project);
    assert_eq!((report.adopted.len(), report.created.len()), (1, 0), "{report:#?}");
    way.settle(&mut project);
    assert_eq!(fake.items(There::Epic, 2).len(), 1);
    assert_eq!(everything(&project).into_iter().filter(|item| item.kind.name() == "epic").count(), 1);
}

/// Finding 13: two clones push the same item in the same second; neither sees the other's in its list.
#[test]
fn r16_13_item_that_two_clones_send_at_once_is_there_once() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    way.pull(&mut projects[0]);
    let story = projects[0].create(&new_item(ItemKind::Story, "Sent by both", &[])).unwrap().id;
    let task = projects[0].create(&new_item(ItemKind::Task, "A part of it", &[("parent", &story)])).unwrap().id;
    sync(&mut projects);
    let before = fake.call("alice", "GET", "/userstories?project=2&page_size=100", &json!(null));
    way.push(&mut projects[0]);
    // The lists as the second clone read them before the first push.
    fake.fault_on("GET", "/userstories", 1, Fault::Answer(Answer::json(200, &before)));
    fake.fault_on("GET", "/tasks", 1, Fault::Answer(Answer::json(200, &json!([]))));
    way.push(&mut projects[1]);
    let named = |kind: There, subject: &str| {
        let found: Vec<_> = fake.items(kind, 2).into_iter().filter(|item| item["subject"] == subject).collect();
        assert_eq!(found.len(), 1, "{found:#?}");
        found[0]["id"].as_u64().unwrap()
    };
    let (story_there, task_there) = (named(There::Story, "Sent by both"), named(There::Task, "A part of it"));
    assert_eq!(fake.item(There::Task, task_there).unwrap()["user_story"], story_there);
    sync(&mut projects);
    for project in &mut projects {
        way.settle(project);
        assert_eq!(linked(project, There::Story, story_there).unwrap().id, story);
        assert_eq!(linked(project, There::Task, task_there).unwrap().id, task);
    }
}

/// Finding 14: a comment is pushed by another person and then by its author, before a pull.
#[test]
fn r16_14_comment_that_two_people_push_is_there_once() {
    let fake = FakeTaiga::start();
    let (alice, bob) = (Way::to(&fake, "alice", 1), Way::to(&fake, "bob", 1));
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    alice.pull(&mut projects[0]);
    sync(&mut projects);
    bob.pull(&mut projects[1]);
    let story = linked(&projects[0], There::Story, 5).unwrap().id;
    projects[0].comment(&by_name(&story), "Seen from the crane", None).unwrap();
    sync(&mut projects);
    bob.push(&mut projects[1]);
    alice.push(&mut projects[0]);
    assert_eq!(fake.item(There::Story, 5).unwrap()["total_comments"], 1);
    sync(&mut projects);
    for (way, project) in [&alice, &bob].into_iter().zip(&mut projects) {
        way.settle(project);
        assert_eq!(linked(project, There::Story, 5).unwrap().comment_count, 1);
    }
    assert_eq!(fake.item(There::Story, 5).unwrap()["total_comments"], 1);
}

/// Finding 15: after the sync alone, without another pull, an item created in one clone and pulled in the other is one
/// item with its number.
#[test]
fn r16_15_clones_that_pulled_and_pushed_separately_share_one_item_after_a_sync() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let hub = TestRepository::in_memory(Layout::BARE);
    let mut projects = clones(&hub);
    way.pull(&mut projects[0]);
    sync(&mut projects);
    for n in 0..5 {
        projects[0].create(&new_item(ItemKind::Story, &format!("Made by one {n}"), &[])).unwrap();
    }
    way.push(&mut projects[0]);
    way.pull(&mut projects[1]);
    sync(&mut projects);
    let made = |project: &Project| {
        let mut made: Vec<(u64, String)> = everything(project)
            .into_iter()
            .filter(|item| item.title.starts_with("Made by one"))
            .map(|item| (item.number, item.title))
            .collect();
        made.sort();
        made
    };
    assert_eq!(made(&projects[0]).len(), 5, "{:?}", made(&projects[0]));
    assert_eq!(made(&projects[0]), made(&projects[1]));
}
