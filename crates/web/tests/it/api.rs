//! The routes of the JSON API: results, conditions and errors.

use serde_json::{Value, json};

use crate::site::Site;

#[test]
fn an_item_is_created_read_changed_and_deleted() {
    let site = Site::new(&[]);
    let made =
        site.write("POST", "/api/items", &site.writer, &json!({"kind": "task", "title": "One", "labels": ["a"]}));
    let place = format!("/api/items/{}", made.json()["id"].as_str().unwrap());
    assert_eq!((made.status, made.header("location")), (201, place.as_str()), "{}", made.body);
    assert_eq!(site.get(&place, &site.reader).json()["number"], 1);
    let tag = made.header("etag").to_owned();
    assert_eq!(site.get("/api/items/1", &site.reader).header("etag"), tag);
    let edited = site.write("PATCH", "/api/items/1", &site.writer, &json!({"fields": {"priority": "3"}}));
    assert_eq!((edited.status, &edited.json()["priority"]), (200, &json!(3)));
    assert_ne!(edited.header("etag"), tag);
    let commented = site.write("POST", "/api/items/1/comments", &site.writer, &json!({"text": "Found it."}));
    assert_eq!((commented.status, &commented.json()["comments"][0]["body"]), (201, &json!("Found it.")));
    assert_eq!(site.write("DELETE", "/api/items/1", &site.writer, &Value::Null).status, 200);
    assert_eq!(site.get("/api/items", &site.reader).json()["total"], 0);
    assert_eq!(site.write("POST", "/api/items/1/reopen", &site.writer, &Value::Null).json()["state"], "open");
}

#[test]
fn conditions_are_kept() {
    let site = Site::new(&["One"]);
    let tag = site.get("/api/items/1", &site.reader).header("etag").to_owned();
    let bearer = format!("Bearer {}", site.reader);
    let again = site.send("GET", "/api/items/1", &[("authorization", &bearer), ("if-none-match", &tag)], "");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let edit = |tag: &str, title: &str| {
        let body = json!({"fields": {"title": title}});
        site.write_with("PATCH", "/api/items/1", &site.writer, &[("if-match", tag)], &body)
    };
    assert_eq!(edit(&tag, "Two").status, 200);
    let lost = edit(&tag, "Three");
    lost.problem(412, "");
    assert!(lost.json()["revision"].is_string(), "{}", lost.body);
    assert_eq!(site.get("/api/items/1", &site.reader).json()["title"], "Two");
}

#[test]
fn lists_are_filtered_and_paged() {
    let site = Site::new(&["One", "Two", "Three"]);
    let list = |query: &str| site.get(&format!("/api/items{query}"), &site.reader);
    let first = list("?limit=2&sort=number").json();
    assert_eq!((&first["total"], first["items"].as_array().unwrap().len()), (&json!(3), 2));
    let cursor = first["nextCursor"].as_str().unwrap();
    let rest = list(&format!("?limit=2&sort=number&cursor={cursor}")).json();
    assert_eq!((&rest["items"][0]["title"], &rest["nextCursor"]), (&json!("Three"), &Value::Null));
    assert_eq!(list("?filter=title%20~%20Tw").json()["items"][0]["title"], "Two");
    let wrong = list("?filter=title%20~~");
    wrong.problem(400, "");
    assert!(wrong.json()["column"].is_u64(), "{}", wrong.body);
    list("?nonsense=1").problem(400, "nonsense");
    list("?limit=0").problem(400, "");
}

#[test]
fn errors_are_problem_documents() {
    let site = Site::new(&["One"]);
    for name in ["2", "99999999999999999999", "one", "%3Cscript%3E"] {
        site.get(&format!("/api/items/{name}"), &site.reader).problem(404, "");
    }
    for path in ["/api", "/api/", "/api/nothing", "/api/items/1/nothing"] {
        site.get(path, &site.reader).problem(404, "path not found");
    }
    let put = site.write("PUT", "/api/items", &site.writer, &json!({}));
    put.problem(405, "PUT");
    assert_eq!(put.header("allow"), "GET, POST, PATCH, HEAD");
    for (body, detail) in [
        (json!([]), "must be a JSON object"),
        (json!({"kind": "issue"}), "missing field `title`"),
        (json!({"kind": "cow", "title": "a"}), "unknown kind"),
        (json!({"kind": "issue", "title": "a", "colour": "red"}), "unknown field `colour`"),
        (json!({"kind": "issue", "title": "a", "fields": {"priority": "99"}}), "unknown priority"),
    ] {
        site.write("POST", "/api/items", &site.writer, &body).problem(400, detail);
    }
    let bearer = format!("Bearer {}", site.writer);
    let plain = [("authorization", bearer.as_str()), ("content-type", "text/plain")];
    site.send("POST", "/api/items", &plain, "{}").problem(415, "JSON");
    let long = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    site.send("POST", "/api/items", &long, &"x".repeat(4 * 1024 * 1024 + 1)).problem(413, "too long");
    assert_eq!(site.get("/api/items", &site.reader).json()["total"], 1);
}

