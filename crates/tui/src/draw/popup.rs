//! Menus, prompts, questions and the help, in the middle of the screen.

use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;
use ratatui_widgets::block::Block;
use ratatui_widgets::clear::Clear;
use ratatui_widgets::list::{List, ListItem, ListState};
use ratatui_widgets::paragraph::Paragraph;
use terminal::cut;
use unicode_width::UnicodeWidthStr;

use super::text::{safe, wrap};
use super::{SELECTED, STRONG};
use crate::keys::BINDINGS;
use crate::popup::{Menu, Popup, Prompt};

pub(super) fn draw(frame: &mut Frame<'_>, popup: &Popup) {
    match popup {
        Popup::Help { scroll } => help(frame, *scroll),
        Popup::Menu(menu) => draw_menu(frame, menu),
        Popup::Prompt(prompt) => draw_prompt(frame, prompt),
        Popup::Confirm { question, .. } => {
            let width = frame.area().width.saturating_sub(8).min(60);
            let mut lines = wrap(&safe(question), usize::from(width.saturating_sub(2)));
            lines.push("y yes · n no".to_owned());
            let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
            let area = centered(frame.area(), width, height);
            frame.render_widget(Clear, area);
            let lines: Vec<Line<'static>> = lines.into_iter().map(Line::from).collect();
            frame.render_widget(Paragraph::new(lines).block(Block::bordered().border_style(STRONG)), area);
        }
    }
}

fn draw_menu(frame: &mut Frame<'_>, menu: &Menu) {
    let longest = menu.entries.iter().map(|entry| entry.label.width()).max().unwrap_or(0);
    let width = u16::try_from(longest + 4).unwrap_or(u16::MAX).clamp(24, 90);
    let height = u16::try_from(menu.entries.len()).unwrap_or(u16::MAX).saturating_add(2);
    let area = centered(frame.area(), width, height);
    let items = menu.entries.iter().map(|entry| {
        let style = if entry.is_current { STRONG } else { Style::new() };
        ListItem::new(Line::styled(safe(&entry.label), style))
    });
    let block = Block::bordered().title(format!(" {} ", menu.title)).border_style(STRONG);
    let list = List::new(items).block(block).highlight_style(SELECTED);
    frame.render_widget(Clear, area);
    frame.render_stateful_widget(list, area, &mut ListState::default().with_selected(Some(menu.row)));
}

fn draw_prompt(frame: &mut Frame<'_>, prompt: &Prompt) {
    let area = centered(frame.area(), frame.area().width.saturating_sub(8).min(100), 3);
    let room = usize::from(area.width.saturating_sub(3));
    // The end of a long text is shown, as far as the cursor.
    let before = &prompt.text[..prompt.cursor];
    let mut start = 0;
    while before[start..].width() > room {
        start += before[start..].chars().next().map_or(1, char::len_utf8);
    }
    let title = format!(" {} ", cut(&safe(&prompt.title), room.saturating_sub(2)));
    let block = Block::bordered().title(title).border_style(STRONG);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(safe(&prompt.text[start..])).block(block), area);
    let column = u16::try_from(before[start..].width()).unwrap_or(0);
    frame.set_cursor_position(Position::new(area.x + 1 + column, area.y + 1));
}

fn help(frame: &mut Frame<'_>, scroll: u16) {
    let shown = BINDINGS.iter().filter(|binding| !binding.shown.is_empty());
    let lines: Vec<Line<'static>> =
        shown.map(|binding| Line::from(format!("{:>12}  {}", binding.shown, binding.about))).collect();
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let area = centered(frame.area(), 64, height);
    let scroll = scroll.min(height.saturating_sub(area.height));
    let block = Block::bordered().title(" Keys ").border_style(STRONG);
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).scroll((scroll, 0)).block(block), area);
}

fn centered(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height)
}
