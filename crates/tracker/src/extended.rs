//! What Taiga teams work with beyond the contract: sprints, comments, custom fields, attachments, points.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::Answer;
use super::entry::Id;
use super::failure::Failure;

/// A sprint; in a repository a milestone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sprint {
    /// What `milestoneId` takes.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its first day.
    pub start: Option<Date>,
    /// Its last day.
    pub finish: Option<Date>,
    /// Whether it is over.
    pub is_closed: bool,
}

/// A sprint to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SprintDraft {
    /// Its name.
    pub name: String,
    /// Its first day.
    pub start: Date,
    /// Its last day.
    pub finish: Date,
}

/// What to change about a sprint; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SprintChange {
    /// Another name.
    pub name: Option<String>,
    /// Another first day.
    pub start: Option<Date>,
    /// Another last day.
    pub finish: Option<Date>,
    /// Whether it is over.
    pub is_closed: Option<bool>,
}

impl SprintChange {
    /// Refuses to let a sprint end before it begins, given the days it has now.
    pub(super) fn check_days(&self, start: Option<Date>, finish: Option<Date>) -> Answer<()> {
        match (self.start.or(start), self.finish.or(finish)) {
            (Some(start), Some(finish)) if start > finish => {
                Err(Failure::fields(vec![("finish".to_owned(), "Must not be before start".to_owned())]))
            }
            _ => Ok(()),
        }
    }
}

/// A comment on a piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// A UUID.
    pub id: String,
    /// Who wrote it, if that person can be assigned.
    pub author: Option<Id>,
    /// The author's name.
    pub author_name: String,
    /// When it was written.
    pub created: Timestamp,
    /// Markdown.
    pub text: String,
    /// Whether it was changed since.
    pub is_edited: bool,
}

/// What is kept apart from a piece of work and belongs to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// The project's own fields that have a value, by name.
    pub custom_fields: Vec<(String, Value)>,
    /// The names of attached files.
    pub attachments: Vec<String>,
}
