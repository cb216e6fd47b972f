//! Merging notes is independent of the order, and loses no statement.

use std::collections::BTreeSet;

use jiff::Timestamp;
use model::annotation::{
    Anchor, AnnotationKind, Constraint, ContextLevel, Correction, CorrectionKind, Dependency, EarlierValue, Extra,
    Lines, Note, Operation, Provenance, Region, RelatedAnnotation, Source, merge, squash,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

// Few values, so that two notes often have the same ones.
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
    let value = prop_oneof![Just(json!(1)), Just(json!({"a": [null]})), Just(json!("b")), Just(Value::Null)];
    btree_map("x[ab/~]", value, 0..3)
}

fn dependency() -> impl Strategy<Value = Dependency> {
    ("[fg]", word(), word(), extra()).prop_map(|(file, anchor, nature, extra)| Dependency {
        file,
        anchor,
        nature,
        extra,
    })
}

fn related() -> impl Strategy<Value = RelatedAnnotation> {
    ("[cd]", word(), word(), extra()).prop_map(|(commit, anchor, relationship, extra)| RelatedAnnotation {
        commit,
        anchor,
        relationship,
        extra,
    })
}

fn earlier() -> impl Strategy<Value = EarlierValue> {
    let field = prop_oneof![Just("intent"), Just("reasoning"), Just("xa"), Just("summary"), Just("ast_anchor/xb")];
    let value = prop_oneof![word().prop_map(Value::from), Just(json!([1]))];
    (field, value, time(), extra()).prop_map(|(field, value, timestamp, extra)| EarlierValue {
        field: field.to_owned(),
        value,
        timestamp,
        extra,
    })
}

fn anchor() -> impl Strategy<Value = Anchor> {
    ("[ft]?", word(), option::of(word()), extra()).prop_map(|(kind, name, signature, extra)| Anchor {
        kind,
        name,
        signature,
        extra,
    })
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
    let place = ("[fg]", anchor(), option::of((1u32..3).prop_map(|start| Lines { start, end: 9 })));
    let said = (word(), option::of(word()), option::of(word()), vec(word(), 0..2));
    let lists = (vec(constraint(), 0..3), vec(correction(), 0..2), vec(dependency(), 0..2), vec(related(), 0..2));
    let until = option::of((1i8..4).prop_map(|day| jiff::civil::date(2027, 1, day)));
    let kind = prop_oneof![4 => Just(AnnotationKind::Reason), 1 => Just(AnnotationKind::DeadEnd)];
    let meta = (time(), option::of(level()), vec(earlier(), 0..2), extra(), until, kind);
    (place, said, lists, meta).prop_map(|((file, anchor, lines), said, lists, meta)| {
        let (intent, reasoning, risk_notes, tags) = said;
        let (constraints, corrections, semantic_dependencies, related_annotations) = lists;
        let (timestamp, context_level, earlier, extra, until, kind) = meta;
        Region {
            file,
            anchor,
            lines,
            timestamp,
            context_level,
            kind,
            until,
            intent,
            reasoning,
            constraints,
            semantic_dependencies,
            risk_notes,
            tags,
            related_annotations,
            corrections,
            earlier,
            extra,
        }
    })
}

fn provenance() -> impl Strategy<Value = Provenance> {
    let word_of = |word: &'static str| Just(Operation::from(word));
    let operation = prop_oneof![word_of("initial"), word_of("amend"), word_of("squash"), word_of("odd")];
    (operation, vec("[cd]", 0..3), any::<bool>(), option::of(word()), extra()).prop_map(
        |(operation, derived_from, original_annotations_preserved, synthesis_notes, extra)| Provenance {
            operation,
            derived_from,
            original_annotations_preserved,
            synthesis_notes,
            extra,
        },
    )
}

