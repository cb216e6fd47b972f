//! The tools of `--extended`.

use serde_json::{Value, json};
use testkit::TestRepository;

use super::{Quick, text};
use crate::client::{Client, run};

fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn ids(quick: &Quick, name: &str, arguments: &Value) -> Vec<u64> {
    let (status, answer) = quick.call(name, arguments);
    assert_eq!(status, 200, "{answer}");
    let list = text(&answer["result"]["content"][0]);
    list["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_u64().unwrap()).collect()
}

#[test]
fn tools_are_exactly_three_unless_more_are_asked_for() {
    let repository = TestRepository::new();
    let contract = ["create_task", "update_task", "complete_task"];
    let more = ["list_tasks", "available_work", "proposed_work", "claim_task", "accept_task", "list_members"];
    for (options, expected) in [(&[][..], contract.to_vec()), (&["--extended"][..], [&contract[..], &more].concat())] {
        let (_, listed) = Quick::start_with(repository.path(), options).ask("tools/list", &json!({}));
        assert_eq!(names(&listed), expected);
        let options = [&["--dialect", "quicksilver"], options].concat();
        let listed = Client::start_with(repository.path(), &options).request("tools/list", &json!({}));
        assert_eq!(names(&listed), expected);
        for tool in listed["result"]["tools"].as_array().unwrap() {
            assert!(tool["title"].is_string() && tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
        }
    }
}

#[test]
fn board_and_owner_of_a_list_must_exist() {
    let repository = TestRepository::new();
    let quick = Quick::start_with(repository.path(), &["--extended"]);
    quick.task("create_task", &json!({"title": "One"}));
    for name in ["list_tasks", "available_work", "proposed_work"] {
        let told = quick.fault(name, &json!({"board_id": 1}));
        let sentence = "board_id is 1, and there is no such board: there are no boards yet";
        assert_eq!(told, (400, -32602, sentence.to_owned()), "{name}");
    }
    let (status, code, told) = quick.fault("list_tasks", &json!({"owner_id": 5}));
    // The only place where a program learns the ids of people.
    let owner = quick.task("claim_task", &json!({"id": 1}))["owner_id"].as_u64().unwrap();
    assert_eq!((status, code), (400, -32602));
    assert!(told.starts_with("owner_id is 5, and nobody here has that id: "), "{told}");
    assert!(told.contains(&format!("{owner} is ")), "{told}");
}

/// Every argument of every tool that takes an id, from the schemas.
#[test]
fn every_wrong_id_names_ids_that_exist() {
    let repository = TestRepository::new();
    let quick = Quick::start_with(repository.path(), &["--extended"]);
    assert_eq!(Quick::board(repository.path(), "Development"), 1);
    run(repository.path(), &["member", "add", "Bob <bob@example.org>"]);
    for n in 1..=12 {
        quick.task("create_task", &json!({"title": format!("Task {n}"), "board_id": 1}));
    }
    run(repository.path(), &["new", "issue", "Login fails"]);
    let (_, listed) = quick.ask("tools/list", &json!({}));
    let mut n_checked = 0;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for argument in properties.keys().filter(|name| *name == "id" || name.ends_with("_id")) {
            let existing = match argument.as_str() {
                "board_id" => "1 is Development",
                "owner_id" => " is Bob",
                _ => {
                    "3 is Task 3, 4 is Task 4, 5 is Task 5, 6 is Task 6, 7 is Task 7, 8 is Task 8, 9 is Task 9, \
                      10 is Task 10, 11 is Task 11, 12 is Task 12, and 2 more"
                }
            };
            for wrong in [json!(99), json!("99"), json!(0), json!(-1), json!("18446744073709551616")] {
                let mut arguments = json!({"id": 1, "title": "x"});
                arguments[argument] = wrong;
                let (status, code, told) = quick.fault(name, &arguments);
                let expected = if argument == "id" { (404, -32002) } else { (400, -32602) };
                assert_eq!((status, code), expected, "{name} {arguments}: {told}");
                assert!(told.contains(existing), "{name} {arguments}: {told}");
                n_checked += 1;
            }
        }
    }
    assert_eq!(n_checked, 12 * 5);
    let (_, _, told) = quick.fault("claim_task", &json!({"id": 13}));
    assert!(told.starts_with("13 is an issue, not a task: 3 is Task 3"), "{told}");
    let (_, answer) = quick.ask("resources/read", &json!({"uri": "quicksilver://boards/7"}));
    assert_eq!(answer["error"]["data"], "there is no board 7: 1 is Development");
}

#[test]
fn work_is_proposed_accepted_claimed_and_completed() {
    let repository = TestRepository::new();
    let board = Quick::board(repository.path(), "Team");
    let quick = Quick::start_with(repository.path(), &["--extended"]);
    for (title, more) in [
        ("Loose", json!({})),
        ("Proposed", json!({"board_id": board})),
        ("Urgent", json!({"board_id": board, "priority": 9})),
        ("Blocked", json!({})),
    ] {
        let mut arguments = more;
        arguments["title"] = json!(title);
        quick.task("create_task", &arguments);
    }
    run(repository.path(), &["edit", "4", "--blocked", "no parts"]);
    assert_eq!(ids(&quick, "available_work", &json!({})), [1]);
    assert_eq!(ids(&quick, "proposed_work", &json!({})), [3, 2]);
    assert_eq!(quick.task("accept_task", &json!({"id": 3}))["approved"], true);
    assert_eq!(ids(&quick, "available_work", &json!({})), [3, 1]);
    assert_eq!(ids(&quick, "available_work", &json!({"limit": 1})), [3]);
    assert_eq!(ids(&quick, "proposed_work", &json!({"board_id": board})), [2]);
    let claimed = quick.task("claim_task", &json!({"id": 3}));
    assert_eq!(claimed["status"], "in_progress");
    assert!(claimed["started_at"].is_string() && claimed["owner_id"].is_u64(), "{claimed}");
    assert_eq!(quick.task("claim_task", &json!({"id": 3})), claimed);
    assert_eq!(ids(&quick, "available_work", &json!({})), [1]);
    assert_eq!(ids(&quick, "list_tasks", &json!({"owner_id": claimed["owner_id"]})), [3]);
    run(repository.path(), &["edit", "1", "--assign", "Eve <eve@example.org>"]);
    let (status, code, told) = quick.fault("claim_task", &json!({"id": 1}));
    assert_eq!((status, code, told.as_str()), (400, -32602, "task 1 is already Eve's"));
    quick.task("complete_task", &json!({"id": 3}));
    insta::assert_snapshot!(quick.fault("claim_task", &json!({"id": 3})).2, @"task 3 is finished already");
    assert_eq!(ids(&quick, "list_tasks", &json!({})), [1, 2, 4]);
    assert_eq!(ids(&quick, "list_tasks", &json!({"include_completed": true, "approved": true})), [3]);
    for name in ["claim_task", "accept_task"] {
        assert_eq!(quick.fault(name, &json!({"id": 99})).0, 404);
    }
}

#[test]
fn list_continues_after_the_cursor() {
    let repository = TestRepository::new();
    let quick = Quick::start_with(repository.path(), &["--extended"]);
    for n in 1..=5 {
        quick.task("create_task", &json!({"title": format!("Task {n}")}));
    }
    let mut arguments = json!({"limit": 2});
    let mut seen = Vec::new();
    loop {
        let (_, answer) = quick.call("list_tasks", &arguments);
        let page = text(&answer["result"]["content"][0]);
        assert_eq!(page["total"], 5);
        seen.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()));
        if page["next_cursor"].is_null() {
            break;
        }
        arguments["cursor"] = page["next_cursor"].clone();
    }
    assert_eq!(seen, [1, 2, 3, 4, 5].map(|n| json!(n)));
    arguments["approved"] = json!(false);
    insta::assert_snapshot!(quick.fault("list_tasks", &arguments).2, @"this cursor is damaged or belongs to another list");
    for limit in [0, 201] {
        assert_eq!(quick.fault("list_tasks", &json!({"limit": limit})).2, "limit must be a whole number from 1 to 200");
    }
}

#[test]
fn people_are_listed_with_the_ids_that_owners_have() {
    let repository = TestRepository::new();
    run(repository.path(), &["member", "add", "Bob <bob@example.org>"]);
    let quick = Quick::start_with(repository.path(), &["--extended"]);
    let (status, answer) = quick.call("list_members", &json!({}));
    assert_eq!(status, 200, "{answer}");
    let listed = text(&answer["result"]["content"][0]);
    let members = listed["members"].as_array().unwrap();
    assert_eq!(listed["total"], members.len());
    let bob = members.iter().find(|member| member["name"] == "Bob").unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(bob["email"], "bob@example.org");
    let task = quick.task("create_task", &json!({"title": "One", "owner_id": bob["id"]}));
    assert_eq!(task["owner_id"], bob["id"]);
}
