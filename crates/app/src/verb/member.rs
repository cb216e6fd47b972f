//! Members of the project.

use std::collections::{BTreeMap, HashSet};

use model::id::EntityId;
use model::member::{ENTITY_KIND, Member};
use model::number::NumberSpace;
use model::op::Change;
use model::person::Person;
use model::text::check_line;
use serde_json::Value;
use store::index::Index;

use crate::error::Error;
use crate::project::{PlanContext, Project, WritePlan, set};
use crate::resolve;
use crate::view::MemberView;

/// A new member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewMember {
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// A short user name.
    pub username: Option<String>,
    /// The person's role.
    pub role: Option<String>,
}

impl Project {
    /// Returns the people of the project: the members by name, then other authors and assignees.
    pub fn members(&self) -> Result<Vec<MemberView>, Error> {
        members(self.index())
    }

    /// Resolves a person: `me`, a member, someone seen in the project, or a new person named by the text.
    pub fn person(&self, text: &str) -> Result<Person, Error> {
        if text.trim().eq_ignore_ascii_case("me") {
            return self.me();
        }
        resolve::other_person(self.index(), text)
    }

    /// Finds a person that the log or git's configuration names: by name, address, user name, number, or a first name
    /// that only one person has. An unknown name is an error with the nearest one.
    pub fn known_person(&self, text: &str) -> Result<Person, Error> {
        let me = self.me().ok();
        resolve::known_person(self.index(), me.as_ref(), text)
    }

    /// Finds the member with this name, or else creates a person with it.
    pub fn namesake(&self, name: &str) -> Result<Person, Error> {
        let name = check_line("name", name)?;
        let member = self.index().members()?.into_iter().find(|member| member.is_called(&name));
        Ok(member.map_or_else(|| Person::parse(&name), |member| member.person))
    }

    /// Adds a member, or updates the one with the same e-mail address, and returns it.
    pub fn add_member(&mut self, new: &NewMember) -> Result<MemberView, Error> {
        let email = checked_email(&new.email)?;
        let mut fields: BTreeMap<String, Value> = BTreeMap::new();
        fields.insert("name".into(), check_line("name", &new.name)?.into());
        fields.insert("email".into(), email.clone().into());
        for (name, value) in [("username", &new.username), ("role", &new.role)] {
            if let Some(value) = value {
                fields.insert(name.into(), check_line(name, value)?.into());
            }
        }
        let id = Member::id(&email);
        let plan = |context: &PlanContext<'_>| {
            refuse_taken_username(&context.index.members()?, id, new.username.as_deref())?;
            let known = context.index.entity(id)?.filter(|entity| entity.creation().is_some());
            let number = number(context.index, id)?;
            let changes = match known {
                None => vec![Change::Create {
                    kind: ENTITY_KIND.to_owned(),
                    number: Some(number),
                    fields: fields.clone(),
                    sets: BTreeMap::new(),
                }],
                Some(entity) => {
                    let restore = entity.is_deleted().then_some(Change::Restore);
                    let differs = fields.iter().filter(|(name, value)| entity.value(name) != Some(value));
                    restore.into_iter().chain(differs.map(|(name, value)| set(name, value.clone()))).collect()
                }
            };
            let subject = format!("member {}: add", new.name.trim());
            Ok((WritePlan::new(subject, changes.into_iter().map(|change| (id, change))), ()))
        };
        self.write(plan, |context, ()| {
            let found = context.index.members()?.into_iter().find(|member| member.id == id);
            let member = found.ok_or_else(|| Error::unavailable("the member is not indexed yet"))?;
            Ok(view(member, number(context.index, id)?))
        })
    }

    /// Removes a member from the project and returns it. Their items and comments stay.
    pub fn remove_member(&mut self, who: &str) -> Result<MemberView, Error> {
        let plan = |context: &PlanContext<'_>| {
            let members = context.index.members()?;
            let named = resolve::other_person(context.index, who)?;
            let found = members.iter().find(|member| member.is_called(who) || member.person == named);
            let member = found.ok_or_else(|| {
                Error::not_found(format!("member not found: `{who}`")).hint("`cairn member list` shows them all")
            })?;
            let subject = format!("member {}: remove", member.person.short());
            let view = view(member.clone(), number(context.index, member.id)?);
            Ok((WritePlan::new(subject, [(member.id, Change::Delete)]), view))
        };
        self.commit(plan)
    }
}

/// Returns the people of a state: the members by name, then other authors and assignees.
pub(crate) fn members(index: &Index) -> Result<Vec<MemberView>, Error> {
    let members = index.members()?;
    let is_member = |person: &Person| members.iter().any(|member| is_same(&member.person, person));
    let numbers = index.person_numbers()?;
    let number = |id: &EntityId| numbers.get(id).copied().unwrap_or_default();
    let mut others: Vec<Person> = index.people_seen()?.into_iter().filter(|person| !is_member(person)).collect();
    // The same person may be spelled in several ways; one of them is shown.
    let mut seen = HashSet::new();
    others.retain(|person| !person.short().is_empty() && seen.insert(Member::id_of(person)));
    let views = members.iter().map(|member| view(member.clone(), number(&member.id)));
    Ok(views.chain(others.iter().map(|person| seen_view(person, number(&Member::id_of(person))))).collect())
}

/// Returns a member's number, or the next free one for a new person.
pub(crate) fn number(index: &Index, id: EntityId) -> Result<u64, Error> {
    match index.person_numbers()?.get(&id) {
        Some(number) => Ok(*number),
        None => Ok(index.next_number(NumberSpace::Person)?),
    }
}

fn checked_email(text: &str) -> Result<String, Error> {
    let email = check_line("e-mail address", text)?;
    let is_email = email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if !is_email || email.contains([' ', '<', '>']) {
        return Err(Error::invalid(format!("invalid e-mail address `{email}`; write name@host")));
    }
    Ok(email)
}

fn refuse_taken_username(members: &[Member], own: EntityId, username: Option<&str>) -> Result<(), Error> {
    let Some(username) = username else { return Ok(()) };
    let taken = members.iter().find(|member| member.id != own && member.username.eq_ignore_ascii_case(username.trim()));
    match taken {
        Some(member) => Err(Error::conflict(format!("`{username}` is already {}", member.person))),
        None => Ok(()),
    }
}

fn view(member: Member, number: u64) -> MemberView {
    MemberView {
        number,
        id: member.id.to_string(),
        name: member.person.name().to_owned(),
        email: member.person.email().to_owned(),
        username: member.username,
        role: member.role,
        added: true,
    }
}

/// Returns the view of a person of whom only the name is known.
pub(crate) fn seen_view(person: &Person, number: u64) -> MemberView {
    MemberView {
        number,
        id: Member::id_of(person).to_string(),
        name: person.name().to_owned(),
        email: person.email().to_owned(),
        username: String::new(),
        role: String::new(),
        added: false,
    }
}

// The address identifies people; without one, the name does.
fn is_same(one: &Person, other: &Person) -> bool {
    if one.email().is_empty() { one.is_called(other.name()) } else { one.email().eq_ignore_ascii_case(other.email()) }
}
