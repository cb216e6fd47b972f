//! git-bug: operations in its references (`refs/bugs/…`, authors in `refs/identities/…`), or the JSON of
//! `git bug bug show --format json`, which has no times of comments.

mod refs;

use app::Error;
use jiff::Timestamp;
use model::item::ItemKind;
use serde::Deserialize;
use serde_json::Value;

use super::{Sink, json};
use crate::input::Input;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, LeftOut, Record, SourceId};

#[derive(Debug, Deserialize)]
struct Snapshot {
    id: String,
    create_time: Option<Time>,
    edit_time: Option<Time>,
    status: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    title: String,
    author: Option<Identity>,
    /// A number in the list of bugs, the comments themselves for one bug; the first is the description.
    comments: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Time {
    timestamp: i64,
}

#[derive(Debug, Clone, Deserialize)]
struct Identity {
    #[serde(default)]
    name: String,
    #[serde(default)]
    email: String,
    #[serde(default)]
    login: String,
}

#[derive(Debug, Deserialize)]
struct Comment {
    id: String,
    author: Option<Identity>,
    #[serde(default)]
    message: String,
}

/// Reads bugs: from a repository if the input is a folder, else from JSON.
pub(crate) fn read(input: &Input, sink: &mut Sink<'_>) -> Result<(), Error> {
    if input.path().is_dir() {
        return refs::read(input, sink);
    }
    let mut n = 0;
    json::each_element(input, |bug: Snapshot| {
        n += 1;
        let place = format!("`{}`: bug {n}", input.name());
        sink(Record::Item(Box::new(bug.into_item(&place)?)))
    })
}

impl Snapshot {
    fn into_item(self, place: &str) -> Result<ImportedItem, Error> {
        let wrong = |error: serde_json::Error| Error::invalid(format!("{place}: `comments`: {error}"));
        let comments: Vec<Comment> = match self.comments {
            Some(Value::Array(values)) => serde_json::from_value(values.into()).map_err(wrong)?,
            _ => Vec::new(),
        };
        let mut item = ImportedItem::new(place, SourceId::Of(self.id), ItemKind::Issue, self.title);
        item.status = ImportedStatus::known("", self.status.as_deref() == Some("closed"));
        item.labels = self.labels;
        item.author = self.author.and_then(Identity::into_person);
        item.created = self.create_time.and_then(|time| Timestamp::from_second(time.timestamp).ok());
        item.updated = self.edit_time.and_then(|time| Timestamp::from_second(time.timestamp).ok());
        let mut comments = comments.into_iter();
        item.description = comments.next().map(|first| first.message).unwrap_or_default();
        for comment in comments {
            item.comments.push(ImportedComment {
                id: SourceId::Of(comment.id),
                author: comment.author.and_then(Identity::into_person),
                created: None,
                body: comment.message,
            });
        }
        if !item.comments.is_empty() {
            let which = item.title.clone();
            item.left_out.push(LeftOut::new(
                "time of comments",
                "the JSON of git-bug has none; its references do",
                which,
            ));
        }
        Ok(item)
    }
}

impl Identity {
    fn into_person(self) -> Option<ImportedPerson> {
        ImportedPerson { name: self.name, email: self.email, username: self.login }.known()
    }
}
