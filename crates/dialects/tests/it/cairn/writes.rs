//! Writes: every one answers with rows; lists are all or nothing.

use serde_json::{Value, json};

use super::bench::Bench;

#[test]
fn every_write_answers_with_the_row() {
    let bench = Bench::new();
    let made = bench.call("create", json!({"kind": "issue", "title": "Login fails"}));
    assert_eq!(made.text, "#1 issue backlog Login fails");
    let row = |told: &Value| {
        let mut row = told["items"][0].clone();
        row.as_object_mut().unwrap().remove("revision");
        row
    };
    let expected = json!({"number": 1, "kind": "issue", "title": "Login fails", "status": "backlog"});
    assert_eq!(row(&made.structured), expected);
    bench.call("create", json!({"title": "Other"}));
    for (tool, given) in [
        ("update", json!({"id": 1, "fields": ["size=small"]})),
        ("comment", json!({"id": "#1", "text": "Found."})),
        ("link", json!({"id": 1, "type": "related", "to": 2})),
        ("link", json!({"id": 1, "type": "blocks", "to": "2"})),
    ] {
        assert_eq!(row(&bench.call(tool, given).structured), expected, "{tool}");
    }
    let revision =
        bench.call("update", json!({"id": 1, "priority": "high"})).structured["items"][0]["revision"].clone();
    bench.call("update", json!({"id": 1, "priority": "low", "if_unchanged": revision}));
    let refused = bench.refuse("update", json!({"id": 1, "priority": "low", "if_unchanged": revision}));
    insta::assert_snapshot!(testkit::redact(&refused), @"
    issue #1 `Login fails` was changed: its revision is <id>, not <id>
    hint: read it again with `show`, then decide
    ");
}

#[test]
fn any_field_is_accepted_by_name_or_among_the_fields() {
    let bench = Bench::new();
    let given =
        json!({"title": "One", "size": "small", "fields": ["severity=bad", "due = 2027-01-31"], "approved": true});
    bench.call("create", given);
    let shown = bench.call("show", json!({"id": 1})).structured["items"][0].clone();
    assert_eq!(
        (&shown["size"], &shown["severity"], &shown["due"]),
        (&json!("small"), &json!("bad"), &json!("2027-01-31"))
    );
    bench.call("update", json!({"id": 1, "size": "", "fields": "severity="}));
    let shown = bench.call("show", json!({"id": 1})).structured["items"][0].clone();
    assert!(shown.get("size").is_none() && shown.get("severity").is_none(), "{shown}");
    insta::assert_snapshot!(bench.refuse("update", json!({"id": 1, "fields": ["colr=#fff"]})), @"unknown field `colr` (expected: title, description, status, assignee, priority, size, severity, type, board, milestone, parent, blocked, approved, started, expected, completed, due, colour)");
    assert_eq!(
        bench.refuse("create", json!({"title": "x", "fields": ["size"]})),
        "`fields` must be a list of `name=value`"
    );
}

#[test]
fn a_status_may_be_a_state() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "One"}));
    assert_eq!(bench.call("update", json!({"id": 1, "status": "closed", "comment": "Done."})).text, "#1 task done One");
    let shown = bench.call("show", json!({"id": 1})).structured["items"][0].clone();
    assert!(shown["completed"].is_string() && shown["comments"][0]["body"] == "Done.", "{shown}");
    assert_eq!(bench.call("update", json!({"id": 1, "status": "open"})).text, "#1 task backlog One");
}

