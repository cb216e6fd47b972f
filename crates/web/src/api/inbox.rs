//! What people say about code, on its way to whoever changes it.

use app::inbox::{Inbox, Remark};
use model::message::MessageKind;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply;
use super::request::Asked;
use super::route::{Answered, Served};
use crate::problem::Problem;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InboxQuery {
    /// Settled messages too.
    #[serde(default)]
    all: bool,
}

/// A remark on code.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemarkBody {
    /// The file, from the top of the repository.
    file: String,
    /// Lines of it, as `42`, `42-57` or, for lines that a change removed, `old:42`; all of the file unless said.
    #[serde(default)]
    lines: String,
    /// What is said.
    comment: String,
    #[serde(default)]
    kind: Kind,
    /// The commit that is looked at, by any name git knows; the work tree unless said.
    #[serde(default)]
    commit: Option<String>,
}

/// Something said in return.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyBody {
    /// Markdown; may be empty when it settles the matter.
    #[serde(default)]
    text: String,
    /// Whether it settles the matter.
    #[serde(default)]
    resolves: bool,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[schemars(rename = "RemarkKind")]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Change the code.
    #[default]
    Fix,
    /// Answer.
    Question,
    /// Know this.
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

pub(super) async fn list(served: Served, asked: Asked) -> Answered {
    let query: InboxQuery = asked.query()?;
    reply::tagged(&asked.headers, &served.shared.inbox(move |inbox| inbox.list(query.all)).await?)
}

pub(super) async fn send(served: Served, asked: Asked) -> Answered {
    let body: RemarkBody = asked.body()?;
    let remark = Remark {
        file: body.file,
        lines: body.lines.parse().map_err(Problem::invalid)?,
        comment: body.comment,
        kind: body.kind.into(),
        commit: body.commit,
        author: asked.principal.person.as_ref().map(ToString::to_string),
        as_given: false,
    };
    reply::made(&served.shared.inbox(move |inbox| inbox.send(&remark)).await?)
}

pub(super) async fn answer(served: Served, asked: Asked) -> Answered {
    let id = asked.parameter("messageId").to_owned();
    let body: ReplyBody = asked.body()?;
    let author = asked.principal.person.as_ref().map(ToString::to_string);
    let answered = served.shared.inbox(move |inbox| {
        let say = if body.resolves { Inbox::resolve } else { Inbox::reply };
        say(inbox, &id, &body.text, author.as_deref())
    });
    reply::made(&answered.await?)
}
