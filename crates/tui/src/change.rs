//! Changes of items, and their messages in the bottom line. `app` undoes them, as it does for `cairn undo`.

use std::path::Path;

use app::verb::{CloseOptions, MoveTo, NewAttachment, OnConflict, UndoMode, UndoOptions};
use app::view::ItemView;
use app::{ChangeSet, Error, NewItem};
use model::field::{self, Field, FieldChange, FieldType};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::text::counted;
use model::workflow::State;
use serde_json::Value;

use crate::state::{Interface, Note};

impl Interface {
    /// Sets a field from its text.
    pub(crate) fn set_field(&mut self, items: &[ItemRef], field: &'static Field, text: &str) {
        let what = match (field.name, text) {
            ("status", text) => format!("moved to {text}"),
            (name, "") => format!("removed the field {name}"),
            (name, text) => format!("set {name} to {text}"),
        };
        self.write(&what, |state| {
            let change = FieldChange::parse(field, text)?;
            state.project.edit(items, &ChangeSet::of_fields([change]))
        });
    }

    /// Adds a label, or removes it if all items have it.
    pub(crate) fn toggle_label(&mut self, items: &[ItemRef], label: &str) {
        let shown = items.iter().map(|item| self.project.show(item)).collect::<Result<Vec<_>, _>>();
        let Some(shown) = self.or_note(shown) else { return };
        let have_all = shown.iter().all(|item| item.labels.iter().any(|one| one == label));
        let labels = vec![label.to_owned()];
        let (set, what) = if have_all {
            (ChangeSet { remove_labels: labels, ..ChangeSet::default() }, "removed")
        } else {
            (ChangeSet { add_labels: labels, ..ChangeSet::default() }, "added")
        };
        self.write(&format!("{what} the label {label}"), |state| state.project.edit(items, &set));
    }

    /// Moves an item in the order of cards.
    pub(crate) fn rank(&mut self, item: &ItemRef, to: &MoveTo) {
        self.write("moved", |state| Ok(vec![state.project.move_item(item, to)?]));
    }

    /// Closes items, or reopens them if all are closed.
    pub(crate) fn toggle_close(&mut self, items: &[ItemRef]) {
        let shown = items.iter().map(|item| self.project.show(item)).collect::<Result<Vec<_>, _>>();
        let Some(shown) = self.or_note(shown) else { return };
        if shown.iter().all(|item| item.state == State::Closed) {
            self.write("reopened", |state| state.project.reopen(items, None));
        } else {
            self.write("closed", |state| state.project.close(items, &CloseOptions::default()));
        }
    }

    pub(crate) fn delete(&mut self, items: &[ItemRef]) {
        self.write("deleted", |state| state.project.delete(items, None));
        self.marked.clear();
    }

    pub(crate) fn comment(&mut self, item: &ItemRef, text: &str) {
        self.write("commented on", |state| Ok(vec![state.project.comment(item, text, None)?]));
    }

    /// Sets title and description, unless someone else changed the item since it had this revision.
    pub(crate) fn set_text(
        &mut self,
        item: &ItemRef,
        title: &str,
        description: &str,
        revision: &str,
    ) -> Result<WriteOutcome, Error> {
        self.try_write(|state| {
            let fields =
                [FieldChange::parse(&field::TITLE, title)?, FieldChange::parse(&field::DESCRIPTION, description)?];
            let set = ChangeSet { if_unchanged: Some(revision.to_owned()), ..ChangeSet::of_fields(fields) };
            state.project.edit(std::slice::from_ref(item), &set)
        })
    }

    /// Attaches a file. A path is relative to the folder where the program was started.
    pub(crate) fn attach(&mut self, item: &ItemRef, path: &str) {
        self.write("attached a file to", |state| {
            let file = NewAttachment::read(Path::new(path))?;
            Ok(vec![state.project.attach(item, &[file], None)?])
        });
    }

    pub(crate) fn create(&mut self, kind: ItemKind, title: &str) {
        let mut id = String::new();
        self.write("created", |state| {
            let item = state.project.create(&NewItem::new(kind, title))?;
            id.clone_from(&item.id);
            Ok(vec![item])
        });
        self.select_card(&id);
        self.row = self.list.iter().position(|one| one.id == id).unwrap_or(self.row);
    }

    /// Takes back the person's last change, wherever it was made.
    pub(crate) fn undo(&mut self) {
        let options = UndoOptions { n_changes: 1, on_conflict: OnConflict::Refuse, mode: UndoMode::Write };
        let undone = self.project.undo(&options).map(|view| {
            let words = view
                .undone
                .into_iter()
                .flat_map(|change| if change.sentences.is_empty() { vec![change.text] } else { change.sentences });
            format!("undone: {}", words.collect::<Vec<_>>().join("; "))
        });
        self.note_result(undone);
    }

    /// Runs a change, shows its result, and reads everything again.
    pub(crate) fn write(&mut self, what: &str, change: impl FnOnce(&mut Self) -> Result<Vec<ItemView>, Error>) {
        let result = self.try_write(change);
        self.finish(what, result);
    }

    fn try_write(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<Vec<ItemView>, Error>,
    ) -> Result<WriteOutcome, Error> {
        let before = self.project.state_name()?;
        let items = change(self)?;
        Ok(if self.project.state_name()? == before { WriteOutcome::Nothing } else { WriteOutcome::Items(items) })
    }

    pub(crate) fn finish(&mut self, what: &str, result: Result<WriteOutcome, Error>) {
        match self.or_note(result) {
            Some(WriteOutcome::Nothing) => self.note = Some(Note::Done("nothing changed".to_owned())),
            Some(WriteOutcome::Items(items)) => {
                self.note = Some(Note::Done(format!("{what}: {}  (z undoes)", named(&items))));
                self.reload_or_note();
            }
            None => {}
        }
    }
}

/// The result of a change.
pub(crate) enum WriteOutcome {
    Items(Vec<ItemView>),
    /// The values were there already. Undo would take back an earlier change.
    Nothing,
}

fn named(items: &[ItemView]) -> String {
    match items {
        [item] => format!("{} {}", item.name(), item.title),
        items => counted(items.len(), "item"),
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
