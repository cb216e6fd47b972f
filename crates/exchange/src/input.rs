//! What is imported: a file, a folder, or standard input, which is copied to a temporary file, since readers read their
//! input twice. Files in UTF-16 are copied too, as UTF-8.

mod encoding;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use app::Error;
use tempfile::NamedTempFile;

/// Maximum length of a line of JSON and of a file that is read as a whole, as for an operation of the log.
pub(crate) const MAX_UNIT: usize = store::format::OP_LIMIT;

/// Maximum length of one element of a file that is read element by element: an issue with all its comments.
const MAX_ELEMENT: u64 = 64 * 1024 * 1024;

/// An input that can be read several times.
pub(crate) struct Input {
    /// How messages name it.
    name: String,
    path: PathBuf,
    /// Keeps the copy of standard input until the end.
    _copy: Option<NamedTempFile>,
}

impl Input {
    /// Opens a file or a folder; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Self::copy_of(&mut std::io::stdin().lock());
        }
        let name = model::text::escape_line(&path.display().to_string());
        if let Err(error) = std::fs::metadata(path) {
            return Err(Error::invalid(format!("cannot read `{name}`: {error}")));
        }
        Self { name, path: path.to_owned(), _copy: None }.in_utf_8()
    }

    /// Returns the input with its text in UTF-8, if it is in UTF-16.
    fn in_utf_8(self) -> Result<Self, Error> {
        if self.path.is_dir() {
            return Ok(self);
        }
        let mut file = BufReader::new(File::open(&self.path).map_err(|error| self.failed(&error))?);
        let mark = file.fill_buf().map_err(|error| self.failed(&error))?;
        let Some(order) = encoding::ByteOrder::of_mark(mark) else { return Ok(self) };
        let cannot = |error: std::io::Error| Error::unavailable(format!("cannot write a temporary file: {error}"));
        let mut copy = NamedTempFile::new().map_err(cannot)?;
        encoding::to_utf_8(&mut file, order, &mut copy, &self.name)?;
        Ok(Self { name: self.name, path: copy.path().to_owned(), _copy: Some(copy) })
    }

    fn copy_of(input: &mut dyn Read) -> Result<Self, Error> {
        let cannot = |error: std::io::Error| Error::unavailable(format!("cannot read standard input: {error}"));
        let mut copy = NamedTempFile::new().map_err(cannot)?;
        std::io::copy(input, &mut copy).map_err(cannot)?;
        copy.seek(SeekFrom::Start(0)).map_err(cannot)?;
        Self { name: "standard input".to_owned(), path: copy.path().to_owned(), _copy: Some(copy) }.in_utf_8()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Opens the file from its beginning, without a byte order mark.
    pub(crate) fn reader(&self) -> Result<BufReader<File>, Error> {
        if self.path.is_dir() {
            return Err(Error::invalid(format!("`{}` is a folder", self.name)).hint("name the file to import"));
        }
        let mut file =
            BufReader::with_capacity(64 * 1024, File::open(&self.path).map_err(|error| self.failed(&error))?);
        if file.fill_buf().map_err(|error| self.failed(&error))?.starts_with(b"\xef\xbb\xbf") {
            file.consume(3);
        }
        Ok(file)
    }

    /// Opens the file from its beginning, to be read element by element. Reading fails if an element is too long, so
    /// that memory is bounded; the caller tells the limit where an element ends.
    pub(crate) fn element_reader(&self) -> Result<(BufReader<ElementReader>, ElementLimit), Error> {
        let limit = ElementLimit::default();
        let file = self.reader()?;
        Ok((BufReader::with_capacity(64 * 1024, ElementReader { file, left: Rc::clone(&limit.0) }), limit))
    }

    /// Calls `each` with every line that is not empty and its number from 1.
    pub(crate) fn each_line(&self, mut each: impl FnMut(usize, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let mut reader = self.reader()?;
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            // Two more than allowed: room for a line end of two bytes, and enough to notice a longer line.
            let limit = MAX_UNIT as u64 + 2;
            let read = reader.by_ref().take(limit).read_until(b'\n', &mut line);
            if read.map_err(|error| self.failed(&error))? == 0 {
                break;
            }
            if line.len() > MAX_UNIT {
                return Err(self.at(number, None, "the line is longer than 16 MiB"));
            }
            let text = line.trim_ascii();
            if !text.is_empty() {
                each(number, text)?;
            }
        }
        Ok(())
    }

    /// Returns an error at a line and a column, both from 1.
    pub(crate) fn at(&self, line: usize, column: Option<usize>, why: impl std::fmt::Display) -> Error {
        let column = column.map_or_else(String::new, |column| format!(", column {column}"));
        Error::invalid(format!("`{}`: line {line}{column}: {why}", self.name))
    }

    /// Returns the error for malformed JSON; `line` is the line that the text began on.
    pub(crate) fn bad_json(&self, line: usize, error: &serde_json::Error) -> Error {
        let text = error.to_string();
        if let Ok(Some(error)) = self.find_bad_utf_8() {
            return error;
        }
        if error.is_io() {
            return Error::invalid(format!("`{}`: {text}", self.name));
        }
        let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why);
        let what = if error.is_data() { why.to_owned() } else { format!("not valid JSON: {why}") };
        self.at(line + error.line().saturating_sub(1), Some(error.column().max(1)), what)
    }

    /// Returns the error for a file that is not UTF-8.
    pub(crate) fn not_utf_8(&self) -> Error {
        let found = self.find_bad_utf_8().ok().flatten();
        found.unwrap_or_else(|| encoding::hinted(Error::invalid(format!("`{}` is not UTF-8", self.name))))
    }

    /// Looks for the first byte that is not UTF-8. Only for an error: parsers do not say where it is.
    fn find_bad_utf_8(&self) -> Result<Option<Error>, Error> {
        let place = encoding::find_bad_utf_8(self.reader()?).map_err(|error| self.failed(&error))?;
        Ok(place.map(|(line, column)| encoding::hinted(self.at(line, Some(column), "not UTF-8"))))
    }

    /// Returns the error of a failed read.
    pub(crate) fn failed(&self, error: &std::io::Error) -> Error {
        Error::unavailable(format!("cannot read `{}`: {error}", self.name))
    }
}

