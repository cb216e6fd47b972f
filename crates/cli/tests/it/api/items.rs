//! One item: creating, changing and linking it, and concurrent changes.

use std::sync::Barrier;

use serde_json::{Value, json};

use super::{Answer, Server, commit, served};

#[test]
fn item_is_made_found_and_changed() {
    let (project, server) = served(&[]);
    let made = server.write(
        "POST",
        "/api/items",
        &json!({"kind": "issue", "title": "One", "fields": {"priority": "7", "assignee": "me"}, "labels": ["bug"]}),
    );
    assert_eq!(made.status, 201, "{made:?}");
    let item = made.json();
    assert_eq!((&item["title"], &item["priority"], &item["labels"]), (&json!("One"), &json!(7), &json!(["bug"])));
    assert_eq!(item["assignee"], "Ada Lovelace <ada@example.com>");
    assert_eq!(made.header("etag"), format!("\"{}\"", item["revision"].as_str().unwrap()));
    let place = made.header("location");
    assert_eq!(without_commits(server.get(place)), item);
    let id = item["id"].as_str().unwrap();
    for name in ["1", "%231", id, &id[..18]] {
        assert_eq!(without_commits(server.get(&format!("/api/items/{name}"))), item, "{name}");
    }

    let change = json!({"fields": {"title": "Two", "assignee": ""}, "addLabels": ["ui"], "removeLabels": ["bug"]});
    let changed = server.write_if("PATCH", place, made.header("etag"), &change);
    assert_eq!(changed.status, 200, "{changed:?}");
    let changed = changed.json();
    assert_eq!((&changed["title"], &changed["labels"]), (&json!("Two"), &json!(["ui"])));
    assert_eq!(changed["assignee"], Value::Null);
    assert_eq!(without_commits(project.cairn.json(&["show", "1"])), changed);
}

/// Removes the commits, which only reading an item returns: a write does not ask git.
fn without_commits(mut item: Value) -> Value {
    assert_eq!(item.as_object_mut().unwrap().remove("commits"), Some(json!([])));
    item
}

#[test]
fn item_is_deleted_and_restored() {
    let (_project, server) = served(&["one"]);
    let deleted = server.send("DELETE", "/api/items/1", &[], None);
    assert_eq!((deleted.status, &deleted.json()["deleted"]), (200, &json!(true)));
    server
        .write("PATCH", "/api/items/1", &json!({"fields": {"title": "x"}}))
        .problem(409, "issue #1 `one` was deleted");
    let back = server.send("POST", "/api/items/1/reopen", &[("If-Match", deleted.header("etag"))], None);
    assert_eq!((back.status, &back.json()["deleted"]), (200, &json!(false)));
    server
        .send("DELETE", "/api/items/1", &[("If-Match", deleted.header("etag"))], None)
        .problem(412, "issue #1 `one` was changed: its revision is <id>, not <id>");
}

#[test]
fn comments_are_added_and_edited() {
    let (_project, server) = served(&["one"]);
    let said = server.write("POST", "/api/items/1/comments", &json!({"text": "<script>alert(1)</script> **b**"}));
    assert_eq!(said.status, 201, "{said:?}");
    assert_eq!(said.header("content-type"), "application/json");
    assert_eq!(said.header("x-content-type-options"), "nosniff");
    let comment = &said.json()["comments"][0];
    assert_eq!(comment["body"], "<script>alert(1)</script> **b**");
    let place = format!("/api/items/1/comments/{}", comment["id"].as_str().unwrap());
    let better = server.write("PATCH", &place, &json!({"text": "better"})).json();
    assert_eq!((&better["comments"][0]["body"], &better["commentCount"]), (&json!("better"), &json!(1)));
    assert_eq!(better["comments"][0]["former"].as_array().unwrap().len(), 1);
    server
        .write_if("PATCH", &place, said.header("etag"), &json!({"text": "x"}))
        .problem(412, "issue #1 `one` was changed: its revision is <id>, not <id>");
    server
        .write("PATCH", "/api/items/1/comments/0123abcd", &json!({"text": "x"}))
        .problem(404, "`<id>` does not name one comment of issue #1 `one`");
    server.write("POST", "/api/items/1/comments", &json!({"text": " "})).problem(400, "the comment is empty");
}

