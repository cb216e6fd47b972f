//! Where an item was over time: its milestone, board and status after each change of them. Charts are made from it, so
//! that they need not read whole histories.

use jiff::Timestamp;

use crate::entity::Entity;
use crate::item::ItemKind;
use crate::op::{Change, Op};

/// The course of one item. `S` is the type of its texts: charts read many courses at once, and borrow them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course<S = String> {
    /// The kind of item.
    pub kind: ItemKind,
    /// The time of each change, oldest first, and the place from then on; `None` while the item is deleted. Consecutive
    /// places differ.
    pub places: Vec<(Timestamp, Option<Place<S>>)>,
}

/// Where an item is; texts are empty without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place<S = String> {
    /// The id of its milestone.
    pub milestone: S,
    /// The id of its board.
    pub board: S,
    /// Its status.
    pub status: S,
}

impl Course {
    /// Returns the course of an item; `None` if the operations are not those of one.
    ///
    /// At each time it shows the fold of the operations up to then, by their own clocks, which may differ from the order
    /// in which clones saw them.
    pub fn of(ops: &[Op]) -> Option<Self> {
        let mut moves: Vec<&Op> = ops.iter().filter(|op| may_move(op)).collect();
        moves.sort_by_key(|op| (op.at, op.stamp));
        let mut entity = Entity::new(moves.first()?.entity);
        let mut places: Vec<(Timestamp, Option<Place>)> = Vec::new();
        for op in moves {
            entity.apply(op);
            let now = place(&entity);
            let differs = places.last().map_or(now.is_some(), |(_, before)| *before != now);
            if differs {
                places.push((op.at, now));
            }
        }
        let kind = ItemKind::ALL
            .into_iter()
            .find(|kind| kind.name() == entity.creation().map_or("", |creation| &creation.kind))?;
        Some(Self { kind, places })
    }
}

fn place(entity: &Entity) -> Option<Place> {
    let is_there = entity.creation().is_some() && !entity.is_deleted();
    let text = |field: &str| entity.text(field).to_owned();
    is_there.then(|| Place { milestone: text("milestone"), board: text("board"), status: text("status") })
}

// Comments and descriptions move nothing.
fn may_move(op: &Op) -> bool {
    match &op.change {
        Change::Create { .. } | Change::Delete | Change::Restore => true,
        Change::Set { field, .. } => matches!(field.as_str(), "status" | "board" | "milestone"),
        _ => false,
    }
}
