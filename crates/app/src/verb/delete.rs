//! Deletes items by hiding them. Nothing is erased: the log keeps them, `cairn log` shows them, `cairn reopen` restores
//! them.

use model::item_ref::ItemRef;
use model::op::Change;
use store::index::Row;

use crate::change::check_revision;
use crate::error::Error;
use crate::project::{Project, WritePlan, subject};
use crate::view::ItemView;

impl Project {
    /// Deletes items and returns them.
    pub fn delete(&mut self, items: &[ItemRef], if_unchanged: Option<&str>) -> Result<Vec<ItemView>, Error> {
        self.write_items(|context| {
            let rows = context.find_all(items)?;
            for row in &rows {
                check_revision(row, if_unchanged)?;
            }
            let living: Vec<&Row> = rows.iter().filter(|row| !row.item.deleted).collect();
            let changes = living.iter().map(|row| (row.item.id, Change::Delete));
            let plan = WritePlan::new(subject(&living, "delete"), changes);
            Ok((plan, rows.iter().map(|row| row.item.id).collect()))
        })
    }
}
