//! Random notes, with keys and words that our versions do not write.

use jiff::Timestamp;
use model::annotation::{
    Anchor, AnnotationKind, Constraint, ContextLevel, Correction, CorrectionKind, Dependency, EarlierValue, Extra,
    Lines, Note, Operation, Provenance, Region, RelatedAnnotation, Source,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-d]{0,2}", 1 => any::<String>(), 1 => Just("two\nlines \"and\" \u{1}".to_owned())]
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0i64..4_000_000_000, 0i32..1_000_000_000).prop_map(|(second, nano)| Timestamp::new(second, nano).unwrap())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let object = btree_map("[a-z]{1,3}", inner.clone(), 0..3);
        prop_oneof![vec(inner, 0..3).prop_map(Value::from), object.prop_map(|keys| json!(keys))]
    })
}

fn extra() -> impl Strategy<Value = Extra> {
    // The schema key is special only at the top of a note; elsewhere it is an unknown key.
    btree_map("x_[a-z]{1,3}", value(), 0..3)
}

fn word<T: for<'a> From<&'a str> + std::fmt::Debug + Clone + 'static>(
    known: &'static [&'static str],
) -> impl Strategy<Value = T> {
    prop_oneof![4 => proptest::sample::select(known).prop_map(T::from), 1 => "[a-z]{4}".prop_map(|word| T::from(word.as_str()))]
}

fn anchor() -> impl Strategy<Value = Anchor> {
    (text(), text(), option::of(text()), extra()).prop_map(|(kind, name, signature, extra)| Anchor {
        kind,
        name,
        signature,
        extra,
    })
}

fn constraint() -> impl Strategy<Value = Constraint> {
    (text(), word::<Source>(&["author", "inferred"]), extra()).prop_map(|(text, source, extra)| Constraint {
        text,
        source,
        extra,
    })
}

fn dependency() -> impl Strategy<Value = Dependency> {
    (text(), text(), text(), extra()).prop_map(|(file, anchor, nature, extra)| Dependency {
        file,
        anchor,
        nature,
        extra,
    })
}

fn related() -> impl Strategy<Value = RelatedAnnotation> {
    (text(), text(), text(), extra()).prop_map(|(commit, anchor, relationship, extra)| RelatedAnnotation {
        commit,
        anchor,
        relationship,
        extra,
    })
}

fn correction() -> impl Strategy<Value = Correction> {
    let who = (text(), text(), option::of(time()));
    (text(), word::<CorrectionKind>(&["flag", "correct"]), option::of(text()), who, extra()).prop_map(
        |(id, kind, field, (text, author, timestamp), extra)| Correction {
            id,
            kind,
            field,
            text,
            author,
            timestamp,
            extra,
        },
    )
}

fn earlier() -> impl Strategy<Value = EarlierValue> {
    (text(), value(), option::of(time()), extra()).prop_map(|(field, value, timestamp, extra)| EarlierValue {
        field,
        value,
        timestamp,
        extra,
    })
}

fn region() -> impl Strategy<Value = Region> {
    let lines = option::of(((1u32..99), (1u32..99)).prop_map(|(start, end)| Lines { start, end }));
    let kind = word::<AnnotationKind>(&["reason", "dead_end", "convention"]);
    let day = option::of((1i8..29).prop_map(|day| jiff::civil::date(2027, 2, day)));
    let place = (text(), anchor(), lines, option::of(time()), kind, day);
    let levels: &'static [&'static str] = &["enhanced", "inferred"];
    let said = (option::of(word::<ContextLevel>(levels)), text(), option::of(text()), option::of(text()));
    let lists = (vec(constraint(), 0..3), vec(dependency(), 0..3), vec(text(), 0..3));
    let more = (vec(related(), 0..2), vec(correction(), 0..2), vec(earlier(), 0..2), extra(), extra());
    (place, said, lists, more).prop_map(|(place, said, lists, more)| {
        let (file, anchor, lines, timestamp, kind, until) = place;
        let (context_level, intent, reasoning, risk_notes) = said;
        let (constraints, semantic_dependencies, tags) = lists;
        let (related_annotations, corrections, earlier, mut extra, in_lines) = more;
        if lines.is_some() && !in_lines.is_empty() {
            extra.insert("lines".to_owned(), json!(in_lines));
        }
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

pub(crate) fn note() -> impl Strategy<Value = Note> {
    let head =
        (text(), option::of(time()), option::of(text()), text(), word::<ContextLevel>(&["enhanced", "inferred"]));
    let provenance = (
        word::<Operation>(&["initial", "amend", "squash"]),
        vec(text(), 0..3),
        any::<bool>(),
        option::of(text()),
        extra(),
    );
    let rest = (vec(region(), 0..4), vec(value(), 0..3), provenance, vec(earlier(), 0..2), extra());
    (head, rest).prop_map(|(head, (regions, cross_cutting, provenance, earlier, extra))| {
        let (commit, timestamp, task, summary, context_level) = head;
        let (operation, derived_from, original_annotations_preserved, synthesis_notes, more) = provenance;
        let provenance =
            Provenance { operation, derived_from, original_annotations_preserved, synthesis_notes, extra: more };
        Note { commit, timestamp, task, summary, context_level, regions, cross_cutting, provenance, earlier, extra }
    })
}
