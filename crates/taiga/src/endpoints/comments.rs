//! Comments on items. Writing one is a change of the item like any other.

use serde_json::json;

use crate::dto::{Comment, ItemId, Kind};
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error, Page, Window};

impl Client {
    /// Lists the comments on an item, newest first. Those taken back are among them.
    pub fn comments(&self, kind: Kind, id: ItemId, window: Window) -> Result<Page<Comment>, Error> {
        self.window(&path(kind, id), &Query::default().with("type", "comment"), window)
    }

    /// Adds a comment to an item in a version that was read. Use [`Client::patch`] to change something with it.
    pub fn add_comment(&self, kind: Kind, id: ItemId, version: u64, text: &str) -> Result<(), Error> {
        let path = format!("{}/{id}", kind.path());
        let body = json!({"comment": text, "version": version});
        self.write(Verb::Patch, &path, &Query::default(), Some(&body)).map(|_| ())
    }

    /// Changes the text of a comment.
    pub fn edit_comment(&self, kind: Kind, id: ItemId, comment: &str, text: &str) -> Result<(), Error> {
        let path = format!("{}/edit_comment", path(kind, id));
        let query = Query::default().with("id", comment);
        self.write(Verb::Post, &path, &query, Some(&json!({"comment": text}))).map(|_| ())
    }

    /// Takes a comment back.
    pub fn delete_comment(&self, kind: Kind, id: ItemId, comment: &str) -> Result<(), Error> {
        let path = format!("{}/delete_comment", path(kind, id));
        let query = Query::default().with("id", comment);
        self.write(Verb::Post, &path, &query, Some(&json!({}))).map(|_| ())
    }
}

fn path(kind: Kind, id: ItemId) -> String {
    format!("/history/{}/{id}", kind.word())
}
