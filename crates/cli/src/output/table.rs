//! Tables that fit the terminal: one column shrinks, the others keep their width. In a pipe nothing is truncated.

use std::io::IsTerminal;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{FAINT, safe};

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// Its heading.
    pub(crate) name: &'static str,
    /// Whether it is right-aligned.
    pub(crate) right: bool,
    /// Whether it shrinks in a narrow terminal.
    pub(crate) gives_way: bool,
}

impl Column {
    /// A column of fixed width.
    pub(crate) const fn fixed(name: &'static str) -> Self {
        Self { name, right: false, gives_way: false }
    }

    /// A column of numbers.
    pub(crate) const fn number(name: &'static str) -> Self {
        Self { name, right: true, gives_way: false }
    }

    /// A column that shrinks.
    pub(crate) const fn flexible(name: &'static str) -> Self {
        Self { name, right: false, gives_way: true }
    }
}

/// A table with headings.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<(String, Style)>>,
}

/// The gap between columns.
const GAP: &str = "  ";
/// Maximum width of a cell, also in a pipe: a forged title may have megabytes. Valid ones have at most 1,000
/// characters.
const MAX_WIDTH: usize = 2_000;
/// Minimum width of a shrinking column.
const MIN_TITLE_WIDTH: usize = 12;

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row; texts are escaped here.
    pub(crate) fn row(&mut self, cells: Vec<(String, Style)>) {
        self.rows.push(cells.into_iter().map(|(text, style)| (safe(&text), style)).collect());
    }

    /// Renders the table; empty columns are left out.
    pub(crate) fn render(&self) -> String {
        self.render_for(terminal_width())
    }

    fn render_for(&self, limit: Option<usize>) -> String {
        let used: Vec<usize> = (0..self.columns.len()).filter(|column| self.is_used(*column)).collect();
        let widths = self.widths(&used, limit);
        let heading: Vec<(String, Style)> = self.columns.iter().map(|column| (column.name.to_owned(), FAINT)).collect();
        let rows = std::iter::once(&heading).chain(&self.rows);
        rows.map(|row| self.line(row, &used, &widths)).collect()
    }

    fn is_used(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row.get(column).is_some_and(|(text, _)| !text.is_empty()))
    }

    fn widths(&self, used: &[usize], limit: Option<usize>) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|(text, _)| text.width());
            cells.max().unwrap_or(0).max(self.columns[column].name.width())
        };
        let mut widths: Vec<usize> = used.iter().map(|column| width(*column).min(MAX_WIDTH)).collect();
        let total = widths.iter().sum::<usize>() + GAP.len() * used.len().saturating_sub(1);
        let mut excess = total.saturating_sub(limit.unwrap_or(usize::MAX));
        for (place, _) in used.iter().enumerate().filter(|(_, column)| self.columns[**column].gives_way) {
            let cut = excess.min(widths[place].saturating_sub(MIN_TITLE_WIDTH));
            widths[place] -= cut;
            excess -= cut;
        }
        widths
    }

    fn line(&self, row: &[(String, Style)], used: &[usize], widths: &[usize]) -> String {
        let mut line = Vec::new();
        for (place, (column, width)) in used.iter().zip(widths).enumerate() {
            let Some((text, style)) = row.get(*column) else { continue };
            let text = cut(text, *width);
            let padding = " ".repeat(width.saturating_sub(text.width()));
            let is_last = place + 1 == used.len();
            let gap = if place > 0 { GAP } else { "" };
            line.push(match (self.columns[*column].right, is_last) {
                (true, _) => format!("{gap}{padding}{style}{text}{style:#}"),
                (false, true) => format!("{gap}{style}{text}{style:#}"),
                (false, false) => format!("{gap}{style}{text}{style:#}{padding}"),
            });
        }
        format!("{}\n", line.concat().trim_end())
    }
}

/// Truncates a text to a width, with an ellipsis.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut left = width.saturating_sub(1);
    for c in text.chars() {
        let cells = c.width().unwrap_or(0);
        if cells > left {
            break;
        }
        left -= cells;
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// Returns the width of the terminal; `None` if stdout is not one.
pub(crate) fn terminal_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|width| *width > 0);
    stated.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))).or(Some(80))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(title: &str) -> Table {
        let mut table =
            Table::new(&[Column::number("#"), Column::flexible("TITLE"), Column::fixed("EMPTY"), Column::fixed("WHO")]);
        let plain = |text: &str| (text.to_owned(), Style::new());
        table.row(vec![plain("7"), plain(title), plain(""), plain("ada")]);
        table
    }

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn the_title_gives_way_and_empty_columns_go() {
        let rendered = stripped(&table("a long title that does not fit").render_for(Some(26)));
        assert_eq!(rendered, "#  TITLE               WHO\n7  a long title that…  ada\n");
    }

    #[test]
    fn nothing_is_cut_in_a_pipe() {
        assert!(stripped(&table("a long title that does not fit").render_for(None)).contains("does not fit"));
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(cut("日本語テキスト", 7), "日本語…");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn escapes_are_shown() {
        assert!(table("\x1b[2Jboo").render_for(None).contains("\\e[2Jboo"));
    }
}