#[test]
fn links_are_added_and_removed() {
    let (_project, server) = served(&["one", "two"]);
    for (kind, to, key, words) in [
        ("blocks", "2", "blocks", "blocks 2"),
        ("relates", "2", "relates", "relates to 2"),
        ("touches", "src/lib.rs", "touches", "touches src/lib.rs"),
    ] {
        let link = json!({"kind": kind, "to": to});
        let missing = format!("issue #1 `one` has no such link ({words})");
        let linked = server.write("POST", "/api/items/1/links", &link);
        assert_eq!((linked.status, linked.json()[key].as_array().unwrap().len()), (200, 1), "{kind}");
        let unlinked = server.write("DELETE", "/api/items/1/links", &link);
        assert_eq!((unlinked.status, &unlinked.json()[key]), (200, &json!([])), "{kind}");
        server.write("DELETE", "/api/items/1/links", &link).problem(404, &missing);
    }
    let parent = json!({"kind": "parent", "to": "2"});
    assert_eq!(server.write("POST", "/api/items/1/links", &parent).json()["parent"]["number"], 2);
    server
        .write("POST", "/api/items/2/links", &json!({"kind": "parent", "to": "1"}))
        .problem(409, "issue #2 `two` would be its own ancestor");
    server.write("POST", "/api/items/2/links", &json!({"kind": "hugs", "to": "1"})).problem(400, "in the body: unknown variant `hugs`, expected one of `blocks`, `relates`, `parent`, `touches` at line 1 column 14");
}

#[test]
fn code_of_an_item_is_shown_with_its_annotations() {
    let (project, server) = served(&["one"]);
    commit(&project, "src/lib.rs", "fn open() {}\n");
    let annotate = ["annotate", "--anchor", "src/lib.rs:open", "--intent", "opens the door", "--summary", "a door"];
    project.cairn.ok(&annotate);
    for place in ["src/lib.rs", "src/lib.rs:open", "src/gone.rs"] {
        project.cairn.ok(&["link", "1", "--touches", place]);
    }
    let code = server.get("/api/items/1/code");
    assert_eq!((&code["item"]["number"], &code["total"]), (&json!(1), &json!(3)));
    let place = |touches: &str| {
        let places = code["places"].as_array().unwrap();
        places.iter().find(|place| place["touches"] == touches).unwrap_or_else(|| panic!("{code}")).clone()
    };
    assert_eq!(place("src/lib.rs")["summary"]["units"][0]["intent"], "opens the door");
    assert_eq!(place("src/lib.rs:open")["read"]["regions"][0]["intent"], "opens the door");
    insta::assert_snapshot!(place("src/gone.rs")["error"].as_str().unwrap(), @"File not found: src/gone.rs");
}

#[test]
fn messages_are_answered_and_settled() {
    let (project, server) = served(&[]);
    commit(&project, "a.txt", "one\ntwo\n");
    let sent = server.write("POST", "/api/inbox", &json!({"file": "a.txt", "comment": "why?"})).json();
    let place = format!("/api/inbox/{}/replies", sent["id"].as_str().unwrap());
    server.write("POST", &place, &json!({"text": " "})).problem(400, "the reply is empty");
    let answered = server.write("POST", &place, &json!({"text": "since"}));
    assert_eq!((answered.status, &answered.json()["state"]), (201, &json!("answered")), "{answered:?}");
    let reply = &answered.json()["replies"][0];
    assert_eq!((&reply["body"], &reply["author"]), (&json!("since"), &json!("Ada Lovelace <ada@example.com>")));
    assert_eq!(server.get("/api/inbox")["total"], 1);
    let settled = server.write("POST", &place, &json!({"resolves": true}));
    assert_eq!((settled.status, &settled.json()["state"]), (201, &json!("resolved")), "{settled:?}");
    assert_eq!(server.get("/api/inbox")["total"], 0);
    let draft = project.cairn.json(&["inbox", "draft", "--file", "a.txt", "--comment", "not yet"]);
    assert_eq!(server.get("/api/inbox?all=true")["total"], 1, "a draft is its sender's");
    let place = format!("/api/inbox/{}/replies", draft["id"].as_str().unwrap());
    server.write("POST", &place, &json!({"text": "x"})).problem(404, "message not found: `<id>`");
    server.write("POST", "/api/inbox/0000/replies", &json!({"text": "x"})).problem(404, "message not found: `0000`");
}

#[test]
fn messages_are_sent_and_listed() {
    let (project, server) = served(&[]);
    commit(&project, "a.txt", "one\ntwo\n");
    let sent = server.write(
        "POST",
        "/api/inbox",
        &json!({"file": "a.txt", "lines": "2", "comment": "why?", "kind": "question"}),
    );
    assert_eq!(sent.status, 201, "{sent:?}");
    assert_eq!((&sent.json()["excerpt"], &sent.json()["kind"]), (&json!("two"), &json!("question")));
    assert_eq!(server.get("/api/inbox")["items"][0]["comment"], "why?");
    let id = sent.json()["id"].as_str().unwrap().to_owned();
    project.cairn.ok(&["inbox", "resolve", &id]);
    assert_eq!(server.get("/api/inbox")["total"], 0);
    assert_eq!(server.get("/api/inbox?all=true")["total"], 1);
    server
        .write("POST", "/api/inbox", &json!({"file": "a.txt", "comment": "x", "lines": "z"}))
        .problem(400, "invalid line range `z`; write `42` or `42-57`, counted from 1");
    server
        .write("POST", "/api/inbox", &json!({"file": "b.txt", "comment": "x"}))
        .problem(404, "file not found: `b.txt` here");
}

