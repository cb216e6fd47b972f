//! People by the numbers they have in the log, for front doors whose contracts name everyone by one.

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

/// Who can have work: members, whoever wrote or was assigned an item, and who asks.
pub struct People {
    by_number: BTreeMap<u64, MemberView>,
    numbers: HashMap<EntityId, u64>,
}

impl People {
    /// Finds everyone.
    pub fn of(project: &Project) -> Result<Self, Error> {
        // One whom git does not name can read as well as anyone.
        Self::at(project.index(), project.me().ok().as_ref())
    }

    /// Finds everyone whom a state knows, and who asks. Whoever asks and was never named has the next number: the one they
    /// get with their first write.
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

    /// Returns someone's number.
    pub fn number(&self, person: &Person) -> Option<u64> {
        self.numbers.get(&Member::id_of(person)).copied()
    }

    /// Returns the person with this number.
    pub fn try_find(&self, number: u64) -> Option<Person> {
        self.by_number.get(&number).map(|member| Person::new(&member.name, &member.email))
    }

    /// Returns everyone, the lowest number first.
    pub fn members(&self) -> impl Iterator<Item = (u64, &MemberView)> {
        self.by_number.iter().map(|(number, member)| (*number, member))
    }
}
