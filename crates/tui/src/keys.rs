//! The key bindings: command, panels and help text, declared once.

use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::state::Panel;

/// A command of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Quit,
    Help,
    NextPanel,
    PreviousPanel,
    Show(Panel),
    Up,
    Down,
    Left,
    Right,
    Top,
    Bottom,
    PageUp,
    PageDown,
    Open,
    Back,
    Filter,
    View,
    Mark,
    ToggleClosed,
    Advance,
    MoveLeft,
    MoveRight,
    RankUp,
    RankDown,
    RankTop,
    RankBottom,
    Status,
    Assign,
    Labels,
    Priority,
    Milestone,
    Title,
    Edit,
    Field,
    Link,
    Comment,
    CommentInEditor,
    EditComment,
    Attach,
    New,
    ToggleClose,
    Delete,
    Undo,
    Refresh,
    Reply,
    ReplyInEditor,
    Resolve,
}

/// Where a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Everywhere,
    /// On an item: board, list, item.
    Items,
    Board,
    Inbox,
}

impl Scope {
    fn has(self, panel: Panel) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Items => matches!(panel, Panel::Board | Panel::List | Panel::Item),
            Self::Board => panel == Panel::Board,
            Self::Inbox => panel == Panel::Inbox,
        }
    }
}

/// A row of the table.
pub(crate) struct Binding {
    pub(crate) keys: &'static [KeyCode],
    pub(crate) scope: Scope,
    pub(crate) action: Action,
    /// The keys in words, and their description.
    pub(crate) shown: &'static str,
    pub(crate) about: &'static str,
}

const fn key(
    keys: &'static [KeyCode],
    scope: Scope,
    action: Action,
    shown: &'static str,
    about: &'static str,
) -> Binding {
    Binding { keys, scope, action, shown, about }
}

