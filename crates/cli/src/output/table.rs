//! Tables that fit the terminal: one line per row. In a pipe nothing is truncated.
//!
//! A text in the main column that is longer than its column runs on over the cells to its right, which are left out of
//! that row: a title is never cut while a label, a name or a date stands beside it.

use std::fmt::Write as _;
use std::io::IsTerminal;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::FAINT;
use super::cell::Cell;
use super::layout::{self, GAP, Role, Slot};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    align: Align,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

impl Column {
    /// A column of fixed width.
    pub(crate) const fn fixed(name: &'static str) -> Self {
        Self { name, align: Align::Left, role: Role::Fixed }
    }

    /// A column of numbers.
    pub(crate) const fn number(name: &'static str) -> Self {
        Self { name, align: Align::Right, role: Role::Fixed }
    }

    /// The main column, which takes what the others leave.
    pub(crate) const fn main(name: &'static str) -> Self {
        Self { name, align: Align::Left, role: Role::Main }
    }

    /// A column that gives way to the main one: it is at most `max` wide, and left out if it cannot be `min` wide.
    pub(crate) const fn gives_way(name: &'static str, min: usize, max: usize) -> Self {
        Self { name, align: Align::Left, role: Role::GivesWay { min, max } }
    }
}

/// A table with headings.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// Whether it is rendered without styles.
    is_plain: bool,
}

impl Table {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), is_plain: false }
    }

    /// Adds a row of texts.
    pub(crate) fn row(&mut self, cells: Vec<(String, Style)>) {
        self.cells(cells.into_iter().map(|(text, style)| Cell::new(&text, style)).collect());
    }

    pub(crate) fn cells(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Removes the styles of all cells, which would be stripped from the output again.
    pub(crate) fn remove_styles(&mut self) {
        self.is_plain = true;
    }

    /// Renders the table; empty columns are left out, and a table without rows is empty.
    pub(crate) fn render(&self) -> String {
        self.render_for(terminal_width())
    }

    pub(super) fn render_for(&self, limit: Option<usize>) -> String {
        let natural: Vec<(Role, usize)> =
            self.columns.iter().enumerate().map(|(column, one)| (one.role, self.width(column))).collect();
        let slots = limit.map_or_else(|| layout::unlimited(&natural), |limit| layout::fit(&natural, limit));
        let heading: Vec<Cell> = self.columns.iter().map(|column| Cell::new(column.name, FAINT)).collect();
        let mut text = String::new();
        if self.rows.is_empty() {
            return text;
        }
        for row in std::iter::once(&heading).chain(&self.rows) {
            self.push_line(&mut text, row, &slots);
        }
        text
    }

    /// Returns the width of a column's widest cell, heading included; 0 if all its cells are empty.
    fn width(&self, column: usize) -> usize {
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        if cells().all(Cell::is_empty) {
            return 0;
        }
        cells().map(Cell::width).max().unwrap_or(0).max(self.columns[column].name.width())
    }

    fn push_line(&self, text: &mut String, row: &[Cell], slots: &[Slot]) {
        let mut line = String::new();
        let mut rest = slots;
        while let [slot, others @ ..] = rest {
            rest = others;
            let Some(cell) = row.get(slot.column) else { continue };
            let mut width = slot.width;
            if self.columns[slot.column].role == Role::Main {
                while let [next, others @ ..] = rest
                    && cell.width() > width
                {
                    width += GAP + next.width;
                    rest = others;
                }
            }
            self.push(&mut line, slot.column, cell, width);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }

    fn push(&self, line: &mut String, column: usize, cell: &Cell, width: usize) {
        if !line.is_empty() {
            pad(line, GAP);
        }
        let form = cell.fit(width);
        let padding = width.saturating_sub(form.width);
        if self.columns[column].align == Align::Right {
            pad(line, padding);
        }
        if self.is_plain || cell.style.is_plain() {
            line.push_str(&form.text);
        } else {
            let style = cell.style;
            // Writing to a string cannot fail.
            let _ = write!(line, "{style}{}{style:#}", form.text);
        }
        if self.columns[column].align == Align::Left {
            pad(line, padding);
        }
    }
}

fn pad(line: &mut String, n_spaces: usize) {
    line.extend(std::iter::repeat_n(' ', n_spaces));
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
    use proptest::prelude::*;

    fn table(titles: &[&str]) -> Table {
        let mut table = Table::new(&[
            Column::number("#"),
            Column::main("TITLE"),
            Column::fixed("EMPTY"),
            Column::gives_way("WHO", 3, 12),
        ]);
        for title in titles {
            let plain = |text: &str| (text.to_owned(), Style::new());
            table.row(vec![plain("7"), plain(title), plain(""), plain("ada")]);
        }
        table
    }

    fn lines(table: &Table, width: Option<usize>) -> Vec<String> {
        anstream::adapter::strip_str(&table.render_for(width)).to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_long_title_runs_over_the_cells_beside_it() {
        let table = table(&["short", "a title of twenty-five letters", "a title that is longer than the whole line"]);
        assert_eq!(
            lines(&table, Some(33)),
            [
                "#  TITLE                      WHO",
                "7  short                      ada",
                "7  a title of twenty-five letters",
                "7  a title that is longer than t…",
            ]
        );
    }

    #[test]
    fn tables_are_not_cut_in_a_pipe() {
        let table = table(&["a title that is longer than the whole line"]);
        assert_eq!(lines(&table, None)[1], "7  a title that is longer than the whole line  ada");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(titles in proptest::collection::vec("\\PC{0,60}", 1..6), width in 1_usize..140) {
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            let lines = lines(&table(&titles), Some(width));
            for (line, title) in lines[1..].iter().zip(&titles) {
                prop_assert!(line.width() <= width, "{line:?}");
                let is_cut = line.contains('…') && !title.contains('…');
                prop_assert!(!(is_cut && line.ends_with("ada") && width > 12), "{line:?}");
            }
        }
    }
}
