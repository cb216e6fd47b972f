//! Hides items. Nothing is erased: the log keeps them, `cairn log` shows them, `cairn reopen` brings them back.

use model::op::Change;
use store::index::Row;

use super::edit::{check_revision, ids_of, views};
use crate::error::Error;
use crate::project::{Project, WritePlan};
use crate::view::ItemView;

impl Project {
    /// Deletes items and returns them as they were left.
    pub fn delete(&mut self, ids: &[String], if_unchanged: Option<&str>) -> Result<Vec<ItemView>, Error> {
        let deleted = self.write(|context| {
            let rows = context.find_all(ids)?;
            for row in &rows {
                check_revision(row, if_unchanged)?;
            }
            let living: Vec<&Row> = rows.iter().filter(|row| !row.item.deleted).collect();
            let changes = living.iter().map(|row| (row.item.id, Change::Delete)).collect();
            Ok((WritePlan::on(&living, "delete", changes), ids_of(&rows.iter().collect::<Vec<_>>())))
        })?;
        views(self.index(), &deleted)
    }
}
