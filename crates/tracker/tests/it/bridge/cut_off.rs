//! Runs that are interrupted at any request, throttled, or lose their token continue where they stopped, without
//! duplicates.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::view::ItemView;
use app::{ErrorKind, Project};
use model::item::ItemKind;
use serde_json::json;
use taiga::{Client, Credentials, Secret, ServerUrl, Settings, TokenPair, TokenStore, TokenStoreError};
use testkit::taiga::{FakeTaiga, Fault, ItemKind as There};
use tracker::bridge::{PullOptions, PushOptions, Target};

use super::{Way, assert_same, edit, everything};
use crate::harness::{TestProject, by_name, new_item};

/// A project with something of every kind to pull and to push.
fn busy(fake: &FakeTaiga) -> (Way<'_>, TestProject) {
    let way = Way::to(fake, "alice", 2);
    let mut test = TestProject::new();
    way.pull(&mut test.project);
    let mut stories: Vec<ItemView> = everything(&test.project);
    stories.sort_by_key(|item| item.number);
    edit(&mut test.project, &stories[0].id, &[("title", "Changed here")]);
    test.project.comment(&by_name(&stories[1].id), "Said here", None).unwrap();
    test.project.delete(&[by_name(&stories[2].id)], None).unwrap();
    let epic = test.project.create(&new_item(ItemKind::Epic, "New epic", &[])).unwrap();
    let fields = [("parent", epic.id.as_str())];
    let story = test.project.create(&new_item(ItemKind::Story, "New story", &fields)).unwrap();
    test.project.create(&new_item(ItemKind::Task, "New task", &[("parent", &story.id)])).unwrap();
    test.project.comment(&by_name(&story.id), "Said on the new one", None).unwrap();
    let there = |n: usize| stories[n].extra["taiga"]["id"].as_u64().unwrap();
    fake.edit("alice", There::Story, there(3), &json!({"subject": "Changed there", "comment": "Said there"}));
    fake.add_items(There::Issue, 2, 2);
    (way, test)
}

/// Asserts that all items of `busy` exist exactly once on both sides.
#[track_caller]
fn assert_whole(way: &Way<'_>, test: &mut TestProject, what: &str) {
    let expect = [("epic", 1), ("story", 6), ("task", 1), ("issue", 2)];
    let here: Vec<ItemView> = everything(&test.project);
    for (kind, count) in expect {
        assert_eq!(here.iter().filter(|item| item.kind.name() == kind).count(), count, "{kind} here, {what}");
    }
    let mut n_comments = BTreeMap::new();
    for (kind, (name, count)) in There::ALL.into_iter().zip(expect) {
        let there = way.fake.items(kind, 2);
        assert_eq!(there.len(), count, "{name} there, {what}");
        for item in there {
            let id = item["id"].as_u64().unwrap();
            n_comments.insert(item["subject"].as_str().unwrap().to_owned(), item["total_comments"].clone());
            assert_same(&test.project, way.fake, kind, id);
        }
    }
    assert_eq!(n_comments["New story"], 1, "{what}");
    let story = way.fake.items(There::Story, 2).into_iter().find(|item| item["subject"] == "New story").unwrap();
    assert_eq!(story["epics"].as_array().map(Vec::len), Some(1), "{what}");
    assert_eq!(way.fake.items(There::Task, 2)[0]["user_story"], story["id"], "{what}");
}

/// The run to interrupt.
#[derive(Clone, Copy)]
enum Run {
    Push,
    Pull,
}

/// Interrupts a first run at each of its requests in turn, and asserts that the following runs complete the work.
/// Returns the number of interrupted runs.
fn cut_off_everywhere(cut: &Fault, run: Run) -> usize {
    let mut n_cut = 0;
    for n in 0.. {
        let fake = FakeTaiga::start();
        let (way, mut test) = busy(&fake);
        fake.forget_requests();
        // The first `n` requests succeed; then reads fail at every attempt, and a write loses its response.
        if n > 0 {
            fake.fault_next(n, Fault::Delay(Duration::ZERO));
        }
        fake.fault_next(9, cut.clone());
        let first = match run {
            Run::Push => way.try_push(&mut test.project),
            Run::Pull => way.try_pull(&mut test.project),
        };
        let was_reached = fake.requests().len() > n;
        fake.clear_faults();
        if let Err(error) = first {
            n_cut += 1;
            assert_eq!(error.kind, ErrorKind::Unavailable, "{error:?}");
        }
        way.settle(&mut test.project);
        assert_whole(&way, &mut test, &format!("cut at request {n}"));
        if !was_reached {
            break;
        }
    }
    n_cut
}

