//! The bridge to Taiga: what it pulls and pushes, and what it leaves unchanged.

mod clones;
mod conflicts;
mod cut_off;
mod order;
mod planning;
pub(crate) mod random;
mod settle;
mod silent;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use app::ChangeSet;
use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, ErrorKind, Project};
use jiff::Timestamp;
use model::item::ItemKind;
use serde_json::{Value, json};
use taiga::{Client, Clock, Credentials, Secret, ServerUrl, Settings};
use testkit::taiga::{FakeTaiga, ItemKind as There};
use tracker::bridge::{BridgeProgress, PullOptions, PushOptions, Target};
use tracker::view::BridgeView;

use crate::harness::{TestProject, by_name, ids, new_item, parsed};

/// A clock whose sleeps take no time.
#[derive(Debug)]
struct Impatient;

impl Clock for Impatient {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn time_of_day(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn sleep(&self, _: Duration) {}
}

/// A connection to one project of the fake Taiga.
struct Way<'a> {
    fake: &'a FakeTaiga,
    client: Client,
    server: ServerUrl,
    project: u64,
}

impl<'a> Way<'a> {
    fn to(fake: &'a FakeTaiga, user: &str, project: u64) -> Self {
        let server: ServerUrl = fake.url().parse().unwrap();
        let credentials = Credentials::Bearer(Secret::new(fake.log_in(user).access));
        let client = Client::with_clock(&Settings::new(server.clone()), credentials, Arc::new(Impatient)).unwrap();
        Self { fake, client, server, project }
    }

    fn target(&self) -> Target {
        Target { client: self.client.clone(), server: self.server.clone(), project: self.project }
    }

    fn try_pull(&self, project: &mut Project) -> Result<BridgeView, Error> {
        tracker::bridge::pull(project, &self.target(), &PullOptions::default(), &mut |_| {})
    }

    fn try_push(&self, project: &mut Project) -> Result<BridgeView, Error> {
        tracker::bridge::push(project, &self.target(), &PushOptions::default(), &mut |_| {})
    }

    #[track_caller]
    fn pull(&self, project: &mut Project) -> BridgeView {
        self.try_pull(project).unwrap()
    }

    #[track_caller]
    fn push(&self, project: &mut Project) -> BridgeView {
        self.try_push(project).unwrap()
    }

    /// Pushes and pulls until neither changes anything, and returns the last pull's report.
    #[track_caller]
    fn settle(&self, project: &mut Project) -> BridgeView {
        for _ in 0..6 {
            let (pushed, pulled) = (self.push(project), self.pull(project));
            if is_quiet(&pushed) && is_quiet(&pulled) {
                return pulled;
            }
        }
        panic!("the two sides do not come to rest");
    }

    /// Asserts that a pull and a push change nothing on either side.
    #[track_caller]
    fn assert_at_rest(&self, test: &mut TestProject) {
        let before = test.tip();
        self.fake.forget_requests();
        let (pulled, pushed) = (self.pull(&mut test.project), self.push(&mut test.project));
        assert!(is_quiet(&pulled) && is_quiet(&pushed), "{pulled:#?} {pushed:#?}");
        assert_eq!(test.tip(), before, "something was written here");
        let writes: Vec<String> = self.writes();
        assert!(writes.is_empty(), "something was written there: {writes:?}");
    }

    fn writes(&self) -> Vec<String> {
        let requests = self.fake.requests();
        let writes = requests.iter().filter(|request| request.method != "GET");
        writes.map(|request| format!("{} {}", request.method, request.path)).collect()
    }

    fn n_items(&self) -> usize {
        There::ALL.into_iter().map(|kind| self.fake.items(kind, self.project).len()).sum()
    }
}

fn is_quiet(view: &BridgeView) -> bool {
    view.created.is_empty() && view.changed.is_empty() && view.deleted.is_empty() && view.adopted.is_empty()
}

/// Returns all bridged items that are not deleted.
fn everything(project: &Project) -> Vec<ItemView> {
    let options = ListOptions { all: true, ..ListOptions::default() };
    project.list(&options).unwrap().items
}

fn edit(project: &mut Project, id: &str, fields: &[(&str, &str)]) {
    project.edit(&ids(&[id]), &ChangeSet { fields: parsed(fields), ..ChangeSet::default() }).unwrap();
}

/// Returns both sides of an item in comparable form.
fn both(project: &Project, fake: &FakeTaiga, kind: There, id: u64) -> (Value, Value) {
    let here = linked(project, kind, id).unwrap_or_else(|| panic!("{kind:?} {id} is not here"));
    compared(&here, &fake.item(kind, id).unwrap())
}

