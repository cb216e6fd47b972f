//! Saying something about code.

use model::diff;
use model::message::{Message, MessageKind, Side};
use model::text::check_body;
use store::spool::Kept;

use super::{Inbox, LineChoice, code};
use crate::error::Error;
use crate::view::MessageView;

/// What a person says, before it is a message.
#[derive(Debug, Clone, Default)]
pub struct Remark {
    /// The file, from the top of the repository or from the folder `within`.
    pub file: String,
    /// The lines.
    pub lines: LineChoice,
    /// What is said.
    pub comment: String,
    /// What is wanted.
    pub kind: MessageKind,
    /// The commit that is looked at, by any name git knows.
    pub commit: Option<String>,
    /// Who says it, when it is not git's identity.
    pub author: Option<String>,
}

impl Remark {
    /// Finds file and lines in a diff, unless they are given.
    pub fn about(mut self, diff: &str) -> Result<Self, Error> {
        let files = diff::parse(diff);
        let names = || files.iter().map(|file| format!("`{}`", file.path())).collect::<Vec<_>>().join(", ");
        let file = match (files.as_slice(), self.file.as_str()) {
            ([], _) => return Err(Error::invalid("what was read is no diff").hint("pipe what `git diff` prints")),
            ([file], "") => file,
            (_, "") => {
                return Err(Error::invalid(format!("the diff is about {}", names())).hint("choose one with `--file`"));
            }
            (files, name) => files.iter().find(|file| file.path() == name).ok_or_else(|| {
                Error::invalid(format!("the diff says nothing about `{name}`")).hint(format!("it is about {}", names()))
            })?,
        };
        file.path().clone_into(&mut self.file);
        if self.lines == LineChoice::WholeFile
            && let Some((side, lines)) = file.span()
        {
            self.lines = LineChoice::Lines(side, lines);
        }
        Ok(self)
    }
}

impl Inbox {
    /// Sends a remark.
    pub fn send(&self, remark: &Remark) -> Result<MessageView, Error> {
        let message = self.message(remark)?;
        self.spool.send(&message)?;
        Ok(self.view(&Kept::sent(message)))
    }

    /// Keeps a remark as a draft.
    pub fn draft(&self, remark: &Remark) -> Result<MessageView, Error> {
        let message = self.message(remark)?;
        self.spool.draft(&message)?;
        Ok(self.view(&Kept::drafted(message)))
    }

    fn message(&self, remark: &Remark) -> Result<Message, Error> {
        let comment = remark.comment.trim();
        if comment.is_empty() {
            return Err(Error::invalid("the comment is empty"));
        }
        let file = self.file(&remark.file)?;
        let commit = remark.commit.as_deref().map(|name| self.commit(name)).transpose()?;
        let (side, lines) = match remark.lines {
            LineChoice::WholeFile => (Side::New, None),
            LineChoice::Lines(side, lines) => (side, Some(lines)),
        };
        let text = code::text(&self.repository, &file, commit.as_deref(), side)?;
        let excerpt = match (&text, lines) {
            (Some(text), Some(lines)) => {
                let excerpt = code::excerpt(&self.repository, &file, text, lines);
                Some(excerpt.ok_or_else(|| {
                    Error::invalid(format!("`{file}` has {} lines; there is no line {lines}", text.lines().count()))
                })?)
            }
            _ => None,
        };
        let id = self.new_id();
        Ok(Message {
            id,
            thread: id,
            file,
            lines,
            side,
            comment: check_body("comment", comment).map_err(Error::invalid)?,
            kind: remark.kind,
            commit,
            excerpt,
            author: self.author(remark.author.as_deref())?,
            at: (self.ambient.now)(),
        })
    }

    fn commit(&self, name: &str) -> Result<String, Error> {
        let found = self.repository.try_find_commit(name)?;
        found.ok_or_else(|| Error::not_found(format!("git knows no commit `{}`", model::text::escape_line(name))))
    }
}
