//! Long texts are edited in the user's editor, which needs the terminal for itself: a key asks for it, and the event loop
//! leaves the screen to it.

use app::{Error, ErrorKind, Project};
use model::item_ref::ItemRef;

use crate::state::{Interface, Note};

/// The user's editor.
pub trait TextEditor {
    /// Edits a title and a description; `None` if the title was left empty.
    fn edit_item(&self, project: &Project, title: &str, description: &str) -> Result<Option<(String, String)>, Error>;

    /// Edits a text; `None` if it was left empty.
    fn edit_text(&self, project: &Project, text: &str, about: &str) -> Result<Option<String>, Error>;
}

/// The text to edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EditorRequest {
    /// Title and description of an item.
    Item(ItemRef),
    Comment(ItemRef),
    /// The text of a comment, by its id.
    EditComment(ItemRef, String),
    /// A reply to a review message.
    Reply(String),
}

/// A text that could not be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnsavedText {
    item: ItemRef,
    title: String,
    description: String,
}

impl Interface {
    /// Returns whether a key asked for the editor.
    pub fn wants_editor(&self) -> bool {
        self.editor_request.is_some()
    }

    /// Edits the text that a key asked for, and writes the result.
    pub fn run_editor(&mut self, editor: &dyn TextEditor) {
        let Some(request) = self.editor_request.take() else { return };
        let result = match &request {
            EditorRequest::Item(item) => self.edit_item(editor, item),
            EditorRequest::Comment(item) => self.write_comment(editor, item),
            EditorRequest::EditComment(item, comment) => self.edit_comment(editor, item, comment),
            EditorRequest::Reply(message) => self.write_reply(editor, message),
        };
        if let Err(error) = result {
            self.fail(&error);
        }
    }

    fn edit_item(&mut self, editor: &dyn TextEditor, item: &ItemRef) -> Result<(), Error> {
        let shown = self.project.show(item)?;
        let unsaved = self.unsaved.take().filter(|unsaved| unsaved.item == *item);
        let (title, description) = match unsaved {
            Some(unsaved) => (unsaved.title, unsaved.description),
            None => (shown.title, shown.description),
        };
        match editor.edit_item(&self.project, &title, &description)? {
            Some((title, description)) => self.save_text(item, title, description, &shown.revision),
            None => self.left_empty("title"),
        }
        Ok(())
    }

    /// Saves a text. If someone else changed the item meanwhile, the text is kept for the next time.
    fn save_text(&mut self, item: &ItemRef, title: String, description: String, revision: &str) {
        match self.set_text(item, &title, &description, revision) {
            Err(error) if error.kind == ErrorKind::Conflict => {
                self.unsaved = Some(UnsavedText { item: item.clone(), title, description });
                self.follow();
                let note = "someone else changed the item meanwhile; press E again: your text is kept";
                self.note = Some(Note::Failed(note.to_owned()));
            }
            result => self.finish("edited", result),
        }
    }

    fn write_comment(&mut self, editor: &dyn TextEditor, item: &ItemRef) -> Result<(), Error> {
        let name = self.project.show(item)?.name();
        match editor.edit_text(&self.project, "", &format!("A comment on {name}, in Markdown."))? {
            Some(text) => self.comment(item, &text),
            None => self.left_empty("comment"),
        }
        Ok(())
    }

    fn edit_comment(&mut self, editor: &dyn TextEditor, item: &ItemRef, comment: &str) -> Result<(), Error> {
        let shown = self.project.show(item)?;
        let found = shown.comments.iter().flatten().find(|one| one.id == comment);
        let before = found.map(|one| one.body.clone()).unwrap_or_default();
        let about = format!("A comment on {}, in Markdown.", shown.name());
        match editor.edit_text(&self.project, &before, &about)? {
            Some(text) if text == before => self.note = Some(Note::Done("nothing changed".to_owned())),
            Some(text) => self.write("edited a comment on", |state| {
                Ok(vec![state.project.edit_comment(item, comment, &text, Some(&shown.revision))?])
            }),
            None => self.left_empty("comment"),
        }
        Ok(())
    }

    fn write_reply(&mut self, editor: &dyn TextEditor, message: &str) -> Result<(), Error> {
        match editor.edit_text(&self.project, "", "A reply, in Markdown.")? {
            Some(text) => self.reply(message, &text),
            None => self.left_empty("reply"),
        }
        Ok(())
    }

    fn left_empty(&mut self, what: &str) {
        self.note = Some(Note::Failed(format!("the {what} was left empty; nothing was changed")));
    }
}
