//! Sprints, comments, custom fields and attachments on a server, and the fields that go beyond the contract.

use std::collections::BTreeMap;

use model::patch::Patch;
use taiga::dto::{self, Milestone, MilestoneDraft, MilestoneId, MilestonePatch, PointsId, Project, RoleId};
use taiga::{OrderBy, OrderField};

use super::errors::about;
use super::items::{unanswered_change, unanswered_create};
use super::{Remote, item_id, known_id};
use crate::Kind;
use crate::change::EntryOrder;
use crate::entry::{EntryPage, Id, Window};
use crate::failure::{ListedObjects, NewObject, Problem, SideEffect, Subject};
use crate::mapping::points::PointScale;
use crate::mapping::requests;
use crate::{Details, EntryComment, Sprint, SprintChange, SprintDraft, TrackerResult};

impl Remote {
    pub(super) fn list_sprints(&self) -> TrackerResult<Vec<Sprint>> {
        let project = self.active()?;
        if !may_view(&project) {
            return Err(Problem::MayNotView { what: ListedObjects::Sprints, right: VIEW_RIGHT }.into());
        }
        let sprints = self.client.milestones(project.summary.id)?;
        sprints.iter().map(sprint).collect()
    }

    pub(super) fn new_sprint(&self, draft: &SprintDraft) -> TrackerResult<Sprint> {
        let draft = MilestoneDraft {
            project: self.active()?.summary.id,
            name: draft.name.clone(),
            estimated_start: draft.start,
            estimated_finish: draft.finish,
        };
        let made = self.client.create_milestone(&draft);
        sprint(&made.map_err(|error| unanswered_create(error, NewObject::Sprint))?)
    }

    pub(super) fn change_sprint(&self, id: Id, change: &SprintChange) -> TrackerResult<Sprint> {
        let now = self.fetch_sprint(id).map_err(|failure| match failure.problem {
            Problem::UnknownSprint(_) => Problem::NotFound(Subject::Sprint).into(),
            _ => failure,
        })?;
        change.check_days(Some(now.estimated_start), Some(now.estimated_finish))?;
        let patch = MilestonePatch {
            name: change.name.clone(),
            estimated_start: change.start,
            estimated_finish: change.finish,
            closed: change.is_closed,
        };
        sprint(&self.client.patch_milestone(now.id, &patch).map_err(|error| unanswered_change(error, Subject::Sprint))?)
    }

    /// Checks that a sprint exists in the active project.
    pub(super) fn check_sprint(&self, id: Id) -> TrackerResult<()> {
        self.fetch_sprint(id).map(drop)
    }

    /// Reads a sprint of the active project: Taiga rejects other ones inconsistently, or not at all.
    fn fetch_sprint(&self, id: Id) -> TrackerResult<Milestone> {
        let project = self.active()?;
        match self.client.milestone(MilestoneId(id.get())) {
            Ok(found) if found.project == project.summary.id => Ok(found),
            Ok(_) => Err(Problem::UnknownSprint(id).into()),
            Err(error) => match about(error, Subject::Sprint) {
                absent if absent.is_not_found() => Err(Problem::UnknownSprint(id).into()),
                // A sprint of a project that the user is not a member of.
                hidden if hidden.is_forbidden() && may_view(&project) => Err(Problem::UnknownSprint(id).into()),
                other => Err(other),
            },
        }
    }

    pub(super) fn comments_on(&self, kind: Kind, id: Id, window: Window) -> TrackerResult<EntryPage<EntryComment>> {
        self.fetch(kind, id)?;
        let comments = self.living_comments(kind, id)?.iter().map(show_comment).collect();
        Ok(EntryPage::cut(comments, window))
    }

    pub(super) fn comment_on(&self, kind: Kind, id: Id, text: &str) -> TrackerResult<EntryComment> {
        self.fetch(kind, id)?;
        let sent = requests::add_comment(&self.client, kind, item_id(id), text);
        sent.map_err(|error| unanswered_create(error, NewObject::Comment))?;
        self.last_comment(kind, id, text).map_err(|failure| failure.after(SideEffect::CommentAdded))
    }

