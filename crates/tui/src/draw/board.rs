//! The board, column by column, and the list.

use app::view::{ColumnView, ItemView};
use model::person::Person;
use model::priority::PriorityLevel;
use model::text::counted;
use ratatui_core::layout::{Constraint, Layout, Rect};
use ratatui_core::style::{Color, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span, Text};
use ratatui_widgets::block::Block;
use ratatui_widgets::list::{List, ListItem, ListState};
use ratatui_widgets::table::{Cell, Row, Table, TableState};
use terminal::cut;

use super::text::{safe, wrap};
use super::{FAINT, SELECTED, STRONG, category_style};
use crate::state::Interface;

/// Minimum width of a column: about four words of a title.
const MIN_COLUMN: u16 = 26;

/// Maximum number of lines of a title on a card.
const MAX_TITLE_LINES: usize = 2;

pub(super) fn board(frame: &mut Frame<'_>, area: Rect, state: &Interface) {
    let n_shown = usize::from((area.width / MIN_COLUMN).max(1)).min(state.columns.len().max(1));
    // The selected column is always on the screen, and the first ones stay as long as possible.
    let first = (state.column + 1).saturating_sub(n_shown);
    let shown = state.columns.iter().enumerate().skip(first).take(n_shown);
    let areas = Layout::horizontal(vec![Constraint::Fill(1); n_shown]).split(area);
    for ((place, column), area) in shown.zip(areas.iter()) {
        let card = (place == state.column).then(|| state.cards.get(place).copied().unwrap_or(0));
        draw_column(frame, *area, column, card, &state.marked);
    }
}

fn draw_column(frame: &mut Frame<'_>, area: Rect, column: &ColumnView, card: Option<usize>, marked: &[String]) {
    let border = if card.is_some() { STRONG.fg(Color::Green) } else { FAINT };
    let block = Block::bordered().title(heading(column)).border_style(border);
    let width = usize::from(area.width.saturating_sub(2));
    let cards = column.items.iter().map(|item| ListItem::new(card_text(item, mark_of(item, marked), width)));
    let list = List::new(cards).block(block).highlight_style(SELECTED);
    let mut selection = ListState::default().with_selected(card.filter(|_| !column.items.is_empty()));
    frame.render_stateful_widget(list, area, &mut selection);
}

/// The name of a column and how many items are in it, out of how many at most.
fn heading(column: &ColumnView) -> Line<'static> {
    let name = format!(" {} {} ", column.category.glyph(), safe(&column.status));
    let style = category_style(column.category);
    let limit = column.limit.map_or_else(String::new, |limit| format!("/{limit}"));
    let is_over = column.limit.is_some_and(|limit| column.total > u64::from(limit));
    let count_style = if is_over { STRONG.fg(Color::Red) } else { style };
    Line::from(vec![Span::styled(name, style), Span::styled(format!("{}{limit} ", column.total), count_style)])
}

fn mark_of(item: &ItemView, marked: &[String]) -> &'static str {
    if marked.contains(&item.id) { "✓ " } else { "" }
}

fn card_text(item: &ItemView, mark: &str, width: usize) -> Text<'static> {
    let title = format!("{mark}{} {}", item.name(), safe(&item.title));
    let mut lines = wrap(&title, width);
    if lines.len() > MAX_TITLE_LINES {
        let rest = lines.split_off(MAX_TITLE_LINES - 1).join(" ");
        lines.push(cut(&rest, width));
    }
    let mut lines: Vec<Line<'static>> = lines.into_iter().map(Line::from).collect();
    lines.push(Line::from(facts(item, width)));
    Text::from(lines)
}

/// The second row of a card: what decides about it.
fn facts(item: &ItemView, width: usize) -> Vec<Span<'static>> {
    let mut facts = Vec::new();
    let level = PriorityLevel::of(item.priority);
    if level != PriorityLevel::None {
        facts.push(Span::styled(level.word().to_owned(), priority_style(level)));
    }
    if item.blocked.is || !item.blocked_by.is_empty() {
        facts.push(Span::styled("blocked", Style::new().fg(Color::Red)));
    }
    if let Some(due) = item.due {
        facts.push(Span::styled(format!("due {due}"), FAINT));
    }
    if let Some(who) = &item.assignee {
        facts.push(Span::raw(format!("@{}", safe(Person::parse(who).short()))));
    }
    facts.extend(item.labels.iter().map(|label| Span::styled(safe(label), Style::new().fg(Color::Cyan))));
    let mut spans = vec![Span::raw("  ")];
    let mut used = 2;
    for fact in facts {
        used += fact.width() + 1;
        if used > width + 1 {
            break;
        }
        spans.push(fact);
        spans.push(Span::raw(" "));
    }
    spans
}

