//! A review message: a person's comment on lines of code, for the agent or person who will change them, and the
//! replies.
//!
//! A message is never edited. Its state follows from the folder it is in and from its replies.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use uuid::Uuid;

use crate::id::{self, BadId};
use crate::names::{names, parse_name};
use crate::person::Person;
use crate::value_error::ValueError;

/// The id of a message or reply. Later ids sort later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(Uuid);

impl MessageId {
    /// Wraps a UUID made by the caller, who owns the clock and the randomness; it must be of version 7 to sort by time.
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

/// What the author wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MessageKind {
    /// A change of the code.
    #[default]
    Fix,
    /// An answer.
    Question,
    /// Nothing; for information only.
    Note,
}

/// A side of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The lines after the change.
    #[default]
    New,
    /// The lines before the change; they may no longer exist.
    Old,
}

/// A range of lines, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    start: u32,
    end: u32,
}

impl Lines {
    /// Makes a range; `None` if it is empty or begins before line 1.
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

    /// Returns the number of lines.
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
    type Err = ValueError;

    /// Parses `42`, `42-57` or `42:57`.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let (start, end) = text.split_once(['-', ':']).unwrap_or((text, text));
        let read = |part: &str| part.trim().parse().ok();
        read(start)
            .zip(read(end))
            .and_then(|(start, end)| Self::new(start, end))
            .ok_or_else(|| ValueError::Lines(text.to_owned()))
    }
}

/// The code that a message is about, at the time of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, without the last line break; truncated if there are very many.
    pub text: String,
    /// The blob hash of all the lines, each with its line break.
    pub hash: String,
    /// The symbol that contains the lines, if any.
    pub anchor: Option<String>,
}

/// A comment on a file or on lines of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Unique id.
    pub id: MessageId,
    /// The first message of the thread; itself, for the first one.
    pub thread: MessageId,
    /// Path from the top of the repository, with `/`.
    pub file: String,
    /// The lines; `None` if it is about the whole file.
    pub lines: Option<Lines>,
    /// The side of the diff that the lines are on.
    pub side: Side,
    /// Text of the message.
    pub comment: String,
    /// What the author wants.
    pub kind: MessageKind,
    /// The commit that was viewed; `None` for the work tree.
    pub commit: Option<String>,
    /// The code; `None` if the lines could not be read.
    pub excerpt: Option<Excerpt>,
    /// The author.
    pub author: Person,
    /// Time of writing.
    pub at: Timestamp,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Unique id.
    pub id: MessageId,
    /// The thread it belongs to.
    pub thread: MessageId,
    /// Text of the reply.
    pub body: String,
    /// Whether it resolves the message.
    pub resolves: bool,
    /// The author.
    pub author: Person,
    /// Time of writing.
    pub at: Timestamp,
}

/// The state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageState {
    /// Not sent.
    Draft,
    /// Sent but not delivered.
    Sent,
    /// Delivered to a reader.
    Delivered,
    /// Has a reply.
    Answered,
    /// Resolved.
    Resolved,
}

names!(MessageKind: Fix = "fix", Question = "question", Note = "note");
parse_name!(MessageKind, "message kind");
names!(Side: New = "new", Old = "old");
parse_name!(Side, "message side");
names!(MessageState: Draft = "draft", Sent = "sent", Delivered = "delivered", Answered = "answered", Resolved = "resolved");
parse_name!(MessageState, "message state");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written_back() {
        for text in ["1", "42", "42-57"] {
            assert_eq!(text.parse::<Lines>().unwrap().to_string(), text);
        }
        assert_eq!("3:4".parse::<Lines>(), Ok(Lines { start: 3, end: 4 }));
        let errors = ["", "0", "0-3", "9-3", "a", "-4", "4-", "99999999999"]
            .map(|bad| bad.parse::<Lines>().unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @"
        invalid line range ``; write `42` or `42-57`, counted from 1
        invalid line range `0`; write `42` or `42-57`, counted from 1
        invalid line range `0-3`; write `42` or `42-57`, counted from 1
        invalid line range `9-3`; write `42` or `42-57`, counted from 1
        invalid line range `a`; write `42` or `42-57`, counted from 1
        invalid line range `-4`; write `42` or `42-57`, counted from 1
        invalid line range `4-`; write `42` or `42-57`, counted from 1
        invalid line range `99999999999`; write `42` or `42-57`, counted from 1
        ");
    }

    #[test]
    fn words_are_read_and_written_back() {
        for kind in MessageKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert_eq!(
            "blame".parse::<MessageKind>().unwrap_err().to_string(),
            "unknown message kind `blame` (expected: fix, question, note)"
        );
    }
}
