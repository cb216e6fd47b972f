//! One change, as stored in the log. Operations are never edited; `entity` defines their effect.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::id::{EntityId, OpId};
use crate::person::Person;

/// The position of an operation in the total order that all clones agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// One more than the highest clock that the writer had seen; equal for concurrent writers.
    pub lamport: u64,
    /// Breaks ties, the same way everywhere.
    pub id: OpId,
}

/// One change to one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Op {
    /// Its position in the total order.
    pub stamp: Stamp,
    /// The entity it changes.
    pub entity: EntityId,
    /// Wall-clock time of the writer. Used for display and sorting, never to resolve conflicts.
    pub at: Timestamp,
    /// The author.
    pub by: Person,
    /// The tool that it was imported from: then `at` and `by` are what the tool reported, not what this log witnessed.
    pub imported: Option<Arc<str>>,
    /// The operation that this one takes back. It has no effect on the fold; it distinguishes an undo from a new change.
    pub undoes: Option<OpId>,
    /// The change.
    pub change: Change,
}

/// The kinds of changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Creates the entity with its initial fields and set members.
    Create {
        /// `issue`, `task`, …, or a kind of a newer version.
        kind: String,
        /// The number it claims, for kinds that have one.
        number: Option<u64>,
        /// Initial values of fields.
        fields: BTreeMap<String, Value>,
        /// Initial members of sets (labels, links).
        sets: BTreeMap<String, Vec<String>>,
    },
    /// Sets a field; `null` clears it.
    Set {
        /// Name of the field; unknown ones are kept.
        field: String,
        /// New value.
        value: Value,
    },
    /// Adds a member to a set.
    Add {
        /// Name of the set.
        field: String,
        /// The member.
        value: String,
    },
    /// Removes a member from a set: exactly the additions that the writer had seen, so that a concurrent addition
    /// survives.
    Remove {
        /// Name of the set.
        field: String,
        /// The member.
        value: String,
        /// The operations that had added it.
        seen: Vec<OpId>,
    },
    /// Adds a comment; its id is that of the operation.
    Comment {
        /// Markdown.
        body: String,
    },
    /// Edits a comment; the old text stays in its history.
    EditComment {
        /// The operation that created the comment.
        comment: OpId,
        /// Markdown.
        body: String,
    },
    /// Hides the entity; nothing is erased.
    Delete,
    /// Restores a deleted entity.
    Restore,
    /// Claims another number, because another entity holds the earlier one.
    Renumber {
        /// The number it claims now.
        number: u64,
        /// The numbers it releases: its earlier claims on them no longer count. Older logs release none.
        releases: Vec<u64>,
    },
    /// A change of a newer version. Kept in the log, ignored here.
    Unknown {
        /// Its name in that version.
        kind: String,
    },
}
