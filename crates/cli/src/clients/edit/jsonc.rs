//! Edits of JSON with comments and trailing commas.

use std::ops::Range;

use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::layout::{Style, indent_at, json, line_end, quoted, splice};
use super::{EditError, error_at};

/// The most permissive JSON of any client: comments and trailing commas.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

struct Document<'a> {
    text: &'a str,
    /// `None` if there are only blanks and comments.
    root: Option<ast::Value<'a>>,
    /// Comments included.
    tokens: Vec<TokenAndRange<'a>>,
}

/// Returns the value at a path; fails if a parent is not an object.
pub(super) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, EditError> {
    let document = Document::read(text)?;
    let Some(mut value) = document.root.as_ref() else { return Ok(None) };
    for (depth, key) in path.iter().enumerate() {
        let object = document.object(value, &path[..depth])?;
        let Some(property) = document.find(object, key)? else { return Ok(None) };
        value = &property.value;
    }
    Ok(Some(to_value(value)))
}

/// Sets a value at a path, creating missing parent objects.
pub(super) fn put(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let document = Document::read(text)?;
    let Some(root) = &document.root else { return Ok(document.begin(&nested(path, value))) };
    let mut object = document.object(root, &[])?;
    for (depth, key) in path.iter().enumerate() {
        let deeper = &path[depth + 1..];
        match document.find(object, key)? {
            None => return Ok(document.insert(object, key, &nested(deeper, value))),
            Some(property) if deeper.is_empty() => return Ok(document.replace(object, property, value)),
            Some(property) => object = document.object(&property.value, &path[..=depth])?,
        }
    }
    Ok(text.to_owned())
}

/// Removes the property at a path, with its comma.
pub(super) fn take(text: &str, path: &[&str]) -> Result<String, EditError> {
    let document = Document::read(text)?;
    let (Some(root), Some((last, parents))) = (&document.root, path.split_last()) else { return Ok(text.to_owned()) };
    let mut object = document.object(root, &[])?;
    for (depth, key) in parents.iter().enumerate() {
        let Some(property) = document.find(object, key)? else { return Ok(text.to_owned()) };
        object = document.object(&property.value, &path[..=depth])?;
    }
    Ok(document.find(object, last)?.map_or_else(|| text.to_owned(), |property| document.take(object, property)))
}

/// Adds an element after the last one of the list at a path.
pub(super) fn append_element(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let document = Document::read(text)?;
    let Some(list) = document.list(path)? else { return Ok(text.to_owned()) };
    let Some(last) = list.elements.last() else {
        let element = json(value, document.style(text.contains('\n'), indent_at(text, list.start())));
        return Ok(splice(text, list.start() + 1..list.end() - 1, &element));
    };
    let lead = &text[document.end_before(last.start())..last.start()];
    let element = json(value, document.style(lead.contains('\n'), indent_at(text, last.start())));
    let comma = document.between(last.end(), list.end() - 1).find(|token| token.token == Token::Comma);
    Ok(match comma {
        Some(comma) => splice(text, comma.end()..comma.end(), &format!("{lead}{element},")),
        None => splice(text, last.end()..last.end(), &format!(",{lead}{element}")),
    })
}

/// Removes the element at a position of the list at a path, with its comma.
pub(super) fn take_element(text: &str, path: &[&str], place: usize) -> Result<String, EditError> {
    let document = Document::read(text)?;
    let Some(list) = document.list(path)? else { return Ok(text.to_owned()) };
    let Some(element) = list.elements.get(place) else { return Ok(text.to_owned()) };
    let siblings = Siblings { n: list.elements.len(), is_last: place + 1 == list.elements.len() };
    Ok(document.cut(list.start()..list.end(), element.start()..element.end(), siblings))
}

/// The position of a part among the parts of its object or list.
#[derive(Clone, Copy)]
struct Siblings {
    n: usize,
    is_last: bool,
}

impl<'a> Document<'a> {
    fn read(text: &'a str) -> Result<Self, EditError> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let read = parse_to_ast(text, &collect, &OPTIONS)
            .map_err(|error| error_at(text, error.range().start, lower_first(&error.kind().to_string())))?;
        Ok(Self { text, root: read.value, tokens: read.tokens.unwrap_or_default() })
    }

