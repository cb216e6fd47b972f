//! The order of cards: a move puts one item at its place and moves no other.

use app::verb::{ListOptions, MoveTo};
use model::item::ItemKind;
use proptest::prelude::*;
use testkit::{Layout, TestRepository};

use crate::harness::{TestProject, by_name, cases, ids, refusal, texts};

fn before(id: &str) -> MoveTo {
    MoveTo::Before(by_name(id))
}

fn after(id: &str) -> MoveTo {
    MoveTo::After(by_name(id))
}

/// Returns the numbers of all work items in the order of cards.
fn order(project: &TestProject) -> Vec<u64> {
    let kinds = vec![ItemKind::Issue, ItemKind::Task, ItemKind::Story, ItemKind::Epic];
    let options = ListOptions { kinds, sort: texts(&["rank"]), ..ListOptions::default() };
    project.project.list(&options).unwrap().items.into_iter().map(|item| item.number).collect()
}

#[track_caller]
fn check(project: &mut TestProject, id: &str, to: &MoveTo, expect: &[u64]) {
    project.project.move_item(&by_name(id), to).unwrap();
    assert_eq!(order(project), expect, "{id} {to:?}");
}

#[test]
fn items_lie_where_they_were_moved() {
    let mut project = TestProject::with(ItemKind::Story, &["One", "Two", "Three", "Four"]);
    assert_eq!(order(&project), [1, 2, 3, 4], "items that nobody moved lie in the order of their numbers");
    check(&mut project, "4", &before("2"), &[1, 4, 2, 3]);
    check(&mut project, "1", &after("2"), &[4, 2, 1, 3]);
    check(&mut project, "3", &MoveTo::Top, &[3, 4, 2, 1]);
    check(&mut project, "4", &MoveTo::Bottom, &[3, 2, 1, 4]);
    project.create(ItemKind::Task, "Five");
    assert_eq!(order(&project), [3, 2, 1, 4, 5], "a new item comes last");
    check(&mut project, "5", &MoveTo::Top, &[5, 3, 2, 1, 4]);
    check(&mut project, "5", &after("4"), &[3, 2, 1, 4, 5]);
    let keys: Vec<String> = order(&project).iter().map(|n| project.show(&n.to_string()).rank).collect();
    assert!(keys.is_sorted(), "the shown keys sort as the cards lie: {keys:?}");
}

#[test]
fn a_move_writes_one_key_and_only_if_something_moves() {
    let mut project = TestProject::with(ItemKind::Story, &["One", "Two", "Three"]);
    for (id, to) in [("1", MoveTo::Top), ("3", MoveTo::Bottom), ("2", after("1")), ("2", before("3"))] {
        project.writes_nothing(|project| project.project.move_item(&by_name(id), &to).unwrap());
    }
    let others = ["1", "2"].map(|id| project.show(id).revision);
    project.project.move_item(&by_name("3"), &MoveTo::Top).unwrap();
    assert_eq!(["1", "2"].map(|id| project.show(id).revision), others);
}

#[test]
fn hundreds_of_moves_to_one_place_keep_the_order() {
    let mut project = TestProject::with(ItemKind::Story, &["One", "Two", "Three", "Four"]);
    for _ in 0..120 {
        check(&mut project, "3", &after("1"), &[1, 3, 2, 4]);
        check(&mut project, "2", &after("1"), &[1, 2, 3, 4]);
    }
    let longest = (1..=4).map(|n| project.show(&n.to_string()).rank.len()).max().unwrap();
    assert!(longest <= model::rank::MAX_LENGTH, "{longest}");
}

#[test]
fn invalid_moves_are_refused() {
    let mut project = TestProject::with(ItemKind::Story, &["One", "Two"]);
    project.create(ItemKind::Milestone, "Release");
    project.project.delete(&ids(&["2"]), None).unwrap();
    let mut refused = |id: &str, to: MoveTo| refusal(project.project.move_item(&by_name(id), &to));
    insta::assert_snapshot!(refused("1", before("1")), @"Invalid: story #1 `One` cannot be moved next to itself");
    insta::assert_snapshot!(refused("1", before("milestone/1")), @"
    Invalid: story #1 `One` and milestone #1 `Release` are not in one order
    hint: issues, tasks, stories and epics share one order; milestones and boards each have their own
    ");
    insta::assert_snapshot!(refused("1", after("2")), @"
    Conflict: story #2 `Two` was deleted
    hint: `cairn reopen 2` brings it back
    ");
    insta::assert_snapshot!(refused("2", MoveTo::Top), @"
    Conflict: story #2 `Two` was deleted
    hint: `cairn reopen 2` brings it back
    ");
    insta::assert_snapshot!(refused("1", after("7")), @"
    NotFound: item not found: `7`
    hint: `cairn list --all --deleted` shows every item
    ");
}

/// A drag of the card at one place of the order to another place, in one of two clones; or a sync of that clone.
#[derive(Debug, Clone)]
enum Act {
    Drag { from: usize, to: usize },
    Sync,
}

const N_CARDS: usize = 8;

fn act() -> impl Strategy<Value = (usize, Act)> {
    let drag = (0..N_CARDS, 0..N_CARDS).prop_map(|(from, to)| Act::Drag { from, to });
    (0..2_usize, prop_oneof![5 => drag, 1 => Just(Act::Sync)])
}

/// Drags a card as a person does: it lies at that place of the order which this clone shows.
fn drag(clone: &mut TestProject, from: usize, to: usize) {
    let mut shown = order(clone);
    let card = shown.remove(from);
    let place = match shown.get(to) {
        Some(next) => before(&next.to_string()),
        None => MoveTo::Bottom,
    };
    clone.project.move_item(&by_name(card.to_string()), &place).unwrap();
    shown.insert(to.min(shown.len()), card);
    assert_eq!(order(clone), shown);
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn random_drags_in_two_clones_converge_to_one_order_with_every_card_once(acts in proptest::collection::vec(act(), 1..24)) {
        let titles: Vec<String> = (0..N_CARDS).map(|n| format!("Card {n}")).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let hub = TestRepository::in_memory(Layout::BARE);
        let mut clones = [TestProject::with(ItemKind::Task, &titles), TestProject::new()];
        clones[0].sync(&hub);
        clones[1].sync(&hub);
        for (clone, act) in acts {
            match act {
                Act::Drag { from, to } => drag(&mut clones[clone], from, to),
                Act::Sync => clones[clone].sync(&hub),
            }
        }
        for clone in [0, 1, 0] {
            clones[clone].sync(&hub);
        }
        let orders = clones.each_ref().map(order);
        prop_assert_eq!(&orders[0], &orders[1]);
        let mut cards = orders[0].clone();
        cards.sort_unstable();
        prop_assert_eq!(cards, (1..=N_CARDS as u64).collect::<Vec<_>>());
        // A drag after the merge still puts a card exactly where it was dropped, also between equal ranks.
        for to in 0..N_CARDS {
            drag(&mut clones[1], N_CARDS - 1 - to, to);
        }
    }
}
