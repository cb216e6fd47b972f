//! Parses unified diffs as `git diff` writes them: the changed lines of each file.
//!
//! Text outside of a diff is ignored, so a pager's header or a shell prompt in between does no harm.

use crate::message::{Lines, Side};

/// The changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Path before; `None` for a new file.
    pub old: Option<String>,
    /// Path after; `None` for a deleted file.
    pub new: Option<String>,
    /// The lines of its hunks, in the order of the diff.
    pub lines: Vec<DiffLine>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// Added, removed, or context.
    pub origin: LineOrigin,
    /// Line number: before the change for a removed line, else after it.
    pub number: u32,
    /// Text of the line.
    pub text: String,
}

/// What a diff says about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOrigin {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// It is shown for context.
    Context,
}

impl DiffLine {
    /// Returns the side of the diff on which it has its number.
    pub fn side(&self) -> Side {
        if self.origin == LineOrigin::Removed { Side::Old } else { Side::New }
    }
}

impl FileDiff {
    /// Returns the current path, or the old one of a deleted file.
    pub fn path(&self) -> &str {
        self.new.as_deref().or(self.old.as_deref()).unwrap_or_default()
    }

    /// Returns the changed lines, in the order of the diff.
    pub fn changed(&self) -> impl Iterator<Item = &DiffLine> {
        self.lines.iter().filter(|line| line.origin != LineOrigin::Context)
    }

    /// Returns the range from the first to the last changed line: of the added lines, or of the removed ones if none
    /// was added.
    pub fn span(&self) -> Option<(Side, Lines)> {
        [Side::New, Side::Old].into_iter().find_map(|side| {
            let numbers = || self.changed().filter(|line| line.side() == side).map(|line| line.number);
            Some((side, Lines::new(numbers().min()?, numbers().max()?)?))
        })
    }
}

/// Parses a diff.
pub fn parse(text: &str) -> Vec<FileDiff> {
    let mut reading = DiffParser::default();
    for line in text.lines() {
        reading.line(&without_colors(line));
    }
    reading.files.retain(|file| file.old.is_some() || file.new.is_some());
    reading.files
}

#[derive(Default)]
struct DiffParser {
    files: Vec<FileDiff>,
    /// The path of the `---` line, until its `+++` line is read.
    old: Option<OldName>,
    hunk: Option<Hunk>,
}

/// A path before the change; `None` for a new file.
struct OldName(Option<String>);

/// The position in a hunk: the next line numbers, and the remaining lines.
struct Hunk {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
}

impl DiffParser {
    fn line(&mut self, line: &str) {
        if self.hunk.as_ref().is_some_and(|hunk| hunk.old_left > 0 || hunk.new_left > 0) {
            return self.in_hunk(line);
        }
        if let Some(name) = line.strip_prefix("--- ") {
            self.old = Some(OldName(file_name(name)));
        } else if let Some(name) = line.strip_prefix("+++ ")
            && let Some(OldName(old)) = self.old.take()
        {
            let (old, new) = without_prefixes(old, file_name(name));
            self.files.push(FileDiff { old, new, lines: Vec::new() });
        } else if let Some(header) = line.strip_prefix("@@ -") {
            self.hunk = hunk(header);
        }
    }

    fn in_hunk(&mut self, line: &str) {
        let (Some(hunk), Some(file)) = (&mut self.hunk, self.files.last_mut()) else {
            self.hunk = None;
            return;
        };
        let mut push = |origin, number, text: &str| {
            file.lines.push(DiffLine { origin, number, text: text.to_owned() });
        };
        match line.as_bytes().first() {
            Some(b'+') if hunk.new_left > 0 => {
                push(LineOrigin::Added, hunk.new, &line[1..]);
                hunk.pass(Side::New);
            }
            Some(b'-') if hunk.old_left > 0 => {
                push(LineOrigin::Removed, hunk.old, &line[1..]);
                hunk.pass(Side::Old);
            }
            Some(b'\\') => {}
            // Some editors strip the space of an empty line.
            Some(b' ') | None => {
                push(LineOrigin::Context, hunk.new, line.get(1..).unwrap_or_default());
                hunk.pass(Side::New);
                hunk.pass(Side::Old);
            }
            _ => self.hunk = None,
        }
    }
}

impl Hunk {
    fn pass(&mut self, side: Side) {
        let (next, left) = match side {
            Side::New => (&mut self.new, &mut self.new_left),
            Side::Old => (&mut self.old, &mut self.old_left),
        };
        *next = next.saturating_add(1);
        *left = left.saturating_sub(1);
    }
}

/// Parses the rest of `@@ -`: `12,3 +14,5 @@ fn name`.
fn hunk(header: &str) -> Option<Hunk> {
    let (old, rest) = header.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let side = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old, old_left), (new, new_left)) = (side(old)?, side(new)?);
    Some(Hunk { old, new, old_left, new_left })
}

fn file_name(text: &str) -> Option<String> {
    // Git appends a tab to names that contain spaces.
    let text = text.strip_suffix('\t').unwrap_or(text);
    let name = unquoted(text).unwrap_or_else(|| text.to_owned());
    (name != "/dev/null").then_some(name)
}

