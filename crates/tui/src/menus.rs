//! The entries of the menus.

use app::Error;
use app::verb::ListOptions;
use app::view::ItemView;
use model::field::{self, FIELDS, Field, FieldType};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::person::Person;
use model::priority::PriorityLevel;
use model::size::Size;

use crate::change::text_of;
use crate::popup::{Entry, Menu, MenuPurpose, Popup};
use crate::state::{Interface, Note};

/// The menu entry for typing another value.
pub(crate) const OTHER: &str = "";

/// Maximum number of milestones, boards or parents that are offered.
const MAX_ITEMS: usize = 200;

impl Interface {
    /// Offers the values of a field, or asks for one that cannot be listed.
    pub(crate) fn pick_field(&mut self, item: &ItemView, targets: Vec<ItemRef>, field: &'static Field) {
        let entries = match self.entries_of(item, field) {
            Ok(Some(entries)) => entries,
            Ok(None) => return self.ask_field(item, targets, field),
            Err(error) => {
                self.fail(&error);
                return;
            }
        };
        let title = format!("{}{}", field.name[..1].to_uppercase(), &field.name[1..]);
        self.popup = Some(Popup::Menu(Menu::new(title, entries, MenuPurpose::Field(targets, field))));
    }

    /// Returns the values of a field; `None` if any text is one.
    fn entries_of(&self, item: &ItemView, field: &'static Field) -> Result<Option<Vec<Entry>>, Error> {
        let current = text_of(item, field);
        let words = |values: &mut dyn Iterator<Item = &str>| values.map(|value| Entry::of(value, &current)).collect();
        Ok(Some(match field.takes {
            FieldType::Status => self.statuses_of(item)?,
            FieldType::Person => self.people(&current)?,
            FieldType::Priority => priorities(item),
            FieldType::Size => {
                let mut sizes: Vec<Entry> = words(&mut Size::ALL.iter().map(|size| size.name()));
                sizes.push(none("no size", &current));
                sizes
            }
            FieldType::Flag => words(&mut ["yes", "no"].into_iter()),
            FieldType::Reference(kind) => self.items_of(kind.unwrap_or(ItemKind::Epic), &current, item)?,
            FieldType::Title | FieldType::Line | FieldType::Body | FieldType::Date | FieldType::Color => {
                return Ok(None);
            }
        }))
    }

    fn statuses_of(&self, item: &ItemView) -> Result<Vec<Entry>, Error> {
        let workflow = self.project.workflows(Some(item.kind))?.into_iter().next();
        let statuses = workflow.map(|workflow| workflow.statuses).unwrap_or_default();
        Ok(statuses.iter().map(|status| Entry::of(&status.name, &item.status)).collect())
    }

    fn people(&self, assignee: &str) -> Result<Vec<Entry>, Error> {
        let entry = |name: &str, email: &str| {
            let person = Person::new(name, email).to_string();
            Entry { label: name.to_owned(), is_current: person == assignee, value: person }
        };
        let members = self.project.members()?;
        let people = members.iter().map(|member| entry(&member.name, &member.email));
        Ok(std::iter::once(none("nobody", assignee)).chain(people).collect())
    }

    /// Returns the open items of a kind, and the current value even if it is closed.
    fn items_of(&self, kind: ItemKind, current: &str, item: &ItemView) -> Result<Vec<Entry>, Error> {
        let mut options = ListOptions { kinds: vec![kind], limit: Some(MAX_ITEMS), ..ListOptions::default() };
        options.sort = vec!["number:asc".to_owned()];
        let mut items = self.project.list(&options)?.items;
        if !current.is_empty() && !items.iter().any(|one| one.id == current) {
            items.extend(self.project.show(&ItemRef::parse(current)).ok());
        }
        let entry = |one: ItemView| Entry {
            label: format!("{} {}", one.name(), one.title),
            is_current: one.id == current,
            value: one.id,
        };
        let nothing = std::iter::once(none("none", current));
        Ok(nothing.chain(items.into_iter().filter(|one| one.id != item.id).map(entry)).collect())
    }

