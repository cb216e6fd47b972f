//! Creates several items that may refer to each other, in one commit: all of them or none.

use std::collections::BTreeSet;

use model::field::{self, Field, FieldType};
use model::id::EntityId;
use model::item_ref::ItemRef;
use model::link::{LinkKind, normalize_touch};
use model::op::Change;
use model::text::counted;

use super::link::path_between;
use crate::change::{ItemCreation, NewItem, NumberAllocator};
use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan};
use crate::resolve;
use crate::view::ItemView;

/// Maximum number of items in one call.
const MAX_ITEMS: usize = 100;

/// A new item with its links.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedItem {
    /// The item.
    pub item: NewItem,
    /// Fields that refer to other items: parent, milestone, board.
    pub references: Vec<(&'static Field, NewRef)>,
    /// Items that wait for this one.
    pub blocks: Vec<NewRef>,
    /// Items that this one waits for.
    pub blocked_by: Vec<NewRef>,
    /// Related items.
    pub relates: Vec<NewRef>,
    /// Code it is about: `path` or `path:anchor`.
    pub touches: Vec<String>,
}

/// A reference from a new item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewRef {
    /// An item of the same list, by index.
    New(usize),
    /// An existing item.
    Existing(ItemRef),
}

impl LinkedItem {
    /// Creates an item without links.
    pub fn new(item: NewItem) -> Self {
        let (blocks, blocked_by, relates) = (Vec::new(), Vec::new(), Vec::new());
        Self { item, references: Vec::new(), blocks, blocked_by, relates, touches: Vec::new() }
    }
}

impl Project {
    /// Creates items and returns them, in the given order.
    pub fn create_all(&mut self, items: &[LinkedItem]) -> Result<Vec<ItemView>, Error> {
        if items.is_empty() || items.len() > MAX_ITEMS {
            return Err(Error::invalid(format!("expected 1 to {MAX_ITEMS} items, not {}", items.len())));
        }
        self.write_items(|context| Batch::new(context, items).plan())
    }
}

/// New items, their ids and the links between items.
struct Batch<'a> {
    context: &'a PlanContext<'a>,
    items: &'a [LinkedItem],
    ids: Vec<EntityId>,
    /// Blocking and blocked item.
    blocking: BTreeSet<(EntityId, EntityId)>,
}

impl<'a> Batch<'a> {
    fn new(context: &'a PlanContext<'a>, items: &'a [LinkedItem]) -> Self {
        let ids = items.iter().map(|_| context.new_entity()).collect();
        Self { context, items, ids, blocking: BTreeSet::new() }
    }

    fn plan(mut self) -> Result<(WritePlan, Vec<EntityId>), Error> {
        let mut numbers = NumberAllocator::new(self.context.index);
        let (mut creations, mut names) = (Vec::new(), Vec::new());
        for (n, linked) in self.items.iter().enumerate() {
            let number = numbers.next(linked.item.kind.space())?;
            let creation = self.creation(n, linked, number).map_err(|error| self.located(n, error))?;
            names.push(format!("#{number}"));
            creations.push(creation);
        }
        self.refuse_parent_cycle()?;
        self.refuse_blocking_cycle()?;
        let subject = match creations.as_slice() {
            [one] => one.subject(),
            _ => format!("create {}", names.join(", ")),
        };
        let changes = self.changes(creations);
        Ok((WritePlan::new(subject, changes), self.ids))
    }

    /// Says which item of a list an error is about.
    fn located(&self, n: usize, error: Error) -> Error {
        if self.items.len() == 1 { error } else { error.in_context(format!("item {}", n + 1)) }
    }

