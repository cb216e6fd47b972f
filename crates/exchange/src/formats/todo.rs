//! To-do comments in code: those that begin with one of `WORDS`, at the last commit. Each becomes a task that is linked to
//! its file and to the symbol that has it; author and time are those of the line, by blame.

use std::collections::HashMap;
use std::time::Duration;

use anchors::{Language, Symbols};
use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use store::git::{CommitId, Repository, TreeEntry, TreePath};

use super::{Sink, git_history};
use crate::input::Input;
use crate::item::{ImportedItem, ImportedPerson, Record, SourceId};

/// The words, in the order in which a line is searched for them.
const WORDS: [&str; 4] = ["TODO", "FIXME", "HACK", "XXX"];
/// What begins a comment, in all languages together, and what ends it before the end of the line.
const COMMENTS: [(&str, Option<&str>); 9] = [
    ("//", None),
    ("#", None),
    ("/*", Some("*/")),
    ("*", Some("*/")),
    ("<!--", Some("-->")),
    ("--", None),
    (";", None),
    ("%", None),
    ("\"\"\"", Some("\"\"\"")),
];
/// Larger files are data.
const MAX_FILE: u64 = 1024 * 1024;
const BLAME_TIMEOUT: Duration = Duration::from_mins(1);

/// A comment to be turned into a task.
struct Found {
    line: u32,
    word: &'static str,
    text: String,
    owner: Option<String>,
}

/// Reads the comments of a repository.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    let repository = git_history::repository(input)?;
    let Some(head) = repository.head()? else { return Ok(()) };
    for path in repository.list_files(&head, None).map_err(git_history::failed)? {
        let Some(text) = text_of(&repository, &head, &path)? else { continue };
        let found = find(&text);
        if !found.is_empty() {
            emit(&repository, &head, &path, &text, found, sink)?;
        }
    }
    Ok(())
}

fn text_of(repository: &Repository, head: &CommitId, path: &TreePath) -> Result<Option<String>, Error> {
    match repository.read_path(head, path, MAX_FILE) {
        Ok(Some(TreeEntry::File(_, bytes))) => Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))),
        Ok(_) => Ok(None),
        Err(error) if error.is_final() => Ok(None),
        Err(error) => Err(git_history::failed(error)),
    }
}

fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        found.extend(find_in(content).map(|(word, owner, text)| Found { line, word, text, owner }));
    }
    found
}

fn find_in(line: &str) -> Option<(&'static str, Option<String>, String)> {
    let (at, word) = WORDS.iter().filter_map(|word| Some((line.find(word)?, *word))).min()?;
    let before = line[..at].trim_end();
    let (opener, end) = COMMENTS.iter().find(|(opener, _)| before.ends_with(opener))?;
    let rest = &line[at + word.len()..];
    if is_inside_text(before.strip_suffix(opener)?) || rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let rest = end.and_then(|end| rest.split_once(end)).map_or(rest, |(comment, _code)| comment);
    let (owner, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((owner, rest)) => (Some(owner.trim().to_owned()), rest),
        None => (None, rest),
    };
    let text = rest.trim_start_matches([':', ' ', '-', '\t']).trim();
    (!text.is_empty()).then(|| (word, owner, text.to_owned()))
}

/// Returns whether what follows `code` on its line is part of a string or of an address, not a comment.
// A line does not tell whether a string began on an earlier one; apostrophes are too common to count.
fn is_inside_text(code: &str) -> bool {
    let n_quotes = code.matches('"').count() - code.matches("\\\"").count();
    n_quotes % 2 == 1 || code.ends_with("http:") || code.ends_with("https:")
}

