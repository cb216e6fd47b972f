//! One item, the inbox and the annotations.

use annotations::view::ListedView;
use app::view::{ItemView, Reference};
use inbox::view::MessageView;
use model::message::{MessageState, Side};
use model::priority::PriorityLevel;
use model::text::counted;
use model::workflow::State;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;
use ratatui_widgets::block::Block;
use ratatui_widgets::list::{List, ListItem, ListState};
use ratatui_widgets::paragraph::Paragraph;
use terminal::cut;

use super::text::{Page, safe};
use super::{FAINT, SELECTED, STRONG, category_style, split};
use crate::state::Interface;

/// Maximum width of running text: longer lines are hard to read.
const MAX_TEXT_WIDTH: usize = 100;

pub(super) fn item(frame: &mut Frame<'_>, area: Rect, state: &mut Interface) {
    let Some(item) = &state.item else {
        empty(frame, area, "no item is open: choose one on the board or in the list, and press enter");
        return;
    };
    let title = format!(" {} {} ", item.kind, item.name());
    let lines = item_lines(item, usize::from(area.width.saturating_sub(2)).min(MAX_TEXT_WIDTH));
    let height = usize::from(area.height.saturating_sub(2));
    state.scroll = state.scroll.min(lines.len().saturating_sub(height));
    let shown: Vec<Line<'static>> = lines.into_iter().skip(state.scroll).take(height).collect();
    frame.render_widget(Paragraph::new(shown).block(Block::bordered().title(title)), area);
}

fn item_lines(item: &ItemView, width: usize) -> Vec<Line<'static>> {
    let mut page = Page::new(width);
    page.text(&safe(&item.title), STRONG);
    page.text(&format!("{} {}", item.category.glyph(), safe(&item.status)), category_style(item.category));
    for (name, value) in facts(item) {
        page.text(&format!("{name:>10}  {}", safe(&value)), Style::new());
    }
    if !item.description.is_empty() {
        page.gap();
        page.markdown(&item.description);
    }
    for (name, items) in related(item).into_iter().filter(|(_, items)| !items.is_empty()) {
        let n_closed = items.iter().filter(|one| one.state == Some(State::Closed)).count();
        page.gap();
        page.text(&format!("{name} ({n_closed} of {} closed)", items.len()), STRONG);
        for one in items {
            let glyph = if one.state == Some(State::Closed) { '●' } else { '○' };
            page.text(&format!("  {glyph} {} {}", one.name(), safe(&one.title)), Style::new());
        }
    }
    for comment in item.comments.iter().flatten() {
        page.gap();
        page.text(&format!("── {} · {}", safe(&comment.author), minute(&comment.created.to_string())), FAINT);
        if comment.body.is_empty() {
            page.text("(removed)", FAINT);
        }
        page.markdown(&comment.body);
    }
    page.lines
}

fn facts(item: &ItemView) -> Vec<(&'static str, String)> {
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    let mut fact = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    let level = PriorityLevel::of(item.priority);
    fact("priority", (level != PriorityLevel::None).then(|| level.word().to_owned()));
    fact("assignees", (!item.assignees.is_empty()).then(|| item.assignees.join(", ")));
    fact("labels", (!item.labels.is_empty()).then(|| item.labels.join(", ")));
    fact("milestone", item.milestone.as_ref().map(|one| one.title.clone()));
    fact("board", item.board.as_ref().map(|one| one.title.clone()));
    fact("parent", item.parent.as_ref().map(|one| format!("{} {}", one.name(), one.title)));
    fact("size", item.size.map(|size| size.to_string()));
    fact("due", item.due.map(|day| day.to_string()));
    fact("blocked", item.blocked.is.then(|| item.blocked.reason.clone().unwrap_or_default()));
    fact("code", (!item.touches.is_empty()).then(|| item.touches.join(", ")));
    let files: Vec<&str> = item.attachments.iter().map(|file| file.name.as_str()).collect();
    fact("files", (!files.is_empty()).then(|| files.join(", ")));
    fact("author", Some(item.author.clone()));
    fact("updated", Some(minute(&item.updated.to_string())));
    facts
}

fn related(item: &ItemView) -> [(&'static str, &[Reference]); 4] {
    [
        ("sub-items", item.children.as_deref().unwrap_or_default()),
        ("blocked by", &item.blocked_by),
        ("blocking", &item.blocks),
        ("related", &item.relates),
    ]
}

/// Returns a timestamp up to its minute.
fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}

