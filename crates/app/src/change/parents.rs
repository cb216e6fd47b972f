//! Refuses parents that would make an item a part of itself.

use model::id::EntityId;
use store::index::{Index, Row};

use crate::error::Error;
use crate::project::mention;

/// How many generations are followed: two clones can make a cycle that each alone refused.
const MAX_DEPTH: usize = 1000;

/// Refuses a parent that is a part of the item, at any depth.
pub(crate) fn refuse_parent_ring(index: &Index, row: &Row, parent: Option<EntityId>) -> Result<(), Error> {
    let mut next = parent;
    for _ in 0..MAX_DEPTH {
        let Some(id) = next else { return Ok(()) };
        if id == row.item.id {
            return Err(Error::conflict(format!("{} would be a part of itself", mention(row))));
        }
        next = index.item(id)?.and_then(|row| row.item.parent);
    }
    Ok(())
}
