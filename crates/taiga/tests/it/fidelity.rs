//! The fake Taiga against the recordings: the same requests must give the same statuses and the same shapes of errors.
//!
//! Each case gets its own fake. State from earlier requests of the recording is set up first, or the case is listed
//! below with the reason.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testkit::taiga::{FakeTaiga, ItemKind, PASSWORD};
use ureq::http::Request;

/// Topics and paths that the fake does not implement, since the client does not use them.
const NOT_SERVED: &[&str] = &[
    "attachments/",
    "search/",
    "auth/apptoken-application-detail",
    "auth/apptoken-authorize",
    "auth/apptoken-validate",
    "auth/register",
    "epics/bulk-create",
    "epics/filters-data",
    "epics/related-bulk",
    "epics/related-detail",
    "history/comment-versions",
    "http/options",
    "issues/bulk-create",
    "issues/filters-data",
    "lookups/custom-attributes",
    "lookups/resolver",
    "lookups/swimlanes",
    "lookups/userstory-statuses-create",
    "lookups/userstory-statuses-detail",
    "lookups/userstory-statuses-unknown",
    "members/memberships-create",
    "members/memberships-detail",
    "members/users",
    "milestones/detail",
    "milestones/stats",
    "projects/create",
    "projects/stats",
    "projects/tags-colors",
    "tasks/bulk-create",
    "userstories/bulk",
    "userstories/create-form",
    "userstories/filters-data",
    "userstories/list-lazy-pagination-too-far",
    "userstories/put",
    "userstories/upvote",
    "userstories/voters",
    "userstories/watchers",
];

/// Cases whose response depends on earlier requests; they have their own tests.
const DEPENDENT: &[&str] = &[
    "auth/refresh-reused",
    "auth/old-access-token-after-refresh",
    "auth/bearer-expired",
    "throttle/",
    "history/edit-comment",
    "history/delete-comment",
    "history/undelete-comment",
    "patch-stale",
    "patch-future-version",
    "patch-false-conflict",
    "epics/delete-again",
    "epics/related-duplicate",
    "epics/related-delete",
    "tasks/detail-after-story-delete",
    "tasks/detail-deleted",
    "issues/delete-again",
    "tasks/delete-again",
    "userstories/delete-again",
];

#[test]
fn same_request_has_the_same_answer() {
    let untouched = FakeTaiga::start();
    let agent = agent();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in cases() {
        let name = case["case"].as_str().unwrap();
        let is_left_out = |list: &[&str]| list.iter().any(|part| name.starts_with(part) || name.contains(part));
        if is_left_out(NOT_SERVED) || is_left_out(DEPENDENT) {
            continue;
        }
        compared += 1;
        let is_read = case["request"]["method"] == "GET" && !name.starts_with("blocked/");
        let own = (!is_read).then(|| prepared(name));
        let (status, body) = ask(&agent, own.as_ref().unwrap_or(&untouched), &case);
        let recorded = &case["response"];
        if recorded["status"] != status || shape(&recorded["body"], status) != shape(&body, status) {
            wrong.push(format!(
                "{name}: {status} {}, recorded {} {}",
                short(&body),
                recorded["status"],
                short(&recorded["body"])
            ));
        }
    }
    assert!(compared > 250, "only {compared} cases were compared");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

fn cases() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // The second series was recorded from another database; it is covered in `silent`.
    let is_first = |path: &std::path::PathBuf| path.file_stem().is_some_and(|stem| stem != "second");
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl") && is_first(path));
    let read =
        |path| fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    files.flat_map(|path| -> Vec<Value> { read(path) }).collect()
}

