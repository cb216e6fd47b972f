//! Rows, whole items, pages and token limits.

use model::tokens::estimate;
use serde_json::{Value, json};

use super::bench::Bench;

fn filled(n: usize) -> Bench {
    let bench = Bench::new();
    for start in (0..n).step_by(50) {
        let item = |n: usize| {
            json!({"title": format!("Import stops at row {n}"), "priority": "high", "labels": ["import"],
                "description": "A long text. ".repeat(100)})
        };
        let items: Vec<Value> = (start..n.min(start + 50)).map(item).collect();
        bench.call("create", json!({"items": items}));
    }
    bench
}

#[test]
fn a_row_is_one_line_without_empty_parts() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "Log in with a passkey"}));
    let rich = json!({"kind": "issue", "title": "Login fails\u{1b}[31m on Safari", "priority": 8, "labels": ["ios", "bug"],
        "assignee": "Ada <ada@example.com>", "blocked_by": [1], "fields": ["blocked=lawyers", "size=small"]});
    bench.call("create", rich);
    let listed = bench.call("list", json!({"sort": "number"}));
    insta::assert_snapshot!(listed.text, @r"
    #1 task backlog Log in with a passkey
    #2 issue high backlog Login fails\e[31m on Safari [bug, ios] @Ada blocked by #1 blocked: lawyers
    2 of 2
    ");
    insta::assert_snapshot!(listed.structured.to_string(), @r#"{"items":[{"number":1,"kind":"task","title":"Log in with a passkey","status":"backlog"},{"number":2,"kind":"issue","title":"Login fails\u001b[31m on Safari","status":"backlog","priority":8,"labels":["bug","ios"],"assignee":"Ada <ada@example.com>","blockedBy":[1]}],"total":2,"returned":2,"nextCursor":null}"#);
    let found = bench.call("search", json!({"text": "safari"}));
    assert_eq!(found.structured["items"], json!([listed.structured["items"][1]]));
    assert_eq!(bench.call("ready", json!({})).structured["items"], json!([listed.structured["items"][0]]));
    bench.call("update", json!({"id": 1, "status": "closed"}));
    insta::assert_snapshot!(bench.call("list", json!({})).text, @r"
    #2 issue high backlog Login fails\e[31m on Safari [bug, ios] @Ada blocked: lawyers
    1 of 1
    ");
}

#[test]
fn more_fields_are_shown_on_request_and_descriptions_are_short() {
    let bench = filled(1);
    let listed = bench.call("list", json!({"fields": ["description", "due"]}));
    let description = listed.structured["items"][0]["description"].as_str().unwrap();
    assert_eq!(description.chars().count(), 201, "{description}");
    insta::assert_snapshot!(listed.text, @"
    #1 task high backlog Import stops at row 0 [import]
      description: A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A long text. A lon…
    1 of 1
    ");
}

#[test]
fn pages_cover_a_list_once_with_any_limit() {
    let bench = filled(130);
    for (tool, arguments) in [
        ("list", json!({"limit": 50})),
        ("list", json!({"limit": 200, "max_tokens": 400})),
        ("ready", json!({"limit": 50})),
        ("ready", json!({"limit": 200, "max_tokens": 300})),
        ("search", json!({"text": "row", "limit": 60})),
    ] {
        let max_tokens = arguments["max_tokens"].as_u64().unwrap_or(2_000);
        let (mut numbers, mut arguments) = (Vec::new(), arguments);
        loop {
            let page = bench.call(tool, arguments.clone());
            assert!(estimate(&page.text) as u64 <= max_tokens, "{}", page.text);
            assert_eq!(page.structured["total"], 130);
            let items = page.structured["items"].as_array().unwrap().clone();
            numbers.extend(items.iter().map(|item| item["number"].as_u64().unwrap()));
            let Some(cursor) = page.structured["nextCursor"].as_str() else { break };
            assert!(page.text.contains(cursor), "{}", page.text);
            arguments["cursor"] = cursor.into();
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=130).collect::<Vec<u64>>(), "{tool}");
    }
    let cut = bench.call("list", json!({"limit": 200, "max_tokens": 400})).text;
    // How many items fit depends on the length of the cursor, which has times and ids.
    let (_, told) = cut.lines().last().unwrap().split_once(", ").unwrap();
    insta::assert_snapshot!(told.split_once(" cursor ").unwrap().0, @"cut at 400 tokens; next page:");
    insta::assert_snapshot!(bench.refuse("list", json!({"max_tokens": 20_001})), @"invalid `max_tokens`: 20001 (expected: 1 to 20000)");
}

#[test]
fn show_has_the_whole_item_and_names_omitted_parts() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "All of it", "kind": "epic"}));
    bench.call(
        "create",
        json!({"title": "Part", "parent": "#1", "description": "First line.\n\nSecond.", "due": "2027-01-31",
        "touches": ["src/lib.rs:open"], "labels": "bug"}),
    );
    bench.call("comment", json!({"id": 2, "text": "Found it."}));
    let shown = bench.call("show", json!({"id": "2"}));
    let lines: Vec<&str> = shown
        .text
        .lines()
        .filter(|line| !["id:", "revision:", "created:", "updated:", "author:"].iter().any(|key| line.starts_with(key)))
        .collect();
    let today = jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC).date().to_string();
    insta::assert_snapshot!(lines.join("\n").replace(&today, "TODAY"), @r"
    #2 task backlog Part [bug]
    state: open
    parent: #1 All of it
    touches: src/lib.rs:open
    due: 2027-01-31

    First line.

    Second.

    Comments, oldest first:
    - TODAY Ada Lovelace: Found it.
    ");
    let item = &shown.structured["items"][0];
    assert_eq!(item["parent"], json!({"kind": "epic", "number": 1, "title": "All of it", "state": "open"}));
    assert_eq!(item["description"], "First line.\n\nSecond.");
    assert!(item.get("milestone").is_none() && item.get("assignees").is_none(), "{item}");
    bench.call("update", json!({"id": 2, "description": "word ".repeat(5_000)}));
    for n in 0..60 {
        bench.call("comment", json!({"id": 2, "text": format!("Comment {n}: {}", "word ".repeat(20))}));
    }
    for max_tokens in [200, 500, 2_000, 5_000] {
        let shown = bench.call("show", json!({"id": 2, "max_tokens": max_tokens}));
        assert!(estimate(&shown.text) <= max_tokens, "{max_tokens}: {}", estimate(&shown.text));
        // How many comments fit depends on the length of times and ids.
        assert!(shown.text.contains("Cut: the end of the description, the "), "{}", shown.text);
        assert!(max_tokens < 500 || shown.text.contains("Comment 59"), "the newest stay: {}", shown.text);
        assert!(shown.structured["items"][0]["cut"].is_array());
    }
}

