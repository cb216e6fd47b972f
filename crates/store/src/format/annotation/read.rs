//! Parses the bytes of a note.

use model::annotation::{
    Anchor, AnnotationKind, Constraint, ContextLevel, Correction, CorrectionKind, Dependency, EarlierValue, Lines,
    Note, Operation, Provenance, Region, RelatedAnnotation, Source, squash,
};
use serde_json::Value;
use serde_json::value::RawValue;

use super::fields::{Fields, Path, sorted};
use super::{BadNote, MAX_BYTES, MAX_REGIONS, SCHEMA, plain};

/// Parses the note of a commit. When git itself copies notes of squashed commits, it concatenates them; such a note is
/// parsed as the squash of all its documents.
pub fn read(bytes: &[u8]) -> Result<Note, BadNote> {
    let note = together(read_documents(bytes)?)?;
    check_length(note.regions.len()).map(|()| note)
}

fn check_length(n_regions: usize) -> Result<(), BadNote> {
    if n_regions > MAX_REGIONS { Err(BadNote::TooManyRegions) } else { Ok(()) }
}

fn together(mut documents: Vec<Note>) -> Result<Note, BadNote> {
    let last = documents.pop().ok_or(BadNote::Empty)?;
    if documents.is_empty() {
        return Ok(last);
    }
    let (commit, at) = (last.commit.clone(), last.timestamp.unwrap_or_default());
    documents.push(last);
    let mut note = squash(&documents, &commit, at).ok_or(BadNote::Empty)?;
    if documents.iter().all(|one| one.commit == commit) {
        // Two notes on one commit (`git notes merge -s union`): neither is derived from another commit.
        note.provenance.derived_from.retain(|part| *part != commit);
    }
    Ok(note)
}

/// Parses the documents of a note: one, unless git concatenated several.
pub fn read_documents(bytes: &[u8]) -> Result<Vec<Note>, BadNote> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(BadNote::TooLong);
    }
    if bytes.trim_ascii().is_empty() {
        return Err(BadNote::Empty);
    }
    let text = str::from_utf8(bytes).map_err(|_| BadNote::NotText)?;
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let documents = values.map(|value| document(value.map_err(|error| BadNote::NotJson(error.to_string()))?));
    documents.collect()
}

fn document(value: &RawValue) -> Result<Note, BadNote> {
    let mut fields = Fields::of(value, Path::Document)?;
    check_schema(&mut fields)?;
    note(fields)
}

fn check_schema(fields: &mut Fields<'_>) -> Result<(), BadNote> {
    let schema = match fields.try_text("$schema")? {
        Some(schema) => Some(schema),
        None => fields.try_text("schema")?,
    };
    match schema {
        Some(schema) if schema == SCHEMA => Ok(()),
        Some(other) => Err(BadNote::Schema(format!("`{other}`"))),
        None => Err(BadNote::Schema("nothing".to_owned())),
    }
}

fn note(mut fields: Fields<'_>) -> Result<Note, BadNote> {
    Ok(Note {
        commit: fields.try_text("commit")?.unwrap_or_default(),
        timestamp: fields.try_time("timestamp")?,
        task: fields.try_text("task")?,
        summary: fields.try_text("summary")?.unwrap_or_default(),
        context_level: fields.word("context_level", ContextLevel::Inferred)?,
        regions: fields.objects_by("regions", plain::read, region)?,
        cross_cutting: fields.list("cross_cutting")?.into_iter().map(sorted).collect::<Result<_, _>>()?,
        provenance: fields.try_object("provenance", provenance)?.unwrap_or_default(),
        earlier: fields.objects("earlier", earlier)?,
        extra: fields.rest()?,
    })
}

fn region(mut fields: Fields<'_>) -> Result<Region, BadNote> {
    let lines = fields.try_object("lines", lines)?;
    let mut region = Region {
        file: fields.text("file")?,
        anchor: fields.try_object("ast_anchor", anchor)?.unwrap_or_default(),
        lines: lines.as_ref().map(|(lines, _)| *lines),
        timestamp: fields.try_time("timestamp")?,
        context_level: fields.try_text("context_level")?.map(|word| ContextLevel::from(word.as_str())),
        kind: fields.word("kind", AnnotationKind::Reason)?,
        until: fields.try_date("until")?,
        intent: fields.try_text("intent")?.unwrap_or_default(),
        reasoning: fields.try_text("reasoning")?,
        constraints: fields.objects("constraints", constraint)?,
        semantic_dependencies: fields.objects("semantic_dependencies", dependency)?,
        risk_notes: fields.try_text("risk_notes")?,
        tags: fields.texts("tags")?,
        related_annotations: fields.objects("related_annotations", related)?,
        corrections: fields.objects("corrections", correction)?,
        earlier: fields.objects("earlier", earlier)?,
        extra: fields.rest()?,
    };
    // A pair of numbers has no room for unknown keys of a newer version, so these are kept under the key of the pair.
    region.extra.extend(lines.map(|(_, rest)| ("lines".to_owned(), rest)).filter(|(_, rest)| !is_empty(rest)));
    Ok(region)
}

