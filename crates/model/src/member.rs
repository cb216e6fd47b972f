//! People the project knows by name. A member is an entity, named by the e-mail address, so that two clones that add
//! the same person add one.

use crate::entity::Entity;
use crate::id::EntityId;
use crate::person::Person;

/// The kind of the entities that hold members.
pub const ENTITY_KIND: &str = "member";

/// Someone who belongs to the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The member's entity.
    pub id: EntityId,
    /// Name and e-mail address.
    pub person: Person,
    /// A short name to type; may be empty.
    pub username: String,
    /// What the person does here; may be empty.
    pub role: String,
}

impl Member {
    /// Returns the id of the member with this e-mail address, the same in every clone.
    pub fn id(email: &str) -> EntityId {
        EntityId::shared(&format!("member:{}", email.trim().to_lowercase()))
    }

    /// Returns the id that stands for a person, member or not: made from the address, or from the name of who has none.
    pub fn id_of(person: &Person) -> EntityId {
        if person.email().is_empty() {
            return EntityId::shared(&format!("member:name:{}", person.name().to_lowercase()));
        }
        Self::id(person.email())
    }

    /// Reads a member from its entity; `None` when it is something else or was removed.
    pub fn from_entity(entity: &Entity) -> Option<Self> {
        let is_member = entity.birth().is_some_and(|birth| birth.kind == ENTITY_KIND);
        (is_member && !entity.is_deleted()).then(|| Self {
            id: entity.id,
            person: Person::new(entity.text("name"), entity.text("email")),
            username: entity.text("username").to_owned(),
            role: entity.text("role").to_owned(),
        })
    }

    /// Tells whether `word` names this member.
    pub fn is_called(&self, word: &str) -> bool {
        let word = word.trim().trim_start_matches('@');
        self.person.is_called(word) || !word.is_empty() && self.username.eq_ignore_ascii_case(word)
    }
}
