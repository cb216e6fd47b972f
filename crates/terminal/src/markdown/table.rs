//! A Markdown table with aligned columns. If it is too wide, its widest columns are cut.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::{FAINT, STRONG, StyledLine, cut};

const GAP: usize = 2;
/// Minimum width of a column that is cut.
const MIN_WIDTH: usize = 4;

/// The cells of a table, row by row; the first row is the heading.
#[derive(Default)]
pub(super) struct Grid {
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(super) fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self, text: String) {
        if let Some(row) = self.rows.last_mut() {
            row.push(text);
        }
    }

    /// Returns the lines of the table, with a rule below the heading.
    pub(super) fn lines(&self, width: usize) -> Vec<StyledLine> {
        let widths = self.widths(width);
        let style = |row: usize| if row == 0 { STRONG } else { Style::new() };
        let lines = self.rows.iter().enumerate().map(|(n, row)| StyledLine::new(line(row, &widths), style(n)));
        let mut lines: Vec<StyledLine> = lines.collect();
        if !lines.is_empty() {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.insert(1, StyledLine::new(rules.join(&" ".repeat(GAP)), FAINT));
        }
        lines
    }

    fn widths(&self, limit: usize) -> Vec<usize> {
        let n_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
        let mut widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0)).collect();
        let limit = limit.saturating_sub(GAP * n_columns.saturating_sub(1));
        // The widest column gives one cell at a time, so that narrow ones stay whole.
        while widths.iter().sum::<usize>() > limit {
            let Some(widest) = widths.iter_mut().max() else { break };
            if *widest <= MIN_WIDTH {
                break;
            }
            *widest -= 1;
        }
        widths
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = widths.iter().enumerate().map(|(column, width)| {
        let text = cut(row.get(column).map_or("", String::as_str), *width);
        let padding = " ".repeat(width.saturating_sub(text.width()));
        text + &padding
    });
    cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
}
