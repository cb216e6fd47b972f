//! The client's requests against the recorded ones for the same purpose: method, path, query and body. Taiga ignores
//! unknown names, so a misspelled one would not fail otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::civil::date;
use serde_json::{Value, json};
use taiga::dto::{
    Blocked, Change, Draft, Epic, EpicDraft, EpicPatch, Issue, IssueDraft, IssuePatch, IssueTypeId, ItemId, Kind,
    MilestoneDraft, MilestoneId, Patch, PointsId, PriorityId, ProjectId, RoleId, SeverityId, StatusId, Story,
    StoryDraft, StoryPatch, Tag, Task, TaskDraft, TaskPatch, UserId,
};
use taiga::{
    Client, Credentials, IssueFilter, ItemFilter, OrderBy, OrderField, Secret, StoryFilter, TaskFilter, TokenPair,
    Window,
};
use testkit::taiga::{FakeTaiga, PASSWORD, Request};

use crate::harness::{HARBOUR, MemoryStore, client_of, settings};

/// What must be equal: method, path, query and body.
#[derive(Debug, PartialEq)]
struct Shape {
    what: String,
    query: BTreeSet<(String, String)>,
    body: Value,
}

/// Paging parameters may differ.
const OF_THE_USER: [&str; 3] = ["page", "page_size", "only_ref"];

fn recorded(case: &str) -> Shape {
    let topic = case.split('/').next().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{topic}.jsonl"));
    let lines = fs::read_to_string(file).unwrap();
    let cases = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let request = &cases.into_iter().find(|found| found["case"] == case).unwrap_or_else(|| panic!("{case}"))["request"];
    let (path, query) =
        request["path"].as_str().unwrap().split_once('?').unwrap_or((request["path"].as_str().unwrap(), ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.replace("%20", " ")));
    let what = format!("{} {path}", request["method"].as_str().unwrap());
    Shape { what, query: own(pairs), body: request["body"].clone() }
}

fn sent(request: &Request) -> Shape {
    let body = if request.body.is_empty() { Value::Null } else { request.json() };
    Shape { what: format!("{} {}", request.method, request.path), query: own(request.query.clone()), body }
}

fn own(pairs: impl IntoIterator<Item = (String, String)>) -> BTreeSet<(String, String)> {
    pairs.into_iter().filter(|(name, _)| !OF_THE_USER.contains(&name.as_str())).collect()
}

/// Checks that the first request of a call is the recorded one; the response does not matter.
#[track_caller]
fn check<T>(case: &str, call: impl FnOnce(&Client) -> T) {
    let fake = FakeTaiga::start();
    let client = client_of(&fake, "alice");
    call(&client);
    let requests = fake.requests();
    let first = &requests[0];
    assert_eq!(sent(first), recorded(case), "{case}");
    assert_eq!(first.header("accept-language"), Some("en"), "{case}");
    assert_eq!(first.header("accept"), Some("application/json"), "{case}");
    let has_body = !first.body.is_empty();
    assert_eq!(first.header("content-type"), has_body.then_some("application/json"), "{case}");
}

fn window() -> Window {
    Window::new(0, 3).unwrap()
}

fn draft(subject: &str) -> Draft {
    Draft::new(HARBOUR, subject)
}

#[test]
fn logging_in_and_renewing_are_asked_for_as_recorded() {
    let fake = FakeTaiga::start();
    Client::log_in(&settings(&fake), "alice", &Secret::new(PASSWORD)).unwrap();
    let tokens = fake.log_in("alice");
    let pair = TokenPair { access: Secret::new(tokens.access), refresh: Some(Secret::new(tokens.refresh.clone())) };
    let store = MemoryStore::default();
    *store.pair.lock().unwrap() = Some(pair);
    fake.expire_access_tokens();
    Client::new(&settings(&fake), Credentials::Stored(Arc::new(store))).unwrap().me().unwrap();
    let posts: Vec<Shape> = fake.requests().iter().filter(|one| one.method == "POST").map(sent).collect();
    let cleaned = |shape: &Shape| {
        let text = shape.body.to_string().replace(PASSWORD, "PASSWORD").replace(&tokens.refresh, "TOKEN");
        (shape.what.clone(), serde_json::from_str::<Value>(&text).unwrap())
    };
    let expected = ["auth/login-ok", "auth/refresh-ok"].map(|case| cleaned(&recorded(case)));
    assert_eq!(posts.iter().map(cleaned).collect::<Vec<_>>(), expected);
}

