//! Serializes a note: one line, known keys in the order of the specification, then unknown keys, sorted. Equal notes
//! have equal bytes; the merge of two clones relies on it.

use model::annotation::{
    Anchor, AnnotationKind, Constraint, ContextLevel, Correction, Dependency, EarlierValue, Extra, Lines, Note,
    Provenance, Region, RelatedAnnotation,
};
use serde_json::{Map, Value, json};

use super::{BadNote, SCHEMA};

/// Writes a note like [`write()`], and reads it back: what a reader would refuse must not be written.
pub fn write_readable(note: &Note) -> Result<Vec<u8>, BadNote> {
    let bytes = write(note);
    super::read(&bytes).map(|_| bytes)
}

/// Writes a note as one line, with its line break.
pub fn write(note: &Note) -> Vec<u8> {
    let mut bytes = note_value(note).to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// An object under construction.
struct Object(Map<String, Value>);

impl Object {
    fn new() -> Self {
        Self(Map::new())
    }

    fn put(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    fn put_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.put(key, value),
            None => self,
        }
    }

    fn put_each<T>(self, key: &str, all: &[T], write: impl Fn(&T) -> Value) -> Self {
        self.put(key, all.iter().map(write).collect::<Vec<_>>())
    }

    /// Adds a list, unless it is empty.
    fn put_any<T>(self, key: &str, all: &[T], write: impl Fn(&T) -> Value) -> Self {
        if all.is_empty() { self } else { self.put_each(key, all, write) }
    }

    // An unknown key never overwrites a known one.
    fn with(mut self, extra: &Extra) -> Value {
        for (key, value) in extra {
            if !self.0.contains_key(key) {
                self.0.insert(key.clone(), value.clone());
            }
        }
        Value::Object(self.0)
    }
}

fn note_value(note: &Note) -> Value {
    Object::new()
        .put("$schema", SCHEMA)
        .put("commit", note.commit.as_str())
        .put_some("timestamp", note.timestamp.map(|at| at.to_string()))
        .put_some("task", note.task.as_deref())
        .put("summary", note.summary.as_str())
        .put("context_level", note.context_level.as_str())
        .put_each("regions", &note.regions, region)
        .put("cross_cutting", note.cross_cutting.clone())
        .put("provenance", provenance(&note.provenance))
        .put_any("earlier", &note.earlier, earlier)
        .with(&note.extra)
}

fn region(region: &Region) -> Value {
    Object::new()
        .put("file", region.file.as_str())
        .put("ast_anchor", anchor(&region.anchor))
        .put_some("lines", region.lines.map(|value| lines(value, region.extra.get("lines"))))
        .put_some("timestamp", region.timestamp.map(|at| at.to_string()))
        .put_some("context_level", region.context_level.as_ref().map(ContextLevel::as_str))
        .put_some(
            "kind",
            Some(&region.kind).filter(|kind| **kind != AnnotationKind::Reason).map(AnnotationKind::as_str),
        )
        .put_some("until", region.until.map(|day| day.to_string()))
        .put("intent", region.intent.as_str())
        .put_some("reasoning", region.reasoning.as_deref())
        .put_each("constraints", &region.constraints, constraint)
        .put_each("semantic_dependencies", &region.semantic_dependencies, dependency)
        .put_some("risk_notes", region.risk_notes.as_deref())
        .put("tags", json!(region.tags))
        .put_each("related_annotations", &region.related_annotations, related)
        .put_each("corrections", &region.corrections, correction)
        .put_any("earlier", &region.earlier, earlier)
        .with(&region.extra)
}

fn lines(lines: Lines, rest: Option<&Value>) -> Value {
    let rest = rest.and_then(Value::as_object).into_iter().flatten();
    let rest: Extra = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    Object::new().put("start", lines.start).put("end", lines.end).with(&rest)
}

fn anchor(anchor: &Anchor) -> Value {
    Object::new()
        .put("type", anchor.kind.as_str())
        .put("name", anchor.name.as_str())
        .put_some("signature", anchor.signature.as_deref())
        .with(&anchor.extra)
}

fn constraint(one: &Constraint) -> Value {
    Object::new().put("text", one.text.as_str()).put("source", one.source.as_str()).with(&one.extra)
}

fn dependency(one: &Dependency) -> Value {
    Object::new()
        .put("file", one.file.as_str())
        .put("anchor", one.anchor.as_str())
        .put("nature", one.nature.as_str())
        .with(&one.extra)
}

fn related(one: &RelatedAnnotation) -> Value {
    Object::new()
        .put("commit", one.commit.as_str())
        .put("anchor", one.anchor.as_str())
        .put("relationship", one.relationship.as_str())
        .with(&one.extra)
}

fn correction(one: &Correction) -> Value {
    Object::new()
        .put("id", one.id.as_str())
        .put("kind", one.kind.as_str())
        .put_some("field", one.field.as_deref())
        .put("text", one.text.as_str())
        .put("author", one.author.as_str())
        .put_some("timestamp", one.timestamp.map(|at| at.to_string()))
        .with(&one.extra)
}

fn earlier(one: &EarlierValue) -> Value {
    Object::new()
        .put("field", one.field.as_str())
        .put("value", one.value.clone())
        .put_some("timestamp", one.timestamp.map(|at| at.to_string()))
        .with(&one.extra)
}

fn provenance(provenance: &Provenance) -> Value {
    Object::new()
        .put("operation", provenance.operation.as_str())
        .put("derived_from", json!(provenance.derived_from))
        .put("original_annotations_preserved", provenance.original_annotations_preserved)
        .put_some("synthesis_notes", provenance.synthesis_notes.as_deref())
        .with(&provenance.extra)
}
