//! Prepares a run: checks that the remote project is readable, and builds the mapping between both sides.
//!
//! Listing a project that the user may not view gives an empty list, not an error. So the project itself is always
//! requested first.

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use model::workflow::Workflow;
use store::index::Index;
use taiga::dto::{Project, ProjectId, view_right};
use taiga::{AuthProblem, ErrorKind};

use super::Target;
use super::kind::{BridgedKind, local_kind};
use super::link::RemoteRef;
use super::local_item::LocalItem;
use super::mapping::{BridgeMapping, Ids};
use super::pairing;
use super::people::{self, People, User};
use super::retrying_client::{RetryingClient, user_error};
use super::statuses::Statuses;
use crate::Kind;
use crate::mapping::lookup_table::{LookupTable, Priorities};
use crate::mapping::points::PointScale;

/// The remote project, the logged-in user, and the mapping.
pub(super) struct BridgeContext {
    pub(super) project: Project,
    /// The logged-in Taiga user.
    pub(super) me: u64,
    pub(super) mapping: BridgeMapping,
}

impl BridgeContext {
    /// Returns the kinds that the user may not view. Their lists are empty, not refused.
    pub(super) fn hidden(&self) -> BTreeSet<BridgedKind> {
        let is_hidden = |kind: &BridgedKind| !self.project.may(kind.work().map_or("view_milestones", view_right));
        BridgedKind::all().filter(is_hidden).collect()
    }
}

pub(super) fn gather(
    work: &app::Project,
    target: &Target,
    server: &RetryingClient<'_>,
    here: &[LocalItem],
) -> Result<BridgeContext, Error> {
    let index = work.index();
    let remote_ref = RemoteRef { server: target.server.to_string(), project: target.project };
    let project = server.call(|client| client.project(ProjectId(remote_ref.project))).map_err(user_error)?;
    let me = server.call(taiga::Client::me).map_err(user_error)?;
    let mut emails = emails(server, remote_ref.project)?;
    if let Some(email) = me.email.clone().filter(|email| !email.is_empty()) {
        emails.insert(me.id.0, email);
    }
    let locals = people::locals(index, &remote_ref.server)?;
    let mut people = People::new(&remote_ref.server, target.server.host(), users(&project, &emails), &locals);
    people.alias(&work.me()?, me.id.0);
    let mut ids = Ids::default();
    for item in here {
        ids.record_number(item.id(), item.row.reference());
        if item.row.item.deleted {
            ids.record_deleted(item.id());
        }
        if let Some(link) = item.link_to(&remote_ref) {
            ids.add(item.id(), item.kind, link.id);
        }
    }
    let mapping = BridgeMapping {
        statuses: statuses(index, &project, &remote_ref)?,
        severities: LookupTable::severities(&project),
        types: LookupTable::types(&project),
        priorities: Priorities::of(&project),
        points: PointScale::of(&project),
        people,
        ids,
        remote_ref,
    };
    Ok(BridgeContext { project, me: me.id.0, mapping })
}

fn statuses(index: &Index, project: &Project, remote_ref: &RemoteRef) -> Result<BTreeMap<Kind, Statuses>, Error> {
    let mut statuses = BTreeMap::new();
    for kind in Kind::ALL {
        let default = match kind {
            Kind::Epic => project.default_epic_status,
            Kind::Story => project.default_story_status,
            Kind::Task => project.default_task_status,
            Kind::Issue => project.default_issue_status,
        };
        let remote = project.statuses(kind);
        let known = pairing::read(remote_ref, index.entity(Workflow::id(local_kind(kind)))?.as_ref());
        statuses.insert(kind, Statuses::new(index.workflow(local_kind(kind))?, remote, default, known));
    }
    Ok(statuses)
}

/// Returns the e-mail addresses that the server shows; usually none.
fn emails(server: &RetryingClient<'_>, project: u64) -> Result<BTreeMap<u64, String>, Error> {
    match server.call(|client| client.memberships(ProjectId(project))) {
        Ok(places) => {
            let valid_address = |email: Option<String>| email.filter(|email| email.contains('@'));
            Ok(places.into_iter().filter_map(|place| Some((place.user?.0, valid_address(place.email)?))).collect())
        }
        Err(error) if error.kind == ErrorKind::Auth(AuthProblem::Forbidden) => Ok(BTreeMap::new()),
        Err(error) => Err(user_error(error)),
    }
}

fn users(project: &Project, emails: &BTreeMap<u64, String>) -> Vec<User> {
    let users = project.members.iter().map(|member| {
        let name = member.full_name.clone().filter(|name| !name.trim().is_empty());
        User {
            id: member.id.0,
            username: member.username.clone(),
            name: name.unwrap_or_else(|| member.username.clone()),
            role: member.role_name.clone().unwrap_or_default(),
            email: emails.get(&member.id.0).cloned(),
        }
    });
    users.collect()
}
