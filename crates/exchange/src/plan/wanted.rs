//! The state that a source wants an item to have, in the terms of the log.

use std::collections::BTreeMap;

use app::Error;
use jiff::tz::TimeZone;
use model::field::{Field, FieldChange, FieldValue};
use model::id::EntityId;
use model::imported::{self, ImportSource};
use model::item::ASSIGNEES;
use model::text::{check_body, check_label, check_line};
use serde_json::Value;
use store::format::v1::is_too_deep;

use super::Planner;
use crate::clean;
use crate::item::{ImportedItem, LeftOut, SourceId};
use crate::status::MappedStatus;

/// The state that the source wants an item to have.
pub(crate) struct Wanted {
    pub(crate) fields: BTreeMap<String, Value>,
    pub(crate) sets: BTreeMap<String, Vec<String>>,
    pub(super) status: MappedStatus,
    /// Fields and sets that refer to items that were not found.
    pub(super) unresolved: Vec<&'static str>,
}

impl Planner<'_> {
    /// Returns the state that the source wants an item to have, in the terms of the log.
    pub(super) fn wanted(&mut self, id: EntityId, item: &ImportedItem) -> Result<Wanted, Error> {
        self.key = Some("status");
        let status = self.statuses.map(item.kind, &item.status)?;
        self.count(item, &status);
        self.key = None;
        let mut fields: BTreeMap<String, Value> = item.extra.clone();
        for (name, value) in &fields {
            check_extra(name, value)?;
        }
        let title = if self.is_own { item.title.clone() } else { clean::one_line(&item.title) };
        let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        self.key = Some("title");
        put("title", check_line("title", &title)?.into());
        if !item.description.is_empty() {
            self.key = Some("description");
            put("description", check_body("description", &item.description)?.into());
        }
        put("status", status.name.clone().into());
        if let Some(priority) = item.priority.filter(|priority| *priority > 0) {
            put("priority", priority.min(10).into());
        }
        for (field, text) in [
            (&model::field::SIZE, &item.size),
            (&model::field::SEVERITY, &item.severity),
            (&model::field::TYPE, &item.type_),
            (&model::field::BLOCKED, &item.blocked),
            (&model::field::COLOR, &item.color),
        ] {
            if let Some(text) = text {
                self.key = Some(field.name);
                put(field.stored(), literal(field, text)?);
            }
        }
        if item.approved {
            put("approved", true.into());
        }
        let closed_on = item.completed.or_else(|| item.closed.map(|at| at.to_zoned(TimeZone::UTC).date()));
        let completed = closed_on.filter(|_| status.closed || item.completed.is_some());
        for (name, day) in
            [("started", item.started), ("expected", item.expected), ("completed", completed), ("due", item.due)]
        {
            if let Some(day) = day {
                put(name, day.to_string().into());
            }
        }
        if let Some(rank) = item.rank.as_ref().filter(|rank| rank.parse::<model::rank::Rank>().is_ok()) {
            put("rank", rank.as_str().into());
        }
        let mut unresolved = self.put_references(id, item, &mut fields)?;
        let mut sets = self.sets(id, item, &mut unresolved)?;
        if let Some((first, others)) = self.assignees(item).split_first() {
            fields.insert("assignee".to_owned(), first.as_str().into());
            sets.insert(ASSIGNEES.to_owned(), others.to_vec());
        }
        if let Some(link) = link(&self.tool, item, &status) {
            fields.insert(imported::FIELD.to_owned(), link);
        }
        sets.retain(|_, members| !members.is_empty());
        Ok(Wanted { fields, sets, status, unresolved })
    }

    fn sets(
        &mut self,
        id: EntityId,
        item: &ImportedItem,
        unresolved: &mut Vec<&'static str>,
    ) -> Result<BTreeMap<String, Vec<String>>, Error> {
        self.key = Some("labels");
        let mut labels = Vec::with_capacity(item.labels.len());
        for label in &item.labels {
            let label = self.label_name(label);
            if !label.is_empty() || self.is_own {
                let label = check_label(&label)?;
                self.labels.add_used(&label);
                labels.push(label);
            }
        }
        for label in &item.label_definitions {
            self.declare(label)?;
        }
        let (mut blocks, has_all_blocks) = self.targets(item, "blocks", &item.blocks)?;
        blocks.extend(self.blocked.remove(&id).unwrap_or_default());
        let (relates, has_all_relates) = self.targets(item, "relates", &item.relates)?;
        let sets = [("blocks", has_all_blocks), ("relates", has_all_relates)];
        unresolved.extend(sets.into_iter().filter(|(_, has_all)| !has_all).map(|(set, _)| set));
        let texts = |ids: Vec<EntityId>| distinct(ids.into_iter().map(|id| id.to_string()).collect());
        self.key = Some("touches");
        let touches = item.touches.iter().map(|path| check_line("path", path)).collect::<Result<Vec<_>, _>>();
        Ok(BTreeMap::from([
            ("labels".to_owned(), distinct(labels)),
            ("blocks".to_owned(), texts(blocks)),
            ("relates".to_owned(), texts(relates)),
            ("touches".to_owned(), distinct(touches?)),
        ]))
    }

    fn assignees(&mut self, item: &ImportedItem) -> Vec<String> {
        let mut people: Vec<String> = Vec::new();
        for assignee in &item.assignees {
            let person = self.person(Some(assignee)).to_string();
            if !people.contains(&person) {
                people.push(person);
            }
        }
        people
    }

    fn count(&mut self, item: &ImportedItem, status: &MappedStatus) {
        self.report.map("kind", item.type_.as_deref().unwrap_or(item.kind.name()), item.kind.name());
        let state = item.status.closed.map_or("", |closed| if closed { "closed" } else { "open" });
        let from = if item.status.name.is_empty() { state } else { &item.status.name };
        if !from.is_empty() {
            self.report.map("status", from, &status.name);
        }
        if status.is_guess {
            let which = model::text::escape_line(&item.status.name);
            let why = "no status here has this meaning; `--status OLD=NEW` maps it";
            self.report.leave_out(LeftOut::new("status", why, which));
        }
        if let Some(priority) = item.priority {
            let there = if item.priority_there.is_empty() { priority.to_string() } else { item.priority_there.clone() };
            self.report.map("priority", &there, &priority.to_string());
        }
    }
}

fn link(tool: &str, item: &ImportedItem, status: &MappedStatus) -> Option<Value> {
    if let Some(link) = &item.imported {
        return Some(link.clone());
    }
    let SourceId::Of(id) = &item.id else { return None };
    let status = status.is_renamed.then(|| item.status.name.trim().to_owned());
    Some(ImportSource { tool: tool.to_owned(), id: id.clone(), url: item.url.clone(), status }.to_value())
}

fn literal(field: &'static Field, text: &str) -> Result<Value, Error> {
    if field.stored() == "blocked" && text.trim().is_empty() {
        return Ok(true.into());
    }
    match FieldChange::parse(field, &clean::one_line(text))?.value() {
        FieldValue::Literal(value) => Ok(value.clone()),
        _ => Ok(Value::Null),
    }
}

fn check_extra(name: &str, value: &Value) -> Result<(), Error> {
    let named = check_line("name of a field", name)?;
    if is_too_deep(value) {
        return Err(Error::invalid(format!("the value of `{named}` is nested too deeply")));
    }
    if has_nul(value) {
        return Err(Error::invalid(format!("the value of `{named}` contains a NUL character")));
    }
    Ok(())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

fn distinct(mut members: Vec<String>) -> Vec<String> {
    members.sort_unstable();
    members.dedup();
    members
}
