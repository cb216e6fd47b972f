//! Review messages as JSON.

use app::view::LinesView;
use app::view::by_name::name;
use model::message::{Message, MessageKind, MessageState, Reply, Side};
use model::relocate::CurrentLocation;
use schemars::JsonSchema;
use serde::Serialize;
use store::spool::SpooledMessage;

use crate::code::CodeNow;

/// A message with its state, its replies and the current location of its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageView {
    /// The id, which never changes.
    pub id: String,
    /// The first message of the thread.
    pub thread: String,
    /// Its state: `draft`, `sent`, `delivered`, `answered`, `resolved`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub state: MessageState,
    /// The kind: `fix`, `question` or `note`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub kind: MessageKind,
    /// The file, from the top of the repository.
    pub file: String,
    /// The lines when it was written; null for the whole file.
    pub lines: Option<LinesView>,
    /// The side of the diff: `new` or `old`.
    #[serde(serialize_with = "name")]
    #[schemars(with = "String")]
    pub side: Side,
    /// The text.
    pub comment: String,
    /// The commit under review; null for the work tree.
    pub commit: Option<String>,
    /// The code it is about, as it was; null when it could not be read.
    pub excerpt: Option<String>,
    /// The blob hash of that code, as `git hash-object` computes it.
    pub excerpt_hash: Option<String>,
    /// The function or type it is in.
    pub anchor: Option<String>,
    /// The current location of the code; null without code to compare.
    pub code: Option<CodeView>,
    /// Who says it.
    pub author: String,
    /// The time.
    pub at: String,
    /// When it was delivered.
    pub delivered_at: Option<String>,
    /// Whether an earlier reader may have received it already.
    pub again: bool,
    /// The replies, oldest first.
    pub replies: Vec<ReplyView>,
}

/// The current location of the code of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodeView {
    /// `here`, `moved`, `changed` or `gone`.
    #[schemars(with = "String")]
    pub status: CodeStatus,
    /// The current lines; for changed code, those of the symbol that contained it.
    pub lines: Option<LinesView>,
    /// The current path of the file, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// How code changed since a message was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeStatus {
    /// Unchanged, in the same lines.
    Here,
    /// Unchanged, in other lines.
    Moved,
    /// Changed.
    Changed,
    /// No longer there.
    Gone,
}

app::display_as_json!(CodeStatus);

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplyView {
    /// The id, which never changes.
    pub id: String,
    /// Who says it.
    pub author: String,
    /// The time.
    pub at: String,
    /// The text.
    pub body: String,
    /// Whether it resolves the message.
    pub resolves: bool,
}

/// Messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InboxView {
    /// The messages, oldest first.
    pub items: Vec<MessageView>,
    /// Number of messages.
    pub total: usize,
}

impl MessageView {
    pub(crate) fn new(spooled: &SpooledMessage, code: Option<CodeNow>) -> Self {
        let Message { id, thread, file, lines, side, comment, kind, commit, excerpt, author, at } = &spooled.message;
        Self {
            id: id.to_string(),
            thread: thread.to_string(),
            state: spooled.state,
            kind: *kind,
            file: file.clone(),
            lines: lines.map(LinesView::from),
            side: *side,
            comment: comment.clone(),
            commit: commit.clone(),
            excerpt: excerpt.as_ref().map(|excerpt| excerpt.text.clone()),
            excerpt_hash: excerpt.as_ref().map(|excerpt| excerpt.hash.clone()),
            anchor: excerpt.as_ref().and_then(|excerpt| excerpt.anchor.clone()),
            code: code.map(CodeView::from),
            author: author.to_string(),
            at: at.to_string(),
            delivered_at: spooled.delivered.map(|at| at.to_string()),
            again: spooled.again,
            replies: spooled.replies.iter().map(ReplyView::from).collect(),
        }
    }

    /// Returns a warning if the code has moved or changed; `None` if it is where it was.
    pub fn warning(&self) -> Option<String> {
        let was = self.lines?;
        let code = self.code.as_ref()?;
        let file = code.file.as_ref().map(|file| format!(" of {file}")).unwrap_or_default();
        match (code.status, code.lines) {
            (CodeStatus::Moved, Some(now)) => Some(format!("was {}, now {now}{file}", lines_named(was))),
            (CodeStatus::Changed, Some(now)) => {
                let home = self.anchor.as_deref().unwrap_or("what they were in");
                Some(format!("{} changed since; `{home}` is now at {now}{file}", lines_named(was)))
            }
            (CodeStatus::Gone, _) => Some(format!("was {}; these lines are gone", lines_named(was))),
            (CodeStatus::Here, _) if !file.is_empty() => Some(format!("now {}{file}", lines_named(was))),
            _ => None,
        }
    }
}

impl From<CodeNow> for CodeView {
    fn from(now: CodeNow) -> Self {
        let (status, lines) = match now.location {
            CurrentLocation::Here => (CodeStatus::Here, None),
            CurrentLocation::Moved(lines) => (CodeStatus::Moved, Some(lines)),
            CurrentLocation::Changed(lines) => (CodeStatus::Changed, Some(lines)),
            CurrentLocation::Gone => (CodeStatus::Gone, None),
        };
        Self { status, lines: lines.map(LinesView::from), file: now.file }
    }
}

impl From<&Reply> for ReplyView {
    fn from(reply: &Reply) -> Self {
        Self {
            id: reply.id.to_string(),
            author: reply.author.to_string(),
            at: reply.at.to_string(),
            body: reply.body.clone(),
            resolves: reply.resolves,
        }
    }
}

fn lines_named(lines: LinesView) -> String {
    if lines.start == lines.end { format!("line {lines}") } else { format!("lines {lines}") }
}
