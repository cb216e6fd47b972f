//! The YAML between the two `---` lines at the top of a Markdown file.

use app::Error;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Maximum depth of lists and maps.
const MAX_DEPTH: usize = 64;

/// A Markdown file, or an item of one.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    pub(crate) fields: Map<String, Value>,
    pub(crate) body: String,
}

/// Splits a text into its front matter and its body. `name` and `first_line` say where the text begins.
pub(crate) fn read(text: &str, name: &str, first_line: usize) -> Result<Document, Error> {
    let at = |line: usize, why: String| Error::invalid(format!("`{name}`: line {line}: {why}"));
    let text = text.replace("\r\n", "\n");
    let rest = text
        .strip_prefix("---\n")
        .ok_or_else(|| at(first_line, "the file does not begin with `---`, its front matter".to_owned()))?;
    let end = if rest.starts_with("---\n") { Some(0) } else { rest.find("\n---\n").map(|at| at + 1) };
    let end = end.or_else(|| rest.strip_suffix("\n---").map(|yaml| yaml.len() + 1));
    let end = end.ok_or_else(|| at(first_line, "the front matter has no end; close it with `---`".to_owned()))?;
    let fields = parse(&rest[..end], name, first_line)?;
    let body = rest[end..].strip_prefix("---").unwrap_or_default();
    Ok(Document { fields, body: body.strip_prefix('\n').unwrap_or(body).to_owned() })
}

pub(crate) fn parse(yaml: &str, name: &str, first_line: usize) -> Result<Map<String, Value>, Error> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| {
            let (line, column) = (error.marker().line() + first_line, error.marker().col() + 1);
            Error::invalid(format!("`{name}`: line {line}, column {column}: not valid YAML: {}", error.info()))
        })?;
        builder.add(event).map_err(|why| {
            let (line, column) = (span.start.line() + first_line, span.start.col() + 1);
            Error::invalid(format!("`{name}`: line {line}, column {column}: {why}"))
        })?;
    }
    match builder.root {
        Some(Value::Object(fields)) => Ok(fields),
        None | Some(Value::Null) => Ok(Map::new()),
        Some(_) => Err(Error::invalid(format!("`{name}`: line {first_line}: the front matter is not a map"))),
    }
}

/// A list or a map that is not complete.
enum Open {
    List(Vec<Value>),
    /// With the key that waits for its value.
    Map(Map<String, Value>, Option<String>),
}

#[derive(Default)]
struct Builder {
    root: Option<Value>,
    open: Vec<Open>,
}

impl Builder {
    fn add(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, ..) => self.put(scalar(&text, style)),
            Event::SequenceStart(..) => self.begin(Open::List(Vec::new())),
            Event::MappingStart(..) => self.begin(Open::Map(Map::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let value = match self.open.pop() {
                    Some(Open::List(values)) => Value::Array(values),
                    Some(Open::Map(fields, _)) => Value::Object(fields),
                    None => return Ok(()),
                };
                self.put(value)
            }
            // An alias could make a small file expand without end.
            Event::Alias(_) => Err("aliases are not read; write the value again".to_owned()),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("lists and maps are nested more than {MAX_DEPTH} deep"));
        }
        self.open.push(open);
        Ok(())
    }

    fn put(&mut self, value: Value) -> Result<(), String> {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::List(values)) => values.push(value),
            Some(Open::Map(fields, key)) => match key.take() {
                Some(key) => {
                    fields.insert(key, value);
                }
                None => *key = Some(key_text(&value)?),
            },
        }
        Ok(())
    }
}

fn key_text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) | Value::Null => Ok(value.to_string()),
        _ => Err("a key must be text".to_owned()),
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return text.into();
    }
    match text {
        "" | "~" | "null" | "Null" => Value::Null,
        "true" | "True" => true.into(),
        "false" | "False" => false.into(),
        // Only numbers that are written back as they are: `007` and `1.10` are texts.
        _ => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) if number.to_string() == text => number.into(),
            _ => text.into(),
        },
    }
}

/// Returns a value as YAML on one line: JSON, with all characters escaped that YAML would take for a line break.
pub(crate) fn write_value(value: &Value) -> String {
    let json = value.to_string();
    let is_plain =
        |c: char| c == ' ' || !(c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'));
    if json.chars().all(is_plain) {
        return json;
    }
    json.chars().map(|c| if is_plain(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn front_matter_is_read_with_its_types() {
        let text = "---\nid: BACK-1\ntitle: 'It''s'\nlabels: [a, \"b, c\"]\nassignee:\n  - '@ada'\nn: 7\nv: 1.10\nnone:\n---\n\n## Body\n";
        let document = read(text, "x.md", 1).unwrap();
        let expected = json!({"id": "BACK-1", "title": "It's", "labels": ["a", "b, c"], "assignee": ["@ada"], "n": 7,
            "v": "1.10", "none": null});
        assert_eq!(Value::Object(document.fields), expected);
        assert_eq!(document.body, "\n## Body\n");
    }

    #[test]
    fn errors_have_line_and_column() {
        let check = |text: &str, message: &str| assert_eq!(read(text, "x.md", 1).unwrap_err().message, message);
        check("title: x", "`x.md`: line 1: the file does not begin with `---`, its front matter");
        check("---\na: 1\n", "`x.md`: line 1: the front matter has no end; close it with `---`");
        check("---\na: &x 1\nb: *x\n---\n", "`x.md`: line 3, column 4: aliases are not read; write the value again");
        let bad = read("---\na: [1\n---\n", "x.md", 1).unwrap_err().message;
        assert!(bad.starts_with("`x.md`: line 3, column 1: not valid YAML: "), "{bad}");
    }

    fn value() -> impl Strategy<Value = Value> {
        let text = proptest::string::string_regex("(?s).{0,12}").unwrap();
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec(("[a-z:# ]{1,6}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_read_back(value in value()) {
            let yaml = format!("key: {}\n", write_value(&value));
            prop_assert_eq!(parse(&yaml, "x", 1).unwrap().remove("key").unwrap_or_default(), value, "{}", yaml);
        }
    }
}