    fn object<'v>(&self, value: &'v ast::Value<'a>, path: &[&str]) -> Result<&'v Object<'a>, EditError> {
        let name = if path.is_empty() { "the document".to_owned() } else { format!("`{}`", path.join(".")) };
        let problem = || error_at(self.text, value.range().start, format!("{name} should be an object"));
        value.as_object().ok_or_else(problem)
    }

    /// Finds a property. A duplicate key is an error, since parsers differ in which one they use.
    fn find<'o>(&self, object: &'o Object<'a>, key: &str) -> Result<Option<&'o ObjectProp<'a>>, EditError> {
        let mut found = object.properties.iter().filter(|property| property.name.as_str() == key);
        let first = found.next();
        match found.next() {
            Some(second) => {
                let problem = format!("`{key}` occurs twice; keep one of them");
                Err(error_at(self.text, second.range.start, problem))
            }
            None => Ok(first),
        }
    }

    /// Writes an object into a text without one.
    fn begin(&self, value: &Value) -> String {
        let end = line_end(self.text);
        let comments = if self.text.trim().is_empty() { "" } else { self.text };
        let gap = if comments.is_empty() || comments.ends_with('\n') { "" } else { end };
        let style = Style::Lines { indent: "", unit: "  ", end };
        format!("{comments}{gap}{}{end}", json(value, style))
    }

    fn replace(&self, object: &Object<'_>, property: &ObjectProp<'_>, value: &Value) -> String {
        let indent = indent_at(self.text, property.range.start);
        let value = json(value, self.style(self.is_in_lines(object), indent));
        splice(self.text, property.value.start()..property.value.end(), &value)
    }

    fn insert(&self, object: &Object<'_>, key: &str, value: &Value) -> String {
        match object.properties.last() {
            Some(last) => self.append(object, last, key, value),
            None => self.fill(object, key, value),
        }
    }

    /// Adds a property after the last one and the comments on its line.
    fn append(&self, object: &Object<'_>, last: &ObjectProp<'_>, key: &str, value: &Value) -> String {
        let in_lines = self.is_in_lines(object);
        let comma = self.between(last.end(), object.end() - 1).find(|token| token.token == Token::Comma);
        let mut place = comma.map_or(last.end(), Ranged::end);
        if in_lines {
            for token in self.between(place, object.end() - 1).filter(|token| is_comment(token)) {
                let is_same_line = !self.text[place..token.start()].contains('\n');
                place = if is_same_line { token.end() } else { break };
            }
        }
        let indent = indent_at(self.text, last.start());
        let lead = if in_lines {
            format!("{}{indent}", line_end(self.text))
        } else {
            self.text[self.end_before(last.start())..last.start()].to_owned()
        };
        let property = property_text(key, value, self.style(in_lines, indent));
        let trailing = if comma.is_some() { "," } else { "" };
        let text = splice(self.text, place..place, &format!("{lead}{property}{trailing}"));
        if comma.is_some() { text } else { splice(&text, last.end()..last.end(), ",") }
    }

    /// Adds the first property of an object.
    fn fill(&self, object: &Object<'_>, key: &str, value: &Value) -> String {
        let inner = object.start() + 1..object.end() - 1;
        let outer = indent_at(self.text, object.start());
        let indent = format!("{outer}{}", self.unit());
        let end = line_end(self.text);
        let Some(comment) = self.between(inner.start, inner.end).last() else {
            let is_root = self.root.as_ref().is_some_and(|root| root.start() == object.start());
            let is_inline = !is_root && !self.text.trim().contains('\n');
            let property = property_text(key, value, self.style(!is_inline, &indent));
            let filling = if is_inline { property } else { format!("{end}{indent}{property}{end}{outer}") };
            return splice(self.text, inner, &filling);
        };
        let place = comment.end();
        let in_lines = self.text[inner].contains('\n');
        let property = property_text(key, value, self.style(in_lines, &indent));
        let lead = if in_lines { format!("{end}{indent}") } else { " ".to_owned() };
        splice(self.text, place..place, &format!("{lead}{property}"))
    }

    fn take(&self, object: &Object<'_>, property: &ObjectProp<'_>) -> String {
        let is_last = object.properties.last().is_some_and(|last| last.start() == property.start());
        let siblings = Siblings { n: object.properties.len(), is_last };
        self.cut(object.start()..object.end(), property.start()..property.end(), siblings)
    }

    /// Removes a part of an object or a list, with its comma and the blanks before it.
    fn cut(&self, container: Range<usize>, part: Range<usize>, siblings: Siblings) -> String {
        let inner = container.start + 1..container.end - 1;
        let is_alone = siblings.n == 1 && !self.between(inner.start, inner.end).any(is_comment);
        if is_alone {
            return splice(self.text, inner, "");
        }
        let next = self.between(part.end, inner.end).find(|token| !is_comment(token));
        let own_comma = next.filter(|token| token.token == Token::Comma);
        let stop = own_comma.map_or(part.end, Ranged::end);
        let text = splice(self.text, self.start_of_cut(part.start, stop)..stop, "");
        let former = self.tokens.iter().rfind(|token| token.end() <= part.start && !is_comment(token));
        match former {
            Some(comma) if siblings.is_last && own_comma.is_none() && comma.token == Token::Comma => {
                splice(&text, comma.start()..comma.end(), "")
            }
            _ => text,
        }
    }

    /// Returns the start of the range to remove: after the previous token, but never so that the rest ends up in a line
    /// comment.
    fn start_of_cut(&self, start: usize, stop: usize) -> usize {
        let follower = self.tokens.iter().find(|token| token.start() >= stop).map_or(self.text.len(), Ranged::start);
        let goes_on = !self.text[stop..follower].contains('\n');
        match self.tokens.iter().rfind(|token| token.end() <= start) {
            Some(token) if matches!(token.token, Token::CommentLine(_)) && goes_on => start,
            Some(token) => token.end(),
            None => start,
        }
    }

    /// Returns the list at a path; `None` if there is none.
    fn list(&self, path: &[&str]) -> Result<Option<&ast::Array<'a>>, EditError> {
        let Some(mut value) = self.root.as_ref() else { return Ok(None) };
        for (depth, key) in path.iter().enumerate() {
            let object = self.object(value, &path[..depth])?;
            let Some(property) = self.find(object, key)? else { return Ok(None) };
            value = &property.value;
        }
        Ok(value.as_array())
    }

    fn style<'s>(&'s self, in_lines: bool, indent: &'s str) -> Style<'s> {
        if in_lines {
            return Style::Lines { indent, unit: self.unit(), end: line_end(self.text) };
        }
        Style::Inline { spaced: self.text.contains("\": ") }
    }

    /// Returns whether the properties of an object are on lines of their own.
    fn is_in_lines(&self, object: &Object<'_>) -> bool {
        object.properties.last().is_none_or(|last| self.text[object.start()..last.start()].contains('\n'))
    }

    /// Returns one level of indentation: the indent of the root's first property.
    fn unit(&self) -> &str {
        let first = self.root.as_ref().and_then(ast::Value::as_object).and_then(|root| root.properties.first());
        let indent = first.map_or("", |first| indent_at(self.text, first.start()));
        if indent.is_empty() { "  " } else { indent }
    }

    fn between(&self, start: usize, end: usize) -> impl DoubleEndedIterator<Item = &TokenAndRange<'a>> {
        self.tokens.iter().filter(move |token| token.start() >= start && token.end() <= end)
    }

    fn end_before(&self, offset: usize) -> usize {
        self.tokens.iter().rfind(|token| token.end() <= offset).map_or(0, Ranged::end)
    }
}

fn property_text(key: &str, value: &Value, style: Style<'_>) -> String {
    let colon = if matches!(style, Style::Inline { spaced: false }) { ":" } else { ": " };
    format!("{}{colon}{}", quoted(key), json(value, style))
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, key| Value::Object(Map::from_iter([((*key).to_owned(), value)])))
}

fn to_value(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::from(text.value.as_ref()),
        // A number without an exact machine representation is kept as text: it is only compared.
        ast::Value::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| Value::from(number.value))
        }
        ast::Value::BooleanLit(flag) => Value::from(flag.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => array.elements.iter().map(to_value).collect(),
        ast::Value::Object(object) => {
            let property = |property: &ObjectProp<'_>| (property.name.as_str().to_owned(), to_value(&property.value));
            Value::Object(object.properties.iter().map(property).collect())
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
