//! Values under a name that the team shares through the log: saved views and templates. Each is an entity whose id
//! follows from its name, so that two clones that save the same name save one entry, and the later one wins.

use std::collections::BTreeMap;

use model::id::EntityId;
use model::nearest::nearest;
use model::op::Change;
use model::text::check_line;
use serde_json::Value;
use store::index::Index;

use crate::error::Error;
use crate::project::{PlanContext, shortened};

/// A kind of shared entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryKind {
    /// The kind of the entity.
    pub(crate) kind: &'static str,
    /// The field with the value.
    pub(crate) field: &'static str,
    /// The command that lists them, for hints.
    pub(crate) command: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SharedEntry {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl EntryKind {
    /// Checks a name: one line, short enough to type.
    pub(crate) fn check_name(self, name: &str) -> Result<String, Error> {
        const MAX_LENGTH: usize = 64;
        let name = check_line("name", name)?;
        if name.chars().count() > MAX_LENGTH || name.starts_with('-') || name.contains(['/', '\\']) {
            return Err(Error::invalid(format!("invalid name `{}` for a {}", shortened(&name), self.kind))
                .hint(format!("at most {MAX_LENGTH} characters, no slash, and no `-` at the beginning")));
        }
        Ok(name)
    }

    fn id(self, name: &str) -> EntityId {
        EntityId::shared(&format!("{}:{}", self.kind, name.trim().to_lowercase()))
    }

    /// Returns the entry with a name; `None` if there is none or it was removed.
    pub(crate) fn try_find(self, index: &Index, name: &str) -> Result<Option<SharedEntry>, Error> {
        self.read(index, self.id(name))
    }

    /// Finds the entry with a name; the error has the nearest one.
    pub(crate) fn find(self, index: &Index, name: &str) -> Result<SharedEntry, Error> {
        match self.try_find(index, name)? {
            Some(entry) => Ok(entry),
            None => Err(self.not_found(name, self.all(index)?.iter().map(|entry| entry.name.as_str()))),
        }
    }

    /// Returns the error for an unknown name.
    pub(crate) fn not_found<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Error {
        let error = Error::not_found(format!("{} not found: `{}`", self.kind, shortened(name)));
        match nearest(name, known) {
            Some(near) => error.hint(format!("did you mean `{}`?", shortened(near))),
            None => error.hint(format!("`{}` shows every one", self.command)),
        }
    }

    /// Returns all entries, by name.
    pub(crate) fn all(self, index: &Index) -> Result<Vec<SharedEntry>, Error> {
        let mut entries = Vec::new();
        for id in index.entities_of(self.kind)? {
            entries.extend(self.read(index, id)?);
        }
        entries.sort_by_key(|entry| entry.name.to_lowercase());
        Ok(entries)
    }

    fn read(self, index: &Index, id: EntityId) -> Result<Option<SharedEntry>, Error> {
        let Some(entity) = index.entity(id)? else { return Ok(None) };
        let is_own = entity.creation().is_some_and(|creation| creation.kind == self.kind);
        let value = entity.value(self.field).cloned();
        // An id that does not follow from the name is a forgery that would hide another entry.
        let name = entity.text("name").to_owned();
        let is_sound = is_own && !entity.is_deleted() && self.id(&name) == id;
        Ok(value.filter(|_| is_sound).map(|value| SharedEntry { name, value }))
    }

    /// Returns the changes that save an entry.
    pub(crate) fn save(
        self,
        context: &PlanContext<'_>,
        name: &str,
        value: &Value,
    ) -> Result<Vec<(EntityId, Change)>, Error> {
        let id = self.id(name);
        let fields = [("name", Value::from(name)), (self.field, value.clone())];
        let entity = context.index.entity(id)?.filter(|entity| entity.creation().is_some());
        let changes = match entity {
            None => {
                let fields: BTreeMap<String, Value> =
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
                vec![Change::Create { kind: self.kind.to_owned(), number: None, fields, sets: BTreeMap::new() }]
            }
            Some(entity) => {
                let restore = entity.is_deleted().then_some(Change::Restore);
                let differing = fields.into_iter().filter(|(name, value)| entity.value(name) != Some(value));
                restore.into_iter().chain(differing.map(|(name, value)| crate::project::set(name, value))).collect()
            }
        };
        Ok(changes.into_iter().map(|change| (id, change)).collect())
    }

    /// Returns the change that removes an entry.
    pub(crate) fn remove(self, entry: &SharedEntry) -> (EntityId, Change) {
        (self.id(&entry.name), Change::Delete)
    }
}
