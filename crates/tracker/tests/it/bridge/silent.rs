//! Remote changes that alter neither version nor date, and changes of project settings: each is pulled, none is sent
//! back.

use app::ChangeSet;
use app::view::ItemView;
use model::item::ItemKind;
use model::workflow::State;
use serde_json::{Value, json};
use testkit::Random;
use testkit::taiga::{FakeTaiga, ItemKind as There};
use tracker::bridge::{PullOptions, PushOptions};
use tracker::view::BridgeView;

use super::{Way, edit, everything, linked};
use crate::harness::{TestProject, by_name, ids, new_item, people};

/// A pulled project with stories and issues in many statuses.
pub(super) fn pulled(fake: &FakeTaiga) -> (Way<'_>, TestProject) {
    for (id, status) in [(2, 2), (3, 2), (4, 3), (5, 4), (6, 5)] {
        fake.edit("alice", There::Story, id, &json!({"status": status}));
    }
    for (id, status) in [(2, 5), (3, 3)] {
        fake.edit("alice", There::Issue, id, &json!({"status": status, "severity": 5, "type": 2, "priority": 3}));
    }
    fake.edit("bob", There::Story, 2, &json!({"comment": "The key is 1234", "milestone": 1}));
    let way = Way::to(fake, "alice", 1);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    fake.forget_requests();
    (way, test)
}

fn status(test: &TestProject, kind: There, id: u64) -> String {
    linked(&test.project, kind, id).unwrap().status
}

/// Pulls and pushes; fails if anything was sent, or if there are conflicts or leftovers.
#[track_caller]
fn follow(way: &Way<'_>, test: &mut TestProject) -> BridgeView {
    let pulled = way.pull(&mut test.project);
    let pushed = way.push(&mut test.project);
    assert!(pulled.conflicts.is_empty() && pulled.left.is_empty(), "{pulled:#?}");
    assert!(pushed.conflicts.is_empty() && pushed.left.is_empty(), "{pushed:#?}");
    assert_eq!(way.writes(), Vec::<String>::new());
    way.assert_at_rest(test);
    pulled
}

#[test]
fn r16_1_renamed_status_moves_no_item() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    fake.call("alice", "PATCH", "/userstory-statuses/2", &json!({"name": "Prepared"}));
    fake.call("alice", "PATCH", "/issue-statuses/5", &json!({"name": "Waiting"}));
    let report = follow(&way, &mut test);
    assert_eq!(report.statuses, ["story: Prepared (was ready)", "issue: Waiting (was Needs Info)"]);
    assert_eq!(status(&test, There::Story, 2), "Prepared");
    assert_eq!(status(&test, There::Issue, 2), "Waiting");
    assert_eq!(fake.item(There::Story, 2).unwrap()["status"], 2);
    // A push without a pull must send nothing either.
    fake.call("alice", "PATCH", "/userstory-statuses/2", &json!({"name": "Ready to go"}));
    way.push(&mut test.project);
    assert_eq!(way.writes(), Vec::<String>::new());
    // The old name still refers to the same status.
    let story = linked(&test.project, There::Story, 4).unwrap();
    edit(&mut test.project, &story.id, &[("status", "Prepared")]);
    way.push(&mut test.project);
    assert_eq!(fake.item(There::Story, 4).unwrap()["status"], 2);
}

#[test]
fn r16_1_statuses_that_swap_their_names_keep_their_items() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    fake.call("alice", "PATCH", "/userstory-statuses/2", &json!({"name": "For a moment"}));
    fake.call("alice", "PATCH", "/userstory-statuses/3", &json!({"name": "Ready"}));
    fake.call("alice", "PATCH", "/userstory-statuses/2", &json!({"name": "In progress"}));
    follow(&way, &mut test);
    let there = |id| fake.item(There::Story, id).unwrap()["status_extra_info"]["name"].clone();
    for id in [2, 3, 4] {
        assert_eq!(json!(status(&test, There::Story, id)), there(id), "story {id}");
    }
}

