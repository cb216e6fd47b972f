//! Popups over a panel: a menu, a line to type, a question, the help.

use model::field::Field;
use model::item::ItemKind;
use model::item_ref::ItemRef;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::link::{LinkChoice, LinkType};

/// Something in front of the panels; it gets all keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Popup {
    Help { scroll: u16 },
    Menu(Menu),
    Prompt(Prompt),
    Confirm { question: String, deletes: Vec<ItemRef> },
}

/// A list to choose from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Menu {
    pub(crate) title: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) row: usize,
    pub(crate) purpose: MenuPurpose,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) value: String,
    pub(crate) is_current: bool,
}

/// The purpose of the menu.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MenuPurpose {
    /// The value of a field of items.
    Field(Vec<ItemRef>, &'static Field),
    /// A label to add or remove.
    Label(Vec<ItemRef>),
    /// The kind of a new item.
    NewKind,
    /// The field to set.
    WhichField(Vec<ItemRef>),
    /// A link to add or remove; a choice for each entry.
    Link(ItemRef, Vec<LinkChoice>),
    /// The other end of a link.
    LinkTo(ItemRef, LinkType),
    /// The comment to edit.
    Comment(ItemRef),
    /// A filter.
    View,
}

/// A line to type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    pub(crate) title: String,
    pub(crate) text: String,
    /// Position of the cursor, in bytes.
    pub(crate) cursor: usize,
    pub(crate) purpose: PromptPurpose,
}

/// The purpose of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PromptPurpose {
    Field(Vec<ItemRef>, &'static Field),
    Comment(ItemRef),
    NewTitle(ItemKind),
    NewLabel(Vec<ItemRef>),
    LinkTo(ItemRef, LinkType),
    /// The path of a file.
    Attach(ItemRef),
    Filter,
    /// A reply to a review message.
    Reply(String),
}

impl Menu {
    /// Creates a menu with the current entry selected.
    pub(crate) fn new(title: impl Into<String>, entries: Vec<Entry>, purpose: MenuPurpose) -> Self {
        let row = entries.iter().position(|entry| entry.is_current).unwrap_or(0);
        Self { title: title.into(), entries, row, purpose }
    }

    /// Moves the selection; it wraps around, as menus of lazygit do.
    pub(crate) fn step(&mut self, code: KeyCode) {
        let n = self.entries.len().max(1);
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.row = (self.row + n - 1) % n,
            KeyCode::Down | KeyCode::Char('j') => self.row = (self.row + 1) % n,
            KeyCode::Home | KeyCode::Char('<') => self.row = 0,
            KeyCode::End | KeyCode::Char('>') => self.row = n - 1,
            _ => {}
        }
    }
}

impl Entry {
    /// Creates an entry whose label is its value.
    pub(crate) fn of(value: &str, current: &str) -> Self {
        Self { label: value.to_owned(), value: value.to_owned(), is_current: value == current }
    }
}

impl Prompt {
    /// Creates a prompt with a text to edit.
    pub(crate) fn new(title: impl Into<String>, text: &str, purpose: PromptPurpose) -> Self {
        Self { title: title.into(), text: text.to_owned(), cursor: text.len(), purpose }
    }

    /// Applies a key of text editing.
    pub(crate) fn edit(&mut self, event: KeyEvent) {
        let with_control = event.modifiers.contains(KeyModifiers::CONTROL);
        match event.code {
            KeyCode::Char('a') if with_control => self.cursor = 0,
            KeyCode::Char('e') if with_control => self.cursor = self.text.len(),
            KeyCode::Char('u') if with_control => {
                self.text.replace_range(..self.cursor, "");
                self.cursor = 0;
            }
            KeyCode::Char('w') if with_control => self.erase_word(),
            KeyCode::Char(c) if !with_control && !c.is_control() => {
                self.text.insert(self.cursor, c);
                self.cursor += c.len_utf8();
            }
            KeyCode::Backspace => {
                if let Some(c) = self.text[..self.cursor].chars().next_back() {
                    self.cursor -= c.len_utf8();
                    self.text.remove(self.cursor);
                }
            }
            KeyCode::Delete if self.cursor < self.text.len() => {
                self.text.remove(self.cursor);
            }
            KeyCode::Left => {
                self.cursor -= self.text[..self.cursor].chars().next_back().map_or(0, char::len_utf8);
            }
            KeyCode::Right => self.cursor += self.text[self.cursor..].chars().next().map_or(0, char::len_utf8),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => {}
        }
    }

    /// Inserts a pasted text; line ends become spaces.
    pub(crate) fn paste(&mut self, text: &str) {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.text.insert_str(self.cursor, &line);
        self.cursor += line.len();
    }

    fn erase_word(&mut self) {
        let before = self.text[..self.cursor].trim_end();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[KeyCode]) -> Prompt {
        let mut prompt = Prompt::new("", "añb 登", PromptPurpose::Filter);
        for code in keys {
            prompt.edit(KeyEvent::from(*code));
        }
        prompt
    }

    #[test]
    fn letters_of_any_width_are_edited_whole() {
        assert_eq!(typed(&[KeyCode::Backspace]).text, "añb ");
        assert_eq!(typed(&[KeyCode::Home, KeyCode::Right, KeyCode::Delete]).text, "ab 登");
        assert_eq!(typed(&[KeyCode::Left, KeyCode::Char('é')]).text, "añb é登");
        assert_eq!(typed(&[KeyCode::Home, KeyCode::Backspace, KeyCode::Left]).cursor, 0);
    }

    #[test]
    fn control_keys_erase_words_and_lines() {
        let mut prompt = typed(&[]);
        prompt.edit(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(prompt.text, "añb ");
        prompt.edit(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        assert_eq!((prompt.text.as_str(), prompt.cursor), ("", 0));
        prompt.paste("two\nlines");
        assert_eq!(prompt.text, "two lines");
    }
}
