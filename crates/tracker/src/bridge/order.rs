//! Maps the card order of Taiga to the local rank. A card was moved on a side if its position relative to the others
//! differs from the agreed order, which is stored in the log with the workflow of the kind, as lists of ids.
//!
//! Taiga orders stories in the backlog, in each sprint and in each kanban column, tasks in their story, and epics.
//! Cairn has one order for all of them. So a card moved here is moved in every remote list that contains it, and a card
//! dragged in Taiga is moved here.

pub(super) mod local_order;
pub(super) mod sequence;

use std::collections::{BTreeMap, BTreeSet};

use app::Error;
use model::entity::Entity;
use model::workflow::Workflow;
use serde_json::Value;
use store::index::Index;
use taiga::dto::Project;

use self::sequence::{arranged, moved};
use super::kind::local_kind;
use super::link::RemoteRef;
use crate::Kind;
use crate::mapping::item::RemoteItem;

/// The name of the order in reports.
pub(super) const ORDER: &str = "order";

/// The kinds whose cards are ordered in Taiga.
pub(super) const KINDS: [Kind; 3] = [Kind::Epic, Kind::Story, Kind::Task];

/// One of Taiga's order numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dimension {
    Epics,
    Kanban,
    Sprint,
    Backlog,
    Tasks,
}

impl Dimension {
    /// If the orders contradict each other at the first pull, the last one wins.
    fn of_kind(kind: Kind) -> &'static [Self] {
        match kind {
            Kind::Epic => &[Self::Epics],
            Kind::Story => &[Self::Kanban, Self::Sprint, Self::Backlog],
            Kind::Task => &[Self::Tasks],
            Kind::Issue => &[],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Epics => "epics",
            Self::Kanban => "kanban",
            Self::Sprint => "sprint",
            Self::Backlog => "backlog",
            Self::Tasks => "tasks",
        }
    }

    fn is_used(self, project: &Project) -> bool {
        match self {
            Self::Kanban => project.is_kanban_activated,
            // A project without either module keeps its stories in the backlog.
            Self::Sprint | Self::Backlog => project.is_backlog_activated || !project.is_kanban_activated,
            Self::Epics | Self::Tasks => true,
        }
    }

    pub(super) fn number(self, row: &RemoteItem) -> Option<i64> {
        match (self, row) {
            (Self::Epics, RemoteItem::Epic(epic)) => epic.epics_order,
            (Self::Kanban, RemoteItem::Story(story)) => story.kanban_order,
            (Self::Sprint, RemoteItem::Story(story)) => story.sprint_order,
            (Self::Backlog, RemoteItem::Story(story)) => story.backlog_order,
            (Self::Tasks, RemoteItem::Task(task)) => task.us_order,
            _ => None,
        }
    }

    /// Returns the list in which Taiga shows a card by this number; `None` if no list does.
    fn group(self, row: &RemoteItem) -> Option<Group> {
        match (self, row) {
            (Self::Epics, RemoteItem::Epic(_)) => Some(Group::Epics),
            (Self::Kanban, RemoteItem::Story(story)) => {
                Some(Group::Column { status: story.core.status?.0, swimlane: story.swimlane })
            }
            (Self::Sprint, RemoteItem::Story(story)) => Some(Group::Sprint(story.milestone?.0)),
            (Self::Backlog, RemoteItem::Story(story)) => story.milestone.is_none().then_some(Group::Backlog),
            (Self::Tasks, RemoteItem::Task(task)) => Some(Group::Story(task.user_story?.0)),
            _ => None,
        }
    }
}

/// A list of cards in Taiga's user interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Epics,
    Backlog,
    Sprint(u64),
    Column { status: u64, swimlane: Option<u64> },
    Story(u64),
}

/// The cards of one list, in the remote order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) dimension: Dimension,
    pub(super) group: Group,
    pub(super) cards: Vec<u64>,
}

/// The remote order of the cards of a kind.
#[derive(Debug, Clone, Default)]
pub(super) struct RemoteOrder {
    /// All cards, sorted by each order number.
    pub(super) all: BTreeMap<Dimension, Vec<u64>>,
    pub(super) lanes: Vec<Lane>,
}

impl RemoteOrder {
    /// Reads the orders from list rows. Cards without a local item are ignored.
    pub(super) fn read(project: &Project, kind: Kind, rows: &[&RemoteItem]) -> Self {
        let mut there = Self::default();
        for dimension in Dimension::of_kind(kind).iter().filter(|dimension| dimension.is_used(project)) {
            let mut sorted: Vec<(i64, u64, Option<Group>)> =
                rows.iter().filter_map(|row| Some((dimension.number(row)?, row.id(), dimension.group(row)))).collect();
            sorted.sort_unstable_by_key(|(number, id, _)| (*number, *id));
            let mut lanes: BTreeMap<Group, Vec<u64>> = BTreeMap::new();
            for (_, id, group) in &sorted {
                if let Some(group) = group {
                    lanes.entry(*group).or_default().push(*id);
                }
            }
            let lane = |(group, cards)| Lane { dimension: *dimension, group, cards };
            there.lanes.extend(lanes.into_iter().map(lane));
            there.all.insert(*dimension, sorted.into_iter().map(|(_, id, _)| id).collect());
        }
        there
    }

    /// Returns one lane per order number with all of its cards.
    pub(super) fn whole(&self) -> Vec<Lane> {
        let lane = |(dimension, cards): (&Dimension, &Vec<u64>)| Lane {
            dimension: *dimension,
            group: Group::Backlog,
            cards: cards.clone(),
        };
        self.all.iter().map(lane).collect()
    }
}

