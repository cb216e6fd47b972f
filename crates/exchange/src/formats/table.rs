//! Tables in CSV with a heading: rows one at a time, cells by the name of their column. A name may occur several times,
//! as in the tables of Jira.

pub(crate) mod write;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, BufRead as _, Read};

use app::Error;

use super::times;
use crate::input::Input;
use crate::item::LeftOut;

/// The columns of a table, by lower-case name.
pub(crate) struct Columns {
    places: HashMap<String, Vec<usize>>,
    names: Vec<String>,
    /// The columns that a reader asked for.
    is_read: RefCell<Vec<bool>>,
}

pub(crate) struct TableRow<'a> {
    columns: &'a Columns,
    cells: csv::StringRecord,
    /// Where it is, for messages.
    pub(crate) place: String,
}

/// How many cells a row may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowLength {
    /// As many as the heading.
    Whole,
    /// The last one may be missing: some tables of Linear have no cell below `Roadmaps`.
    MayLackLast,
}

impl RowLength {
    fn max_missing(self) -> usize {
        match self {
            Self::Whole => 0,
            Self::MayLackLast => 1,
        }
    }
}

/// Calls `each` with every row, and returns the columns with values that it never asked for.
pub(crate) fn each_row(
    input: &Input,
    rows: RowLength,
    mut each: impl FnMut(&TableRow<'_>) -> Result<(), Error>,
) -> Result<Vec<LeftOut>, Error> {
    let start = Start::of(input)?;
    let (mut reader, limit) = input.element_reader()?;
    io::copy(&mut reader.by_ref().take(start.n_bytes), &mut io::sink()).map_err(|error| input.failed(&error))?;
    let mut reader = csv::ReaderBuilder::new().delimiter(start.delimiter).flexible(true).from_reader(reader);
    let line_of = |position: Option<&csv::Position>| position.map_or(0, csv::Position::line) + start.n_lines;
    let mut columns = Columns { places: HashMap::new(), names: Vec::new(), is_read: RefCell::default() };
    for (n, name) in reader.headers().map_err(|error| bad_table(input, &error))?.iter().enumerate() {
        columns.places.entry(normal(name)).or_default().push(n);
        columns.names.push(name.trim().trim_start_matches('\u{feff}').to_owned());
    }
    columns.is_read.get_mut().resize(columns.names.len(), false);
    let mut unread: Vec<(usize, String)> = vec![(0, String::new()); columns.names.len()];
    let mut cells = csv::StringRecord::new();
    let mut last = csv::Position::new();
    while reader.read_record(&mut cells).map_err(|error| bad_table(input, &error))? {
        limit.restart();
        let n_missing = columns.names.len().checked_sub(cells.len());
        if n_missing.is_none_or(|n_missing| n_missing > rows.max_missing()) {
            return Err(bad_length(input, line_of(cells.position()), cells.len(), columns.names.len()));
        }
        last = cells.position().cloned().unwrap_or(last);
        let place = format!("`{}`: line {}", input.name(), line_of(cells.position()));
        let row = TableRow { columns: &columns, cells: std::mem::take(&mut cells), place };
        each(&row)?;
        row.count_unread(&mut unread);
        cells = row.cells;
    }
    refuse_open_quote(input, &start, &last)?;
    let is_read = columns.is_read.into_inner();
    let unread = unread.into_iter().zip(columns.names).zip(is_read).filter(|((one, _), is_read)| one.0 > 0 && !is_read);
    let left_out = unread.map(|(((count, example), name), _)| {
        let what = format!("column `{}`", model::text::escape_line(&name));
        LeftOut { count, ..LeftOut::new(what, "nothing here reads it", model::text::quoted(&example)) }
    });
    Ok(left_out.collect())
}

/// How a table begins.
struct Start {
    delimiter: u8,
    /// Bytes and lines before the heading: a spreadsheet may say its separator in a line of its own.
    n_bytes: u64,
    n_lines: u64,
}

impl Start {
    // Spreadsheets of many countries write semicolons.
    fn of(input: &Input) -> Result<Self, Error> {
        let mut first = Vec::new();
        let mut reader = input.reader()?;
        // Enough for the names of all columns of Jira.
        let n_read = reader.by_ref().take(1024 * 1024).read_until(b'\n', &mut first);
        n_read.map_err(|error| input.failed(&error))?;
        if let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] = first.trim_ascii_end() {
            return Ok(Self { delimiter: *delimiter, n_bytes: first.len() as u64, n_lines: 1 });
        }
        let count = |byte: u8| first.split(|one| *one == byte).count();
        let delimiters = [b',', b';', b'\t'];
        let delimiter = delimiters.into_iter().max_by_key(|byte| (count(*byte), *byte == b',')).unwrap_or(b',');
        Ok(Self { delimiter, n_bytes: 0, n_lines: 0 })
    }
}

