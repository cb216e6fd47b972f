//! Tables in CSV with a heading: rows one at a time, cells by the name of their column. A name may occur several times,
//! as in the tables of Jira.

pub(crate) mod write;

use std::collections::HashMap;
use std::io::{self, Read};

use app::Error;

use crate::input::Input;

/// The columns of a table, by lower-case name.
pub(crate) struct Columns(HashMap<String, Vec<usize>>);

pub(crate) struct TableRow<'a> {
    columns: &'a Columns,
    cells: csv::StringRecord,
    /// Where it is, for messages.
    pub(crate) place: String,
}

/// Calls `each` with every row.
pub(crate) fn each_row(input: &Input, mut each: impl FnMut(&TableRow<'_>) -> Result<(), Error>) -> Result<(), Error> {
    let delimiter = delimiter(input);
    let (reader, limit) = input.element_reader()?;
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(false).from_reader(reader);
    let mut columns: HashMap<String, Vec<usize>> = HashMap::new();
    for (n, name) in reader.headers().map_err(|error| bad_table(input, &error))?.iter().enumerate() {
        columns.entry(normal(name)).or_default().push(n);
    }
    let columns = Columns(columns);
    let mut cells = csv::StringRecord::new();
    let mut last = csv::Position::new();
    while reader.read_record(&mut cells).map_err(|error| bad_table(input, &error))? {
        limit.restart();
        last = cells.position().cloned().unwrap_or(last);
        let line = cells.position().map_or(0, csv::Position::line);
        let place = format!("`{}`: line {line}", input.name());
        let row = TableRow { columns: &columns, cells: std::mem::take(&mut cells), place };
        each(&row)?;
        cells = row.cells;
    }
    refuse_open_quote(input, delimiter, &last)
}

/// Fails if a quoted cell of the last row does not end. The parser takes all that follows for its text: of a file that
/// was cut off, it would look whole.
fn refuse_open_quote(input: &Input, delimiter: u8, row: &csv::Position) -> Result<(), Error> {
    let mut reader = input.reader()?;
    io::copy(&mut reader.by_ref().take(row.byte()), &mut io::sink()).map_err(|error| input.failed(&error))?;
    let (mut line, mut column) = (usize::try_from(row.line()).unwrap_or(0), 0);
    let mut quote = None;
    let mut is_start = true;
    for byte in reader.bytes() {
        let byte = byte.map_err(|error| input.failed(&error))?;
        column += 1;
        match byte {
            // Two quotes inside of a cell close it and open it again, which comes to the same.
            b'"' if quote.is_some() => (quote, is_start) = (None, true),
            b'"' if is_start => quote = Some((line, column)),
            _ => is_start = byte == delimiter || matches!(byte, b'\n' | b'\r'),
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

// Spreadsheets of many countries write semicolons.
fn delimiter(input: &Input) -> u8 {
    let mut first = Vec::new();
    let _ = input.each_line(|_, line| {
        first = line.to_vec();
        Err(Error::invalid("stopped"))
    });
    let count = |byte: u8| first.split(|one| *one == byte).count();
    [b',', b';', b'\t'].into_iter().max_by_key(|byte| (count(*byte), *byte == b',')).unwrap_or(b',')
}

fn bad_table(input: &Input, error: &csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            let line = usize::try_from(line).unwrap_or(0);
            let column = usize::try_from(*len.min(expected_len)).unwrap_or(0);
            input.at(line, Some(column + 1), format!("the row has {len} cells, the heading has {expected_len}"))
        }
        csv::ErrorKind::Utf8 { pos, err } => {
            let line = usize::try_from(pos.as_ref().map_or(0, csv::Position::line)).unwrap_or(0);
            input.at(line, Some(err.field() + 1), "not UTF-8")
        }
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
        self.0.contains_key(&normal(name))
    }

    /// Returns the names of all columns, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
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
        names.iter().find_map(|name| self.get(name))
    }

    /// Returns the cells of all columns with a name that are not empty.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let places = self.columns.0.get(&normal(name)).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|place| self.cells.get(*place)).map(str::trim).filter(|cell| !cell.is_empty())
    }

    /// Parses a cell.
    pub(crate) fn parsed<T>(&self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Error> {
        let cell = self.get(name).map(parse).transpose();
        cell.map_err(|why| Error::invalid(format!("{}, column `{name}`: {why}", self.place)))
    }
}

fn normal(name: &str) -> String {
    name.trim().trim_start_matches('\u{feff}').to_lowercase()
}
