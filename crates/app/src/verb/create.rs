//! Creates an item.

use crate::change::{ItemCreation, NewItem};
use crate::error::Error;
use crate::project::{Project, WritePlan};
use crate::view::ItemView;

impl Project {
    /// Creates an item and returns it.
    pub fn create(&mut self, new: &NewItem) -> Result<ItemView, Error> {
        self.write_item(|context| {
            let id = context.new_entity();
            let creation = ItemCreation::plan(context, new, context.index.next_number(new.kind.space())?)?;
            Ok((WritePlan::new(creation.subject(), [(id, creation.into_change())]), id))
        })
    }
}
