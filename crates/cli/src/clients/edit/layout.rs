//! Detects the layout of a text (line ends, indentation), so that insertions match it.

use std::ops::Range;

use serde_json::Value;

/// Replaces a range of a text.
pub(super) fn splice(text: &str, range: Range<usize>, replacement: &str) -> String {
    [&text[..range.start], replacement, &text[range.end..]].concat()
}

/// Returns the line end; the first line decides.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(index) if text[..index].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the indentation of the line at an offset.
pub(super) fn indent_at(text: &str, offset: usize) -> &str {
    let start = line_start(text, offset);
    let line = &text[start..];
    let length = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
    &line[..length.min(offset - start)]
}

/// Returns the start of the line at an offset.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |index| index + 1)
}

/// Returns the end of the line at an offset, before its line end.
pub(super) fn line_stop(text: &str, offset: usize) -> usize {
    let stop = text[offset..].find('\n').map_or(text.len(), |index| offset + index);
    if text[offset..stop].ends_with('\r') { stop - 1 } else { stop }
}

/// The style for writing JSON into a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Style<'a> {
    /// On one line; `spaced` after colons and commas.
    Inline {
        /// Whether there is a space after colons and commas.
        spaced: bool,
    },
    /// One line per key, indented.
    Lines {
        /// The indentation of the first line.
        indent: &'a str,
        /// One level of indentation.
        unit: &'a str,
        end: &'static str,
    },
}

/// Writes a value. Lists stay on one line: here they are commands with arguments, which are easier to read that way.
pub(super) fn json(value: &Value, style: Style<'_>) -> String {
    let (colon, comma) = match style {
        Style::Inline { spaced: false } => (":", ","),
        _ => (": ", ", "),
    };
    match (value, style) {
        (Value::Object(entries), Style::Lines { indent, unit, end }) if !entries.is_empty() => {
            let inner = format!("{indent}{unit}");
            let style = Style::Lines { indent: &inner, unit, end };
            let lines =
                entries.iter().map(|(key, value)| format!("{inner}{}{colon}{}", quoted(key), json(value, style)));
            format!("{{{end}{}{end}{indent}}}", lines.collect::<Vec<_>>().join(&format!(",{end}")))
        }
        (Value::Object(entries), _) => {
            let parts = entries.iter().map(|(key, value)| format!("{}{colon}{}", quoted(key), json(value, style)));
            format!("{{{}}}", parts.collect::<Vec<_>>().join(comma))
        }
        (Value::Array(values), _) => {
            let parts = values.iter().map(|value| json(value, style));
            format!("[{}]", parts.collect::<Vec<_>>().join(comma))
        }
        (scalar, _) => scalar.to_string(),
    }
}

pub(super) fn quoted(key: &str) -> String {
    Value::from(key).to_string()
}
