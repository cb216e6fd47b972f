//! The order of cards syncs in both directions; nothing is sent for a card that was not moved here.

use std::collections::BTreeMap;

use app::Project;
use app::verb::{ListOptions, MoveTo};
use serde_json::{Value, json};
use testkit::Random;
use testkit::taiga::{FakeTaiga, ItemKind as There};
use tracker::bridge::{PullOptions, PushOptions};

use super::silent::pulled;
use super::{Way, linked};
use crate::harness::{TestProject, by_name, ids, texts};

/// Returns the remote ids of all items of a kind, in local order.
fn here(project: &Project, kind: There) -> Vec<u64> {
    let word = match kind {
        There::Epic => "epic",
        There::Story => "story",
        There::Task => "task",
        There::Issue => "issue",
    };
    let options = ListOptions { all: true, sort: texts(&["rank"]), ..ListOptions::default() };
    let items = project.list(&options).unwrap().items.into_iter().filter(|item| item.kind.name() == word);
    items.filter_map(|item| item.extra["taiga"]["id"].as_u64()).collect()
}

/// Returns the remote ids sorted by an order number, grouped by list.
fn there(fake: &FakeTaiga, kind: There, number: &str, list: &str) -> BTreeMap<String, Vec<u64>> {
    let mut items = fake.items(kind, 1);
    items.sort_by_key(|item| (item[number].as_i64(), item["id"].as_u64()));
    let mut lists: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for item in items {
        lists.entry(item[list].to_string()).or_default().push(item["id"].as_u64().unwrap());
    }
    lists
}

/// Asserts that the cards of each remote list have the same order here.
#[track_caller]
fn assert_same(test: &TestProject, kind: There, lists: &BTreeMap<String, Vec<u64>>) {
    let order = here(&test.project, kind);
    for (list, cards) in lists {
        let own: Vec<u64> = order.iter().copied().filter(|card| cards.contains(card)).collect();
        assert_eq!(own, *cards, "list {list}");
    }
}

fn planning(fake: &FakeTaiga) -> BTreeMap<String, Vec<u64>> {
    let mut lists = there(fake, There::Story, "sprint_order", "milestone");
    let backlog = there(fake, There::Story, "backlog_order", "milestone").remove("null");
    lists.insert("null".to_owned(), backlog.unwrap_or_default());
    lists
}

fn drag(fake: &FakeTaiga, path: &str, body: Value) {
    let mut body = body;
    body["project_id"] = json!(1);
    fake.call("bob", "POST", path, &body);
}

const BACKLOG: &str = "/userstories/bulk_update_backlog_order";
const KANBAN: &str = "/userstories/bulk_update_kanban_order";

fn local(test: &TestProject, kind: There, id: u64) -> String {
    linked(&test.project, kind, id).unwrap().id
}

fn move_here(test: &mut TestProject, kind: There, id: u64, after: Option<u64>) {
    let to = after.map_or(MoveTo::Top, |after| MoveTo::After(by_name(local(test, kind, after))));
    let id = local(test, kind, id);
    test.project.move_item(&by_name(&id), &to).unwrap();
}

#[test]
fn first_pull_brings_the_order_of_the_backlog() {
    let fake = FakeTaiga::start();
    drag(&fake, BACKLOG, json!({"bulk_userstories": [9, 7], "after_userstory_id": 3}));
    drag(&fake, BACKLOG, json!({"bulk_userstories": [12]}));
    let (way, mut test) = pulled(&fake);
    assert_same(&test, There::Story, &planning(&fake));
    way.assert_at_rest(&mut test);
}

