//! The fake Taiga behaves like the second series of recordings: changes by admins and on boards do not change the
//! version.

use serde_json::{Value, json};
use testkit::taiga::{FakeTaiga, ItemKind};

/// The fields that a silent change must not touch.
fn signs(fake: &FakeTaiga, kind: ItemKind, id: u64) -> (Value, Value) {
    let item = fake.item(kind, id).unwrap();
    (item["version"].clone(), item["modified_date"].clone())
}

#[track_caller]
fn check(kind: ItemKind, id: u64, change: impl Fn(&FakeTaiga), field: &str, expect: &Value) {
    let fake = FakeTaiga::start();
    let before = signs(&fake, kind, id);
    change(&fake);
    assert_eq!(signs(&fake, kind, id), before, "it is silent");
    assert_eq!(fake.item(kind, id).unwrap().pointer(field), Some(expect), "{field}");
}

#[test]
fn admins_and_boards_change_items_in_silence() {
    let (story, task) = (ItemKind::Story, ItemKind::Task);
    let call = |method: &'static str, path: &'static str, body: Value| {
        move |fake: &FakeTaiga| _ = fake.call("alice", method, path, &body)
    };
    // userstories/list-after-status-rename
    let rename = call("PATCH", "/userstory-statuses/1", json!({"name": "Fresh"}));
    check(story, 2, rename, "/status_extra_info/name", &json!("Fresh"));
    // userstories/detail-after-status-delete
    check(story, 2, call("DELETE", "/userstory-statuses/1?moveTo=2", Value::Null), "/status", &json!(2));
    // userstories/detail-after-closed-flag
    check(story, 2, call("PATCH", "/userstory-statuses/1", json!({"is_closed": true})), "/is_closed", &json!(true));
    // issues/detail-after-lookup-deletes
    check(ItemKind::Issue, 9, call("DELETE", "/severities/3?moveTo=1", Value::Null), "/severity", &json!(1));
    // userstories/detail-after-kanban-order
    let drag = json!({"project_id": 1, "status_id": 3, "bulk_userstories": [2]});
    check(story, 2, call("POST", "/userstories/bulk_update_kanban_order", drag), "/status", &json!(3));
    // userstories/detail-after-order-into-sprint, tasks/detail-after-story-milestone
    let into = json!({"project_id": 1, "milestone_id": 3, "bulk_userstories": [2]});
    check(story, 2, call("POST", "/userstories/bulk_update_backlog_order", into), "/milestone", &json!(3));
    // tasks/bulk-update-milestone
    let fake = FakeTaiga::start();
    let alone = fake.add_items(task, 1, 1)[0];
    let body = json!({"project_id": 1, "milestone_id": 3, "bulk_tasks": [{"task_id": alone, "order": 1}]});
    assert_eq!(fake.call("alice", "POST", "/tasks/bulk_update_milestone", &body), json!({alone.to_string(): 3}));
    // userstories/detail-after-milestone-delete
    let before = signs(&fake, task, alone);
    fake.call("alice", "DELETE", "/milestones/3", &Value::Null);
    assert_eq!((signs(&fake, task, alone), &fake.item(task, alone).unwrap()["milestone"]), (before, &Value::Null));
}

#[test]
fn backlog_is_ordered_by_hand() {
    let fake = FakeTaiga::start();
    let order = |fake: &FakeTaiga| -> Vec<u64> {
        let rows = fake.call("alice", "GET", "/userstories?project=2&order_by=backlog_order", &Value::Null);
        rows.as_array().unwrap().iter().filter_map(|row| row["id"].as_u64()).collect()
    };
    let before = order(&fake);
    let body = json!({"project_id": 2, "after_userstory_id": before[2], "bulk_userstories": [before[0]]});
    fake.call("alice", "POST", "/userstories/bulk_update_backlog_order", &body);
    assert_eq!(order(&fake)[..3], [before[1], before[2], before[0]]);
}

/// userstories/patch-assigned-…
#[test]
fn assignees_are_kept_in_addition_to_the_first() {
    let fake = FakeTaiga::start();
    let users = |fake: &FakeTaiga| fake.item(ItemKind::Story, 3).unwrap()["assigned_users"].clone();
    fake.edit("alice", ItemKind::Story, 3, &json!({"assigned_to": null, "assigned_users": [8, 7]}));
    fake.edit("alice", ItemKind::Story, 3, &json!({"assigned_to": 6}));
    assert_eq!(users(&fake), json!([8, 7, 6]));
    fake.edit("alice", ItemKind::Story, 3, &json!({"assigned_to": null}));
    assert_eq!(users(&fake), json!([8, 7]), "the two stay");
    fake.edit("alice", ItemKind::Story, 3, &json!({"assigned_to": 6, "assigned_users": [6]}));
    assert_eq!(users(&fake), json!([6]));
}

/// history/comments-after-delete, userstories/row-after-comment-delete
#[test]
fn deleted_comment_stays_listed_and_counted() {
    let fake = FakeTaiga::start();
    fake.edit("bob", ItemKind::Story, 3, &json!({"comment": "Oops"}));
    let comments = || fake.call("alice", "GET", "/history/userstory/3?type=comment", &Value::Null);
    let path = format!("/history/userstory/3/delete_comment?id={}", comments()[0]["id"].as_str().unwrap());
    let before = fake.item(ItemKind::Story, 3).unwrap();
    fake.call("bob", "POST", &path, &json!({}));
    assert_eq!(fake.item(ItemKind::Story, 3).unwrap(), before, "nothing in the row moves");
    assert_eq!((&comments()[0]["comment"], comments()[0]["delete_comment_date"].is_string()), (&json!("Oops"), true));
}
