//! The mapping between Taiga and this repository, used by the tools (`remote`) and the bridge: items, fields and
//! requests of Taiga, and their local values. It makes no decisions about what to write.

pub(crate) mod fields;
pub(crate) mod item;
pub(crate) mod lookup_table;
pub(crate) mod points;
mod priority_scale;
pub(crate) mod requests;
pub(crate) mod tags;

use model::item::ItemKind;

use crate::Kind;

/// Returns the local kind of work items of a kind.
pub(crate) fn local_kind(kind: Kind) -> ItemKind {
    match kind {
        Kind::Epic => ItemKind::Epic,
        Kind::Story => ItemKind::Story,
        Kind::Task => ItemKind::Task,
        Kind::Issue => ItemKind::Issue,
    }
}
