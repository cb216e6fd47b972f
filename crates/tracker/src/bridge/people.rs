//! Maps Taiga users to local members (name and e-mail address).
//!
//! Taiga shows e-mail addresses only to project administrators. A user with an unknown address gets a placeholder
//! address made of the user name and the server's host. Once a member is known to be a Taiga user, that is stored with
//! the member.

use std::collections::BTreeMap;

use app::Error;
use model::id::EntityId;
use model::member::Member;
use model::person::Person;
use serde_json::{Value, json};
use store::index::Index;
use taiga::ServerUrl;

use super::link::FIELD;

/// A user of the remote project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub(super) id: u64,
    pub(super) username: String,
    pub(super) name: String,
    pub(super) role: String,
    /// Present only if the server shows it.
    pub(super) email: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Local {
    pub(super) member: Member,
    /// The id of the Taiga user.
    pub(super) user: Option<u64>,
    /// Whether the address is a placeholder made of the user name and the host.
    pub(super) is_stand_in: bool,
}

/// A record that must be written to map a Taiga user to a member.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MemberRecord {
    New {
        id: EntityId,
        person: Person,
        user: User,
    },
    /// An existing member whose user id was not known.
    Known {
        id: EntityId,
        user: u64,
    },
}

/// A duplicate member of the same Taiga user, to be merged into another one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Merge {
    pub(super) id: EntityId,
    pub(super) from: Person,
    pub(super) into: Person,
}

#[derive(Debug, Clone, Default)]
pub(super) struct People {
    server: String,
    host: String,
    /// The members of the remote project.
    members: BTreeMap<u64, User>,
    persons: BTreeMap<u64, Person>,
    /// User ids by lower-case address.
    addresses: BTreeMap<String, u64>,
    introductions: Vec<MemberRecord>,
    merges: Vec<Merge>,
}

impl People {
    pub(super) fn new(server: &str, host: &str, users: Vec<User>, locals: &[Local]) -> Self {
        let mut people = Self { server: server.to_owned(), host: host.to_owned(), ..Self::default() };
        for local in by_preference(locals) {
            let user = local.user.unwrap_or_default();
            people.persons.entry(user).or_insert_with(|| local.member.person.clone());
            people.addresses.entry(local.member.person.email().to_lowercase()).or_insert(user);
        }
        for user in users {
            people.add_user(user, locals);
        }
        // One member per user, regardless of which clone pulled first and which addresses the server showed it.
        let others = by_preference(locals).into_iter().filter_map(|local| {
            let into = people.persons.get(&local.user?)?;
            let is_other = key(into) != key(&local.member.person);
            is_other.then(|| Merge { id: local.member.id, from: local.member.person.clone(), into: into.clone() })
        });
        people.merges = others.collect();
        people
    }

    /// Adds another address of a user: the person running this is the user who owns the token.
    pub(super) fn alias(&mut self, person: &Person, user: u64) {
        if !person.email().is_empty() && self.members.contains_key(&user) {
            self.addresses.entry(person.email().to_lowercase()).or_insert(user);
        }
    }

    fn add_user(&mut self, user: User, locals: &[Local]) {
        let stand_in = self.placeholder_address(&user.username).to_lowercase();
        let is_stand_in = |person: &Person| person.email().to_lowercase() == stand_in;
        let is_better_known = user.email.as_ref().is_some_and(|email| email.to_lowercase() != stand_in);
        let is_met = self.persons.get(&user.id).is_some_and(|person| !(is_stand_in(person) && is_better_known));
        if !is_met {
            let person = self.map_user(&user, locals);
            self.addresses.entry(person.email().to_lowercase()).or_insert(user.id);
            self.persons.insert(user.id, person);
        }
        for address in [user.email.clone(), Some(self.placeholder_address(&user.username))].into_iter().flatten() {
            self.addresses.entry(address.to_lowercase()).or_insert(user.id);
        }
        self.members.insert(user.id, user);
    }