/// Every documented route exists, and its reads answer a reader.
#[test]
fn every_documented_route_is_served() {
    let site = Site::new(&["One"]);
    let document: Value = serde_json::to_value(web::openapi()).unwrap();
    let mut n_read = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        // Streams do not end.
        if path == "/api/events" {
            continue;
        }
        let filled = path.replace("{id}", "1").replace("{number}", "1");
        let answer = site.send("OPTIONS", &filled, &[("authorization", &format!("Bearer {}", site.reader))], "");
        assert_ne!(answer.status, 404, "{path}");
        if methods.get("get").is_some() && !filled.contains('{') {
            let answer = site.get(&filled, &site.reader);
            assert!(matches!(answer.status, 200 | 400 | 404), "{path}: {}", answer.body);
            n_read += usize::from(answer.status == 200);
        }
    }
    assert!(n_read >= 8, "{n_read}");
}

#[test]
fn an_unknown_name_is_refused_unless_the_request_insists() {
    let site = Site::new(&["One"]);
    let patch = |body: Value| site.write("PATCH", "/api/items/1", &site.writer, &body);
    patch(json!({"fields": {"assignee": "nobody"}})).problem(404, "person not found: `nobody`");
    assert_eq!(patch(json!({"fields": {"assignee": "nobody"}, "create": true})).status, 200);
    assert_eq!(patch(json!({"fields": {"assignee": "grace@example.com"}})).status, 200);
    site.write("POST", "/api/labels", &site.writer, &json!({"name": "backend"}));
    let refused = patch(json!({"addLabels": ["backnd"]}));
    assert_eq!(refused.json()["hint"], "did you mean `backend`? `create` accepts a new name");
    refused.problem(404, "label not declared: `backnd`");
    assert_eq!(patch(json!({"addLabels": ["backnd"], "create": true})).status, 200);
    let bulk = json!({"items": ["1"], "fields": {"assignee": "nobdy"}});
    site.write("PATCH", "/api/items", &site.writer, &bulk).problem(404, "person not found: `nobdy`");
}

