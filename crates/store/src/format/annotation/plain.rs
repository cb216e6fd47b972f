//! Parses regions of the usual shape in one pass. A note may have tens of thousands of regions; taking each apart key by
//! key costs three times as much.
//!
//! Returns nothing for a region with unknown fields, duplicate keys, corrections, earlier values or an error: the parser in
//! `read` handles those, and must return an equal region for all others.

use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use jiff::civil::Date;
use model::annotation::{
    Anchor, AnnotationKind, Constraint, ContextLevel, Dependency, Extra, Lines, Region, RelatedAnnotation, Source,
};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainRegion {
    file: String,
    ast_anchor: Option<Object<PlainAnchor>>,
    lines: Option<Object<PlainLines>>,
    timestamp: Option<String>,
    context_level: Option<String>,
    kind: Option<String>,
    until: Option<String>,
    intent: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    constraints: Vec<Object<PlainConstraint>>,
    #[serde(default)]
    semantic_dependencies: Vec<Object<PlainDependency>>,
    risk_notes: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    related_annotations: Vec<Object<PlainRelated>>,
    #[serde(default)]
    corrections: Vec<IgnoredAny>,
    #[serde(default)]
    earlier: Vec<IgnoredAny>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainAnchor {
    #[serde(rename = "type")]
    kind: Option<String>,
    name: Option<String>,
    signature: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainLines {
    start: u32,
    end: u32,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainConstraint {
    text: String,
    source: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainDependency {
    file: String,
    anchor: Option<String>,
    nature: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainRelated {
    commit: String,
    anchor: Option<String>,
    relationship: Option<String>,
}

/// An object. A derived reader of fields alone would also accept a list of their values.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// Parses a region; `None` if it is not of the usual shape.
pub(super) fn read(value: &RawValue) -> Option<Region> {
    let Object(plain): Object<PlainRegion> = serde_json::from_str(value.get()).ok()?;
    if !plain.corrections.is_empty() || !plain.earlier.is_empty() {
        return None;
    }
    let timestamp = plain.timestamp.map(|text| text.parse::<Timestamp>()).transpose().ok()?;
    let until = plain.until.map(|text| text.parse::<Date>()).transpose().ok()?;
    Some(Region {
        file: plain.file,
        anchor: plain.ast_anchor.map(|Object(anchor)| anchor.into()).unwrap_or_default(),
        lines: plain.lines.map(|Object(lines)| Lines { start: lines.start, end: lines.end }),
        timestamp,
        context_level: plain.context_level.map(|word| ContextLevel::from(word.as_str())),
        kind: plain.kind.map_or(AnnotationKind::Reason, |word| AnnotationKind::from(word.as_str())),
        until,
        intent: plain.intent.unwrap_or_default(),
        reasoning: plain.reasoning,
        constraints: plain.constraints.into_iter().map(|Object(one)| one.into()).collect(),
        semantic_dependencies: plain.semantic_dependencies.into_iter().map(|Object(one)| one.into()).collect(),
        risk_notes: plain.risk_notes,
        tags: plain.tags,
        related_annotations: plain.related_annotations.into_iter().map(|Object(one)| one.into()).collect(),
        corrections: Vec::new(),
        earlier: Vec::new(),
        extra: Extra::new(),
    })
}

impl From<PlainAnchor> for Anchor {
    fn from(plain: PlainAnchor) -> Self {
        let (kind, name) = (plain.kind.unwrap_or_default(), plain.name.unwrap_or_default());
        Self { kind, name, signature: plain.signature, extra: Extra::new() }
    }
}

impl From<PlainConstraint> for Constraint {
    fn from(plain: PlainConstraint) -> Self {
        let source = plain.source.map_or(Source::Inferred, |word| Source::from(word.as_str()));
        Self { text: plain.text, source, extra: Extra::new() }
    }
}

impl From<PlainDependency> for Dependency {
    fn from(plain: PlainDependency) -> Self {
        let (anchor, nature) = (plain.anchor.unwrap_or_default(), plain.nature.unwrap_or_default());
        Self { file: plain.file, anchor, nature, extra: Extra::new() }
    }
}

impl From<PlainRelated> for RelatedAnnotation {
    fn from(plain: PlainRelated) -> Self {
        let (anchor, relationship) = (plain.anchor.unwrap_or_default(), plain.relationship.unwrap_or_default());
        Self { commit: plain.commit, anchor, relationship, extra: Extra::new() }
    }
}