fn note() -> impl Strategy<Value = Note> {
    let head = (time(), option::of(word()), word(), level(), extra());
    let cross_cutting = vec(prop_oneof![Just(json!({"description": "both"})), Just(json!("one"))], 0..2);
    let rest = (vec(region(), 0..4), cross_cutting, provenance(), vec(earlier(), 0..2));
    (head, rest).prop_map(|((timestamp, task, summary, context_level, extra), rest)| {
        let (regions, cross_cutting, provenance, earlier) = rest;
        let commit = "c0ffee".to_owned();
        Note { commit, timestamp, task, summary, context_level, regions, cross_cutting, provenance, earlier, extra }
    })
}

fn place(region: &Region) -> String {
    format!("{} {:?}", name(region), region.lines)
}

/// A squash matches functions by name; the lines are the newest ones.
fn name(region: &Region) -> String {
    // Each dead end is a separate statement.
    let statement = if region.kind == AnnotationKind::Reason { "" } else { &region.intent };
    format!("{} {} {} {statement}", region.file, region.anchor.name, region.kind)
}

/// All statements of a note, one per line: subject, field, value, independent of their place in the note.
fn facts(note: &Note, place: fn(&Region) -> String) -> BTreeSet<String> {
    let mut facts = fields_of("note", &note.earlier);
    let texts = [("commit", Some(&note.commit)), ("summary", Some(&note.summary)), ("task", note.task.as_ref())];
    facts.extend(texts_of("note", &texts));
    facts.extend(texts_of("note", &[("provenance/synthesis_notes", note.provenance.synthesis_notes.as_ref())]));
    facts.insert(format!("note context_level {}", json!(note.context_level.as_str())));
    facts.extend(keys_of("note", "", &note.extra));
    facts.extend(keys_of("note", "provenance/", &note.provenance.extra));
    facts.extend(note.cross_cutting.iter().map(|value| format!("cross_cutting {value}")));
    facts.extend(note.provenance.derived_from.iter().map(|commit| format!("derived_from {commit}")));
    for region in &note.regions {
        facts.extend(region_facts(note, region, &place(region)));
    }
    facts
}

fn region_facts(note: &Note, region: &Region, place: &str) -> BTreeSet<String> {
    let mut facts = fields_of(place, &region.earlier);
    let (anchor, level) = (&region.anchor, note.context_of(region).as_str().to_owned());
    let until = region.until.map(|day| day.to_string());
    let texts = [
        ("until", until.as_ref()),
        ("intent", Some(&region.intent)),
        ("reasoning", region.reasoning.as_ref()),
        ("risk_notes", region.risk_notes.as_ref()),
        ("ast_anchor/type", Some(&anchor.kind)),
        ("ast_anchor/signature", anchor.signature.as_ref()),
        ("context_level", Some(&level)),
    ];
    facts.extend(texts_of(place, &texts));
    facts.extend(keys_of(place, "", &region.extra));
    facts.extend(keys_of(place, "ast_anchor/", &anchor.extra));
    // An author's constraint replaces an inferred one with the same text.
    facts.extend(region.constraints.iter().map(|one| format!("{place} {} {:?}", one.text, one.extra)));
    facts.extend(region.tags.iter().map(|one| format!("{place} tag {one}")));
    facts.extend(region.semantic_dependencies.iter().map(|one| format!("{place} {one:?}")));
    facts.extend(region.related_annotations.iter().map(|one| format!("{place} {one:?}")));
    facts.extend(region.corrections.iter().map(|one| format!("{place} {one:?}")));
    facts
}

fn fields_of(place: &str, earlier: &[EarlierValue]) -> BTreeSet<String> {
    earlier.iter().map(|one| format!("{place} {} {}", one.field, one.value)).collect()
}

fn texts_of(place: &str, texts: &[(&str, Option<&String>)]) -> Vec<String> {
    let said = texts.iter().filter_map(|(name, text)| Some((name, text.filter(|text| !text.is_empty())?)));
    said.map(|(name, text)| format!("{place} {name} {}", json!(text))).collect()
}