fn lines(mut fields: Fields<'_>) -> Result<(Lines, Value), BadNote> {
    let lines = Lines { start: fields.number("start")?, end: fields.number("end")? };
    Ok((lines, fields.rest()?.into_iter().collect()))
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn anchor(mut fields: Fields<'_>) -> Result<Anchor, BadNote> {
    let kind = match fields.try_text("type")? {
        Some(kind) => kind,
        None => fields.try_text("unit_type")?.unwrap_or_default(),
    };
    let name = fields.try_text("name")?.unwrap_or_default();
    Ok(Anchor { kind, name, signature: fields.try_text("signature")?, extra: fields.rest()? })
}

fn constraint(mut fields: Fields<'_>) -> Result<Constraint, BadNote> {
    let source = fields.word("source", Source::Inferred)?;
    Ok(Constraint { text: fields.text("text")?, source, extra: fields.rest()? })
}

fn dependency(mut fields: Fields<'_>) -> Result<Dependency, BadNote> {
    Ok(Dependency {
        file: fields.text("file")?,
        anchor: fields.try_text("anchor")?.unwrap_or_default(),
        nature: fields.try_text("nature")?.unwrap_or_default(),
        extra: fields.rest()?,
    })
}

fn related(mut fields: Fields<'_>) -> Result<RelatedAnnotation, BadNote> {
    Ok(RelatedAnnotation {
        commit: fields.text("commit")?,
        anchor: fields.try_text("anchor")?.unwrap_or_default(),
        relationship: fields.try_text("relationship")?.unwrap_or_default(),
        extra: fields.rest()?,
    })
}

fn correction(mut fields: Fields<'_>) -> Result<Correction, BadNote> {
    Ok(Correction {
        id: fields.try_text("id")?.unwrap_or_default(),
        kind: fields.word("kind", CorrectionKind::Flag)?,
        field: fields.try_text("field")?,
        text: fields.try_text("text")?.unwrap_or_default(),
        author: fields.try_text("author")?.unwrap_or_default(),
        timestamp: fields.try_time("timestamp")?,
        extra: fields.rest()?,
    })
}

fn earlier(mut fields: Fields<'_>) -> Result<EarlierValue, BadNote> {
    Ok(EarlierValue {
        field: fields.text("field")?,
        value: fields.value("value")?,
        timestamp: fields.try_time("timestamp")?,
        extra: fields.rest()?,
    })
}

fn provenance(mut fields: Fields<'_>) -> Result<Provenance, BadNote> {
    Ok(Provenance {
        operation: fields.word("operation", Operation::Initial)?,
        derived_from: fields.texts("derived_from")?,
        original_annotations_preserved: fields.try_boolean("original_annotations_preserved")?.unwrap_or(true),
        synthesis_notes: fields.try_text("synthesis_notes")?,
        extra: fields.rest()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_regions_is_limited() {
        assert_eq!([MAX_REGIONS, MAX_REGIONS + 1].map(check_length), [Ok(()), Err(BadNote::TooManyRegions)]);
    }

    /// Reads a region both ways; `None` if the quick way leaves it to the other.
    fn read_twice(text: &str) -> Option<(Region, Result<Region, BadNote>)> {
        let value: &RawValue = serde_json::from_str(text).unwrap();
        Some((plain::read(value)?, Fields::of(value, Path::Document).and_then(region)))
    }

    #[test]
    fn quick_reader_gives_the_same_regions() {
        let full = r#"{"file":"a","ast_anchor":{"type":"function","name":"f","signature":"fn f()"},
            "lines":{"start":1,"end":2},"timestamp":"2026-01-01T00:00:00Z","context_level":"enhanced","kind":"dead_end",
            "until":"2026-12-31","intent":"\u00e9 \"i\"","reasoning":"r","constraints":[{"text":"c","source":"author"},
            {"text":"d","source":null}],"semantic_dependencies":[{"file":"b","anchor":"g","nature":"n"},{"file":"c"}],
            "risk_notes":"k","tags":["s","t"],"related_annotations":[{"commit":"1","anchor":"x","relationship":"y"},
            {"commit":"2"}],"corrections":[],"earlier":[]}"#;
        let bare = r#"{"file":"a"}"#;
        let nulls = r#"{"file":"a","ast_anchor":null,"lines":null,"intent":null,"kind":null,"until":null}"#;
        for text in [full, bare, nulls, r#"{"file":"a","ast_anchor":{"name":"x","type":null},"kind":"new"}"#] {
            let (quick, slow) = read_twice(text).expect(text);
            assert_eq!(Ok(quick), slow, "{text}");
        }
    }

    #[test]
    fn quick_reader_leaves_everything_unusual_to_the_other() {
        for rest in [
            r#""owner":1"#,
            r#""file":"b""#,
            r#""lines":[1,2]"#,
            r#""lines":{"start":1,"end":2,"unit":"line"}"#,
            r#""lines":{"start":1}"#,
            r#""ast_anchor":["function","f",null]"#,
            r#""ast_anchor":{"unit_type":"function"}"#,
            r#""constraints":[["c","author"]]"#,
            r#""constraints":null"#,
            r#""corrections":[{"id":"1"}]"#,
            r#""earlier":[{"field":"intent","value":"x"}]"#,
            r#""timestamp":"yesterday""#,
            r#""until":"soon""#,
            r#""tags":[1]"#,
        ] {
            assert!(read_twice(&format!(r#"{{"file":"a",{rest}}}"#)).is_none(), "{rest}");
        }
        assert!(read_twice(r#"["a"]"#).is_none() && read_twice("{}").is_none());
    }
}
