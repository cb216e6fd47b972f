//! The features of `--extended`: versions in updates, sprints, due dates, points, several assignees, order, comments
//! and more.

use app::verb::{NewMember, StatusChange};
use model::item::ItemKind::Milestone;
use serde_json::{Value, json};
use testkit::taiga::{Fault, ItemKind};

use super::bench::{Bench, EMPTY_PROJECT};
use super::local::cairn;

/// Both back ends, empty.
fn both() -> [Bench; 2] {
    [Bench::local().extended(), Bench::remote_project().extended()]
}

fn sprint(bench: &Bench, name: &str) -> u64 {
    bench.make("create_sprint", json!({"name": name, "start": "2026-11-02", "finish": "2026-11-15"}))
}

fn story(bench: &Bench, given: &Value) -> u64 {
    let mut new = json!({"subject": "Pay by card"});
    new.as_object_mut().unwrap().extend(given.as_object().cloned().unwrap());
    bench.make("create_user_story", new)
}

fn ids(list: &Value) -> Vec<u64> {
    list["items"].as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

#[test]
fn contract_alone_knows_nothing_of_it() {
    for bench in [Bench::local(), Bench::remote_project()] {
        let id = story(&bench, &json!({}));
        let shown = bench.data("get_user_story", json!({"id": id}));
        for name in ["milestoneId", "dueDate", "points", "assigneeIds", "order", "url", "customFields", "attachments"] {
            assert!(shown.get(name).is_none(), "{name}");
        }
        for (name, value) in [("version", json!(1)), ("milestoneId", json!(1)), ("dueDate", json!("2026-11-15"))] {
            let error = bench.error("update_user_story", json!({"id": id, "subject": "x", name: value}));
            assert_eq!(error["details"], json!({name: "Unknown property"}));
        }
    }
}

/// Finding 10: changes by someone else between the read and the update were overwritten.
#[test]
fn stale_version_is_a_conflict_and_nothing_is_written() {
    let kinds = [("epic", "epics"), ("user_story", "user_stories"), ("task", "tasks"), ("issue", "issues")];
    for bench in both() {
        let parent = story(&bench, &json!({}));
        for (kind, many) in kinds {
            let new =
                if kind == "task" { json!({"subject": "a", "userStoryId": parent}) } else { json!({"subject": "a"}) };
            let id = bench.make(&format!("create_{kind}"), new);
            let update = format!("update_{kind}");
            let read = bench.data(&format!("get_{kind}"), json!({"id": id}))["version"].clone();
            let listed = bench.data(&format!("list_{many}"), json!({}));
            let row = listed["items"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
            assert_eq!(row["version"], read, "lists show the same version");
            bench.data(&update, json!({"id": id, "subject": "theirs"}));
            let error = bench.error(&update, json!({"id": id, "subject": "mine", "version": read}));
            assert_eq!((&error["category"], &error["details"]), (&json!("validation"), &json!({"conflict": true})));
            let now = bench.data(&format!("get_{kind}"), json!({"id": id}));
            assert_eq!(now["subject"], "theirs");
            let done = bench.data(&update, json!({"id": id, "subject": "mine", "version": now["version"]}));
            assert_eq!(done["subject"], "mine");
            assert_ne!(done["version"], now["version"]);
        }
    }
}

#[test]
fn version_alone_changes_nothing() {
    for bench in both() {
        let id = story(&bench, &json!({}));
        let error = bench.error("update_user_story", json!({"id": id, "version": 1}));
        assert_eq!(error["category"], "validation");
        insta::allow_duplicates! {
            insta::assert_snapshot!(error["message"].as_str().unwrap(), @"arguments: Nothing to change: give at least one field beside id and version");
        }
    }
}

#[test]
fn sprints_are_created_listed_changed_and_closed() {
    for bench in both() {
        let first = sprint(&bench, "First");
        let second = sprint(&bench, "Second");
        assert_eq!(ids(&bench.data("list_sprints", json!({}))), [second, first]);
        let closed = bench.data("update_sprint", json!({"id": first, "name": "Done", "isClosed": true}));
        let expected =
            json!({"id": first, "name": "Done", "start": "2026-11-02", "finish": "2026-11-15", "isClosed": true});
        assert_eq!(closed, expected);
        assert_eq!(bench.data("list_sprints", json!({}))["items"][1], expected);
        assert_eq!(bench.data("update_sprint", json!({"id": first, "isClosed": false}))["isClosed"], false);
        assert_eq!(bench.error("update_sprint", json!({"id": 999_999, "isClosed": true}))["category"], "not_found");
        let error =
            bench.error("create_sprint", json!({"name": "Back", "start": "2026-11-15", "finish": "2026-11-02"}));
        assert_eq!(error["details"], json!({"finish": "Must not be before start"}));
        let error = bench.error("update_sprint", json!({"id": first, "finish": "2026-11-01"}));
        assert_eq!(error["details"], json!({"finish": "Must not be before start"}));
        let error = bench.error("create_sprint", json!({"name": " ", "start": "2026-11-02", "finish": "2026-11-15"}));
        assert_eq!(error["details"], json!({"name": "Must not be empty"}));
        let error = bench.error("create_sprint", json!({"name": "Odd", "start": "soon", "finish": "2026-11-02"}));
        assert_eq!(error["details"], json!({"start": "Must be a date, YYYY-MM-DD"}));
    }
}

#[test]
fn work_is_put_into_sprints_and_listed_by_them() {
    for bench in both() {
        let sprint = sprint(&bench, "First");
        let planned = story(&bench, &json!({"milestoneId": sprint, "dueDate": "2026-11-14"}));
        let backlog = story(&bench, &json!({}));
        let shown = bench.data("get_user_story", json!({"id": planned}));
        assert_eq!((&shown["milestoneId"], &shown["dueDate"]), (&json!(sprint), &json!("2026-11-14")));
        let within = |given: Value| ids(&bench.data("list_user_stories", given));
        assert_eq!(within(json!({"milestoneId": sprint})), [planned]);
        assert_eq!(within(json!({"milestoneId": null})), [backlog]);
        let moved = bench.data("update_user_story", json!({"id": backlog, "milestoneId": sprint}));
        assert_eq!(moved["milestoneId"], sprint);
        let back = bench.data("update_user_story", json!({"id": planned, "milestoneId": null, "dueDate": null}));
        assert_eq!((&back["milestoneId"], &back["dueDate"]), (&Value::Null, &Value::Null));
        assert_eq!(within(json!({"milestoneId": sprint})), [backlog]);
        let issue = bench.data("create_issue", json!({"subject": "Leak", "milestoneId": sprint}));
        assert_eq!(ids(&bench.data("list_issues", json!({"milestoneId": sprint}))), [issue["id"].as_u64().unwrap()]);
        for (tool, given) in [
            ("list_user_stories", json!({"milestoneId": 999_999})),
            ("create_user_story", json!({"subject": "x", "milestoneId": 999_999})),
            ("update_user_story", json!({"id": planned, "milestoneId": 999_999})),
        ] {
            let error = bench.error(tool, given);
            assert_eq!((&error["category"], &error["message"]), (&json!("validation"), &json!("Invalid milestoneId")));
        }
    }
}

/// A sprint of another project is rejected before anything is sent.
#[test]
fn sprint_of_another_project_is_refused() {
    let bench = Bench::remote_project().extended();
    let id = story(&bench, &json!({}));
    bench.taiga().forget_requests();
    let error = bench.error("update_user_story", json!({"id": id, "milestoneId": 1}));
    assert_eq!(error["message"], "Invalid milestoneId");
    assert_eq!(bench.taiga().count("PATCH", "/"), 0);
}

/// The milestone workflow of a repository may have any statuses; only their category counts.
#[test]
fn sprint_is_closed_by_any_closed_status_of_a_milestone() {
    let bench = Bench::local().extended();
    cairn(&bench, |project| {
        for (name, category, order) in [("planned", "todo", 0), ("shipped", "done", 9)] {
            let change = StatusChange {
                category: Some(category.to_owned()),
                order: Some(order),
                closed: Some(category == "done"),
                ..StatusChange::default()
            };
            project.set_status(Milestone, name, &change)?;
        }
        for name in ["open", "closed"] {
            project.remove_status(Milestone, name)?;
        }
        Ok(())
    });
    let id = sprint(&bench, "First");
    let status = |is_closed: bool| {
        let shown = bench.data("update_sprint", json!({"id": id, "isClosed": is_closed}));
        assert_eq!(shown["isClosed"], is_closed);
        cairn(&bench, |project| Ok(project.show(&format!("milestone/{id}").as_str().into())?.status))
    };
    assert_eq!((status(true).as_str(), status(false).as_str()), ("shipped", "planned"));
}

#[test]
fn cards_are_moved_in_the_order_that_people_see() {
    for bench in both() {
        let stories: Vec<u64> = (0..4).map(|_| story(&bench, &json!({}))).collect();
        let listed = |order: &str| ids(&bench.data("list_user_stories", json!({"orderBy": order})));
        let moved = bench.data("move_card", json!({"entity": "user_story", "id": stories[3], "beforeId": stories[1]}));
        assert_eq!(moved["id"], stories[3]);
        assert_eq!(listed("backlog"), [stories[0], stories[3], stories[1], stories[2]]);
        bench.data("move_card", json!({"entity": "user_story", "id": stories[0], "afterId": stories[2]}));
        bench.data("move_card", json!({"entity": "user_story", "id": stories[2]}));
        assert_eq!(listed("backlog"), [stories[2], stories[3], stories[1], stories[0]]);
        let kanban = json!({"entity": "user_story", "id": stories[1], "board": "kanban"});
        bench.data("move_card", kanban);
        assert_eq!(listed("kanban")[0], stories[1]);
        let epics: Vec<u64> = (0..3).map(|_| bench.make("create_epic", json!({"subject": "x"}))).collect();
        bench.data("move_card", json!({"entity": "epic", "id": epics[0], "afterId": epics[1]}));
        let error = bench.error("move_card", json!({"entity": "epic", "id": epics[0], "afterId": 999_999}));
        assert_eq!(error["details"], json!({"afterId": "There is none with this id"}));
        let both = json!({"entity": "epic", "id": epics[0], "afterId": epics[1], "beforeId": epics[2]});
        assert_eq!(bench.error("move_card", both)["category"], "validation");
        let itself = json!({"entity": "epic", "id": epics[0], "afterId": epics[0]});
        assert_eq!(bench.error("move_card", itself)["category"], "validation");
    }
}

#[test]
fn points_are_set_read_and_cleared() {
    for bench in both() {
        let id = story(&bench, &json!({"points": 3}));
        let points = |given: Value| bench.data("update_user_story", given)["points"].clone();
        assert_eq!(bench.data("get_user_story", json!({"id": id}))["points"], 3.0);
        assert_eq!(points(json!({"id": id, "points": 8})), 8.0);
        assert_eq!(points(json!({"id": id, "points": null})), Value::Null);
    }
    let bench = Bench::remote_project().extended();
    let error = bench.error("create_user_story", json!({"subject": "x", "points": 4}));
    assert_eq!(error["message"], "Invalid points");
    insta::assert_snapshot!(error["details"]["points"].as_str().unwrap(), @"Must be one of 0, 0.5, 1, 2, 3, 5, 8, 10, 13, 20, 40, or null");
}

#[test]
fn story_has_several_assignees_on_a_server() {
    let bench = Bench::remote().extended();
    bench.data("set_active_project", json!({"projectId": 1}));
    let id = story(&bench, &json!({"assigneeIds": [7, 6]}));
    let shown = bench.data("get_user_story", json!({"id": id}));
    assert_eq!((&shown["assignedToId"], &shown["assigneeIds"]), (&json!(7), &json!([7, 6])));
    let shown = bench.data("update_user_story", json!({"id": id, "assigneeIds": [8]}));
    assert_eq!((&shown["assignedToId"], &shown["assigneeIds"]), (&json!(8), &json!([8])));
    // Changing the assignee removes the former one.
    let shown = bench.data("update_user_story", json!({"id": id, "assignedToId": 6}));
    assert_eq!((&shown["assignedToId"], &shown["assigneeIds"]), (&json!(6), &json!([6])));
    let shown = bench.data("update_user_story", json!({"id": id, "assigneeIds": []}));
    assert_eq!((&shown["assignedToId"], &shown["assigneeIds"]), (&Value::Null, &json!([])));
    let error = bench.error("update_user_story", json!({"id": id, "assigneeIds": [999]}));
    assert_eq!(error["message"], "Invalid assigneeIds");
    let error = bench.error("update_user_story", json!({"id": id, "assigneeIds": [6], "assignedToId": 7}));
    assert_eq!(error["details"], json!({"assigneeIds": "Must not be given together with assignedToId"}));
}

#[test]
fn item_of_the_repository_has_several_assignees() {
    let bench = Bench::local().extended();
    let names = ["bob", "carol", "dave"];
    cairn(&bench, |project| {
        for name in names {
            let email = format!("{name}@example.org");
            project.add_member(&NewMember { name: name.to_owned(), email, ..NewMember::default() })?;
        }
        Ok(())
    });
    let members = bench.data("get_members", json!({}));
    let id_of = |name: &str| {
        let rows = members["items"].as_array().unwrap();
        rows.iter().find(|row| row["fullName"] == name).unwrap_or_else(|| panic!("{members}"))["id"].clone()
    };
    let [bob, carol, dave] = names.map(id_of);
    let id = story(&bench, &json!({"assigneeIds": [bob, carol]}));
    let shown = |shown: &Value| (shown["assignedToId"].clone(), shown["assigneeIds"].clone());
    assert_eq!(shown(&bench.data("get_user_story", json!({"id": id}))), (bob.clone(), json!([bob, carol])));
    let given = json!({"id": id, "assigneeIds": [dave, carol]});
    assert_eq!(shown(&bench.data("update_user_story", given)), (dave.clone(), json!([dave, carol])));
    let found = |who: &Value| ids(&bench.data("list_user_stories", json!({"assigneeIds": [who]})));
    assert_eq!((found(&carol), found(&bob)), (vec![id], Vec::new()));
    let given = json!({"id": id, "assigneeIds": []});
    assert_eq!(shown(&bench.data("update_user_story", given)), (Value::Null, json!([])));
    assert_eq!(ids(&bench.data("list_user_stories", json!({"unassigned": true}))), [id]);
    let error = bench.error("update_user_story", json!({"id": id, "assigneeIds": [999]}));
    assert_eq!(error["message"], "Invalid assigneeIds");
}

#[test]
fn stories_come_in_the_order_people_dragged_them_into() {
    let bench = Bench::remote_project().extended();
    let made: Vec<u64> = (0..3).map(|_| story(&bench, &json!({}))).collect();
    let order = |by: &str| ids(&bench.data("list_user_stories", json!({"orderBy": by})));
    assert_eq!((order("created"), order("backlog"), order("kanban")), (made.clone(), made.clone(), made.clone()));
    let body = json!({"project_id": EMPTY_PROJECT, "bulk_userstories": [made[2]]});
    bench.taiga().call("alice", "POST", "/userstories/bulk_update_backlog_order", &body);
    assert_eq!(order("backlog"), [made[2], made[0], made[1]]);
    assert_eq!(order("kanban"), made);
    let places: Vec<i64> = order("backlog")
        .iter()
        .map(|id| bench.data("get_user_story", json!({"id": id}))["order"]["backlog"].as_i64().unwrap())
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn comments_are_added_and_listed_oldest_first() {
    for bench in both() {
        let id = story(&bench, &json!({}));
        let said = bench.data("add_comment", json!({"entity": "user_story", "id": id, "text": "First"}));
        assert_eq!((&said["text"], &said["isEdited"]), (&json!("First"), &json!(false)));
        bench.data("add_comment", json!({"entity": "user_story", "id": id, "text": "Second\nline"}));
        let list = bench.data("list_comments", json!({"entity": "user_story", "id": id}));
        assert_eq!(list["items"][0], said);
        assert_eq!((&list["items"][1]["text"], &list["meta"]["total"]), (&json!("Second\nline"), &json!(2)));
        let page = bench.data("list_comments", json!({"entity": "user_story", "id": id, "offset": 1, "limit": 1}));
        assert_eq!((&page["items"][0], &page["meta"]["hasNext"]), (&list["items"][1], &json!(false)));
        for given in
            [json!({"entity": "task", "id": id, "text": "x"}), json!({"entity": "issue", "id": 99, "text": "x"})]
        {
            assert_eq!(bench.error("add_comment", given)["category"], "not_found");
        }
        let error = bench.error("add_comment", json!({"entity": "user_story", "id": id, "text": " "}));
        assert_eq!(error["details"], json!({"text": "Must not be empty"}));
    }
}

/// Taiga lists deleted comments with their text.
#[test]
fn deleted_comment_is_not_listed() {
    let bench = Bench::remote_project().extended();
    let id = story(&bench, &json!({}));
    let said = bench.data("add_comment", json!({"entity": "user_story", "id": id, "text": "A secret"}));
    let path = format!("/history/userstory/{id}/delete_comment?id={}", said["id"].as_str().unwrap());
    bench.taiga().call("alice", "POST", &path, &json!({}));
    let list = bench.data("list_comments", json!({"entity": "user_story", "id": id}));
    assert_eq!((&list["items"], &list["meta"]["total"]), (&json!([]), &json!(0)));
}

#[test]
fn one_item_shows_its_page_custom_fields_and_attachments() {
    let bench = Bench::remote_project().extended();
    let id = story(&bench, &json!({}));
    let made = bench.data("get_user_story", json!({"id": id}));
    let url = format!("{}/project/kiosk-kanban/us/{}", bench.taiga().url(), made["ref"]);
    assert_eq!((&made["url"], &made["customFields"], &made["attachments"]), (&json!(url), &json!({}), &json!([])));
    bench.taiga().attach(ItemKind::Story, id, "plan.pdf");
    bench.taiga().set_custom_field(EMPTY_PROJECT, ItemKind::Story, id, (31, "Customer"), &json!("ACME"));
    let shown = bench.again().data("get_user_story", json!({"id": id}));
    assert_eq!((&shown["customFields"], &shown["attachments"]), (&json!({"Customer": "ACME"}), &json!(["plan.pdf"])));
}

/// Finding 20, for creations beyond the contract.
#[test]
fn lost_response_reports_that_the_write_may_have_happened() {
    let bench = Bench::remote_project().extended();
    let id = story(&bench, &json!({}));
    let given = json!({"name": "First", "start": "2026-11-02", "finish": "2026-11-15"});
    bench.taiga().fault_on("POST", "/milestones", 1, Fault::CutAfter);
    let error = bench.error("create_sprint", given);
    assert_eq!(error["category"], "network");
    let expected = "it may have been created: look for its name with list_sprints before you create it again";
    assert_eq!(error["details"]["hint"], expected);
    bench.taiga().fault_on("PATCH", "/userstories", 1, Fault::CutAfter);
    let error = bench.error("add_comment", json!({"entity": "user_story", "id": id, "text": "x"}));
    let expected = "it may have been created: look for its text with list_comments before you create it again";
    assert_eq!(error["details"]["hint"], expected);
}

#[test]
fn sprints_that_may_not_be_viewed_are_an_auth_error() {
    let bench = Bench::remote_as("eve").extended();
    bench.data("set_active_project", json!({"projectId": 1}));
    assert_eq!(ids(&bench.data("list_sprints", json!({}))).len(), 4);
    bench.taiga().revoke(1, "eve", "view_milestones");
    let error = bench.again().error("list_sprints", json!({}));
    assert_eq!((&error["category"], &error["httpStatus"]), (&json!("auth"), &json!(403)));
}
