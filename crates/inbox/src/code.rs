//! The code of a message: its text when the message was written, and its current location.

use anchors::{Language, NameMatch, Resolution, Symbols};
use app::Error;
use model::message::{Excerpt, Lines, Message, Side};
use model::relocate::{self, CurrentLocation};
use store::git::{ANSWER_TIMEOUT, CommitId, Repository};

/// Maximum number of lines and bytes of code in a message; more would only cost the reader.
const MAX_LINES: usize = 60;
const MAX_BYTES: usize = 8 * 1024;

/// Returns the text of a message's file, on its side of the diff; `None` if there is none.
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

/// Returns the excerpt of lines of a text; `None` if it lacks them.
pub(super) fn excerpt(repository: &Repository, path: &str, text: &str, lines: Lines) -> Option<Excerpt> {
    let wanted = lines_of(text, lines)?;
    let mut kept = wanted.iter().take(MAX_LINES).copied().collect::<Vec<_>>().join("\n");
    if kept.len() > MAX_BYTES {
        kept.truncate(kept.floor_char_boundary(MAX_BYTES));
    }
    Some(Excerpt { text: kept, hash: hash_of(repository, &wanted), anchor: anchor(path, text, lines) })
}

/// Returns lines of a text; `None` if it lacks one of them.
fn lines_of(text: &str, lines: Lines) -> Option<Vec<&str>> {
    let n_lines = lines.count() as usize;
    let wanted: Vec<&str> = text.lines().skip(lines.start() as usize - 1).take(n_lines).collect();
    (wanted.len() == n_lines).then_some(wanted)
}

/// Returns the blob hash of lines.
fn hash_of(repository: &Repository, lines: &[&str]) -> String {
    let whole = lines.iter().fold(String::new(), |whole, line| whole + line + "\n");
    repository.hash_of(whole.as_bytes())
}

/// Returns whether the last line of an excerpt may be incomplete: it was cut at the limit, before a whole character.
pub(super) fn may_be_cut(excerpt: &str) -> bool {
    excerpt.len() + 4 > MAX_BYTES
}

/// The current location of a message's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeNow {
    pub(crate) location: CurrentLocation,
    /// The current name of the file, if it was renamed.
    pub(crate) file: Option<String>,
}

/// Finds the current location of a message's lines in the work tree. Removed lines are not searched for.
pub(super) fn locate_today(repository: &Repository, message: &Message) -> Option<CodeNow> {
    let (lines, excerpt) = (message.lines?, message.excerpt.as_ref()?);
    if message.side == Side::Old {
        return None;
    }
    let gone = CodeNow { location: CurrentLocation::Gone, file: None };
    let Some((file, today)) = text_today(repository, message) else { return Some(gone) };
    let name = file.as_deref().unwrap_or(&message.file);
    let home = excerpt.anchor.as_deref().and_then(|anchor| home(name, &today, anchor));
    let location = if may_be_cut(&excerpt.text) {
        find_cut(repository, excerpt, lines, home, &today)
    } else {
        relocate::find(&excerpt.text, lines, home, &today)
    };
    Some(CodeNow { location, file })
}

/// Finds lines of which the excerpt has only the beginning. The hash of the excerpt is that of all lines, so it shows
/// whether the rest is unchanged too.
fn find_cut(
    repository: &Repository,
    excerpt: &Excerpt,
    was: Lines,
    home: Option<Lines>,
    today: &str,
) -> CurrentLocation {
    let is_unchanged = |at: Lines| lines_of(today, at).is_some_and(|now| hash_of(repository, &now) == excerpt.hash);
    if is_unchanged(was) {
        return CurrentLocation::Here;
    }
    // The last line is cut, so it is not searched for.
    let found = excerpt.text.rsplit_once('\n').map(|(whole, _)| relocate::find(whole, was, home, today));
    match found {
        Some(CurrentLocation::Moved(now)) if is_unchanged(now) => CurrentLocation::Moved(now),
        _ => home.map_or(CurrentLocation::Gone, CurrentLocation::Changed),
    }
}

/// Returns the text of a message's file in the work tree, with its new name if it was renamed.
fn text_today(repository: &Repository, message: &Message) -> Option<(Option<String>, String)> {
    if let Ok(Some(text)) = work_tree_text(repository, &message.file) {
        return Some((None, text));
    }
    let name = renamed_to(repository, message)?;
    let text = work_tree_text(repository, &name).ok()??;
    Some((Some(name), text))
}

/// Returns the new name of a file, according to git's rename detection since the message.
fn renamed_to(repository: &Repository, message: &Message) -> Option<String> {
    let head = repository.head().ok()??;
    let seen: Vec<CommitId> = message.commit.iter().filter_map(|commit| commit.parse().ok()).collect();
    let events = repository.file_events(&head, &seen, ANSWER_TIMEOUT).ok()?;
    let mut name = message.file.as_str();
    for event in events.iter().filter(|event| event.before.is_some()) {
        if event.before.as_deref() == Some(name) {
            name = &event.after;
        }
    }
    (name != message.file).then(|| name.to_owned())
}

fn work_tree_text(repository: &Repository, path: &str) -> Result<Option<String>, Error> {
    let bytes = repository.work_tree_file(path)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the name of the function or type that contains lines.
fn anchor(path: &str, text: &str, lines: Lines) -> Option<String> {
    let symbols = symbols(path, text)?;
    symbols.at(lines.start() as usize).map(|symbol| symbol.name.clone())
}

/// Finds a function or type in a text; `None` unless the name is unique.
fn home(path: &str, text: &str, anchor: &str) -> Option<Lines> {
    let symbols = symbols(path, text)?;
    let Resolution::Found { symbol, how: NameMatch::Exact } = anchors::resolve(&symbols, anchor) else { return None };
    let line = |number: usize| u32::try_from(number).ok();
    Lines::new(line(symbol.lines.start)?, line(symbol.lines.end)?)
}

fn symbols(path: &str, text: &str) -> Option<Symbols> {
    anchors::symbols(Language::detect(path, text)?, text).ok()
}
