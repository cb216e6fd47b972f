//! The state of an entity as a fold of its operations.
//!
//! Applying an operation is commutative and idempotent by construction: fields are last-writer-wins registers in
//! (lamport, id) order, sets track which additions were removed, comments and versions are kept by id. So two clones
//! with the same operations have the same state, in whatever order and however often the operations arrived.

use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::comment::{Comment, CommentVersion};
use crate::id::{EntityId, OpId};
use crate::item::ItemKind;
use crate::number;
use crate::op::{Change, Op, Stamp};
use crate::person::Person;

/// The folded state of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Unique id, never reused.
    pub id: EntityId,
    creation: Option<Creation>,
    last: Option<(Stamp, Timestamp, Person)>,
    fields: BTreeMap<String, Register>,
    sets: BTreeMap<String, Members>,
    comments: BTreeMap<OpId, Thread>,
    existence: Option<(Stamp, Existence)>,
    claims: BTreeSet<(Stamp, u64)>,
    /// When each number was last released.
    released: BTreeMap<u64, Stamp>,
    ops: BTreeSet<OpId>,
}

/// Whether the last of the deletions and restorations hides the entity. Of two with one stamp, the restoration counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Existence {
    Deleted,
    Restored,
}

/// The creation of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Creation {
    /// Position of the creation in the order.
    pub stamp: Stamp,
    /// `issue`, `task`, `member`, …
    pub kind: String,
    /// Time of creation.
    pub at: Timestamp,
    /// The author.
    pub by: Person,
    /// The tool that reported author and time, if it was imported.
    pub imported: Option<Arc<str>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Register {
    stamp: Stamp,
    value: Value,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Members {
    added: BTreeSet<(String, OpId)>,
    removed: BTreeSet<(String, OpId)>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Thread {
    begun: Option<Version>,
    versions: BTreeSet<Version>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    stamp: Stamp,
    at: Timestamp,
    by: Person,
    body: String,
    imported: Option<Arc<str>>,
}

impl Entity {
    /// An entity without operations.
    pub fn new(id: EntityId) -> Self {
        Self {
            id,
            creation: None,
            last: None,
            fields: BTreeMap::new(),
            sets: BTreeMap::new(),
            comments: BTreeMap::new(),
            existence: None,
            claims: BTreeSet::new(),
            released: BTreeMap::new(),
            ops: BTreeSet::new(),
        }
    }

    /// Folds operations, in any order, into their entity.
    pub fn fold<'a>(id: EntityId, ops: impl IntoIterator<Item = &'a Op>) -> Self {
        let mut entity = Self::new(id);
        for op in ops {
            entity.apply(op);
        }
        entity
    }

    /// Applies an operation.
    pub fn apply(&mut self, op: &Op) {
        self.apply_owned(op.clone());
    }

    /// Applies an operation and keeps its texts without a copy, as an index build does with each one.
    pub fn apply_owned(&mut self, op: Op) {
        self.ops.insert(op.stamp.id);
        self.touch(&op);
        let Op { stamp, at, by, imported, change, .. } = op;
        let version = |body| Version { stamp, at, by: by.clone(), body, imported: imported.clone() };
        match change {
            Change::Create { kind, number, fields, sets } => {
                self.claim(stamp, number.unwrap_or(0));
                if self.fields.is_empty() {
                    // Sorted already: the map is built as a whole, without a search for each field.
                    self.fields = fields.into_iter().map(|(field, value)| (field, Register { stamp, value })).collect();
                } else {
                    for (field, value) in fields {
                        self.set(stamp, field, value);
                    }
                }
                for (field, members) in sets.into_iter().filter(|(_, members)| !members.is_empty()) {
                    self.members(field).added.extend(members.into_iter().map(|member| (member, stamp.id)));
                }
                self.record_creation(Creation { stamp, kind, at, by, imported });
            }
            Change::Set { field, value } => self.set(stamp, field, value),
            Change::Add { field, value } => {
                self.members(field).added.insert((value, stamp.id));
            }
            Change::Remove { field, value, seen } => {
                let gone = seen.into_iter().map(|tag| (value.clone(), tag));
                self.members(field).removed.extend(gone);
            }
            Change::Comment { body } => self.comments.entry(stamp.id).or_default().begin(version(body)),
            Change::EditComment { comment, body } => {
                self.comments.entry(comment).or_default().versions.insert(version(body));
            }
            Change::Delete => self.set_existence(stamp, Existence::Deleted),
            Change::Restore => self.set_existence(stamp, Existence::Restored),
            Change::Renumber { number, releases } => {
                self.claim(stamp, number);
                for number in releases {
                    let last = self.released.entry(number).or_insert(stamp);
                    *last = stamp.max(*last);
                }
            }
            Change::Unknown { .. } => {}
        }
    }

    /// Returns whether an operation with this id was applied.
    pub fn has_op(&self, id: OpId) -> bool {
        self.ops.contains(&id)
    }

    /// Returns the creation; `None` if it has not arrived.
    pub fn creation(&self) -> Option<&Creation> {
        self.creation.as_ref()
    }

    /// Returns the time and the author of the last change.
    pub fn last_change(&self) -> Option<(Timestamp, &Person)> {
        self.last.as_ref().map(|(_, at, by)| (*at, by))
    }

    /// Returns the value of a field; `None` if it is cleared or was never set.
    pub fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).map(|register| &register.value).filter(|value| !value.is_null())
    }

    /// Returns the value of a text field; empty if there is none.
    pub fn text(&self, field: &str) -> &str {
        self.value(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns all fields with a value, by name.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.all_values().filter(|(_, value)| !value.is_null())
    }

    /// Returns all fields ever set, including cleared ones (`null`).
    pub fn all_values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.fields.iter().map(|(name, register)| (name.as_str(), &register.value))
    }

    /// Returns the names of all sets that ever had a member.
    pub fn set_names(&self) -> impl Iterator<Item = &str> {
        self.sets.keys().map(String::as_str)
    }

    /// Returns the members of a set, sorted, without duplicates.
    pub fn set_members(&self, field: &str) -> Vec<&str> {
        let Some(members) = self.sets.get(field) else { return Vec::new() };
        let mut present: Vec<&str> =
            members.added.difference(&members.removed).map(|(value, _)| value.as_str()).collect();
        present.dedup();
        present
    }

    /// Returns the add operations of `value`, which a removal must name.
    pub fn tags(&self, field: &str, value: &str) -> Vec<OpId> {
        let Some(members) = self.sets.get(field) else { return Vec::new() };
        let own = |entry: &&(String, OpId)| entry.0 == value;
        members.added.difference(&members.removed).filter(own).map(|(_, tag)| *tag).collect()
    }

    /// Returns the comments, oldest first. An edit whose comment has not arrived is not shown.
    pub fn comments(&self) -> Vec<Comment> {
        let mut begun: Vec<(&Version, OpId, &Thread)> =
            self.comments.iter().filter_map(|(id, thread)| Some((thread.begun.as_ref()?, *id, thread))).collect();
        begun.sort_unstable_by_key(|(first, id, _)| (first.stamp, *id));
        begun.into_iter().map(|(first, id, thread)| thread.comment(id, first)).collect()
    }

    /// Returns whether a tombstone hides it.
    pub fn is_deleted(&self) -> bool {
        matches!(self.existence, Some((_, Existence::Deleted)))
    }

    /// Returns the numbers it claims, in order, without released ones.
    pub fn claims(&self) -> impl Iterator<Item = (Stamp, u64)> {
        self.all_claims().filter(|(stamp, number)| !self.is_released(*stamp, *number))
    }

    /// Returns all numbers it ever claimed, in order.
    pub fn all_claims(&self) -> impl Iterator<Item = (Stamp, u64)> {
        self.claims.iter().copied()
    }

    /// Returns whether it released a number after claiming it with this stamp.
    pub fn is_released(&self, claimed: Stamp, number: u64) -> bool {
        self.released.get(&number).is_some_and(|released| claimed < *released)
    }

    /// Returns a short hash of this state: it changes with every operation that arrives.
    pub fn revision(&self) -> String {
        let mut bytes = Vec::with_capacity(self.ops.len() * 16);
        for id in &self.ops {
            bytes.extend_from_slice(id.as_bytes());
        }
        let digest = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, &bytes).simple().to_string();
        digest[..12].to_owned()
    }

    fn touch(&mut self, op: &Op) {
        let newer = match &self.last {
            None => true,
            Some((stamp, at, by)) => (op.stamp, op.at, &op.by) > (*stamp, *at, by),
        };
        if newer {
            self.last = Some((op.stamp, op.at, op.by.clone()));
        }
    }

    // The earliest creation wins: a later one with the same id can only be a copy or a forgery. A forged one that is
    // even earlier must not hide an item by changing its kind, so item kinds take precedence.
    fn record_creation(&mut self, creation: Creation) {
        if self.creation.as_ref().is_none_or(|known| creation.rank() < known.rank()) {
            self.creation = Some(creation);
        }
    }

    fn set(&mut self, stamp: Stamp, field: String, value: Value) {
        match self.fields.entry(field) {
            Entry::Vacant(place) => {
                place.insert(Register { stamp, value });
            }
            Entry::Occupied(mut register) if register.get().loses_to(stamp, &value) => {
                register.insert(Register { stamp, value });
            }
            Entry::Occupied(_) => {}
        }
    }

    fn members(&mut self, field: String) -> &mut Members {
        self.sets.entry(field).or_default()
    }

    fn claim(&mut self, stamp: Stamp, number: u64) {
        if (1..=number::MAX_NUMBER).contains(&number) {
            self.claims.insert((stamp, number));
        }
    }

    fn set_existence(&mut self, stamp: Stamp, existence: Existence) {
        self.existence = self.existence.max(Some((stamp, existence)));
    }
}

