//! Lookup tables, custom fields, attachments and sprints.

use serde_json::json;

use crate::dto::{
    Attachment, CustomValues, IssueType, ItemId, Kind, Milestone, MilestoneDraft, MilestoneId, MilestonePatch, Points,
    Priority, ProjectId, Severity, Status,
};
use crate::query::Query;
use crate::transport::Verb;
use crate::{Client, Error};

impl Client {
    /// Lists the statuses of a kind in a project. [`Client::project`] has those of all kinds.
    pub fn statuses(&self, kind: Kind, project: ProjectId) -> Result<Vec<Status>, Error> {
        self.everything(&format!("/{}-statuses", kind.word()), &of(project))
    }

    /// Lists the priorities of issues.
    pub fn priorities(&self, project: ProjectId) -> Result<Vec<Priority>, Error> {
        self.everything("/priorities", &of(project))
    }

    /// Lists the severities of issues.
    pub fn severities(&self, project: ProjectId) -> Result<Vec<Severity>, Error> {
        self.everything("/severities", &of(project))
    }

    /// Lists the types of issues.
    pub fn issue_types(&self, project: ProjectId) -> Result<Vec<IssueType>, Error> {
        self.everything("/issue-types", &of(project))
    }

    /// Lists the points scale.
    pub fn points(&self, project: ProjectId) -> Result<Vec<Points>, Error> {
        self.everything("/points", &of(project))
    }

    /// Lists the sprints, newest first.
    pub fn milestones(&self, project: ProjectId) -> Result<Vec<Milestone>, Error> {
        self.everything("/milestones", &of(project))
    }

    /// Creates a sprint.
    pub fn create_milestone(&self, draft: &MilestoneDraft) -> Result<Milestone, Error> {
        self.send(Verb::Post, "/milestones", &json!(draft))
    }

    /// Reads the values of an item's custom fields.
    pub fn custom_values(&self, kind: Kind, id: ItemId) -> Result<CustomValues, Error> {
        self.fetch(&format!("{}/custom-attributes-values/{id}", kind.path()), &Query::default())
    }

    /// Lists the attachments of an item.
    pub fn attachments(&self, kind: Kind, project: ProjectId, id: ItemId) -> Result<Vec<Attachment>, Error> {
        self.everything(&format!("{}/attachments", kind.path()), &of(project).with("object_id", id))
    }

    /// Lists the attachments of all items of a kind.
    pub fn project_attachments(&self, kind: Kind, project: ProjectId) -> Result<Vec<Attachment>, Error> {
        self.everything(&format!("{}/attachments", kind.path()), &of(project))
    }

    /// Reads a sprint.
    pub fn milestone(&self, id: MilestoneId) -> Result<Milestone, Error> {
        self.fetch(&format!("/milestones/{id}"), &Query::default())
    }

    /// Updates a sprint.
    pub fn patch_milestone(&self, id: MilestoneId, patch: &MilestonePatch) -> Result<Milestone, Error> {
        self.send(Verb::Patch, &format!("/milestones/{id}"), &json!(patch))
    }

    /// Deletes a sprint. Its items are kept, without a sprint.
    pub fn delete_milestone(&self, id: MilestoneId) -> Result<(), Error> {
        self.write(Verb::Delete, &format!("/milestones/{id}"), &Query::default(), None).map(|_| ())
    }
}

fn of(project: ProjectId) -> Query {
    Query::default().with("project", project)
}
