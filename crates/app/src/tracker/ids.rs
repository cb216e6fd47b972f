//! Whole numbers for what has only a name here: statuses and people. Each is made from the name alone, so that it is the
//! same in every clone and after every change to the others; `docs/decisions/0014-ids-from-names.md` says why.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::entry::{Id, Kind};

/// Never changes: every id would change with it.
const NAMES: Uuid = Uuid::from_u128(0x6361_6972_6e00_5000_8000_7461_6967_6173);

/// What is named; ids of one never are ids of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// The statuses of a kind, by name: nine digits, of which the first tells the kind.
    Statuses(Kind),
    /// People, by address: twelve digits, since there can be thousands.
    People,
}

impl Space {
    fn word(self) -> &'static str {
        match self {
            Self::Statuses(Kind::Epic) => "status:epic",
            Self::Statuses(Kind::Story) => "status:story",
            Self::Statuses(Kind::Task) => "status:task",
            Self::Statuses(Kind::Issue) => "status:issue",
            Self::People => "person",
        }
    }

    /// Returns the lowest id and how many there are.
    fn range(self) -> (u64, u64) {
        const NINE_DIGITS: u64 = 100_000_000;
        match self {
            Self::Statuses(Kind::Epic) => (NINE_DIGITS, NINE_DIGITS),
            Self::Statuses(Kind::Story) => (2 * NINE_DIGITS, NINE_DIGITS),
            Self::Statuses(Kind::Task) => (3 * NINE_DIGITS, NINE_DIGITS),
            Self::Statuses(Kind::Issue) => (4 * NINE_DIGITS, NINE_DIGITS),
            Self::People => (100_000_000_000, 900_000_000_000),
        }
    }
}

/// Gives each name its id. Should two names have the same one, the later in the alphabet takes the next: then, and only
/// then, an id depends on what other names there are.
pub(crate) fn assign<'a>(space: Space, names: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Id> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let mut taken = Vec::new();
    let mut ids = BTreeMap::new();
    for name in names {
        let mut id = of(space, name);
        while taken.contains(&id) {
            id = next(space, id);
        }
        taken.push(id);
        ids.insert(name.to_owned(), id);
    }
    ids
}

/// Makes an id of a name, as if there were no others.
pub(crate) fn of(space: Space, name: &str) -> Id {
    let text = format!("{}:{name}", space.word());
    let digest = Uuid::new_v5(&NAMES, text.as_bytes());
    let (high, low) = digest.as_u64_pair();
    within(space, high ^ low)
}

fn next(space: Space, id: Id) -> Id {
    within(space, id.get() - space.range().0 + 1)
}

fn within(space: Space, place: u64) -> Id {
    let (lowest, n_ids) = space.range();
    Id::new(lowest + place % n_ids).expect("every range lies within what an id can be")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_that_clients_already_know() {
        let built_in = ["backlog", "ready", "in_progress", "review", "done"];
        let ids = assign(Space::Statuses(Kind::Task), built_in);
        let written: Vec<(&str, u64)> = ids.iter().map(|(name, id)| (name.as_str(), id.get())).collect();
        assert_eq!(
            written,
            [
                ("backlog", 326_499_995),
                ("done", 397_751_524),
                ("in_progress", 336_510_651),
                ("ready", 328_895_174),
                ("review", 359_626_776)
            ]
        );
        let ada = assign(Space::People, ["ada@example.org"]);
        assert_eq!(ada["ada@example.org"].get(), 894_263_029_449);
    }

    #[test]
    fn no_two_kinds_share_an_id_and_other_names_change_none() {
        let names: Vec<String> = (0..500).map(|n| format!("status {n}")).collect();
        let mut seen = std::collections::BTreeSet::new();
        for kind in Kind::ALL {
            let all = assign(Space::Statuses(kind), names.iter().map(String::as_str));
            let some = assign(Space::Statuses(kind), names.iter().skip(250).map(String::as_str));
            assert!(some.iter().all(|(name, id)| all[name] == *id));
            assert!(all.values().all(|id| seen.insert(*id)));
        }
        assert!(assign(Space::People, names.iter().map(String::as_str)).values().all(|id| seen.insert(*id)));
    }

    #[test]
    fn names_with_the_same_number_get_two() {
        // Found by counting up until two met.
        let (one, other) = meeting();
        assert_eq!(of(Space::Statuses(Kind::Epic), &one), of(Space::Statuses(Kind::Epic), &other));
        let ids = assign(Space::Statuses(Kind::Epic), [one.as_str(), other.as_str()]);
        assert_ne!(ids[&one], ids[&other]);
        assert_eq!(ids[&one], of(Space::Statuses(Kind::Epic), &one));
    }

    fn meeting() -> (String, String) {
        let mut seen = std::collections::HashMap::new();
        for n in 0_u32.. {
            let name = format!("{n:06}");
            if let Some(earlier) = seen.insert(of(Space::Statuses(Kind::Epic), &name), name.clone()) {
                return (earlier, name);
            }
        }
        unreachable!("there are fewer ids than names")
    }
}
