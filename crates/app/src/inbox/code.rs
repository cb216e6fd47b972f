//! The code a message is about: what it said when the message was written, and where it is now.

use anchors::{Language, Match, Resolution, Symbols};
use model::message::{Excerpt, Lines, Message, Side};
use model::whereabouts::{self, Whereabouts};
use store::git::Repository;

use crate::error::Error;

/// The most lines and bytes of code that a message carries. More would only cost the reader.
const MOST_LINES: usize = 60;
const MOST_BYTES: usize = 8 * 1024;

/// Returns the text of the file that a message is about, on the side it is about; `None` when there is none.
pub(super) fn text(
    repository: &Repository,
    path: &str,
    commit: Option<&str>,
    side: Side,
) -> Result<Option<String>, Error> {
    let from_commit = |name: String| -> Result<Option<String>, Error> {
        match repository.try_find_commit(&name)? {
            Some(id) => Ok(repository.text_at(&id, path)?),
            None => Ok(None),
        }
    };
    match (commit, side) {
        (Some(commit), Side::New) => from_commit(commit.to_owned()),
        (Some(commit), Side::Old) => from_commit(format!("{commit}^")),
        (None, Side::Old) => from_commit("HEAD".to_owned()),
        (None, Side::New) => work_tree_text(repository, path),
    }
}

/// Takes the excerpt of lines from a text; `None` when it has no such lines.
pub(super) fn excerpt(repository: &Repository, path: &str, text: &str, lines: Lines) -> Option<Excerpt> {
    let start = lines.start() as usize - 1;
    let wanted: Vec<&str> = text.lines().skip(start).take(lines.count() as usize).collect();
    if wanted.len() < lines.count() as usize {
        return None;
    }
    let whole = wanted.iter().fold(String::new(), |whole, line| whole + line + "\n");
    let mut kept = wanted.iter().take(MOST_LINES).copied().collect::<Vec<_>>().join("\n");
    if kept.len() > MOST_BYTES {
        kept.truncate(kept.floor_char_boundary(MOST_BYTES));
    }
    let hash = repository.hash_of(whole.as_bytes());
    Some(Excerpt { text: kept, hash, anchor: anchor(path, text, lines) })
}

/// Finds where the lines of a message are today, in the work tree. Lines that a change removed are not looked for.
pub(super) fn whereabouts(repository: &Repository, message: &Message) -> Option<Whereabouts> {
    let (lines, excerpt) = (message.lines?, message.excerpt.as_ref()?);
    if message.side == Side::Old {
        return None;
    }
    let Ok(Some(today)) = work_tree_text(repository, &message.file) else { return Some(Whereabouts::Gone) };
    let home = excerpt.anchor.as_deref().and_then(|anchor| home(&message.file, &today, anchor));
    Some(whereabouts::find(&excerpt.text, lines, home, &today))
}

fn work_tree_text(repository: &Repository, path: &str) -> Result<Option<String>, Error> {
    let bytes = repository.work_tree_file(path)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Names the function or type that lines are in.
fn anchor(path: &str, text: &str, lines: Lines) -> Option<String> {
    let symbols = symbols(path, text)?;
    symbols.at(lines.start() as usize).map(|symbol| symbol.name.clone())
}

/// Finds where a function or type is in a text; `None` unless there is just one of that very name.
fn home(path: &str, text: &str, anchor: &str) -> Option<Lines> {
    let symbols = symbols(path, text)?;
    let Resolution::Found { symbol, how: Match::Exact } = anchors::resolve(&symbols, anchor) else { return None };
    let line = |number: usize| u32::try_from(number).ok();
    Lines::new(line(symbol.lines.start)?, line(symbol.lines.end)?)
}

fn symbols(path: &str, text: &str) -> Option<Symbols> {
    anchors::symbols(Language::detect(path, text)?, text).ok()
}