pub(super) fn inbox(frame: &mut Frame<'_>, area: Rect, state: &Interface) {
    if state.messages.is_empty() {
        empty(frame, area, "no messages: `cairn inbox send` or a key in lazygit sends one");
        return;
    }
    let [left, right] = split(area);
    let rows = state.messages.iter().map(|message| {
        let first = message.comment.lines().next().unwrap_or_default();
        (format!("{:<9} {:<8} ", message.state, message.kind), safe(first), message.state == MessageState::Resolved)
    });
    rows_list(frame, left, " Messages ", rows, state.message);
    if let Some(message) = state.messages.get(state.message) {
        let width = usize::from(right.width.saturating_sub(2));
        let block = Block::bordered().title(format!(" {} ", cut(&place(message), width)));
        frame.render_widget(Paragraph::new(message_lines(message, width)).block(block), right);
    }
}

fn place(message: &MessageView) -> String {
    let old = if message.side == Side::Old { " (removed)" } else { "" };
    let lines = message.lines.map(|lines| format!(":{lines}{old}")).unwrap_or_default();
    safe(&format!("{}{lines}", message.file))
}

fn message_lines(message: &MessageView, width: usize) -> Vec<Line<'static>> {
    let mut page = Page::new(width);
    page.text(&format!("{} · {}", safe(&message.author), minute(&message.at)), FAINT);
    if let Some(warning) = message.warning() {
        page.text(&safe(&warning), Style::new().fg(Color::Yellow));
    }
    for line in message.excerpt.as_deref().map(model::text::escape_block).unwrap_or_default().lines() {
        page.text(&format!("│ {line}"), FAINT);
    }
    page.gap();
    page.markdown(&message.comment);
    for reply in &message.replies {
        page.gap();
        page.text(&format!("── {} · {}", safe(&reply.author), minute(&reply.at)), FAINT);
        page.markdown(&reply.body);
    }
    page.lines
}

pub(super) fn annotations(frame: &mut Frame<'_>, area: Rect, state: &Interface) {
    let all = state.annotations.as_deref().unwrap_or_default();
    if all.is_empty() {
        empty(frame, area, "no annotations: `cairn annotate` writes one");
        return;
    }
    let [left, right] = split(area);
    let rows = all.iter().map(|one| (format!("{:<8} ", one.status), safe(&where_(one)), false));
    rows_list(frame, left, &format!(" {} ", counted(all.len(), "annotation")), rows, state.annotation);
    if let Some(one) = all.get(state.annotation) {
        let width = usize::from(right.width.saturating_sub(2));
        let mut page = Page::new(width);
        let lines_now = one.lines.map(|lines| format!(", lines {}-{}", lines.start, lines.end)).unwrap_or_default();
        page.text(&format!("{}{lines_now}", one.status), FAINT);
        let at = one.timestamp.as_deref().map(|at| format!(" · {}", minute(at))).unwrap_or_default();
        page.text(&format!("commit {}{at}", one.commit.get(..12).unwrap_or(&one.commit)), FAINT);
        page.gap();
        page.markdown(&one.intent);
        let block = Block::bordered().title(format!(" {} ", cut(&safe(&where_(one)), width)));
        frame.render_widget(Paragraph::new(page.lines).block(block), right);
    }
}

fn where_(one: &ListedView) -> String {
    if one.symbol.is_empty() { one.file.clone() } else { format!("{}:{}", one.file, one.symbol) }
}

/// Draws a list whose rows have a dimmed beginning and a text.
fn rows_list(
    frame: &mut Frame<'_>,
    area: Rect,
    title: &str,
    rows: impl Iterator<Item = (String, String, bool)>,
    selected: usize,
) {
    let items = rows.map(|(head, text, is_faint)| {
        let style = if is_faint { FAINT } else { Style::new() };
        ListItem::new(Line::from(vec![
            ratatui_core::text::Span::styled(head, FAINT),
            ratatui_core::text::Span::styled(text, style),
        ]))
    });
    let list = List::new(items).block(Block::bordered().title(title.to_owned())).highlight_style(SELECTED);
    frame.render_stateful_widget(list, area, &mut ListState::default().with_selected(Some(selected)));
}

fn empty(frame: &mut Frame<'_>, area: Rect, text: &str) {
    frame.render_widget(Paragraph::new(Line::styled(text.to_owned(), FAINT)).block(Block::bordered()), area);
}
