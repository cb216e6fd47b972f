//! Behavior on the repository's own items.

use model::field::FieldChange;
use serde_json::{Value, json};
use testkit::git_in;

use super::bench::Bench;

#[test]
fn the_repository_is_the_one_project_and_active() {
    let bench = Bench::local();
    let project = json!({"id": 1, "slug": "project", "name": "project", "description": "", "isActive": true});
    let listed = bench.data("list_projects", json!({}));
    assert_eq!(listed["items"], json!([project]));
    assert_eq!(listed["meta"], json!({"limit": 50, "offset": 0, "total": 1, "hasNext": false}));
    for name in [json!({"projectId": 1}), json!({"projectSlug": "project"})] {
        assert_eq!(bench.data("get_project", name.clone()), project);
        let active = json!({"projectId": 1, "slug": "project", "name": "project"});
        assert_eq!(bench.data("set_active_project", name), active);
    }
}

/// A server started outside a repository gives a hint.
#[test]
fn outside_a_repository_there_is_a_hint() {
    let bench = Bench::on(testkit::TestRepository::in_memory(testkit::Layout::PLAIN));
    std::fs::remove_dir_all(bench.repository.path().join(".git")).unwrap();
    let error = bench.error("list_tasks", json!({}));
    assert_eq!(error["category"], "server");
    insta::assert_snapshot!(error["details"]["hint"].as_str().unwrap(), @"go to a git repository, name one with `-C PATH`, or make one with `git init`");
}

#[test]
fn statuses_of_other_kinds_are_refused() {
    let bench = Bench::local();
    let story = bench.make("create_user_story", json!({"subject": "A story"}));
    let task = bench.make("create_task", json!({"subject": "A task", "userStoryId": story}));
    for entity in ["epic", "user_story", "issue"] {
        for place in 0..5 {
            let error = bench.error("update_task", json!({"id": task, "statusId": bench.status(entity, place)}));
            assert_eq!(error["message"], "Invalid statusId");
        }
    }
}

/// Clients store ids: a change of the workflow must not assign an id to another status.
#[test]
fn ids_survive_changes_of_the_workflow_and_are_the_same_in_a_clone() {
    let bench = Bench::local();
    let before = bench.data("get_statuses", json!({"entity": "task"}));
    cairn(&bench, |project| {
        let change = |category: &str| app::verb::StatusChange { category: Some(category.into()), ..Default::default() };
        project.set_status(model::item::ItemKind::Task, "blocked by others", &change("doing"))?;
        project.remove_status(model::item::ItemKind::Task, "review")?;
        Ok(())
    });
    let after = bench.data("get_statuses", json!({"entity": "task"}));
    let id = |list: &Value, name: &str| {
        let statuses = list["items"].as_array().unwrap();
        statuses.iter().find(|status| status["name"] == name).map(|status| status["id"].clone())
    };
    for name in ["backlog", "ready", "in_progress", "done"] {
        assert_eq!(id(&before, name), id(&after, name));
        assert!(id(&before, name).is_some());
    }
    assert_eq!(id(&after, "review"), None);
    let story = bench.make("create_user_story", json!({"subject": "A story"}));
    let task = bench.make("create_task", json!({"subject": "A task", "userStoryId": story}));
    let gone = bench.error("update_task", json!({"id": task, "statusId": id(&before, "review")}));
    assert_eq!(gone["message"], "Invalid statusId");

    let clone = testkit::TestRepository::new();
    git_in(
        clone.path(),
        &["fetch", "-q", bench.repository.path().to_str().unwrap(), "refs/cairn/work:refs/cairn/work"],
    );
    let clone = Bench::on(clone);
    assert_eq!(clone.data("get_statuses", json!({"entity": "task"})), after);
    assert_eq!(clone.somebody(), bench.somebody());
}

/// An item can have a status that was removed from the workflow: it is shown and can be filtered by, but not set.
#[test]
fn a_status_that_the_workflow_lost_is_still_shown() {
    let bench = Bench::local();
    let issue = bench.make("create_issue", json!({"subject": "Old"}));
    cairn(&bench, |project| {
        let edit = app::ChangeSet { extra: vec![("status".into(), json!("long gone"))], ..Default::default() };
        project.edit(&[issue.to_string().as_str().into()], &edit)?;
        Ok(())
    });
    let shown = bench.data("get_issue", json!({"id": issue}));
    assert_eq!((&shown["status"], &shown["isClosed"]), (&json!("long gone"), &json!(false)));
    let found = bench.data("list_issues", json!({"statusIds": [shown["statusId"]]}));
    assert_eq!(found["meta"]["total"], 1);
    let error = bench.error("update_issue", json!({"id": issue, "statusId": shown["statusId"]}));
    assert_eq!(error["message"], "Invalid statusId");
}