#[test]
fn reading_is_asked_for_as_recorded() {
    check("auth/users-me", Client::me);
    check("projects/list-member", |client| client.projects_of(UserId(6), window()));
    check("projects/detail", |client| client.project(HARBOUR));
    check("projects/by-slug", |client| client.project_by_slug("harbour-logistics"));
    check("members/memberships-as-admin", |client| client.memberships(HARBOUR));
    check("lookups/epic-statuses", |client| client.statuses(Kind::Epic, HARBOUR));
    check("lookups/userstory-statuses", |client| client.statuses(Kind::Story, HARBOUR));
    check("lookups/task-statuses", |client| client.statuses(Kind::Task, HARBOUR));
    check("lookups/issue-statuses", |client| client.statuses(Kind::Issue, HARBOUR));
    check("lookups/priorities", |client| client.priorities(HARBOUR));
    check("lookups/severities", |client| client.severities(HARBOUR));
    check("lookups/issue-types", |client| client.issue_types(HARBOUR));
    check("lookups/points", |client| client.points(HARBOUR));
    check("milestones/list", |client| client.milestones(HARBOUR));
    check("epics/related-list", |client| client.stories_of(ItemId(1)));
    check("epics/list", |client| client.list_all::<Epic>(HARBOUR, &ItemFilter::default().into()));
    check("epics/detail", |client| client.get::<Epic>(ItemId(1)));
    check("epics/by-ref", |client| client.by_reference::<Epic>(HARBOUR, 1));
    check("userstories/detail", |client| client.get::<Story>(ItemId(1)));
    check("tasks/detail", |client| client.get::<Task>(ItemId(1)));
    check("issues/detail", |client| client.get::<Issue>(ItemId(1)));
    check("history/userstory-comments", |client| client.comments(Kind::Story, ItemId(1), window()));
    check("history/epic", |client| client.comments(Kind::Epic, ItemId(1), window()));
}

#[test]
fn lists_are_narrowed_as_recorded() {
    let stories =
        |case: &str, filter: StoryFilter| check(case, |client| client.list::<Story>(HARBOUR, &filter, window()));
    let core = |core: ItemFilter| StoryFilter { core, ..StoryFilter::default() };
    stories("userstories/list-page1", StoryFilter::default());
    let statuses = vec![StatusId(3), StatusId(4)];
    stories("userstories/filter-status-many", core(ItemFilter { statuses, ..ItemFilter::default() }));
    stories(
        "userstories/filter-status-closed",
        core(ItemFilter { status_is_closed: Some(true), ..ItemFilter::default() }),
    );
    stories("userstories/filter-assigned-null", core(ItemFilter { assigned_to: vec![None], ..ItemFilter::default() }));
    stories(
        "userstories/filter-assigned",
        core(ItemFilter { assigned_to: vec![Some(UserId(7))], ..ItemFilter::default() }),
    );
    stories("userstories/filter-owner", core(ItemFilter { owners: vec![UserId(7)], ..ItemFilter::default() }));
    let tags = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect();
    stories(
        "userstories/filter-tags-many",
        core(ItemFilter { tags: tags(&["Backend", "ux"]), ..ItemFilter::default() }),
    );
    stories(
        "userstories/filter-tags-exclude",
        core(ItemFilter { without_tags: tags(&["backend"]), ..ItemFilter::default() }),
    );
    stories(
        "userstories/filter-q-two-words",
        core(ItemFilter { words: Some("book berth".into()), ..ItemFilter::default() }),
    );
    stories("userstories/filter-epic", StoryFilter { epics: vec![Some(ItemId(1))], ..StoryFilter::default() });
    stories("userstories/filter-epic-null", StoryFilter { epics: vec![None], ..StoryFilter::default() });
    stories(
        "userstories/filter-milestone",
        StoryFilter { milestones: vec![Some(MilestoneId(1))], ..StoryFilter::default() },
    );
    stories("userstories/filter-is-closed", StoryFilter { is_closed: Some(true), ..StoryFilter::default() });
    let order = |field, descending| Some(OrderBy { field, descending });
    stories(
        "userstories/filter-order-desc",
        StoryFilter { order: order(OrderField::Created, true), ..StoryFilter::default() },
    );
    let tasks = |case: &str, filter: TaskFilter| check(case, |client| client.list::<Task>(HARBOUR, &filter, window()));
    tasks("tasks/list-of-story", TaskFilter { stories: vec![Some(ItemId(1))], ..TaskFilter::default() });
    tasks("tasks/list-no-story", TaskFilter { stories: vec![None], ..TaskFilter::default() });
    tasks("tasks/filter-order", TaskFilter { order: order(OrderField::Modified, true), ..TaskFilter::default() });
    let combined = IssueFilter {
        core: ItemFilter { status_is_closed: Some(false), ..ItemFilter::default() },
        types: vec![IssueTypeId(1)],
        priorities: vec![PriorityId(3), PriorityId(5)],
        ..IssueFilter::default()
    };
    check("issues/filter-combo", |client| client.list::<Issue>(HARBOUR, &combined, window()));
    let severe = IssueFilter { severities: vec![SeverityId(5)], ..IssueFilter::default() };
    check("issues/filter-severity", |client| client.list::<Issue>(HARBOUR, &severe, window()));
}

