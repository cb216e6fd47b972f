//! Anything that a hostile or broken writer puts into the log is handled within limits, and gives the same result after
//! a rebuild.

use proptest::prelude::*;
use serde_json::{Value, json};
use store::git::Repository;
use store::index::{Index, ItemQuery, Row};
use testkit::{Layout, TestRepository};
use uuid::Uuid;

use crate::git_support::open;
use crate::random_log::{Line, cases, commit, fresh, line};

/// Makes the line of an operation on the item with this number.
fn on(item: u128, lamport: u64, id: u128, rest: &Value) -> Line {
    let mut op = json!({"v": 1, "id": Uuid::from_u128(id), "entity": Uuid::from_u128(item), "lamport": lamport,
        "at": "2026-03-10T00:00:00Z", "by": "Ada <ada@example.org>"});
    for (key, value) in rest.as_object().unwrap() {
        op[key] = value.clone();
    }
    Line(op.to_string().into_bytes())
}

fn rows(index: &Index) -> Vec<Row> {
    index.list(&ItemQuery { include_closed: true, include_deleted: true, ..ItemQuery::default() }).unwrap().rows
}

/// Follows the commits one by one and returns the items, after checking that a new index has the same.
#[track_caller]
fn follow(repository: &Repository, commits: &[Vec<Line>]) -> Vec<Row> {
    let mut index = Index::in_memory().unwrap();
    let mut tip = None;
    for lines in commits {
        tip = Some(commit(repository, &Vec::from_iter(tip), lines));
        index.catch_up(repository, &|| Ok(tip), &mut |_, _| {}).unwrap();
    }
    assert_eq!(index.dump().unwrap(), fresh(repository, tip).dump().unwrap());
    rows(&index)
}

#[test]
fn a_value_nested_as_deep_as_can_be_read_harms_nothing() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let repository = open(fixture.path());
    for depth in 1..140 {
        let deep = (0..depth).fold(json!("deep"), |inner, _| json!({ "in": inner }));
        let lines = vec![
            on(1, 1, 1, &json!({"kind": "create", "item": "issue", "number": 1, "fields": {"title": "Kept"}})),
            on(1, 2, 2, &json!({"kind": "set", "field": "x-deep", "value": deep})),
            on(2, 3, 3, &json!({"kind": "create", "item": "issue", "number": 2, "fields": {"x-deep": deep}})),
        ];
        let found = follow(&repository, &[lines]);
        assert_eq!(found[0].item.title, "Kept", "{depth} deep");
    }
}

#[test]
fn an_item_that_turns_out_older_moves_up_among_those_without_a_number() {
    let fixture = TestRepository::in_memory(Layout::PLAIN);
    let repository = open(fixture.path());
    let create = json!({"kind": "create", "item": "issue", "number": 1});
    let first = vec![on(1, 5, 1, &create), on(2, 6, 2, &create), on(3, 7, 3, &create)];
    let second = vec![on(3, 1, 4, &json!({"kind": "create", "item": "issue"}))];
    let numbers = |rows: Vec<Row>| rows.iter().map(|row| row.number).collect::<Vec<_>>();
    assert_eq!(numbers(follow(&repository, std::slice::from_ref(&first))), [1, 2, 3]);
    assert_eq!(numbers(follow(&repository, &[first, second])), [1, 3, 2]);
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn any_log_is_served_whole(lines in proptest::collection::vec(line(), 1..40)) {
        let fixture = TestRepository::in_memory(Layout::PLAIN);
        let repository = open(fixture.path());
        let index = fresh(&repository, Some(commit(&repository, &[], &lines)));
        let all = rows(&index);
        prop_assert_eq!(all.len(), usize::try_from(index.tallies().unwrap().iter().map(|one| one.open + one.closed + one.deleted).sum::<u64>()).unwrap());
        for row in &all {
            let ops = index.ops(row.item.id).unwrap();
            prop_assert!(ops.is_sorted_by_key(|op| op.stamp));
            assert_eq!(index.item(row.item.id).unwrap().as_ref(), Some(row));
        }
    }
}