/// A status may have the name of a state; its id must not match all items in that state.
#[test]
fn a_status_called_open_finds_only_its_own() {
    let bench = Bench::local();
    cairn(&bench, |project| {
        let change = app::verb::StatusChange { category: Some("doing".into()), ..Default::default() };
        project.set_status(model::item::ItemKind::Issue, "open", &change)?;
        Ok(())
    });
    bench.make("create_issue", json!({"subject": "In the backlog"}));
    let statuses = bench.data("get_statuses", json!({"entity": "issue"}));
    let open =
        statuses["items"].as_array().unwrap().iter().find(|status| status["name"] == "open").unwrap()["id"].clone();
    assert_eq!(bench.data("list_issues", json!({"statusIds": [open]}))["meta"]["total"], 0);
}

#[test]
fn deleted_item_can_be_restored() {
    let bench = Bench::local();
    let story = bench.make("create_user_story", json!({"subject": "A story"}));
    let task = bench.make("create_task", json!({"subject": "A task", "userStoryId": story}));
    bench.data("delete_user_story", json!({"id": story}));
    assert_eq!(bench.error("update_task", json!({"id": task, "subject": "x"}))["category"], "not_found");
    cairn(&bench, |project| {
        project.reopen(&[story, task].map(|id| id.to_string().as_str().into()), None)?;
        Ok(())
    });
    assert_eq!(bench.data("get_task", json!({"id": task}))["userStoryId"], story);
}

/// Concurrent changes are all applied: a conflicting one is retried.
#[test]
fn changes_at_the_same_time_are_all_made() {
    const ROUNDS: usize = 6;
    let bench = Bench::for_threads();
    let id = bench.make("create_issue", json!({"subject": "Busy"}));
    let changes = [
        json!({"id": id, "subject": "Very busy"}),
        json!({"id": id, "tags": ["crowd", "noise"]}),
        json!({"id": id, "priority": "high"}),
        json!({"id": id, "blocked": {"isBlocked": true, "reason": "Too many at once"}}),
    ];
    std::thread::scope(|scope| {
        for change in &changes {
            scope.spawn(|| (0..ROUNDS).for_each(|_| drop(bench.data("update_issue", change.clone()))));
        }
    });
    let shown = bench.data("get_issue", json!({"id": id}));
    assert_eq!((&shown["subject"], &shown["tags"]), (&json!("Very busy"), &json!(["crowd", "noise"])));
    assert_eq!((&shown["priority"], &shown["blocked"]["reason"]), (&json!("high"), &json!("Too many at once")));
}

/// The log stores 1 to 10; setting the same word again keeps the number.
#[test]
fn a_priority_that_is_there_already_is_not_written() {
    let bench = Bench::local();
    let issue = bench.make("create_issue", json!({"subject": "Urgent"}));
    cairn(&bench, |project| {
        let edit = app::ChangeSet::of_fields([FieldChange::literal(&model::field::PRIORITY, 10)]);
        project.edit(&[issue.to_string().as_str().into()], &edit)?;
        Ok(())
    });
    bench.data("update_issue", json!({"id": issue, "priority": "highest", "subject": "Very urgent"}));
    cairn(&bench, |project| {
        assert_eq!(project.show(&"1".into())?.priority, 10);
        Ok(())
    });
}

/// Items created by another dialect or the command line are the same items.
#[test]
fn all_see_one_set_of_data() {
    let bench = Bench::local();
    let task = cairn(&bench, |project| {
        let labels = vec!["Case Kept".into()];
        let new = app::NewItem { labels, ..app::NewItem::new(model::item::ItemKind::Task, "By hand") };
        project.create(&new)
    });
    let shown = bench.data("get_task", json!({"id": task.number}));
    assert_eq!((&shown["subject"], &shown["tags"]), (&json!("By hand"), &json!(["Case Kept"])));
    assert_eq!(shown["userStoryId"], Value::Null);
}

pub(crate) fn cairn<T>(bench: &Bench, act: impl FnOnce(&mut app::Project) -> Result<T, app::Error>) -> T {
    let place = bench.repository.path();
    let mut project = app::Project::open(place, app::Env::default(), std::sync::Arc::new(|_| {})).unwrap();
    act(&mut project).unwrap()
}
