//! The state of the interface: the data of each panel, the selection, and the open popup.

use annotations::Annotated;
use annotations::AnnotationFilter;
use annotations::view::ListedView;
use app::verb::{ColumnsOptions, ListOptions};
use app::view::{ColumnView, ItemView};
use app::{Error, Project};
use inbox::view::MessageView;
use inbox::{Inbox, MessageFilter};
use model::item_ref::ItemRef;

use crate::editor::{EditorRequest, UnsavedText};
use crate::popup::Popup;

/// Maximum number of cards in a column and of rows in the list: more than anyone scrolls through, and reading stays fast.
const MAX_CARDS: usize = 200;
const MAX_ROWS: usize = 1000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Panel {
    Board,
    List,
    Item,
    Inbox,
    Annotations,
}

impl Panel {
    pub(crate) const ALL: [Self; 5] = [Self::Board, Self::List, Self::Item, Self::Inbox, Self::Annotations];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Board => "Board",
            Self::List => "List",
            Self::Item => "Item",
            Self::Inbox => "Inbox",
            Self::Annotations => "Annotations",
        }
    }

    /// Returns the panel this many places further, around the end.
    pub(crate) fn step(self, n: usize) -> Self {
        let place = Self::ALL.iter().position(|panel| *panel == self).unwrap_or(0);
        Self::ALL[(place + n) % Self::ALL.len()]
    }
}

/// A line at the bottom of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    Done(String),
    Failed(String),
}

/// The state of the interface.
pub struct Interface {
    pub(crate) project: Project,
    pub(crate) inbox: Inbox,
    pub(crate) panel: Panel,
    /// The panel to return to from an item.
    pub(crate) came_from: Panel,
    pub(crate) filter: String,
    pub(crate) shows_closed: bool,
    pub(crate) columns: Vec<ColumnView>,
    pub(crate) column: usize,
    /// The selected card of each column.
    pub(crate) cards: Vec<usize>,
    pub(crate) list: Vec<ItemView>,
    pub(crate) row: usize,
    pub(crate) item: Option<ItemView>,
    pub(crate) scroll: usize,
    pub(crate) messages: Vec<MessageView>,
    pub(crate) message: usize,
    /// Read when the panel is first shown: it may take as long as blame does.
    pub(crate) annotations: Option<Vec<ListedView>>,
    pub(crate) annotation: usize,
    pub(crate) popup: Option<Popup>,
    pub(crate) note: Option<Note>,
    /// Ids of the items that changes apply to; if there are none, they apply to the selected one.
    pub(crate) marked: Vec<String>,
    pub(crate) editor_request: Option<EditorRequest>,
    pub(crate) unsaved: Option<UnsavedText>,
    /// Height of the panel when it was last drawn, for keys that move by a screen.
    pub(crate) page: usize,
    pub(crate) quits: bool,
    /// Names of the state that is shown: of the items, and of the inbox.
    seen: (String, String),
}

impl Interface {
    /// Reads a project.
    pub fn new(project: Project, inbox: Inbox) -> Result<Self, Error> {
        let mut state = Self {
            project,
            inbox,
            panel: Panel::Board,
            came_from: Panel::Board,
            filter: String::new(),
            shows_closed: false,
            columns: Vec::new(),
            column: 0,
            cards: Vec::new(),
            list: Vec::new(),
            row: 0,
            item: None,
            scroll: 0,
            messages: Vec::new(),
            message: 0,
            annotations: None,
            annotation: 0,
            popup: None,
            note: None,
            marked: Vec::new(),
            editor_request: None,
            unsaved: None,
            page: 10,
            quits: false,
            seen: Default::default(),
        };
        state.reload()?;
        Ok(state)
    }

    /// Returns whether the interface is to be closed.
    pub fn quits(&self) -> bool {
        self.quits
    }

    /// Shows what others wrote since the last call; returns whether something changed.
    pub fn follow(&mut self) -> bool {
        let now = self.project.refresh().and_then(|()| self.names());
        match now {
            Ok(names) if names == self.seen => false,
            Ok(_) => {
                self.reload_or_note();
                true
            }
            Err(error) => self.fail(&error),
        }
    }

    fn names(&self) -> Result<(String, String), Error> {
        Ok((self.project.state_name()?, self.inbox.state_name()?))
    }