/// The agreed order on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AgreedOrder {
    pub(super) here: Vec<u64>,
    pub(super) there: BTreeMap<Dimension, Vec<u64>>,
}

impl AgreedOrder {
    pub(super) fn read(index: &Index, remote_ref: &RemoteRef, kind: Kind) -> Result<Self, Error> {
        let workflow = index.entity(Workflow::id(local_kind(kind)))?;
        let list = |name: &str| ids(workflow.as_ref(), &field(remote_ref, name));
        let there = Dimension::of_kind(kind).iter().map(|dimension| (*dimension, list(dimension.name())));
        Ok(Self { here: list("here"), there: there.filter(|(_, cards)| !cards.is_empty()).collect() })
    }

    /// Returns the workflow fields that differ from the previously agreed order. Only relative positions within a list
    /// count.
    pub(super) fn changes_from(&self, before: &Self, remote_ref: &RemoteRef, lanes: &[Lane]) -> Vec<(String, Value)> {
        let is_news =
            |lane: &Lane, now: &[u64], before: &[u64]| !is_part(&restricted(now, lane), &restricted(before, lane));
        let is_here_news = lanes.iter().any(|lane| is_news(lane, &self.here, &before.here));
        let here = is_here_news.then(|| (field(remote_ref, "here"), self.here.as_slice().into()));
        let is_there_news = |(dimension, cards): &(&Dimension, &Vec<u64>)| {
            let mut own = lanes.iter().filter(|lane| lane.dimension == **dimension);
            own.any(|lane| is_news(lane, cards, before.of(**dimension)))
        };
        let changed = self.there.iter().filter(is_there_news);
        let there = changed.map(|(dimension, cards)| (field(remote_ref, dimension.name()), cards.as_slice().into()));
        here.into_iter().chain(there).collect()
    }

    fn of(&self, dimension: Dimension) -> &[u64] {
        self.there.get(&dimension).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the agreed order after a run; unsettled cards keep their previous positions.
    pub(super) fn settled(&self, here: &[u64], there: &RemoteOrder, unsettled: &UnsettledCards) -> Self {
        let former = |(dimension, cards): (&Dimension, &Vec<u64>)| {
            let open = unsettled.there.get(dimension).cloned().unwrap_or_default();
            (*dimension, arranged(cards, &open, self.of(*dimension)))
        };
        Self { here: arranged(here, &unsettled.here, &self.here), there: there.all.iter().map(former).collect() }
    }
}

/// Cards whose position is still in conflict or was not transferred.
#[derive(Debug, Clone, Default)]
pub(super) struct UnsettledCards {
    pub(super) here: BTreeSet<u64>,
    pub(super) there: BTreeMap<Dimension, BTreeSet<u64>>,
}

/// The moves in a list since the agreed order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Moves {
    /// Moved on the remote side only.
    pub(super) there: BTreeSet<u64>,
    /// Moved on the local side only.
    pub(super) here: BTreeSet<u64>,
    /// Moved on both sides, to different positions.
    pub(super) conflicts: BTreeSet<u64>,
}

impl Moves {
    /// Compares a remote list with the local order of its cards. Cards without an agreed position take the remote one,
    /// except for those this run created there (`made`).
    pub(super) fn of(lane: &Lane, here: &[u64], agreed: &AgreedOrder, made: &BTreeSet<u64>) -> Self {
        if lane.cards == here {
            return Self::default();
        }
        let known: BTreeSet<&u64> = agreed.of(lane.dimension).iter().collect();
        let mut there = moved(agreed.of(lane.dimension), &lane.cards);
        there.extend(lane.cards.iter().filter(|card| !known.contains(card) && !made.contains(card)));
        let mut own = moved(&agreed.here, here);
        own.extend(here.iter().filter(|card| made.contains(card)));
        let both = there.intersection(&own).copied();
        let conflicts = both.filter(|card| before(&lane.cards, *card) != before(here, *card)).collect();
        Self { conflicts, there: &there - &own, here: &own - &there }
    }

    /// Resolves conflicts of these cards in favor of the remote side.
    pub(super) fn resolve_for_remote(&mut self, taken: &BTreeSet<u64>) {
        self.there.extend(self.conflicts.intersection(taken).copied());
        self.conflicts.retain(|card| !taken.contains(card));
    }

    /// Resolves conflicts of these cards in favor of the local side.
    pub(super) fn resolve_for_local(&mut self, taken: &BTreeSet<u64>) {
        self.here.extend(self.conflicts.intersection(taken).copied());
        self.conflicts.retain(|card| !taken.contains(card));
    }
}

/// Returns whether `order` is a subsequence of `whole`: removed cards do not count as a change.
fn is_part(order: &[u64], whole: &[u64]) -> bool {
    let mut rest = whole.iter();
    order.iter().all(|card| rest.any(|one| one == card))
}

/// Returns the card directly before this one.
pub(super) fn before(order: &[u64], card: u64) -> Option<u64> {
    let place = order.iter().position(|one| *one == card)?;
    order.get(place.checked_sub(1)?).copied()
}

/// Returns the cards of a lane in the given order.
pub(super) fn restricted(order: &[u64], lane: &Lane) -> Vec<u64> {
    let cards: BTreeSet<&u64> = lane.cards.iter().collect();
    order.iter().copied().filter(|card| cards.contains(card)).collect()
}

fn field(remote_ref: &RemoteRef, name: &str) -> String {
    format!("taiga_order:{}:{}:{name}", remote_ref.server, remote_ref.project)
}

fn ids(workflow: Option<&Entity>, field: &str) -> Vec<u64> {
    let list = workflow.and_then(|entity| entity.value(field)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_u64).collect()
}
