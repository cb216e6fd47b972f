//! Combines several notes into one, for a commit that replaces theirs: amended, rebased or squashed.
//!
//! Nothing is dropped. Fields are joined as in a merge, but reasons and risks are all kept: each belongs to a part of
//! the change. If two notes give different purposes for one piece of code, the older one is also described in words.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::merge::{DatedRegion, NoteHeader};
use super::{Lines, Note, Operation, Region};

/// Makes the note of `commit` from the notes of the commits it replaces, written at `at`; `None` if there are none.
///
/// A single note becomes an `amend`; several become a `squash`. Lines are those of the old commits: a caller that has
/// the new text resolves the anchors again.
pub fn squash(notes: &[Note], commit: &str, at: Timestamp) -> Option<Note> {
    let mut ordered: Vec<&Note> = notes.iter().collect();
    ordered.sort_by_key(|note| note.timestamp);
    let mut note = squash_heads(&ordered, at)?;
    commit.clone_into(&mut note.commit);
    let mut descriptions = Vec::new();
    let regions = group(&ordered).into_values().filter_map(|group| squash_regions(group, &mut descriptions));
    let regions = regions.map(|dated| dated.into_region(Some(at), &note.context_level)).collect();
    describe(&mut note, &ordered, &descriptions);
    Some(Note { regions, ..note })
}

/// Joins everything except the regions. Summaries and synthesis notes are concatenated; commits go to `derived_from`.
fn squash_heads(ordered: &[&Note], at: Timestamp) -> Option<Note> {
    let summary = join(ordered.iter().map(|note| note.summary.as_str()), "\n");
    let descriptions = join(ordered.iter().filter_map(|note| note.provenance.synthesis_notes.as_deref()), "\n");
    let mut heads = ordered.iter().map(|note| {
        let mut note = Note { regions: Vec::new(), commit: String::new(), ..(*note).clone() };
        note.summary = summary.clone().unwrap_or_default();
        note.provenance.synthesis_notes.clone_from(&descriptions);
        NoteHeader::new(&note)
    });
    let mut head = heads.next()?;
    heads.for_each(|other| head.join(&other));
    Some(head.restated(at))
}

fn describe(note: &mut Note, notes: &[&Note], descriptions: &[String]) {
    let provenance = &mut note.provenance;
    let was_squashed = notes.iter().any(|note| note.provenance.operation == Operation::Squash);
    provenance.operation = if notes.len() > 1 || was_squashed { Operation::Squash } else { Operation::Amend };
    let commits = notes.iter().map(|note| note.commit.clone()).filter(|commit| !commit.is_empty());
    provenance.derived_from.extend(commits);
    provenance.derived_from.sort_unstable();
    provenance.derived_from.dedup();
    provenance.original_annotations_preserved &= descriptions.is_empty();
    let known = provenance.synthesis_notes.take();
    provenance.synthesis_notes =
        join(known.as_deref().into_iter().chain(descriptions.iter().map(String::as_str)), "\n");
}

/// The identity of a region across commits: lines move, so a name suffices where it is unique.
type Key<'a> = (Name<'a>, Option<Lines>);
/// A file, a name in it, and the statement.
type Name<'a> = (&'a str, &'a str, (&'a str, &'a str));

fn group<'a>(notes: &[&'a Note]) -> BTreeMap<Key<'a>, Vec<DatedRegion>> {
    let twice: BTreeSet<Name<'a>> = notes.iter().flat_map(|note| ambiguous_names(note)).collect();
    let mut groups: BTreeMap<Key<'a>, Vec<DatedRegion>> = BTreeMap::new();
    for note in notes {
        for region in &note.regions {
            let name = name_of(region);
            let is_alone = !region.anchor.name.is_empty() && !twice.contains(&name);
            let lines = if is_alone { None } else { region.lines };
            groups.entry((name, lines)).or_default().push(DatedRegion::new(note, region));
        }
    }
    groups
}

fn ambiguous_names(note: &Note) -> Vec<Name<'_>> {
    let mut met = BTreeSet::new();
    note.regions.iter().map(name_of).filter(|name| !met.insert(*name)).collect()
}

fn name_of(region: &Region) -> Name<'_> {
    (&region.file, &region.anchor.name, region.statement())
}

/// Combines several regions of the same code, at the location of the newest; `None` if there are none.
fn squash_regions(mut group: Vec<DatedRegion>, descriptions: &mut Vec<String>) -> Option<DatedRegion> {
    // Ties are broken by the text, so that all clones make the same note.
    group.sort_by_key(|dated| (dated.at, dated.region.intent.clone()));
    let texts = |of: fn(&Region) -> Option<&String>| -> Vec<String> {
        group.iter().filter_map(|dated| of(&dated.region)).cloned().collect()
    };
    let (reasons, risks) = (texts(|region| region.reasoning.as_ref()), texts(|region| region.risk_notes.as_ref()));
    let mut squashed = group.pop()?;
    let intents: Vec<String> = group.iter().chain([&squashed]).map(|dated| dated.region.intent.clone()).collect();
    for older in &group {
        squashed.join(older);
    }
    let intent = squashed.intent();
    for older in intents.iter().filter(|older| !older.is_empty() && **older != intent) {
        let line = format!("Earlier intent of {} {}: {older}", squashed.region.file, squashed.region.anchor.name);
        if !descriptions.contains(&line) {
            descriptions.push(line);
        }
    }
    for (field, parts) in [("reasoning", reasons), ("risk_notes", risks)] {
        if let Some(text) = join(parts.iter().map(String::as_str), "\n\n").filter(|text| !parts.contains(text)) {
            squashed.set_combined(field, &text, &parts);
        }
    }
    Some(squashed)
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
