//! Random operations, drawn from small pools so that they collide.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::id::{EntityId, OpId};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use serde_json::json;
use uuid::Uuid;

pub(crate) fn ops(n_entities: u128) -> impl Strategy<Value = Vec<Op>> {
    proptest::collection::vec(op(n_entities), 0..40)
}

fn op(n_entities: u128) -> impl Strategy<Value = Op> {
    // Few ids and clocks: the same stamp with different content must be resolved identically everywhere too.
    (0..20_u128, 0..8_u64, 0..n_entities, 0..100_i64, change()).prop_map(|(id, lamport, entity, second, change)| Op {
        stamp: Stamp { lamport, id: op_id(id) },
        entity: EntityId::new(Uuid::from_u128(entity)),
        at: Timestamp::from_second(second).unwrap(),
        by: Person::parse(if second % 2 == 0 { "Ada <ada@example.org>" } else { "Bob <bob@example.org>" }),
        imported: (second % 3 == 0).then(|| "github".into()),
        undoes: None,
        change,
    })
}

fn op_id(n: u128) -> OpId {
    OpId::new(Uuid::from_u128(n))
}

fn change() -> impl Strategy<Value = Change> {
    let word = prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(str::to_owned);
    let field = prop_oneof![Just("title"), Just("status"), Just("x-new")].prop_map(str::to_owned);
    let set = prop_oneof![Just("labels"), Just("blocks")].prop_map(str::to_owned);
    prop_oneof![
        (word.clone(), 0..5_u64).prop_map(|(title, number)| Change::Create {
            kind: if number == 4 { "task".into() } else { "issue".into() },
            number: Some(number),
            fields: BTreeMap::from([("title".to_owned(), json!(title))]),
            sets: BTreeMap::from([("labels".to_owned(), vec![title])]),
        }),
        (field, word.clone(), any::<bool>()).prop_map(|(field, value, clear)| Change::Set {
            field,
            value: if clear { json!(null) } else { json!(value) }
        }),
        (set.clone(), word.clone()).prop_map(|(field, value)| Change::Add { field, value }),
        (set, word.clone(), proptest::collection::vec((0..20_u128).prop_map(op_id), 0..3))
            .prop_map(|(field, value, seen)| Change::Remove { field, value, seen }),
        word.clone().prop_map(|body| Change::Comment { body }),
        (word, 0..20_u128).prop_map(|(body, id)| Change::EditComment { comment: op_id(id), body }),
        Just(Change::Delete),
        Just(Change::Restore),
        (0..5_u64, proptest::collection::vec(0..5_u64, 0..2))
            .prop_map(|(number, releases)| Change::Renumber { number, releases }),
        Just(Change::Unknown { kind: "later".into() }),
    ]
}