/// All keys. The first row that fits a key wins, so that a panel can have its own meaning of a letter.
pub(crate) const BINDINGS: &[Binding] = &[
    key(&[KeyCode::Char('r')], Scope::Inbox, Action::Reply, "r", "reply to the message"),
    key(&[KeyCode::Char('C')], Scope::Inbox, Action::ReplyInEditor, "C", "reply in the editor"),
    key(&[KeyCode::Char('x')], Scope::Inbox, Action::Resolve, "x", "resolve the message"),
    key(&[KeyCode::Char('1')], Scope::Everywhere, Action::Show(Panel::Board), "1-5", "show a panel"),
    key(&[KeyCode::Char('2')], Scope::Everywhere, Action::Show(Panel::List), "", ""),
    key(&[KeyCode::Char('3')], Scope::Everywhere, Action::Show(Panel::Item), "", ""),
    key(&[KeyCode::Char('4')], Scope::Everywhere, Action::Show(Panel::Inbox), "", ""),
    key(&[KeyCode::Char('5')], Scope::Everywhere, Action::Show(Panel::Annotations), "", ""),
    key(&[KeyCode::Tab], Scope::Everywhere, Action::NextPanel, "tab", "next panel"),
    key(&[KeyCode::BackTab], Scope::Everywhere, Action::PreviousPanel, "shift-tab", "previous panel"),
    key(&[KeyCode::Up, KeyCode::Char('k')], Scope::Everywhere, Action::Up, "↑ k", "up"),
    key(&[KeyCode::Down, KeyCode::Char('j')], Scope::Everywhere, Action::Down, "↓ j", "down"),
    key(&[KeyCode::Left, KeyCode::Char('h')], Scope::Everywhere, Action::Left, "← h", "column to the left"),
    key(&[KeyCode::Right, KeyCode::Char('l')], Scope::Everywhere, Action::Right, "→ l", "column to the right"),
    key(&[KeyCode::PageUp, KeyCode::Char(',')], Scope::Everywhere, Action::PageUp, "page up ,", "one screen up"),
    key(
        &[KeyCode::PageDown, KeyCode::Char('.')],
        Scope::Everywhere,
        Action::PageDown,
        "page down .",
        "one screen down",
    ),
    key(&[KeyCode::Home, KeyCode::Char('<')], Scope::Everywhere, Action::Top, "home <", "to the top"),
    key(&[KeyCode::End, KeyCode::Char('>')], Scope::Everywhere, Action::Bottom, "end >", "to the bottom"),
    key(&[KeyCode::Enter], Scope::Everywhere, Action::Open, "enter", "open"),
    key(&[KeyCode::Esc], Scope::Everywhere, Action::Back, "esc", "back; clears marks, then the filter"),
    key(&[KeyCode::Char('/')], Scope::Everywhere, Action::Filter, "/", "filter, with words or the filter language"),
    key(&[KeyCode::Char('w')], Scope::Everywhere, Action::View, "w", "show a board or a saved view"),
    key(&[KeyCode::Char('v')], Scope::Items, Action::Mark, "v", "mark: changes apply to all marked items"),
    key(&[KeyCode::Char('A')], Scope::Items, Action::ToggleClosed, "A", "show or hide closed items in the list"),
    key(&[KeyCode::Char(' ')], Scope::Items, Action::Advance, "space", "set the next status"),
    key(&[KeyCode::Char('L')], Scope::Items, Action::MoveRight, "L", "move to the next column"),
    key(&[KeyCode::Char('H')], Scope::Items, Action::MoveLeft, "H", "move to the previous column"),
    key(&[KeyCode::Char('K')], Scope::Board, Action::RankUp, "K", "move up in its column"),
    key(&[KeyCode::Char('J')], Scope::Board, Action::RankDown, "J", "move down in its column"),
    key(&[KeyCode::Char('T')], Scope::Items, Action::RankTop, "T", "move to the top of the order"),
    key(&[KeyCode::Char('B')], Scope::Items, Action::RankBottom, "B", "move to the bottom of the order"),
    key(&[KeyCode::Char('s')], Scope::Items, Action::Status, "s", "set the status"),
    key(&[KeyCode::Char('a')], Scope::Items, Action::Assign, "a", "assign"),
    key(&[KeyCode::Char('t')], Scope::Items, Action::Labels, "t", "add or remove labels"),
    key(&[KeyCode::Char('p')], Scope::Items, Action::Priority, "p", "set the priority"),
    key(&[KeyCode::Char('m')], Scope::Items, Action::Milestone, "m", "set the milestone"),
    key(&[KeyCode::Char('e')], Scope::Items, Action::Title, "e", "edit the title"),
    key(&[KeyCode::Char('E')], Scope::Items, Action::Edit, "E", "edit title and description in the editor"),
    key(&[KeyCode::Char('f')], Scope::Items, Action::Field, "f", "set another field: parent, due date, …"),
    key(&[KeyCode::Char('b')], Scope::Items, Action::Link, "b", "add or remove links: blocked by, related, code, …"),
    key(&[KeyCode::Char('c')], Scope::Items, Action::Comment, "c", "comment"),
    key(&[KeyCode::Char('C')], Scope::Items, Action::CommentInEditor, "C", "comment in the editor"),
    key(&[KeyCode::Char('M')], Scope::Items, Action::EditComment, "M", "edit a comment in the editor"),
    key(&[KeyCode::Char('u')], Scope::Items, Action::Attach, "u", "attach a file"),
    key(&[KeyCode::Char('n')], Scope::Everywhere, Action::New, "n", "create an item"),
    key(&[KeyCode::Char('x')], Scope::Items, Action::ToggleClose, "x", "close or reopen"),
    key(&[KeyCode::Char('d')], Scope::Items, Action::Delete, "d", "delete"),
    key(&[KeyCode::Char('z')], Scope::Everywhere, Action::Undo, "z", "undo your last change"),
    key(&[KeyCode::Char('R')], Scope::Everywhere, Action::Refresh, "R", "read everything again"),
    key(&[KeyCode::Char('?')], Scope::Everywhere, Action::Help, "?", "this help"),
    key(&[KeyCode::Char('q')], Scope::Everywhere, Action::Quit, "q", "quit"),
];

/// Returns the command of a key on a panel.
pub(crate) fn action(panel: Panel, event: KeyEvent) -> Option<Action> {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return (event.code == KeyCode::Char('c')).then_some(Action::Quit);
    }
    let fits = |binding: &&Binding| binding.scope.has(panel) && binding.keys.contains(&event.code);
    BINDINGS.iter().find(fits).map(|binding| binding.action)
}
