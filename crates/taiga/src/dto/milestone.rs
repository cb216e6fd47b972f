//! Sprints.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::id::{MilestoneId, ProjectId};
use super::item::none_as_empty;

/// A sprint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Milestone {
    /// Which.
    pub id: MilestoneId,
    /// Whose.
    #[serde(alias = "project_id")]
    pub project: ProjectId,
    /// Its name.
    pub name: String,
    /// Its name as addresses have it.
    #[serde(default)]
    pub slug: Option<String>,
    /// Its first day.
    pub estimated_start: Date,
    /// Its last day.
    pub estimated_finish: Date,
    /// Whether it is over.
    #[serde(default, deserialize_with = "none_as_empty")]
    pub closed: bool,
    /// When it was made.
    #[serde(default)]
    pub created_date: Option<Timestamp>,
    /// When it was changed last.
    #[serde(default)]
    pub modified_date: Option<Timestamp>,
}

/// A new sprint. Its name must be new in the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MilestoneDraft {
    /// Whose.
    pub project: ProjectId,
    /// Its name.
    pub name: String,
    /// Its first day.
    pub estimated_start: Date,
    /// Its last day.
    pub estimated_finish: Date,
}

/// A change of a sprint. It has no version: the last writer wins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MilestonePatch {
    /// Another name; it must be new in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Another first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_start: Option<Date>,
    /// Another last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_finish: Option<Date>,
    /// Whether it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
}
