//! Users, projects and memberships.

use crate::dto::{Membership, Project, ProjectId, ProjectSummary, User, UserId};
use crate::query::Query;
use crate::{Client, Error, Page, Window};

impl Client {
    /// Returns the authenticated user; an error if the token is invalid.
    pub fn me(&self) -> Result<User, Error> {
        self.fetch("/users/me", &Query::default())
    }

    /// Lists the projects of a user, by name.
    pub fn projects_of(&self, member: UserId, window: Window) -> Result<Page<ProjectSummary>, Error> {
        self.window("/projects", &Query::default().with("member", member).with("slight", true), window)
    }

    /// Returns a project. A project that the user may not see is reported as forbidden, not as absent.
    pub fn project(&self, id: ProjectId) -> Result<Project, Error> {
        self.fetch(&format!("/projects/{id}"), &Query::default())
    }

    /// Returns a project by its slug. A project that the user may not see is not found.
    pub fn project_by_slug(&self, slug: &str) -> Result<Project, Error> {
        self.fetch("/projects/by_slug", &Query::default().with("slug", slug))
    }

    /// Lists the memberships of a project, including pending invitations.
    pub fn memberships(&self, project: ProjectId) -> Result<Vec<Membership>, Error> {
        self.everything("/memberships", &Query::default().with("project", project))
    }
}
