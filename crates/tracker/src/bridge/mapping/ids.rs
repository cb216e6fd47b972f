//! The mapping between local and remote item ids.

use std::collections::{BTreeMap, BTreeSet};

use model::id::EntityId;
use model::number::ItemNumber;

use super::super::kind::BridgedKind;

/// The mapping between local and remote item ids.
#[derive(Debug, Clone, Default)]
pub(in crate::bridge) struct Ids {
    there: BTreeMap<EntityId, (BridgedKind, u64)>,
    here: BTreeMap<(BridgedKind, u64), EntityId>,
    /// The locally deleted items.
    deleted: BTreeSet<EntityId>,
    /// The numbers of local items, for reports.
    numbers: BTreeMap<EntityId, ItemNumber>,
}

impl Ids {
    pub(in crate::bridge) fn add(&mut self, here: EntityId, kind: BridgedKind, there: u64) {
        self.there.insert(here, (kind, there));
        self.here.insert((kind, there), here);
    }

    /// Records the number of a local item.
    pub(in crate::bridge) fn record_number(&mut self, here: EntityId, number: ItemNumber) {
        self.numbers.insert(here, number);
    }

    pub(in crate::bridge) fn record_deleted(&mut self, here: EntityId) {
        self.deleted.insert(here);
    }

    pub(in crate::bridge) fn is_deleted(&self, here: EntityId) -> bool {
        self.deleted.contains(&here)
    }

    pub(in crate::bridge) fn mention(&self, here: EntityId) -> String {
        self.numbers.get(&here).map_or_else(|| "an item that is not here".to_owned(), ItemNumber::to_string)
    }

    pub(in crate::bridge) fn remote(&self, here: EntityId, kind: impl Into<BridgedKind>) -> Option<u64> {
        let kind = kind.into();
        self.there.get(&here).filter(|(own, _)| *own == kind).map(|(_, id)| *id)
    }

    pub(in crate::bridge) fn local(&self, kind: impl Into<BridgedKind>, there: u64) -> Option<EntityId> {
        self.here.get(&(kind.into(), there)).copied()
    }
}