#[test]
fn a_push_that_loses_any_answer_makes_nothing_twice() {
    let n_cut = cut_off_everywhere(&Fault::CutAfter, Run::Push);
    assert!(n_cut > 20, "only {n_cut} runs were cut off");
}

#[test]
fn a_push_that_is_cut_off_before_any_request_leaves_nothing_out() {
    let n_cut = cut_off_everywhere(&Fault::CutBefore, Run::Push);
    assert!(n_cut > 20, "only {n_cut} runs were cut off");
}

#[test]
fn a_pull_that_is_cut_off_anywhere_brings_nothing_twice() {
    let n_cut = cut_off_everywhere(&Fault::CutWithin, Run::Pull);
    assert!(n_cut > 8, "only {n_cut} runs were cut off");
}

#[test]
fn a_pause_is_waited_for_or_stops_the_work_and_is_no_harm() {
    let fake = FakeTaiga::start();
    let (mut way, mut test) = busy(&fake);
    // A real clock, and a client that leaves waiting to its caller.
    let settings = Settings { patience: Duration::ZERO, ..Settings::new(way.server.clone()) };
    way.client = Client::new(&settings, Credentials::Bearer(Secret::new(fake.log_in("alice").access))).unwrap();
    fake.fault_next(5, Fault::Delay(Duration::ZERO));
    fake.throttle_next(1, Duration::from_secs(1));
    way.pull(&mut test.project);
    fake.fault_next(8, Fault::Delay(Duration::ZERO));
    fake.throttle_next(100, Duration::from_hours(1));
    let error = way.try_push(&mut test.project).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    insta::assert_snapshot!(format!("{}\nhint: {}", testkit::redact(&error.message), error.hint.unwrap()), @"
    the server asks to wait 3600 seconds
    hint: what was done is kept; run the same command again to go on
    ");
    fake.clear_faults();
    // A new client: the old one remembers the requested pause.
    let way = Way::to(&fake, "alice", 2);
    way.settle(&mut test.project);
    assert_whole(&way, &mut test, "after a pause");
}

/// Tokens in memory.
struct Purse(Mutex<TokenPair>);

impl TokenStore for Purse {
    fn load(&self) -> Result<Option<TokenPair>, TokenStoreError> {
        Ok(Some(self.0.lock().unwrap().clone()))
    }

    fn save(&self, pair: &TokenPair) -> Result<(), TokenStoreError> {
        *self.0.lock().unwrap() = pair.clone();
        Ok(())
    }
}

#[test]
fn tokens_that_run_out_in_the_middle_are_renewed_or_stop_the_work_without_harm() {
    let fake = FakeTaiga::start();
    let (way, mut test) = busy(&fake);
    let tokens = fake.log_in("alice");
    let pair = TokenPair { access: Secret::new(tokens.access), refresh: Some(Secret::new(tokens.refresh)) };
    let server: ServerUrl = fake.url().parse().unwrap();
    let credentials = Credentials::Stored(Arc::new(Purse(Mutex::new(pair))));
    let client = Client::new(&Settings::new(server.clone()), credentials).unwrap();
    let target = Target { client, server, project: 2 };
    let push = |project: &mut Project, at: &str, run_out: &dyn Fn()| {
        let mut hear = |progress: tracker::bridge::BridgeProgress| {
            if progress.stage == at {
                run_out();
            }
        };
        tracker::bridge::push(project, &target, &PushOptions::default(), &mut hear)
    };
    let lose_all = || {
        fake.expire_access_tokens();
        fake.expire_refresh_tokens();
    };
    // The token expires at each progress report.
    tracker::bridge::pull(&mut test.project, &target, &PullOptions::default(), &mut |_| fake.expire_access_tokens())
        .unwrap();
    let error = push(&mut test.project, "pushing", &lose_all).unwrap_err();
    insta::assert_snapshot!(testkit::redact(error.hint.as_deref().unwrap()), @"log in with `cairn taiga login URL` or replace `CAIRN_TAIGA_TOKEN`, then run it again");
    assert!(!format!("{error:?}").contains("eyJ"), "a token was shown");
    let way = Way::to(&fake, "alice", way.project);
    way.settle(&mut test.project);
    assert_whole(&way, &mut test, "after losing the token");
}