    /// Finds the comment that the user just wrote: the newest one, if the server altered the text.
    fn last_comment(&self, kind: Kind, id: Id, text: &str) -> TrackerResult<EntryComment> {
        let me = self.account.me(&self.client)?;
        let comments = self.living_comments(kind, id)?;
        let is_mine = |comment: &&dto::Comment| comment.user.as_ref().and_then(|user| user.id) == Some(me);
        let found = comments.iter().filter(is_mine).rfind(|comment| comment.text == text);
        let found = found.or_else(|| comments.iter().rfind(is_mine)).map(show_comment);
        found.ok_or_else(|| Problem::CommentNotListed.into())
    }

    /// Returns the comments that are not deleted, oldest first.
    fn living_comments(&self, kind: Kind, id: Id) -> TrackerResult<Vec<dto::Comment>> {
        let mut comments = requests::comments(&self.client, kind, item_id(id))?;
        comments.retain(|comment| comment.delete_comment_date.is_none());
        Ok(comments)
    }

    pub(super) fn details_of(&self, kind: Kind, id: Id) -> TrackerResult<Details> {
        let project = self.active()?;
        let files = self.client.attachments(kind, project.summary.id, item_id(id))?;
        let fields = project.custom_attributes(kind);
        let values = if fields.is_empty() {
            dto::CustomValues::default()
        } else {
            self.client.custom_values(kind, item_id(id))?
        };
        let named = fields
            .iter()
            .filter_map(|field| Some((field.name.clone(), values.values.get(&field.id.to_string())?.clone())));
        Ok(Details {
            custom_fields: named.filter(|(_, value)| !value.is_null()).collect(),
            attachments: files.into_iter().map(|file| file.name).collect(),
        })
    }
}

/// The server's name of the right to view sprints.
const VIEW_RIGHT: &str = "view_milestones";

fn may_view(project: &Project) -> bool {
    project.may(VIEW_RIGHT)
}

fn sprint(sprint: &Milestone) -> TrackerResult<Sprint> {
    Ok(Sprint {
        id: known_id(sprint.id.0)?,
        name: sprint.name.clone(),
        start: Some(sprint.estimated_start),
        finish: Some(sprint.estimated_finish),
        is_closed: sprint.closed,
    })
}

fn show_comment(comment: &dto::Comment) -> EntryComment {
    let user = comment.user.as_ref();
    let name = user.and_then(|user| user.name.clone().or_else(|| user.username.clone()));
    EntryComment {
        id: comment.id.clone(),
        author: user.and_then(|user| user.id).and_then(|id| Id::new(id.0)),
        author_name: name.unwrap_or_default(),
        created: comment.created_at,
        text: comment.text.clone(),
        is_edited: comment.edit_comment_date.is_some(),
    }
}

/// Returns the sprints to filter a list by; `None` stands for the backlog.
pub(super) fn sprints_of(choice: Patch<Id>) -> Vec<Option<MilestoneId>> {
    match choice {
        Patch::Keep => Vec::new(),
        Patch::Clear => vec![None],
        Patch::Set(id) => vec![Some(MilestoneId(id.get()))],
    }
}

pub(super) fn order_of(order: EntryOrder) -> OrderBy {
    let field = match order {
        EntryOrder::Created => return OrderBy::OLDEST_FIRST,
        EntryOrder::Backlog => OrderField::Backlog,
        EntryOrder::Sprint => OrderField::Sprint,
        EntryOrder::Kanban => OrderField::Kanban,
    };
    OrderBy { field, descending: false }
}

/// Returns points by role with the wanted total, or none.
pub(super) fn points(
    project: &Project,
    now: &BTreeMap<RoleId, PointsId>,
    wanted: Option<f64>,
) -> TrackerResult<BTreeMap<RoleId, PointsId>> {
    let scale = PointScale::of(project);
    scale.by_role(now, wanted).ok_or_else(|| {
        let allowed = scale.values().map(|value| value.to_string()).collect();
        Problem::UnknownPoints { allowed }.into()
    })
}
