//! Text in cells: escaping, wrapping by display width, and rendered Markdown.

use anstyle::{AnsiColor, Color as AnsiStyleColor, Effects};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use terminal::{StyledLine, markdown};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Escapes a text of the log for one line.
pub(super) fn safe(text: &str) -> String {
    model::text::escape_line(text)
}

/// Lines of a panel, wrapped to its width.
pub(super) struct Page {
    width: usize,
    pub(super) lines: Vec<Line<'static>>,
}

impl Page {
    pub(super) fn new(width: usize) -> Self {
        Self { width, lines: Vec::new() }
    }

    /// Adds an escaped text.
    pub(super) fn text(&mut self, text: &str, style: Style) {
        self.lines.extend(wrap(text, self.width).into_iter().map(|line| Line::styled(line, style)));
    }

    /// Adds Markdown, rendered as `cairn show` does.
    pub(super) fn markdown(&mut self, text: &str) {
        self.lines.extend(markdown::render(text, self.width.max(1)).into_iter().map(line));
    }

    pub(super) fn gap(&mut self) {
        self.lines.push(Line::default());
    }
}

fn line(line: StyledLine) -> Line<'static> {
    Line::from(line.spans.into_iter().map(|(text, style)| Span::styled(text, cell_style(style))).collect::<Vec<_>>())
}

/// Converts the styles that text for terminals has.
fn cell_style(style: anstyle::Style) -> Style {
    let effects = [
        (Effects::BOLD, Modifier::BOLD),
        (Effects::DIMMED, Modifier::DIM),
        (Effects::ITALIC, Modifier::ITALIC),
        (Effects::UNDERLINE, Modifier::UNDERLINED),
        (Effects::STRIKETHROUGH, Modifier::CROSSED_OUT),
    ];
    let has = |effect| style.get_effects().contains(effect);
    let modifiers = effects.into_iter().filter(|(effect, _)| has(*effect)).map(|(_, modifier)| modifier);
    let base = Style::new().add_modifier(modifiers.collect());
    match style.get_fg_color() {
        Some(AnsiStyleColor::Ansi(AnsiColor::Cyan)) => base.fg(Color::Cyan),
        _ => base,
    }
}

/// Breaks a line at spaces; a word that is wider than a line is broken anywhere. Indentation stays on the first line.
pub(super) fn wrap(line: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let text = line.trim_start_matches(' ');
    let mut lines = vec![" ".repeat((line.len() - text.len()).min(width / 2))];
    for word in text.split(' ') {
        let used = lines.last().map_or(0, |last| last.width());
        let is_first = lines.last().is_none_or(|last| last.trim().is_empty());
        if !is_first && used + 1 + word.width() > width {
            lines.push(String::new());
        } else if !is_first {
            push_char(&mut lines, ' ', width);
        }
        word.chars().for_each(|c| push_char(&mut lines, c, width));
    }
    lines
}

fn push_char(lines: &mut Vec<String>, c: char, width: usize) {
    let is_full = lines.last().is_none_or(|last| last.width() + c.width().unwrap_or(0) > width);
    if is_full {
        lines.push(String::new());
    }
    if let Some(last) = lines.last_mut() {
        last.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_its_room() {
        let text = "  ログインできない on Safari, العربية and aVeryLongWordWithoutAnySpace 🎉 done";
        for width in 2..40 {
            let lines = wrap(text, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:?}");
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text), "{width}");
        }
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