/// How many bytes may still be read until an element ends.
pub(crate) struct ElementLimit(Rc<Cell<u64>>);

impl Default for ElementLimit {
    fn default() -> Self {
        Self(Rc::new(Cell::new(MAX_ELEMENT)))
    }
}

impl ElementLimit {
    /// Notes that an element ended.
    pub(crate) fn restart(&self) {
        self.0.set(MAX_ELEMENT);
    }
}

/// A file that refuses to be read further than an [`ElementLimit`] says.
pub(crate) struct ElementReader {
    file: BufReader<File>,
    left: Rc<Cell<u64>>,
}

impl Read for ElementReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        let left = self.left.get().checked_sub(n as u64);
        self.left
            .set(left.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an element is longer than 64 MiB"))?);
        Ok(n)
    }
}

/// Reads a whole file of a folder as text.
pub(crate) fn read_text(path: &Path, name: &str) -> Result<String, Error> {
    let failed = |error: std::io::Error| Error::unavailable(format!("cannot read `{name}`: {error}"));
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(MAX_UNIT as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > MAX_UNIT {
        return Err(Error::invalid(format!("`{name}` is longer than 16 MiB")));
    }
    if let Some(order) = encoding::ByteOrder::of_mark(&bytes) {
        let mut text = Vec::new();
        encoding::to_utf_8(&mut bytes.as_slice(), order, &mut text, name)?;
        bytes = text;
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = encoding::find_bad_utf_8(error.as_bytes()).ok().flatten();
        let (line, column) = place.unwrap_or((1, 1));
        encoding::hinted(Error::invalid(format!("`{name}`: line {line}, column {column}: not UTF-8")))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
impl Input {
    /// An input with this text.
    pub(crate) fn of(text: &str) -> Self {
        let copy = Self::copy_of(&mut text.as_bytes()).unwrap();
        Self { name: "input".to_owned(), ..copy }
    }
}
