//! People by their numbers in the log, for contracts that identify people by integers.

use std::collections::{BTreeMap, HashMap};

use model::id::EntityId;
use model::member::Member;
use model::number::NumberSpace;
use model::person::Person;
use store::index::Index;

use crate::error::Error;
use crate::project::Project;
use crate::verb::member;
use crate::view::MemberView;

/// People who can be assigned: members, authors and assignees of items, and the caller.
pub struct People {
    by_number: BTreeMap<u64, MemberView>,
    numbers: HashMap<EntityId, u64>,
}

impl People {
    /// Collects all people.
    pub fn of(project: &Project) -> Result<Self, Error> {
        // A caller without a git identity can still read.
        Self::at(project.index(), project.me().ok().as_ref())
    }

    /// Collects the people of a state, and the caller. A caller who is new gets the next number, which their first
    /// write will assign.
    pub fn at(index: &Index, me: Option<&Person>) -> Result<Self, Error> {
        let mut numbers = index.person_numbers()?;
        let mut members = member::members(index)?;
        if let Some(me) = me
            && !numbers.contains_key(&Member::id_of(me))
        {
            let number = index.next_number(NumberSpace::Person)?;
            numbers.insert(Member::id_of(me), number);
            members.push(member::seen_view(me, number));
        }
        let by_number = members.into_iter().map(|member| (member.number, member)).collect();
        Ok(Self { by_number, numbers })
    }

    /// Returns a person's number.
    pub fn number(&self, person: &Person) -> Option<u64> {
        self.numbers.get(&Member::id_of(person)).copied()
    }

    /// Returns the person with this number.
    pub fn try_find(&self, number: u64) -> Option<Person> {
        self.by_number.get(&number).map(|member| Person::new(&member.name, &member.email))
    }

    /// Returns all people, sorted by number.
    pub fn members(&self) -> impl Iterator<Item = (u64, &MemberView)> {
        self.by_number.iter().map(|(number, member)| (*number, member))
    }
}
