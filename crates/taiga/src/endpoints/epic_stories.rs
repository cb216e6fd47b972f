//! The stories of an epic.

use serde_json::json;

use crate::dto::{ItemId, RelatedStory};
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error};

impl Client {
    /// Lists the stories of an epic. They may belong to other projects.
    pub fn stories_of(&self, epic: ItemId) -> Result<Vec<RelatedStory>, Error> {
        self.everything(&path(epic), &Query::default())
    }

    /// Adds a story to an epic. Adding it twice is a validation error.
    pub fn link_story(&self, epic: ItemId, story: ItemId) -> Result<RelatedStory, Error> {
        self.send(Verb::Post, &path(epic), &json!(RelatedStory { epic, user_story: story }))
    }

    /// Removes a story from an epic.
    pub fn unlink_story(&self, epic: ItemId, story: ItemId) -> Result<(), Error> {
        let path = format!("{}/{story}", path(epic));
        self.write(Verb::Delete, &path, &Query::default(), None).map(|_| ())
    }
}

fn path(epic: ItemId) -> String {
    format!("/epics/{epic}/related_userstories")
}
