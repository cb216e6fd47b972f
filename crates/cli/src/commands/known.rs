//! Names in arguments must exist: an unknown person, milestone or board is an error with the nearest name, unless the
//! caller insists; so is a label, if the project declares its labels. Only the command line is strict; imports and the contracts of other tools take names as they come.

use app::verb::LabelChange;
use app::{ChangeSet, Error, ErrorKind, NewItem, Project};
use clap::Args;
use model::field::{FieldChange, FieldType, FieldValue};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::nearest::nearest;
use model::person::{Person, PersonRef};

const HINT: &str = "`--create` accepts a new name";

/// Whether unknown names are accepted.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Insist {
    /// Accept a person nobody has named before; create a milestone or board, or declare a label, that does not exist.
    #[arg(long)]
    create: bool,
}

impl Insist {
    /// Checks the names of a new item.
    pub(super) fn check_new(self, project: &mut Project, new: &mut NewItem) -> Result<(), Error> {
        self.check_labels(project, &new.labels)?;
        self.check_fields(project, &mut new.fields)
    }

    /// Checks the names of changes.
    pub(super) fn check_changes(self, project: &mut Project, set: &mut ChangeSet) -> Result<(), Error> {
        self.check_labels(project, &set.add_labels)?;
        self.check_fields(project, &mut set.fields)?;
        for person in &mut set.add_assignees {
            self.check_person(project, person)?;
        }
        Ok(())
    }

    fn check_fields(self, project: &mut Project, fields: &mut [FieldChange]) -> Result<(), Error> {
        for change in fields {
            match (change.value(), change.field().takes) {
                (FieldValue::Person(person), _) => {
                    let mut person = person.clone();
                    self.check_person(project, &mut person)?;
                    *change = FieldChange::assignee(person);
                }
                (FieldValue::Item(item), FieldType::Reference(Some(kind))) => {
                    let item = self.check_item(project, kind, item)?;
                    *change = FieldChange::item(change.field(), item);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_person(self, project: &Project, person: &mut PersonRef) -> Result<(), Error> {
        let PersonRef::Text(text) = person else { return Ok(()) };
        match project.known_person(text) {
            Ok(known) => *person = PersonRef::Known(known),
            Err(error) if error.kind == ErrorKind::NotFound && (self.create || is_whole(text)) => {
                *person = PersonRef::Known(Person::parse(text.trim_start_matches('@')));
            }
            Err(error) => return Err(with_hint(error)),
        }
        Ok(())
    }

    /// Labels are free until the project declares some.
    fn check_labels(self, project: &mut Project, labels: &[String]) -> Result<(), Error> {
        if labels.is_empty() || !project.declares_labels()? {
            return Ok(());
        }
        let declared: Vec<String> =
            project.labels()?.into_iter().filter(|label| label.declared).map(|label| label.name).collect();
        for label in labels.iter().map(|label| label.trim()).filter(|label| !declared.iter().any(|one| one == label)) {
            if self.create {
                project.define_label(label, &LabelChange::default())?;
                continue;
            }
            let error = Error::not_found(format!("label not declared: `{}`", crate::output::safe(label)));
            let near = nearest(label, declared.iter().map(String::as_str));
            let hint = near.map(|near| format!("did you mean `{}`?", crate::output::safe(near)));
            return Err(with_hint(error.hint(hint.unwrap_or_else(|| "`cairn label list` shows them".to_owned()))));
        }
        Ok(())
    }

    /// Returns a milestone or a board, and creates it if there is none and the caller insists.
    fn check_item(self, project: &mut Project, kind: ItemKind, item: &ItemRef) -> Result<ItemRef, Error> {
        match project.find_named(kind, item) {
            Ok(id) => Ok(ItemRef::Id(id)),
            Err(error) if !self.create || item.number_in(kind.space()).is_some() => Err(with_hint(error)),
            Err(_) => {
                let made = project.create(&NewItem::new(kind, item.to_string()))?;
                crate::output::note(&format!("created {kind} #{}: {}", made.number, crate::output::safe(&made.title)));
                Ok(ItemRef::parse(&made.id))
            }
        }
    }
}

/// Returns whether a text is a whole `Name <email>`. Nobody types that by mistake, and scripts have it from git.
fn is_whole(text: &str) -> bool {
    let person = Person::parse(text);
    !person.name().is_empty() && person.email().contains('@')
}

fn with_hint(error: Error) -> Error {
    let hint = error.hint.as_ref().map_or_else(|| HINT.to_owned(), |hint| format!("{hint} ({HINT})"));
    error.hint(hint)
}
