//! Whole numbers for people, for front doors whose contracts name everyone by one. A number is made from the address
//! alone, so it is the same in every clone, whoever else comes and goes.

use std::collections::BTreeMap;

use model::person::Person;
use uuid::Uuid;

use crate::error::Error;
use crate::project::Project;

/// Never changes: every number would change with it.
const NAMES: Uuid = Uuid::from_u128(0x6361_6972_6e00_5000_8000_7461_6967_6173);

/// The lowest number. All have twelve digits: far from the numbers of items, and JSON readers lose none of them.
const LOWEST: u64 = 100_000_000_000;
const N_NUMBERS: u64 = 900_000_000_000;

/// Who can have work: members, whoever wrote or was assigned an item, and who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct People {
    numbers: BTreeMap<String, u64>,
    by_number: BTreeMap<u64, Person>,
}

impl People {
    /// Finds everyone.
    pub(crate) fn of(project: &Project) -> Result<Self, Error> {
        let members = project.members()?;
        let known = members.iter().map(|member| Person::new(&member.name, &member.email));
        // Someone without a name in git reads as well as anyone.
        Ok(Self::numbered(known.chain(project.me())))
    }

    /// Returns the number of someone.
    pub(crate) fn number(&self, person: &Person) -> Option<u64> {
        self.numbers.get(&key(person)).copied()
    }

    /// Returns who has a number.
    pub(crate) fn try_find(&self, number: u64) -> Option<&Person> {
        self.by_number.get(&number)
    }

    // Should two addresses give the same number, the later in the alphabet takes the next: then, and only then, a number
    // depends on who else there is.
    fn numbered(people: impl Iterator<Item = Person>) -> Self {
        let mut by_key: BTreeMap<String, Person> = BTreeMap::new();
        for person in people {
            by_key.entry(key(&person)).or_insert(person);
        }
        let mut all = Self { numbers: BTreeMap::new(), by_number: BTreeMap::new() };
        for (key, person) in by_key {
            let mut number = of(&key);
            while all.by_number.contains_key(&number) {
                number = LOWEST + (number - LOWEST + 1) % N_NUMBERS;
            }
            all.by_number.insert(number, person);
            all.numbers.insert(key, number);
        }
        all
    }
}

fn of(key: &str) -> u64 {
    let (high, low) = Uuid::new_v5(&NAMES, format!("person:{key}").as_bytes()).as_u64_pair();
    LOWEST + (high ^ low) % N_NUMBERS
}

// The address tells people apart; who has none is known by name.
fn key(person: &Person) -> String {
    if person.email().is_empty() {
        return format!("name:{}", person.name().to_lowercase());
    }
    person.email().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(people: &[&str]) -> People {
        People::numbered(people.iter().map(|text| Person::parse(text)))
    }

    #[test]
    fn number_follows_from_the_address_alone() {
        let ada = Person::parse("Ada Lovelace <ada@example.org>");
        let alone = numbered(&["Ada Lovelace <ada@example.org>"]);
        let among = numbered(&["Bob <bob@example.org>", "A. Lovelace <ADA@example.org>", "Eve"]);
        assert_eq!(alone.number(&ada), Some(894_263_029_449));
        assert_eq!(among.number(&ada), alone.number(&ada));
        assert_eq!(among.by_number.len(), 3);
        assert_eq!(among.number(&Person::parse("Zoe")), None);
    }

    #[test]
    fn everyone_is_found_by_their_number() {
        let people = numbered(&["Bob <bob@example.org>", "Eve"]);
        for person in [Person::parse("Bob <bob@example.org>"), Person::parse("Eve")] {
            let number = people.number(&person).expect("one each");
            assert_eq!(people.try_find(number), Some(&person));
        }
        assert_eq!(people.try_find(1), None);
    }
}