impl Creation {
    /// Orders the creations that claim to be of one entity: the lowest one counts.
    fn rank(&self) -> impl Ord {
        let is_other = ItemKind::ALL.iter().all(|item| item.name() != self.kind);
        (is_other, self.stamp, self.kind.as_str(), self.at, &self.by, &self.imported)
    }
}

impl Register {
    // Two different values with the same stamp exist only if an id was forged; then the texts decide, so that all
    // clones agree.
    fn loses_to(&self, stamp: Stamp, value: &Value) -> bool {
        match stamp.cmp(&self.stamp) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => {
                let (own, other) = (self.value.to_string(), value.to_string());
                own < other
            }
        }
    }
}

impl Thread {
    fn begin(&mut self, version: Version) {
        if self.begun.as_ref().is_none_or(|begun| version < *begun) {
            self.begun = Some(version.clone());
        }
        self.versions.insert(version);
    }

    fn comment(&self, id: OpId, first: &Version) -> Comment {
        let now = self.versions.last().unwrap_or(first);
        // An empty text deletes a comment together with its history.
        let n_former = if now.body.is_empty() { 0 } else { self.versions.len().saturating_sub(1) };
        let former = self.versions.iter().take(n_former);
        Comment {
            id,
            author: first.by.clone(),
            created: first.at,
            imported: first.imported.clone(),
            body: now.body.clone(),
            former: former.map(Version::to_public).collect(),
        }
    }
}

impl Version {
    fn to_public(&self) -> CommentVersion {
        CommentVersion { author: self.by.clone(), at: self.at, body: self.body.clone() }
    }
}
