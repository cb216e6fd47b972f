//! Assignment of numbers: a pure function of all claims, so that all clones agree and no number is held twice.
//!
//! Each space is separate. Claims are evaluated in (lamport, id) order. A claim succeeds if nobody holds the number and
//! the claimer has none. Entities without a number then get free ones in the order of creation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use crate::id::EntityId;
use crate::item::ItemKind;
use crate::op::Stamp;
use crate::value_error::ValueError;

/// The largest number of an item: beyond it JSON parsers lose digits.
pub const MAX_NUMBER: u64 = 1 << 53;

/// A set of entities whose numbers are unique among each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NumberSpace {
    /// Issues, tasks, stories and epics.
    Work,
    /// Milestones.
    Milestone,
    /// Boards.
    Board,
    /// Members, authors and assignees.
    Person,
}

impl NumberSpace {
    /// All spaces.
    pub const ALL: [Self; 4] = [Self::Work, Self::Milestone, Self::Board, Self::Person];

    /// Returns the prefix of a written reference: `milestone` in `milestone/5`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Work => "item",
            Self::Milestone => "milestone",
            Self::Board => "board",
            Self::Person => "person",
        }
    }

    /// Returns the kinds of items in this space; none for people.
    pub fn kinds(self) -> &'static [ItemKind] {
        match self {
            Self::Work => &[ItemKind::Issue, ItemKind::Task, ItemKind::Story, ItemKind::Epic],
            Self::Milestone => &[ItemKind::Milestone],
            Self::Board => &[ItemKind::Board],
            Self::Person => &[],
        }
    }
}

impl ItemKind {
    /// Returns the number space of this kind.
    pub fn space(self) -> NumberSpace {
        match self {
            Self::Issue | Self::Task | Self::Story | Self::Epic => NumberSpace::Work,
            Self::Milestone => NumberSpace::Milestone,
            Self::Board => NumberSpace::Board,
        }
    }
}

/// A reference to an item or a person: a number and its space.
///
/// Written `#5` for work and `milestone/5`, `board/5`, `person/5` for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemNumber {
    /// The space.
    pub space: NumberSpace,
    /// The number in it.
    pub number: u64,
}

impl ItemNumber {
    /// A reference to a work item.
    pub fn work(number: u64) -> Self {
        Self { space: NumberSpace::Work, number }
    }

    /// A reference to an item of a kind.
    pub fn of_kind(kind: ItemKind, number: u64) -> Self {
        Self { space: kind.space(), number }
    }

    /// Parses `5` or `#5` as a number of `implied`, and `milestone/5` and the like with their own space.
    pub fn parse(text: &str, implied: NumberSpace) -> Option<Self> {
        let text = text.trim();
        let (space, digits) = match text.split_once('/') {
            None => (implied, text.strip_prefix('#').unwrap_or(text)),
            Some((word, digits)) => {
                (NumberSpace::ALL.into_iter().find(|space| space.word().eq_ignore_ascii_case(word))?, digits)
            }
        };
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| digits.parse().ok()).flatten().map(|number| Self { space, number })
    }
}

impl fmt::Display for ItemNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.space {
            NumberSpace::Work => write!(f, "#{}", self.number),
            space => write!(f, "{}/{}", space.word(), self.number),
        }
    }
}

impl FromStr for ItemNumber {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        Self::parse(text, NumberSpace::Work).ok_or_else(|| ValueError::ItemNumber(text.to_owned()))
    }
}

/// A claim of an entity on a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim {
    /// Position in the order; earlier claims are evaluated first.
    pub stamp: Stamp,
    /// The claimer.
    pub entity: EntityId,
    /// The claimed number.
    pub number: u64,
}

/// The result of evaluating all claims.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Numbers {
    /// The number of each entity.
    pub held: BTreeMap<EntityId, u64>,
    /// Entities with a provisional number, which no claim of theirs backs, oldest first: each needs a renumber
    /// operation.
    pub unsettled: Vec<EntityId>,
}

/// Evaluates all claims of one space. `numbered` are the entities of the space, each with the stamp of its creation;
/// claims of other entities do not count.
///
/// Entities without a number get, in the order of creation, the next ones above all claims; in the space of people,
/// where many never claim one, the lowest unclaimed ones, so that a claim only moves the person who had the same
/// number.
pub fn assign(space: NumberSpace, claims: &[Claim], numbered: &[(Stamp, EntityId)]) -> Numbers {
    let members: BTreeSet<EntityId> = numbered.iter().map(|(_, entity)| *entity).collect();
    let mut in_order: Vec<&Claim> = claims.iter().filter(|claim| members.contains(&claim.entity)).collect();
    in_order.sort_unstable();
    let mut numbers = Numbers::default();
    let mut taken = BTreeSet::new();
    for claim in &in_order {
        let is_number = (1..=MAX_NUMBER).contains(&claim.number);
        if !is_number || numbers.held.contains_key(&claim.entity) || !taken.insert(claim.number) {
            continue;
        }
        numbers.held.insert(claim.entity, claim.number);
    }
    let mut waiting: Vec<&(Stamp, EntityId)> =
        numbered.iter().filter(|(_, entity)| !numbers.held.contains_key(entity)).collect();
    waiting.sort_unstable();
    let mut number = match space {
        NumberSpace::Person => 0,
        _ => highest_plausible(in_order.iter().map(|claim| claim.number), numbered.len()),
    };
    // A claimed number is never provisional, even if its claim failed.
    taken.extend(in_order.iter().map(|claim| claim.number));
    for (_, entity) in waiting {
        number = next_free(number, |candidate| taken.contains(&candidate));
        numbers.held.insert(*entity, number);
        numbers.unsettled.push(*entity);
    }
    numbers
}

/// Returns the first free number above `above`.
pub fn next_free(above: u64, is_taken: impl Fn(u64) -> bool) -> u64 {
    let mut number = above.saturating_add(1);
    while is_taken(number) {
        number += 1;
    }
    number
}

/// Returns the highest claimed number that an honest project of this size can have reached.
///
/// A forged claim on number four billion holds that number and nothing else: counting continues where it was.
pub fn highest_plausible(claimed: impl Iterator<Item = u64>, n_items: usize) -> u64 {
    let limit = plausible_limit(n_items);
    claimed.filter(|number| *number <= limit).max().unwrap_or(0)
}

/// Returns the limit that `highest_plausible` applies. It is part of the format: every copy must compute the same
/// numbers.
pub fn plausible_limit(n_items: usize) -> u64 {
    (n_items as u64).saturating_mul(16).saturating_add(100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_they_are_written() {
        for space in NumberSpace::ALL {
            let reference = ItemNumber { space, number: 5 };
            assert_eq!(reference.to_string().parse(), Ok(reference));
            assert_eq!(ItemNumber::parse("5", space), Some(reference));
            assert_eq!(ItemNumber::parse(" #5 ", space), Some(reference));
        }
        assert_eq!(ItemNumber::parse("item/5", NumberSpace::Board), Some(ItemNumber::work(5)));
        assert_eq!("Milestone/7".parse::<ItemNumber>().unwrap().to_string(), "milestone/7");
        for wrong in ["", "#", "-1", "+1", "5/5", "issue/", "board/#1", "board/1/2", "99999999999999999999"] {
            assert_eq!(wrong.parse::<ItemNumber>().ok(), None, "{wrong:?}");
        }
    }
}
