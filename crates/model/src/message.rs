//! A review message: what a person says about lines of code to whoever will change them, and what comes back.
//!
//! A message is never edited. Where it is on its way follows from where it is kept and what answers it.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use uuid::Uuid;

use crate::id::{self, BadId};
use crate::person::Person;

/// The name of one message or reply. Names made later sort later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(Uuid);

impl MessageId {
    /// Wraps a UUID made by the caller, who owns the clock and the randomness; a version 7 one, or order is lost.
    pub fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for MessageId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        id::parse(text).map(Self)
    }
}

/// What a person wants of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MessageKind {
    /// Change the code.
    #[default]
    Fix,
    /// Answer.
    Question,
    /// Know this.
    Note,
}

/// Which side of a diff lines are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The lines as they are after the change.
    #[default]
    New,
    /// The lines as they were before it; they may be gone.
    Old,
}

/// Lines of a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    start: u32,
    end: u32,
}

impl Lines {
    /// Makes a span; `None` when it would be empty or begin before the first line.
    pub fn new(start: u32, end: u32) -> Option<Self> {
        (start >= 1 && end >= start).then_some(Self { start, end })
    }

    /// Returns the first line.
    pub fn start(self) -> u32 {
        self.start
    }

    /// Returns the last line.
    pub fn end(self) -> u32 {
        self.end
    }

    /// Returns how many lines there are.
    pub fn count(self) -> u32 {
        self.end - self.start + 1
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end { write!(f, "{}", self.start) } else { write!(f, "{}-{}", self.start, self.end) }
    }
}

impl FromStr for Lines {
    type Err = String;

    /// Reads `42`, `42-57` or `42:57`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (start, end) = text.split_once(['-', ':']).unwrap_or((text, text));
        let read = |part: &str| part.trim().parse().ok();
        read(start)
            .zip(read(end))
            .and_then(|(start, end)| Self::new(start, end))
            .ok_or_else(|| format!("invalid line range `{text}`; write `42` or `42-57`, counted from 1"))
    }
}

/// The code a message is about, as it was when the message was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, without the last line end; only the first ones when there are very many.
    pub text: String,
    /// What `git hash-object` says of all the lines, each with its line end.
    pub hash: String,
    /// The function or type the lines are in, when there is one.
    pub anchor: Option<String>,
}

/// What a person says about a file or lines of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its name for life.
    pub id: MessageId,
    /// The message that began the conversation; itself, for the first one.
    pub thread: MessageId,
    /// The file, from the top of the repository, with `/`.
    pub file: String,
    /// The lines; none when it is about the whole file.
    pub lines: Option<Lines>,
    /// Which side of the diff the lines are on.
    pub side: Side,
    /// What the person says.
    pub comment: String,
    /// What the person wants.
    pub kind: MessageKind,
    /// The commit the person was looking at; none for the work tree.
    pub commit: Option<String>,
    /// The code it is about; none when the lines could not be read.
    pub excerpt: Option<Excerpt>,
    /// Who says it.
    pub author: Person,
    /// When.
    pub at: Timestamp,
}

/// Something said in return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its name for life.
    pub id: MessageId,
    /// The conversation it belongs to.
    pub thread: MessageId,
    /// What is said.
    pub body: String,
    /// Whether this settles the matter.
    pub resolves: bool,
    /// Who says it.
    pub author: Person,
    /// When.
    pub at: Timestamp,
}

/// How far a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageState {
    /// Only its author has seen it.
    Draft,
    /// It waits to be read.
    Sent,
    /// It was read.
    Delivered,
    /// Someone answered.
    Answered,
    /// The matter is settled.
    Resolved,
}

macro_rules! words {
    ($type:ident, $name:literal: $($word:literal => $variant:ident),+) => {
        impl $type {
            /// Every one of them, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the word for it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let known = Self::ALL.iter().copied().find(|one| one.name() == text);
                known.ok_or_else(|| format!("unknown message {} `{text}` (expected: {})", $name, [$($word),+].join(", ")))
            }
        }
    };
}

words!(MessageKind, "kind": "fix" => Fix, "question" => Question, "note" => Note);
words!(Side, "side": "new" => New, "old" => Old);
words!(MessageState, "state": "draft" => Draft, "sent" => Sent, "delivered" => Delivered, "answered" => Answered,
    "resolved" => Resolved);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written_back() {
        for text in ["1", "42", "42-57"] {
            assert_eq!(text.parse::<Lines>().unwrap().to_string(), text);
        }
        assert_eq!("3:4".parse::<Lines>(), Ok(Lines { start: 3, end: 4 }));
        for bad in ["", "0", "0-3", "9-3", "a", "-4", "4-", "99999999999"] {
            assert!(bad.parse::<Lines>().unwrap_err().contains("42-57"), "{bad}");
        }
    }

    #[test]
    fn words_are_read_and_written_back() {
        for kind in MessageKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
        assert_eq!(
            "blame".parse::<MessageKind>().unwrap_err(),
            "unknown message kind `blame` (expected: fix, question, note)"
        );
    }
}