#[test]
fn r16_2_deleted_status_moves_its_items_here_too() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    fake.call("alice", "DELETE", "/userstory-statuses/4?moveTo=3", &Value::Null);
    fake.call("alice", "DELETE", "/issue-statuses/5?moveTo=1", &Value::Null);
    follow(&way, &mut test);
    assert_eq!(
        (status(&test, There::Story, 5).as_str(), status(&test, There::Issue, 2).as_str()),
        ("in_progress", "New")
    );
    let workflow = test.project.workflows(Some(ItemKind::Story)).unwrap().remove(0);
    assert!(workflow.statuses.iter().all(|status| status.name != "Ready for test"), "{workflow:#?}");
}

#[test]
fn r16_12_renamed_severities_types_and_priorities_are_followed() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    fake.call("alice", "PATCH", "/severities/5", &json!({"name": "Blocker"}));
    fake.call("alice", "PATCH", "/issue-types/2", &json!({"name": "Puzzle"}));
    fake.call("alice", "PATCH", "/priorities/3", &json!({"name": "Right now"}));
    follow(&way, &mut test);
    let issue = linked(&test.project, There::Issue, 2).unwrap();
    assert_eq!((issue.severity.as_deref(), issue.type_.as_deref()), (Some("Blocker"), Some("Puzzle")));
    fake.call("alice", "DELETE", "/severities/5?moveTo=1", &Value::Null);
    follow(&way, &mut test);
    let issue = linked(&test.project, There::Issue, 2).unwrap();
    let name = way.client.severities(taiga::dto::ProjectId(1)).unwrap().into_iter().find(|one| one.id.0 == 1);
    assert_eq!(issue.severity, name.map(|one| one.name));
}

#[test]
fn status_that_is_closed_there_closes_its_items() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    fake.call("alice", "PATCH", "/userstory-statuses/4", &json!({"is_closed": true}));
    fake.call("alice", "PATCH", "/userstory-statuses/5", &json!({"is_closed": false}));
    follow(&way, &mut test);
    let state =
        |id| linked(&test.project, There::Story, id).map(|item: ItemView| (item.state, item.completed.is_some()));
    assert_eq!(state(5), Some((State::Closed, true)));
    assert_eq!(state(6), Some((State::Open, false)));
}

#[test]
fn card_dragged_on_the_board_arrives() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    let body = json!({"project_id": 1, "status_id": 3, "bulk_userstories": [2]});
    fake.call("bob", "POST", "/userstories/bulk_update_kanban_order", &body);
    let body = json!({"project_id": 1, "milestone_id": 2, "bulk_userstories": [3]});
    fake.call("bob", "POST", "/userstories/bulk_update_backlog_order", &body);
    follow(&way, &mut test);
    assert_eq!(status(&test, There::Story, 2), "in_progress");
    assert_eq!(linked(&test.project, There::Story, 3).unwrap().milestone.unwrap().title, "Sprint 2");
}

