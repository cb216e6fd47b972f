//! References to items in commit messages: `Fixes #42`, `Closes: #42, #43`, `Refs #7`.
//!
//! A reference is a keyword, an optional colon, and one or more item numbers with `#`. Only whole words count, in any
//! case. A number without a keyword is not a reference: it may belong to another tracker.

use std::collections::BTreeMap;

use crate::number::MAX_NUMBER;

/// The relation of a commit to an item that its message names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionKind {
    /// The commit belongs to the item.
    Refs,
    /// The commit completes the item.
    Closes,
}

/// The words that make a number in a message a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keywords {
    close: Vec<String>,
    refs: Vec<String>,
}

/// Words that close an item by default; those of the common hosts.
pub const CLOSE_KEYWORDS: [&str; 9] =
    ["fix", "fixes", "fixed", "close", "closes", "closed", "resolve", "resolves", "resolved"];
/// Words that only link an item by default.
pub const REF_KEYWORDS: [&str; 4] = ["ref", "refs", "references", "see"];

impl Default for Keywords {
    fn default() -> Self {
        Self::new(CLOSE_KEYWORDS, REF_KEYWORDS)
    }
}

impl Keywords {
    /// Makes keywords of two lists. Words of both close.
    pub fn new<T: AsRef<str>>(
        close: impl IntoIterator<Item = T>,
        refs: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        Self { close: close.into_iter().map(folded).collect(), refs: refs.into_iter().map(folded).collect() }
    }

    /// Splits a setting such as `fixes, closes` into words.
    pub fn split(setting: &str) -> Vec<String> {
        let words = setting.split(|mark: char| mark == ',' || mark.is_whitespace());
        words.filter(|word| !word.is_empty()).map(folded).collect()
    }

    fn kind_of(&self, word: &str) -> Option<MentionKind> {
        let word = word.to_lowercase();
        let closes = self.close.contains(&word).then_some(MentionKind::Closes);
        closes.or_else(|| self.refs.contains(&word).then_some(MentionKind::Refs))
    }
}

fn folded(word: impl AsRef<str>) -> String {
    word.as_ref().to_lowercase()
}

/// Returns the items that a commit message refers to, each once, with the stronger of its relations.
///
/// The quoted subject of a revert does not close: the revert undoes the work.
pub fn mentions(message: &str, keywords: &Keywords) -> BTreeMap<u64, MentionKind> {
    let mut found = BTreeMap::new();
    for (n, line) in message.lines().enumerate() {
        let is_reverted = n == 0 && line.starts_with("Revert \"");
        for (number, kind) in in_line(line, keywords) {
            let kind = if is_reverted { MentionKind::Refs } else { kind };
            let known = found.entry(number).or_insert(kind);
            *known = kind.max(*known);
        }
    }
    found
}

fn in_line(line: &str, keywords: &Keywords) -> Vec<(u64, MentionKind)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(joins_words) {
        let after = &rest[start..];
        let (word, after) = after.split_at(after.find(|mark| !joins_words(mark)).unwrap_or(after.len()));
        rest = after;
        if let Some(kind) = keywords.kind_of(word) {
            let (numbers, after) = numbers(rest);
            found.extend(numbers.into_iter().map(|number| (number, kind)));
            rest = after;
        }
    }
    found
}

/// Hyphens join words, so that `bug-fixes #3` and `auto-close #3` are not keywords.
fn joins_words(mark: char) -> bool {
    mark.is_alphanumeric() || mark == '_' || mark == '-'
}

/// Reads `: #1, #2 and #3`; returns the numbers and the text after them.
fn numbers(text: &str) -> (Vec<u64>, &str) {
    let mut found = Vec::new();
    let mut rest = text.strip_prefix(':').unwrap_or(text);
    let mut end = text;
    while let Some((number, after)) = number(rest.trim_start()) {
        found.push(number);
        end = after;
        let list = after.trim_start();
        let next = [",", "and ", "& "].iter().find_map(|mark| list.strip_prefix(mark));
        let Some(next) = next else { break };
        // `#1, and #2`
        rest = next.trim_start().strip_prefix("and ").unwrap_or(next);
    }
    (found, end)
}

/// Reads `#42`, which must not go on as a word.
fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.strip_prefix('#')?;
    let end = digits.find(|mark: char| !mark.is_ascii_digit()).unwrap_or(digits.len());
    let (number, after) = digits.split_at(end);
    if after.starts_with(joins_words) {
        return None;
    }
    Some((number.parse().ok().filter(|number| (1..=MAX_NUMBER).contains(number))?, after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::MentionKind::{Closes, Refs};
    use super::*;

    fn check(message: &str, expected: &[(u64, MentionKind)]) {
        let found: Vec<_> = mentions(message, &Keywords::default()).into_iter().collect();
        assert_eq!(found, expected, "{message:?}");
    }

    #[test]
    fn keywords_with_numbers_are_references() {
        check("Fixes #42", &[(42, Closes)]);
        check("login: close the session\n\nCloses: #42\nRefs: #7", &[(7, Refs), (42, Closes)]);
        check("FIXED #1, #2 and #3; see #4", &[(1, Closes), (2, Closes), (3, Closes), (4, Refs)]);
        check("resolves #1, and #2", &[(1, Closes), (2, Closes)]);
        check("(fixes #5)", &[(5, Closes)]);
        check("refs #5\nfixes #5", &[(5, Closes)]);
        check("refs fixes #5", &[(5, Closes)]);
    }

    #[test]
    fn other_numbers_and_parts_of_words_are_not() {
        for text in [
            "#42",
            "prefixes #42",
            "bug-fixes #42",
            "fixes_ #42",
            "fixes 42",
            "fixes owner/name#42",
            "fixes #42nd",
            "fixes # 42",
            "fixes #0",
            "fixes #99999999999999999999999",
            "fixes: see http://example.org/#42",
            "fixes\n#42",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn revert_of_a_closing_commit_does_not_close() {
        check("Revert \"login: fixes #42\"\n\nThis reverts commit 3f9c2a7.", &[(42, Refs)]);
        check("Revert \"login\"\n\nFixes #42", &[(42, Closes)]);
    }

    #[test]
    fn keywords_can_be_chosen() {
        let keywords = Keywords::new(Keywords::split("erledigt, SCHLIESST"), Keywords::split(""));
        let found = mentions("Schließt #1\nschliesst #2\nerledigt: #3\nfixes #4", &keywords);
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [2, 3]);
    }

    proptest! {
        #[test]
        fn every_written_reference_is_found(numbers in proptest::collection::btree_set(1_u64..1_000_000, 1..6), word in 0..9_usize) {
            let list: Vec<String> = numbers.iter().map(|number| format!("#{number}")).collect();
            let message = format!("topic: a change\n\n{} {}.\n", CLOSE_KEYWORDS[word], list.join(", "));
            let found = mentions(&message, &Keywords::default());
            prop_assert_eq!(found.into_iter().collect::<Vec<_>>(), numbers.iter().map(|n| (*n, Closes)).collect::<Vec<_>>());
        }

        #[test]
        fn any_text_can_be_read(message in "(?s).{0,200}") {
            let _ = mentions(&message, &Keywords::default());
        }
    }
}
