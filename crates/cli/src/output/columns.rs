//! The columns of a list of items: which there are, what they show, and which are shown unless others are asked for.

use anstyle::{AnsiColor, Style};
use app::verb::{CategoryCounts, SharesById};
use app::view::{ItemView, Reference};
use clap::ValueEnum;
use model::item::ItemKind;
use model::workflow::State;

use super::cell::Cell;
use super::item::{priority, priority_style, short_person, status, status_style};
use super::table::terminal_width;
use super::when::{Day, ago, day_cell};
use super::{BAD, Column, FAINT, NOTABLE, STRONG, Table};

/// Cells of a progress bar.
const BAR_WIDTH: u64 = 8;

/// A column of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ItemColumn {
    /// The number.
    #[value(alias = "id")]
    Number,
    /// The status, with a glyph.
    Status,
    /// The priority as a word.
    Priority,
    /// The title.
    Title,
    /// The kind.
    Kind,
    /// The labels.
    Labels,
    /// When it was last changed.
    Updated,
    /// When it was created.
    Created,
    /// The due date.
    Due,
    /// How many of its items are done.
    Progress,
    /// The assignee.
    Assignee,
    /// The author.
    Author,
    /// The milestone.
    Milestone,
    /// The board.
    Board,
    /// The parent item.
    Parent,
    /// The size.
    Size,
    /// The severity.
    Severity,
    /// The type.
    Type,
    /// The number of comments.
    Comments,
}

// In the order in which they are shown. Those after the title give way from left to right.
const DEFAULT: &[ItemColumn] = &[
    ItemColumn::Number,
    ItemColumn::Status,
    ItemColumn::Priority,
    ItemColumn::Title,
    ItemColumn::Kind,
    ItemColumn::Labels,
    ItemColumn::Updated,
    ItemColumn::Assignee,
];
const OF_MILESTONES: &[ItemColumn] = &[
    ItemColumn::Number,
    ItemColumn::Status,
    ItemColumn::Title,
    ItemColumn::Labels,
    ItemColumn::Updated,
    ItemColumn::Due,
    ItemColumn::Progress,
];
const OF_EPICS: &[ItemColumn] = &[
    ItemColumn::Number,
    ItemColumn::Status,
    ItemColumn::Priority,
    ItemColumn::Title,
    ItemColumn::Labels,
    ItemColumn::Updated,
    ItemColumn::Assignee,
    ItemColumn::Due,
    ItemColumn::Progress,
];