#[test]
fn cards_dragged_there_move_here_and_nothing_is_sent_back() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    let updated = linked(&test.project, There::Story, 8).unwrap().updated;
    drag(&fake, BACKLOG, json!({"bulk_userstories": [8], "after_userstory_id": 4}));
    let report = way.pull(&mut test.project);
    let changed: Vec<_> = report.changed.iter().map(|step| (step.item.remote_id, step.fields.as_slice())).collect();
    assert_eq!(changed, [(Some(8), ["order".to_owned()].as_slice())], "only the dragged card is told");
    assert_same(&test, There::Story, &planning(&fake));
    assert_eq!(linked(&test.project, There::Story, 8).unwrap().updated, updated, "a drag is no change by date");
    way.assert_at_rest(&mut test);
    // On the kanban board, within one column and into another.
    drag(&fake, KANBAN, json!({"bulk_userstories": [11], "status_id": 1, "after_userstory_id": 7}));
    drag(&fake, KANBAN, json!({"bulk_userstories": [10], "status_id": 2, "before_userstory_id": 3}));
    // Into a sprint, and to its top.
    drag(&fake, BACKLOG, json!({"bulk_userstories": [51], "milestone_id": 1}));
    way.pull(&mut test.project);
    let order = here(&test.project, There::Story);
    let place = |card: u64| order.iter().position(|one| *one == card).unwrap();
    assert_eq!((place(11), place(10) + 1), (place(7) + 1, place(3)), "{order:?}");
    assert!(place(51) < place(2), "{order:?}");
    assert_eq!(way.writes(), Vec::<String>::new());
    way.assert_at_rest(&mut test);
}

#[test]
fn tasks_and_epics_have_an_order_too() {
    let fake = FakeTaiga::start();
    let tasks = fake.add_items(There::Task, 1, 3);
    for task in &tasks {
        fake.edit("alice", There::Task, *task, &json!({"user_story": 5}));
    }
    let epics: Vec<u64> = fake.items(There::Epic, 1).iter().map(|epic| epic["id"].as_u64().unwrap()).collect();
    let (way, mut test) = pulled(&fake);
    let lists =
        || (there(&fake, There::Task, "us_order", "user_story"), there(&fake, There::Epic, "epics_order", "project"));
    let assert_all = |test: &TestProject| {
        let (mut tasks, epics) = lists();
        tasks.remove("null");
        assert_same(test, There::Task, &tasks);
        assert_same(test, There::Epic, &epics);
    };
    assert_all(&test);
    move_here(&mut test, There::Task, tasks[2], None);
    move_here(&mut test, There::Epic, epics[0], Some(epics[2]));
    let pushed = way.push(&mut test.project);
    assert_eq!(pushed.changed.len(), 2, "{pushed:#?}");
    assert_all(&test);
    assert_eq!(lists().0["5"], [tasks[2], tasks[0], tasks[1]]);
    way.settle(&mut test.project);
    way.assert_at_rest(&mut test);
    let order = json!([{"task_id": tasks[1], "order": 1}]);
    drag(&fake, "/tasks/bulk_update_us_order", json!({"us_id": 5, "bulk_tasks": order}));
    fake.edit("alice", There::Epic, epics[1], &json!({"epics_order": 1}));
    way.pull(&mut test.project);
    assert_all(&test);
    assert_eq!(lists().0["5"][0], tasks[1]);
    way.assert_at_rest(&mut test);
}

#[test]
fn card_moved_here_moves_there_in_one_call_for_each_list() {
    let fake = FakeTaiga::start();
    let (way, mut test) = pulled(&fake);
    move_here(&mut test, There::Story, 9, Some(1));
    let preview = PushOptions { dry_run: true, ..PushOptions::default() };
    let told = tracker::bridge::push(&mut test.project, &way.target(), &preview, &mut |_| {}).unwrap();
    assert_eq!((told.changed.len(), way.writes().len()), (1, 0), "{told:#?}");
    let pushed = way.push(&mut test.project);
    assert_eq!(pushed.changed[0].fields, ["order"], "{pushed:#?}");
    let paths = way.writes();
    assert_eq!(paths.len(), 2, "{paths:?}");
    assert_same(&test, There::Story, &planning(&fake));
    way.assert_at_rest(&mut test);
    // A story created here, between others.
    let new = test.create(model::item::ItemKind::Story, "New");
    let to = MoveTo::After(by_name(local(&test, There::Story, 1)));
    test.project.move_item(&by_name(&new.id), &to).unwrap();
    way.push(&mut test.project);
    way.settle(&mut test.project);
    let id = test.show(&new.id).extra["taiga"]["id"].as_u64().unwrap();
    let backlog = planning(&fake).remove("null").unwrap();
    let place = backlog.iter().position(|card| *card == id).unwrap();
    assert_eq!(backlog[place - 1], 1, "{backlog:?}");
    assert_same(&test, There::Story, &planning(&fake));
    way.assert_at_rest(&mut test);
}

