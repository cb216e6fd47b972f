//! References between items: those of the input, those of other files of a dry run, and those of the project.

use std::collections::BTreeMap;

use app::Error;
use model::id::EntityId;
use model::imported::ImportSource;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::op::Change;
use serde_json::Value;

use super::Planner;
use crate::item::{ImportedItem, LeftOut, Target};
use crate::report::OTHER_ITEM_MISSING;

/// What refers to another item.
#[derive(Clone, Copy)]
pub(super) struct Referrer {
    /// The field or set.
    pub(super) what: &'static str,
    /// The kind that the other item must have.
    pub(super) kind: Option<ItemKind>,
    /// Whether the input names the referring item by its UUID, so that it came from a project of Cairn.
    pub(super) is_own: bool,
}

impl Planner<'_> {
    /// Finds the items that items of the input wait for: the log stores the link at the blocking item, many sources store it
    /// at the blocked one. After an error, `n_items` is the place of the item in the input.
    pub(crate) fn resolve_blocked(&mut self) -> Result<(), Error> {
        for waiting in self.catalog.take_blocked() {
            let referrer = Referrer { what: "blocked by", kind: None, is_own: waiting.is_own };
            self.n_items = waiting.n;
            if let Some(blocker) = self.target(referrer, &waiting.blocker)? {
                self.blocked.entry(blocker).or_default().push(waiting.item);
            }
        }
        self.n_items = 0;
        Ok(())
    }

    // Links of known items that the input has not.
    pub(super) fn link_known(&mut self) -> Result<(), Error> {
        for (blocker, waiting) in std::mem::take(&mut self.blocked) {
            let Some(entity) = self.context.index.entity(blocker)? else { continue };
            let present = entity.set_members("blocks");
            let new = waiting.into_iter().map(|id| id.to_string()).filter(|id| !present.contains(&id.as_str()));
            for value in new.collect::<Vec<_>>() {
                let change = Change::Add { field: "blocks".to_owned(), value };
                let step = self.step(blocker, change, self.now, self.context.me.clone(), None);
                self.push(step);
            }
        }
        Ok(())
    }

    /// Finds the item that a reference of the source means; what is not found is left out, or an error in own formats.
    fn target(&mut self, referrer: Referrer, target: &Target) -> Result<Option<EntityId>, Error> {
        let found = match target {
            Target::Id(id) => Some(ImportSource::entity(&self.tool, id)),
            Target::Own(id) => Some(*id),
            Target::Text(text) => {
                let of_number = || self.catalog.try_find_number(text).filter(|_| referrer.is_own && !self.is_own);
                self.catalog.try_find(&self.tool, referrer.kind, text).or_else(of_number)
            }
        };
        if let Some(id) = found
            && (self.catalog.contains(id) || self.others.has(id) || self.context.index.item(id)?.is_some())
        {
            return Ok(Some(id));
        }
        let which = match target {
            Target::Own(id) => id.to_string(),
            Target::Text(text) if self.is_own => {
                return self.known_item(referrer.kind, text).map(Some);
            }
            // A table that this project exported names others by their numbers and titles.
            Target::Text(text) if referrer.is_own => match self.known_item(referrer.kind, text) {
                Ok(id) => return Ok(Some(id)),
                Err(_) => text.clone(),
            },
            Target::Id(text) | Target::Text(text) => text.clone(),
        };
        self.report.leave_out(LeftOut::new(referrer.what, OTHER_ITEM_MISSING, which));
        Ok(None)
    }

    // As the command line finds it, or by a title that only one item has.
    fn known_item(&self, kind: Option<ItemKind>, text: &str) -> Result<EntityId, Error> {
        let error = match self.context.find_reference(kind, &ItemRef::parse(text)) {
            Ok(row) => return Ok(row.item.id),
            Err(error) => error,
        };
        match self.context.index.items_by_title(kind, text)?.as_slice() {
            [row] => Ok(row.item.id),
            _ => Err(error),
        }
    }

    /// Finds the items of a set; the second value is whether all were found.
    pub(super) fn targets(
        &mut self,
        item: &ImportedItem,
        what: &'static str,
        targets: &[Target],
    ) -> Result<(Vec<EntityId>, bool), Error> {
        let referrer = Referrer { what, kind: None, is_own: item.is_own() };
        self.key = Some(what);
        let mut found = Vec::new();
        for target in targets {
            found.extend(self.target(referrer, target)?);
        }
        let is_whole = found.len() == targets.len();
        Ok((found, is_whole))
    }

    /// Adds the fields that refer to other items, and returns those whose item was not found: what the project has there
    /// stays.
    pub(super) fn put_references(
        &mut self,
        id: EntityId,
        item: &ImportedItem,
        fields: &mut BTreeMap<String, Value>,
    ) -> Result<Vec<&'static str>, Error> {
        let references = [
            ("milestone", Some(ItemKind::Milestone), &item.milestone),
            ("board", Some(ItemKind::Board), &item.board),
            ("parent", None, &item.parent),
        ];
        let mut unresolved = Vec::new();
        for (what, kind, target) in references {
            let Some(target) = target else { continue };
            self.key = Some(what);
            match self.target(Referrer { what, kind, is_own: item.is_own() }, target)? {
                Some(found) => {
                    if what == "parent" {
                        self.parents.add(id, found, self.n_items);
                    }
                    fields.insert(what.to_owned(), found.to_string().into());
                }
                None => unresolved.push(what),
            }
        }
        Ok(unresolved)
    }

    /// Leaves out of `related` the items that already say that they are related: exports name them on both sides.
    pub(super) fn leave_out_back_links(&self, id: EntityId, related: &mut Vec<String>) -> Result<(), Error> {
        let back = self.context.index.linked_from(&id.to_string(), "relates")?;
        let back: Vec<String> = back.into_iter().map(|row| row.item.id.to_string()).collect();
        related.retain(|other| !back.contains(other));
        Ok(())
    }
}