#[test]
fn unchanged_item_is_not_sent_again() {
    let (_project, server) = served(&["one"]);
    let shown = server.send("GET", "/api/items/1", &[], None);
    assert_eq!(shown.header("cache-control"), "no-store");
    let again = |path: &str, tag: &str| server.send("GET", path, &[("If-None-Match", tag)], None);
    let known = again("/api/items/1", shown.header("etag"));
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    assert_eq!(known.header("etag"), shown.header("etag"));
    server.write("PATCH", "/api/items/1", &json!({"fields": {"title": "x"}}));
    assert_eq!(again("/api/items/1", shown.header("etag")).status, 200);
}

#[test]
fn head_has_the_headers_of_get_without_a_body() {
    let (_project, server) = served(&["one"]);
    for path in ["/api/items/1", "/api/items", "/api/events"] {
        let head = server.send("HEAD", path, &[], None);
        assert_eq!((head.status, head.body.as_str()), (200, ""), "{path}");
    }
    let get = server.send("GET", "/api/items/1", &[], None);
    let head = server.send("HEAD", "/api/items/1", &[], None);
    for name in ["etag", "content-type", "content-length"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}

#[test]
fn of_two_writers_one_wins_and_nothing_is_lost() {
    let (_project, server) = served(&["one"]);
    for round in 0..10 {
        let tag = server.send("GET", "/api/items/1", &[], None).header("etag").to_owned();
        let barrier = Barrier::new(2);
        let write = |field: &'static str| {
            barrier.wait();
            let change = json!({"fields": {(field): format!("{field} {round}")}});
            server.write_if("PATCH", "/api/items/1", &tag, &change)
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| write("severity"));
            let other = scope.spawn(|| write("type"));
            (one.join().unwrap(), other.join().unwrap())
        });
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412], "{one:?} {other:?}");
        let (won, lost, field) = if one.status == 200 { (one, other, "type") } else { (other, one, "severity") };
        let problem = lost.problem(412, "issue #1 `one` was changed: its revision is <id>, not <id>");
        assert_eq!(problem["revision"], won.json()["revision"]);
        // The loser reads the new revision and retries; the winner's change is kept.
        let tag = format!("\"{}\"", problem["revision"].as_str().unwrap());
        let change = json!({"fields": {(field): format!("{field} {round}")}});
        let item = server.write_if("PATCH", "/api/items/1", &tag, &change).json();
        assert_eq!(item["severity"], format!("severity {round}"));
        assert_eq!(item["type"], format!("type {round}"));
    }
}

#[test]
fn a_change_is_meant_for_a_revision_or_for_any() {
    let (_project, server) = served(&["one"]);
    let tag = server.send("GET", "/api/items/1", &[], None).header("etag").to_owned();
    let change = |tag: &str, title: &str| -> Answer {
        server.write_if("PATCH", "/api/items/1", tag, &json!({"fields": {"title": title}}))
    };
    assert_eq!(change(&format!("\"0123\", {tag}"), "two").status, 200);
    assert_eq!(change("*", "three").status, 200);
    change(&tag, "four").problem(412, "issue #1 `three` was changed: its revision is <id>, not <id>");
    change(&format!("W/{tag}"), "four")
        .problem(412, r#"issue #1 `three` was changed: its revision is <id>, not W/"<id>""#);
    change("bare", "four").problem(400, "`If-Match` must be `*` or revisions in quotes");
    let link = json!({"kind": "touches", "to": "a"});
    server
        .write_if("POST", "/api/items/1/links", &tag, &link)
        .problem(412, "issue #1 `three` was changed: its revision is <id>, not <id>");
    server
        .write_if("POST", "/api/items/1/comments", &tag, &json!({"text": "x"}))
        .problem(412, "issue #1 `three` was changed: its revision is <id>, not <id>");
    assert_eq!(server.get("/api/items/1")["title"], "three");
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let (_project, server) = served(&["one"]);
    let add = |server: &Server, n: usize| {
        server.write("POST", "/api/items/1/comments", &json!({"text": n.to_string()})).status
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                scope.spawn({
                    let server = &server;
                    move || add(server, n)
                })
            })
            .collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 201));
    });
    assert_eq!(server.get("/api/items/1")["commentCount"], 8);
}