/// Strips git's prefixes from paths: `a/` and `b/`, or the mnemonic ones.
fn without_prefixes(old: Option<String>, new: Option<String>) -> (Option<String>, Option<String>) {
    const PAIRS: [(&str, &str); 6] =
        [("a/", "b/"), ("i/", "w/"), ("c/", "w/"), ("c/", "i/"), ("o/", "w/"), ("1/", "2/")];
    let fits = |name: &Option<String>, prefix: &str| name.as_ref().is_none_or(|name| name.starts_with(prefix));
    // Reversed diffs swap the prefixes.
    let known = PAIRS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).find(|(a, b)| fits(&old, a) && fits(&new, b));
    let Some((a, b)) = known else { return (old, new) };
    let strip = |name: Option<String>, prefix: &str| name.map(|name| name[prefix.len()..].to_owned());
    (strip(old, a), strip(new, b))
}

/// Parses a path that git put in quotes, C style; `None` if it is not quoted.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            first @ b'0'..=b'3' => {
                let digit = |byte: u8| (b'0'..=b'7').contains(&byte).then(|| byte - b'0');
                digit(first)? * 64 + digit(rest.next()?)? * 8 + digit(rest.next()?)?
            }
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Strips ANSI color codes.
fn without_colors(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("\x1b[") {
        plain.push_str(&rest[..at]);
        let code = &rest[at + 2..];
        let end = code.find(|c: char| !(c.is_ascii_digit() || c == ';'));
        if let Some((end, b'm' | b'K')) = end.map(|end| (end, code.as_bytes()[end])) {
            rest = &code[end + 1..];
        } else {
            plain.push_str("\x1b[");
            rest = code;
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let mut shown = Vec::new();
        for file in parse(text) {
            shown.push(format!("{} -> {}", file.old.as_deref().unwrap_or("-"), file.new.as_deref().unwrap_or("-")));
            shown.extend(file.changed().map(|line| format!("{} {}: {}", line.side(), line.number, line.text)));
        }
        shown
    }

    #[test]
    fn changed_lines_have_their_numbers() {
        let diff = "diff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n\
                    @@ -2,4 +2,4 @@ fn main() {\n same\n-was\n+is\n same\n\n@@ -20 +20,2 @@\n-last\n\
                    \\ No newline at end of file\n+last\n+more\n";
        assert_eq!(
            shown(diff),
            ["x.rs -> x.rs", "old 3: was", "new 3: is", "old 20: last", "new 20: last", "new 21: more"]
        );
    }

    #[test]
    fn context_has_the_numbers_of_the_new_side() {
        let diff = "--- a/x\n+++ b/x\n@@ -2,3 +5,3 @@\n one\n-two\n+TWO\n\n";
        let lines: Vec<_> = parse(diff)[0].lines.iter().map(|line| (line.origin, line.number)).collect();
        assert_eq!(
            lines,
            [(LineOrigin::Context, 5), (LineOrigin::Removed, 3), (LineOrigin::Added, 6), (LineOrigin::Context, 7)]
        );
    }

    #[test]
    fn lines_that_look_like_headers_are_content_inside_a_hunk() {
        let diff = "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a comment\n-+++ x\n+++ y\n+-- z\n";
        assert_eq!(
            shown(diff),
            ["q.sql -> q.sql", "old 1: -- a comment", "old 2: +++ x", "new 1: ++ y", "new 2: -- z"]
        );
    }

    #[test]
    fn made_and_removed_files_have_one_name() {
        let diff = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
        assert_eq!(shown(diff), ["- -> new", "new 1: x", "gone -> -", "old 1: y"]);
        let files = parse(diff);
        assert_eq!(files[0].span(), Some((Side::New, Lines::new(1, 1).unwrap())));
        assert_eq!(files[1].span(), Some((Side::Old, Lines::new(1, 1).unwrap())));
    }

    #[test]
    fn names_lose_their_prefixes_quotes_and_tabs() {
        for (old, new, expected) in [
            ("a/x y\t", "b/x y\t", "x y"),
            ("i/x", "w/x", "x"),
            ("x/a", "x/a", "x/a"),
            (r#""a/\303\244\"\\.c""#, r#""b/\303\244\"\\.c""#, r#"ä"\.c"#),
            ("b/x", "a/x", "x"),
        ] {
            let diff = format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
            assert_eq!(parse(&diff)[0].path(), expected);
        }
    }

    #[test]
    fn diff_with_colors_is_parsed() {
        let diff = "\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n";
        assert_eq!(shown(diff), ["x -> x", "old 1: a", "new 1: b"]);
    }

    #[test]
    fn text_without_a_diff_has_no_files() {
        for text in ["", "hello", "@@ -1 +1 @@\n+x", "+++ b/x\n+y", "--- a/x\n@@ -x +y @@\n", "--- a/x\n+++ b/x\n@@ -9"]
        {
            assert!(shown(text).len() < 2, "{text}");
        }
    }
}
