//! People by the numbers they have in the log, for front doors whose contracts name everyone by one.

use std::collections::{BTreeMap, HashMap};

use model::id::EntityId;
use model::member::Member;
use model::number::NumberSpace;
use model::person::Person;
use store::index::Index;

use crate::error::Error;
use crate::project::Project;
use crate::tracker::Id;
use crate::verb::member;
use crate::view::MemberView;

/// Who can have work: members, whoever wrote or was assigned an item, and who asks.
pub(crate) struct People {
    by_number: BTreeMap<u64, MemberView>,
    numbers: HashMap<EntityId, u64>,
}

impl People {
    /// Finds everyone.
    pub(crate) fn of(project: &Project) -> Result<Self, Error> {
        // One whom git does not name can read as well as anyone.
        Self::at(project.index(), project.me().ok().as_ref())
    }

    /// Finds everyone whom a state knows, and who asks. Whoever asks and was never named has the next number: the one they
    /// get with their first write.
    pub(crate) fn at(index: &Index, me: Option<&Person>) -> Result<Self, Error> {
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

    /// Returns the id of someone.
    pub(crate) fn id(&self, person: &Person) -> Option<Id> {
        Id::new(*self.numbers.get(&Member::id_of(person))?)
    }

    /// Returns who has this id.
    pub(crate) fn try_find(&self, id: Id) -> Option<Person> {
        self.try_find_number(id.get())
    }

    /// Returns who has this number.
    pub(crate) fn try_find_number(&self, number: u64) -> Option<Person> {
        self.by_number.get(&number).map(|member| Person::new(&member.name, &member.email))
    }

    /// Returns everyone, the lowest number first.
    pub(crate) fn members(&self) -> impl Iterator<Item = (Id, &MemberView)> {
        self.by_number.iter().filter_map(|(number, member)| Some((Id::new(*number)?, member)))
    }
}