#[test]
fn a_list_is_created_whole_or_not_at_all() {
    let bench = Bench::new();
    let items = json!([
        {"kind": "epic", "title": "Passkeys"},
        {"kind": "milestone", "title": "May"},
        {"title": "Store them", "parent": "$1", "milestone": "$2"},
        {"title": "Use them", "parent": "$1", "blocked_by": ["$3"], "priority": "high", "labels": ["ui"]},
    ]);
    let made = bench.call("create", json!({"items": items}));
    insta::assert_snapshot!(made.text, @r"
    #1 epic backlog Passkeys
    milestone/1 milestone open May
    #2 task backlog Store them
    #3 task high backlog Use them [ui] blocked by #2
    ");
    assert_eq!(made.structured["total"], 4);
    let before = bench.call("list", json!({"all": true})).structured["total"].clone();
    for (items, said) in [
        (
            json!([{"title": "a"}, {"title": "b", "blocked_by": ["$9"]}]),
            "item 2: `$9` is not in the list, which has 2 items",
        ),
        (json!([{"title": "a"}, {"kind": "sprint", "title": "b"}]), "item 2: unknown kind `sprint`"),
        (json!([{"title": "a"}, {"titel": "b"}]), "item 2: unknown argument `titel`; did you mean `title`?"),
        (json!([{"title": "a"}, {"title": "b", "parent": "77"}]), "item 2: item not found: `77`"),
        (json!([]), "in the arguments, missing field `title`"),
    ] {
        let refused = bench.refuse("create", json!({"items": items}));
        assert!(refused.starts_with(said), "{refused}");
    }
    let both = bench.refuse("create", json!({"title": "x", "items": [{"title": "a"}]}));
    assert_eq!(both, "`title` belongs into each of `items`");
    assert_eq!(bench.call("list", json!({"all": true})).structured["total"], before);
}

#[test]
fn links_are_made_and_removed_in_both_directions() {
    let bench = Bench::new();
    bench.call("create", json!({"items": [{"title": "One"}, {"title": "Two"}, {"kind": "epic", "title": "All"}]}));
    let link = |given: Value| bench.call("link", given).text;
    assert_eq!(link(json!({"id": 1, "type": "blocked_by", "to": 2})), "#1 task backlog One blocked by #2");
    assert_eq!(link(json!({"id": 1, "type": "blocked_by", "to": "#2", "remove": true})), "#1 task backlog One");
    link(json!({"id": 1, "type": "parent", "to": 3}));
    link(json!({"id": 1, "type": "touches", "to": "src/lib.rs:open"}));
    let absolute = bench.repository.path().join("src/other.rs");
    link(json!({"id": 1, "type": "touches", "to": absolute.to_str().unwrap()}));
    let shown = bench.call("show", json!({"id": 1})).structured["items"][0].clone();
    assert_eq!(
        (&shown["parent"]["number"], &shown["touches"]),
        (&json!(3), &json!(["src/lib.rs:open", "src/other.rs"]))
    );
    link(json!({"id": 1, "type": "touches", "to": "src/lib.rs:open", "remove": true}));
    link(json!({"id": 2, "type": "blocks", "to": 1}));
    let ring = bench.refuse("link", json!({"id": 1, "type": "blocks", "to": 2}));
    assert!(ring.ends_with("hint: remove one of these links first: `link` with `remove`"), "{ring}");
    let missing = bench.refuse("link", json!({"id": 1, "type": "related", "to": 2, "remove": true}));
    assert!(missing.ends_with("hint: `show` lists its links"), "{missing}");
}

#[test]
fn a_deleted_item_is_restored() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "One"}));
    assert_eq!(bench.call("update", json!({"id": 1, "deleted": true})).text, "#1 task backlog One deleted");
    assert_eq!(bench.call("list", json!({"all": true})).structured["total"], 0);
    let refused = bench.refuse("update", json!({"id": 1, "title": "Two"}));
    assert!(refused.ends_with("hint: `update` with `deleted` false restores it"), "{refused}");
    assert_eq!(bench.call("update", json!({"id": 1, "deleted": false})).text, "#1 task backlog One");
    let both = bench.refuse("update", json!({"id": 1, "deleted": true, "title": "Two"}));
    assert_eq!(both, "`deleted` and other changes exclude each other");
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest_one() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "One", "assignee": "Grace Hopper <grace@example.com>"}));
    let refused = bench.refuse("update", json!({"id": 1, "assignee": "grce"}));
    insta::assert_snapshot!(refused, @"
    person not found: `grce`
    hint: did you mean `Grace`? if not, give the person's e-mail address, or `me`
    ");
    insta::assert_snapshot!(bench.refuse("create", json!({"title": "Two", "assignee": "nobody"})), @"
    person not found: `nobody`
    hint: give the person's e-mail address, or `me`
    ");
    insta::assert_snapshot!(bench.call("update", json!({"id": 1, "assignee": "grace"})).text, @"#1 task backlog One @Grace Hopper");
    insta::assert_snapshot!(bench.call("update", json!({"id": 1, "assignee": "new@example.com"})).text, @"#1 task backlog One @new@example.com");
}

#[test]
fn only_declared_labels_are_accepted_once_there_are_some() {
    let bench = Bench::new();
    bench.call("create", json!({"title": "One", "labels": ["anything"]}));
    let project = app::Project::open(bench.repository.path(), app::Env::default(), std::sync::Arc::new(|_| {}));
    project.unwrap().define_label("backend", &app::verb::LabelChange::default()).unwrap();
    let refused = bench.refuse("update", json!({"id": 1, "add_labels": ["backnd"]}));
    insta::assert_snapshot!(refused, @"
    label not declared: `backnd`
    hint: did you mean `backend`?
    ");
    let refused =
        bench.refuse("create", json!({"items": [{"title": "Two"}, {"title": "Three", "labels": ["urgent"]}]}));
    insta::assert_snapshot!(refused, @"
    label not declared: `urgent`
    hint: the project has: backend
    ");
    insta::assert_snapshot!(bench.refuse("show", json!({"id": 2})), @"
    item not found: `2`
    hint: `list` with `all` shows every item; `search` finds items by words
    ");
    bench.call("update", json!({"id": 1, "add_labels": ["backend"]}));
}

#[test]
fn a_link_to_code_lists_near_names() {
    let bench = Bench::new();
    let folder = bench.repository.path().join("src");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("login.rs"), "fn check() {}\n").unwrap();
    bench.call("create", json!({"title": "One"}));
    let refused = bench.refuse("link", json!({"id": 1, "type": "touches", "to": "src/login.rs:chekc"}));
    insta::assert_snapshot!(refused, @"
    `src/login.rs` has no `chekc`
    hint: did you mean `check`?
    ");
    insta::assert_snapshot!(bench.refuse("create", json!({"title": "Two", "touches": ["src/login.rs:chekc"]})), @"
    `src/login.rs` has no `chekc`
    hint: did you mean `check`?
    ");
    bench.call("link", json!({"id": 1, "type": "touches", "to": "src/login.rs:check"}));
    // Code that is still to be written.
    bench.call("link", json!({"id": 1, "type": "touches", "to": "src/logout.rs:leave"}));
}
