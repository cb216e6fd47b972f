//! Numeric ids for statuses, which have only a name in a repository. An id is derived from the name alone, so that it
//! is the same in every clone and does not depend on other statuses; the reasons are in
//! `docs/decisions/0018-number-spaces.md`.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::entry::Id;
use crate::Kind;

/// Namespace of the hash. Invariant: never changes, since every id would change with it.
const NAMES: Uuid = Uuid::from_u128(0x6361_6972_6e00_5000_8000_7461_6967_6173);

/// Size of the id range per kind: nine digits, of which the first identifies the kind.
const N_IDS: u64 = 100_000_000;

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Epic => "status:epic",
        Kind::Story => "status:story",
        Kind::Task => "status:task",
        Kind::Issue => "status:issue",
    }
}

/// Returns the first id of a kind's range.
fn lowest(kind: Kind) -> u64 {
    match kind {
        Kind::Epic => N_IDS,
        Kind::Story => 2 * N_IDS,
        Kind::Task => 3 * N_IDS,
        Kind::Issue => 4 * N_IDS,
    }
}

/// Assigns an id to each status of a kind. On a hash collision, the alphabetically later name takes the next id; only
/// then does an id depend on other names.
pub(crate) fn assign<'a>(kind: Kind, names: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Id> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let mut taken = Vec::new();
    let mut ids = BTreeMap::new();
    for name in names {
        let mut id = of(kind, name);
        while taken.contains(&id) {
            id = next(kind, id);
        }
        taken.push(id);
        ids.insert(name.to_owned(), id);
    }
    ids
}

/// Returns the id of a name, ignoring collisions.
fn of(kind: Kind, name: &str) -> Id {
    let text = format!("{}:{name}", word(kind));
    let digest = Uuid::new_v5(&NAMES, text.as_bytes());
    let (high, low) = digest.as_u64_pair();
    within(kind, high ^ low)
}

fn next(kind: Kind, id: Id) -> Id {
    within(kind, id.get() - lowest(kind) + 1)
}

fn within(kind: Kind, place: u64) -> Id {
    Id::new(lowest(kind) + place % N_IDS).expect("every range lies within what an id can be")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_that_clients_already_know() {
        let built_in = ["backlog", "ready", "in_progress", "review", "done"];
        let ids = assign(Kind::Task, built_in);
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
    }

    #[test]
    fn no_two_kinds_share_an_id_and_other_names_change_none() {
        let names: Vec<String> = (0..500).map(|n| format!("status {n}")).collect();
        let mut seen = std::collections::BTreeSet::new();
        for kind in Kind::ALL {
            let all = assign(kind, names.iter().map(String::as_str));
            let some = assign(kind, names.iter().skip(250).map(String::as_str));
            assert!(some.iter().all(|(name, id)| all[name] == *id));
            assert!(all.values().all(|id| seen.insert(*id)));
        }
    }

    #[test]
    fn names_with_the_same_number_get_two() {
        // Found by enumerating names until two collided.
        let (one, other) = meeting();
        assert_eq!(of(Kind::Epic, &one), of(Kind::Epic, &other));
        let ids = assign(Kind::Epic, [one.as_str(), other.as_str()]);
        assert_ne!(ids[&one], ids[&other]);
        assert_eq!(ids[&one], of(Kind::Epic, &one));
    }

    fn meeting() -> (String, String) {
        let mut seen = std::collections::HashMap::new();
        for n in 0_u32.. {
            let name = format!("{n:06}");
            if let Some(earlier) = seen.insert(of(Kind::Epic, &name), name.clone()) {
                return (earlier, name);
            }
        }
        unreachable!("there are fewer ids than names")
    }
}
