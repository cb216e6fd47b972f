//! One key changes the state.

use app::verb::MoveTo;
use app::view::ItemView;
use model::field::{self, Field};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use ratatui_crossterm::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind};

use crate::change::text_of;
use crate::editor::EditorRequest;
use crate::keys::{self, Action};
use crate::menus::{OTHER, field_menu, kind_menu};
use crate::popup::{Menu, MenuPurpose, Popup, Prompt, PromptPurpose};
use crate::state::{Interface, Note, Panel};

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
            Action::Left | Action::Right => {
                let column = if action == Action::Left { self.column.saturating_sub(1) } else { self.column + 1 };
                self.column = column;
                self.clamp();
            }
            Action::Open => self.open_selected(),
            Action::Back => self.back(),
            Action::Filter => self.ask("Filter", &self.filter.clone(), PromptPurpose::Filter),
            Action::View => self.view_menu(),
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
            Action::Reply | Action::ReplyInEditor | Action::Resolve => self.answer(action),
            of_item => {
                if let Some(item) = self.selected().cloned() {
                    self.act_on(of_item, &item);
                }
            }
        }
    }

    fn act_on(&mut self, action: Action, item: &ItemView) {
        let reference = ItemRef::parse(&item.id);
        let targets = self.targets(item);
        match action {
            Action::Mark => self.toggle_mark(&item.id),
            Action::Advance | Action::MoveRight => self.move_by(item, 1),
            Action::MoveLeft => self.move_by(item, -1),
            Action::RankUp | Action::RankDown => self.rank_by(action),
            Action::RankTop => self.rank(&reference, &MoveTo::Top),
            Action::RankBottom => self.rank(&reference, &MoveTo::Bottom),
            Action::Status => self.pick_field(item, targets, &field::STATUS),
            Action::Assign => self.pick_field(item, targets, &field::ASSIGN),
            Action::Priority => self.pick_field(item, targets, &field::PRIORITY),
            Action::Milestone => self.pick_field(item, targets, &field::MILESTONE),
            Action::Labels => self.label_menu(item, targets),
            Action::Title => self.ask_field(item, vec![reference], &field::TITLE),
            Action::Field => self.popup = Some(Popup::Menu(field_menu(targets))),
            Action::Link => self.link_menu(item),
            Action::Comment => {
                self.ask(format!("Comment on {}", item.name()), "", PromptPurpose::Comment(reference));
            }
            Action::Edit => self.editor_request = Some(EditorRequest::Item(reference)),
            Action::CommentInEditor => self.editor_request = Some(EditorRequest::Comment(reference)),
            Action::EditComment => self.comment_menu(item),
            Action::Attach => {
                self.ask(format!("Attach a file to {}", item.name()), "", PromptPurpose::Attach(reference));
            }
            Action::ToggleClose => self.toggle_close(&targets),
            Action::Delete => {
                let question = match targets.len() {
                    1 => format!("Delete {} {}?", item.name(), item.title),
                    n => format!("Delete {n} items?"),
                };
                self.popup = Some(Popup::Confirm { question, deletes: targets });
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
        } else if !self.marked.is_empty() {
            self.marked.clear();
        } else if !self.filter.is_empty() {
            self.filter.clear();
            self.reload_or_note();
        }
    }

    fn toggle_mark(&mut self, id: &str) {
        match self.marked.iter().position(|marked| marked == id) {
            Some(place) => {
                self.marked.remove(place);
            }
            None => self.marked.push(id.to_owned()),
        }
        self.move_selection(Action::Down);
    }

    /// Moves items to the status this many columns further than that of the selected one.
    fn move_by(&mut self, item: &ItemView, n: isize) {
        let Some(place) = self.columns.iter().position(|column| column.status == item.status) else { return };
        let target = place.checked_add_signed(n).and_then(|place| self.columns.get(place));
        match target.map(|column| column.status.clone()) {
            Some(status) => {
                self.set_field(&self.targets(item), &field::STATUS, &status);
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
        let to = if action == Action::RankUp { MoveTo::Before(other) } else { MoveTo::After(other) };
        self.rank(&item, &to);
    }

    fn answer(&mut self, action: Action) {
        let Some(message) = self.messages.get(self.message).cloned() else { return };
        match action {
            Action::Reply => self.ask("Reply", "", PromptPurpose::Reply(message.id)),
            Action::ReplyInEditor => self.editor_request = Some(EditorRequest::Reply(message.id)),
            _ => {
                let sent = self.inbox.check_sent(&message.id);
                let resolved = sent.and_then(|()| self.inbox.resolve(&message.id, "", None));
                self.note_result(resolved.map(|_| "resolved the message".to_owned()));
            }
        }
    }

    pub(crate) fn reply(&mut self, message: &str, text: &str) {
        let sent = self.inbox.check_sent(message).and_then(|()| self.inbox.reply(message, text, None));
        self.note_result(sent.map(|_| "replied".to_owned()));
    }

    pub(crate) fn ask(&mut self, title: impl Into<String>, text: &str, purpose: PromptPurpose) {
        self.popup = Some(Popup::Prompt(Prompt::new(title, text, purpose)));
    }

    pub(crate) fn ask_field(&mut self, item: &ItemView, targets: Vec<ItemRef>, field: &'static Field) {
        let title = format!("{} of {}: {}", field.name, item.name(), field.about);
        self.ask(title, &text_of(item, field), PromptPurpose::Field(targets, field));
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
            MenuPurpose::Field(items, field) => {
                self.set_field(items, field, &entry.value);
                self.follow_card(items);
            }
            MenuPurpose::Label(items) if entry.value == OTHER => {
                self.ask("New label", "", PromptPurpose::NewLabel(items.clone()));
            }
            MenuPurpose::Label(items) => self.toggle_label(items, &entry.value),
            MenuPurpose::NewKind => {
                if let Some(kind) = ItemKind::from_name(&entry.value) {
                    self.ask(format!("Title of the new {kind}"), "", PromptPurpose::NewTitle(kind));
                }
            }
            MenuPurpose::WhichField(items) => {
                let shown = items.first().map(|item| self.project.show(item));
                if let (Some(Ok(shown)), Some(field)) = (shown, Field::try_find(&entry.value)) {
                    self.pick_field(&shown, items.clone(), field);
                }
            }
            MenuPurpose::Link(item, choices) => {
                if let Some(choice) = choices.get(menu.row) {
                    self.choose_link(item, choice);
                }
            }
            MenuPurpose::LinkTo(item, link) => self.link(item, *link, &entry.value),
            MenuPurpose::Comment(item) => {
                self.editor_request = Some(EditorRequest::EditComment(item.clone(), entry.value.clone()));
            }
            MenuPurpose::View => self.set_filter(&entry.value),
        }
    }

    fn follow_card(&mut self, items: &[ItemRef]) {
        if let Some(Ok(row)) = items.first().map(|item| self.project.find(item)) {
            self.select_card(&row.item.id.to_string());
        }
    }

    fn typed(&mut self, prompt: &Prompt) {
        let text = prompt.text.trim();
        match &prompt.purpose {
            PromptPurpose::Field(items, field) => self.set_field(items, field, text),
            PromptPurpose::Comment(item) => self.comment(item, text),
            PromptPurpose::NewTitle(kind) => self.create(*kind, text),
            PromptPurpose::NewLabel(items) => self.toggle_label(items, text),
            PromptPurpose::LinkTo(item, link) => self.link_typed(item, *link, text),
            PromptPurpose::Attach(item) => self.attach(item, text),
            PromptPurpose::Filter => self.set_filter(text),
            PromptPurpose::Reply(message) => self.reply(message, text),
        }
    }

    fn set_filter(&mut self, filter: &str) {
        let before = std::mem::replace(&mut self.filter, filter.to_owned());
        // A mistake keeps the last valid result.
        if let Err(error) = self.reload() {
            self.fail(&error);
            self.filter = before;
        }
    }
}

/// Returns whether `q` closes a popup: not where it is typed.
fn is_closed_by_q(popup: &Popup, key: KeyEvent) -> bool {
    !matches!(popup, Popup::Prompt(_)) || key.code != KeyCode::Char('q')
}
