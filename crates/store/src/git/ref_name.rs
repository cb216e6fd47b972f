//! Checked reference names. A value of this type can be used in a refspec or on a command line as it is: it starts with
//! `refs/` and contains no glob, colon, leading plus sign or other syntax of git.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::gix;

/// The text is not a full reference name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a full reference name")]
pub struct BadRefName {
    text: String,
}

/// A full reference name, such as `refs/cairn/work`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(Cow<'static, str>);

impl RefName {
    /// The reference of the work log.
    pub const WORK: RefName = RefName(Cow::Borrowed("refs/cairn/work"));

    /// The default reference of annotations.
    pub const NOTES: RefName = RefName(Cow::Borrowed("refs/notes/ultragit"));

    /// Parses the name of a notes ref as git does: `review`, `notes/review` and `refs/notes/review` are the same.
    /// Anything outside of `refs/notes` is refused: writing notes to a branch would overwrite it.
    pub fn for_notes(text: &str) -> Result<Self, BadRefName> {
        let full = match text {
            _ if text.starts_with("refs/") => text.to_owned(),
            _ if text.starts_with("notes/") => format!("refs/{text}"),
            _ => format!("refs/notes/{text}"),
        };
        let is_for_notes = full.starts_with("refs/notes/");
        full.parse().ok().filter(|_| is_for_notes).ok_or_else(|| BadRefName { text: text.to_owned() })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the fetch pattern that matches this name whether or not it exists.
    ///
    /// A fetch of a reference that the remote lacks is an error in git; a glob that matches nothing is not.
    pub(super) fn glob(&self) -> String {
        let mut pattern = self.0.to_string();
        pattern.pop();
        pattern.push('*');
        pattern
    }
}

impl FromStr for RefName {
    type Err = BadRefName;

    fn from_str(text: &str) -> Result<Self, BadRefName> {
        let is_full = text.starts_with("refs/");
        if is_full && gix::validate::reference::name(text.into()).is_ok() {
            Ok(Self(Cow::Owned(text.to_owned())))
        } else {
            Err(BadRefName { text: text.to_owned() })
        }
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_syntax_in_them_are_refused() {
        for text in [
            "work",
            "+refs/cairn/work",
            "refs/cairn/wor*",
            "refs/a:refs/b",
            "refs/a b",
            "refs/../x",
            "refs/x.lock",
            "refs/",
        ] {
            assert!(text.parse::<RefName>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_constant_is_a_valid_name() {
        assert_eq!(RefName::WORK.as_str().parse(), Ok(RefName::WORK));
        assert_eq!(RefName::WORK.glob(), "refs/cairn/wor*");
        assert_eq!(RefName::NOTES.as_str().parse(), Ok(RefName::NOTES));
    }

    #[test]
    fn notes_are_kept_nowhere_but_under_notes() {
        for text in ["ultragit", "notes/ultragit", "refs/notes/ultragit"] {
            assert_eq!(RefName::for_notes(text), Ok(RefName::NOTES));
        }
        for text in ["refs/heads/main", "refs/cairn/work", "", "a b", "refs/notes/"] {
            assert!(RefName::for_notes(text).is_err(), "{text}");
        }
    }
}
