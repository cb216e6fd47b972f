//! People by whole numbers, for front doors whose contracts name everyone by one. A number is made from the address alone,
//! so it is the same in every clone, whoever else comes and goes.

use std::collections::BTreeMap;

use model::person::Person;
use store::index::Index;

use crate::error::Error;
use crate::project::Project;
use crate::tracker::Id;
use crate::tracker::ids::{self, Space};
use crate::verb::member;
use crate::view::MemberView;

/// Who can have work: members, whoever wrote or was assigned an item, and who asks.
pub(crate) struct People {
    known: BTreeMap<String, MemberView>,
    ids: BTreeMap<String, Id>,
}

impl People {
    /// Finds everyone.
    pub(crate) fn of(project: &Project) -> Result<Self, Error> {
        // One whom git does not name can read as well as anyone.
        Self::at(project.index(), project.me().ok().as_ref())
    }

    /// Finds everyone whom a state knows, and who asks.
    pub(crate) fn at(index: &Index, me: Option<&Person>) -> Result<Self, Error> {
        Ok(Self::from_members(member::members(index)?.into_iter().chain(me.map(stranger))))
    }

    /// Returns the id of someone.
    pub(crate) fn id(&self, person: &Person) -> Option<Id> {
        self.ids.get(&key(person.name(), person.email())).copied()
    }

    /// Returns who has this id.
    pub(crate) fn try_find(&self, id: Id) -> Option<Person> {
        let (key, _) = self.ids.iter().find(|(_, known)| **known == id)?;
        self.known.get(key).map(|member| Person::new(&member.name, &member.email))
    }

    /// Returns everyone.
    pub(crate) fn members(&self) -> impl Iterator<Item = (Id, &MemberView)> {
        self.known.iter().filter_map(|(key, member)| Some((*self.ids.get(key)?, member)))
    }

    fn from_members(members: impl Iterator<Item = MemberView>) -> Self {
        let mut known = BTreeMap::new();
        for member in members {
            known.entry(key(&member.name, &member.email)).or_insert(member);
        }
        let ids = ids::assign(Space::People, known.keys().map(String::as_str));
        Self { known, ids }
    }
}

/// Returns the number of someone. Only if two people's were the same would a list of everyone tell them apart.
pub(crate) fn number(person: &Person) -> u64 {
    ids::of(Space::People, &key(person.name(), person.email())).get()
}

/// Shows someone of whom nothing is known but the name.
fn stranger(person: &Person) -> MemberView {
    MemberView {
        id: String::new(),
        number: number(person),
        name: person.name().to_owned(),
        email: person.email().to_owned(),
        username: String::new(),
        role: String::new(),
        added: false,
    }
}

// The address tells people apart; who has none is known by name.
fn key(name: &str, email: &str) -> String {
    if email.is_empty() { format!("name:{}", name.to_lowercase()) } else { email.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(texts: &[&str]) -> People {
        People::from_members(texts.iter().map(|text| stranger(&Person::parse(text))))
    }

    #[test]
    fn id_follows_from_the_address_alone() {
        let ada = Person::parse("Ada Lovelace <ada@example.org>");
        let alone = people(&["Ada Lovelace <ada@example.org>"]);
        let among = people(&["Bob <bob@example.org>", "A. Lovelace <ADA@example.org>", "Eve"]);
        assert!(alone.id(&ada).is_some());
        assert_eq!(among.id(&ada), alone.id(&ada));
        assert_eq!(alone.id(&ada).map(Id::get), Some(number(&ada)));
        assert_eq!(among.members().count(), 3);
        assert_eq!(among.id(&Person::parse("Zoe")), None);
    }

    #[test]
    fn everyone_is_found_by_their_id() {
        let people = people(&["Bob <bob@example.org>", "Eve"]);
        for person in [Person::parse("Bob <bob@example.org>"), Person::parse("Eve")] {
            let id = people.id(&person).expect("one each");
            assert_eq!(people.try_find(id), Some(person));
        }
        assert_eq!(Id::new(1).and_then(|id| people.try_find(id)), None);
    }
}
