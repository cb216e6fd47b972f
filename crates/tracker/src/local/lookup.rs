//! Resolves the ids of statuses and people.

use std::collections::BTreeMap;

use app::Project;
use app::people::People;
use app::view::MemberView;
use model::workflow::Workflow;

use super::LocalResult;
use crate::Kind;
use crate::entry::{Id, Stage, TrackerPerson};
use crate::ids;
use crate::mapping::local_kind;

/// The statuses of a kind: those of its workflow, and any others that items still have.
pub(super) struct Statuses {
    workflow: Workflow,
    ids: BTreeMap<String, Id>,
}

impl Statuses {
    pub(super) fn of(project: &Project, kind: Kind) -> LocalResult<Self> {
        let item_kind = local_kind(kind);
        let workflow = project.index().workflow(item_kind)?;
        let in_use = project.index().statuses_in_use()?;
        let left_over = in_use.iter().filter(|one| one.kind == item_kind).map(|one| one.status.as_str());
        let names = workflow.statuses().iter().map(|status| status.name.as_str()).chain(left_over);
        let ids = ids::assign(kind, names);
        Ok(Self { workflow, ids })
    }

    /// Returns the id of a status.
    pub(super) fn id(&self, name: &str) -> Option<Id> {
        self.ids.get(name).copied()
    }

    /// Returns the status with this id, including one that is not in the workflow.
    pub(super) fn name(&self, id: Id) -> Option<&str> {
        self.ids.iter().find(|(_, known)| **known == id).map(|(name, _)| name.as_str())
    }

    /// Returns the status with this id, if it is in the workflow.
    pub(super) fn usable(&self, id: Id) -> Option<&str> {
        self.name(id).filter(|name| self.workflow.try_find(name).is_some())
    }
}

/// Returns the statuses of a kind's workflow.
pub(super) fn stages(project: &Project, kind: Kind) -> LocalResult<Vec<Stage>> {
    let statuses = Statuses::of(project, kind)?;
    let shown = statuses.workflow.statuses().iter().filter_map(|status| {
        Some(Stage {
            id: statuses.id(&status.name)?,
            name: status.name.clone(),
            order: status.order,
            is_closed: status.closed,
            category: status.category.name().to_owned(),
            color: status.color.clone(),
        })
    });
    Ok(shown.collect())
}

/// Returns the people who can be assigned, by name.
pub(super) fn people(project: &Project) -> LocalResult<Vec<TrackerPerson>> {
    let people = People::of(project)?;
    let person = |(number, member): (u64, &MemberView)| {
        let named = [&member.username, &member.email, &member.name].into_iter().find(|text| !text.is_empty());
        let full_name = if member.name.is_empty() { &member.email } else { &member.name };
        Some(TrackerPerson {
            id: Id::new(number)?,
            username: named.cloned().unwrap_or_default(),
            full_name: full_name.clone(),
            role: member.role.clone(),
        })
    };
    let mut people: Vec<TrackerPerson> = people.members().filter_map(person).collect();
    people.sort_by(|a, b| (&a.full_name, a.id).cmp(&(&b.full_name, b.id)));
    Ok(people)
}
