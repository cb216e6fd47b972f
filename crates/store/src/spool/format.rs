//! Serialization of messages and replies: one JSON object each. Unknown keys are ignored; files are never rewritten, so
//! they are not lost.

use jiff::Timestamp;
use model::message::{Excerpt, Lines, Message, Reply};
use model::person::Person;
use serde::{Deserialize, Serialize};

/// The version this module writes and reads.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct MessageFile {
    v: u32,
    id: String,
    thread: String,
    file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<LinesFile>,
    side: String,
    kind: String,
    comment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    excerpt: Option<ExcerptFile>,
    author: String,
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct LinesFile {
    start: u32,
    end: u32,
}

#[derive(Serialize, Deserialize)]
struct ExcerptFile {
    text: String,
    hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct ReplyFile {
    v: u32,
    id: String,
    thread: String,
    body: String,
    #[serde(default)]
    resolves: bool,
    author: String,
    at: Timestamp,
}

pub(super) fn message(message: &Message) -> Vec<u8> {
    written(&MessageFile {
        v: VERSION,
        id: message.id.to_string(),
        thread: message.thread.to_string(),
        file: message.file.clone(),
        lines: message.lines.map(|lines| LinesFile { start: lines.start(), end: lines.end() }),
        side: message.side.name().to_owned(),
        kind: message.kind.name().to_owned(),
        comment: message.comment.clone(),
        commit: message.commit.clone(),
        excerpt: message.excerpt.clone().map(|Excerpt { text, hash, anchor }| ExcerptFile { text, hash, anchor }),
        author: message.author.to_string(),
        at: message.at,
    })
}

/// Parses a message; `None` if it is invalid or of an unknown version.
pub(super) fn read_message(bytes: &[u8]) -> Option<Message> {
    let file: MessageFile = serde_json::from_slice(bytes).ok()?;
    let lines = match file.lines {
        Some(lines) => Some(Lines::new(lines.start, lines.end)?),
        None => None,
    };
    (file.v == VERSION).then_some(())?;
    Some(Message {
        id: file.id.parse().ok()?,
        thread: file.thread.parse().ok()?,
        file: file.file,
        lines,
        side: file.side.parse().ok()?,
        comment: file.comment,
        kind: file.kind.parse().ok()?,
        commit: file.commit,
        excerpt: file.excerpt.map(|ExcerptFile { text, hash, anchor }| Excerpt { text, hash, anchor }),
        author: Person::parse(&file.author),
        at: file.at,
    })
}

pub(super) fn reply(reply: &Reply) -> Vec<u8> {
    written(&ReplyFile {
        v: VERSION,
        id: reply.id.to_string(),
        thread: reply.thread.to_string(),
        body: reply.body.clone(),
        resolves: reply.resolves,
        author: reply.author.to_string(),
        at: reply.at,
    })
}

pub(super) fn read_reply(bytes: &[u8]) -> Option<Reply> {
    let file: ReplyFile = serde_json::from_slice(bytes).ok()?;
    (file.v == VERSION).then_some(())?;
    Some(Reply {
        id: file.id.parse().ok()?,
        thread: file.thread.parse().ok()?,
        body: file.body,
        resolves: file.resolves,
        author: Person::parse(&file.author),
        at: file.at,
    })
}

fn written(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).expect("strings and numbers can be written");
    bytes.push(b'\n');
    bytes
}
