//! Shows one item with everything around it.

use model::item::ItemKind;
use model::item_ref::ItemRef;

use crate::error::Error;
use crate::project::Project;
use crate::view::{ItemView, one_item_view};

impl Project {
    /// Returns an item with its comments and neighbours.
    pub fn show(&self, item: &ItemRef) -> Result<ItemView, Error> {
        one_item_view(self.index(), self.find(item)?)
    }

    /// Returns an item of a kind with its comments and neighbours; a number alone is that of the kind's space.
    pub fn show_of(&self, kind: ItemKind, item: &ItemRef) -> Result<ItemView, Error> {
        one_item_view(self.index(), self.find_of(kind, item)?)
    }
}
