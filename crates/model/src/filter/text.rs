//! Quoted text: parsing and printing.
//!
//! Both directions are here because they must stay inverse: `read_quoted` parses what `write_quoted` prints.

use std::fmt;

use super::error::{FilterError, is_hidden, quote};

/// Parses the quoted text at byte `at`; returns the text and its length in bytes, with quotes.
pub(super) fn read_quoted(source: &str, at: usize) -> Result<(String, usize), FilterError> {
    let mark = &source[at..=at];
    let mut text = String::new();
    let mut position = at + 1;
    while let Some(character) = source[position..].chars().next() {
        if source[position..].starts_with(mark) {
            return Ok((text, position + 1 - at));
        }
        let (read, length) = match character {
            '\\' => read_escape(source, position)?,
            plain => (plain, plain.len_utf8()),
        };
        text.push(read);
        position += length;
    }
    Err(FilterError::new(source, at..source.len(), "text in quotes is never closed", &format!("expected `{mark}`")))
}

/// Parses the escape whose backslash is at byte `at`; returns the character and its length in bytes.
fn read_escape(source: &str, at: usize) -> Result<(char, usize), FilterError> {
    let plain = match source[at + 1..].chars().next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some(same @ ('"' | '\'' | '\\')) => same,
        Some('u') => return read_code_point(source, at),
        other => {
            let end = at + 1 + other.map_or(0, char::len_utf8);
            let what = format!("unknown escape {}", quote(&source[at..end]));
            let known = r#"expected one of `\"`, `\'`, `\\`, `\n`, `\t`, `\uXXXX`"#;
            return Err(FilterError::new(source, at..end, &what, known));
        }
    };
    Ok((plain, 2))
}

/// Parses `\uXXXX`, or a surrogate pair of them, as in JSON.
fn read_code_point(source: &str, at: usize) -> Result<(char, usize), FilterError> {
    let Some(first) = read_code_unit(&source[at..]) else {
        return Err(bad_code_point(source, at));
    };
    if let Some(character) = char::from_u32(first.into()) {
        return Ok((character, 6));
    }
    let pair = read_code_unit(&source[at + 6..]).and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    match pair {
        Some(character) => Ok((character, 12)),
        None => Err(bad_code_point(source, at)),
    }
}

fn read_code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if all_digits { u16::from_str_radix(digits, 16).ok() } else { None }
}

fn bad_code_point(source: &str, at: usize) -> FilterError {
    let end = source.floor_char_boundary(at + 6);
    let what = format!("invalid character {}", quote(&source[at..end]));
    FilterError::new(source, at..end, &what, "expected `\\u` and four hexadecimal digits")
}

/// Prints text in double quotes, with invisible characters escaped.
pub(super) fn write_quoted(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            // Every hidden character has a code of at most four digits.
            hidden if is_hidden(hidden) => write!(out, "\\u{:04X}", u32::from(hidden))?,
            plain => out.write_char(plain)?,
        }
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let check = |source: &str, expect: &str| {
            let read = read_quoted(source, 0).expect("is well formed");
            assert_eq!(read, (expect.to_owned(), source.len()), "{source}");
        };
        check(r#""""#, "");
        check("'it is \"so\"'", "it is \"so\"");
        check(r#""a\"b\'c\\d\ne\tf""#, "a\"b'c\\d\ne\tf");
        check(r#""\u00e4\u00C4""#, "äÄ");
        check(r#""\ud83d\uDE00""#, "😀");
    }

    #[test]
    fn reading_stops_at_the_closing_mark() {
        assert_eq!(read_quoted("x 'y' 'z'", 2), Ok(("y".to_owned(), 3)));
    }

    #[test]
    fn invalid_filter_has_a_position() {
        let check = |source: &str, column, message: &str| {
            let error = read_quoted(source, 0).expect_err("is not well formed");
            assert_eq!((error.column, error.to_string().as_str()), (column, message), "{source}");
        };
        check("'open", 1, "text in quotes is never closed at column 1, expected `'`");
        check("\"open\\\"", 1, "text in quotes is never closed at column 1, expected `\"`");
        let known = r#"expected one of `\"`, `\'`, `\\`, `\n`, `\t`, `\uXXXX`"#;
        check("'é\\q'", 3, &format!("unknown escape `\\q` at column 3, {known}"));
        check("'\\", 2, &format!("unknown escape `\\` at column 2, {known}"));
        let digits = "expected `\\u` and four hexadecimal digits";
        check("'\\u12'", 2, &format!("invalid character `\\u12'` at column 2, {digits}"));
        check("'\\u+123'", 2, &format!("invalid character `\\u+123` at column 2, {digits}"));
        check("'\\ud83d'", 2, &format!("invalid character `\\ud83d` at column 2, {digits}"));
        check("'\\u12ä4'", 2, &format!("invalid character `\\u12ä` at column 2, {digits}"));
    }

    #[test]
    fn written_text_reads_back() {
        for text in ["", "plain", "q\"u'o\\te", "\n\t\r\0\u{1b}", "\u{202e}ä😀\u{FEFF}"] {
            let mut written = String::new();
            write_quoted(&mut written, text).expect("a string takes everything");
            assert_eq!(read_quoted(&written, 0), Ok((text.to_owned(), written.len())));
            assert!(!written.chars().any(is_hidden), "{written:?}");
        }
    }
}
