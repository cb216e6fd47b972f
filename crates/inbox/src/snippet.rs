//! The code that a message is about, with context lines: from the diff of its commit if that changes the lines, else
//! from the file.

use app::view::LinesView;
use model::diff::{self, DiffLine, LineOrigin};
use model::message::Side;

use super::{Inbox, code};
use crate::view::{CodeStatus, MessageView};

/// Lines before and after those of the message.
const CONTEXT_LINES: usize = 8;
/// Maximum number of lines of a message that are shown; a longer snippet hides the comments beside it.
const MAX_LINES: usize = 60;

/// The code that a message is about, with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSnippet {
    /// The lines, as in a diff.
    pub lines: Vec<SnippetLine>,
    /// Number of lines that the change adds to the file and removes from it; zero outside of a change.
    pub n_added: usize,
    /// See `n_added`.
    pub n_removed: usize,
}

/// A line of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetLine {
    /// The line.
    pub line: DiffLine,
    /// Whether the message is about it.
    pub is_target: bool,
}

impl Inbox {
    /// Returns the code of a message with context lines; `None` if it can no longer be read, so that only the excerpt
    /// is left.
    pub fn snippet(&self, message: &MessageView) -> Option<CodeSnippet> {
        let target = message.lines.map(|lines| Target { side: message.side, lines });
        let today = target_today(message);
        self.in_diff(message, target)
            .or_else(|| self.in_file(message, message.commit.as_deref(), target))
            .or_else(|| self.in_file(message, None, Some(today?)))
    }

    fn in_diff(&self, message: &MessageView, target: Option<Target>) -> Option<CodeSnippet> {
        let context = u32::try_from(CONTEXT_LINES).unwrap_or(u32::MAX);
        let diff = self.repository.diff_of_files(&[&message.file], message.commit.as_deref(), context).ok()?;
        let file = diff::parse(&diff).into_iter().find(|file| file.path() == message.file)?;
        let count = |origin| file.lines.iter().filter(|line| line.origin == origin).count();
        let (n_added, n_removed) = (count(LineOrigin::Added), count(LineOrigin::Removed));
        let lines = cut_out(file.lines, target, message.excerpt.as_deref())?;
        Some(CodeSnippet { lines, n_added, n_removed })
    }

    fn in_file(&self, message: &MessageView, commit: Option<&str>, target: Option<Target>) -> Option<CodeSnippet> {
        let renamed = message.code.as_ref().and_then(|code| code.file.as_ref()).filter(|_| commit.is_none());
        let file = renamed.unwrap_or(&message.file);
        let text = code::text(&self.repository, file, commit, message.side).ok()??;
        // A removed line has its number on the side before the change.
        let origin = if message.side == Side::Old { LineOrigin::Removed } else { LineOrigin::Context };
        let lines = (1..).zip(text.lines()).map(|(number, text)| DiffLine { origin, number, text: text.to_owned() });
        let mut lines = cut_out(lines.collect(), target, message.excerpt.as_deref())?;
        for line in &mut lines {
            line.line.origin = LineOrigin::Context;
        }
        Some(CodeSnippet { lines, n_added: 0, n_removed: 0 })
    }
}

/// Returns where the target is in the work tree; `None` if it is gone or has changed.
fn target_today(message: &MessageView) -> Option<Target> {
    let code = message.code.as_ref().filter(|_| message.side == Side::New)?;
    let lines = match code.status {
        CodeStatus::Here => message.lines,
        CodeStatus::Moved => code.lines,
        CodeStatus::Changed | CodeStatus::Gone => None,
    };
    lines.map(|lines| Target { side: Side::New, lines })
}

/// The lines that a message is about.
#[derive(Clone, Copy)]
struct Target {
    side: Side,
    lines: LinesView,
}

impl Target {
    fn has(self, line: &DiffLine) -> bool {
        line.side() == self.side && (self.lines.start..=self.lines.end).contains(&line.number)
    }
}

