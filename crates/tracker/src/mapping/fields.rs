//! The fields of an item in the server's ids, and the request bodies made of them. Fields that a kind does not have are
//! not sent.

use std::collections::BTreeMap;

use jiff::civil::Date;
use taiga::dto::{
    Blocked, Change, Draft, EpicDraft, EpicPatch, IssueDraft, IssuePatch, IssueTypeId, ItemId, MilestoneId, Patch,
    PointsId, PriorityId, ProjectId, RoleId, SeverityId, StatusId, StoryDraft, StoryPatch, Tag, TaskDraft, TaskPatch,
    UserId,
};

/// Fields to send; absent ones keep their value, or get the project's default in a new item.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Fields {
    pub(crate) subject: Option<String>,
    /// Empty to clear it.
    pub(crate) description: Option<String>,
    pub(crate) status: Option<StatusId>,
    pub(crate) assigned_to: Change<UserId>,
    /// All assignees of a story.
    pub(crate) assigned_users: Option<Vec<UserId>>,
    /// Replaces all tags.
    pub(crate) tags: Option<Vec<Tag>>,
    pub(crate) blocked: Option<Blocked>,
    /// Epics only.
    pub(crate) color: Option<String>,
    /// Issues only, like the next two.
    pub(crate) priority: Option<PriorityId>,
    pub(crate) severity: Option<SeverityId>,
    pub(crate) issue_type: Option<IssueTypeId>,
    /// Tasks only.
    pub(crate) user_story: Change<ItemId>,
    pub(crate) milestone: Change<MilestoneId>,
    pub(crate) due_date: Change<Date>,
    /// Stories only.
    pub(crate) points: Option<BTreeMap<RoleId, PointsId>>,
}

impl Fields {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn epic_patch(&self) -> EpicPatch {
        EpicPatch { core: self.patch(), color: self.color.clone() }
    }

    pub(super) fn story_patch(&self) -> StoryPatch {
        StoryPatch {
            core: self.patch(),
            assigned_users: self.assigned_users.clone(),
            milestone: self.milestone,
            due_date: self.due_date,
            points: self.points.clone(),
        }
    }

    pub(super) fn task_patch(&self) -> TaskPatch {
        TaskPatch {
            core: self.patch(),
            user_story: self.user_story,
            milestone: self.milestone,
            due_date: self.due_date,
        }
    }

    pub(super) fn issue_patch(&self) -> IssuePatch {
        IssuePatch {
            core: self.patch(),
            priority: self.priority,
            severity: self.severity,
            issue_type: self.issue_type,
            milestone: self.milestone,
            due_date: self.due_date,
        }
    }

    fn patch(&self) -> Patch {
        Patch {
            subject: self.subject.clone(),
            description: self.description.clone(),
            status: self.status,
            assigned_to: self.assigned_to,
            tags: self.tags.clone(),
            blocked: self.blocked.clone(),
            comment: None,
        }
    }

    pub(super) fn epic_draft(&self, project: ProjectId, name: Option<&str>) -> EpicDraft {
        EpicDraft { core: self.draft(project, name), color: self.color.clone() }
    }

    pub(super) fn story_draft(&self, project: ProjectId, name: Option<&str>) -> StoryDraft {
        StoryDraft {
            core: self.draft(project, name),
            assigned_users: self.assigned_users.clone().unwrap_or_default(),
            milestone: set(self.milestone),
            due_date: set(self.due_date),
            points: self.points.clone().unwrap_or_default(),
        }
    }

    pub(super) fn task_draft(&self, project: ProjectId, name: Option<&str>) -> TaskDraft {
        TaskDraft {
            core: self.draft(project, name),
            user_story: set(self.user_story),
            milestone: set(self.milestone),
            due_date: set(self.due_date),
        }
    }

    pub(super) fn issue_draft(&self, project: ProjectId, name: Option<&str>) -> IssueDraft {
        IssueDraft {
            core: self.draft(project, name),
            priority: self.priority,
            severity: self.severity,
            issue_type: self.issue_type,
            milestone: set(self.milestone),
            due_date: set(self.due_date),
        }
    }

    /// `name` becomes the external reference, by which the item is found again if the response is lost.
    fn draft(&self, project: ProjectId, name: Option<&str>) -> Draft {
        Draft {
            description: self.description.clone().filter(|text| !text.is_empty()),
            status: self.status,
            assigned_to: set(self.assigned_to),
            tags: self.tags.clone().unwrap_or_default(),
            blocked: self.blocked.clone().filter(|blocked| *blocked != Blocked::No),
            external_reference: name.map(|name| [OURS.to_owned(), name.to_owned()]),
            ..Draft::new(project, self.subject.clone().unwrap_or_default())
        }
    }
}

/// The program name in external references of items that we created.
const OURS: &str = "cairn";

/// Returns our id from an item's external reference.
pub(crate) fn own_name(external_reference: Option<&[String]>) -> Option<&str> {
    match external_reference {
        Some([program, name]) if program == OURS => Some(name),
        _ => None,
    }
}

fn set<T>(change: Change<T>) -> Option<T> {
    match change {
        Change::Set(value) => Some(value),
        Change::Keep | Change::Clear => None,
    }
}
