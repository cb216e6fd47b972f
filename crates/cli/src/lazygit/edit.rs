//! Inserts our block into lazygit's settings and removes it again, byte for byte.
//!
//! The block is enclosed by two markers. The text it replaces is stored beside the first one, so that the original can
//! be restored. Every result is parsed and compared: if anything else changed, the edit is rejected.

mod block;
mod place;

use app::Error;

use super::commands::quoted;
use super::yaml::{self, Node, Value};
use block::{FoundBlock, Note};
use place::{InsertionPoint, Position};

/// The custom commands, as items without indentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block(pub(crate) String);

/// The value of `os.editAtLine`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrapper(pub(crate) String);

/// The reason why a text was not edited.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not valid YAML.
    Unreadable(yaml::Problem),
    /// Its layout does not allow a safe insertion.
    Unfit(String),
    /// One of our markers is missing; the other is on this line, from 1.
    HalfMarked(usize),
}

impl Refusal {
    /// Converts it into an error about a file. `part` is the text to paste by hand.
    fn about(self, path: &str, part: &str) -> Error {
        match self {
            Self::Unreadable(yaml::Problem { line, column, what }) => Error::conflict(format!(
                "`{path}` was not changed: invalid YAML at line {line}, column {column}: {what}"
            ))
            .hint("correct it, then run this again"),
            Self::Unfit(why) => Error::conflict(format!("`{path}` was not changed: {why}"))
                .hint(format!("add this by hand:\n{}", part.trim_end())),
            Self::HalfMarked(line) => Error::conflict(format!(
                "`{path}` was not changed: line {line} has a marker of Cairn without its counterpart"
            ))
            .hint(format!("remove the lines between `{}` and `{}` by hand", block::BEGIN, block::END)),
        }
    }
}

/// Inserts the commands, and the wrapper if given; replaces a block of an earlier version. `None` stands for a missing
/// file.
pub(crate) fn install(
    path: &str,
    text: Option<&str>,
    commands: &Block,
    wrapper: Option<&Wrapper>,
) -> Result<String, Error> {
    let installed = try_install(text, commands, wrapper);
    installed.map_err(|refusal| refusal.about(path, &format!("customCommands:\n{}", commands.indented("  "))))
}

/// Removes our blocks. `None` if nothing is left of a file that we created.
pub(crate) fn remove(path: &str, text: &str) -> Result<Option<String>, Error> {
    try_remove(text).map_err(|refusal| refusal.about(path, ""))
}

/// Returns whether the settings already wrap the editor.
pub(crate) fn wraps_editor(text: &str) -> bool {
    block::find(text).is_ok_and(|found| found.iter().any(|found| found.body.contains("editAtLine:")))
}

fn try_install(text: Option<&str>, commands: &Block, wrapper: Option<&Wrapper>) -> Result<String, Refusal> {
    let base = text.map(try_remove).transpose()?.flatten();
    let first_notes: Vec<Note> = base.is_none().then_some(Note::FileWasMade).into_iter().collect();
    let base = base.unwrap_or_default();
    let mut after = put(&base, &InsertionPoint::of_commands(&base)?, &|indent| commands.indented(indent), first_notes)?;
    if let Some(wrapper) = wrapper {
        let line = format!("editAtLine: {}\n", quoted(&wrapper.0));
        after = put(&after, &InsertionPoint::of_editor(&after)?, &|indent| format!("{indent}{line}"), Vec::new())?;
    }
    let ours = yaml::read(&commands.0).map_err(Refusal::Unreadable)?.pop();
    let ours = ours.map(|list| list.items().to_vec()).unwrap_or_default();
    let (before, now) = (document(&base)?, document(&after)?);
    let all_commands = [ours, commands_of(before.as_ref())].concat();
    let is_right = all_commands == commands_of(now.as_ref())
        && is_same_besides(before.as_ref(), now.as_ref())
        && wrapper.is_none_or(|wrapper| editor_of(now.as_ref()) == Some(&wrapper.0));
    let unfit = || Refusal::Unfit("the edited file would not have the intended meaning".to_owned());
    is_right.then_some(after).ok_or_else(unfit)
}

