//! Merges two notes of one commit. The merge is commutative, associative and idempotent, so clones that receive the
//! same notes in any order and any number of times end with the same note.
//!
//! Nothing is dropped: lists are merged as sets; of every other field the newest value is current and the older ones go
//! to `earlier`; unknown keys are handled like other fields.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::registers::Registers;
use super::{
    AnnotationKind, Constraint, ContextLevel, Correction, Dependency, Extra, Lines, Note, Operation, Provenance,
    Region, RelatedAnnotation,
};

/// Merges two notes of one commit.
///
/// Regions with equal file, name and lines are the same: within one commit these identify a piece of code. Each of its
/// dead ends and conventions is a separate region. A region keeps its own time, because a merge with a newer note would
/// otherwise make it look newer.
pub fn merge(a: &Note, b: &Note) -> Note {
    if a == b {
        return a.clone();
    }
    let mut head = NoteHeader::new(a);
    head.join(&NoteHeader::new(b));
    let mut regions: BTreeMap<Key, DatedRegion> = BTreeMap::new();
    for note in [a, b] {
        for region in &note.regions {
            let dated = DatedRegion::new(note, region);
            match regions.get_mut(&Key::of(region)) {
                Some(known) => known.join(&dated),
                None => drop(regions.insert(Key::of(region), dated)),
            }
        }
    }
    let note = head.into_note();
    let regions = regions.into_values().map(|dated| dated.into_region(note.timestamp, &note.context_level)).collect();
    Note { regions, ..note }
}

/// A note without its regions.
#[derive(Debug)]
pub(super) struct NoteHeader {
    at: Option<Timestamp>,
    fields: Registers,
    note: Note,
}

const CONTEXT_LEVEL: &str = "context_level";
const SYNTHESIS_NOTES: &str = "provenance/synthesis_notes";

impl NoteHeader {
    pub(super) fn new(note: &Note) -> Self {
        let at = note.timestamp.unwrap_or(Timestamp::UNIX_EPOCH);
        let mut fields = Registers::new(&note.earlier);
        fields.add_current_text("commit", Some(&note.commit), at);
        fields.add_current_text("summary", Some(&note.summary), at);
        fields.add_current_text(CONTEXT_LEVEL, Some(note.context_level.as_str()), at);
        fields.add_current_text("task", note.task.as_deref(), at);
        fields.add_current_text(SYNTHESIS_NOTES, note.provenance.synthesis_notes.as_deref(), at);
        fields.add_current_keys("", &note.extra, at);
        fields.add_current_keys("provenance", &note.provenance.extra, at);
        Self { at: note.timestamp, fields, note: Note { regions: Vec::new(), ..note.clone() } }
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.at = self.at.max(other.at);
        self.fields.join(&other.fields);
        let (own, theirs) = (&mut self.note, &other.note);
        own.cross_cutting.extend(theirs.cross_cutting.iter().cloned());
        own.extra.extend(theirs.extra.clone());
        let (own, theirs) = (&mut own.provenance, &theirs.provenance);
        own.derived_from.extend(theirs.derived_from.iter().cloned());
        own.extra.extend(theirs.extra.clone());
        own.original_annotations_preserved &= theirs.original_annotations_preserved;
        if operation_rank(&theirs.operation) > operation_rank(&own.operation) {
            own.operation = theirs.operation.clone();
        }
    }

    fn into_note(self) -> Note {
        let (at, mut fields, note) = (self.at.unwrap_or(Timestamp::UNIX_EPOCH), self.fields, self.note);
        let level = fields.take_text(CONTEXT_LEVEL, at).map(|word| ContextLevel::from(word.as_str()));
        Note {
            commit: fields.take_text("commit", at).unwrap_or_default(),
            timestamp: self.at,
            task: fields.take_text("task", at),
            summary: fields.take_text("summary", at).unwrap_or_default(),
            context_level: level.unwrap_or(note.context_level),
            regions: Vec::new(),
            cross_cutting: deduplicated(note.cross_cutting, Value::to_string),
            provenance: Provenance {
                derived_from: deduplicated(note.provenance.derived_from, String::clone),
                synthesis_notes: fields.take_text(SYNTHESIS_NOTES, at),
                extra: fields.take_each("provenance", &note.provenance.extra, at),
                ..note.provenance
            },
            extra: fields.take_each("", &note.extra, at),
            earlier: fields.into_earlier(),
        }
    }

    /// Returns the note as one written at `at` that repeats the current values.
    pub(super) fn restated(self, at: Timestamp) -> Note {
        let mut note = self.into_note();
        let mut fields = Registers::new(&note.earlier);
        let standing = NoteHeader::new(&Note { earlier: Vec::new(), ..note.clone() }).fields;
        for one in standing.into_earlier() {
            fields.remove(&one.field, &one.value);
        }
        note.earlier = fields.into_earlier();
        note.timestamp = Some(at);
        note
    }
}

// A combined note stays combined, whatever is added to it.
fn operation_rank(operation: &Operation) -> (u8, &str) {
    let rank = match operation {
        Operation::Initial => 0,
        Operation::Amend => 1,
        Operation::Squash => 2,
        Operation::Other(_) => 3,
    };
    (rank, operation.as_str())
}

/// The identity of a region within one commit.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: String,
    lines: Option<Lines>,
    name: String,
    statement: (String, String),
}

impl Key {
    fn of(region: &Region) -> Self {
        let (kind, text) = region.statement();
        Self {
            file: region.file.clone(),
            lines: region.lines,
            name: region.anchor.name.clone(),
            statement: (kind.to_owned(), text.to_owned()),
        }
    }
}

