//! Finds the position for our block in a text.

use super::super::yaml::{Node, Value};
use super::{Refusal, document};

/// A position for our block.
#[derive(Debug)]
pub(super) struct InsertionPoint {
    pub(super) place: Position,
    /// The indentation of its lines.
    pub(super) indent: String,
    /// The key to add first, if the text does not have it.
    pub(super) head: Option<&'static str>,
}

/// Line numbers are from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    End,
    /// Before this line.
    Before(usize),
    /// Replacing this line.
    Instead(usize),
}

impl InsertionPoint {
    /// Finds the position for custom commands: at the top of the list, which avoids ambiguity with a last item.
    pub(super) fn of_commands(text: &str) -> Result<Self, Refusal> {
        const NAME: &str = "customCommands";
        let document = document(text)?;
        let Some((key, list)) = entry(text, document.as_ref(), NAME)? else {
            return Ok(Self::at_end(document.as_ref(), NAME));
        };
        if list.is_null() || is_empty_list(list) {
            return Self::instead_of_nothing(text, key, NAME);
        }
        let first = line(text, list.line);
        if list.items().is_empty() || list.line == key.line || !first.trim_start().starts_with("- ") {
            return Err(Refusal::Unfit("its `customCommands` is not a list with a line for each item".to_owned()));
        }
        let indent = first[..first.len() - first.trim_start().len()].to_owned();
        Ok(Self { place: Position::Before(list.line), indent, head: None })
    }

    /// Finds the position for `os.editAtLine`.
    pub(super) fn of_editor(text: &str) -> Result<Self, Refusal> {
        const NAME: &str = "os";
        let document = document(text)?;
        let Some((key, map)) = entry(text, document.as_ref(), NAME)? else {
            return Ok(Self::at_end(document.as_ref(), NAME));
        };
        if map.is_null() {
            return Self::instead_of_nothing(text, key, NAME);
        }
        let unfit = || Refusal::Unfit("its `os` is not a map with a line for each key".to_owned());
        let (first, _) = map.entries().first().ok_or_else(unfit)?;
        let (target, place) = match map.entry("editAtLine") {
            Some((key, value)) if value.line == key.line && value.end_line == key.line => {
                (key, Position::Instead(key.line))
            }
            Some(_) => return Err(Refusal::Unfit("its `os.editAtLine` has more than one line".to_owned())),
            None => (first, Position::Before(first.line)),
        };
        let indent: String = line(text, target.line).chars().take(target.column).collect();
        if first.line == key.line || !indent.chars().all(|c| c == ' ') {
            return Err(unfit());
        }
        Ok(Self { place, indent, head: None })
    }

    fn at_end(document: Option<&Node>, head: &'static str) -> Self {
        let column = document.and_then(|node| node.entries().first()).map_or(0, |(key, _)| key.column);
        Self { place: Position::End, indent: " ".repeat(column), head: Some(head) }
    }

    fn instead_of_nothing(text: &str, key: &Node, head: &'static str) -> Result<Self, Refusal> {
        let whole = line(text, key.line);
        let after = whole.trim_start().trim_start_matches(['"', '\'']).strip_prefix(head);
        let after = after.map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        let value = after.and_then(|rest| rest.strip_prefix(':')).map(|rest| match rest.find(" #") {
            Some(comment) => rest[..comment].trim(),
            None => rest.trim(),
        });
        if !matches!(value, Some("" | "[]" | "[ ]" | "~" | "null")) {
            return Err(Refusal::Unfit(format!("its `{head}` has an unusual empty value")));
        }
        Ok(Self { place: Position::Instead(key.line), indent: " ".repeat(key.column), head: Some(head) })
    }
}

/// Finds the entry of a key; rejects documents that cannot be edited by line.
fn entry<'a>(text: &str, document: Option<&'a Node>, name: &str) -> Result<Option<&'a (Node, Node)>, Refusal> {
    let Some(root) = document else { return Ok(None) };
    let is_block = line(text, root.line).chars().nth(root.column) != Some('{');
    if !matches!(root.value, Value::Map(_)) || !is_block {
        return Err(Refusal::Unfit("it is not a map with a line for each key".to_owned()));
    }
    let with_name = |wanted: &str| root.entries().iter().filter(|(key, _)| key.text() == Some(wanted)).count();
    if with_name(name) > 1 {
        return Err(Refusal::Unfit(format!("it has `{name}` twice")));
    }
    if with_name("<<") > 0 {
        return Err(Refusal::Unfit("it merges another map into itself".to_owned()));
    }
    Ok(root.entry(name))
}

fn is_empty_list(node: &Node) -> bool {
    matches!(&node.value, Value::List(items) if items.is_empty())
}

fn line(text: &str, n: usize) -> &str {
    text.split('\n').nth(n).unwrap_or_default().trim_end_matches('\r')
}
