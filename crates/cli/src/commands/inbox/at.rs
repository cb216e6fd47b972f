//! A choice from the menu, and the sign at the beginning of a comment.

use std::str::FromStr;

use inbox::RemarkPlace;
use model::message::MessageKind;
use model::value_error::ValueError;

/// The value of `--at`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RemarkTarget {
    /// A file and lines of it.
    RemarkPlace(RemarkPlace),
    /// All drafts.
    Drafts,
}

impl FromStr for RemarkTarget {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text == "drafts" {
            return Ok(Self::Drafts);
        }
        text.parse().map(Self::RemarkPlace)
    }
}

/// Splits the sign off a comment: `?` is a question, `!` a note, none a fix.
pub(super) fn signed(comment: &str) -> (MessageKind, String) {
    let text = comment.trim_start();
    let (kind, rest) = match text.strip_prefix('?') {
        Some(rest) => (MessageKind::Question, rest),
        None => match text.strip_prefix('!') {
            Some(rest) => (MessageKind::Note, rest),
            None => return (MessageKind::Fix, comment.to_owned()),
        },
    };
    // A lone sign stays: it is all that was said.
    let rest = if rest.trim().is_empty() { text } else { rest.trim_start() };
    (kind, rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_sign_sets_the_kind_of_a_message() {
        let check = |comment: &str, kind: MessageKind, text: &str| assert_eq!(signed(comment), (kind, text.to_owned()));
        check("Split this.", MessageKind::Fix, "Split this.");
        check("? Why twice?", MessageKind::Question, "Why twice?");
        check("?why", MessageKind::Question, "why");
        check(" ! stays", MessageKind::Note, "stays");
        check("?", MessageKind::Question, "?");
        check("is it?", MessageKind::Fix, "is it?");
    }
}
