//! Sprints.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::id::{MilestoneId, ProjectId};
use super::item::none_as_empty;

/// A sprint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Milestone {
    /// Unique on the server.
    pub id: MilestoneId,
    /// The project.
    #[serde(alias = "project_id")]
    pub project: ProjectId,
    /// Display name.
    pub name: String,
    /// Name in URLs.
    #[serde(default)]
    pub slug: Option<String>,
    /// First day.
    pub estimated_start: Date,
    /// Last day.
    pub estimated_finish: Date,
    /// Whether it is closed.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub closed: bool,
    /// Time of creation.
    #[serde(default)]
    pub created_date: Option<Timestamp>,
    /// Time of the last change.
    #[serde(default)]
    pub modified_date: Option<Timestamp>,
}

/// A new sprint. Its name must be unique in the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MilestoneDraft {
    /// The project.
    pub project: ProjectId,
    /// Display name.
    pub name: String,
    /// First day.
    pub estimated_start: Date,
    /// Last day.
    pub estimated_finish: Date,
}

/// An update of a sprint. Sprints have no version: the last writer wins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MilestonePatch {
    /// New name; it must be unique in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_start: Option<Date>,
    /// New last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_finish: Option<Date>,
    /// Whether it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
}