fn compared(here: &ItemView, there: &Value) -> (Value, Value) {
    // Closed statuses compare equal, and so do those of unstarted work, whatever their names.
    let plain = |name: &str, is_closed: bool| match name.to_lowercase().replace([' ', '-'], "_") {
        _ if is_closed => "closed".to_owned(),
        name if name == "backlog" => "new".to_owned(),
        name => name,
    };
    let tags: BTreeSet<&str> = there["tags"].as_array().unwrap().iter().filter_map(|tag| tag[0].as_str()).collect();
    let labels: BTreeSet<String> = here.labels.iter().map(|label| label.to_lowercase()).collect();
    let status = &there["status_extra_info"];
    let tags: BTreeSet<&str> = tags.into_iter().filter(|tag| !tag.starts_with("priority:")).collect();
    let blocked = |is: bool, note: &str| if is { json!(note) } else { Value::Null };
    let local = json!({
        "subject": here.title, "description": here.description, "status": plain(&here.status, here.state.name() == "closed"), "tags": labels,
        "due": here.due, "blocked": blocked(here.blocked.is, here.blocked.reason.as_deref().unwrap_or_default()),
        "comments": here.comment_count,
    });
    let remote = json!({
        "subject": there["subject"], "description": there["description"],
        "status": plain(status["name"].as_str().unwrap(), status["is_closed"] == true), "tags": tags,
        "due": there.get("due_date"),
        "blocked": blocked(there["is_blocked"] == true, there["blocked_note"].as_str().unwrap()),
        "comments": there["total_comments"].as_u64().unwrap_or(0),
    });
    (local, remote)
}

#[track_caller]
fn assert_same(project: &Project, fake: &FakeTaiga, kind: There, id: u64) {
    let (here, there) = both(project, fake, kind, id);
    assert_eq!(here, there, "{kind:?} {id}");
}

/// Finds the local item of a remote one; fails if there are two.
fn linked(project: &Project, kind: There, id: u64) -> Option<ItemView> {
    let name = ["epic", "story", "task", "issue"][kind as usize];
    let is_it = |item: &ItemView| {
        item.extra.get("taiga").is_some_and(|link| link["kind"] == name && link["id"] == id && link["gone"] != true)
    };
    let mut found = everything(project).into_iter().filter(is_it);
    let first = found.next();
    assert!(found.next().is_none(), "{kind:?} {id} is here twice");
    first.map(|item| project.show(&by_name(&item.id)).unwrap())
}

#[test]
fn a_pull_brings_all_there_is_and_a_second_one_nothing() {
    let fake = FakeTaiga::start();
    fake.edit("bob", There::Story, 1, &json!({"comment": "Seen on site", "tags": ["Dock", "priority:high"]}));
    fake.edit("alice", There::Issue, 3, &json!({"is_blocked": true, "blocked_note": "no key", "assigned_to": 7}));
    let way = Way::to(&fake, "alice", 1);
    let mut test = TestProject::new();
    let report = way.pull(&mut test.project);
    assert_eq!(report.created.len(), 133 + 4, "133 items and 4 sprints");
    assert!(report.conflicts.is_empty() && report.left.is_empty(), "{report:#?}");
    for kind in There::ALL {
        for item in fake.items(kind, 1) {
            assert_same(&test.project, &fake, kind, item["id"].as_u64().unwrap());
        }
    }
    let story = linked(&test.project, There::Story, 1).unwrap();
    let there = fake.item(There::Story, 1).unwrap();
    assert_eq!(json!(story.number), there["ref"], "numbers are the same on both sides");
    assert_eq!((story.priority, story.labels.as_slice()), (7, &["dock".to_owned()][..]));
    let epic = linked(&test.project, There::Epic, 1).unwrap();
    assert_eq!(story.parent.as_ref().unwrap().id, epic.id);
    assert_eq!(json!(story.created.to_string()), there["created_date"]);
    insta::assert_snapshot!(story.author, @"Alice Moreau <alice@example.com>");
    let comment = &story.comments.unwrap()[0];
    insta::assert_snapshot!(format!("{}: {}", comment.author, comment.body), @"Bob Tanaka <bob@example.com>: Seen on site");
    let issue = linked(&test.project, There::Issue, 3).unwrap();
    insta::assert_snapshot!(issue.assignee.unwrap(), @"Bob Tanaka <bob@example.com>");
    let task = fake.items(There::Task, 1).into_iter().find(|task| task["user_story"].is_u64()).unwrap();
    let parent = linked(&test.project, There::Story, task["user_story"].as_u64().unwrap()).unwrap();
    let task = linked(&test.project, There::Task, task["id"].as_u64().unwrap()).unwrap();
    assert_eq!(task.parent.unwrap().id, parent.id);
    way.assert_at_rest(&mut test);
}