#[test]
fn labels_are_declared_with_a_color_that_cards_and_pickers_show() {
    let site = Site::new(&["One"]);
    site.write("PATCH", "/api/items/1", &site.writer, &json!({"addLabels": ["bug", "a/b"]}));
    let made = site.write("POST", "/api/labels", &site.writer, &json!({"name": "bug", "color": "rose"}));
    assert_eq!((made.status, &made.json()["color"]), (200, &json!("#d63d5c")), "{}", made.body);
    site.write("POST", "/api/labels", &site.writer, &json!({"name": "a/b", "about": "Of two parts"}));
    let labels = site.get("/api/labels", &site.reader).json();
    assert_eq!(
        labels[0],
        json!({"name": "a/b", "color": null, "about": "Of two parts", "declared": true, "nItems": 1})
    );
    assert_eq!(site.get("/api/choices", &site.reader).json()["labels"][1]["hue"], "rose");
    let page = site.get("/all", &site.reader).body;
    let labels: Vec<&str> =
        page.split("<span class=\"label ").skip(1).filter_map(|rest| rest.split("</span>").next()).collect();
    insta::assert_snapshot!(labels.join("\n"), @r#"
    h-none"><span>a/b
    h-rose"><span>bug
    "#);
    let removed = site.write("DELETE", "/api/labels/a%2Fb", &site.writer, &Value::Null);
    assert_eq!((removed.status, &removed.json()["declared"]), (200, &json!(false)), "{}", removed.body);
    site.write("DELETE", "/api/labels/a%2Fb", &site.writer, &Value::Null).problem(404, "not declared");
    site.write("POST", "/api/labels", &site.reader, &json!({"name": "x"})).problem(403, "read");
}

#[test]
fn a_view_is_saved_renamed_removed_and_saved_again() {
    let site = Site::new(&["One"]);
    let save = |body: Value| site.write("POST", "/api/views", &site.writer, &body);
    let view = json!({"name": "Hot", "filter": "priority >= high", "layout": "board", "group": "epic", "sort": ["priority:desc"]});
    assert_eq!(save(view).status, 200);
    let saved = site.get("/api/views", &site.reader).json()[0].clone();
    assert_eq!((&saved["layout"], &saved["group"], &saved["all"]), (&json!("board"), &json!("epic"), &json!(false)));
    let renamed = site.write("PATCH", "/api/views/hot", &site.writer, &json!({"name": "Hot & new?"}));
    assert_eq!(renamed.json()["name"], "Hot & new?", "{}", renamed.body);
    assert_eq!(site.get("/view/Hot", &site.reader).status, 404);
    let opened = site.get("/view/Hot%20%26%20new%3F", &site.reader);
    insta::assert_snapshot!(opened.header("location"), @"/all?filter=priority%20%3E%3D%20high&group=epic&sort=priority&view=Hot%20%26%20new%3F");
    assert_eq!(opened.status, 303);
    let removed = site.write("DELETE", "/api/views/hot%20%26%20new%3F", &site.writer, &Value::Null);
    assert_eq!(removed.status, 200, "{}", removed.body);
    assert_eq!(site.get("/api/views", &site.reader).json(), json!([]));
    // What a read returned is accepted as it is, so a client can undo.
    assert_eq!(save(saved.clone()).json(), saved);
}

#[test]
fn invalid_view_is_refused() {
    let site = Site::new(&["One"]);
    for (body, detail) in [
        (json!({"filter": "a == b"}), "missing field `name`"),
        (json!({"name": "a/b"}), "invalid name `a/b`"),
        (json!({"name": "Hot", "layout": "calendar"}), "unknown variant `calendar`"),
        (json!({"name": "Hot", "filter": "stauts == open"}), "unknown field `stauts`"),
        (json!({"name": "Hot", "colour": "red"}), "unknown field `colour`"),
    ] {
        site.write("POST", "/api/views", &site.writer, &body).problem(400, detail);
    }
    let rename = |name: &str| site.write("PATCH", "/api/views/Hot", &site.writer, &json!({"name": name}));
    rename("New").problem(404, "view not found: `Hot`");
    for name in ["Hot", "Late"] {
        site.write("POST", "/api/views", &site.writer, &json!({"name": name}));
    }
    rename("late").problem(409, "there is already a view `late`");
    assert_eq!(site.get("/api/views", &site.reader).json().as_array().map(Vec::len), Some(2));
}

#[test]
fn files_are_attached_served_safely_and_removed() {
    let site = Site::new(&["One"]);
    let bearer = format!("Bearer {}", site.writer);
    let upload = |name: &str, body: &str| {
        let headers = [("authorization", bearer.as_str()), ("content-type", "image/png")];
        site.send("POST", &format!("/api/items/1/attachments?name={name}"), &headers, body)
    };
    let made = upload("page.svg", "<svg onload=alert(1)>");
    assert_eq!(made.status, 201, "{}", made.body);
    let id = made.json()["attachments"][0]["id"].as_str().unwrap().to_owned();
    let content = site.get(&format!("/api/items/1/attachments/{id}"), &site.reader);
    assert_eq!((content.status, content.body.as_str()), (200, "<svg onload=alert(1)>"));
    assert_eq!(content.header("content-type"), "application/octet-stream", "the type of the upload does not count");
    assert_eq!(content.header("content-disposition"), "attachment; filename*=UTF-8''page.svg");
    assert_eq!(content.header("content-security-policy"), "default-src 'none'; sandbox");
    assert_eq!(content.header("x-content-type-options"), "nosniff");
    let image = upload("a%20b.png", "GIF89a");
    assert_eq!(image.json()["attachments"][1]["type"], "image/gif", "{}", image.body);
    let shown = site.get("/api/items/1/attachments/a%20b.png", &site.reader);
    assert_eq!(
        (shown.header("content-type"), shown.header("content-disposition")),
        ("image/gif", "inline; filename*=UTF-8''a%20b.png")
    );
    let page = site.get("/item/1", &site.reader).body;
    insta::assert_snapshot!(testkit::tags_with(&page, &format!("/attachments/{id}")), @r#"<a href="/api/items/<id>/attachments/<id>" title="page.svg" download="page.svg">"#);
    site.write("DELETE", &format!("/api/items/1/attachments/{id}"), &site.reader, &Value::Null).problem(403, "read");
    assert_eq!(site.write("DELETE", &format!("/api/items/1/attachments/{id}"), &site.writer, &Value::Null).status, 200);
    site.get(&format!("/api/items/1/attachments/{id}"), &site.reader).problem(404, "no attachment");
    assert_eq!(upload("x", &"x".repeat(10 * 1024 * 1024 + 1)).status, 413);
    assert_eq!(upload("x", &"x".repeat(5 * 1024 * 1024)).status, 201);
}

#[test]
fn pages_are_compressed_for_clients_that_accept_it() {
    let titles: Vec<String> = (0..200).map(|n| format!("Item {n} of many")).collect();
    let site = Site::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let bearer = format!("Bearer {}", site.reader);
    let get = |path: &str, accept: &str| {
        site.send_raw("GET", path, &[("authorization", &bearer), ("accept-encoding", accept)], "")
    };
    let (plain, headers) = get("/all", "identity");
    let (small, compressed) = get("/all", "gzip, br");
    assert!(headers.get("content-encoding").is_none() && headers.get("vary").is_some());
    assert_eq!(compressed["content-encoding"], "gzip");
    assert_eq!(compressed["content-length"], small.len().to_string().as_str());
    assert!(small.len() * 5 < plain.len(), "{} of {}", small.len(), plain.len());
    let (_, item) = get("/api/items/1", "gzip");
    assert!(item.get("content-encoding").is_none(), "a strong tag names exact bytes");
}