/// Fails if a quoted cell of the last row does not end. The parser takes all that follows for its text: of a file that
/// was cut off, it would look whole.
fn refuse_open_quote(input: &Input, start: &Start, row: &csv::Position) -> Result<(), Error> {
    let mut reader = input.reader()?;
    let n_before = start.n_bytes + row.byte();
    io::copy(&mut reader.by_ref().take(n_before), &mut io::sink()).map_err(|error| input.failed(&error))?;
    let (mut line, mut column) = (usize::try_from(row.line() + start.n_lines).unwrap_or(0), 0);
    let mut quote = None;
    let mut is_start = true;
    for byte in reader.bytes() {
        let byte = byte.map_err(|error| input.failed(&error))?;
        column += 1;
        match byte {
            // Two quotes inside of a cell close it and open it again, which comes to the same.
            b'"' if quote.is_some() => (quote, is_start) = (None, true),
            b'"' if is_start => quote = Some((line, column)),
            _ => is_start = byte == start.delimiter || matches!(byte, b'\n' | b'\r'),
        }
        if byte == b'\n' {
            (line, column) = (line + 1, 0);
        }
    }
    match quote {
        None => Ok(()),
        Some((line, column)) => Err(input.at(line, Some(column), "the quoted cell does not end")),
    }
}

fn bad_length(input: &Input, line: u64, n_cells: usize, n_expected: usize) -> Error {
    let line = usize::try_from(line).unwrap_or(0);
    let column = n_cells.min(n_expected) + 1;
    input.at(line, Some(column), format!("the row has {n_cells} cells, the heading has {n_expected}"))
}

fn bad_table(input: &Input, error: &csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => input.not_utf_8(),
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            Error::invalid(format!("`{}`: {error}; a quoted cell may not end", input.name()))
        }
        csv::ErrorKind::Io(error) => input.failed(error),
        _ => Error::invalid(format!("`{}`: {error}", input.name())),
    }
}

impl Columns {
    /// Returns whether there is a column.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(&normal(name))
    }

    /// Returns the names of all columns in lower case, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.places.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Returns the places of the columns with a name, which count as read then.
    fn places(&self, name: &str) -> &[usize] {
        let places = self.places.get(&normal(name)).map_or(&[][..], Vec::as_slice);
        let mut is_read = self.is_read.borrow_mut();
        for place in places {
            is_read[*place] = true;
        }
        places
    }
}

impl TableRow<'_> {
    /// Returns the columns of the table.
    pub(crate) fn columns(&self) -> &Columns {
        self.columns
    }

    /// Returns the first cell of a column that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns the first cell that is not empty of several columns.
    pub(crate) fn first(&self, names: &[&str]) -> Option<&str> {
        // All of them are read, also those after the first with a value.
        let cells: Vec<&str> = names.iter().filter_map(|name| self.get(name)).collect();
        cells.first().copied()
    }

    /// Returns the cells of all columns with a name that are not empty.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let places = self.columns.places(name);
        places.iter().filter_map(|place| self.cells.get(*place)).map(str::trim).filter(|cell| !cell.is_empty())
    }

    /// The same, with the white space around them.
    pub(crate) fn raw(&self, name: &str) -> impl Iterator<Item = &str> {
        let places = self.columns.places(name);
        places.iter().filter_map(|place| self.cells.get(*place)).filter(|cell| !cell.trim().is_empty())
    }

    /// Returns the names of the columns that nothing asked for yet, and that have a value here.
    pub(crate) fn unread(&self) -> Vec<&str> {
        let is_read = self.columns.is_read.borrow();
        let has_value = |place: usize| self.cells.get(place).is_some_and(|cell| !cell.trim().is_empty());
        let names = self.columns.names.iter().enumerate();
        let mut names: Vec<&str> =
            names.filter(|(place, _)| !is_read[*place] && has_value(*place)).map(|(_, name)| name.as_str()).collect();
        names.dedup();
        names
    }

    /// Notes that columns have nothing that could be imported.
    pub(crate) fn pass_over(&self, names: &[&str]) {
        for name in names {
            self.columns.places(name);
        }
    }

    fn count_unread(&self, unread: &mut [(usize, String)]) {
        let is_read = self.columns.is_read.borrow();
        for (place, cell) in self.cells.iter().enumerate().filter(|(place, _)| !is_read[*place]) {
            let cell = cell.trim();
            if let Some((count, example)) = unread.get_mut(place).filter(|_| !cell.is_empty()) {
                *count += 1;
                if example.is_empty() {
                    cell.clone_into(example);
                }
            }
        }
    }

    /// Parses a cell.
    pub(crate) fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Error> {
        let cell = self.get(name).map(parse).transpose();
        cell.map_err(|why| {
            let is_ambiguous = times::is_ambiguous(&why);
            let error = Error::invalid(format!("{}, column `{name}`: {why}", self.place));
            if !is_ambiguous {
                return error;
            }
            error.hint("`--dates day-first` or `--dates month-first` says how to read all of them")
        })
    }
}

fn normal(name: &str) -> String {
    name.trim().trim_start_matches('\u{feff}').to_lowercase()
}