#[test]
fn card_that_both_sides_moved_is_a_conflict_until_it_is_settled() {
    for takes_local in [true, false] {
        let fake = FakeTaiga::start();
        let (way, mut test) = pulled(&fake);
        move_here(&mut test, There::Story, 9, Some(1));
        drag(&fake, BACKLOG, json!({"bulk_userstories": [9], "after_userstory_id": 11}));
        for _ in 0..2 {
            for report in [way.pull(&mut test.project), way.push(&mut test.project)] {
                let [conflict] = report.conflicts.as_slice() else { panic!("{report:#?}") };
                assert_eq!((conflict.item.remote_id, conflict.fields[0].field.as_str()), (Some(9), "order"));
                assert!(conflict.fields[0].local.as_ref().unwrap().starts_with("after #"), "{conflict:#?}");
            }
        }
        assert_eq!(way.writes(), Vec::<String>::new());
        let name = ids(&[&local(&test, There::Story, 9)]);
        if takes_local {
            let options = PushOptions { take_local: name, ..PushOptions::default() };
            tracker::bridge::push(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap();
        } else {
            let options = PullOptions { take_remote: name, ..PullOptions::default() };
            tracker::bridge::pull(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap();
        }
        let report = way.settle(&mut test.project);
        assert!(report.conflicts.is_empty(), "{report:#?}");
        assert_same(&test, There::Story, &planning(&fake));
        let backlog = planning(&fake).remove("null").unwrap();
        let place = |card: u64| backlog.iter().position(|one| *one == card).unwrap();
        assert_eq!(place(9), place(if takes_local { 1 } else { 11 }) + 1, "{backlog:?}");
        way.assert_at_rest(&mut test);
    }
}

#[test]
fn different_cards_moved_on_both_sides_settle_to_one_order() {
    for seed in 0..3 {
        let fake = FakeTaiga::start();
        let (way, mut test) = pulled(&fake);
        let mut random = Random::new(seed);
        for _ in 0..4 {
            let backlog = planning(&fake).remove("null").unwrap();
            let pick = |random: &mut Random, half: usize| {
                let of_half: Vec<u64> = backlog.iter().copied().filter(|card| *card % 2 == half as u64).collect();
                of_half[random.below(of_half.len())]
            };
            let (card, after) = (pick(&mut random, 0), pick(&mut random, 1));
            drag(&fake, BACKLOG, json!({"bulk_userstories": [card], "after_userstory_id": after}));
            let (card, after) = (pick(&mut random, 1), pick(&mut random, 0));
            move_here(&mut test, There::Story, card, Some(after));
            for report in [way.pull(&mut test.project), way.push(&mut test.project)] {
                for conflict in &report.conflicts {
                    let id = conflict.item.id.clone();
                    let options = PullOptions { take_remote: vec![by_name(id)], ..PullOptions::default() };
                    tracker::bridge::pull(&mut test.project, &way.target(), &options, &mut |_| {}).unwrap();
                }
            }
        }
        way.settle(&mut test.project);
        assert_same(&test, There::Story, &planning(&fake));
        way.assert_at_rest(&mut test);
    }
}

#[test]
fn reader_is_told_that_a_move_was_refused() {
    let fake = FakeTaiga::start();
    let (_, mut test) = pulled(&fake);
    let reader = Way::to(&fake, "eve", 1);
    move_here(&mut test, There::Story, 9, Some(1));
    fake.forget_requests();
    let report = reader.push(&mut test.project);
    assert!(report.left.iter().any(|left| left.refused && left.field.as_deref() == Some("order")), "{report:#?}");
}
