//! Parses an annotation document into a note. Required are only a summary and, for each region, a file and an intent;
//! other fields may be abbreviated or omitted. All errors are reported at once, by field.

use app::Error;
use model::annotation::{ContextLevel, Note};
use serde_json::{Map, Value, json};
use store::format::annotation::{self, BadNote, SCHEMA};

/// Parses a document; its `commit` is as given, perhaps empty.
pub(super) fn read(document: &str) -> Result<Note, Error> {
    let value: Value = serde_json::from_str(document)
        .map_err(|error| Error::invalid(format!("the annotation is not valid JSON: {error}")).hint(EXAMPLE))?;
    let Value::Object(mut fields) = value else {
        return Err(Error::invalid("the annotation is not a JSON object").hint(EXAMPLE));
    };
    let mut problems = Vec::new();
    complete(&mut fields, &mut problems);
    if !problems.is_empty() {
        return Err(refused(&problems));
    }
    let bytes = Value::Object(fields).to_string().into_bytes();
    annotation::read(&bytes).map_err(|error| match error {
        BadNote::Shape { .. } => refused(&[error.to_string()]),
        other => Error::invalid(format!("the annotation cannot be written: {other}")),
    })
}

const EXAMPLE: &str = "the minimal document is {\"summary\": \"…\", \"regions\": [{\"file\": \"src/a.rs\", \"anchor\": \"open\", \
    \"intent\": \"…\"}]}";

/// Returns the error for a document, one line per field.
pub(super) fn refused(problems: &[String]) -> Error {
    let lines: Vec<String> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
    Error::invalid(format!("invalid annotation, nothing was written:{}", lines.concat()))
}

/// Expands an abbreviated document.
fn complete(fields: &mut Map<String, Value>, problems: &mut Vec<String>) {
    if !fields.contains_key("schema") {
        fields.entry("$schema").or_insert_with(|| json!(SCHEMA));
    }
    let level = fields.entry("context_level").or_insert_with(|| json!(ContextLevel::Enhanced.as_str()));
    let source = if level == "inferred" { "inferred" } else { "author" };
    need_text(fields, "summary", "summary", problems);
    match fields.get_mut("regions") {
        Some(Value::Array(regions)) if !regions.is_empty() => {
            for (n, region) in regions.iter_mut().enumerate() {
                let place = format!("regions[{n}]");
                match region {
                    Value::Object(region) => complete_region(region, &place, source, problems),
                    _ => problems.push(format!("`{place}` is not an object")),
                }
            }
        }
        Some(Value::Array(_)) => problems.push("`regions` is empty".to_owned()),
        Some(_) => problems.push("`regions` is not a list".to_owned()),
        None => problems.push("`regions` is missing".to_owned()),
    }
}

fn complete_region(region: &mut Map<String, Value>, place: &str, source: &str, problems: &mut Vec<String>) {
    need_text(region, "file", &format!("{place}.file"), problems);
    need_text(region, "intent", &format!("{place}.intent"), problems);
    match region.remove("anchor") {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => {
            region.entry("ast_anchor").or_insert_with(|| json!({ "name": name }));
        }
        Some(anchor @ Value::Object(_)) => {
            region.entry("ast_anchor").or_insert(anchor);
        }
        Some(_) => problems.push(format!("`{place}.anchor` is not a name")),
    }
    if let Some(lines) = region.get_mut("lines") {
        complete_lines(lines, &format!("{place}.lines"), problems);
    }
    if let Some(Value::Array(constraints)) = region.get_mut("constraints") {
        for constraint in constraints {
            complete_constraint(constraint, source);
        }
    }
}

/// Expands `START:END`, a pair or an object; validates the lines.
fn complete_lines(lines: &mut Value, place: &str, problems: &mut Vec<String>) {
    let pair = match &*lines {
        Value::Null => return,
        Value::String(text) => read_range(text),
        Value::Array(pair) => match pair.as_slice() {
            [start, end] => start.as_u64().zip(end.as_u64()),
            _ => None,
        },
        Value::Object(pair) => pair.get("start").and_then(Value::as_u64).zip(pair.get("end").and_then(Value::as_u64)),
        _ => None,
    };
    match pair.filter(|(start, end)| (1..=*end).contains(start)) {
        Some((start, end)) if !lines.is_object() => *lines = json!({ "start": start, "end": end }),
        Some(_) => {}
        None => problems.push(format!("`{place}` must be {{\"start\": N, \"end\": N}}, counted from 1")),
    }
}

/// Parses `10:20` or `10-20`.
pub(super) fn read_range(text: &str) -> Option<(u64, u64)> {
    let (start, end) = text.split_once([':', '-'])?;
    Some((start.trim().parse().ok()?, end.trim().parse().ok()?))
}

// A plain text is a constraint by the document's author.
fn complete_constraint(constraint: &mut Value, source: &str) {
    if let Value::String(text) = &*constraint {
        *constraint = json!({ "text": text });
    }
    if let Value::Object(constraint) = constraint {
        constraint.entry("source").or_insert_with(|| json!(source));
    }
}

fn need_text(fields: &Map<String, Value>, key: &str, place: &str, problems: &mut Vec<String>) {
    match fields.get(key) {
        None | Some(Value::Null) => problems.push(format!("`{place}` is missing")),
        Some(Value::String(text)) if text.trim().is_empty() => problems.push(format!("`{place}` is empty")),
        Some(Value::String(text)) if text.contains('\0') => problems.push(format!("`{place}` has a NUL in it")),
        Some(Value::String(_)) => {}
        Some(_) => problems.push(format!("`{place}` is not text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_reported_together() {
        let error =
            read(r#"{"regions": [{"file": 3, "lines": "9:2"}, 7, {"intent": " ", "anchor": []}]}"#).unwrap_err();
        insta::assert_snapshot!(error.message, @r#"
        invalid annotation, nothing was written:
          `summary` is missing
          `regions[0].file` is not text
          `regions[0].intent` is missing
          `regions[0].lines` must be {"start": N, "end": N}, counted from 1
          `regions[1]` is not an object
          `regions[2].file` is missing
          `regions[2].intent` is empty
          `regions[2].anchor` is not a name
        "#);
        for bad in [
            "",
            "[]",
            "{",
            r#"{"summary": "s", "regions": []}"#,
            r#"{"$schema": "x", "summary": "s", "regions": [{"file": "a", "intent": "i"}]}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn short_and_long_are_the_same() {
        let short = r#"{"summary": "s", "regions": [{"file": "a", "anchor": "f", "intent": "i", "lines": "1:2",
            "constraints": ["c"], "mood": {"b": 1, "a": 2}}]}"#;
        let long = r#"{"$schema": "ultragit/v1", "summary": "s", "context_level": "enhanced", "regions": [{"file": "a",
            "ast_anchor": {"name": "f"}, "intent": "i", "lines": {"start": 1, "end": 2},
            "constraints": [{"text": "c", "source": "author"}], "mood": {"a": 2, "b": 1}}]}"#;
        assert_eq!(read(short).unwrap(), read(long).unwrap());
        assert!(read(short).unwrap().regions[0].extra.contains_key("mood"));
    }
}
