//! An interface on a project with a few items, and a screen in memory.

use std::sync::Arc;

use app::{Env, Error, NewItem, Project};
use inbox::{Inbox, Remark};
use model::field::{Field, FieldChange};
use model::item::ItemKind;
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Cell;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::crossterm::event::{Event, KeyCode, KeyEvent};
use testkit::TestRepository;
use tui::{Interface, TextEditor, draw};
use unicode_width::UnicodeWidthStr;

pub(crate) struct Screen {
    pub(crate) repository: TestRepository,
    pub(crate) state: Interface,
    terminal: Terminal<TestBackend>,
}

impl Screen {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        let repository = TestRepository::new();
        fill(&repository);
        let inbox = Inbox::open(repository.path(), Env::default()).unwrap();
        let state = Interface::new(open(&repository), inbox).unwrap();
        let terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        Self { repository, state, terminal }
    }

    /// Presses keys: letters, and names between angle brackets.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        let mut rest = keys;
        while let Some(c) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            rest = named.map_or(&rest[c.len_utf8()..], |(_, after)| after);
            let code = match named.map(|(name, _)| name) {
                None => KeyCode::Char(c),
                Some("enter") => KeyCode::Enter,
                Some("esc") => KeyCode::Esc,
                Some("tab") => KeyCode::Tab,
                Some("down") => KeyCode::Down,
                Some(other) => panic!("{other}"),
            };
            self.state.handle(&Event::Key(KeyEvent::from(code)));
        }
        self
    }

    /// Draws the screen and returns it, without spaces at the ends of lines.
    pub(crate) fn shown(&mut self) -> String {
        self.terminal.draw(|frame| draw(frame, &mut self.state)).unwrap();
        let buffer = self.terminal.backend().buffer();
        let width = usize::from(buffer.area.width);
        buffer.content.chunks(width).map(|row| text_of(row) + "\n").collect()
    }

    /// Opens the editor that a key asked for; it writes this text.
    pub(crate) fn write_in_editor(&mut self, text: &str) -> &mut Self {
        self.write_in_editor_while(text, |_| {})
    }

    /// The same, while someone else changes the project.
    pub(crate) fn write_in_editor_while(&mut self, text: &str, change: impl Fn(&mut Project)) -> &mut Self {
        assert!(self.state.wants_editor(), "no key asked for the editor");
        let repository = &self.repository;
        self.state.run_editor(&FixedEditor { text, meanwhile: &|| change(&mut open(repository)) });
        assert!(!self.state.wants_editor());
        self
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.backend_mut().resize(columns, rows);
    }

    /// Opens the same project a second time, as another process would.
    pub(crate) fn other(&self) -> Project {
        open(&self.repository)
    }
}

/// An editor that replaces every text by another one. `§` stands for the text before.
struct FixedEditor<'a> {
    text: &'a str,
    meanwhile: &'a dyn Fn(),
}

impl TextEditor for FixedEditor<'_> {
    fn edit_item(&self, project: &Project, title: &str, description: &str) -> Result<Option<(String, String)>, Error> {
        let text = self.edit_text(project, &format!("{title}\n\n{description}"), "")?;
        Ok(text.and_then(|text| text.split_once("\n\n").map(|(title, rest)| (title.to_owned(), rest.to_owned()))))
    }

    fn edit_text(&self, _: &Project, text: &str, _: &str) -> Result<Option<String>, Error> {
        (self.meanwhile)();
        let text = self.text.replace('§', text);
        Ok((!text.trim().is_empty()).then_some(text))
    }
}

/// Returns the text of a row. A wide letter takes two cells, of which the second is empty.
fn text_of(row: &[Cell]) -> String {
    let mut text = String::new();
    let mut cells = row.iter();
    while let Some(cell) = cells.next() {
        text.push_str(cell.symbol());
        for _ in 1..cell.symbol().width() {
            cells.next();
        }
    }
    text.trim_end().to_owned()
}

fn open(repository: &TestRepository) -> Project {
    Project::open(repository.path(), Env::default(), Arc::new(|_| {})).unwrap()
}

fn fill(repository: &TestRepository) {
    std::fs::write(repository.path().join("main.rs"), "fn main() {}\n").unwrap();
    let mut project = open(repository);
    let items = [
        ("Login fails on Safari when cookies are blocked", "urgent", "ready"),
        ("登録できない: 日本語のタイトル", "none", "ready"),
        ("Crash after login", "high", "backlog"),
    ];
    for (title, priority, status) in items {
        let set = |name, text| FieldChange::parse(Field::try_find(name).unwrap(), text).unwrap();
        let fields = vec![set("priority", priority), set("status", status)];
        project.create(&NewItem { fields, ..NewItem::new(ItemKind::Issue, title) }).unwrap();
    }
    let inbox = Inbox::open(repository.path(), Env::default()).unwrap();
    let comment = "Handle the error here.".to_owned();
    inbox.send(&Remark { file: "main.rs".to_owned(), comment, ..Remark::default() }).unwrap();
}
