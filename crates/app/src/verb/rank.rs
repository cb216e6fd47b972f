//! Moves items in the order of cards. One rank is written; neighbors get new ones only if there is no room.

use model::id::EntityId;
use model::item_ref::ItemRef;
use model::number::NumberSpace;
use model::op::Change;
use model::rank::{Neighbors, Rank, insertion};
use store::index::{Direction, Index, RankedItem, Row};

use crate::change::{ChangeSet, plan_edit};
use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan, mention, set, subject};
use crate::view::ItemView;

/// Number of neighbors read on each side at first, and the growth factor if they leave no room.
const FIRST_WINDOW: usize = 2;
const WINDOW_GROWTH: usize = 8;

/// The target of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveTo {
    /// Before all others.
    Top,
    /// After all others.
    Bottom,
    /// Directly before this item.
    Before(ItemRef),
    /// Directly after this item.
    After(ItemRef),
}

/// A gap in the order: behind `after` and before its successor, or before `before` and behind its predecessor.
enum Gap {
    Top,
    Bottom,
    Before(RankedItem),
    After(RankedItem),
}

/// A place on a board: a place in the order, and the fields that the column or lane stands for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// The place in the order; the current one without it.
    pub to: Option<MoveTo>,
    /// The fields, such as the status.
    pub set: ChangeSet,
}

impl Project {
    /// Moves an item in the order of cards and returns it. An item that is already there is not written.
    pub fn move_item(&mut self, item: &ItemRef, to: &MoveTo) -> Result<ItemView, Error> {
        self.place(item, &Placement { to: Some(to.clone()), set: ChangeSet::default() })
    }

    /// Puts an item at a place of a board, in one commit, and returns it.
    pub fn place(&mut self, item: &ItemRef, placement: &Placement) -> Result<ItemView, Error> {
        self.write_item(|context| {
            let row = context.find_living(item)?;
            let planned = plan_edit(context, &row, &placement.set)?;
            let mut words = Vec::new();
            if !planned.names.is_empty() {
                words.push(format!("change {}", planned.names.join(", ")));
            }
            let mut changes: Vec<(EntityId, Change)> =
                planned.changes.into_iter().map(|change| (row.item.id, change)).collect();
            if let Some(to) = &placement.to {
                let (gap, moved) = gap(context, &row, to)?;
                changes.extend(rank_changes(context.index, row.item.kind.space(), row.item.id, &gap)?);
                words.push(moved);
            }
            Ok((WritePlan::new(subject(&[&row], &words.join(", ")), changes), row.item.id))
        })
    }
}

fn gap(context: &PlanContext<'_>, row: &Row, to: &MoveTo) -> Result<(Gap, String), Error> {
    Ok(match to {
        MoveTo::Top => (Gap::Top, "move to the top".to_owned()),
        MoveTo::Bottom => (Gap::Bottom, "move to the bottom".to_owned()),
        MoveTo::Before(id) => {
            let other = neighbor(context, row, id)?;
            (Gap::Before(other.ranked()), format!("move before {}", other.reference()))
        }
        MoveTo::After(id) => {
            let other = neighbor(context, row, id)?;
            (Gap::After(other.ranked()), format!("move after {}", other.reference()))
        }
    })
}

fn neighbor(context: &PlanContext<'_>, row: &Row, item: &ItemRef) -> Result<Row, Error> {
    let other = context.find_living(item)?;
    if other.item.id == row.item.id {
        return Err(Error::invalid(format!("{} cannot be moved next to itself", mention(row))));
    }
    if other.item.kind.space() != row.item.kind.space() {
        return Err(Error::invalid(format!("{} and {} are not in one order", mention(row), mention(&other)))
            .hint("issues, tasks, stories and epics share one order; milestones and boards each have their own"));
    }
    Ok(other)
}

/// Returns the changes that move an item into a gap; empty if it is already there.
fn rank_changes(index: &Index, space: NumberSpace, id: EntityId, gap: &Gap) -> Result<Vec<(EntityId, Change)>, Error> {
    let mut window = FIRST_WINDOW;
    loop {
        let around = NeighborItems::read(index, space, gap, window)?;
        if around.has(id) {
            return Ok(Vec::new());
        }
        let (before, after) = (without(id, &around.before), without(id, &around.after));
        let keys = |items: &[&RankedItem]| items.iter().map(|item| item.rank.clone()).collect::<Vec<Rank>>();
        let (keys_before, keys_after) = (keys(&before), keys(&after));
        // Fewer items than requested means that this is the end of the order.
        let is_all = |items: &[RankedItem]| items.len() < window;
        let made = insertion(
            1,
            Neighbors { ranks: &keys_before, is_all: is_all(&around.before) },
            Neighbors { ranks: &keys_after, is_all: is_all(&around.after) },
        );
        if let Some(made) = made {
            let neighbors = before[before.len() - made.n_before..].iter().map(|item| item.id);
            let ids = neighbors.chain([id]).chain(after.iter().map(|item| item.id));
            let changes = ids.zip(made.keys).map(|(id, key)| (id, set("rank", key.to_string())));
            return Ok(changes.collect());
        }
        if is_all(&around.before) && is_all(&around.after) {
            return Err(Error::invalid("there is no place left in the order"));
        }
        window = window.saturating_mul(WINDOW_GROWTH);
    }
}

/// The items around a gap, in order.
struct NeighborItems {
    before: Vec<RankedItem>,
    after: Vec<RankedItem>,
}

impl NeighborItems {
    fn read(index: &Index, space: NumberSpace, gap: &Gap, window: usize) -> Result<Self, Error> {
        let look = |from, direction, n| index.ranked(space, from, direction, n);
        let (mut before, after) = match gap {
            Gap::Top => (Vec::new(), look(None, Direction::Down, window)?),
            Gap::Bottom => (look(None, Direction::Up, window)?, Vec::new()),
            Gap::Before(item) => {
                let mut after = look(Some(item), Direction::Down, window.saturating_sub(1))?;
                after.insert(0, item.clone());
                (look(Some(item), Direction::Up, window)?, after)
            }
            Gap::After(item) => {
                let mut before = look(Some(item), Direction::Up, window.saturating_sub(1))?;
                before.insert(0, item.clone());
                (before, look(Some(item), Direction::Down, window)?)
            }
        };
        before.reverse();
        Ok(Self { before, after })
    }

    /// Returns whether the item is next to the gap.
    fn has(&self, id: EntityId) -> bool {
        self.before.last().into_iter().chain(self.after.first()).any(|item| item.id == id)
    }
}

fn without(id: EntityId, items: &[RankedItem]) -> Vec<&RankedItem> {
    items.iter().filter(|item| item.id != id).collect()
}