    /// Reads everything again. The selection stays on its items.
    pub(crate) fn reload(&mut self) -> Result<(), Error> {
        self.project.refresh()?;
        let names = self.names()?;
        let filter = Some(self.filter.clone()).filter(|filter| !filter.trim().is_empty());
        let columns = self.project.columns(&ColumnsOptions {
            filter: filter.clone(),
            limit: MAX_CARDS,
            ..ColumnsOptions::default()
        })?;
        let list = self.project.list(&ListOptions {
            filter,
            limit: Some(MAX_ROWS),
            all: self.shows_closed,
            ..ListOptions::default()
        })?;
        let selected = (self.card().map(|card| card.id.clone()), self.list.get(self.row).map(|item| item.id.clone()));
        self.columns = columns.columns;
        self.list = list.items;
        self.messages = self.inbox.list_with_drafts(MessageFilter::Unresolved)?.items;
        self.select(selected.0.as_deref(), selected.1.as_deref());
        if let Some(item) = &self.item {
            // An item that is gone, such as after a switch of clones, is no longer shown.
            self.item = self.project.show(&ItemRef::parse(&item.id)).ok();
        }
        self.seen = names;
        Ok(())
    }

    pub(crate) fn reload_or_note(&mut self) {
        if let Err(error) = self.reload() {
            self.fail(&error);
        }
    }

    fn select(&mut self, card: Option<&str>, row: Option<&str>) {
        self.cards.resize(self.columns.len(), 0);
        if let Some(id) = card {
            self.select_card(id);
        }
        if let Some(place) = row.and_then(|id| self.list.iter().position(|item| item.id == id)) {
            self.row = place;
        }
        self.clamp();
    }

    /// Selects a card, wherever it is now.
    pub(crate) fn select_card(&mut self, id: &str) {
        for (place, column) in self.columns.iter().enumerate() {
            if let Some(card) = column.items.iter().position(|item| item.id == id) {
                self.column = place;
                self.cards[place] = card;
            }
        }
    }

    /// Keeps every selection inside its list.
    pub(crate) fn clamp(&mut self) {
        let last = |n: usize| n.saturating_sub(1);
        self.column = self.column.min(last(self.columns.len()));
        for (card, column) in self.cards.iter_mut().zip(&self.columns) {
            *card = (*card).min(last(column.items.len()));
        }
        self.row = self.row.min(last(self.list.len()));
        self.message = self.message.min(last(self.messages.len()));
        self.annotation = self.annotation.min(last(self.annotations.as_ref().map_or(0, Vec::len)));
    }

    /// Returns the selected card.
    pub(crate) fn card(&self) -> Option<&ItemView> {
        self.columns.get(self.column)?.items.get(*self.cards.get(self.column)?)
    }

    /// Returns the item that keys work on.
    pub(crate) fn selected(&self) -> Option<&ItemView> {
        match self.panel {
            Panel::Board => self.card(),
            Panel::List => self.list.get(self.row),
            Panel::Item => self.item.as_ref(),
            Panel::Inbox | Panel::Annotations => None,
        }
    }

    /// Returns the items that a change applies to: all marked ones, or this one.
    pub(crate) fn targets(&self, item: &ItemView) -> Vec<ItemRef> {
        if self.marked.is_empty() {
            return vec![ItemRef::parse(&item.id)];
        }
        self.marked.iter().map(|id| ItemRef::parse(id)).collect()
    }

    /// Shows a panel; reads the annotations when they are first needed.
    pub(crate) fn show(&mut self, panel: Panel) {
        if panel == Panel::Item && self.panel != Panel::Item {
            self.open_selected();
        }
        if panel == Panel::Annotations && self.annotations.is_none() {
            self.read_annotations();
        }
        self.panel = panel;
    }

    pub(crate) fn open_selected(&mut self) {
        let Some(id) = self.selected().map(|item| ItemRef::parse(&item.id)) else { return };
        self.came_from = self.panel;
        self.scroll = 0;
        match self.project.show(&id) {
            Ok(item) => {
                self.item = Some(item);
                self.panel = Panel::Item;
            }
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    pub(crate) fn read_annotations(&mut self) {
        match self.project.annotations_mut().list(None, AnnotationFilter::All, None) {
            Ok(list) => self.annotations = Some(list.annotations),
            // A repository without a commit has none.
            Err(error) if error.kind == app::ErrorKind::NotFound => self.annotations = Some(Vec::new()),
            Err(error) => {
                self.fail(&error);
            }
        }
    }

    /// Shows an error instead of a value.
    pub(crate) fn or_note<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }

    /// Shows the result of a change, or the error.
    pub(crate) fn note_result(&mut self, result: Result<String, Error>) {
        if let Some(text) = self.or_note(result) {
            self.reload_or_note();
            self.note = Some(Note::Done(text));
        }
    }

    /// Shows an error; returns true, since the screen changes.
    pub(crate) fn fail(&mut self, error: &Error) -> bool {
        let hint = error.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        self.note = Some(Note::Failed(format!("{error}{hint}")));
        true
    }
}