/// A fake with the items that the recording had at that point.
fn prepared(name: &str) -> FakeTaiga {
    let fake = FakeTaiga::start();
    fake.add_items(ItemKind::Epic, 1, 1);
    fake.add_items(ItemKind::Story, 1, 14);
    fake.add_items(ItemKind::Task, 1, 2);
    fake.add_items(ItemKind::Issue, 1, 1);
    match name {
        name if name.starts_with("blocked/blocked") => fake.block_project(2),
        name if name.starts_with("blocked/archived") => fake.archive_project(2),
        _ => {}
    }
    fake
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false).allow_non_standard_methods(true).proxy(None);
    config.build().into()
}

fn ask(agent: &ureq::Agent, fake: &FakeTaiga, case: &Value) -> (u16, Value) {
    let request = &case["request"];
    let address = format!("{}{}", fake.url(), request["path"].as_str().unwrap());
    let mut builder = Request::builder().method(request["method"].as_str().unwrap()).uri(address);
    for (header, value) in request["headers"].as_object().into_iter().flatten() {
        let value = value.as_str().unwrap();
        let value = if header == "Authorization" { authorization(fake, case, value) } else { value.to_owned() };
        builder = builder.header(header, value);
    }
    let body = body(fake, case);
    let has_type = request["headers"]
        .as_object()
        .is_some_and(|headers| headers.keys().any(|key| key.eq_ignore_ascii_case("content-type")));
    let mut response = match body {
        Some(body) if has_type => agent.run(builder.body(body).unwrap()),
        Some(body) => agent.run(builder.header("content-type", "application/json").body(body).unwrap()),
        None => agent.run(builder.body(()).unwrap()),
    }
    .unwrap();
    let text = response.body_mut().read_to_string().unwrap();
    let body = serde_json::from_str(&text).unwrap_or(if text.is_empty() { Value::Null } else { json!(text) });
    (response.status().as_u16(), body)
}

/// A token of the fake in place of the recorded one.
fn authorization(fake: &FakeTaiga, case: &Value, recorded: &str) -> String {
    let user = case["as"].as_str().unwrap().split([' ', ',']).next().unwrap();
    match (user, recorded) {
        ("bad", "Bearer TOKEN") if case["case"] == "auth/refresh-token-as-bearer" => {
            format!("Bearer {}", fake.log_in("alice").refresh)
        }
        ("bad", _) if case["case"] == "auth/bearer-two-words" => "Bearer one two".to_owned(),
        ("alice" | "bob" | "carol" | "dave" | "eve", "Bearer TOKEN") => format!("Bearer {}", fake.log_in(user).access),
        ("superuser", "Bearer TOKEN") => format!("Bearer {}", fake.log_in("admin").access),
        ("alice", "Application TOKEN") => format!("Application {}", fake.application_token("alice")),
        _ => recorded.to_owned(),
    }
}

/// The body with tokens, password and version of the fake.
fn body(fake: &FakeTaiga, case: &Value) -> Option<Vec<u8>> {
    let mut body = case["request"]["body"].clone();
    if let Value::String(text) = &body {
        return Some(text.clone().into_bytes());
    }
    if body["password"].is_string() && !case["case"].as_str().unwrap().contains("wrong") {
        body["password"] = json!(PASSWORD);
    }
    let name = case["case"].as_str().unwrap();
    if ["auth/refresh-ok", "auth/refresh-after-access-expiry"].contains(&name) {
        body["refresh"] = json!(fake.log_in("alice").refresh);
    }
    if body["version"].is_u64() && body["version"] != 0 && case["request"]["method"] == "PATCH" {
        body["version"] = json!(1);
    }
    (!body.is_null()).then(|| body.to_string().into_bytes())
}

/// What must be equal: for errors the fields and whether they are lists or texts; otherwise only list or object.
fn shape(body: &Value, status: u16) -> String {
    match body {
        Value::Object(fields) if status >= 400 => {
            let mut fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}:{}", kind(value))).collect();
            fields.sort();
            fields.join(" ")
        }
        other => kind(other).to_owned(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "flag",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

fn short(body: &Value) -> String {
    body.to_string().chars().take(160).collect()
}
