//! Matches the people of a source with those of the project: by e-mail address, then by name or user name.

use std::collections::{BTreeMap, HashMap};

use app::Error;
use model::person::Person;
use store::index::Index;

use crate::item::ImportedPerson;

/// What an input says about its people. One place has a name, another only an address or a user name: `gh` gives the
/// names of authors, but not those of comments.
#[derive(Debug, Default)]
pub(crate) struct KnownPeople {
    by_email: HashMap<String, ImportedPerson>,
    by_username: HashMap<String, ImportedPerson>,
}

impl KnownPeople {
    /// Notes a person; the first one with a name counts.
    pub(crate) fn add(&mut self, person: &ImportedPerson) {
        if person.name.is_empty() && (person.email.is_empty() || person.username.is_empty()) {
            return;
        }
        for (people, key) in [(&mut self.by_email, &person.email), (&mut self.by_username, &person.username)] {
            let is_better = |known: &ImportedPerson| known.name.is_empty() && !person.name.is_empty();
            if !key.is_empty() && people.get(key).is_none_or(is_better) {
                people.insert(key.clone(), person.clone());
            }
        }
    }

    /// Returns the person with what the input says elsewhere.
    fn complete(&self, person: &ImportedPerson) -> ImportedPerson {
        let known = self.by_email.get(&person.email).or_else(|| self.by_username.get(&person.username));
        let Some(known) = known.filter(|_| person.name.is_empty()) else { return person.clone() };
        let part = |own: &String, other: &String| if own.is_empty() { other.clone() } else { own.clone() };
        ImportedPerson {
            name: known.name.clone(),
            email: part(&person.email, &known.email),
            username: part(&person.username, &known.username),
        }
    }
}

/// The people of the project, by their lower-case addresses and names.
pub(crate) struct People {
    by_email: HashMap<String, Person>,
    /// `None` for a name that several people have.
    by_name: HashMap<String, Option<Person>>,
    /// People that were resolved before; a source names few people many times.
    known: BTreeMap<ImportedPerson, Person>,
    in_input: KnownPeople,
}

impl People {
    pub(crate) fn of(index: &Index, me: &Person, in_input: KnownPeople) -> Result<Self, Error> {
        let mut people = Self { by_email: HashMap::new(), by_name: HashMap::new(), known: BTreeMap::new(), in_input };
        // Members first: the name and address in the project take precedence over those in the source.
        for member in index.members()? {
            people.add(&member.person, &member.username);
        }
        people.add(me, "");
        for person in index.people_seen()? {
            people.add(&person, "");
        }
        Ok(people)
    }

    fn add(&mut self, person: &Person, username: &str) {
        let email = person.email().to_lowercase();
        if !email.is_empty() {
            self.by_email.entry(email).or_insert_with(|| person.clone());
        }
        for name in [person.name(), username].into_iter().filter(|name| !name.is_empty()) {
            let place = self.by_name.entry(name.to_lowercase()).or_insert_with(|| Some(person.clone()));
            let is_same =
                |known: &Person| known.email().eq_ignore_ascii_case(person.email()) || person.email().is_empty();
            if !place.as_ref().is_some_and(is_same) {
                *place = None;
            }
        }
    }

    /// Returns the person of the project, or one with what the source says.
    pub(crate) fn find(&mut self, wanted: &ImportedPerson) -> Person {
        if let Some(person) = self.known.get(wanted) {
            return person.clone();
        }
        let whole = self.in_input.complete(wanted);
        let person = self.look_up(&whole).unwrap_or_else(|| {
            let name = if whole.name.is_empty() { &whole.username } else { &whole.name };
            Person::new(name, &whole.email)
        });
        self.known.insert(wanted.clone(), person.clone());
        person
    }

    fn look_up(&self, wanted: &ImportedPerson) -> Option<Person> {
        let by_email = self.by_email.get(&wanted.email.to_lowercase());
        if by_email.is_some() || !wanted.email.is_empty() {
            return by_email.cloned();
        }
        let mut names = [&wanted.username, &wanted.name].into_iter().filter(|name| !name.is_empty());
        names.find_map(|name| self.by_name.get(&name.to_lowercase())?.clone())
    }
}
