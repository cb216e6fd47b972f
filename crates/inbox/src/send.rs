//! Sends review messages.

use app::{Error, ErrorKind};
use model::diff;
use model::message::{Excerpt, Lines, Message, MessageKind, Side};
use model::text::{check_body, counted};
use store::spool::SpooledMessage;

use super::choose::RemarkFile;
use super::{Inbox, LineChoice, code};
use crate::view::{InboxView, MessageView};

/// A remark, before it becomes a message.
#[derive(Debug, Clone, Default)]
pub struct Remark {
    /// The file, relative to the repository root, or `COMMIT:PATH`.
    pub file: String,
    /// The lines.
    pub lines: LineChoice,
    /// The text.
    pub comment: String,
    /// The kind of request.
    pub kind: MessageKind,
    /// The commit under review, by any name git knows.
    pub commit: Option<String>,
    /// The author; git's user by default.
    pub author: Option<String>,
    /// Takes file and lines without validation, for older tools that do not check them.
    pub as_given: bool,
}

impl Inbox {
    /// Finds the file and lines of a remark in a diff, unless they are given.
    pub fn about(&self, mut remark: Remark, diff: &str) -> Result<Remark, Error> {
        if !remark.file.is_empty() {
            remark.file = self.choose(&remark.file, remark.commit.as_deref())?.file;
        }
        let files = diff::parse(diff);
        let names = || files.iter().map(|file| format!("`{}`", file.path())).collect::<Vec<_>>().join(", ");
        let file = match (files.as_slice(), remark.file.as_str()) {
            ([], _) => return Err(Error::invalid("the input is not a diff").hint("pipe what `git diff` prints")),
            ([file], "") => file,
            (_, "") => {
                return Err(Error::invalid(format!("the diff is about {}", names())).hint("choose one with `--file`"));
            }
            (files, name) => files.iter().find(|file| file.path() == name).ok_or_else(|| {
                Error::invalid(format!("the diff does not change `{name}`")).hint(format!("it is about {}", names()))
            })?,
        };
        file.path().clone_into(&mut remark.file);
        if remark.lines == LineChoice::WholeFile
            && let Some((side, lines)) = file.span()
        {
            remark.lines = LineChoice::Lines(side, lines);
        }
        Ok(remark)
    }

    /// Sends a remark.
    pub fn send(&self, remark: &Remark) -> Result<MessageView, Error> {
        let message = self.message(remark)?;
        self.spool.send(&message)?;
        self.spool.clear_mark()?;
        Ok(self.view(&SpooledMessage::sent(message)))
    }

    /// Stores a remark as a draft.
    pub fn draft(&self, remark: &Remark) -> Result<MessageView, Error> {
        let message = self.message(remark)?;
        self.spool.draft(&message)?;
        self.spool.clear_mark()?;
        Ok(self.view(&SpooledMessage::drafted(message)))
    }

    /// Sends a remark together with all drafts.
    pub fn send_with_drafts(&self, remark: &Remark) -> Result<InboxView, Error> {
        self.draft(remark)?;
        self.submit(&[])
    }

    fn message(&self, remark: &Remark) -> Result<Message, Error> {
        let comment = remark.comment.trim();
        if comment.is_empty() {
            return Err(Error::invalid("the comment is empty"));
        }
        let chosen = match self.choose(&remark.file, remark.commit.as_deref()) {
            Err(error) if remark.as_given && error.kind == ErrorKind::NotFound => RemarkFile::as_given(&remark.file),
            chosen => chosen?,
        };
        let (side, lines) = match remark.lines {
            LineChoice::WholeFile => (Side::New, None),
            LineChoice::Lines(side, lines) => (side, Some(lines)),
        };
        let excerpt = match lines.map(|lines| self.excerpt(&chosen, side, lines)).transpose() {
            Err(_) if remark.as_given => None,
            excerpt => excerpt?,
        };
        let id = self.new_id();
        Ok(Message {
            id,
            thread: id,
            file: chosen.file,
            lines,
            side,
            comment: check_body("comment", comment)?,
            kind: remark.kind,
            commit: chosen.commit,
            excerpt,
            author: self.author(remark.author.as_deref())?,
            at: (self.env.now)(),
        })
    }

    fn excerpt(&self, chosen: &RemarkFile, side: Side, lines: Lines) -> Result<Excerpt, Error> {
        let file = &chosen.file;
        let text = code::text(&self.repository, file, chosen.commit.as_deref(), side)?.ok_or_else(|| {
            let when = if side == Side::Old { "before the change" } else { "after the change" };
            Error::invalid(format!("`{file}` has no lines {when}, or is too large"))
                .hint("omit the lines to comment on the whole file")
        })?;
        code::excerpt(&self.repository, file, &text, lines).ok_or_else(|| {
            Error::invalid(format!("line {lines} not found: `{file}` has {}", counted(text.lines().count(), "line")))
        })
    }

    pub(super) fn commit(&self, name: &str) -> Result<String, Error> {
        let found = self.repository.try_find_commit(name)?;
        found.ok_or_else(|| Error::not_found(format!("commit not found: `{}`", model::text::escape_line(name))))
    }
}
