//! Shows one item with all related data.

use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::text::quoted;

use crate::error::Error;
use crate::project::Project;
use crate::view::{ItemView, one_item_view};

impl Project {
    /// Returns an item with its comments and related items.
    pub fn show(&self, item: &ItemRef) -> Result<ItemView, Error> {
        one_item_view(self.index(), self.find(item)?)
    }

    /// Returns an item of a kind with its comments and related items; a bare number refers to the kind's number space.
    pub fn show_of(&self, kind: ItemKind, item: &ItemRef) -> Result<ItemView, Error> {
        one_item_view(self.index(), self.find_of(kind, item)?)
    }

    /// Returns an item of one of these kinds as [`Self::show`] does. Deleted items are not found.
    pub fn show_among(&self, kinds: &[ItemKind], item: &ItemRef) -> Result<ItemView, Error> {
        let shown = match kinds {
            [kind @ ItemKind::Milestone] => self.show_of(*kind, item)?,
            _ => self.show(item)?,
        };
        if !shown.deleted && kinds.contains(&shown.kind) {
            return Ok(shown);
        }
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let given = quoted(&item.to_string());
        Err(Error::not_found(format!("{} not found: `{given}`", names.join(" or "))))
    }

    /// Returns an item as [`Self::show`] does, and its commits, for which the history of the code is read.
    pub fn show_with_commits(&self, item: &ItemRef) -> Result<ItemView, Error> {
        let row = self.find(item)?;
        let commits = self.commits_of(&row)?;
        Ok(ItemView { commits: Some(commits), ..one_item_view(self.index(), row)? })
    }
}
