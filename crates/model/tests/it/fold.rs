//! Any order and repetition of the same operations folds to the same state.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::entity::Entity;
use model::id::{EntityId, OpId};
use model::item::Item;
use model::op::{Change, Op, Stamp};
use model::person::Person;
use proptest::prelude::{Strategy, proptest};
use proptest::sample::Index;
use serde_json::json;
use uuid::Uuid;

use crate::operations::ops;

fn entity() -> EntityId {
    EntityId::new(Uuid::from_u128(0))
}

proptest! {
    #[test]
    fn order_and_repetition_do_not_matter(
        (ops, shuffled) in ops(1).prop_flat_map(|ops| {
            let shuffled = proptest::strategy::Just(ops.clone()).prop_shuffle();
            (proptest::strategy::Just(ops), shuffled)
        }),
        repeats in proptest::collection::vec(proptest::prelude::any::<Index>(), 0..10),
    ) {
        let once = Entity::fold(entity(), &ops);
        let mut again: Vec<&Op> = shuffled.iter().collect();
        if !ops.is_empty() {
            again.extend(repeats.iter().map(|index| index.get(&ops)));
        }
        let twice = Entity::fold(entity(), again);
        assert_eq!(once, twice);
        assert_eq!(once.revision(), twice.revision());
        assert_eq!(Item::from_entity(&once), Item::from_entity(&twice));
    }
}

fn op(lamport: u64, id: u128, change: Change) -> Op {
    Op {
        stamp: Stamp { lamport, id: OpId::new(Uuid::from_u128(id)) },
        entity: entity(),
        at: Timestamp::from_second(i64::try_from(lamport).unwrap()).unwrap(),
        by: Person::parse("Ada <ada@example.org>"),
        imported: None,
        undoes: None,
        change,
    }
}

fn add(lamport: u64, id: u128, label: &str) -> Op {
    op(lamport, id, Change::Add { field: "labels".into(), value: label.into() })
}

fn remove(lamport: u64, id: u128, label: &str, seen: &[u128]) -> Op {
    let seen = seen.iter().map(|id| OpId::new(Uuid::from_u128(*id))).collect();
    op(lamport, id, Change::Remove { field: "labels".into(), value: label.into(), seen })
}

#[test]
fn a_label_added_elsewhere_survives_a_removal_that_did_not_see_it() {
    let entity = Entity::fold(entity(), &[add(1, 1, "bug"), add(2, 2, "bug"), remove(9, 9, "bug", &[1])]);
    assert_eq!(entity.set_members("labels"), ["bug"]);
    let seen = entity.tags("labels", "bug");
    assert_eq!(seen, [OpId::new(Uuid::from_u128(2))]);
}

#[test]
fn a_removed_label_can_be_added_again() {
    let gone = [add(1, 1, "bug"), remove(2, 2, "bug", &[1])];
    assert!(Entity::fold(entity(), &gone).set_members("labels").is_empty());
    let back = [add(1, 1, "bug"), remove(2, 2, "bug", &[1]), add(3, 3, "bug")];
    assert_eq!(Entity::fold(entity(), &back).set_members("labels"), ["bug"]);
}

#[test]
fn an_edited_comment_keeps_its_history_and_first_author() {
    let first = op(1, 1, Change::Comment { body: "one".into() });
    let mut edit = op(2, 2, Change::EditComment { comment: first.stamp.id, body: "two".into() });
    edit.by = Person::parse("Bob <bob@example.org>");
    let comments = Entity::fold(entity(), &[edit, first]).comments();
    assert_eq!(comments.len(), 1);
    assert_eq!((comments[0].body.as_str(), comments[0].author.name()), ("two", "Ada"));
    assert_eq!(comments[0].former[0].body, "one");
}

#[test]
fn unknown_fields_survive_the_fold() {
    let create = op(
        1,
        1,
        Change::Create {
            kind: "issue".into(),
            number: Some(1),
            fields: BTreeMap::from([("title".into(), json!("T")), ("mood".into(), json!({"of": ["day"]}))]),
            sets: BTreeMap::from([("reviewers".into(), vec!["ada".into()])]),
        },
    );
    let odd = op(2, 2, Change::Set { field: "priority".into(), value: json!("very") });
    let item = Item::from_entity(&Entity::fold(entity(), &[create, odd])).unwrap();
    assert_eq!(item.extra["mood"], json!({"of": ["day"]}));
    assert_eq!(item.extra["reviewers"], json!(["ada"]));
    assert_eq!((item.priority, &item.extra["priority"]), (0, &json!("very")));
}
