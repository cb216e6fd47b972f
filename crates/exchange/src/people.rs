//! Matches the people of a source with those of the project: by e-mail address, then by name or user name.

use std::collections::{HashMap, HashSet};

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
    /// Everyone, in the order of their first appearance.
    all: Vec<ImportedPerson>,
    met: HashSet<ImportedPerson>,
}

impl KnownPeople {
    /// Notes a person; the first one with a name counts.
    pub(crate) fn add(&mut self, person: &ImportedPerson) {
        if self.met.contains(person) {
            return;
        }
        self.met.insert(person.clone());
        self.all.push(person.clone());
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
    /// Members and the importer: the name and address in the project take precedence over those in the source.
    own: HashSet<Person>,
    /// Those whom the log names. One of them stays who he is, also beside someone with the same name.
    seen: HashSet<Person>,
    /// People that were resolved before; a source names few people many times.
    known: HashMap<ImportedPerson, Person>,
    in_input: KnownPeople,
}

impl People {
    pub(crate) fn of(index: &Index, me: &Person, in_input: KnownPeople) -> Result<Self, Error> {
        let mut people = Self {
            by_email: HashMap::new(),
            by_name: HashMap::new(),
            own: HashSet::new(),
            seen: HashSet::new(),
            known: HashMap::new(),
            in_input,
        };
        for member in index.members()? {
            people.add(&member.person, &member.username);
            people.own.insert(member.person);
        }
        people.add(me, "");
        people.own.insert(me.clone());
        for person in index.people_seen()? {
            people.add(&person, "");
            people.seen.insert(person);
        }
        people.add_input();
        Ok(people)
    }

    /// Adds the people of the input, those with an address first: a second import, which finds them in the log, must not
    /// resolve a name otherwise than the first one.
    fn add_input(&mut self) {
        let all = std::mem::take(&mut self.in_input.all);
        let whole: Vec<ImportedPerson> = all.iter().map(|person| self.in_input.complete(person)).collect();
        let (with_email, others): (Vec<_>, Vec<_>) = whole.into_iter().partition(|person| !person.email.is_empty());
        for person in with_email.iter().chain(&others) {
            let resolved = self.resolve(person);
            self.add(&resolved, "");
        }
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
        let person = self.resolve(&self.in_input.complete(wanted));
        self.known.insert(wanted.clone(), person.clone());
        person
    }

    fn resolve(&self, whole: &ImportedPerson) -> Person {
        let found = self.look_up(whole);
        if let Some(own) = found.as_ref().filter(|person| self.own.contains(person)) {
            return own.clone();
        }
        let name = if whole.name.is_empty() { &whole.username } else { &whole.name };
        let as_written = Person::new(name, &whole.email);
        if self.seen.contains(&as_written) { as_written } else { found.unwrap_or(as_written) }
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