fn try_remove(text: &str) -> Result<Option<String>, Refusal> {
    let found = block::find(text)?;
    if found.is_empty() {
        document(text)?;
        return Ok(Some(text.to_owned()));
    }
    let before = document(text)?;
    let theirs: Vec<Node> = before
        .as_ref()
        .and_then(|node| node.get("customCommands"))
        .map(|list| list.items().iter().filter(|item| !found.iter().any(|found| found.has_line(item.line))))
        .map(|items| items.cloned().collect())
        .unwrap_or_default();
    let is_right = |after: &str| {
        document(after)
            .is_ok_and(|now| theirs == commands_of(now.as_ref()) && is_same_besides(before.as_ref(), now.as_ref()))
    };
    // If the user added items to a list that we created, its first line must stay.
    let after = [block::without(text, &found), block::without_all_but_heads(text, &found)]
        .into_iter()
        .find(|after| is_right(after));
    let after = after.ok_or_else(|| Refusal::Unfit("the rest of the file would change".to_owned()))?;
    let was_made = found.iter().any(|found| found.notes.contains(&Note::FileWasMade));
    Ok((!(was_made && after.is_empty())).then_some(after))
}

impl Block {
    fn indented(&self, indent: &str) -> String {
        self.0.lines().flat_map(|line| [indent, line, "\n"]).collect()
    }
}

/// Writes a block at its place.
fn put(
    text: &str,
    spot: &InsertionPoint,
    body: &dyn Fn(&str) -> String,
    mut notes: Vec<Note>,
) -> Result<String, Refusal> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (at, n_replaced) = match spot.place {
        Position::End => (lines.len(), 0),
        Position::Before(line) => (line, 0),
        Position::Instead(line) => (line, 1),
    };
    let (head, rest) = lines.split_at_checked(at).ok_or_else(|| Refusal::Unfit("it has no such line".to_owned()))?;
    let (replaced, tail) = rest.split_at(n_replaced.min(rest.len()));
    notes.extend(replaced.iter().map(|line| Note::InsteadOf(line.trim_end_matches(['\r', '\n']).to_owned())));
    let has_no_end = tail.is_empty() && !text.is_empty() && !text.ends_with('\n');
    if has_no_end {
        notes.push(Note::NoLineEnd);
    }
    let end = if text.split('\n').next().is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" };
    let mut after = head.concat();
    if has_no_end && replaced.is_empty() {
        after.push_str(end);
    }
    let inner = if spot.head.is_some() { format!("{}  ", spot.indent) } else { spot.indent.clone() };
    let head_line = spot.head.map(|name| format!("{}{name}:\n", spot.indent)).unwrap_or_default();
    after.push_str(&block::write(&spot.indent, &notes, &(head_line + &body(&inner))).replace('\n', end));
    Ok(after + &tail.concat())
}

/// Parses the single document of a text; `None` if it is empty.
fn document(text: &str) -> Result<Option<Node>, Refusal> {
    let mut documents = yaml::read(text).map_err(Refusal::Unreadable)?;
    if documents.len() > 1 {
        return Err(Refusal::Unfit("it holds more than one document".to_owned()));
    }
    Ok(documents.pop().filter(|node| !node.is_null()))
}

fn commands_of(document: Option<&Node>) -> Vec<Node> {
    document.and_then(|node| node.get("customCommands")).map(|list| list.items().to_vec()).unwrap_or_default()
}

fn editor_of(document: Option<&Node>) -> Option<&str> {
    document?.get("os")?.get("editAtLine")?.text()
}

/// Returns whether two documents are equal apart from our values. Missing and empty values are equal.
fn is_same_besides(a: Option<&Node>, b: Option<&Node>) -> bool {
    let rest = |node: Option<&Node>| -> Vec<(Node, Node)> {
        let entries = node.map(Node::entries).unwrap_or_default();
        entries.iter().filter(|(key, _)| !matches!(key.text(), Some("customCommands" | "os"))).cloned().collect()
    };
    let system = |node: Option<&Node>| -> Vec<(Node, Node)> {
        let entries = node.and_then(|node| node.get("os")).map(Node::entries).unwrap_or_default();
        entries.iter().filter(|(key, _)| key.text() != Some("editAtLine")).cloned().collect()
    };
    let is_map = |node: Option<&Node>| node.is_none_or(|node| matches!(node.value, Value::Map(_)));
    is_map(a) && is_map(b) && rest(a) == rest(b) && system(a) == system(b)
}

impl FoundBlock {
    fn has_line(&self, line: usize) -> bool {
        self.lines.contains(&line)
    }
}

#[cfg(test)]
mod examples;
