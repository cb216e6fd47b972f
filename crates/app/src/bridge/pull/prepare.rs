//! What comes before the items: names for them, statuses, members, sprints; and of two items here that are one there, one
//! goes.

use std::collections::{BTreeMap, BTreeSet};

use model::id::EntityId;
use model::member;
use model::op::Change;
use model::workflow::{self, Status, Workflow};
use serde_json::Value;
use store::{Step, Steps};
use taiga::dto::{Milestone, ProjectId};

use super::super::compare::{self, Verdict};
use super::super::here::Here;
use super::super::kind::Kind;
use super::super::line::trouble;
use super::super::link::{FIELD, Link};
use super::super::people::Introduction;
use super::super::remote::Remote;
use super::super::report;
use super::super::shape::Base;
use super::super::terms::Terms;
use super::Pull;
use super::item::{Numbers, creation};
use crate::error::Error;
use crate::project::{Desk, Project, set};
use crate::view::{BridgeItemView, BridgeStepView, BridgeView};

impl Pull<'_> {
    /// Gives every item there a name here, and writes what the items will refer to.
    pub(super) fn prepare(&mut self, project: &mut Project, here: &[Here], rows: &[Remote]) -> Result<(), Error> {
        let far = self.terms().far.clone();
        let sprints = self.line.ask(|client| client.milestones(ProjectId(far.project))).map_err(trouble)?;
        let ids = &mut self.setting.terms.ids;
        let names = rows.iter().map(|row| (row.kind(), row.id()));
        for (kind, id) in names.chain(sprints.iter().map(|sprint| (Kind::Sprint, sprint.id.0))) {
            if ids.here(kind, id).is_none() {
                ids.add(far.entity(kind, id), kind, id);
            }
        }
        let highest = rows.iter().filter_map(|row| row.core().reference).max().unwrap_or(0);
        let known: BTreeMap<EntityId, &Here> = here.iter().map(|item| (item.id(), item)).collect();
        let decide = |desk: &Desk<'_>| -> Result<(Vec<Step>, BridgeView), Error> {
            let mut news = self.blank();
            let mut steps = self.missing_statuses(desk, &mut news)?;
            let mut numbers = Numbers::new(desk.index, highest);
            steps.extend(self.introductions(desk, &mut numbers, &mut news)?);
            for sprint in &sprints {
                steps.extend(self.sprint(desk, sprint, &known, &mut numbers, &mut news)?);
            }
            Ok((steps, news))
        };
        let news = if self.options.dry_run {
            project.look(|desk| Ok(decide(desk)?.1))?
        } else {
            let subject = format!("taiga: statuses, members and sprints of `{}`", self.report.project.slug);
            project.write_steps(|desk| {
                let (steps, news) = decide(desk)?;
                Ok((Steps { subject: subject.clone(), steps }, news))
            })?
        };
        self.report.statuses = news.statuses;
        self.report.members = news.members;
        self.report.created = news.created;
        self.report.changed = news.changed;
        self.report.conflicts = news.conflicts;
        Ok(())
    }

    fn missing_statuses(&self, desk: &Desk<'_>, news: &mut BridgeView) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        for (kind, statuses) in &self.terms().statuses {
            let id = Workflow::id(kind.local());
            let mut is_born = desk.index.entity(id)?.is_some_and(|entity| entity.birth().is_some());
            for status in statuses.missing() {
                news.statuses.push(format!("{}: {}", kind.local(), status.name));
                steps.push(Step::own(id, status_change(*kind, &status, is_born)));
                is_born = true;
            }
        }
        Ok(steps)
    }

    fn introductions(
        &self,
        desk: &Desk<'_>,
        numbers: &mut Numbers<'_>,
        news: &mut BridgeView,
    ) -> Result<Vec<Step>, Error> {
        let people = &self.terms().people;
        let mut steps = Vec::new();
        for introduction in people.introductions() {
            match introduction {
                Introduction::Known { id, user } => steps.push(Step::own(*id, set(FIELD, people.mark(*user)))),
                Introduction::New { id, person, user } => {
                    news.members.push(person.to_string());
                    let known = desk.index.entity(*id)?.filter(|entity| entity.birth().is_some());
                    // Someone who was taken out of the project here is a member there.
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
        desk: &Desk<'_>,
        sprint: &Milestone,
        known: &BTreeMap<EntityId, &Here>,
        numbers: &mut Numbers<'_>,
        news: &mut BridgeView,
    ) -> Result<Vec<Step>, Error> {
        let terms = self.terms();
        let there = Terms::of_sprint(sprint);
        let id = terms.ids.here(Kind::Sprint, sprint.id.0);
        let id = id.unwrap_or_else(|| terms.far.entity(Kind::Sprint, sprint.id.0));
        let link = |base: Base| Link {
            far: terms.far.clone(),
            kind: Kind::Sprint,
            id: sprint.id.0,
            reference: None,
            version: 0,
            base,
            gone: false,
        };
        let Some(here) = known.get(&id) else {
            let link = link(Base::of(&there));
            let create = creation(terms, Kind::Sprint, &there, None, &link, numbers.take(Kind::Sprint, None)?);
            let item = BridgeItemView {
                id: id.to_string(),
                number: None,
                kind: Kind::Sprint.local().name().to_owned(),
                title: sprint.name.clone(),
                remote_id: Some(sprint.id.0),
                reference: None,
            };
            news.created.push(BridgeStepView { item, fields: Vec::new(), comments: 0 });
            return Ok(vec![Step::own(id, create)]);
        };
        let base = here.link_to(&terms.far).map(|link| link.base.clone()).unwrap_or_default();
        let local = here.shape(terms);
        let mut differences = compare::compare(&base, &local, &there);
        if self.taken.contains(&id) {
            compare::settle(&mut differences, Verdict::Remote);
        }
        let new = link(compare::base_after_pull(&base, &there, &local, &differences));
        let taken = differences.iter().filter(|one| one.verdict == Verdict::Remote);
        let keys: Vec<_> = taken.clone().map(|one| one.key.clone()).collect();
        let mut changes: Vec<Change> = taken
            .filter_map(|one| terms.field(Kind::Sprint, &one.key, &one.remote, None))
            .map(|(field, value)| set(field, value))
            .collect();
        news.conflicts.extend(report::conflict(terms, desk.index, here, &link(base), &differences)?);
        if !keys.is_empty() {
            news.changed.push(report::step(report::known(here, Some(&new)), &keys, 0));
        }
        if here.link.as_ref() != Some(&new) {
            changes.push(set(FIELD, new.to_value()));
        }
        Ok(changes.into_iter().map(|change| Step::own(id, change)).collect())
    }

    /// Two clones can each have made an item here for one there: one by bringing it over, the other by sending it. The one
    /// that was brought over goes if nobody touched it.
    pub(super) fn drop_twins(&mut self, project: &mut Project, here: &mut Vec<Here>) -> Result<(), Error> {
        let far = self.terms().far.clone();
        let mut by_remote: BTreeMap<(Kind, u64), Vec<usize>> = BTreeMap::new();
        for (place, item) in here.iter().enumerate().filter(|(_, item)| !item.row.item.deleted) {
            if let Some(link) = item.link_to(&far) {
                by_remote.entry((item.kind, link.id)).or_default().push(place);
            }
        }
        let mut dropped = BTreeSet::new();
        let mut steps = Vec::new();
        for ((kind, id), places) in by_remote.into_iter().filter(|(_, places)| places.len() > 1) {
            let brought = far.entity(kind, id);
            let kept = places.iter().copied().find(|place| here[*place].id() != brought).unwrap_or(places[0]);
            self.setting.terms.ids.add(here[kept].id(), kind, id);
            for place in places.into_iter().filter(|place| *place != kept) {
                let (item, link) = (&here[place], here[place].link.clone());
                let Some(link) = link else { continue };
                dropped.insert(item.id());
                if link.base.matches(&item.shape(self.terms())) && !item.has_unsent_comments() {
                    self.report.deleted.push(report::known(item, Some(&link)));
                    steps.push(Step::own(item.id(), Change::Delete));
                    steps.push(Step::own(item.id(), set(FIELD, Value::Null)));
                } else {
                    let why = format!("the same item there is {} here", here[kept].row.reference());
                    self.report.conflicts.push(report::clash(item, &link, &why));
                }
            }
        }
        here.retain(|item| !dropped.contains(&item.id()));
        if !self.options.dry_run && !steps.is_empty() {
            let subject = format!("taiga: one item for each of `{}`", self.report.project.slug);
            project.write_steps(|_| Ok((Steps { subject: subject.clone(), steps: steps.clone() }, ())))?;
        }
        Ok(())
    }
}

// The first change makes the workflow; its id is the same in every clone.
fn status_change(kind: Kind, status: &Status, is_born: bool) -> Change {
    let field = Status::field(&status.name);
    if is_born {
        return set(&field, status.to_value());
    }
    let fields = BTreeMap::from([("of".to_owned(), kind.local().name().into()), (field, status.to_value())]);
    Change::Create { kind: workflow::ENTITY_KIND.to_owned(), number: None, fields, sets: BTreeMap::new() }
}
