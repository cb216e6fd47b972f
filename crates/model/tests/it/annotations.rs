//! Notes merge to the same whatever the order, and nothing that was said to hold is lost.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::annotation::{
    Anchor, Constraint, ContextLevel, Correction, CorrectionKind, Dependency, Extra, Lines, Note, Operation,
    Provenance, Region, Source, merge, unite,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

// Few values, so that two notes often speak of the same thing.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[ab]", "[a-z]{3}"]
}

fn time() -> impl Strategy<Value = Option<Timestamp>> {
    option::weighted(0.8, (0i64..4).prop_map(|second| Timestamp::from_second(second).unwrap()))
}

fn level() -> impl Strategy<Value = ContextLevel> {
    prop_oneof![Just(ContextLevel::Enhanced), Just(ContextLevel::Inferred), Just(ContextLevel::Other("odd".into()))]
}

fn extra() -> impl Strategy<Value = Extra> {
    btree_map("x[ab]", prop_oneof![Just(json!(1)), Just(json!({"a": [null]}))], 0..2)
}

fn constraint() -> impl Strategy<Value = Constraint> {
    let source = prop_oneof![Just(Source::Author), Just(Source::Inferred)];
    ("[abc]", source, extra()).prop_map(|(text, source, extra)| Constraint { text, source, extra })
}

fn correction() -> impl Strategy<Value = Correction> {
    let kind = prop_oneof![Just(CorrectionKind::Flag), Just(CorrectionKind::Correct)];
    (word(), kind, word(), time(), extra()).prop_map(|(id, kind, text, timestamp, extra)| Correction {
        id,
        kind,
        field: None,
        text,
        author: "Ada".to_owned(),
        timestamp,
        extra,
    })
}

fn region() -> impl Strategy<Value = Region> {
    let place = ("[fg]", word(), option::of((1u32..3).prop_map(|start| Lines { start, end: 9 })));
    let said = (word(), option::of(word()), vec(constraint(), 0..3), vec(correction(), 0..2), vec(word(), 0..2));
    let meta = (time(), option::of(level()), extra());
    (place, said, meta).prop_map(|((file, name, lines), said, (timestamp, context_level, extra))| {
        let (intent, reasoning, constraints, corrections, tags) = said;
        let anchor = Anchor { kind: "function".to_owned(), name: name.clone(), ..Anchor::default() };
        let dependency = Dependency { file: name, anchor: intent.clone(), nature: String::new(), extra: Extra::new() };
        Region {
            anchor,
            lines,
            timestamp,
            context_level,
            reasoning,
            constraints,
            corrections,
            tags,
            extra,
            semantic_dependencies: vec![dependency],
            ..Region::new(&file, "", &intent)
        }
    })
}

fn note() -> impl Strategy<Value = Note> {
    let head = (time(), option::of(word()), word(), level(), extra());
    let operation = prop_oneof![Just(Operation::Initial), Just(Operation::Squash)];
    let rest = (vec(region(), 0..4), vec(Just(json!({"description": "both"})), 0..2), vec("[cd]", 0..3), operation);
    (head, rest).prop_map(|((timestamp, task, summary, context_level, extra), rest)| {
        let (regions, cross_cutting, derived_from, operation) = rest;
        let provenance = Provenance { operation, derived_from, ..Provenance::default() };
        let commit = "c0ffee".to_owned();
        Note { commit, timestamp, task, summary, context_level, regions, cross_cutting, provenance, extra }
    })
}

fn all_constraints(note: &Note) -> BTreeSet<(String, String)> {
    let of = |region: &Region| -> Vec<(String, String)> {
        region.constraints.iter().map(|one| (region.file.clone(), one.text.clone())).collect()
    };
    note.regions.iter().flat_map(of).collect()
}

fn all_corrections(note: &Note) -> BTreeSet<String> {
    note.regions.iter().flat_map(|region| &region.corrections).map(|one| one.id.clone()).collect()
}

