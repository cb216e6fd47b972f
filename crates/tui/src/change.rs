//! Changes of items, each with its inverse, so that it can be undone.

use app::verb::{Closing, MoveTo, Placement};
use app::view::ItemView;
use app::{ChangeSet, Error, NewItem};
use model::field::{self, Field, FieldChange, FieldType};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use serde_json::Value;

use crate::state::{Interface, Note};

/// How to revert a change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Undo {
    item: ItemRef,
    revert: Revert,
    /// What is undone, in words.
    what: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Revert {
    Edit(ChangeSet),
    Place(Placement),
    Restore,
    Delete,
}

/// Maximum number of changes that can be undone.
const MAX_UNDO: usize = 100;

impl Interface {
    /// Sets a field from its text.
    pub(crate) fn set_field(&mut self, item: &ItemRef, field: &'static Field, text: &str) {
        let result = FieldChange::parse(field, text).map_err(Error::from).and_then(|change| {
            let before = self.project.show(item)?;
            let changed = self.project.edit(std::slice::from_ref(item), &ChangeSet::of_fields([change]))?;
            let old = FieldChange::parse(field, &text_of(&before, field))?;
            let revert = Revert::Edit(ChangeSet::of_fields([old]));
            Ok((changed.into_iter().next(), revert))
        });
        let what = match (field.name, text) {
            ("status", text) => format!("moved to {text}"),
            (name, "") => format!("removed the field {name}"),
            (name, text) => format!("set {name} to {text}"),
        };
        self.finish(item, &what, result);
    }

    /// Adds a label, or removes it if the item has it.
    pub(crate) fn toggle_label(&mut self, item: &ItemRef, label: &str) {
        let result = self.project.show(item).and_then(|before| {
            let (add, remove) = (vec![label.to_owned()], Vec::new());
            let (add, remove) =
                if before.labels.iter().any(|one| one == label) { (remove, add) } else { (add, remove) };
            let set = |add: &Vec<String>, remove: &Vec<String>| ChangeSet {
                add_labels: add.clone(),
                remove_labels: remove.clone(),
                ..ChangeSet::default()
            };
            let changed = self.project.edit(std::slice::from_ref(item), &set(&add, &remove))?;
            Ok((changed.into_iter().next(), Revert::Edit(set(&remove, &add))))
        });
        self.finish(item, &format!("changed the label {label}"), result);
    }

    /// Moves a card to another column, on top of the order there.
    pub(crate) fn set_status(&mut self, item: &ItemRef, status: &str) {
        self.set_field(item, &field::STATUS, status);
    }

    /// Moves a card before or after another one. `back` is the place where it was.
    pub(crate) fn rank(&mut self, item: &ItemRef, to: &MoveTo, back: MoveTo) {
        let result = self.project.move_item(item, to).map(|moved| {
            let revert = Revert::Place(Placement { to: Some(back), set: ChangeSet::default() });
            (Some(moved), revert)
        });
        self.finish(item, "moved", result);
    }

    /// Closes an open item and reopens a closed one.
    pub(crate) fn toggle_close(&mut self, item: &ItemRef) {
        let items = std::slice::from_ref(item);
        let mut verb = "closed";
        let result = self.project.show(item).and_then(|before| {
            let changed = if before.state == model::workflow::State::Closed {
                verb = "reopened";
                self.project.reopen(items, None)?
            } else {
                self.project.close(items, &Closing::default())?
            };
            let old = FieldChange::parse(&field::STATUS, &before.status)?;
            Ok((changed.into_iter().next(), Revert::Edit(ChangeSet::of_fields([old]))))
        });
        self.finish(item, verb, result);
    }

    pub(crate) fn delete(&mut self, item: &ItemRef) {
        let deleted = self.project.delete(std::slice::from_ref(item), None);
        self.finish(item, "deleted", deleted.map(|items| (items.into_iter().next(), Revert::Restore)));
    }

    pub(crate) fn comment(&mut self, item: &ItemRef, text: &str) {
        match self.project.comment(item, text, None) {
            Ok(changed) => {
                self.note = Some(Note::Done(format!("commented on {}", changed.name())));
                self.reload_or_note();
            }
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    pub(crate) fn create(&mut self, kind: ItemKind, title: &str) {
        match self.project.create(&NewItem::new(kind, title)) {
            Ok(item) => {
                let reference = ItemRef::parse(&item.id);
                self.finish(&reference, "created", Ok((Some(item.clone()), Revert::Delete)));
                self.select_card(&item.id);
                self.row = self.list.iter().position(|one| one.id == item.id).unwrap_or(self.row);
            }
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    /// Reverts the last change that was made here.
    pub(crate) fn undo(&mut self) {
        let Some(undo) = self.undo.pop() else {
            self.note = Some(Note::Failed("nothing to undo".to_owned()));
            return;
        };
        let items = std::slice::from_ref(&undo.item);
        let reverted = match &undo.revert {
            Revert::Edit(set) => self.project.edit(items, set).map(|_| ()),
            Revert::Place(placement) => self.project.place(&undo.item, placement).map(|_| ()),
            Revert::Restore => self.project.reopen(items, None).map(|_| ()),
            Revert::Delete => self.project.delete(items, None).map(|_| ()),
        };
        match reverted {
            Ok(()) => {
                self.note = Some(Note::Done(format!("undone: {}", undo.what)));
                self.reload_or_note();
            }
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    fn finish(&mut self, item: &ItemRef, what: &str, result: Result<(Option<ItemView>, Revert), Error>) {
        match result {
            Ok((changed, revert)) => {
                let name = changed.map(|item| format!("{} {}", item.name(), item.title)).unwrap_or_default();
                let what = format!("{what}: {name}");
                self.note = Some(Note::Done(format!("{what}  (z undoes)")));
                self.undo.push(Undo { item: item.clone(), revert, what });
                if self.undo.len() > MAX_UNDO {
                    self.undo.remove(0);
                }
                self.reload_or_note();
            }
            Err(error) => {
                self.fail(&error);
            }
        }
    }
}

/// Returns the current value of a field as text that sets it again.
pub(crate) fn text_of(item: &ItemView, field: &Field) -> String {
    let view = serde_json::to_value(item).unwrap_or_default();
    let value = view.get(field.name).or_else(|| view.get(field.stored())).unwrap_or(&Value::Null);
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(set) => if *set { "yes" } else { "no" }.to_owned(),
        Value::Object(object) if matches!(field.takes, FieldType::Reference(_)) => {
            object.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        // `blocked` is a flag with a reason.
        Value::Object(object) => object.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned(),
        other => other.to_string(),
    }
}