fn emit(
    repository: &Repository,
    head: &CommitId,
    path: &TreePath,
    text: &str,
    found: Vec<Found>,
    sink: &mut Sink<'_>,
) -> Result<(), Error> {
    let Some(name) = path.as_str() else { return Ok(()) };
    let symbols = Language::detect(name, text).and_then(|language| anchors::symbols(language, text).ok());
    let authors = blame(repository, head, path, &found)?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    for one in found {
        let anchor = symbols.as_ref().and_then(|symbols| anchor(symbols, one.line));
        let place = anchor.as_ref().map_or_else(|| name.to_owned(), |anchor| format!("{name}:{anchor}"));
        let base = format!("{place}: {}", one.text);
        // The same comment twice in one place; the line would change with every edit above it.
        let n = seen.entry(base.clone()).and_modify(|n| *n += 1).or_insert(1);
        let id = if *n == 1 { base.clone() } else { format!("{base} ({n})") };
        let title: String = one.text.chars().take(200).collect();
        let message = format!("`{name}`: line {}", one.line);
        let mut item = ImportedItem::new(message, SourceId::Of(id), ItemKind::Task, title);
        item.description = format!("{} in `{name}`, line {}:\n\n> {}", one.word, one.line, one.text);
        item.type_ = Some(one.word.to_lowercase());
        item.touches = vec![place];
        // The brackets contain a person or an issue.
        let owner = one.owner.filter(|owner| !owner.is_empty() && !owner.starts_with('#'));
        item.assignees = owner.iter().filter_map(|owner| ImportedPerson::of_username(owner).known()).collect();
        if let Some((author, at)) = authors.get(&one.line) {
            (item.author, item.created) = (Some(author.clone()), Some(*at));
        }
        sink(Record::Item(Box::new(item)))?;
    }
    Ok(())
}

fn anchor(symbols: &Symbols, line: u32) -> Option<String> {
    symbols.at(usize::try_from(line).ok()?).map(|symbol| symbol.name.clone())
}

fn blame(
    repository: &Repository,
    head: &CommitId,
    path: &TreePath,
    found: &[Found],
) -> Result<HashMap<u32, (ImportedPerson, Timestamp)>, Error> {
    let ranges: Vec<(u32, u32)> = found.iter().map(|one| (one.line, one.line)).collect();
    let mut authors = HashMap::new();
    for hunk in repository.blame(head, path, &ranges, BLAME_TIMEOUT)? {
        let commit = repository.read_commit(&hunk.commit, MAX_FILE).map_err(git_history::failed)?;
        let author = ImportedPerson {
            name: commit.author.name.clone(),
            email: commit.author.email.clone(),
            username: String::new(),
        };
        if let Ok(at) = Timestamp::from_second(commit.author_time) {
            authors.extend((hunk.start..=hunk.end()).map(|line| (line, (author.clone(), at))));
        }
    }
    Ok(authors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_that_begin_with_the_word_count() {
        let check = |line: &str, expected: Option<(&str, Option<&str>, &str)>| {
            let found = find_in(line);
            let found = found.as_ref().map(|(word, owner, text)| (*word, owner.as_deref(), text.as_str()));
            assert_eq!(found, expected, "{line}");
        };
        check("// TODO: fix this", Some(("TODO", None, "fix this")));
        check("    x(); # FIXME(ada): slow", Some(("FIXME", Some("ada"), "slow")));
        check("/* HACK - ugly */", Some(("HACK", None, "ugly")));
        check("<!-- TODO words -->", Some(("TODO", None, "words")));
        check("-- TODO(#214): later", Some(("TODO", Some("#214"), "later")));
        check("f(a /* TODO: name it */, b);", Some(("TODO", None, "name it")));
        check("    \"\"\"TODO: say more\"\"\"", Some(("TODO", None, "say more")));
        check("say(\"a \\\" b\"); // TODO: escape", Some(("TODO", None, "escape")));
        check("let todo = \"TODO: no\";", None);
        check("let address = \"http://TODO: no\";", None);
        check("see http://TODO no", None);
        check("// see the TODO list", None);
        check("// TODOS: no", None);
        check("// TODO", None);
    }
}
