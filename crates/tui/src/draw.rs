//! Renders the state. Texts from the log are escaped, so that no title can move the cursor.

mod board;
mod detail;
mod popup;
mod text;

use model::workflow::Category;
use ratatui_core::layout::{Constraint, Layout, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};
use ratatui_widgets::paragraph::Paragraph;

use crate::popup::Popup;
use crate::state::{Interface, Note, Panel};
use text::safe;

const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, state: &mut Interface) {
    let rows = Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)]);
    let [top, middle, bottom] = rows.areas(frame.area());
    frame.render_widget(Paragraph::new(tabs(state)), top);
    // Borders take two lines.
    state.page = usize::from(middle.height.saturating_sub(2));
    match state.panel {
        Panel::Board => board::board(frame, middle, state),
        Panel::List => board::list(frame, middle, state),
        Panel::Item => detail::item(frame, middle, state),
        Panel::Inbox => detail::inbox(frame, middle, state),
        Panel::Annotations => detail::annotations(frame, middle, state),
    }
    frame.render_widget(Paragraph::new(bottom_line(state)), bottom);
    if let Some(over) = &state.popup {
        popup::draw(frame, over);
    }
}

fn tabs(state: &Interface) -> Line<'static> {
    let mut spans = vec![Span::styled(format!(" {} ", safe(&state.project.name())), STRONG)];
    for (n, panel) in Panel::ALL.into_iter().enumerate() {
        let count = match panel {
            Panel::Inbox if !state.messages.is_empty() => format!(" ({})", state.messages.len()),
            _ => String::new(),
        };
        let style = if panel == state.panel { SELECTED } else { Style::new() };
        spans.push(Span::styled(format!(" {} {}{count} ", n + 1, panel.title()), style));
    }
    if !state.marked.is_empty() {
        spans.push(Span::styled(format!("  {} marked", state.marked.len()), Style::new().fg(Color::Yellow)));
    }
    if !state.filter.is_empty() {
        spans.push(Span::styled(format!("  filter: {}", safe(&state.filter)), Style::new().fg(Color::Cyan)));
    }
    Line::from(spans)
}

fn bottom_line(state: &Interface) -> Line<'static> {
    match &state.note {
        Some(Note::Done(text)) => Line::styled(format!(" {}", safe(text)), Style::new().fg(Color::Green)),
        Some(Note::Failed(text)) => Line::styled(format!(" {}", safe(text)), Style::new().fg(Color::Red)),
        None => Line::styled(format!(" {}", hints(state)), FAINT),
    }
}

fn hints(state: &Interface) -> &'static str {
    match (&state.popup, state.panel) {
        (Some(Popup::Prompt(_)), _) => "enter accept · esc cancel",
        (Some(Popup::Menu(_)), _) => "enter choose · esc cancel",
        (Some(Popup::Confirm { .. }), _) => "y yes · n no",
        (Some(Popup::Help { .. }), _) => "esc close",
        (None, Panel::Inbox) => "r reply · C reply in the editor · x resolve · tab next panel · ? help · q quit",
        (None, Panel::Annotations) => "tab next panel · R read again · ? help · q quit",
        (None, _) => {
            "enter open · space next status · s status · E edit · n new · c comment · / filter · ? help · q quit"
        }
    }
}

fn category_style(category: Category) -> Style {
    match category {
        Category::Doing => Style::new().fg(Color::Yellow),
        Category::Review => Style::new().fg(Color::Magenta),
        Category::Done => Style::new().fg(Color::Green),
        Category::Dropped | Category::Draft => FAINT,
        Category::Todo => Style::new().fg(Color::Blue),
    }
}

/// Splits an area for a list and its selected entry: side by side if there is room.
fn split(area: Rect) -> [Rect; 2] {
    if area.width >= 100 {
        Layout::horizontal([Constraint::Percentage(45), Constraint::Min(1)]).areas(area)
    } else {
        Layout::vertical([Constraint::Percentage(40), Constraint::Min(1)]).areas(area)
    }
}
