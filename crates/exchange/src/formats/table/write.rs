//! Writes items as a table. A cell that a spreadsheet would take for a formula begins with `'`.

use std::io::{self, Write};

use serde_json::Value;

use crate::export::{Exported, referred, text, texts};

const COLUMNS: &[&str] = &[
    "id",
    "number",
    "kind",
    "title",
    "status",
    "state",
    "priority",
    "type",
    "severity",
    "size",
    "labels",
    "assignees",
    "author",
    "milestone",
    "board",
    "parent",
    "blockedBy",
    "started",
    "due",
    "completed",
    "created",
    "updated",
    "comments",
    "description",
];

/// Writes a table, row by row.
pub(crate) struct Writer<W: Write>(csv::Writer<W>);

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W) -> io::Result<Self> {
        // The line end that RFC 4180 has.
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
        writer.write_record(COLUMNS)?;
        Ok(Self(writer))
    }

    pub(crate) fn item(&mut self, item: &Exported) -> io::Result<()> {
        let cells = COLUMNS.iter().map(|column| guarded(cell(item, column)));
        self.0.write_record(cells).map_err(io::Error::from)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn cell(item: &Exported, column: &str) -> String {
    match column {
        "labels" | "assignees" => texts(item, column).join(", "),
        "milestone" | "board" | "parent" => referred(item, column, "title").to_owned(),
        "blockedBy" => {
            let numbers = item.get(column).and_then(Value::as_array).into_iter().flatten();
            let numbers = numbers.filter_map(|one| one.get("number")?.as_u64()).map(|number| format!("#{number}"));
            numbers.collect::<Vec<_>>().join(", ")
        }
        "number" | "priority" => item.get(column).map_or_else(String::new, Value::to_string),
        "comments" => item.get("commentCount").map_or_else(String::new, Value::to_string),
        _ => text(item, column).to_owned(),
    }
}

/// Characters that make a spreadsheet take a cell for a formula, in their usual and their wide form, and white space
/// that some programs skip before them.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Keeps a spreadsheet from taking a text for a formula, and a text that begins like a guarded one from being unguarded.
pub(crate) fn guarded(cell: String) -> String {
    if is_formula(cell.trim_start_matches('\'')) { format!("'{cell}") } else { cell }
}

fn is_formula(text: &str) -> bool {
    text.trim_start_matches(' ').starts_with(FORMULA_STARTS)
}

/// Returns the text that was guarded.
pub(crate) fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_formula(text.trim_start_matches('\''))).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_read_back() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1", "\n=1", "'=1", "''+1"] {
            let cell = guarded(text.to_owned());
            assert_eq!((cell.as_str(), unguarded(&cell)), (format!("'{text}").as_str(), text));
        }
        for text in ["", "a=1", "'quoted'", "1-1"] {
            assert_eq!((guarded(text.to_owned()).as_str(), unguarded(text)), (text, text));
        }
    }
}