#[test]
fn r16_7_sprints_are_followed_both_ways() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    fake.call("alice", "PATCH", "/milestones/2", &json!({"name": "Second", "closed": true}));
    fake.call("alice", "DELETE", "/milestones/1", &Value::Null);
    let report = follow(&way, &mut test);
    let deleted: Vec<&str> = report.deleted.iter().map(|item| item.title.as_str()).collect();
    assert_eq!(deleted, ["Sprint 1"]);
    assert!(linked(&test.project, There::Story, 2).unwrap().milestone.is_none());
    let milestones = |test: &TestProject| -> Vec<ItemView> {
        everything(&test.project).into_iter().filter(|item| item.kind.name() == "milestone").collect()
    };
    let find = |test: &TestProject, title: &str| milestones(test).into_iter().find(|item| item.title == title).unwrap();
    assert_eq!(find(&test, "Second").state.name(), "closed");
    // And in the other direction.
    let (third, fourth) = (find(&test, "Sprint 3"), find(&test, "Sprint 4"));
    edit(&mut test.project, &third.id, &[("title", "Third")]);
    test.project.delete(&ids(&[&fourth.id]), None).unwrap();
    let dates = [("started", "2026-12-01"), ("due", "2026-12-14")];
    let fifth = test.project.create(&new_item(ItemKind::Milestone, "Fifth", &dates)).unwrap();
    test.project.create(&new_item(ItemKind::Milestone, "Some day", &[])).unwrap();
    let story = linked(&test.project, There::Story, 5).unwrap();
    edit(&mut test.project, &story.id, &[("milestone", &fifth.id)]);
    let report = way.push(&mut test.project);
    assert!(report.conflicts.is_empty() && report.left.is_empty(), "{report:#?}");
    let names: Vec<Value> = fake.sprints(1).into_iter().map(|sprint| sprint["name"].clone()).collect();
    assert_eq!(names, ["Second", "Third", "Fifth"]);
    assert_eq!(fake.item(There::Story, 5).unwrap()["milestone_name"], "Fifth");
    test.project.close(&ids(&[&fifth.id]), &app::verb::CloseOptions::default()).unwrap();
    way.push(&mut test.project);
    assert_eq!(fake.sprints(1)[2]["closed"], true);
    way.pull(&mut test.project);
    way.assert_at_rest(&mut test);
}

#[test]
fn r16_8_comments_edited_and_deleted_there_follow() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    let comments = fake.call("alice", "GET", "/history/userstory/2?type=comment", &Value::Null);
    let id = comments[0]["id"].as_str().unwrap();
    let full = |test: &mut TestProject| {
        let options = PullOptions { full: true, ..PullOptions::default() };
        tracker::bridge::pull(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap()
    };
    let said = |test: &TestProject| linked(&test.project, There::Story, 2).unwrap().comments.unwrap().remove(0);
    fake.call(
        "bob",
        "POST",
        &format!("/history/userstory/2/edit_comment?id={id}"),
        &json!({"comment": "The key is 5678"}),
    );
    assert_eq!(full(&mut test).changed.len(), 1);
    assert_eq!(said(&test).body, "The key is 5678");
    fake.call("bob", "POST", &format!("/history/userstory/2/delete_comment?id={id}"), &json!({}));
    full(&mut test);
    let redacted = said(&test);
    assert!(redacted.body.is_empty() && !format!("{redacted:?}").contains("5678"), "{redacted:?}");
    follow(&way, &mut test);
    fake.call("bob", "POST", &format!("/history/userstory/2/undelete_comment?id={id}"), &json!({}));
    full(&mut test);
    assert_eq!(said(&test).body, "The key is 5678");
    follow(&way, &mut test);
}

#[test]
fn histories_are_read_once_a_day() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    way.pull(&mut test.project);
    assert_eq!(fake.count("GET", "/history"), 0, "they were read with the first pull");
    let folder = test.fixture.path().join(".git/cairn/taiga-histories");
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, "2026-03-08T00:00:00Z").unwrap();
    way.pull(&mut test.project);
    assert_eq!(fake.count("GET", "/history"), 1, "one item is commented");
}

#[test]
fn r16_3_epic_deleted_here_leaves_no_conflict_behind() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    let epic = linked(&test.project, There::Epic, 1).unwrap();
    test.project.delete(&ids(&[&epic.id]), None).unwrap();
    let pushed = way.push(&mut test.project);
    assert_eq!((pushed.deleted.len(), pushed.conflicts.len()), (1, 0), "{pushed:#?}");
    assert_eq!(way.writes(), ["DELETE /api/v1/epics/1"]);
    let pulled = way.pull(&mut test.project);
    assert!(pulled.conflicts.is_empty(), "{pulled:#?}");
    way.assert_at_rest(&mut test);
}

