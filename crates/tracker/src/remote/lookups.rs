//! Resolves and checks the ids of a project.

use std::sync::Arc;

use taiga::dto::{self, Project, ProjectId, StatusId, UserId, view_right};

use super::{Remote, TrackerResult, known_id};
use crate::Kind;
use crate::entry::{Id, Stage, TrackerPerson, Window};
use crate::failure::{Failure, IdPosition, ListedObjects, Problem, SideEffect};

impl Remote {
    /// Returns the active project with its statuses, members and lists.
    pub(super) fn active(&self) -> TrackerResult<Arc<Project>> {
        let id = ProjectId(self.memory.active()?.ok_or(Problem::NoActiveProject)?.get());
        self.account.try_find(id).map_or_else(|| self.account.read(&self.client, id).map_err(lost), Ok)
    }

    /// Looks something up in the active project, and returns it with the project. If it is not found in the cached
    /// project, the project is read again once.
    pub(super) fn look_up<T>(&self, find: impl Fn(&Project) -> TrackerResult<T>) -> TrackerResult<(Arc<Project>, T)> {
        let project = self.active()?;
        if let Ok(found) = find(&project) {
            return Ok((project, found));
        }
        // An id that the cached project does not have may have been added on the server since.
        let project = self.account.read(&self.client, project.summary.id)?;
        let found = find(&project)?;
        Ok((project, found))
    }
}

/// Says so if the active project was deleted or is no longer accessible, since the call does not name it.
fn lost(failure: Failure) -> Failure {
    if failure.is_not_found() || failure.is_forbidden() {
        return failure.after(SideEffect::ActiveProjectLost);
    }
    failure
}

/// Fails if the user may not view a kind: Taiga returns an empty list in that case.
pub(super) fn check_view(project: &Project, kind: Kind) -> TrackerResult<()> {
    let right = view_right(kind);
    if project.may(right) {
        return Ok(());
    }
    Err(Problem::MayNotView { what: ListedObjects::Work, right }.into())
}

/// Finds a status of a kind.
pub(super) fn status(project: &Project, kind: Kind, id: Id, position: IdPosition) -> TrackerResult<StatusId> {
    let statuses = project.statuses(kind);
    let found = statuses.iter().find(|status| status.id.0 == id.get()).map(|status| status.id);
    found.ok_or_else(|| Problem::UnknownStatus(id, position).into())
}

pub(super) fn member(project: &Project, id: Id, position: IdPosition) -> TrackerResult<UserId> {
    let found = project.members.iter().find(|member| member.id.0 == id.get()).map(|member| member.id);
    found.ok_or_else(|| Problem::UnknownMember(id, position).into())
}

/// Returns the statuses of a kind, in order. Taiga has no categories: the first open status becomes `todo`.
pub(super) fn stages(project: &Project, kind: Kind) -> Vec<Stage> {
    let mut statuses: Vec<&dto::Status> = project.statuses(kind).iter().collect();
    statuses.sort_by_key(|status| (status.order, status.id));
    let first_open = statuses.iter().find(|status| !status.is_closed).map(|status| status.id);
    let category = |status: &dto::Status| match (status.is_closed, Some(status.id) == first_open) {
        (true, _) => "done",
        (false, true) => "todo",
        (false, false) => "doing",
    };
    let stage = |status: &&dto::Status| {
        Some(Stage {
            id: known_id(status.id.0).ok()?,
            name: status.name.clone(),
            order: status.order,
            is_closed: status.is_closed,
            category: category(status).to_owned(),
            color: status.color.clone().unwrap_or_default(),
        })
    };
    statuses.iter().filter_map(stage).collect()
}

/// Returns the people who can be assigned, by name.
pub(super) fn people(project: &Project) -> Vec<TrackerPerson> {
    // Older servers do not say whether a member is active.
    let members = project.members.iter().filter(|member| member.is_active != Some(false));
    let person = |member: &dto::Member| {
        let full_name = member.full_name.clone().filter(|name| !name.is_empty());
        Some(TrackerPerson {
            id: known_id(member.id.0).ok()?,
            username: member.username.clone(),
            full_name: full_name.unwrap_or_else(|| member.username.clone()),
            role: member.role_name.clone().unwrap_or_default(),
        })
    };
    let mut people: Vec<TrackerPerson> = members.filter_map(person).collect();
    people.sort_by(|a, b| (&a.full_name, a.id).cmp(&(&b.full_name, b.id)));
    people
}

/// Converts a window for the client.
pub(super) fn window(window: Window) -> TrackerResult<taiga::Window> {
    let limit = u32::try_from(window.limit).unwrap_or(taiga::Window::MAX_LIMIT);
    Ok(taiga::Window::new(window.offset, limit)?)
}