fn priority_style(level: PriorityLevel) -> Style {
    match level {
        PriorityLevel::Urgent => STRONG.fg(Color::Red),
        PriorityLevel::High => Style::new().fg(Color::Yellow),
        PriorityLevel::Medium => Style::new(),
        PriorityLevel::Low | PriorityLevel::None => FAINT,
    }
}

pub(super) fn list(frame: &mut Frame<'_>, area: Rect, state: &Interface) {
    let closed = if state.shows_closed { ", with closed ones" } else { "" };
    let block = Block::bordered().title(format!(" {}{closed} ", counted(state.list.len(), "item")));
    let columns = shown_columns(area.width);
    let rows = state.list.iter().map(|item| Row::new(columns.iter().map(|column| column.cell(item, &state.marked))));
    let table = Table::new(rows, columns.iter().map(|column| column.width(&state.list)))
        .header(Row::new(columns.iter().map(|column| Cell::from(column.heading()))).style(FAINT))
        .block(block)
        .row_highlight_style(SELECTED);
    let mut selection = TableState::default().with_selected((!state.list.is_empty()).then_some(state.row));
    frame.render_stateful_widget(table, area, &mut selection);
}

/// The number of an item; boards and milestones have numbers of their own: `board/1`.
fn number_of(item: &ItemView) -> String {
    item.name().trim_start_matches('#').to_owned()
}

#[derive(Clone, Copy)]
enum ListColumn {
    Number,
    Status,
    Priority,
    Title,
    Labels,
    Assignee,
}

/// Returns the columns that leave the title most of the width.
fn shown_columns(width: u16) -> Vec<ListColumn> {
    let mut columns = vec![ListColumn::Number, ListColumn::Status];
    if width >= 90 {
        columns.push(ListColumn::Priority);
    }
    columns.push(ListColumn::Title);
    if width >= 110 {
        columns.push(ListColumn::Labels);
    }
    if width >= 70 {
        columns.push(ListColumn::Assignee);
    }
    columns
}

impl ListColumn {
    fn heading(self) -> &'static str {
        match self {
            Self::Number => "#",
            Self::Status => "STATUS",
            Self::Priority => "PRIORITY",
            Self::Title => "TITLE",
            Self::Labels => "LABELS",
            Self::Assignee => "ASSIGNEE",
        }
    }

    fn width(self, list: &[ItemView]) -> Constraint {
        match self {
            Self::Number => {
                let widest = list.iter().map(|item| number_of(item).len()).max().unwrap_or(0);
                Constraint::Length(u16::try_from(widest).unwrap_or(u16::MAX).clamp(3, 16))
            }
            Self::Status => Constraint::Length(14),
            Self::Priority => Constraint::Length(8),
            Self::Title => Constraint::Fill(1),
            Self::Labels => Constraint::Length(18),
            Self::Assignee => Constraint::Length(12),
        }
    }

    fn cell(self, item: &ItemView, marked: &[String]) -> Cell<'static> {
        match self {
            Self::Number => Cell::from(Span::styled(number_of(item), STRONG)),
            Self::Status => {
                let text = format!("{} {}", item.category.glyph(), safe(&item.status));
                Cell::from(Span::styled(cut(&text, 14), category_style(item.category)))
            }
            Self::Priority => {
                let level = PriorityLevel::of(item.priority);
                let word = if level == PriorityLevel::None { "" } else { level.word() };
                Cell::from(Span::styled(word, priority_style(level)))
            }
            Self::Title => Cell::from(format!("{}{}", mark_of(item, marked), safe(&item.title))),
            Self::Labels => {
                Cell::from(Span::styled(cut(&safe(&item.labels.join(" ")), 18), Style::new().fg(Color::Cyan)))
            }
            Self::Assignee => {
                let who = item.assignee.as_deref().map(|who| Person::parse(who).short().to_owned());
                Cell::from(cut(&safe(&who.unwrap_or_default()), 12))
            }
        }
    }
}
