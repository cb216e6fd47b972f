//! One key changes the state.

use app::verb::MoveTo;
use app::view::ItemView;
use model::field::{self, FIELDS, Field};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::priority::PriorityLevel;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind};

use crate::change::text_of;
use crate::keys::{self, Action};
use crate::popup::{Entry, Menu, MenuPurpose, Popup, Prompt, PromptPurpose};
use crate::state::{Interface, Note, Panel};

/// A value of menus that stands for typing another one.
const OTHER: &str = "";

impl Interface {
    /// Applies an event; returns whether the screen may have changed.
    pub fn handle(&mut self, event: &Event) -> bool {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.key(*key);
                true
            }
            Event::Paste(text) => {
                if let Some(Popup::Prompt(prompt)) = &mut self.popup {
                    prompt.paste(text);
                }
                true
            }
            Event::Resize(..) => true,
            _ => false,
        }
    }

    fn key(&mut self, key: KeyEvent) {
        self.note = None;
        if let Some(popup) = self.popup.take() {
            self.popup_key(popup, key);
        } else if let Some(action) = keys::action(self.panel, key) {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Quit => self.quits = true,
            Action::Help => self.popup = Some(Popup::Help { scroll: 0 }),
            Action::NextPanel => self.show(self.panel.step(1)),
            Action::PreviousPanel => self.show(self.panel.step(Panel::ALL.len() - 1)),
            Action::Show(panel) => self.show(panel),
            Action::Up | Action::Down | Action::Top | Action::Bottom | Action::PageUp | Action::PageDown => {
                self.move_selection(action);
            }
            Action::Left => self.column = self.column.saturating_sub(1),
            Action::Right => {
                self.column += 1;
                self.clamp();
            }
            Action::Open => self.open_selected(),
            Action::Back => self.back(),
            Action::Filter => self.ask("Filter", &self.filter.clone(), PromptPurpose::Filter),
            Action::ToggleClosed => {
                self.shows_closed = !self.shows_closed;
                self.reload_or_note();
            }
            Action::New => self.popup = Some(Popup::Menu(kind_menu())),
            Action::Undo => self.undo(),
            Action::Refresh => {
                self.annotations = None;
                self.show(self.panel);
                self.reload_or_note();
            }
            Action::Reply | Action::Resolve => self.answer(action),
            of_item => {
                if let Some(item) = self.selected().cloned() {
                    self.act_on(of_item, &item);
                }
            }
        }
    }

    fn act_on(&mut self, action: Action, item: &ItemView) {
        let reference = ItemRef::parse(&item.id);
        match action {
            Action::Advance | Action::MoveRight => self.move_by(item, 1),
            Action::MoveLeft => self.move_by(item, -1),
            Action::RankUp | Action::RankDown => self.rank_by(action),
            Action::Status => self.popup = self.status_menu(item).map(Popup::Menu),
            Action::Assign => self.popup = self.assign_menu(item).map(Popup::Menu),
            Action::Labels => self.popup = self.label_menu(item).map(Popup::Menu),
            Action::Priority => self.popup = Some(Popup::Menu(priority_menu(item))),
            Action::Title => self.ask_field(item, &field::TITLE),
            Action::Field => self.popup = Some(Popup::Menu(field_menu(item))),
            Action::Comment => {
                self.ask(format!("Comment on {}", item.name()), "", PromptPurpose::Comment(reference));
            }
            Action::ToggleClose => self.toggle_close(&reference),
            Action::Delete => {
                let question = format!("Delete {} {}?", item.name(), item.title);
                self.popup = Some(Popup::Confirm { question, deletes: reference });
            }
            _ => {}
        }
    }

    fn move_selection(&mut self, action: Action) {
        let page = self.page.max(1);
        let (place, n) = match self.panel {
            Panel::Board => {
                let n = self.columns.get(self.column).map_or(0, |column| column.items.len());
                let Some(card) = self.cards.get_mut(self.column) else { return };
                (card, n)
            }
            Panel::List => (&mut self.row, self.list.len()),
            Panel::Item => (&mut self.scroll, usize::MAX),
            Panel::Inbox => (&mut self.message, self.messages.len()),
            Panel::Annotations => (&mut self.annotation, self.annotations.as_ref().map_or(0, Vec::len)),
        };
        *place = match action {
            Action::Up => place.saturating_sub(1),
            Action::Down => place.saturating_add(1),
            Action::PageUp => place.saturating_sub(page),
            Action::PageDown => place.saturating_add(page),
            Action::Top => 0,
            _ => n,
        }
        .min(n.saturating_sub(1));
    }

    fn back(&mut self) {
        if self.panel == Panel::Item {
            self.panel = self.came_from;
        } else if !self.filter.is_empty() {
            self.filter.clear();
            self.reload_or_note();
        }
    }

    /// Moves an item to the status this many columns further.
    fn move_by(&mut self, item: &ItemView, n: isize) {
        let Some(place) = self.columns.iter().position(|column| column.status == item.status) else { return };
        let target = place.checked_add_signed(n).and_then(|place| self.columns.get(place));
        match target.map(|column| column.status.clone()) {
            Some(status) => {
                self.set_status(&ItemRef::parse(&item.id), &status);
                self.select_card(&item.id);
            }
            None => self.note = Some(Note::Failed("there is no further column".to_owned())),
        }
    }

    /// Exchanges the selected card with its neighbor.
    fn rank_by(&mut self, action: Action) {
        let Some(column) = self.columns.get(self.column) else { return };
        let card = self.cards[self.column];
        let neighbor = if action == Action::RankUp { card.checked_sub(1) } else { Some(card + 1) };
        let (Some(item), Some(other)) = (column.items.get(card), neighbor.and_then(|place| column.items.get(place)))
        else {
            return;
        };
        let (item, other) = (ItemRef::parse(&item.id), ItemRef::parse(&other.id));
        let (to, back) = match action {
            Action::RankUp => (MoveTo::Before(other.clone()), MoveTo::After(other)),
            _ => (MoveTo::After(other.clone()), MoveTo::Before(other)),
        };
        self.rank(&item, &to, back);
    }

    fn answer(&mut self, action: Action) {
        let Some(message) = self.messages.get(self.message).cloned() else { return };
        if action == Action::Reply {
            self.ask("Reply", "", PromptPurpose::Reply(message.id));
            return;
        }
        let resolved = self.inbox.check_sent(&message.id).and_then(|()| self.inbox.resolve(&message.id, "", None));
        self.note_result(resolved.map(|_| "resolved the message".to_owned()));
    }

    fn note_result(&mut self, result: Result<String, app::Error>) {
        match result {
            Ok(text) => {
                self.reload_or_note();
                self.note = Some(Note::Done(text));
            }
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    fn ask(&mut self, title: impl Into<String>, text: &str, purpose: PromptPurpose) {
        self.popup = Some(Popup::Prompt(Prompt::new(title, text, purpose)));
    }

    fn ask_field(&mut self, item: &ItemView, field: &'static Field) {
        let title = format!("{} of {}: {}", field.name, item.name(), field.about);
        self.ask(title, &text_of(item, field), PromptPurpose::Field(ItemRef::parse(&item.id), field));
    }

    fn popup_key(&mut self, popup: Popup, key: KeyEvent) {
        if key.code == KeyCode::Esc
            || keys::action(self.panel, key) == Some(Action::Quit) && is_closed_by_q(&popup, key)
        {
            return;
        }
        match popup {
            Popup::Help { scroll } => {
                let scroll = match key.code {
                    KeyCode::Up | KeyCode::Char('k') => scroll.saturating_sub(1),
                    KeyCode::Down | KeyCode::Char('j') => scroll.saturating_add(1),
                    KeyCode::Char('?') => return,
                    _ => scroll,
                };
                self.popup = Some(Popup::Help { scroll });
            }
            Popup::Confirm { question, deletes } => match key.code {
                KeyCode::Enter | KeyCode::Char('y') => self.delete(&deletes),
                KeyCode::Char('n') => {}
                _ => self.popup = Some(Popup::Confirm { question, deletes }),
            },
            Popup::Menu(mut menu) => match key.code {
                KeyCode::Enter | KeyCode::Char(' ') => self.choose(&menu),
                code => {
                    menu.step(code);
                    self.popup = Some(Popup::Menu(menu));
                }
            },
            Popup::Prompt(prompt) if key.code == KeyCode::Enter => self.typed(&prompt),
            Popup::Prompt(mut prompt) => {
                prompt.edit(key);
                self.popup = Some(Popup::Prompt(prompt));
            }
        }
    }

    fn choose(&mut self, menu: &Menu) {
        let Some(entry) = menu.entries.get(menu.row) else { return };
        match &menu.purpose {
            MenuPurpose::Field(item, field) => {
                self.set_field(item, field, &entry.value);
                self.follow_card(item);
            }
            MenuPurpose::Label(item) if entry.value == OTHER => {
                self.ask("New label", "", PromptPurpose::NewLabel(item.clone()));
            }
            MenuPurpose::Label(item) => self.toggle_label(item, &entry.value),
            MenuPurpose::NewKind => {
                if let Some(kind) = ItemKind::from_name(&entry.value) {
                    self.ask(format!("Title of the new {kind}"), "", PromptPurpose::NewTitle(kind));
                }
            }
            MenuPurpose::WhichField(item) => {
                let shown = self.project.show(item);
                if let (Ok(shown), Some(field)) = (shown, Field::try_find(&entry.value)) {
                    self.ask_field(&shown, field);
                }
            }
        }
    }

    fn follow_card(&mut self, item: &ItemRef) {
        if let Ok(row) = self.project.find(item) {
            self.select_card(&row.item.id.to_string());
        }
    }

    fn typed(&mut self, prompt: &Prompt) {
        let text = prompt.text.trim();
        match &prompt.purpose {
            PromptPurpose::Field(item, field) => self.set_field(item, field, text),
            PromptPurpose::Comment(item) => self.comment(item, text),
            PromptPurpose::NewTitle(kind) => self.create(*kind, text),
            PromptPurpose::NewLabel(item) => self.toggle_label(item, text),
            PromptPurpose::Filter => {
                let before = std::mem::replace(&mut self.filter, text.to_owned());
                // A mistake keeps the last valid result.
                if let Err(error) = self.reload() {
                    self.fail(&error);
                    self.filter = before;
                }
            }
            PromptPurpose::Reply(message) => {
                let sent = self.inbox.check_sent(message).and_then(|()| self.inbox.reply(message, text, None));
                self.note_result(sent.map(|_| "replied".to_owned()));
            }
        }
    }

    fn status_menu(&mut self, item: &ItemView) -> Option<Menu> {
        let workflows = self.project.workflows(Some(item.kind));
        let workflow = self.or_note(workflows)?.into_iter().next()?;
        let entries = workflow.statuses.iter().map(|status| Entry::of(&status.name, &item.status)).collect();
        Some(Menu::new("Status", entries, MenuPurpose::Field(ItemRef::parse(&item.id), &field::STATUS)))
    }

    fn assign_menu(&mut self, item: &ItemView) -> Option<Menu> {
        let members = self.project.members();
        let members = self.or_note(members)?;
        let assignee = item.assignee.clone().unwrap_or_default();
        let nobody = Entry { label: "nobody".to_owned(), value: String::new(), is_current: assignee.is_empty() };
        let entry = |name: &str, email: &str| {
            let person = model::person::Person::new(name, email).to_string();
            Entry { label: name.to_owned(), is_current: person == assignee, value: person }
        };
        let entries = std::iter::once(nobody).chain(members.iter().map(|member| entry(&member.name, &member.email)));
        Some(Menu::new("Assignee", entries.collect(), MenuPurpose::Field(ItemRef::parse(&item.id), &field::ASSIGN)))
    }

    fn label_menu(&mut self, item: &ItemView) -> Option<Menu> {
        let labels = self.project.index().labels().map_err(app::Error::from);
        let labels = self.or_note(labels)?;
        let mut entries: Vec<Entry> = labels
            .iter()
            .map(|label| {
                let is_set = item.labels.contains(label);
                let box_ = if is_set { "[x]" } else { "[ ]" };
                Entry { label: format!("{box_} {label}"), value: label.clone(), is_current: false }
            })
            .collect();
        entries.push(Entry { label: "new label…".to_owned(), value: OTHER.to_owned(), is_current: false });
        Some(Menu::new("Labels", entries, MenuPurpose::Label(ItemRef::parse(&item.id))))
    }

    fn or_note<T>(&mut self, result: Result<T, app::Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }
}

/// Returns whether `q` closes a popup: not where it is typed.
fn is_closed_by_q(popup: &Popup, key: KeyEvent) -> bool {
    !matches!(popup, Popup::Prompt(_)) || key.code != KeyCode::Char('q')
}

fn kind_menu() -> Menu {
    let entries = ItemKind::ALL.map(|kind| Entry::of(kind.name(), "")).to_vec();
    Menu::new("New", entries, MenuPurpose::NewKind)
}

fn priority_menu(item: &ItemView) -> Menu {
    let current = PriorityLevel::of(item.priority).word();
    let entries = PriorityLevel::ALL.iter().rev().map(|level| Entry::of(level.word(), current)).collect();
    Menu::new("Priority", entries, MenuPurpose::Field(ItemRef::parse(&item.id), &field::PRIORITY))
}

fn field_menu(item: &ItemView) -> Menu {
    let entry = |field: &Field| Entry {
        label: format!("{:<12} {}", field.name, field.about),
        value: field.name.to_owned(),
        is_current: false,
    };
    let entries = FIELDS.iter().filter(|field| field.name != "description").map(entry).collect();
    Menu::new("Field", entries, MenuPurpose::WhichField(ItemRef::parse(&item.id)))
}
