//! The inbox: messages from people about code, for the agent or person who will change it.

use inbox::{Inbox, MessageFilter, Remark};
use model::message::MessageKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InboxQuery {
    /// Include resolved messages.
    #[serde(default)]
    all: bool,
}

/// A message about code.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemarkBody {
    /// Path of the file, relative to the top of the repository.
    file: String,
    /// Lines of the file, as `42`, `42-57` or, for lines that a change removed, `old:42`; default: the whole file.
    #[serde(default)]
    lines: String,
    /// Text of the message.
    comment: String,
    #[serde(default)]
    kind: Kind,
    /// The commit that was viewed, by any name git knows; default: the work tree.
    #[serde(default)]
    commit: Option<String>,
}

/// A reply to a message.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyBody {
    /// Markdown; may be empty if the reply resolves the message.
    #[serde(default)]
    text: String,
    /// Whether the reply resolves the message.
    #[serde(default)]
    resolves: bool,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[schemars(rename = "RemarkKind")]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Asks for a change of the code.
    #[default]
    Fix,
    /// Asks for an answer.
    Question,
    /// For information only.
    Note,
}

impl From<Kind> for MessageKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Fix => Self::Fix,
            Kind::Question => Self::Question,
            Kind::Note => Self::Note,
        }
    }
}

pub(super) async fn list(served: ApiState, request: ApiRequest) -> HandlerResult {
    let query: InboxQuery = request.query()?;
    let filter = if query.all { MessageFilter::All } else { MessageFilter::Unresolved };
    reply::tagged(&request.headers, &served.shared.inbox(move |inbox| inbox.list(filter)).await?)
}

pub(super) async fn send(served: ApiState, request: ApiRequest) -> HandlerResult {
    let body: RemarkBody = request.body()?;
    let remark = Remark {
        file: body.file,
        lines: body.lines.parse()?,
        comment: body.comment,
        kind: body.kind.into(),
        commit: body.commit,
        author: request.principal.person.as_ref().map(ToString::to_string),
        as_given: false,
    };
    reply::made(&served.shared.inbox(move |inbox| inbox.send(&remark)).await?)
}

pub(super) async fn take_back(served: ApiState, request: ApiRequest) -> HandlerResult {
    let id = request.parameter("messageId").to_owned();
    let author = request.principal.person.as_ref().map(ToString::to_string);
    reply::json(&served.shared.inbox(move |inbox| inbox.take_back(&id, author.as_deref())).await?)
}

pub(super) async fn take_back_reply(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, own) = (request.parameter("messageId").to_owned(), request.parameter("replyId").to_owned());
    let author = request.principal.person.as_ref().map(ToString::to_string);
    reply::json(&served.shared.inbox(move |inbox| inbox.take_back_reply(&id, &own, author.as_deref())).await?)
}

pub(super) async fn answer(served: ApiState, request: ApiRequest) -> HandlerResult {
    let id = request.parameter("messageId").to_owned();
    let body: ReplyBody = request.body()?;
    let author = request.principal.person.as_ref().map(ToString::to_string);
    let answered = served.shared.inbox(move |inbox| {
        let say = if body.resolves { Inbox::resolve } else { Inbox::reply };
        say(inbox, &id, &body.text, author.as_deref())
    });
    reply::made(&answered.await?)
}
