//! Taiga features beyond the contract: sprints, comments, custom fields, attachments, points.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use super::TrackerResult;
use super::entry::Id;
use super::failure::Problem;

/// A sprint; a milestone in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sprint {
    /// The id, passed as `milestoneId`.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// Its first day.
    pub start: Option<Date>,
    /// Its last day.
    pub finish: Option<Date>,
    /// Whether it is closed.
    pub is_closed: bool,
}

/// A new sprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SprintDraft {
    /// Its name.
    pub name: String,
    /// Its first day.
    pub start: Date,
    /// Its last day.
    pub finish: Date,
}

/// Changes to a sprint; absent fields are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SprintChange {
    /// The new name.
    pub name: Option<String>,
    /// The new first day.
    pub start: Option<Date>,
    /// The new last day.
    pub finish: Option<Date>,
    /// Whether it is closed.
    pub is_closed: Option<bool>,
}

impl SprintChange {
    /// Fails if the sprint would end before it begins, given its current days.
    pub(super) fn check_days(&self, start: Option<Date>, finish: Option<Date>) -> TrackerResult<()> {
        match (self.start.or(start), self.finish.or(finish)) {
            (Some(start), Some(finish)) if start > finish => Err(Problem::FinishBeforeStart.into()),
            _ => Ok(()),
        }
    }
}

/// A comment on a work item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryComment {
    /// A UUID.
    pub id: String,
    /// The author's id, if that person can be assigned.
    pub author: Option<Id>,
    /// The author's name.
    pub author_name: String,
    /// When it was written.
    pub created: Timestamp,
    /// Markdown.
    pub text: String,
    /// Whether it was edited.
    pub is_edited: bool,
}

/// Data of a work item that is stored apart from it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Custom fields with a value, by name.
    pub custom_fields: Vec<(String, Value)>,
    /// The names of the attachments.
    pub attachments: Vec<String>,
}