impl ItemColumn {
    /// Returns the columns of a list of one kind, or of all kinds.
    pub(crate) fn defaults(kind: Option<ItemKind>) -> &'static [Self] {
        match kind {
            Some(ItemKind::Milestone) => OF_MILESTONES,
            Some(ItemKind::Epic) => OF_EPICS,
            _ => DEFAULT,
        }
    }

    /// Returns the name of the column as a value of `--columns`.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the column with this name.
    pub(crate) fn try_find(name: &str) -> Option<Self> {
        Self::from_str(name, true).ok()
    }

    fn column(self) -> Column {
        match self {
            Self::Number => Column::number("#"),
            Self::Status => Column::fixed("STATUS"),
            Self::Priority => Column::fixed("PRIORITY"),
            Self::Title => Column::main("TITLE"),
            Self::Kind => Column::gives_way("KIND", 5, 9),
            Self::Labels => Column::gives_way("LABELS", 8, 18),
            Self::Updated => Column::gives_way("UPDATED", 7, 10),
            Self::Created => Column::gives_way("CREATED", 7, 10),
            Self::Due => Column::gives_way("DUE", 5, 10),
            Self::Progress => Column::gives_way("PROGRESS", 5, 20),
            Self::Assignee => Column::gives_way("ASSIGNEE", 8, 12),
            Self::Author => Column::gives_way("AUTHOR", 8, 12),
            Self::Milestone => Column::gives_way("MILESTONE", 9, 16),
            Self::Board => Column::gives_way("BOARD", 6, 16),
            Self::Parent => Column::gives_way("PARENT", 6, 16),
            Self::Size => Column::gives_way("SIZE", 5, 6),
            Self::Severity => Column::gives_way("SEVERITY", 8, 12),
            Self::Type => Column::gives_way("TYPE", 5, 12),
            Self::Comments => Column::gives_way("COMMENTS", 2, 8),
        }
    }

    fn cell(self, item: &ItemView, shares: &SharesById) -> Cell {
        let plain = |text: &str| Cell::new(text, Style::new());
        match self {
            Self::Number => Cell::new(item.name().trim_start_matches('#'), STRONG),
            Self::Status => Cell::new(&status(item), status_style(item.category)),
            Self::Priority => Cell::new(&priority(item.priority), priority_style(item.priority)),
            Self::Title if item.deleted => plain(&format!("{} (deleted)", item.title)),
            Self::Title => plain(&item.title),
            Self::Kind => Cell::new(item.kind.name(), FAINT),
            Self::Labels => Cell::labels(&item.labels, AnsiColor::Cyan.on_default()),
            Self::Updated => Cell::new(&ago(item.updated), FAINT),
            Self::Created => Cell::new(&ago(item.created), FAINT),
            Self::Due => due(item),
            Self::Progress => shares.get(&item.id).map_or_else(|| plain(""), progress),
            Self::Assignee => Cell::person(&short_person(item.assignee.as_deref()), Style::new()),
            Self::Author => Cell::person(&short_person(Some(&item.author)), Style::new()),
            Self::Milestone => plain(&title(item.milestone.as_ref())),
            Self::Board => plain(&title(item.board.as_ref())),
            Self::Parent => plain(&item.parent.as_ref().map(Reference::name).unwrap_or_default()),
            Self::Size => plain(&item.size.map(|size| size.to_string()).unwrap_or_default()),
            Self::Severity => plain(item.severity.as_deref().unwrap_or_default()),
            Self::Type => plain(item.type_.as_deref().unwrap_or_default()),
            Self::Comments if item.comment_count == 0 => plain(""),
            Self::Comments => plain(&item.comment_count.to_string()),
        }
    }
}

/// Returns a table of items. `shares` is how far the parts of epics and milestones are.
pub(crate) fn item_table_with(items: &[ItemView], columns: &[ItemColumn], shares: &SharesById) -> Table {
    let mut table = Table::new(&columns.iter().map(|column| column.column()).collect::<Vec<_>>());
    for item in items {
        table.cells(columns.iter().map(|column| column.cell(item, shares)).collect());
    }
    table
}

fn title(reference: Option<&Reference>) -> String {
    reference.map(|reference| reference.title.clone()).unwrap_or_default()
}

/// A date on a terminal is relative and warns; in a pipe it is the date.
fn due(item: &ItemView) -> Cell {
    let Some(date) = item.due else { return Cell::new("", Style::new()) };
    if terminal_width().is_none() {
        return Cell::new(&date.to_string(), Style::new());
    }
    let day = Day::until(date, app::today());
    let style = match day {
        _ if item.state == State::Closed => FAINT,
        Day::Past(_) => BAD,
        Day::Today | Day::Soon(_) => NOTABLE,
        Day::Later(_) => Style::new(),
    };
    day_cell(day, style)
}

/// `▰▰▰▱▱▱▱▱ 12/30`, or only the numbers if there is no space for the bar.
fn progress(counts: &CategoryCounts) -> Cell {
    let (done, total) = (counts.done, counts.total());
    if total == 0 {
        return Cell::new("", Style::new());
    }
    // Full only if all are done.
    let filled = usize::try_from(done * BAR_WIDTH / total).unwrap_or(0);
    let empty = usize::try_from(BAR_WIDTH).unwrap_or(0) - filled;
    let numbers = format!("{done}/{total}");
    Cell::with_forms([format!("{}{} {numbers}", "▰".repeat(filled), "▱".repeat(empty)), numbers], Style::new())
}

#[cfg(test)]
mod tests;