#[test]
fn making_is_asked_for_as_recorded() {
    check("epics/create-minimal", |client| client.create::<Epic>(&draft("Minimal epic").into()));
    check("userstories/create-minimal", |client| client.create::<Story>(&draft("Minimal story").into()));
    let task = TaskDraft { user_story: Some(ItemId(1)), ..draft("Minimal task").into() };
    check("tasks/create-minimal", |client| client.create::<Task>(&task));
    check("issues/create-minimal", |client| client.create::<Issue>(&draft("Minimal issue").into()));
    check("epics/related-create", |client| client.link_story(ItemId(7), ItemId(4)));
    let sprint = MilestoneDraft {
        project: HARBOUR,
        name: "Sprint 9".into(),
        estimated_start: date(2027, 1, 4),
        estimated_finish: date(2027, 1, 17),
    };
    check("milestones/create", |client| client.create_milestone(&sprint));
}

/// A story with every field: each must be one of the recorded fields, with a value of the same form.
#[test]
fn everything_an_item_can_begin_with_has_a_name_the_server_knows() {
    let core = Draft {
        description: Some("Some *markdown* with a [link](http://127.0.0.1:8000/) and #7".into()),
        status: Some(StatusId(2)),
        assigned_to: Some(UserId(7)),
        tags: vec![Tag::new("Alpha"), Tag { name: "beta".into(), color: Some("#123456".into()) }],
        blocked: Some(Blocked::Yes { reason: "why **not**".into() }),
        external_reference: Some(["jira".into(), "ABC-1".into()]),
        ..draft("Full story")
    };
    let story = StoryDraft {
        milestone: Some(MilestoneId(2)),
        due_date: Some(date(2026, 12, 24)),
        points: BTreeMap::from([(RoleId(1), PointsId(4)), (RoleId(4), PointsId(8))]),
        ..core.clone().into()
    };
    let known = recorded("userstories/create-full").body;
    for (field, value) in json!(story).as_object().unwrap() {
        if field == "tags" {
            assert_eq!(value.as_array().unwrap()[..], known["tags"].as_array().unwrap()[..2]);
        } else {
            assert_eq!(*value, known[field], "{field}");
        }
    }
    let names = |body: Value| body.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let issue = IssueDraft {
        priority: Some(PriorityId(3)),
        severity: Some(SeverityId(5)),
        issue_type: Some(IssueTypeId(2)),
        ..core.clone().into()
    };
    let epic = EpicDraft { color: Some("#ff0000".into()), ..core.clone().into() };
    let own = |all: Value| &names(all) - &names(json!(core));
    assert_eq!(own(json!(issue)), BTreeSet::from(["priority", "severity", "type"].map(str::to_owned)));
    assert_eq!(own(json!(epic)), BTreeSet::from(["color".to_owned()]));
    assert_eq!(json!(draft("x"))["project"], json!(ProjectId(1)));
}

