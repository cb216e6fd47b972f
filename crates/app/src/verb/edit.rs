//! Changes fields, labels and assignees of items.

use model::item_ref::ItemRef;

use crate::change::{ChangeSet, plan_edit};
use crate::error::Error;
use crate::project::{Project, plan_for_items};
use crate::view::ItemView;

impl Project {
    /// Changes items in one commit and returns them. Unchanged values are not written.
    pub fn edit(&mut self, items: &[ItemRef], set: &ChangeSet) -> Result<Vec<ItemView>, Error> {
        self.write_items(|context| {
            let rows = context.find_all_living(items)?;
            let mut changes = Vec::new();
            let mut names: Vec<String> = Vec::new();
            for row in &rows {
                let planned = plan_edit(context, row, set)?;
                let unnamed: Vec<String> = planned.names.into_iter().filter(|name| !names.contains(name)).collect();
                names.extend(unnamed);
                changes.extend(planned.changes.into_iter().map(|change| (row.item.id, change)));
            }
            Ok(plan_for_items(&rows, &format!("change {}", names.join(", ")), changes))
        })
    }
}