    fn creation(&mut self, n: usize, linked: &LinkedItem, number: u64) -> Result<ItemCreation, Error> {
        let mut creation = ItemCreation::plan(self.context, &linked.item, number)?;
        for (field, reference) in &linked.references {
            creation.field(field.stored(), self.field_value(n, field, reference)?.to_string());
        }
        let relates: Result<Vec<String>, Error> =
            linked.relates.iter().map(|other| Ok(self.resolve_reference(n, other)?.to_string())).collect();
        creation.set(LinkKind::Relates.name(), relates?);
        let touches: Result<Vec<String>, Error> = linked.touches.iter().map(|one| Ok(normalize_touch(one)?)).collect();
        creation.set(LinkKind::Touches.name(), touches?);
        for other in &linked.blocks {
            let pair = (self.ids[n], self.resolve_reference(n, other)?);
            self.blocking.insert(pair);
        }
        for other in &linked.blocked_by {
            let pair = (self.resolve_reference(n, other)?, self.ids[n]);
            self.blocking.insert(pair);
        }
        Ok(creation)
    }

    /// Returns the item that a field refers to, of the kind that the field takes.
    fn field_value(&self, n: usize, field: &Field, reference: &NewRef) -> Result<EntityId, Error> {
        let wanted = if let FieldType::Reference(kind) = field.takes { kind } else { None };
        match reference {
            NewRef::Existing(item) => Ok(resolve::reference(self.context, wanted, item)?.item.id),
            NewRef::New(place) => {
                let id = self.resolve_reference(n, reference)?;
                match (wanted, self.items[*place].item.kind) {
                    (Some(wanted), kind) if kind != wanted => Err(Error::invalid(format!(
                        "`{}` must be {}, and item {} is {}",
                        field.stored(),
                        wanted.with_article(),
                        place + 1,
                        kind.with_article()
                    ))),
                    _ => Ok(id),
                }
            }
        }
    }

    fn resolve_reference(&self, n: usize, reference: &NewRef) -> Result<EntityId, Error> {
        match reference {
            NewRef::New(place) if *place == n => Err(Error::invalid("an item cannot be linked to itself")),
            NewRef::New(place) => self.ids.get(*place).copied().ok_or_else(|| {
                let items = counted(self.ids.len(), "item");
                Error::invalid(format!("`${}` is not in the list, which has {items}", place + 1))
            }),
            NewRef::Existing(item) => Ok(self.context.find_living(item)?.item.id),
        }
    }

    /// Only new items can form a cycle of parents: an existing one has no new parent.
    fn refuse_parent_cycle(&self) -> Result<(), Error> {
        let parent = |n: usize| {
            self.items[n].references.iter().find_map(|(field, reference)| match reference {
                NewRef::New(place) if field.name == field::PARENT.name => Some(*place),
                _ => None,
            })
        };
        for start in 0..self.items.len() {
            // At most as many steps as items: a cycle that does not include `start` would never end.
            let mut next = parent(start);
            for _ in 0..self.items.len() {
                if next == Some(start) {
                    return Err(Error::conflict(format!("item {} would be its own ancestor", start + 1)));
                }
                next = next.and_then(parent);
            }
        }
        Ok(())
    }

    fn refuse_blocking_cycle(&self) -> Result<(), Error> {
        if self.blocking.is_empty() {
            return Ok(());
        }
        // Includes the existing links: a new item can close a cycle through them.
        let mut pairs = self.context.index.blocking_pairs()?;
        pairs.extend(&self.blocking);
        let is_cycle = |(blocker, blocked): &&(EntityId, EntityId)| path_between(&pairs, *blocked, *blocker).is_some();
        match self.blocking.iter().find(is_cycle) {
            Some(_) => Err(Error::conflict("items would block each other in a cycle")),
            None => Ok(()),
        }
    }

    /// Returns the operations: the creations with what each item blocks, then the links of existing items.
    fn changes(&self, creations: Vec<ItemCreation>) -> Vec<(EntityId, Change)> {
        let mut changes = Vec::new();
        for (id, mut creation) in self.ids.iter().zip(creations) {
            let blocked = self.blocking.iter().filter(|(blocker, _)| blocker == id);
            creation.set(LinkKind::Blocks.name(), blocked.map(|(_, blocked)| blocked.to_string()).collect());
            changes.push((*id, creation.into_change()));
        }
        for (blocker, blocked) in self.blocking.iter().filter(|(blocker, _)| !self.ids.contains(blocker)) {
            let (field, value) = (LinkKind::Blocks.name().to_owned(), blocked.to_string());
            changes.push((*blocker, Change::Add { field, value }));
        }
        changes
    }
}
