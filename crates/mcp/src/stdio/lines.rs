//! Splits bytes into lines. Holds at most one line, and never more of it than the limit.

/// Maximum length of a line, in bytes. Fuzzers get a lower limit that they can reach.
pub(crate) const MAX_LINE: usize = if cfg!(fuzzing) { 1024 } else { 16 * 1024 * 1024 };

/// Buffer capacity that is kept between lines; the memory of a longer line is freed.
const MAX_KEPT_BUFFER: usize = 64 * 1024;

/// A line without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Bytes(Vec<u8>),
    /// The line exceeded [`MAX_LINE`].
    TooLong,
}

/// The bytes of the current, incomplete line.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    partial: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    /// Consumes bytes up to the end of a line; returns how many, and the line if it is complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        self.keep(&bytes[..end.unwrap_or(bytes.len())]);
        match end {
            Some(end) => (end + 1, Some(self.take())),
            None => (bytes.len(), None),
        }
    }

    /// Returns the bytes after the last line break, at the end of input.
    pub(crate) fn finish(&mut self) -> Option<Line> {
        (self.is_too_long || !self.partial.is_empty()).then(|| self.take())
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.is_too_long || self.partial.len() + bytes.len() >= MAX_LINE {
            self.is_too_long = true;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn take(&mut self) -> Line {
        let bytes = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.is_too_long) {
            return Line::TooLong;
        }
        self.partial = Vec::with_capacity(bytes.len().min(MAX_KEPT_BUFFER));
        Line::Bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<Line> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                let (used, line) = lines.feed(rest);
                found.extend(line);
                rest = &rest[used..];
            }
        }
        found.extend(lines.finish());
        found
    }

    #[test]
    fn lines_do_not_depend_on_how_they_arrive() {
        let bytes = |text: &str| Line::Bytes(text.as_bytes().to_vec());
        let expected = [bytes("a"), bytes(""), bytes("bc\r"), bytes("d")];
        assert_eq!(split(&[b"a\n\nbc\r\nd"]), expected);
        assert_eq!(split(&[b"a", b"\n", b"\nb", b"c", b"\r", b"\nd"]), expected);
    }

    #[test]
    fn long_line_is_dropped_and_the_next_one_served() {
        let long = vec![b'x'; MAX_LINE];
        assert_eq!(split(&[&long, &long, b"\nnext\n"]), [Line::TooLong, Line::Bytes(b"next".to_vec())]);
        assert_eq!(split(&[&long]), [Line::TooLong]);
        assert!(matches!(&split(&[&long[1..]])[..], [Line::Bytes(bytes)] if bytes.len() == MAX_LINE - 1));
    }
}