#[test]
fn r16_6_locally_deleted_story_with_tasks_is_resolved_either_way() {
    for takes_local in [false, true] {
        let fake = FakeTaiga::start();
        let (way, mut test) = pulled(&fake);
        let task = fake.items(There::Task, 1).into_iter().find(|task| task["user_story"].is_u64()).unwrap();
        let (task, story) = (task["id"].as_u64().unwrap(), task["user_story"].as_u64().unwrap());
        let here = linked(&test.project, There::Story, story).unwrap();
        test.project.delete(&ids(&[&here.id]), None).unwrap();
        assert_eq!(way.push(&mut test.project).conflicts.len(), 1);
        if takes_local {
            let options = PushOptions { take_local: vec![by_name(&here.id)], ..PushOptions::default() };
            let report = tracker::bridge::push(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap();
            assert!(report.conflicts.is_empty(), "{report:#?}");
            assert!(fake.item(There::Story, story).is_none());
            assert_eq!(fake.item(There::Task, task).unwrap()["user_story"], Value::Null, "the task stays");
        } else {
            let options = PullOptions { take_remote: vec![by_name(&here.id)], ..PullOptions::default() };
            let report = tracker::bridge::pull(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap();
            assert!(report.conflicts.is_empty(), "{report:#?}");
            assert!(linked(&test.project, There::Story, story).is_some());
        }
        way.pull(&mut test.project);
        way.assert_at_rest(&mut test);
    }
}

#[test]
fn no_conflict_shows_a_raw_id() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    let epic = test.project.create(&new_item(ItemKind::Epic, "Only here", &[])).unwrap();
    let story = linked(&test.project, There::Story, 2).unwrap();
    edit(&mut test.project, &story.id, &[("parent", &epic.id)]);
    fake.call("alice", "POST", "/epics/2/related_userstories", &json!({"epic": 2, "user_story": 2}));
    let report = way.pull(&mut test.project);
    let shown: Vec<_> =
        report.conflicts[0].fields.iter().map(|field| (field.local.clone(), field.remote.clone())).collect();
    let there = linked(&test.project, There::Epic, 2).unwrap().number;
    assert_eq!(shown, [(Some(format!("#{}", epic.number)), Some(format!("#{there}")))]);
}

#[test]
fn hand_over_leaves_the_former_assignee_out_and_others_in() {
    let fake = FakeTaiga::start();
    fake.edit("alice", There::Story, 2, &json!({"assigned_to": 7, "assigned_users": [7, 8]}));
    let (way, mut test) = pulled(&fake);
    let story = linked(&test.project, There::Story, 2).unwrap();
    edit(&mut test.project, &story.id, &[("assign", "alice")]);
    way.push(&mut test.project);
    let there = fake.item(There::Story, 2).unwrap();
    assert_eq!((&there["assigned_to"], &there["assigned_users"]), (&json!(6), &json!([6, 8])));
}

/// The assignees of a story sync in both directions, one key per person like tags; nothing is sent for unchanged ones.
#[test]
fn several_assignees_go_both_ways() {
    let fake = FakeTaiga::start();
    fake.edit("alice", There::Story, 3, &json!({"assigned_to": 6, "assigned_users": [6, 7]}));
    let (way, mut test) = pulled(&fake);
    let names = |test: &TestProject| -> Vec<String> {
        let item = linked(&test.project, There::Story, 3).unwrap();
        item.assignees.iter().map(|who| who.split('@').next().unwrap().rsplit('<').next().unwrap().to_owned()).collect()
    };
    let there = |fake: &FakeTaiga| {
        let story = fake.item(There::Story, 3).unwrap();
        let mut users: Vec<u64> =
            story["assigned_users"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        users.sort_unstable();
        (story["assigned_to"].as_u64(), users)
    };
    assert_eq!(names(&test), ["alice", "bob"]);
    way.assert_at_rest(&mut test);
    fake.edit("alice", There::Story, 3, &json!({"assigned_users": [6, 8]}));
    assert_eq!(way.pull(&mut test.project).changed[0].fields, ["assignees"]);
    assert_eq!(names(&test), ["alice", "carol"]);
    way.assert_at_rest(&mut test);
    // One assignee is added and another removed here; the main assignee stays.
    let id = linked(&test.project, There::Story, 3).unwrap().id;
    let bob = test.project.members().unwrap().into_iter().find(|one| one.email.starts_with("bob")).unwrap().email;
    let carol = test.project.members().unwrap().into_iter().find(|one| one.email.starts_with("carol")).unwrap().email;
    let edit =
        ChangeSet { add_assignees: people(&[&bob]), remove_assignees: people(&[&carol]), ..ChangeSet::default() };
    test.project.edit(&ids(&[&id]), &edit).unwrap();
    way.push(&mut test.project);
    assert_eq!(there(&fake), (Some(6), vec![6, 7]));
    // Changing the main assignee removes the former one and keeps the others.
    edit_assignee(&mut test, &id, &bob);
    way.push(&mut test.project);
    assert_eq!(there(&fake), (Some(7), vec![7]));
    way.settle(&mut test.project);
    assert_eq!(names(&test), ["bob"]);
    way.assert_at_rest(&mut test);
}

/// Custom fields and attachment names are pulled and updated, and never sent.
#[test]
fn custom_fields_and_attachments_are_pulled() {
    let fake = FakeTaiga::start();
    fake.set_custom_field(1, There::Story, 2, (1, "Customer"), &json!("Acme"));
    fake.attach(There::Story, 2, "plan.pdf");
    fake.attach(There::Issue, 3, "trace.log");
    let (way, mut test) = pulled(&fake);
    let extra = |test: &TestProject, kind, id| linked(&test.project, kind, id).unwrap().extra;
    let story = extra(&test, There::Story, 2);
    assert_eq!(story["taiga_fields"], json!({"Customer": "Acme"}));
    assert_eq!(story["taiga_attachments"][0]["name"], "plan.pdf");
    assert_eq!(extra(&test, There::Issue, 3)["taiga_attachments"][0]["name"], "trace.log");
    assert!(!extra(&test, There::Story, 3).contains_key("taiga_fields"));
    way.assert_at_rest(&mut test);
    // No list row shows these changes: a full pull finds them.
    fake.set_custom_field(1, There::Story, 2, (1, "Customer"), &json!("Globex"));
    fake.attach(There::Issue, 3, "core.dump");
    let full = PullOptions { full: true, ..PullOptions::default() };
    let report = tracker::bridge::pull(&mut test.project, &way.target(), &full, &mut |_| {}).unwrap();
    let mut told: Vec<&str> = report.changed.iter().flat_map(|step| &step.fields).map(String::as_str).collect();
    told.sort_unstable();
    assert_eq!(told, ["attachments", "custom fields"], "{report:#?}");
    assert_eq!(extra(&test, There::Story, 2)["taiga_fields"]["Customer"], "Globex");
    assert_eq!(extra(&test, There::Issue, 3)["taiga_attachments"][1]["name"], "core.dump");
    assert_eq!(way.writes(), Vec::<String>::new());
    way.assert_at_rest(&mut test);
}

fn edit_assignee(test: &mut TestProject, id: &str, who: &str) {
    edit(&mut test.project, id, &[("assign", who)]);
}

#[test]
fn r16_11_kind_that_may_not_be_viewed_is_a_warning() {
    let fake = FakeTaiga::start();
    fake.revoke(1, "eve", "view_issues");
    let way = Way::to(&fake, "eve", 1);
    let mut test = TestProject::new();
    let report = way.pull(&mut test.project);
    assert_eq!(report.warnings, ["issues were not pulled: your role in the project does not let you view them"]);
    assert!(everything(&test.project).iter().all(|item| item.kind.name() != "issue"));
}

#[test]
fn r16_16_task_without_a_story_has_a_sprint() {
    let fake = FakeTaiga::start();
    let task = fake.items(There::Task, 1).into_iter().find(|task| task["user_story"].is_null());
    let id = task.map_or_else(|| fake.add_items(There::Task, 1, 1)[0], |task| task["id"].as_u64().unwrap());
    fake.edit("alice", There::Task, id, &json!({"milestone": 2}));
    let (way, mut test) = pulled(&fake);
    let here = linked(&test.project, There::Task, id).unwrap();
    assert_eq!(here.milestone.unwrap().title, "Sprint 2");
    edit(&mut test.project, &here.id, &[("milestone", "Sprint 3")]);
    way.push(&mut test.project);
    assert_eq!(fake.item(There::Task, id).unwrap()["milestone_name"], "Sprint 3");
}

#[test]
fn r16_17_pulled_item_with_comments_was_updated_when_it_was_there() {
    let fake = FakeTaiga::start();
    let (_, test) = pulled(&fake);
    let (here, there) = (linked(&test.project, There::Story, 2).unwrap(), fake.item(There::Story, 2).unwrap());
    assert_eq!(here.updated.to_string(), there["modified_date"].as_str().unwrap());
}

/// Finding 23: a member who left the remote project stays known here and keeps their assignments; only new assignments
/// are rejected.
#[test]
fn r16_23_removed_member_keeps_assigned_items() {
    let fake = FakeTaiga::start();
    fake.edit("alice", There::Story, 3, &json!({"assigned_to": 7}));
    let (way, mut test) = pulled(&fake);
    let mine = linked(&test.project, There::Story, 3).unwrap();
    insta::assert_snapshot!(mine.assignee.as_ref().unwrap(), @"Bob Tanaka <bob@example.com>");
    let memberships = fake.call("alice", "GET", "/memberships?project=1", &Value::Null);
    let place = memberships.as_array().unwrap().iter().find(|place| place["user"] == 7).unwrap()["id"].clone();
    fake.call("alice", "DELETE", &format!("/memberships/{place}"), &Value::Null);
    fake.forget_requests();
    follow(&way, &mut test);
    assert_eq!(linked(&test.project, There::Story, 3).unwrap().assignee, mine.assignee);
    // Other changes of such an item are sent.
    edit(&mut test.project, &mine.id, &[("title", "Still Bob's")]);
    assert_eq!(way.push(&mut test.project).changed.len(), 1);
    assert_eq!(fake.item(There::Story, 3).unwrap()["subject"], "Still Bob's");
    let other = linked(&test.project, There::Story, 4).unwrap().id;
    edit(&mut test.project, &other, &[("assign", mine.assignee.as_deref().unwrap())]);
    let pushed = way.push(&mut test.project);
    assert_eq!(pushed.left[0].why, "the assignee is no longer a member of the project there", "{pushed:#?}");
    assert_eq!(fake.item(There::Story, 4).unwrap()["assigned_to"], Value::Null);
}

/// Makes one random remote change.
pub(super) fn change_there(fake: &FakeTaiga, random: &mut Random, n: usize) {
    let story = u64::try_from(random.below(12) + 1).unwrap();
    let pick = |random: &mut Random, path: &str| {
        let rows = fake.call("alice", "GET", &format!("{path}?project=1"), &Value::Null);
        let rows = rows.as_array().unwrap().clone();
        (rows.len() > 2).then(|| rows[random.below(rows.len())]["id"].as_u64().unwrap())
    };
    let lookups =
        ["/userstory-statuses", "/issue-statuses", "/severities", "/issue-types", "/priorities", "/task-statuses"];
    match random.below(11) {
        0 | 1 => {
            let path = lookups[random.below(lookups.len())];
            if let Some(id) = pick(random, path) {
                fake.call("alice", "PATCH", &format!("{path}/{id}"), &json!({"name": format!("Name {n}")}));
            }
        }
        2 => {
            let path = lookups[random.below(lookups.len())];
            if let (Some(id), Some(to)) = (pick(random, path), pick(random, path))
                && id != to
            {
                fake.call("alice", "DELETE", &format!("{path}/{id}?moveTo={to}"), &Value::Null);
            }
        }
        3 => fake.edit(
            "bob",
            There::Story,
            story,
            &json!({"subject": format!("Subject {n}"), "tags": [format!("t{n}")]}),
        ),
        4 => fake.edit("bob", There::Story, story, &json!({"comment": format!("Comment {n}")})),
        5 => {
            if let Some(status) = pick(random, "/userstory-statuses") {
                let body = json!({"project_id": 1, "status_id": status, "bulk_userstories": [story]});
                fake.call("bob", "POST", "/userstories/bulk_update_kanban_order", &body);
            }
        }
        6 => {
            let body = json!({"project_id": 1, "milestone_id": 2 + random.below(2), "bulk_userstories": [story]});
            fake.call("bob", "POST", "/userstories/bulk_update_backlog_order", &body);
        }
        7 | 8 => {
            let stories = fake.items(There::Story, 1);
            let backlog: Vec<&Value> = stories.iter().filter(|story| story["milestone"].is_null()).collect();
            let after = backlog[random.below(backlog.len())]["id"].as_u64().unwrap();
            if after != story {
                let body = json!({"project_id": 1, "bulk_userstories": [story], "after_userstory_id": after});
                fake.call("bob", "POST", "/userstories/bulk_update_backlog_order", &body);
            }
        }
        9 => {
            fake.call("alice", "PATCH", "/milestones/2", &json!({"name": format!("Named {n}")}));
        }
        _ => {
            if let Some(id) = pick(random, "/userstory-statuses") {
                let flag = random.below(2) == 0;
                fake.call("alice", "PATCH", &format!("/userstory-statuses/{id}"), &json!({"is_closed": flag}));
            }
        }
    }
}

#[test]
fn changes_on_the_server_only_send_nothing_back() {
    for seed in 0..2 {
        let fake = FakeTaiga::start();
        let (way, mut test) = pulled(&fake);
        let mut random = Random::new(seed);
        for n in 0..15 {
            change_there(&fake, &mut random, n);
            if random.below(3) == 0 {
                // A push before the pull must send nothing either.
                let pushes_first = random.below(2) == 0;
                if pushes_first {
                    way.push(&mut test.project);
                }
                let report = way.pull(&mut test.project);
                way.push(&mut test.project);
                assert!(report.conflicts.is_empty(), "seed {seed}, step {n}: {report:#?}");
                assert_eq!(way.writes(), Vec::<String>::new(), "seed {seed}, step {n}");
            }
        }
        follow(&way, &mut test);
        for story in fake.items(There::Story, 1) {
            let here = linked(&test.project, There::Story, story["id"].as_u64().unwrap()).unwrap();
            assert_eq!(here.state.name() == "closed", story["status_extra_info"]["is_closed"] == true, "{here:#?}");
        }
    }
}

#[test]
fn local_changes_only_make_a_pull_send_and_revert_nothing() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    let mut random = Random::new(16);
    let stories: Vec<ItemView> =
        everything(&test.project).into_iter().filter(|item| item.kind.name() == "story").collect();
    for n in 0..25 {
        let id = &stories[random.below(stories.len())].id;
        if test.project.show(&by_name(id)).unwrap().deleted {
            continue;
        }
        match random.below(6) {
            5 => {
                let to = app::verb::MoveTo::Top;
                _ = test.project.move_item(&by_name(id), &to).unwrap();
            }
            0 => edit(&mut test.project, id, &[("title", &format!("Here {n}"))]),
            1 => edit(&mut test.project, id, &[("status", ["ready", "review", "done"][random.below(3)])]),
            2 => edit(&mut test.project, id, &[("milestone", "Sprint 3")]),
            3 => _ = test.project.comment(&by_name(id), &format!("Said {n}"), None).unwrap(),
            _ => _ = test.project.delete(&ids(&[id]), None).unwrap(),
        }
    }
    let report = test.writes_nothing(|test| way.pull(&mut test.project));
    assert!(report.changed.is_empty() && report.conflicts.is_empty(), "{report:#?}");
    assert_eq!(way.writes(), Vec::<String>::new());
    for _ in 0..3 {
        way.push(&mut test.project);
        let report = way.pull(&mut test.project);
        assert!(report.conflicts.is_empty(), "{report:#?}");
    }
}
