//! Errors and hints name tools and arguments, never commands.

use serde_json::json;

use super::bench::Bench;

#[test]
fn no_error_names_a_command() {
    let bench = Bench::new();
    bench.commit("src/lib.rs", "fn pay() {}\n", "Code");
    bench.call("create", json!({"items": [{"title": "One"}, {"title": "Two", "blocked_by": ["$1"]}]}));
    for (tool, given) in [
        ("show", json!({"id": "99"})),
        ("show", json!({"id": "milestone/9"})),
        ("show", json!({"id": "ada"})),
        ("update", json!({"id": "99", "title": "x"})),
        ("update", json!({"id": 1, "status": "shut"})),
        ("update", json!({"id": 1, "milestone": "9"})),
        ("update", json!({"id": 1, "parent": "9"})),
        ("update", json!({"id": 1, "title": "x", "if_unchanged": "0123456789ab"})),
        ("update", json!({"id": 1, "due": "soon"})),
        ("create", json!({"title": "x", "milestone": "May"})),
        ("create", json!({"title": "x", "priority": "very"})),
        ("create", json!({"title": " "})),
        ("link", json!({"id": 2, "type": "blocks", "to": 1})),
        ("link", json!({"id": 1, "type": "related", "to": 2, "remove": true})),
        ("link", json!({"id": 1, "type": "related", "to": 1})),
        ("link", json!({"id": 1, "type": "touches", "to": "../x"})),
        ("list", json!({"filter": "status =="})),
        ("list", json!({"cursor": "12"})),
        ("list", json!({"sort": "beauty"})),
        ("context", json!({"path": "src"})),
        ("context", json!({"path": "gone.rs"})),
        ("context", json!({"path": "src/lib.rs", "lines": "5:9"})),
        ("annotate", json!({"path": "src/lib.rs", "intent": "x", "commit": "gone"})),
        ("inbox_reply", json!({"id": "zzzzzz", "text": "x"})),
        ("sync", json!({})),
    ] {
        let message = bench.refuse(tool, given.clone());
        for command in ["`cairn", "`git ", " --", "`-"] {
            assert!(!message.contains(command), "{tool} {given}: {message}");
        }
    }
    assert_eq!(
        bench.refuse("show", json!({"id": "99"})),
        "item not found: `99`\nhint: `list` with `all` shows every item; `search` finds items by words"
    );
}
