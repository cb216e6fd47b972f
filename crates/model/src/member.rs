//! Members of the project. A member is an entity whose id is derived from the e-mail address, so that two clones that
//! add the same person add one member.

use crate::entity::Entity;
use crate::id::EntityId;
use crate::person::Person;

/// The entity kind of members.
pub const ENTITY_KIND: &str = "member";

/// A member of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its entity.
    pub id: EntityId,
    /// Name and e-mail address.
    pub person: Person,
    /// User name; may be empty.
    pub username: String,
    /// Role in the project; may be empty.
    pub role: String,
}

impl Member {
    /// Returns the id of the member with this e-mail address, the same in every clone.
    pub fn id(email: &str) -> EntityId {
        EntityId::shared(&format!("member:{}", email.trim().to_lowercase()))
    }

    /// Returns the id of a person, member or not: derived from the address, or from the name if there is none.
    pub fn id_of(person: &Person) -> EntityId {
        if person.email().is_empty() {
            return EntityId::shared(&format!("member:name:{}", person.name().to_lowercase()));
        }
        Self::id(person.email())
    }

    /// Reads a member from its entity; `None` if it is not a member or was removed.
    pub fn from_entity(entity: &Entity) -> Option<Self> {
        let is_member = entity.creation().is_some_and(|creation| creation.kind == ENTITY_KIND);
        (is_member && !entity.is_deleted()).then(|| Self {
            id: entity.id,
            person: Person::new(entity.text("name"), entity.text("email")),
            username: entity.text("username").to_owned(),
            role: entity.text("role").to_owned(),
        })
    }

    /// Returns whether `word` is a name of this member.
    pub fn is_called(&self, word: &str) -> bool {
        let word = word.trim().trim_start_matches('@');
        self.person.is_called(word) || !word.is_empty() && self.username.eq_ignore_ascii_case(word)
    }
}
