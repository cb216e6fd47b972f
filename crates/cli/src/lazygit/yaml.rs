//! Parses YAML with positions. Read-only.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, SpannedEventReceiver};

/// A parsed value with its position.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    /// Its first line, from 0.
    pub(super) line: usize,
    /// Its first column, in characters from 0.
    pub(super) column: usize,
    /// Its last line; for a block, the line after it.
    pub(super) end_line: usize,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A text, and whether it is unquoted.
    Scalar {
        text: String,
        is_plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// A reference to another node, by the number of its anchor.
    Alias(usize),
}

// Equality ignores positions.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A syntax error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The line, from 1.
    pub(super) line: usize,
    /// The column, from 1.
    pub(super) column: usize,
    pub(super) what: String,
}

/// Parses the documents of a text.
pub(super) fn read(text: &str) -> Result<Vec<Node>, Problem> {
    let mut builder = Builder::default();
    let problem =
        |marker: &Marker, what: &str| Problem { line: marker.line(), column: marker.col() + 1, what: what.to_owned() };
    Parser::new_from_str(text).load(&mut builder, true).map_err(|error| problem(error.marker(), error.info()))?;
    Ok(builder.documents)
}

#[derive(Default)]
struct Builder {
    documents: Vec<Node>,
    open: Vec<Node>,
    /// Keys that wait for their values, one per open map.
    keys: Vec<Option<Node>>,
}

impl SpannedEventReceiver<'_> for Builder {
    fn on_event(&mut self, event: Event<'_>, span: Span) {
        let node = |value| Node {
            value,
            line: span.start.line() - 1,
            column: span.start.col(),
            end_line: span.end.line() - 1,
        };
        match event {
            Event::Scalar(text, style, ..) => {
                let is_plain = style == ScalarStyle::Plain;
                self.add(node(Value::Scalar { text: text.into_owned(), is_plain }));
            }
            Event::Alias(anchor) => self.add(node(Value::Alias(anchor))),
            Event::SequenceStart(..) => self.open.push(node(Value::List(Vec::new()))),
            Event::MappingStart(..) => {
                self.open.push(node(Value::Map(Vec::new())));
                self.keys.push(None);
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let Some(mut closed) = self.open.pop() else { return };
                if matches!(closed.value, Value::Map(_)) {
                    self.keys.pop();
                }
                closed.end_line = span.end.line() - 1;
                self.add(closed);
            }
            _ => {}
        }
    }
}

impl Builder {
    fn add(&mut self, node: Node) {
        match self.open.last_mut().map(|open| &mut open.value) {
            None => self.documents.push(node),
            Some(Value::List(items)) => items.push(node),
            Some(Value::Map(entries)) => match self.keys.last_mut().and_then(Option::take) {
                Some(key) => entries.push((key, node)),
                None => _ = self.keys.last_mut().map(|key| *key = Some(node)),
            },
            Some(_) => {}
        }
    }
}

impl Node {
    /// Returns a text, quoted or not.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns whether it is null.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, is_plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    pub(super) fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn entries(&self) -> &[(Node, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the entry of a key in a map.
    pub(super) fn entry(&self, name: &str) -> Option<&(Node, Node)> {
        self.entries().iter().find(|(key, _)| key.text() == Some(name))
    }

    /// Returns the value of a key in a map.
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known() {
        let document = read("# c\na:\n  - x\n  - 'y': 1\nb: []\n").unwrap().remove(0);
        let (key, list) = document.entry("a").unwrap();
        assert_eq!((key.line, key.column), (1, 0));
        assert_eq!(list.items().iter().map(|item| (item.line, item.column)).collect::<Vec<_>>(), [(2, 4), (3, 4)]);
        let (key, list) = document.entry("b").unwrap();
        assert_eq!((key.line, list.line, list.column, list.end_line), (4, 4, 3, 4));
    }

    #[test]
    fn equality_is_of_values_not_of_notation() {
        assert_eq!(read("a: [1, 'b']").unwrap(), read("# x\n\na:\n- 1\n- \"b\"\n").unwrap());
        assert_ne!(read("a: 1").unwrap(), read("a: '1'").unwrap());
    }

    #[test]
    fn mistakes_have_a_place() {
        let problem = read("a:\n\tb: 1\n").unwrap_err();
        assert_eq!(problem.line, 2, "{problem:?}");
        assert!(read("a: [1\n").is_err());
        assert!(read("a: *nothing\n").is_err());
        assert_eq!(read("").unwrap(), []);
        assert_eq!(read("# only words\n").unwrap(), []);
    }
}