/// Returns the target with the lines around it; the first lines if a message is about the whole file. `None` if the
/// target is not there, or differs from the excerpt that was stored with the message.
fn cut_out(lines: Vec<DiffLine>, target: Option<Target>, excerpt: Option<&str>) -> Option<Vec<SnippetLine>> {
    let Some(target) = target else {
        let first = lines.into_iter().take(MAX_LINES).map(|line| SnippetLine { line, is_target: false });
        return Some(first.collect()).filter(|lines: &Vec<SnippetLine>| !lines.is_empty());
    };
    let found = || lines.iter().enumerate().filter(|(_, line)| target.has(line));
    let (first, last) = (found().next()?.0, found().next_back()?.0);
    if !excerpt.is_none_or(|excerpt| is_excerpt_of(excerpt, found().map(|(_, line)| line.text.as_str()))) {
        return None;
    }
    let end = (last + 1).min(first + MAX_LINES) + CONTEXT_LINES;
    let hunks = hunks(&lines);
    let own = hunks[first];
    let shown = lines.into_iter().zip(hunks).take(end).skip(first.saturating_sub(CONTEXT_LINES));
    let shown = shown.filter(|(_, hunk)| *hunk == own);
    Some(shown.map(|(line, _)| SnippetLine { is_target: target.has(&line), line }).collect())
}

/// Returns whether an excerpt was cut from these lines. The last line of a long excerpt may be incomplete.
fn is_excerpt_of<'a>(excerpt: &str, mut lines: impl Iterator<Item = &'a str>) -> bool {
    let last = excerpt.lines().count().saturating_sub(1);
    let is_cut = code::may_be_cut(excerpt);
    excerpt.lines().enumerate().all(|(n, was)| {
        let is_equal = |line: &str| line == was || (n == last && is_cut && line.starts_with(was));
        lines.next().is_some_and(is_equal)
    })
}

/// Returns the hunk of each line: a new one begins where numbers are left out.
fn hunks(lines: &[DiffLine]) -> Vec<usize> {
    let (mut hunk, mut next) = (0, None);
    let number = |line: &DiffLine| {
        if line.side() == Side::New {
            hunk += usize::from(next.is_some_and(|next| next != line.number));
            next = Some(line.number + 1);
        }
        hunk
    };
    lines.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(n: u32) -> Vec<DiffLine> {
        (1..=n).map(|number| DiffLine { origin: LineOrigin::Context, number, text: format!("line {number}") }).collect()
    }

    fn shown(lines: Vec<DiffLine>, start: u32, end: u32, excerpt: &str) -> Option<(u32, u32, usize)> {
        let target = Target { side: Side::New, lines: LinesView { start, end } };
        let lines = cut_out(lines, Some(target), Some(excerpt))?;
        let n_target = lines.iter().filter(|line| line.is_target).count();
        Some((lines.first()?.line.number, lines.last()?.line.number, n_target))
    }

    #[test]
    fn lines_are_shown_with_those_before_and_after() {
        assert_eq!(shown(file(40), 20, 21, "line 20\nline 21"), Some((12, 29, 2)));
        assert_eq!(shown(file(4), 1, 1, "line 1"), Some((1, 4, 1)));
        assert_eq!(shown(file(400), 1, 300, "line 1"), Some((1, 68, 68)));
    }

    #[test]
    fn another_hunk_is_left_out() {
        let lines = [3, 4, 5, 90, 91].map(|number| file(91).remove(number - 1)).to_vec();
        assert_eq!(shown(lines.clone(), 4, 4, "line 4"), Some((3, 5, 1)));
        assert_eq!(shown(lines, 91, 91, "line 91"), Some((90, 91, 1)));
    }

    #[test]
    fn only_the_end_of_a_long_excerpt_may_be_incomplete() {
        assert!(!is_excerpt_of("}", ["} else {"].into_iter()));
        assert!(!is_excerpt_of("a\nb", ["a"].into_iter()));
        let long = "x".repeat(9000);
        assert!(is_excerpt_of(&long[..8192], [long.as_str()].into_iter()));
    }

    #[test]
    fn other_code_in_the_same_lines_is_not_shown() {
        assert_eq!(shown(file(40), 20, 20, "line 7"), None);
        assert_eq!(shown(file(4), 20, 20, "line 20"), None);
        assert_eq!(cut_out(Vec::new(), None, None), None);
    }
}
