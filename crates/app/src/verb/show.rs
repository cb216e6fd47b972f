//! Shows one item with everything around it.

use crate::error::Error;
use crate::project::Project;
use crate::view::{ItemView, one_item_view};

impl Project {
    /// Returns an item with its comments and neighbours.
    pub fn show(&self, id: &str) -> Result<ItemView, Error> {
        one_item_view(self.index(), self.find(id)?)
    }
}
