//! One change, as it is kept in the log. An operation is never edited; what it means to an entity is in `entity`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::id::{EntityId, OpId};
use crate::person::Person;

/// Where an operation stands in the one order that every clone agrees on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// One more than the highest the writer had seen; equal for writers that did not see each other.
    pub lamport: u64,
    /// Breaks ties, the same way everywhere.
    pub id: OpId,
}

/// One change to one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Op {
    /// Its place in the total order.
    pub stamp: Stamp,
    /// What it changes.
    pub entity: EntityId,
    /// When the writer's clock said it happened. Shown, sorted by, never used to decide who wins.
    pub at: Timestamp,
    /// Who did it.
    pub by: Person,
    /// What happened.
    pub change: Change,
}

/// The few things that can happen to an entity.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The entity begins, with the fields and set members it had from the start.
    Create {
        /// `issue`, `task`, …, or a kind that a newer version made.
        kind: String,
        /// The number it claims, for the kinds that have one.
        number: Option<u64>,
        /// First values of its fields.
        fields: BTreeMap<String, Value>,
        /// First members of its sets (labels, links).
        sets: BTreeMap<String, Vec<String>>,
    },
    /// A field takes a value; `null` clears it.
    Set {
        /// The field's name; unknown ones are kept.
        field: String,
        /// Its new value.
        value: Value,
    },
    /// A set gains a member.
    Add {
        /// The set's name.
        field: String,
        /// The member.
        value: String,
    },
    /// A set loses a member: exactly the additions the writer had seen, so that an addition made elsewhere at the
    /// same time survives.
    Remove {
        /// The set's name.
        field: String,
        /// The member.
        value: String,
        /// The operations that had added it.
        seen: Vec<OpId>,
    },
    /// Someone says something; the comment is named by the operation.
    Comment {
        /// Markdown.
        body: String,
    },
    /// A comment gets a new text; the old one stays in its history.
    EditComment {
        /// The operation that made the comment.
        comment: OpId,
        /// Markdown.
        body: String,
    },
    /// The entity is hidden; nothing is erased.
    Delete,
    /// A deleted entity comes back.
    Restore,
    /// The entity claims another number, because someone else holds the one it had.
    Renumber {
        /// The number it claims now.
        number: u64,
        /// The numbers it releases: its earlier claims on them no longer count. Older logs release none.
        releases: Vec<u64>,
    },
    /// Something a newer version wrote. Kept in the log, passed over here.
    Unknown {
        /// What that version calls it.
        kind: String,
    },
}