fn keys_of(place: &str, parent: &str, extra: &Extra) -> Vec<String> {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    extra.iter().map(|(key, value)| format!("{place} {parent}{} {value}", escaped(key))).collect()
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
    fn every_field_of_both_sides_is_in_the_merge(a in note(), b in note()) {
        let merged = facts(&merge(&a, &b), place);
        for fact in facts(&a, place).union(&facts(&b, place)) {
            prop_assert!(merged.contains(fact), "lost: {}\nof {:#?}", fact, merged);
        }
    }

    #[test]
    fn a_merge_invents_nothing(a in note(), b in note()) {
        let both: BTreeSet<_> = facts(&a, place).union(&facts(&b, place)).cloned().collect();
        prop_assert_eq!(facts(&merge(&a, &b), place), both);
    }

    #[test]
    fn every_field_of_all_sides_is_in_a_squash(notes in vec(note(), 1..4)) {
        let squashed = squash(&notes, "c0ffee", at(99)).unwrap();
        let text = format!("{squashed:?}");
        for region in notes.iter().flat_map(|note| &note.regions) {
            for said in [&region.reasoning, &region.risk_notes, &region.anchor.signature].into_iter().flatten() {
                prop_assert!(text.contains(said.as_str()));
            }
        }
        let told_together = ["summary", "synthesis_notes", "reasoning", "risk_notes"];
        let squashed = facts(&squashed, name);
        for fact in notes.iter().flat_map(|note| facts(note, name)) {
            let is_told = told_together.iter().any(|field| fact.contains(field));
            prop_assert!(is_told || squashed.contains(&fact), "lost: {}\nof {:#?}", fact, squashed);
        }
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
                place(other) == place(region)
            };
            prop_assert_eq!(merged.regions.iter().filter(is_same).count(), 1);
        }
    }

    #[test]
    fn a_squash_loses_no_constraint(notes in vec(note(), 1..5)) {
        let at = Timestamp::from_second(99).unwrap();
        let squashed = squash(&notes, "abc123", at).unwrap();
        let expected: BTreeSet<_> = notes.iter().flat_map(all_constraints).collect();
        prop_assert_eq!(all_constraints(&squashed), expected);
        prop_assert_eq!(all_corrections(&squashed), notes.iter().flat_map(all_corrections).collect::<BTreeSet<_>>());
        prop_assert!(squashed.provenance.derived_from.contains(&"c0ffee".to_owned()));
        let is_said = |intent: &str| {
            let told = squashed.provenance.synthesis_notes.as_deref().unwrap_or_default();
            squashed.regions.iter().any(|region| region.intent == intent) || told.contains(intent)
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
    // A third note between the two in time must win over the older region, which is now in a newer note.
    let between = note_at(15, vec![Region::new("a.rs", "g", "newer")]);
    let intents: Vec<String> = merge(&merged, &between).regions.into_iter().map(|region| region.intent).collect();
    assert_eq!(intents, ["new", "newer"]);
}

#[test]
fn added_text_keeps_earlier_text() {
    let mut first = Region::new("a.rs", "f", "first");
    first.reasoning = Some("because".to_owned());
    first.risk_notes = Some("may block".to_owned());
    first.tags = vec!["net".to_owned()];
    first.extra.insert("owner".to_owned(), json!("edge"));
    let mut second = Region::new("a.rs", "f", "second");
    second.extra.insert("owner".to_owned(), json!("core"));
    let mut old = note_at(10, vec![first]);
    old.extra.insert("future".to_owned(), json!({"a": 1}));
    let merged = merge(&old, &note_at(20, vec![second]));
    let region = &merged.regions[0];
    assert_eq!((region.intent.as_str(), region.reasoning.as_deref()), ("second", Some("because")));
    assert_eq!((region.risk_notes.as_deref(), region.tags.as_slice()), (Some("may block"), &["net".to_owned()][..]));
    assert_eq!(merged.extra["future"], json!({"a": 1}));
    assert_eq!(region.extra["owner"], json!("core"));
    assert_eq!(region.earlier_texts("intent").collect::<Vec<_>>(), [("first", Some(at(10)))]);
    assert_eq!(region.earlier_texts("owner").collect::<Vec<_>>(), [("edge", Some(at(10)))]);
    assert_eq!(region.earlier_texts("reasoning").count(), 0, "it still stands");
    // The reason keeps its old time: one that was given in between is newer.
    let mut between = Region::new("a.rs", "f", "between");
    between.reasoning = Some("better".to_owned());
    let merged = merge(&merged, &note_at(15, vec![between]));
    assert_eq!(merged.regions[0].intent, "second");
    assert_eq!(merged.regions[0].reasoning.as_deref(), Some("better"));
    assert_eq!(merged.regions[0].earlier_texts("reasoning").collect::<Vec<_>>(), [("because", Some(at(10)))]);
}

#[test]
fn a_note_of_several_stays_one_when_something_is_added() {
    let mut squashed = note_at(10, Vec::new());
    squashed.provenance = Provenance {
        operation: Operation::Squash,
        original_annotations_preserved: false,
        synthesis_notes: Some("put together".to_owned()),
        ..Provenance::default()
    };
    let merged = merge(&squashed, &note_at(20, Vec::new())).provenance;
    assert_eq!(merged.operation, Operation::Squash);
    assert!(!merged.original_annotations_preserved);
    assert_eq!(merged.synthesis_notes.as_deref(), Some("put together"));
    let ranked = ["initial", "amend", "squash", "odd"].map(Operation::from);
    for pair in ranked.windows(2) {
        let note = |operation: &Operation| {
            let mut note = note_at(10, Vec::new());
            note.provenance.operation = operation.clone();
            note
        };
        assert_eq!(merge(&note(&pair[0]), &note(&pair[1])).provenance.operation, pair[1]);
    }
}

fn superseding(field: Option<&str>, text: &str, second: i64) -> Correction {
    Correction {
        id: format!("{second}"),
        kind: CorrectionKind::Supersede,
        field: field.map(str::to_owned),
        text: text.to_owned(),
        author: "Ada".to_owned(),
        timestamp: Some(at(second)),
        extra: Extra::new(),
    }
}

#[test]
fn superseded_annotation_is_current_again_when_restated() {
    let mut region = Region::new("a.rs", "f", "old");
    assert!(!region.is_superseded(Some(at(10))));
    region.corrections = vec![superseding(None, "by another", 20)];
    assert!(region.is_superseded(Some(at(10))) && region.is_superseded(Some(at(20))) && region.is_superseded(None));
    assert!(!region.is_superseded(Some(at(21))), "said again later");
    region.corrections[0].kind = CorrectionKind::Flag;
    assert!(!region.is_superseded(Some(at(10))));
}

#[test]
fn one_constraint_can_be_withdrawn() {
    let constraint = |text: &str| Constraint { text: text.to_owned(), source: Source::Author, extra: Extra::new() };
    let mut region = Region::new("a.rs", "f", "i");
    region.constraints = vec![constraint("must block"), constraint("sorted")];
    region.reasoning = Some("because".to_owned());
    region.risk_notes = Some("because".to_owned());
    region.corrections =
        vec![superseding(Some("constraints"), "must block", 1), superseding(Some("reasoning"), "because", 1)];
    let standing = region.without_withdrawn();
    assert_eq!(standing.constraints, [constraint("sorted")]);
    assert_eq!((standing.reasoning.as_deref(), standing.risk_notes.as_deref()), (None, Some("because")));
    assert!(!region.is_superseded(Some(at(0))), "the rest stands");
}

#[test]
fn an_annotation_is_valid_on_its_last_day() {
    let day = |day| jiff::civil::date(2027, 1, day);
    let region = Region { until: Some(day(2)), ..Region::new("a.rs", "f", "i") };
    assert_eq!([1, 2, 3].map(|n| region.is_expired(day(n))), [false, false, true]);
    assert!(!Region::new("a.rs", "f", "i").is_expired(day(1)));
}

#[test]
fn annotation_after_an_expired_one_is_current() {
    let today = jiff::civil::date(2027, 1, 1);
    let expired = Region { until: Some(jiff::civil::date(2020, 1, 1)), ..Region::new("a.rs", "f", "old") };
    let old = note_at(10, vec![expired]);
    assert!(old.regions[0].is_expired(today));
    let merged = merge(&old, &note_at(20, vec![Region::new("a.rs", "f", "new")]));
    assert_eq!(merged.regions[0].last_day(), None);
    assert!(!merged.regions[0].is_expired(today));
}

#[test]
fn dead_ends_of_one_function_are_distinguished() {
    let dead_end = |text: &str| Region { kind: AnnotationKind::DeadEnd, ..Region::new("a.rs", "f", text) };
    let one = note_at(1, vec![Region::new("a.rs", "f", "reason"), dead_end("threads")]);
    let other = note_at(2, vec![dead_end("async"), dead_end("threads")]);
    let intents = |note: Note| note.regions.into_iter().map(|region| region.intent).collect::<Vec<_>>();
    assert_eq!(intents(merge(&one, &other)), ["async", "threads", "reason"]);
    assert_eq!(intents(squash(&[one, other], "new", at(3)).unwrap()), ["async", "threads", "reason"]);
}

#[test]
fn a_squash_tells_every_reason_and_risk_and_each_once() {
    let region = |intent: &str, reason: &str| {
        let mut region = Region::new("a.rs", "f", intent);
        region.reasoning = Some(reason.to_owned());
        region.risk_notes = Some("same".to_owned());
        region
    };
    let notes = [note_at(1, vec![region("i", "one")]), note_at(2, vec![region("i", "two")])];
    let squashed = squash(&notes, "new", at(3)).unwrap();
    assert_eq!(squashed.regions[0].reasoning.as_deref(), Some("one\n\ntwo"));
    assert_eq!(squashed.regions[0].risk_notes.as_deref(), Some("same"));
    assert_eq!(squashed.regions[0].earlier, [], "all of it stands");
    assert_eq!(squashed.earlier, []);
}

#[test]
fn a_squash_has_its_operation_and_sources() {
    let lines = |start| Some(Lines { start, end: start + 5 });
    let first = Region { lines: lines(1), ..Region::new("a.rs", "f", "first") };
    let second = Region { lines: lines(40), ..Region::new("a.rs", "f", "second") };
    let notes = [note_at(10, vec![first]), note_at(20, vec![second])];
    let squashed = squash(&notes, "new", at(30)).unwrap();
    assert_eq!(squashed.regions.len(), 1, "the same function, though its lines moved");
    assert_eq!(squashed.regions[0].intent, "second");
    assert_eq!(squashed.provenance.operation, Operation::Squash);
    assert_eq!(squashed.provenance.derived_from, [notes[0].commit.clone(), notes[1].commit.clone()]);
    assert!(!squashed.provenance.original_annotations_preserved);
    assert_eq!(squashed.provenance.synthesis_notes.as_deref(), Some("Earlier intent of a.rs f: first"));
    let carried = squash(&notes[..1], "new", at(30)).unwrap();
    assert_eq!(carried.provenance.operation, Operation::Amend);
    assert!(carried.provenance.original_annotations_preserved);
    assert_eq!(squash(&[], "new", at(30)), None);
}

#[test]
fn two_pieces_of_code_with_one_name_stay_two_in_a_squash() {
    let twin = |start| Region { lines: Some(Lines { start, end: start }), ..Region::new("a.rs", "f", "twin") };
    let squashed = squash(&[note_at(1, vec![twin(1), twin(7)]), note_at(2, vec![twin(7)])], "new", at(3)).unwrap();
    assert_eq!(squashed.regions.len(), 2);
}
