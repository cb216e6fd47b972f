//! Our block in a text: enclosed by two markers, with notes on the original text.

use std::ops::Range;

use super::Refusal;

/// The first line of a block.
pub(super) const BEGIN: &str = "# cairn: begin";
/// The last line of a block.
pub(super) const END: &str = "# cairn: end";

const ABOUT: &str = "# Made by `cairn lazygit install`; `cairn lazygit remove` takes it out again.";
const INSTEAD_OF: &str = "# cairn: instead of: ";
const NO_LINE_END: &str = "# cairn: the last line had no end";
const FILE_WAS_MADE: &str = "# cairn: the file was made for this";

/// Information for restoring the original text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// The block replaced this line.
    InsteadOf(String),
    /// The text did not end with a line end.
    NoLineEnd,
    /// The file did not exist.
    FileWasMade,
}

/// A block found in a text.
#[derive(Debug)]
pub(super) struct FoundBlock {
    /// Its lines, including the markers, from 0.
    pub(super) lines: Range<usize>,
    pub(super) notes: Vec<Note>,
    /// The text between the markers, without notes.
    pub(super) body: String,
}

/// Writes a block, with `\n` line ends.
pub(super) fn write(indent: &str, notes: &[Note], body: &str) -> String {
    let mut text = format!("{indent}{BEGIN}\n{indent}{ABOUT}\n");
    for note in notes {
        let note = match note {
            Note::InsteadOf(line) => format!("{INSTEAD_OF}{line}"),
            Note::NoLineEnd => NO_LINE_END.to_owned(),
            Note::FileWasMade => FILE_WAS_MADE.to_owned(),
        };
        text.extend([indent, &note, "\n"]);
    }
    text.push_str(body);
    text + &format!("{indent}{END}\n")
}

/// Finds all blocks.
pub(super) fn find(text: &str) -> Result<Vec<FoundBlock>, Refusal> {
    let mut found: Vec<FoundBlock> = Vec::new();
    let mut open: Option<FoundBlock> = None;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let line = line.trim_end_matches(['\r', '\n']);
        match (line.trim(), &mut open) {
            (BEGIN, None) => open = Some(FoundBlock { lines: n..n, notes: Vec::new(), body: String::new() }),
            (BEGIN, Some(_)) | (END, None) => return Err(Refusal::HalfMarked(n + 1)),
            (END, Some(_)) => {
                found.extend(open.take().map(|part| FoundBlock { lines: part.lines.start..n + 1, ..part }));
            }
            (_, Some(part)) => part.take(line),
            (_, None) => {}
        }
    }
    match open {
        Some(part) => Err(Refusal::HalfMarked(part.lines.start + 1)),
        None => Ok(found),
    }
}

impl FoundBlock {
    fn take(&mut self, line: &str) {
        let unindented = line.trim_start();
        let note = match unindented {
            ABOUT => return,
            NO_LINE_END => Some(Note::NoLineEnd),
            FILE_WAS_MADE => Some(Note::FileWasMade),
            // Trailing blanks belong to the original line.
            other => other.strip_prefix(INSTEAD_OF).map(|line| Note::InsteadOf(line.to_owned())),
        };
        match note {
            Some(note) => self.notes.push(note),
            None => self.body.extend([line, "\n"]),
        }
    }

    /// Returns the line that begins a list or map in our block, if any: the lines after the block may belong to it.
    fn head(&self) -> Option<&str> {
        self.body.lines().next().filter(|line| matches!(line.trim(), "customCommands:" | "os:"))
    }
}

/// Returns the original text.
pub(super) fn without(text: &str, found: &[FoundBlock]) -> String {
    rebuilt(text, found, |part| {
        let replaced = part.notes.iter().filter_map(|note| match note {
            Note::InsteadOf(line) => Some(line.as_str()),
            _ => None,
        });
        replaced.collect()
    })
}

/// Returns the text without our blocks, except for first lines of lists that the user added to.
pub(super) fn without_all_but_heads(text: &str, found: &[FoundBlock]) -> String {
    rebuilt(text, found, |part| part.head().into_iter().collect())
}

fn rebuilt<'a>(text: &str, found: &'a [FoundBlock], instead: impl Fn(&'a FoundBlock) -> Vec<&'a str>) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut rebuilt = String::new();
    let mut next = 0;
    // Whether the text ended here without a line end, before the following blocks.
    let mut ends_open = false;
    for part in found {
        ends_open &= part.lines.start == next;
        rebuilt.push_str(&lines[next..part.lines.start].concat());
        let end = if lines[part.lines.start].ends_with("\r\n") { "\r\n" } else { "\n" };
        for line in instead(part) {
            rebuilt.push_str(line);
            rebuilt.push_str(end);
        }
        ends_open |= part.notes.contains(&Note::NoLineEnd);
        next = part.lines.end;
    }
    if ends_open && next == lines.len() {
        let kept = rebuilt.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).len());
        rebuilt.truncate(kept.unwrap_or(rebuilt.len()));
    }
    rebuilt + &lines[next..].concat()
}
