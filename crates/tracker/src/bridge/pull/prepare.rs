//! Prepares a pull: item ids, statuses, members and sprints; and drops the duplicate of two local items that are one in
//! Taiga.

use std::collections::BTreeMap;

use app::Error;
use app::Project;
use app::plan::{PlanContext, set};
use model::entity::Entity;
use model::id::EntityId;
use model::member;
use model::op::Change;
use model::workflow::{self, Status, Workflow};
use serde_json::Value;
use store::{Step, WritePlan};
use taiga::dto::{Milestone, ProjectId};

use super::super::compare::{self, BridgeSide, Verdict};
use super::super::field_set::{AgreedFingerprints, Key};
use super::super::kind::{BridgedKind, local_kind};
use super::super::link::{FIELD, Link};
use super::super::local_item::LocalItem;
use super::super::mapping::BridgeMapping;
use super::super::pairing::{self, Pairing};
use super::super::people::MemberRecord;
use super::super::reconcile;
use super::super::report;
use super::super::retrying_client::user_error;
use super::Pull;
use super::item::{Numbers, creation};
use crate::Kind;
use crate::mapping::item::RemoteItem;
use crate::view::{BridgeItemView, BridgeStepView, BridgeView};

impl Pull<'_> {
    /// Assigns a local id to every remote item, and writes the entities that items refer to.
    pub(super) fn prepare(
        &mut self,
        project: &mut Project,
        here: &[LocalItem],
        rows: &[RemoteItem],
    ) -> Result<(), Error> {
        let remote_ref = self.mapping().remote_ref.clone();
        let sprints =
            self.server.call(|client| client.milestones(ProjectId(remote_ref.project))).map_err(user_error)?;
        self.sprints = sprints.iter().map(|sprint| sprint.id.0).collect();
        self.adopt_sprints(here, &sprints);
        let ids = &mut self.bridge.mapping.ids;
        let names = rows.iter().map(|row| (BridgedKind::from(row.kind()), row.id()));
        for (kind, id) in names.chain(sprints.iter().map(|sprint| (BridgedKind::Sprint, sprint.id.0))) {
            if ids.local(kind, id).is_none() {
                ids.add(remote_ref.entity(kind, id), kind, id);
            }
        }
        let highest = rows.iter().filter_map(|row| row.core().reference).max().unwrap_or(0);
        let known: BTreeMap<EntityId, &LocalItem> = here.iter().map(|item| (item.id(), item)).collect();
        let decide = |context: &PlanContext<'_>| -> Result<(Vec<Step>, BridgeView), Error> {
            let mut report = self.blank();
            let mut steps = self.follow_statuses(context, &mut report)?;
            let mut numbers = Numbers::new(context.index, highest);
            steps.extend(self.member_records(context, &mut numbers, &mut report)?);
            steps.extend(reconcile::merge_members(self.mapping().people.merges(), here));
            for sprint in &sprints {
                steps.extend(self.sprint(context, sprint, &known, &mut numbers, &mut report)?);
            }
            Ok((steps, report))
        };
        let report = if self.options.dry_run {
            project.dry_run(|context| Ok(decide(context)?.1))?
        } else {
            let subject = format!("taiga: statuses, members and sprints of `{}`", self.report.project.slug);
            project.commit(|context| {
                let (steps, report) = decide(context)?;
                Ok((WritePlan { subject: subject.clone(), steps }, report))
            })?
        };
        self.report.statuses = report.statuses;
        self.report.members = report.members;
        self.report.created = report.created;
        self.report.changed = report.changed;
        self.report.conflicts.extend(report.conflicts);
        Ok(())
    }

    /// Links a local milestone to a remote sprint of the same name, if the sprint has no link yet: sprint names are
    /// unique in a Taiga project.
    fn adopt_sprints(&mut self, here: &[LocalItem], sprints: &[Milestone]) {
        for sprint in sprints {
            let there = BridgeMapping::of_sprint(sprint);
            let ids = &mut self.bridge.mapping.ids;
            let is_it = |item: &&LocalItem| {
                let is_free = item.kind == BridgedKind::Sprint && !item.row.item.deleted && item.is_unlinked();
                is_free
                    && there.get(&Key::Subject) == item.row.item.title.as_str()
                    && ids.remote(item.id(), BridgedKind::Sprint).is_none()
            };
            if ids.local(BridgedKind::Sprint, sprint.id.0).is_none()
                && let Some(own) = here.iter().find(is_it)
            {
                ids.add(own.id(), BridgedKind::Sprint, sprint.id.0);
            }
        }
    }

    /// Adds new remote statuses, updates whether a status is closed, and stores the pairings.
    fn follow_statuses(&self, context: &PlanContext<'_>, report: &mut BridgeView) -> Result<Vec<Step>, Error> {
        let remote_ref = &self.mapping().remote_ref;
        let mut steps = Vec::new();
        for (kind, statuses) in &self.mapping().statuses {
            let id = Workflow::id(local_kind(*kind));
            let workflow = context.index.entity(id)?;
            let missing = statuses.missing();
            let renamed = statuses.renamed();
            let is_new = |status: &&Status| renamed.iter().all(|(_, now)| *now != status.name);
            let new = missing.iter().filter(is_new).map(|status| format!("{}: {}", local_kind(*kind), status.name));
            report.statuses.extend(new);
            report
                .statuses
                .extend(renamed.iter().map(|(before, now)| format!("{}: {now} (was {before})", local_kind(*kind))));
            let own = |status: &Status| !pairing::is_used_elsewhere(remote_ref, workflow.as_ref(), &status.name);
            let changed = statuses.reclassified().into_iter().filter(own);
            let fields =
                missing.into_iter().chain(changed).map(|status| (Status::field(&status.name), status.to_value()));
            let pairings = statuses
                .changed_pairings()
                .into_iter()
                .map(|(id, pairing)| (pairing::field(remote_ref, id), pairing.map_or(Value::Null, Pairing::to_value)));
            let fields: Vec<(String, Value)> = fields.chain(pairings).collect();
            steps.extend(
                workflow_changes(*kind, fields, workflow.as_ref()).into_iter().map(|change| Step::own(id, change)),
            );
        }
        Ok(steps)
    }

    /// Removes statuses that a pull once added, that are no longer paired, and that no item uses.
    pub(super) fn drop_abandoned_statuses(&self, project: &mut Project) -> Result<(), Error> {
        if self.options.dry_run || self.mapping().statuses.values().all(|statuses| statuses.abandoned().is_empty()) {
            return Ok(());
        }
        let subject = format!("taiga: statuses that `{}` no longer has", self.report.project.slug);
        project.commit(|context| {
            let in_use = context.index.statuses_in_use()?;
            let mut steps = Vec::new();
            for (kind, statuses) in &self.mapping().statuses {
                let id = Workflow::id(local_kind(*kind));
                let workflow = context.index.entity(id)?;
                let is_free = |name: &&str| {
                    let is_used = in_use.iter().any(|one| one.kind == local_kind(*kind) && one.status == *name);
                    !is_used && !pairing::is_used_elsewhere(&self.mapping().remote_ref, workflow.as_ref(), name)
                };
                let free = statuses.abandoned().into_iter().filter(is_free);
                steps.extend(free.map(|name| Step::own(id, set(&Status::field(name), Value::Null))));
            }
            Ok((WritePlan { subject: subject.clone(), steps }, ()))
        })
    }

    fn member_records(
        &self,
        context: &PlanContext<'_>,
        numbers: &mut Numbers<'_>,
        report: &mut BridgeView,
    ) -> Result<Vec<Step>, Error> {
        let people = &self.mapping().people;
        let mut steps = Vec::new();
        for introduction in people.member_records() {
            match introduction {
                MemberRecord::Known { id, user } => steps.push(Step::own(*id, set(FIELD, people.mark(*user)))),
                MemberRecord::New { id, person, user } => {
                    report.members.push(person.to_string());
                    let known = context.index.entity(*id)?.filter(|entity| entity.creation().is_some());
                    // A member who was removed here is still a member in Taiga: restore them.
                    let is_deleted = known.as_ref().is_some_and(model::entity::Entity::is_deleted);
                    if is_deleted {
                        steps.push(Step::own(*id, Change::Restore));
                    }
                    let fields: BTreeMap<String, Value> = BTreeMap::from([
                        ("name".to_owned(), person.name().into()),
                        ("email".to_owned(), person.email().into()),
                        ("username".to_owned(), user.username.as_str().into()),
                        ("role".to_owned(), user.role.as_str().into()),
                        (FIELD.to_owned(), people.mark(user.id)),
                    ]);
                    if known.is_some() {
                        steps.extend(fields.into_iter().map(|(field, value)| Step::own(*id, set(&field, value))));
                    } else {
                        let kind = member::ENTITY_KIND.to_owned();
                        let create =
                            Change::Create { kind, number: Some(numbers.person(*id)?), fields, sets: BTreeMap::new() };
                        steps.push(Step::own(*id, create));
                    }
                }
            }
        }
        Ok(steps)
    }

    fn sprint(
        &self,
        context: &PlanContext<'_>,
        sprint: &Milestone,
        known: &BTreeMap<EntityId, &LocalItem>,
        numbers: &mut Numbers<'_>,
        report: &mut BridgeView,
    ) -> Result<Vec<Step>, Error> {
        let mapping = self.mapping();
        let there = BridgeMapping::of_sprint(sprint);
        let id = mapping.ids.local(BridgedKind::Sprint, sprint.id.0);
        let id = id.unwrap_or_else(|| mapping.remote_ref.entity(BridgedKind::Sprint, sprint.id.0));
        let link = |base: AgreedFingerprints| Link {
            remote_ref: mapping.remote_ref.clone(),
            kind: BridgedKind::Sprint,
            id: sprint.id.0,
            reference: None,
            version: 0,
            base,
            gone: false,
        };
        let Some(here) = known.get(&id) else {
            let link = link(mapping.agree_on(BridgedKind::Sprint, &there, None));
            let number = numbers.take(BridgedKind::Sprint, None)?;
            let create = creation(mapping, BridgedKind::Sprint, &there, None, &link, number);
            let item = BridgeItemView {
                id: id.to_string(),
                number: Some(number),
                kind: BridgedKind::Sprint.local().name().to_owned(),
                title: sprint.name.clone(),
                remote_id: Some(sprint.id.0),
                reference: None,
            };
            report.created.push(BridgeStepView { item, fields: Vec::new(), comments: 0 });
            return Ok(vec![Step::own(id, create.into_change())]);
        };
        let base = here.link_to(&mapping.remote_ref).map(|link| link.base.clone()).unwrap_or_default();
        let local = here.shape(mapping);
        let mut differences = compare::compare(&base, &local, &there);
        if self.taken.contains(&id) {
            compare::resolve_conflicts(&mut differences, BridgeSide::Remote);
        }
        let word = |key: &Key, value: &Value| mapping.word(BridgedKind::Sprint, key, value, None);
        let new = link(compare::base_after_pull(&base, &there, &local, &differences, word));
        let taken = differences.iter().filter(|one| one.verdict == Verdict::Remote);
        let keys: Vec<_> = taken.clone().map(|one| one.key.clone()).collect();
        let mut changes: Vec<Change> = taken
            .filter_map(|one| mapping.field(BridgedKind::Sprint, &one.key, &one.remote, None))
            .map(|(field, value)| set(field, value))
            .collect();
        report.conflicts.extend(report::conflict(mapping, context.index, here, &link(base), &differences)?);
        if !keys.is_empty() {
            report.changed.push(report::step(report::known(here, Some(&new)), &keys, 0));
        }
        if here.link.as_ref() != Some(&new) {
            changes.push(set(FIELD, new.to_value()));
        }
        Ok(changes.into_iter().map(|change| Step::own(id, change)).collect())
    }

    /// Keeps one local item per remote item.
    pub(super) fn drop_item_duplicates(
        &mut self,
        project: &mut Project,
        here: &mut Vec<LocalItem>,
    ) -> Result<(), Error> {
        let twins = reconcile::duplicates_of(here, self.mapping(), &self.taken);
        for (item, kind, id) in twins.kept {
            self.bridge.mapping.ids.add(item, kind, id);
        }
        self.report.deleted.extend(twins.deleted);
        self.report.conflicts.extend(twins.conflicts);
        here.retain(|item| !twins.dropped.contains(&item.id()));
        if !self.options.dry_run && !twins.steps.is_empty() {
            let subject = format!("taiga: one item for each of `{}`", self.report.project.slug);
            project.commit(|_| Ok((WritePlan { subject: subject.clone(), steps: twins.steps.clone() }, ())))?;
        }
        Ok(())
    }
}

/// Returns the changes that set fields of the workflow of a kind. The first change creates the entity, whose id is the
/// same in every clone.
pub(in crate::bridge) fn workflow_changes(
    kind: Kind,
    fields: Vec<(String, Value)>,
    workflow: Option<&Entity>,
) -> Vec<Change> {
    let exists = workflow.is_some_and(|entity| entity.creation().is_some());
    if exists || fields.is_empty() {
        return fields.into_iter().map(|(field, value)| set(&field, value)).collect();
    }
    let of = ("of".to_owned(), local_kind(kind).name().into());
    let fields = fields.into_iter().chain([of]).collect();
    vec![Change::Create { kind: workflow::ENTITY_KIND.to_owned(), number: None, fields, sets: BTreeMap::new() }]
}