#[test]
fn changes_go_both_ways() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let ids: Vec<u64> = fake.items(There::Story, 2).iter().map(|item| item["id"].as_u64().unwrap()).collect();
    let story = |test: &TestProject, n: usize| linked(&test.project, There::Story, ids[n]).unwrap().id;
    let (first, second) = (story(&test, 0), story(&test, 1));
    edit(&mut test.project, &first, &[("title", "Renamed here"), ("status", "done"), ("priority", "9")]);
    edit(&mut test.project, &first, &[("due", "2026-12-24"), ("blocked", "strike"), ("description", "Überall")]);
    test.project.comment(&by_name(&second), "Said here", None).unwrap();
    fake.edit("alice", There::Story, ids[0], &json!({"tags": ["there"]}));
    fake.edit("alice", There::Story, ids[2], &json!({"subject": "Renamed there", "comment": "Said there"}));
    let pushed = way.push(&mut test.project);
    assert_eq!((pushed.changed.len(), pushed.conflicts.len(), pushed.left.len()), (2, 0, 0), "{pushed:#?}");
    assert_eq!(pushed.changed[0].fields, ["subject", "description", "status", "priority", "blocked", "due"]);
    let pulled = way.pull(&mut test.project);
    assert!(pulled.conflicts.is_empty(), "{pulled:#?}");
    let there = fake.item(There::Story, ids[0]).unwrap();
    assert_eq!(there["tags"], json!([["there", null], ["priority:highest", null]]));
    fake.edit("alice", There::Story, ids[0], &json!({"tags": ["there"]}));
    way.pull(&mut test.project);
    assert_eq!(test.project.show(&by_name(&first)).unwrap().priority, 0);
    for id in &ids[..3] {
        assert_same(&test.project, &fake, There::Story, *id);
    }
    way.assert_at_rest(&mut test);
}

#[test]
fn local_items_are_created_there_with_their_parents() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let make = |test: &mut TestProject, kind, title: &str, fields: &[(&str, &str)]| {
        test.project.create(&new_item(kind, title, fields)).unwrap().id
    };
    // Created before their parents.
    let task = make(&mut test, ItemKind::Task, "A task", &[]);
    let story = make(&mut test, ItemKind::Story, "A story", &[("priority", "3")]);
    let epic = make(&mut test, ItemKind::Epic, "An epic", &[("description", "Large")]);
    let issue = make(&mut test, ItemKind::Issue, "An issue", &[("severity", "critical"), ("assign", "nobody@nowhere")]);
    edit(&mut test.project, &task, &[("parent", &story)]);
    edit(&mut test.project, &story, &[("parent", &epic)]);
    test.project.comment(&by_name(&story), "From the start", None).unwrap();
    let pushed = way.push(&mut test.project);
    assert_eq!(pushed.created.len(), 4, "{pushed:#?}");
    let left: Vec<(&str, Option<&str>)> =
        pushed.left.iter().map(|left| (left.item.id.as_str(), left.field.as_deref())).collect();
    assert_eq!(left, [(issue.as_str(), Some("assignee"))]);
    let found =
        |kind: There, subject: &str| fake.items(kind, 2).into_iter().find(|item| item["subject"] == subject).unwrap();
    let (epic_there, story_there) = (found(There::Epic, "An epic"), found(There::Story, "A story"));
    assert_eq!(story_there["epics"][0]["id"], epic_there["id"]);
    assert_eq!(story_there["tags"], json!([["priority:low", null]]));
    assert_eq!(found(There::Task, "A task")["user_story"], story_there["id"]);
    assert_eq!(story_there["total_comments"], 1);
    way.pull(&mut test.project);
    assert!(test.project.show(&by_name(&epic)).unwrap().color.is_some(), "the server gave it a colour");
    assert!(test.project.show(&by_name(&issue)).unwrap().assignee.is_some(), "what cannot be said stays here");
    way.assert_at_rest(&mut test);
    assert_eq!(way.n_items(), 10);
}