/// A region with its own time and source, independent of its note.
#[derive(Debug)]
pub(super) struct DatedRegion {
    pub(super) at: Timestamp,
    fields: Registers,
    /// Its location and its lists; its other fields are in `fields`.
    pub(super) region: Region,
}

const KIND: &str = "ast_anchor/type";
const SIGNATURE: &str = "ast_anchor/signature";

impl DatedRegion {
    pub(super) fn new(note: &Note, region: &Region) -> Self {
        let at = note.time_of(region).unwrap_or(Timestamp::UNIX_EPOCH);
        let mut fields = Registers::new(&region.earlier);
        // The text of a dead end or a convention is its identity, not a field that changes.
        let intent = Some(region.intent.as_str()).filter(|_| region.kind == AnnotationKind::Reason);
        fields.add_current_text("intent", intent, at);
        fields.add_current_text(CONTEXT_LEVEL, Some(note.context_of(region).as_str()), at);
        fields.add_current_text(KIND, Some(&region.anchor.kind), at);
        fields.add_current_text("reasoning", region.reasoning.as_deref(), at);
        fields.add_current_text("until", region.until.map(|day| day.to_string()).as_deref(), at);
        fields.add_current_text("risk_notes", region.risk_notes.as_deref(), at);
        fields.add_current_text(SIGNATURE, region.anchor.signature.as_deref(), at);
        fields.add_current_keys("ast_anchor", &region.anchor.extra, at);
        fields.add_current_keys("", &region.extra, at);
        Self { at, fields, region: region.clone() }
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.at = self.at.max(other.at);
        self.fields.join(&other.fields);
        let (own, theirs) = (&mut self.region, &other.region);
        own.constraints.extend(theirs.constraints.iter().cloned());
        own.semantic_dependencies.extend(theirs.semantic_dependencies.iter().cloned());
        own.tags.extend(theirs.tags.iter().cloned());
        own.related_annotations.extend(theirs.related_annotations.iter().cloned());
        own.corrections.extend(theirs.corrections.iter().cloned());
        own.anchor.extra.extend(theirs.anchor.extra.clone());
        own.extra.extend(theirs.extra.clone());
    }

    /// Sets a field to `text`, replacing the texts that it was combined from.
    pub(super) fn set_combined(&mut self, field: &str, text: &str, parts: &[String]) {
        for part in parts {
            self.fields.remove(field, &json!(part));
        }
        self.fields.add_current_text(field, Some(text), self.at);
    }

    /// Returns the newest purpose.
    pub(super) fn intent(&self) -> String {
        if self.region.kind != AnnotationKind::Reason {
            return self.region.intent.clone();
        }
        self.fields.clone().take_text("intent", self.at).unwrap_or_default()
    }

    /// Puts the region into a note, with its time and source only if they differ from the note's.
    pub(super) fn into_region(self, timestamp: Option<Timestamp>, context_level: &ContextLevel) -> Region {
        let (at, mut fields, region) = (self.at, self.fields, self.region);
        let is_said = at == timestamp.unwrap_or(Timestamp::UNIX_EPOCH);
        let level = fields.take_text(CONTEXT_LEVEL, at).map(|word| ContextLevel::from(word.as_str()));
        let mut anchor = region.anchor;
        anchor.kind = fields.take_text(KIND, at).unwrap_or_default();
        anchor.signature = fields.take_text(SIGNATURE, at);
        anchor.extra = fields.take_each("ast_anchor", &anchor.extra, at);
        Region {
            anchor,
            timestamp: (!is_said).then_some(at),
            context_level: level.filter(|level| level != context_level),
            intent: match region.kind {
                AnnotationKind::Reason => fields.take_text("intent", at).unwrap_or_default(),
                _ => region.intent,
            },
            reasoning: fields.take_text("reasoning", at),
            until: fields.take_text("until", at).and_then(|day| day.parse().ok()),
            risk_notes: fields.take_text("risk_notes", at),
            constraints: constraints(region.constraints),
            semantic_dependencies: deduplicated(region.semantic_dependencies, dependency_text),
            tags: deduplicated(region.tags, String::clone),
            related_annotations: deduplicated(region.related_annotations, related_text),
            corrections: corrections(region.corrections),
            extra: fields.take_each("", &region.extra, at),
            earlier: fields.into_earlier(),
            ..region
        }
    }
}

/// Returns the values without duplicates, sorted by key.
fn deduplicated<T, K: Ord>(all: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let by_key: BTreeMap<K, T> = all.into_iter().map(|one| (key(&one), one)).collect();
    by_key.into_values().collect()
}

/// Returns the constraints without duplicates, by text and unknown keys; an author's takes precedence over an inferred
/// one.
fn constraints(mut all: Vec<Constraint>) -> Vec<Constraint> {
    // The last of equal keys is kept.
    all.sort_by(|a, b| a.source.cmp(&b.source));
    deduplicated(all, |one| (one.text.clone(), text(&one.extra)))
}

/// Returns the corrections without duplicates, oldest first.
fn corrections(all: Vec<Correction>) -> Vec<Correction> {
    deduplicated(all, |one| (one.timestamp, one.id.clone(), correction_text(one)))
}

fn dependency_text(one: &Dependency) -> [String; 4] {
    [one.file.clone(), one.anchor.clone(), one.nature.clone(), text(&one.extra)]
}

fn related_text(one: &RelatedAnnotation) -> [String; 4] {
    [one.commit.clone(), one.anchor.clone(), one.relationship.clone(), text(&one.extra)]
}

fn correction_text(one: &Correction) -> String {
    json!([one.kind.as_str(), one.field, one.text, one.author, one.extra]).to_string()
}

fn text(extra: &Extra) -> String {
    json!(extra).to_string()
}