    fn map_user(&mut self, user: &User, locals: &[Local]) -> Person {
        let is_free = |local: &&Local| local.user.is_none();
        let by_address = |local: &&Local| {
            user.email.as_ref().is_some_and(|email| local.member.person.email().eq_ignore_ascii_case(email))
        };
        let by_name = |local: &&Local| local.member.username.eq_ignore_ascii_case(&user.username);
        let free = || locals.iter().filter(is_free);
        let found = free().find(by_address).or_else(|| free().find(by_name));
        if let Some(local) = found {
            self.introductions.push(MemberRecord::Known { id: local.member.id, user: user.id });
            return local.member.person.clone();
        }
        let email = user.email.clone().unwrap_or_else(|| self.placeholder_address(&user.username));
        let person = Person::new(&user.name, &email);
        let id = Member::id(&email);
        self.introductions.push(MemberRecord::New { id, person: person.clone(), user: user.clone() });
        person
    }

    fn placeholder_address(&self, username: &str) -> String {
        format!("{username}@{}", self.host)
    }

    /// Returns the duplicate members to merge.
    pub(super) fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// Returns the members to write.
    pub(super) fn member_records(&self) -> &[MemberRecord] {
        &self.introductions
    }

    /// Returns the field value that stores a member's Taiga user.
    pub(super) fn mark(&self, user: u64) -> Value {
        json!({"server": self.server, "user": user})
    }

    /// Returns the shared term for a Taiga user: the id, or the placeholder address if the user is not a project
    /// member.
    pub(super) fn term(&self, id: u64, username: Option<&str>) -> Value {
        match username {
            Some(username) if !self.persons.contains_key(&id) => {
                self.placeholder_address(username).to_lowercase().into()
            }
            _ => id.into(),
        }
    }

    /// Returns the shared term for a local person.
    pub(super) fn term_of(&self, person: &Person) -> Value {
        let address = person.email().to_lowercase();
        if let Some(user) = self.addresses.get(&address).filter(|_| !address.is_empty()) {
            return (*user).into();
        }
        let is_called = |user: &&User| person.is_called(&user.username) || person.is_called(&user.name);
        let mut named = self.members.values().filter(is_called).filter(|_| address.is_empty());
        match (named.next(), named.next()) {
            (Some(user), None) => user.id.into(),
            _ if address.is_empty() => person.name().to_lowercase().into(),
            _ => address.into(),
        }
    }

    /// Returns the local person for a shared term. `name` is used for a placeholder address.
    pub(super) fn person(&self, term: &Value, name: Option<&str>) -> Option<Person> {
        match term {
            Value::Number(id) => self.persons.get(&id.as_u64()?).cloned(),
            Value::String(address) => Some(Person::new(name.unwrap_or_default(), address)),
            _ => None,
        }
    }

    /// Returns the key of a person, the same for all of their addresses; for a person unknown to the server, the key of
    /// the address itself.
    pub(super) fn key_of(&self, person: &Person) -> String {
        self.person(&self.term_of(person), None).as_ref().map_or_else(|| key(person), key)
    }

    /// Returns whether work can be assigned to a user in Taiga.
    pub(super) fn is_member(&self, id: u64) -> bool {
        self.members.contains_key(&id)
    }
}

/// Sorts members with known users: real addresses before placeholders, since two clones may have recorded the same user
/// differently.
fn by_preference(locals: &[Local]) -> Vec<&Local> {
    let mut known: Vec<&Local> = locals.iter().filter(|local| local.user.is_some()).collect();
    known.sort_by_key(|local| (local.is_stand_in, local.member.id));
    known
}

/// Returns the duplicate members according to the log.
pub(super) fn duplicates(locals: &[Local]) -> Vec<Merge> {
    let mut first: BTreeMap<u64, &Person> = BTreeMap::new();
    let mut merges = Vec::new();
    for local in by_preference(locals) {
        let Some(user) = local.user else { continue };
        let from = &local.member.person;
        match first.get(&user) {
            Some(into) => merges.push(Merge { id: local.member.id, from: from.clone(), into: (*into).clone() }),
            None => _ = first.insert(user, from),
        }
    }
    merges
}