#[test]
fn a_dry_run_changes_nothing_and_reports_the_same() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 2);
    let mut test = TestProject::new();
    let plan = |mut view: BridgeView| {
        view.dry_run = false;
        for item in view.created.iter_mut().map(|step| &mut step.item).chain(&mut view.adopted) {
            (item.remote_id, item.reference) = (None, None);
        }
        view
    };
    let check = |test: &mut TestProject, way: &Way<'_>, pulls: bool| {
        let before = test.tip();
        way.fake.forget_requests();
        let target = way.target();
        let dry = if pulls {
            let options = PullOptions { dry_run: true, ..PullOptions::default() };
            tracker::bridge::pull(&mut test.project, &target, &options, &mut |_| {}).unwrap()
        } else {
            let options = PushOptions { dry_run: true, ..PushOptions::default() };
            tracker::bridge::push(&mut test.project, &target, &options, &mut |_| {}).unwrap()
        };
        assert!(dry.dry_run && !is_quiet(&dry));
        assert_eq!((test.tip(), way.writes()), (before, Vec::new()), "a dry run did something");
        let done = if pulls { way.pull(&mut test.project) } else { way.push(&mut test.project) };
        assert_eq!(plan(dry), plan(done));
    };
    check(&mut test, &way, true);
    let story = everything(&test.project).into_iter().find(|item| item.kind.name() == "story").unwrap();
    let epic = test.project.create(&new_item(ItemKind::Epic, "An epic", &[])).unwrap();
    let child = test.project.create(&new_item(ItemKind::Story, "A part", &[("parent", &epic.id)])).unwrap();
    test.project.comment(&by_name(&child.id), "Hello", None).unwrap();
    test.project.comment(&by_name(&story.id), "Hello", None).unwrap();
    edit(&mut test.project, &story.id, &[("title", "Other"), ("parent", &epic.id), ("assign", "nobody@nowhere")]);
    check(&mut test, &way, false);
    let id = story.extra["taiga"]["id"].as_u64().unwrap();
    fake.edit("alice", There::Story, id, &json!({"subject": "Again", "comment": "and again"}));
    check(&mut test, &way, true);
}

#[test]
fn items_linked_to_another_project_are_left_alone() {
    let (fake, other) = (FakeTaiga::start(), FakeTaiga::start());
    let (way, elsewhere) = (Way::to(&fake, "alice", 2), Way::to(&other, "bob", 3));
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    elsewhere.pull(&mut test.project);
    assert_eq!(everything(&test.project).len(), 6 + 4);
    let first = everything(&test.project).into_iter().find(|item| item.extra["taiga"]["server"] == fake.url()).unwrap();
    edit(&mut test.project, &first.id, &[("title", "For the first server")]);
    elsewhere.assert_at_rest(&mut test);
    assert_eq!(way.push(&mut test.project).changed.len(), 1);
    // Another project on the same server.
    let big = Way::to(&fake, "alice", 1);
    assert!(is_quiet(&big.push(&mut test.project)));
}

#[test]
fn an_unreadable_project_is_not_an_empty_one() {
    let fake = FakeTaiga::start();
    let mut test = TestProject::new();
    Way::to(&fake, "alice", 2).pull(&mut test.project);
    let before = test.tip();
    let error = Way::to(&fake, "dave", 2).try_pull(&mut test.project).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(test.tip(), before);
    // Empty lists: each item is requested before it is treated as deleted.
    let way = Way::to(&fake, "alice", 2);
    let nothing = testkit::taiga::Fault::Answer(testkit::taiga::Answer::json(200, &json!([])));
    fake.fault_on("GET", "/userstories", 1, nothing);
    let report = way.pull(&mut test.project);
    assert!(report.deleted.is_empty() && everything(&test.project).len() == 6, "{report:#?}");
}

#[test]
fn read_only_user_gets_a_reason_for_each_item() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "eve", 1);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let story = linked(&test.project, There::Story, 1).unwrap();
    edit(&mut test.project, &story.id, &[("title", "Not mine to say")]);
    test.project.create(&new_item(ItemKind::Task, "Not mine to make", &[])).unwrap();
    let report = way.push(&mut test.project);
    assert_eq!((report.left.len(), report.changed.len(), report.created.len()), (2, 0, 0), "{report:#?}");
    assert_ne!(fake.item(There::Story, 1).unwrap()["subject"], "Not mine to say");
}

#[test]
fn progress_is_reported() {
    let fake = FakeTaiga::start();
    let way = Way::to(&fake, "alice", 1);
    let mut test = TestProject::new();
    let mut told: Vec<BridgeProgress> = Vec::new();
    let mut hear = |progress| told.push(progress);
    tracker::bridge::pull(&mut test.project, &way.target(), &PullOptions::default(), &mut hear).unwrap();
    let pulling: Vec<(usize, usize)> =
        told.iter().filter(|one| one.stage == "pulling").map(|one| (one.done, one.total)).collect();
    assert_eq!(pulling, [(0, 133), (50, 133), (100, 133), (133, 133)]);
}
