//! Several notes become one, for the commit that takes the place of theirs: an amended, rebased or squashed one.
//!
//! No constraint, correction or dependency is dropped. Where two notes give one piece of code different intents, the
//! newer one stands and the older one is told in words.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::merge::{Dated, constraints, corrections, derived_from, distinct};
use super::{Extra, Lines, Note, Operation, Provenance, Region};

/// Makes the note of `commit` from the notes of the commits it replaces, written at `at`; `None` when there are none.
///
/// One note that is carried over is an `amend`; several become a `squash`. Lines are those of the old commits: whoever
/// knows the new one's text looks the anchors up again.
pub fn unite(notes: &[Note], commit: &str, at: Timestamp) -> Option<Note> {
    let mut ordered: Vec<&Note> = notes.iter().collect();
    ordered.sort_by_key(|note| note.timestamp);
    let newest = *ordered.last()?;
    let mut lost = Vec::new();
    let regions = group(&ordered).into_values().map(|group| unite_regions(group, &mut lost));
    let regions = regions.map(|dated| dated.within(Some(at), &newest.context_level)).collect();
    let mut extra = Extra::new();
    for note in &ordered {
        extra.extend(note.extra.clone());
    }
    let texts = |text: fn(&Note) -> Option<&str>| join(ordered.iter().filter_map(|note| text(note)), "\n");
    Some(Note {
        commit: commit.to_owned(),
        timestamp: Some(at),
        task: ordered.iter().rev().find_map(|note| note.task.clone()),
        summary: texts(|note| Some(&note.summary)).unwrap_or_default(),
        context_level: newest.context_level.clone(),
        regions,
        cross_cutting: distinct(ordered.iter().flat_map(|note| &note.cross_cutting)),
        provenance: provenance(&ordered, &lost),
        extra,
    })
}

fn provenance(notes: &[&Note], lost: &[String]) -> Provenance {
    let mut derived_from = derived_from(notes.iter().map(|note| &note.provenance));
    derived_from.extend(notes.iter().map(|note| note.commit.clone()).filter(|commit| !commit.is_empty()));
    derived_from.sort_unstable();
    derived_from.dedup();
    let mut extra = Extra::new();
    for note in notes {
        extra.extend(note.provenance.extra.clone());
    }
    let was_whole = notes.iter().all(|note| note.provenance.original_annotations_preserved);
    let was_squashed = notes.iter().any(|note| note.provenance.operation == Operation::Squash);
    let told = notes.iter().filter_map(|note| note.provenance.synthesis_notes.as_deref());
    Provenance {
        operation: if notes.len() > 1 || was_squashed { Operation::Squash } else { Operation::Amend },
        derived_from,
        original_annotations_preserved: was_whole && lost.is_empty(),
        synthesis_notes: join(told.chain(lost.iter().map(String::as_str)), "\n"),
        extra,
    }
}

/// What makes regions of several commits the same piece of code: lines move, so a name is enough where it is alone.
type Key<'a> = (&'a str, &'a str, Option<Lines>);
/// A file and a name in it.
type Name<'a> = (&'a str, &'a str);

fn group<'a>(notes: &[&'a Note]) -> BTreeMap<Key<'a>, Vec<Dated>> {
    let twice: BTreeSet<Name<'a>> = notes.iter().flat_map(|note| names_met_twice(note)).collect();
    let mut groups: BTreeMap<Key<'a>, Vec<Dated>> = BTreeMap::new();
    for note in notes {
        for region in &note.regions {
            let (file, name) = name_of(region);
            let is_alone = !name.is_empty() && !twice.contains(&(file, name));
            let lines = if is_alone { None } else { region.lines };
            groups.entry((file, name, lines)).or_default().push(Dated::new(note, region));
        }
    }
    groups
}

fn names_met_twice(note: &Note) -> Vec<Name<'_>> {
    let mut met = BTreeSet::new();
    note.regions.iter().map(name_of).filter(|name| !met.insert(*name)).collect()
}

fn name_of(region: &Region) -> Name<'_> {
    (&region.file, &region.anchor.name)
}

fn unite_regions(mut group: Vec<Dated>, lost: &mut Vec<String>) -> Dated {
    group.sort_by_key(Dated::rank);
    let regions: Vec<&Region> = group.iter().map(|dated| &dated.region).collect();
    let newest = regions[regions.len() - 1];
    for older in regions.iter().filter(|older| older.intent != newest.intent) {
        let line = format!("Earlier intent of {} {}: {}", older.file, older.anchor.name, older.intent);
        if !lost.contains(&line) {
            lost.push(line);
        }
    }
    let mut extra = Extra::new();
    for region in &regions {
        extra.extend(region.extra.clone());
    }
    let region = Region {
        reasoning: join(regions.iter().filter_map(|region| region.reasoning.as_deref()), "\n\n"),
        risk_notes: join(regions.iter().filter_map(|region| region.risk_notes.as_deref()), "\n\n"),
        constraints: constraints(regions.iter().flat_map(|region| &region.constraints)),
        corrections: corrections(regions.iter().flat_map(|region| &region.corrections)),
        semantic_dependencies: each_once(regions.iter().flat_map(|region| &region.semantic_dependencies)),
        tags: each_once(regions.iter().flat_map(|region| &region.tags)),
        related_annotations: each_once(regions.iter().flat_map(|region| &region.related_annotations)),
        extra,
        ..newest.clone()
    };
    let last = group.len() - 1;
    Dated { region, ..group.swap_remove(last) }
}

fn each_once<'a, T: Clone + PartialEq + 'a>(all: impl Iterator<Item = &'a T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for one in all {
        if !kept.contains(one) {
            kept.push(one.clone());
        }
    }
    kept
}

fn join<'a>(texts: impl Iterator<Item = &'a str>, between: &str) -> Option<String> {
    let mut kept: Vec<&str> = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    (!kept.is_empty()).then(|| kept.join(between))
}