#[test]
fn changing_and_deleting_are_asked_for_as_recorded() {
    let subject = |text: &str| Patch { subject: Some(text.into()), ..Patch::default() };
    let blocked = |reason: &str| Some(Blocked::Yes { reason: reason.into() });
    let tags = |tags: &[&str]| Some(tags.iter().copied().map(Tag::new).collect());
    let epic = EpicPatch {
        core: Patch { tags: tags(&["X"]), blocked: blocked("n"), ..subject("Epic renamed") },
        color: Some("#ff0000".into()),
    };
    check("epics/patch-ok", |client| client.patch::<Epic>(ItemId(7), 1, &epic));
    let task = Patch {
        status: Some(StatusId(2)),
        assigned_to: Change::Set(UserId(7)),
        tags: tags(&["T1", "t2"]),
        blocked: blocked("n"),
        ..subject("Task renamed")
    };
    check("tasks/patch-ok", |client| client.patch::<Task>(ItemId(49), 1, &task.into()));
    let free = Patch { blocked: Some(Blocked::No), ..Patch::default() };
    check("tasks/patch-unblock", |client| client.patch::<Task>(ItemId(49), 2, &free.into()));
    let alone = TaskPatch { user_story: Change::Clear, ..TaskPatch::default() };
    check("tasks/patch-story-null", |client| client.patch::<Task>(ItemId(49), 5, &alone));
    let issue = IssuePatch {
        core: Patch { status: Some(StatusId(2)), ..subject("Issue renamed") },
        priority: Some(PriorityId(3)),
        severity: Some(SeverityId(5)),
        issue_type: Some(IssueTypeId(2)),
        ..IssuePatch::default()
    };
    check("issues/patch-ok", |client| client.patch::<Issue>(ItemId(239), 1, &issue));
    let story = |case: &str, version, patch: StoryPatch| {
        check(case, |client| client.patch::<Story>(ItemId(314), version, &patch));
    };
    story("userstories/patch-ok", 2, subject("Renamed by alice").into());
    story("userstories/patch-assign-null", 10, Patch { assigned_to: Change::Clear, ..Patch::default() }.into());
    story("userstories/patch-tags-empty", 13, Patch { tags: Some(Vec::new()), ..Patch::default() }.into());
    let due = |due_date| StoryPatch { due_date, ..StoryPatch::default() };
    story("userstories/patch-due-date", 19, due(Change::Set(date(2026, 11, 20))));
    story("userstories/patch-due-date-null", 20, due(Change::Clear));
    story(
        "userstories/patch-milestone",
        21,
        StoryPatch { milestone: Change::Set(MilestoneId(1)), ..StoryPatch::default() },
    );
    let points = Some(BTreeMap::from([(RoleId(4), PointsId(7))]));
    story("userstories/patch-points", 23, StoryPatch { points, ..StoryPatch::default() });
    check("userstories/patch-comment", |client| client.add_comment(Kind::Story, ItemId(314), 18, "a comment by PATCH"));
    check("history/edit-comment", |client| {
        client.edit_comment(Kind::Story, ItemId(1), "7543768a-e12b-11f1-ac0b-000000000001", "Edited by alice")
    });
    check("epics/delete", |client| client.delete::<Epic>(ItemId(7)));
    check("tasks/delete", |client| client.delete::<Task>(ItemId(49)));
    check("issues/delete", |client| client.delete::<Issue>(ItemId(239)));
    check("epics/related-delete", |client| client.unlink_story(ItemId(7), ItemId(4)));
}
