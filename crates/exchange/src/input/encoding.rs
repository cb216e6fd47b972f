//! Encodings of files: UTF-16 is converted, anything else than UTF-8 is found and refused.

use std::io::{BufRead, BufWriter, Write};

use app::Error;

/// The order of the two bytes of a unit of UTF-16. Windows PowerShell writes what `>` redirects in little-endian order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// Returns the order that the byte order mark at the beginning of a file says.
    pub(super) fn of_mark(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, ..] => Some(Self::Little),
            [0xfe, 0xff, ..] => Some(Self::Big),
            _ => None,
        }
    }
}

/// Converts UTF-16 with a byte order mark to UTF-8 without one.
pub(super) fn to_utf_8(
    input: &mut impl BufRead,
    order: ByteOrder,
    out: &mut impl Write,
    name: &str,
) -> Result<(), Error> {
    let mut units = Units { input, order, failure: None };
    let mut out = BufWriter::new(out);
    let (mut line, mut column) = (1, 0);
    let bad =
        |line: usize, column: usize| Error::invalid(format!("`{name}`: line {line}, column {column}: not UTF-16"));
    for c in char::decode_utf16(units.by_ref()) {
        column += 1;
        let c = c.map_err(|_| bad(line, column))?;
        // The first character is the byte order mark.
        if c != '\u{feff}' || (line, column) != (1, 1) {
            out.write_all(c.encode_utf8(&mut [0; 4]).as_bytes()).map_err(|error| cannot_copy(&error))?;
        }
        if c == '\n' {
            (line, column) = (line + 1, 0);
        }
    }
    match units.failure {
        None => out.flush().map_err(|error| cannot_copy(&error)),
        Some(Failure::Odd) => Err(bad(line, column + 1)),
        Some(Failure::Read(error)) => Err(Error::unavailable(format!("cannot read `{name}`: {error}"))),
    }
}

fn cannot_copy(error: &std::io::Error) -> Error {
    Error::unavailable(format!("cannot write a temporary file: {error}"))
}

/// Why the units of a file end early.
enum Failure {
    /// The last one has only one byte.
    Odd,
    Read(std::io::Error),
}

struct Units<'a, R> {
    input: &'a mut R,
    order: ByteOrder,
    failure: Option<Failure>,
}

impl<R: BufRead> Iterator for Units<'_, R> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        let mut unit = [0; 2];
        let mut n_bytes = 0;
        while n_bytes < unit.len() {
            match self.input.read(&mut unit[n_bytes..]) {
                Ok(0) => {
                    self.failure = (n_bytes > 0).then_some(Failure::Odd);
                    return None;
                }
                Ok(n) => n_bytes += n,
                Err(error) => {
                    self.failure = Some(Failure::Read(error));
                    return None;
                }
            }
        }
        Some(match self.order {
            ByteOrder::Little => u16::from_le_bytes(unit),
            ByteOrder::Big => u16::from_be_bytes(unit),
        })
    }
}

/// Returns line and column, both from 1 and in bytes, of the first byte that is not UTF-8.
pub(super) fn find_bad_utf_8(mut input: impl BufRead) -> std::io::Result<Option<(usize, usize)>> {
    let (mut line, mut column) = (1, 1);
    // The beginning of a character that ends in the next part of the file.
    let mut rest: Vec<u8> = Vec::new();
    loop {
        let bytes = input.fill_buf()?;
        let n_bytes = bytes.len();
        let is_end = n_bytes == 0;
        rest.extend_from_slice(bytes);
        input.consume(n_bytes);
        let (n_valid, is_bad) = match std::str::from_utf8(&rest) {
            Ok(_) => (rest.len(), false),
            Err(error) => (error.valid_up_to(), error.error_len().is_some() || is_end),
        };
        for byte in &rest[..n_valid] {
            (line, column) = if *byte == b'\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        if is_bad {
            return Ok(Some((line, column)));
        }
        if is_end {
            return Ok(None);
        }
        rest.drain(..n_valid);
    }
}

/// Adds how to convert the file.
pub(super) fn hinted(error: Error) -> Error {
    error.hint("convert it, for example with `iconv -f WINDOWS-1252 -t UTF-8 FILE`")
}
