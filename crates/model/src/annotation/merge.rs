//! The merge of two notes of one commit. It is commutative, associative and idempotent, so clones that hear the same
//! notes in any order and any number of times end with the same one.
//!
//! Of what both sides say the newer wins; what was said to hold, and what was said about it later, is never dropped.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Constraint, ContextLevel, Correction, Extra, Lines, Note, Provenance, Region};

/// Merges two notes of one commit.
///
/// Regions are the same when file, name and lines are: a note speaks of one commit, where these name one piece of code.
/// A region keeps the time it was written at, or a merge with a newer note would make it newer than it is.
pub fn merge(a: &Note, b: &Note) -> Note {
    if a == b {
        return a.clone();
    }
    let head = if head_rank(a) >= head_rank(b) { a } else { b };
    let mut regions: BTreeMap<Key, Dated> = BTreeMap::new();
    for note in [a, b] {
        for region in &note.regions {
            let dated = Dated::new(note, region);
            let key = Key::of(region);
            let joined = match regions.remove(&key) {
                Some(other) => other.join(dated),
                None => dated.tidied(),
            };
            regions.insert(key, joined);
        }
    }
    let regions = regions.into_values().map(|dated| dated.within(head.timestamp, &head.context_level)).collect();
    Note {
        regions,
        cross_cutting: distinct(a.cross_cutting.iter().chain(&b.cross_cutting)),
        provenance: Provenance {
            derived_from: derived_from([&a.provenance, &b.provenance]),
            ..head.provenance.clone()
        },
        ..head.clone()
    }
}

/// Returns every commit that went into any of them, once, in order.
pub(super) fn derived_from<'a>(all: impl IntoIterator<Item = &'a Provenance>) -> Vec<String> {
    let mut commits: Vec<String> = all.into_iter().flat_map(|one| one.derived_from.iter().cloned()).collect();
    commits.sort_unstable();
    commits.dedup();
    commits
}

/// Returns each value once, ordered by its text.
pub(super) fn distinct<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<Value> {
    let by_text: BTreeMap<String, &Value> = values.map(|value| (value.to_string(), value)).collect();
    by_text.into_values().cloned().collect()
}

/// Returns each constraint once, by its text; an author's word outranks a guess.
pub(super) fn constraints<'a>(all: impl Iterator<Item = &'a Constraint>) -> Vec<Constraint> {
    let mut by_text: BTreeMap<&str, &Constraint> = BTreeMap::new();
    for one in all {
        let kept = by_text.entry(&one.text).or_insert(one);
        let rank = |one: &Constraint| (one.source.clone(), text(&one.extra));
        if rank(one) > rank(kept) {
            *kept = one;
        }
    }
    by_text.into_values().cloned().collect()
}

/// Returns each correction once, by its id, oldest first.
pub(super) fn corrections<'a>(all: impl Iterator<Item = &'a Correction>) -> Vec<Correction> {
    let mut by_id: BTreeMap<String, (String, &Correction)> = BTreeMap::new();
    for one in all {
        let content = correction_content(one);
        // Without an id there is nothing but the content to know it by; no id looks like JSON.
        let id = if one.id.is_empty() { content.clone() } else { one.id.clone() };
        let kept = by_id.entry(id).or_insert_with(|| (content.clone(), one));
        if content > kept.0 {
            *kept = (content, one);
        }
    }
    let mut corrections: Vec<(String, &Correction)> = by_id.into_values().collect();
    corrections.sort_by_key(|(content, one)| (one.timestamp, one.id.clone(), content.clone()));
    corrections.into_iter().map(|(_, one)| one.clone()).collect()
}

/// What makes two regions of one commit the same one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: String,
    lines: Option<Lines>,
    name: String,
}

impl Key {
    fn of(region: &Region) -> Self {
        Self { file: region.file.clone(), lines: region.lines, name: region.anchor.name.clone() }
    }
}

/// A region with its own time and context, whatever note it stands in.
pub(super) struct Dated {
    pub(super) at: Timestamp,
    pub(super) context_level: ContextLevel,
    pub(super) region: Region,
}

impl Dated {
    pub(super) fn new(note: &Note, region: &Region) -> Self {
        let at = note.time_of(region).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { at, context_level: note.context_of(region).clone(), region: region.clone() }
    }

    fn tidied(mut self) -> Self {
        self.region.constraints = constraints(self.region.constraints.iter());
        self.region.corrections = corrections(self.region.corrections.iter());
        self
    }

    fn join(self, other: Self) -> Self {
        let both = [&self.region, &other.region];
        let constraints = constraints(both.iter().flat_map(|region| &region.constraints));
        let corrections = corrections(both.iter().flat_map(|region| &region.corrections));
        let mut winner = if self.rank() >= other.rank() { self } else { other };
        winner.region.constraints = constraints;
        winner.region.corrections = corrections;
        winner
    }

    pub(super) fn rank(&self) -> (Timestamp, String) {
        (self.at, region_content(&self.region, &self.context_level))
    }

    /// Puts the region into a note, saying of time and context only what the note does not.
    pub(super) fn within(self, timestamp: Option<Timestamp>, context_level: &ContextLevel) -> Region {
        let is_said = self.at == timestamp.unwrap_or(Timestamp::UNIX_EPOCH);
        Region {
            timestamp: (!is_said).then_some(self.at),
            context_level: (self.context_level != *context_level).then_some(self.context_level),
            ..self.region
        }
    }
}

fn head_rank(note: &Note) -> (Option<Timestamp>, String) {
    let provenance = &note.provenance;
    let content = json!([
        note.summary,
        note.task,
        note.context_level.as_str(),
        note.commit,
        provenance.operation.as_str(),
        provenance.original_annotations_preserved,
        provenance.synthesis_notes,
        provenance.extra,
        note.extra,
    ]);
    (note.timestamp, content.to_string())
}

// What is united on a merge has no say in who wins, or the winner would change with what was heard before.
fn region_content(region: &Region, context_level: &ContextLevel) -> String {
    let dependencies = region.semantic_dependencies.iter();
    let related = region.related_annotations.iter();
    let content = json!([
        region.intent,
        region.reasoning,
        region.risk_notes,
        region.anchor.kind,
        region.anchor.signature,
        context_level.as_str(),
        region.tags,
        dependencies.map(|one| json!([one.file, one.anchor, one.nature, one.extra])).collect::<Vec<_>>(),
        related.map(|one| json!([one.commit, one.anchor, one.relationship, one.extra])).collect::<Vec<_>>(),
        region.anchor.extra,
        region.extra,
    ]);
    content.to_string()
}

fn correction_content(one: &Correction) -> String {
    let at = one.timestamp.map(|at| at.to_string());
    json!([one.id, one.kind.as_str(), one.field, one.text, one.author, at, one.extra]).to_string()
}

fn text(extra: &Extra) -> String {
    json!(extra).to_string()
}