#[test]
fn messages_beyond_the_budget_stay_in_the_inbox() {
    let bench = Bench::new();
    bench.commit("lib.rs", "fn pay() {}\n", "Code");
    for n in 0..5 {
        bench.send("lib.rs", &format!("Message {n}: {}", "word ".repeat(60)));
    }
    let (mut seen, mut rest) = (Vec::new(), Vec::new());
    for left in [4, 3, 2, 1, 0] {
        let taken = bench.call("inbox", json!({"max_tokens": 100}));
        assert_eq!((&taken.structured["returned"], &taken.structured["total"]), (&json!(1), &json!(left + 1)));
        rest.push(testkit::lines_with(&taken.text, "call `inbox` again"));
        seen.push(taken.structured["items"][0]["comment"].as_str().unwrap()[..9].to_owned());
    }
    assert_eq!(seen, ["Message 0", "Message 1", "Message 2", "Message 3", "Message 4"]);
    insta::assert_snapshot!(rest.join("\n"), @"
    1 of 5; 4 stay in the inbox: call `inbox` again
    1 of 4; 3 stay in the inbox: call `inbox` again
    1 of 3; 2 stay in the inbox: call `inbox` again
    1 of 2; 1 stay in the inbox: call `inbox` again
    ");
    assert_eq!(bench.call("inbox", json!({})).text, "no new messages");
}
