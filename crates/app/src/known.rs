//! Names must exist: an unknown person, milestone or board is an error with the nearest name, unless the caller
//! insists; so is a label, if the project declares its labels. Imports and the contracts of other tools do not ask.

use model::field::{FieldChange, FieldType, FieldValue};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::nearest::nearest;
use model::person::{Person, PersonRef};
use model::text::escape_line;

use crate::change::{ChangeSet, NewItem};
use crate::error::{Error, ErrorKind};
use crate::project::Project;
use crate::verb::LabelChange;
use crate::view::ItemView;

/// Maximum number of declared labels that a hint lists.
const MAX_LABELS_IN_HINT: usize = 12;

/// What to do with a name that nothing has yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownNames {
    /// Fail. A complete `Name <email>` is accepted: it is no typing mistake, and scripts get it from git.
    Refuse,
    /// Fail, but accept an e-mail address, too: the way of tools to insist.
    RefuseWithoutAddress,
    /// Accept a person, create a milestone or a board, declare a label.
    Create,
}

impl UnknownNames {
    fn accepts(self, text: &str) -> bool {
        let person = Person::parse(text.trim_start_matches('@'));
        let has_address = person.email().contains('@');
        match self {
            Self::Refuse => has_address && !person.name().is_empty(),
            Self::RefuseWithoutAddress => has_address,
            Self::Create => true,
        }
    }
}

impl Project {
    /// Checks the names of a new item, and returns the milestones and boards that were created for them.
    pub fn check_new_names(&mut self, new: &mut NewItem, unknown: UnknownNames) -> Result<Vec<ItemView>, Error> {
        self.check_labels(&new.labels, unknown)?;
        self.check_fields(&mut new.fields, unknown)
    }

    /// Checks the names of changes, and returns the milestones and boards that were created for them.
    pub fn check_changed_names(&mut self, set: &mut ChangeSet, unknown: UnknownNames) -> Result<Vec<ItemView>, Error> {
        self.check_labels(&set.add_labels, unknown)?;
        let created = self.check_fields(&mut set.fields, unknown)?;
        for person in &mut set.add_assignees {
            self.check_person(person, unknown)?;
        }
        Ok(created)
    }

    fn check_fields(&mut self, fields: &mut [FieldChange], unknown: UnknownNames) -> Result<Vec<ItemView>, Error> {
        let mut created = Vec::new();
        for change in fields {
            match (change.value(), change.field().takes) {
                (FieldValue::Person(person), _) => {
                    let mut person = person.clone();
                    self.check_person(&mut person, unknown)?;
                    *change = FieldChange::assignee(person);
                }
                (FieldValue::Item(item), FieldType::Reference(Some(kind))) => {
                    let (item, new) = self.check_item(kind, item, unknown)?;
                    created.extend(new);
                    *change = FieldChange::item(change.field(), item);
                }
                _ => {}
            }
        }
        Ok(created)
    }

    fn check_person(&self, person: &mut PersonRef, unknown: UnknownNames) -> Result<(), Error> {
        let PersonRef::Text(text) = person else { return Ok(()) };
        match self.known_person(text) {
            Ok(known) => *person = PersonRef::Known(known),
            Err(error) if error.kind == ErrorKind::NotFound && unknown.accepts(text) => {
                *person = PersonRef::Known(Person::parse(text.trim_start_matches('@')));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Labels are free until the project declares some.
    fn check_labels(&mut self, labels: &[String], unknown: UnknownNames) -> Result<(), Error> {
        if labels.is_empty() || !self.declares_labels()? {
            return Ok(());
        }
        let declared: Vec<String> =
            self.labels()?.into_iter().filter(|label| label.declared).map(|label| label.name).collect();
        for label in labels.iter().map(|label| label.trim()).filter(|label| !declared.iter().any(|one| one == label)) {
            if unknown != UnknownNames::Create {
                return Err(undeclared(label, &declared));
            }
            self.define_label(label, &LabelChange::default())?;
        }
        Ok(())
    }

    /// Returns a milestone or a board, and creates it if there is none and the caller insists.
    fn check_item(
        &mut self,
        kind: ItemKind,
        item: &ItemRef,
        unknown: UnknownNames,
    ) -> Result<(ItemRef, Option<ItemView>), Error> {
        match self.find_named(kind, item) {
            Ok(id) => Ok((ItemRef::Id(id), None)),
            Err(error) if unknown != UnknownNames::Create || item.number_in(kind.space()).is_some() => Err(error),
            Err(_) => {
                let made = self.create(&NewItem::new(kind, item.to_string()))?;
                Ok((ItemRef::parse(&made.id), Some(made)))
            }
        }
    }
}

fn undeclared(label: &str, declared: &[String]) -> Error {
    let error = Error::not_found(format!("label not declared: `{}`", escape_line(label)));
    let shown = declared.iter().take(MAX_LABELS_IN_HINT).map(|label| escape_line(label)).collect::<Vec<_>>().join(", ");
    match nearest(label, declared.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `{}`?", escape_line(near))),
        None => error.hint("`cairn label list` shows them").tool_hint(format!("the project has: {shown}")),
    }
}
