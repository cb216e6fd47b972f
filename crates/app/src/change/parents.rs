//! Rejects parent cycles.

use model::id::EntityId;
use store::index::{Index, Row};

use crate::error::Error;
use crate::project::mention;

/// Maximum depth to follow: two clones can create a cycle that each alone would reject.
const MAX_DEPTH: usize = 1000;

/// Rejects a parent that is a descendant of the item.
pub(crate) fn refuse_parent_cycle(index: &Index, row: &Row, parent: Option<EntityId>) -> Result<(), Error> {
    let mut next = parent;
    for _ in 0..MAX_DEPTH {
        let Some(id) = next else { return Ok(()) };
        if id == row.item.id {
            return Err(Error::conflict(format!("{} would be its own ancestor", mention(row))));
        }
        next = index.item(id)?.and_then(|row| row.item.parent);
    }
    Ok(())
}