/// Returns the key that distinguishes people: the address, or the name if there is none.
pub(super) fn key(person: &Person) -> String {
    if person.email().is_empty() { person.name().to_lowercase() } else { person.email().to_lowercase() }
}

/// Reads the local members and their users on a server.
pub(super) fn locals(index: &Index, server: &str) -> Result<Vec<Local>, Error> {
    let host = server.parse::<ServerUrl>().map(|url| url.host().to_owned()).unwrap_or_default();
    let mut locals = Vec::new();
    for member in index.members()? {
        let entity = index.entity(member.id)?;
        let mark = entity.as_ref().and_then(|entity| entity.value(FIELD)).filter(|mark| mark["server"] == server);
        let user = mark.and_then(|mark| mark["user"].as_u64());
        let address = member.person.email().to_lowercase();
        let is_stand_in = address == format!("{}@{host}", member.username).to_lowercase();
        locals.push(Local { member, user, is_stand_in });
    }
    Ok(locals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: u64, username: &str, email: Option<&str>) -> User {
        User {
            id,
            username: username.into(),
            name: username.to_uppercase(),
            role: "Dev".into(),
            email: email.map(str::to_owned),
        }
    }

    fn local(person: &str, username: &str, user: Option<u64>) -> Local {
        let person = Person::parse(person);
        Local {
            is_stand_in: person.email().ends_with("@t"),
            member: Member { id: Member::id(person.email()), person, username: username.into(), role: String::new() },
            user,
        }
    }

    #[test]
    fn everyone_is_found_again() {
        let locals = [
            local("Ada <ada@example.org>", "", Some(1)),
            local("Bob <BOB@example.org>", "", None),
            local("Carol <carol@home>", "Carol", None),
        ];
        let users = vec![
            user(1, "ada", None),
            user(2, "bob", Some("bob@example.org")),
            user(3, "carol", None),
            user(4, "dave", None),
        ];
        let people = People::new("https://t", "t", users, &locals);
        let shown: Vec<String> = (1..=4).map(|id: u64| people.person(&id.into(), None).unwrap().to_string()).collect();
        assert_eq!(shown, ["Ada <ada@example.org>", "Bob <BOB@example.org>", "Carol <carol@home>", "DAVE <dave@t>"]);
        for id in 1..=4_u64 {
            let person = people.person(&id.into(), None).unwrap();
            assert_eq!(people.term_of(&person), id, "{person}");
        }
        assert_eq!(people.member_records().len(), 3);
        assert_eq!(people.term_of(&Person::parse("dave")), 4);
    }

    #[test]
    fn r16_9_members_who_are_one_user_become_one() {
        let locals = [local("Ada <ada@t>", "ada", Some(1)), local("Ada <ada@example.org>", "ada", Some(1))];
        let merged = |people: &People| -> Vec<(String, String)> {
            people.merges().iter().map(|merge| (merge.from.to_string(), merge.into.to_string())).collect()
        };
        let expect = [("Ada <ada@t>".to_owned(), "Ada <ada@example.org>".to_owned())];
        assert_eq!(merged(&People::new("https://t", "t", vec![user(1, "ada", None)], &locals)), expect);
        assert_eq!(duplicates(&locals).len(), 1);
        // A real address that becomes known later replaces the placeholder.
        let late = People::new("https://t", "t", vec![user(1, "ada", Some("ada@example.org"))], &locals[..1]);
        let named = [("Ada <ada@t>".to_owned(), "ADA <ada@example.org>".to_owned())];
        assert_eq!((merged(&late), late.member_records().len()), (named.to_vec(), 1));
    }

    #[test]
    fn non_member_is_the_same_person_on_both_sides() {
        let people = People::new("https://t", "t", vec![user(1, "ada", None)], &[]);
        let term = people.term(9, Some("Gone"));
        let person = people.person(&term, Some("Gone Girl")).unwrap();
        assert_eq!(person.to_string(), "Gone Girl <gone@t>");
        assert_eq!(people.term_of(&person), term);
        assert!(!people.is_member(9));
    }
}
