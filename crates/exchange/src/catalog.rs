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

use crate::formats::ImportFormat;
use crate::item::{ImportedItem, Record, SourceId, Target};
use crate::numbers::is_plausible;
use crate::people::KnownPeople;

/// An item that waits for another one.
pub(crate) struct Waiting {
    pub(crate) item: EntityId,
    /// Whether the input names it by its UUID, so that the input came from a project of Cairn.
    pub(crate) is_own: bool,
    /// Its place among the items of the input, from 1.
    pub(crate) n: usize,
    pub(crate) blocker: Target,
}

/// The items of an input.
pub(crate) struct Catalog {
    format: ImportFormat,
    ids: HashSet<EntityId>,
    /// The ids of the items that have none in the source, in order.
    fresh: Vec<EntityId>,
    /// Items by the hash of kind and title; `None` if several have it.
    titles: HashMap<u64, Option<EntityId>>,
    /// Items of a project of Cairn by the numbers that they had there: a table names the items that others wait for by these.
    numbers: HashMap<u64, EntityId>,
    /// What items wait for, where the source says it of the waiting ones.
    blocked: Vec<Waiting>,
    pub(crate) highest: BTreeMap<NumberSpace, u64>,
    pub(crate) people: KnownPeople,
    pub(crate) n_items: usize,
}

impl Catalog {
    /// Creates an empty one.
    pub(crate) fn new(format: ImportFormat) -> Self {
        Self {
            format,
            ids: HashSet::new(),
            fresh: Vec::new(),
            titles: HashMap::new(),
            numbers: HashMap::new(),
            blocked: Vec::new(),
            highest: BTreeMap::new(),
            people: KnownPeople::default(),
            n_items: 0,
        }
    }

    /// Adds a record.
    pub(crate) fn add(&mut self, context: &PlanContext<'_>, record: &Record) -> Result<(), Error> {
        // Exports of Cairn are imported unchanged: there, nobody is matched with others of the input.
        let matches_people = !self.format.is_own();
        let item = match record {
            Record::Item(item) => item,
            Record::Comment { comment, .. } if matches_people => {
                comment.author.iter().for_each(|person| self.people.add(person));
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.n_items += 1;
        if matches_people {
            item.people().for_each(|person| self.people.add(person));
        }
        let id = match &item.id {
            SourceId::Of(id) => ImportSource::entity(self.format.name(), id),
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
        if let (true, NumberSpace::Work, Some(number)) = (is_own, item.kind.space(), item.number) {
            self.numbers.insert(number, id);
        }
        let n = self.n_items;
        let waiting = |blocker: &Target| Waiting { item: id, is_own, n, blocker: blocker.clone() };
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

    /// Finds an item of a project of Cairn by its number there, written as `#12`.
    pub(crate) fn try_find_number(&self, text: &str) -> Option<EntityId> {
        let number = text.strip_prefix('#')?.parse().ok()?;
        self.numbers.get(&number).copied()
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
pub(crate) struct Parents(HashMap<EntityId, (EntityId, usize)>);

/// Items that are parts of each other.
pub(crate) struct ParentCycle {
    /// The first of them in the input, counted from 1.
    pub(crate) first: usize,
    n_items: usize,
}

impl Parents {
    /// Adds the parent of the `n`th item of the input.
    pub(crate) fn add(&mut self, child: EntityId, parent: EntityId, n: usize) {
        self.0.insert(child, (parent, n));
    }

    /// Finds items that are parts of each other.
    pub(crate) fn find_cycle(&self, context: &PlanContext<'_>) -> Result<Option<ParentCycle>, Error> {
        let mut sound: HashSet<EntityId> = HashSet::new();
        for child in self.0.keys() {
            let mut way = HashSet::new();
            let mut next = Some(*child);
            while let Some(id) = next.filter(|id| !sound.contains(id)) {
                if !way.insert(id) {
                    return Ok(Some(self.cycle_of(id, context)?));
                }
                next = self.parent_of(id, context)?;
            }
            sound.extend(way);
        }
        Ok(None)
    }

    fn parent_of(&self, id: EntityId, context: &PlanContext<'_>) -> Result<Option<EntityId>, Error> {
        match self.0.get(&id) {
            Some((parent, _)) => Ok(Some(*parent)),
            None => Ok(context.index.item(id)?.and_then(|row| row.item.parent)),
        }
    }

    fn cycle_of(&self, start: EntityId, context: &PlanContext<'_>) -> Result<ParentCycle, Error> {
        let mut cycle = ParentCycle { first: usize::MAX, n_items: 0 };
        let mut next = start;
        loop {
            cycle.n_items += 1;
            cycle.first = self.0.get(&next).map_or(cycle.first, |(_, n)| cycle.first.min(*n));
            next = self.parent_of(next, context)?.unwrap_or(start);
            if next == start {
                return Ok(cycle);
            }
        }
    }
}

impl ParentCycle {
    pub(crate) fn to_error(&self) -> Error {
        let what = match self.n_items {
            1 => "the item is a part of itself".to_owned(),
            n_items => format!("{n_items} items are parts of each other in a cycle, this one first"),
        };
        Error::invalid(what).hint("remove one of their parents from the input")
    }
}
