//! The first pass over an input: which items it has, so that references forward and backward resolve, and which numbers
//! are taken. It keeps a few bytes for each item, not the items.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use app::Error;
use app::plan::PlanContext;
use model::id::EntityId;
use model::imported::ImportSource;
use model::item::ItemKind;
use model::number::NumberSpace;

use crate::item::{ImportedItem, Record, SourceId, Target};
use crate::numbers::is_plausible;
use crate::people::KnownPeople;

/// An item that waits for another one.
pub(crate) struct Waiting {
    pub(crate) item: EntityId,
    /// Whether the input names it by its UUID, so that the input came from a project of Cairn.
    pub(crate) is_own: bool,
    pub(crate) blocker: Target,
}

/// The items of an input.
#[derive(Default)]
pub(crate) struct Catalog {
    ids: HashSet<EntityId>,
    /// The ids of the items that have none in the source, in order.
    fresh: Vec<EntityId>,
    /// Items by the hash of kind and title; `None` if several have it.
    titles: HashMap<u64, Option<EntityId>>,
    /// What items wait for, where the source says it of the waiting ones.
    blocked: Vec<Waiting>,
    pub(crate) highest: BTreeMap<NumberSpace, u64>,
    pub(crate) people: KnownPeople,
    pub(crate) n_items: usize,
}

impl Catalog {
    /// Adds a record of the source `tool`.
    pub(crate) fn add(&mut self, context: &PlanContext<'_>, tool: &str, record: &Record) -> Result<(), Error> {
        let item = match record {
            Record::Item(item) => item,
            Record::Comment { comment, .. } => {
                comment.author.iter().for_each(|person| self.people.add(person));
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.n_items += 1;
        item.people().for_each(|person| self.people.add(person));
        let id = match &item.id {
            SourceId::Of(id) => ImportSource::entity(tool, id),
            SourceId::Own(id) => *id,
            SourceId::None => {
                let id = context.new_entity();
                self.fresh.push(id);
                id
            }
        };
        if !self.ids.insert(id) {
            return Err(twice(item));
        }
        self.titles.entry(title_key(item.kind, &item.title)).and_modify(|known| *known = None).or_insert(Some(id));
        let is_own = item.is_own();
        let waiting = |blocker: &Target| Waiting { item: id, is_own, blocker: blocker.clone() };
        self.blocked.extend(item.blocked_by.iter().map(waiting));
        if let Some(number) = item.number.filter(|number| is_plausible(*number)) {
            let highest = self.highest.entry(item.kind.space()).or_default();
            *highest = number.max(*highest);
        }
        Ok(())
    }

    /// Returns the id of the `n`th item that has none in the source.
    pub(crate) fn fresh(&self, n: usize) -> Option<EntityId> {
        self.fresh.get(n).copied()
    }

    /// Returns whether the input has an item.
    pub(crate) fn contains(&self, id: EntityId) -> bool {
        self.ids.contains(&id)
    }

    /// Finds an item of the input by the text that names it: its id or its title, of one kind or of any.
    pub(crate) fn try_find(&self, tool: &str, kind: Option<ItemKind>, text: &str) -> Option<EntityId> {
        let id = ImportSource::entity(tool, text);
        if self.ids.contains(&id) {
            return Some(id);
        }
        let kinds = kind.as_ref().map_or(ItemKind::ALL.as_slice(), std::slice::from_ref);
        let mut found = kinds.iter().filter_map(|kind| self.titles.get(&title_key(*kind, text)).copied());
        let first = found.next()?;
        if found.next().is_some() { None } else { first }
    }

    /// Returns the ids of all items.
    pub(crate) fn into_ids(self) -> HashSet<EntityId> {
        self.ids
    }

    /// Takes what items wait for.
    pub(crate) fn take_blocked(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.blocked)
    }
}

fn title_key(kind: ItemKind, title: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, title.trim()).hash(&mut hasher);
    hasher.finish()
}

fn twice(item: &ImportedItem) -> Error {
    let id = match &item.id {
        SourceId::Of(id) => model::text::escape_line(id),
        SourceId::Own(id) => id.to_string(),
        SourceId::None => String::new(),
    };
    Error::invalid(format!("{}: the id `{id}` occurs twice", item.place)).hint("each item may be there once")
}

/// The parents of an import, to find a cycle before anything is written.
#[derive(Default)]
pub(crate) struct Parents(HashMap<EntityId, EntityId>);

impl Parents {
    pub(crate) fn add(&mut self, child: EntityId, parent: EntityId) {
        self.0.insert(child, parent);
    }

    /// Fails if an item is a part of itself.
    pub(crate) fn refuse_cycles(&self, context: &PlanContext<'_>) -> Result<(), Error> {
        let mut sound: HashSet<EntityId> = HashSet::new();
        for child in self.0.keys() {
            let mut way = HashSet::new();
            let mut next = Some(*child);
            while let Some(id) = next.filter(|id| !sound.contains(id)) {
                if !way.insert(id) {
                    return Err(cyclic_parents(way.len()));
                }
                next = match self.0.get(&id) {
                    Some(parent) => Some(*parent),
                    None => context.index.item(id)?.and_then(|row| row.item.parent),
                };
            }
            sound.extend(way);
        }
        Ok(())
    }
}

fn cyclic_parents(n_items: usize) -> Error {
    Error::invalid(format!("{n_items} items of the input are parts of each other in a cycle"))
        .hint("remove one of their parents from the input")
}
