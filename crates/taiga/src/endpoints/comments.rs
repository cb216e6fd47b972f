//! Comments on items. Adding one is an update of the item.

use serde_json::json;

use super::items;
use crate::dto::{Comment, ItemId, Kind};
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error, Page, Window};

impl Client {
    /// Lists the comments on an item, newest first, including deleted ones.
    pub fn comments(&self, kind: Kind, id: ItemId, window: Window) -> Result<Page<Comment>, Error> {
        self.window(&path(kind, id), &Query::default().with("type", "comment"), window)
    }

    /// Adds a comment to an item at the given version. Use [`Client::patch`] to change fields in the same request.
    pub fn add_comment(&self, kind: Kind, id: ItemId, version: u64, text: &str) -> Result<(), Error> {
        let body = json!({"comment": text, "version": version});
        let sent = self.write(Verb::Patch, &items::path(kind, id), &Query::default(), Some(&body));
        sent.map(|_| ()).map_err(|error| self.settle(kind, id, error))
    }

    /// Edits a comment.
    pub fn edit_comment(&self, kind: Kind, id: ItemId, comment: &str, text: &str) -> Result<(), Error> {
        let path = format!("{}/edit_comment", path(kind, id));
        let query = Query::default().with("id", comment);
        self.write(Verb::Post, &path, &query, Some(&json!({"comment": text}))).map(|_| ())
    }

    /// Deletes a comment.
    pub fn delete_comment(&self, kind: Kind, id: ItemId, comment: &str) -> Result<(), Error> {
        let path = format!("{}/delete_comment", path(kind, id));
        let query = Query::default().with("id", comment);
        self.write(Verb::Post, &path, &query, Some(&json!({}))).map(|_| ())
    }
}

fn path(kind: Kind, id: ItemId) -> String {
    format!("/history/{}/{id}", kind.word())
}