    /// Offers the labels of the project; labels of the item are ticked.
    pub(crate) fn label_menu(&mut self, item: &ItemView, targets: Vec<ItemRef>) {
        let labels = self.project.labels();
        let Some(labels) = self.or_note(labels) else { return };
        let entry = |name: String| {
            let tick = if item.labels.contains(&name) { "[x]" } else { "[ ]" };
            Entry { label: format!("{tick} {name}"), value: name, is_current: false }
        };
        let mut entries: Vec<Entry> = labels.into_iter().map(|label| entry(label.name)).collect();
        entries.push(Entry { label: "new label…".to_owned(), value: OTHER.to_owned(), is_current: false });
        self.popup = Some(Popup::Menu(Menu::new("Labels", entries, MenuPurpose::Label(targets))));
    }

    /// Offers the comments of an item, to edit one.
    pub(crate) fn comment_menu(&mut self, item: &ItemView) {
        let reference = ItemRef::parse(&item.id);
        let shown = self.project.show(&reference);
        let comments = self.or_note(shown).and_then(|item| item.comments).unwrap_or_default();
        if comments.is_empty() {
            self.note = Some(Note::Failed(format!("{} has no comments", item.name())));
            return;
        }
        let entries = comments.iter().map(|comment| Entry {
            label: format!("{}: {}", Person::parse(&comment.author).short(), comment.body.lines().next().unwrap_or("")),
            value: comment.id.clone(),
            is_current: false,
        });
        let menu = Menu::new("Edit a comment", entries.collect(), MenuPurpose::Comment(reference));
        self.popup = Some(Popup::Menu(menu));
    }

    /// Offers the boards and the saved views, as filters.
    pub(crate) fn view_menu(&mut self) {
        let Some(entries) = self.views().map_or_else(|error| self.or_note(Err(error)), Some) else { return };
        self.popup = Some(Popup::Menu(Menu::new("Show", entries, MenuPurpose::View)));
    }

    fn views(&self) -> Result<Vec<Entry>, Error> {
        let entry = |label: String, filter: String| Entry { label, is_current: filter == self.filter, value: filter };
        let mut entries = vec![entry("all work".to_owned(), String::new())];
        let options = ListOptions { kinds: vec![ItemKind::Board], limit: Some(MAX_ITEMS), ..ListOptions::default() };
        for board in self.project.list(&options)?.items {
            entries.push(entry(format!("board {}", board.title), format!("board == {}", quoted(&board.title))));
        }
        for view in self.project.saved_views()? {
            entries.push(entry(format!("view {}", view.name), self.project.view_filter(&view.query())?));
        }
        Ok(entries)
    }
}

/// Offers the kinds of a new item.
pub(crate) fn kind_menu() -> Menu {
    let entries = ItemKind::ALL.map(|kind| Entry::of(kind.name(), "")).to_vec();
    Menu::new("New", entries, MenuPurpose::NewKind)
}

/// Offers the fields that can be set.
pub(crate) fn field_menu(targets: Vec<ItemRef>) -> Menu {
    let entry = |field: &Field| Entry {
        label: format!("{:<12} {}", field.name, field.about),
        value: field.name.to_owned(),
        is_current: false,
    };
    // The description is edited in the editor.
    let entries = FIELDS.iter().filter(|field| field.name != field::DESCRIPTION.name).map(entry).collect();
    Menu::new("Field", entries, MenuPurpose::WhichField(targets))
}

fn priorities(item: &ItemView) -> Vec<Entry> {
    let current = PriorityLevel::of(item.priority).word();
    PriorityLevel::ALL.iter().rev().map(|level| Entry::of(level.word(), current)).collect()
}

fn none(label: &str, current: &str) -> Entry {
    Entry { label: label.to_owned(), value: String::new(), is_current: current.is_empty() }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
