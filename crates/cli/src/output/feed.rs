//! Events as lines: when, and a sentence with a person and a title.

use app::view::{EntryView, LogView};
use jiff::Timestamp;

use super::item::Detail;
use super::table::terminal_width;
use super::when::{ago, moment};
use super::{FAINT, STRONG, cut, safe};

/// Width of the time on a terminal: `30m ago`, `2026-01-01`.
const AGE_WIDTH: usize = 10;

/// Returns the lines of a log: of one item with its title first, or of the project.
pub(crate) fn log_lines(log: &LogView, detail: Detail) -> Vec<String> {
    let heading = log.item.iter().map(|item| format!("{STRONG}{}{STRONG:#} {}", item.name(), safe(&item.title)));
    let operations = log.operations.iter().map(|op| {
        let by = model::person::Person::parse(&op.by);
        line(op.at, &format!("{} {}", by.short(), op.text), None)
    });
    let entries = log.entries.iter().flat_map(|entry| entry_lines(entry, detail));
    heading.chain(operations).chain(entries).collect()
}

/// Returns a log entry as lines, one for each sentence.
pub(crate) fn entry_lines(entry: &EntryView, detail: Detail) -> Vec<String> {
    let commit: String = entry.commit.chars().take(8).collect();
    let commit = (detail == Detail::Verbose).then_some(commit.as_str());
    if entry.sentences.is_empty() {
        return vec![line(entry.at, &format!("{}: {}", entry.by, entry.text), commit)];
    }
    entry.sentences.iter().map(|sentence| line(entry.at, sentence, commit)).collect()
}

fn line(at: Timestamp, sentence: &str, commit: Option<&str>) -> String {
    line_for(terminal_width(), at, sentence, commit)
}

fn line_for(width: Option<usize>, at: Timestamp, sentence: &str, commit: Option<&str>) -> String {
    let time = if width.is_some() { format!("{:>AGE_WIDTH$}", ago(at)) } else { moment(at) };
    let head = commit.map_or_else(|| time.clone(), |commit| format!("{commit}  {time}"));
    let sentence = safe(sentence);
    let sentence = match width {
        Some(width) => cut(&sentence, width.saturating_sub(head.chars().count() + 2)),
        None => sentence,
    };
    let (head, rest) = match width {
        Some(width) => (cut(&head, width), sentence),
        None => (head, sentence),
    };
    format!("{FAINT}{head}{FAINT:#}  {rest}").trim_end().to_owned()
}