proptest! {
    #[test]
    fn merging_is_commutative_and_idempotent(a in note(), b in note()) {
        let merged = merge(&a, &b);
        prop_assert_eq!(&merged, &merge(&b, &a));
        prop_assert_eq!(&merge(&a, &a), &a);
        prop_assert_eq!(&merge(&merged, &a), &merged);
        prop_assert_eq!(&merge(&b, &merged), &merged);
    }

    #[test]
    fn merging_is_associative(a in note(), b in note(), c in note()) {
        prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
    }

    #[test]
    fn a_merge_keeps_constraints_corrections_and_places(a in note(), b in note()) {
        let merged = merge(&a, &b);
        let both = |of: fn(&Note) -> BTreeSet<String>| of(&a).union(&of(&b)).cloned().collect::<BTreeSet<_>>();
        prop_assert_eq!(all_corrections(&merged), both(all_corrections));
        let constraints: BTreeSet<_> = all_constraints(&a).union(&all_constraints(&b)).cloned().collect();
        prop_assert_eq!(all_constraints(&merged), constraints);
        for region in a.regions.iter().chain(&b.regions) {
            let is_same = |other: &&Region| {
                other.file == region.file && other.anchor.name == region.anchor.name && other.lines == region.lines
            };
            prop_assert_eq!(merged.regions.iter().filter(is_same).count(), 1);
        }
    }

    #[test]
    fn a_squash_loses_no_constraint(notes in vec(note(), 1..5)) {
        let at = Timestamp::from_second(99).unwrap();
        let united = unite(&notes, "abc123", at).unwrap();
        let expected: BTreeSet<_> = notes.iter().flat_map(all_constraints).collect();
        prop_assert_eq!(all_constraints(&united), expected);
        prop_assert_eq!(all_corrections(&united), notes.iter().flat_map(all_corrections).collect::<BTreeSet<_>>());
        prop_assert!(united.provenance.derived_from.contains(&"c0ffee".to_owned()));
        let is_said = |intent: &str| {
            let told = united.provenance.synthesis_notes.as_deref().unwrap_or_default();
            united.regions.iter().any(|region| region.intent == intent) || told.contains(intent)
        };
        prop_assert!(notes.iter().flat_map(|note| &note.regions).all(|region| is_said(&region.intent)));
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn note_at(second: i64, regions: Vec<Region>) -> Note {
    Note { regions, ..Note::new(&format!("{second:040x}"), at(second), ContextLevel::Enhanced) }
}

#[test]
fn newer_region_wins_and_each_keeps_its_own_time() {
    let old = note_at(10, vec![Region::new("a.rs", "f", "old"), Region::new("a.rs", "g", "only here")]);
    let new = note_at(20, vec![Region::new("a.rs", "f", "new")]);
    let merged = merge(&old, &new);
    let said: Vec<(&str, Option<Timestamp>)> =
        merged.regions.iter().map(|region| (region.intent.as_str(), merged.time_of(region))).collect();
    assert_eq!(said, [("new", Some(at(20))), ("only here", Some(at(10)))]);
    // A third note between the two in time must not lose to the older region now standing in a newer note.
    let between = note_at(15, vec![Region::new("a.rs", "g", "newer")]);
    let intents: Vec<String> = merge(&merged, &between).regions.into_iter().map(|region| region.intent).collect();
    assert_eq!(intents, ["new", "newer"]);
}

#[test]
fn a_squash_says_what_it_is_and_where_it_comes_from() {
    let lines = |start| Some(Lines { start, end: start + 5 });
    let first = Region { lines: lines(1), ..Region::new("a.rs", "f", "first") };
    let second = Region { lines: lines(40), ..Region::new("a.rs", "f", "second") };
    let notes = [note_at(10, vec![first]), note_at(20, vec![second])];
    let squashed = unite(&notes, "new", at(30)).unwrap();
    assert_eq!(squashed.regions.len(), 1, "the same function, though its lines moved");
    assert_eq!(squashed.regions[0].intent, "second");
    assert_eq!(squashed.provenance.operation, Operation::Squash);
    assert_eq!(squashed.provenance.derived_from, [notes[0].commit.clone(), notes[1].commit.clone()]);
    assert!(!squashed.provenance.original_annotations_preserved);
    assert_eq!(squashed.provenance.synthesis_notes.as_deref(), Some("Earlier intent of a.rs f: first"));
    let carried = unite(&notes[..1], "new", at(30)).unwrap();
    assert_eq!(carried.provenance.operation, Operation::Amend);
    assert!(carried.provenance.original_annotations_preserved);
    assert_eq!(unite(&[], "new", at(30)), None);
}

#[test]
fn two_pieces_of_code_with_one_name_stay_two_in_a_squash() {
    let twin = |start| Region { lines: Some(Lines { start, end: start }), ..Region::new("a.rs", "f", "twin") };
    let united = unite(&[note_at(1, vec![twin(1), twin(7)]), note_at(2, vec![twin(7)])], "new", at(3)).unwrap();
    assert_eq!(united.regions.len(), 2);
}
