//! People named in operations: members, authors and assignees. A person who was named once keeps a number for good.

use std::collections::HashMap;

use model::id::EntityId;
use model::item::{ASSIGNEES, ItemKind};
use model::member::{self, Member};
use model::number::NumberSpace;
use model::op::{Change, Op, Stamp};
use model::person::Person;
use rusqlite::{Connection, params};
use serde_json::Value;

use super::super::numbers::Contested;

/// The people that operations of a batch name, each with the earliest such operation.
#[derive(Default)]
pub(super) struct People {
    members: HashMap<EntityId, Stamp>,
    others: HashMap<Person, Stamp>,
}

impl People {
    /// Collects the people that an operation names.
    pub(super) fn add_names_of(&mut self, op: &Op) {
        match &op.change {
            Change::Create { kind, .. } if kind == member::ENTITY_KIND => {
                earliest(self.members.entry(op.entity).or_insert(op.stamp), op.stamp);
            }
            Change::Create { kind, fields, sets, .. } => {
                if ItemKind::ALL.iter().any(|item| item.name() == kind) {
                    self.name(op.by.clone(), op.stamp);
                }
                self.assigned(fields.get("assignee"), op.stamp);
                for other in sets.get(ASSIGNEES).into_iter().flatten() {
                    self.name(Person::parse(other), op.stamp);
                }
            }
            Change::Add { field, value } if field == ASSIGNEES => self.name(Person::parse(value), op.stamp),
            Change::Set { field, value } if field == "assignee" => self.assigned(Some(value), op.stamp),
            _ => {}
        }
    }

    fn assigned(&mut self, value: Option<&Value>, stamp: Stamp) {
        if let Some(text) = value.and_then(Value::as_str) {
            self.name(Person::parse(text), stamp);
        }
    }

    fn name(&mut self, person: Person, stamp: Stamp) {
        if !person.short().is_empty() {
            earliest(self.others.entry(person).or_insert(stamp), stamp);
        }
    }

    /// Writes the people. A new person, or one who was named earlier than known, may change the numbers.
    pub(super) fn write(self, connection: &Connection, contested: &mut Contested) -> rusqlite::Result<()> {
        let sql = "INSERT INTO person VALUES (?1, ?2, ?3, 0) ON CONFLICT DO UPDATE
            SET lamport = excluded.lamport, op = excluded.op
            WHERE (excluded.lamport, excluded.op) < (person.lamport, person.op)";
        let mut put = connection.prepare_cached(sql)?;
        let others = self.others.into_iter().map(|(person, stamp)| (Member::id_of(&person), stamp));
        for (id, stamp) in self.members.into_iter().chain(others) {
            let values = params![id.as_bytes(), stamp.lamport.cast_signed(), stamp.id.as_bytes()];
            if put.execute(values)? > 0 {
                contested.add(NumberSpace::Person);
            }
        }
        Ok(())
    }
}

fn earliest(known: &mut Stamp, stamp: Stamp) {
    *known = stamp.min(*known);
}
