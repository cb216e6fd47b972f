//! Validation of text that enters the log, escaping, and counts in words. Text that is already in the log is never
//! refused; it is shown escaped.

use std::fmt::{Display, Write as _};

use crate::value_error::ValueError;

/// Maximum length of a title, in characters.
pub const TITLE_LIMIT: usize = 1_000;
/// Maximum length of a description or comment, in bytes.
pub const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Returns a number with its noun: `1 line`, `3 lines`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let ending = if n == N::from(1) { "" } else { "s" };
    format!("{n} {noun}{ending}")
}

/// Checks a single-line text, such as a title or a label, and trims it.
pub fn check_line(name: &str, text: &str) -> Result<String, ValueError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ValueError::Empty { name: name.to_owned() });
    }
    refuse_nul(name, text)?;
    if text.contains(['\n', '\r']) {
        return Err(ValueError::SeveralLines { name: name.to_owned() });
    }
    let length = text.chars().count();
    if length > TITLE_LIMIT {
        return Err(ValueError::LongLine { name: name.to_owned(), length });
    }
    Ok(text.to_owned())
}

/// Checks a multi-line text.
pub fn check_body(name: &str, text: &str) -> Result<String, ValueError> {
    refuse_bad_body(name, text)?;
    Ok(text.to_owned())
}

/// Fails if a multi-line text must not enter the log.
pub fn refuse_bad_body(name: &str, text: &str) -> Result<(), ValueError> {
    refuse_nul(name, text)?;
    if text.len() > BODY_LIMIT {
        return Err(ValueError::LongBody { name: name.to_owned(), length: text.len() });
    }
    Ok(())
}

/// Checks a label: one line without a comma, which separates labels in lists.
pub fn check_label(text: &str) -> Result<String, ValueError> {
    let label = check_line("label", text)?;
    if label.contains(',') {
        return Err(ValueError::CommaInLabel(label));
    }
    Ok(label)
}

fn refuse_nul(name: &str, text: &str) -> Result<(), ValueError> {
    if text.contains('\0') {
        return Err(ValueError::Nul { name: name.to_owned() });
    }
    Ok(())
}

/// Returns `text` with every character escaped that could move the cursor, change colors or reorder the line.
pub fn escape_line(text: &str) -> String {
    escape(text, |_| false)
}

/// Maximum length of quoted input, in characters: enough to recognize it, whatever a client sends.
const MAX_QUOTED: usize = 80;

/// Returns `text` as an error message quotes it: escaped, and cut if it is long.
pub fn quoted(text: &str) -> String {
    escape_line(text).chars().take(MAX_QUOTED).collect()
}

/// Returns `text` escaped for printing, with its line breaks and tabs.
pub fn escape_block(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// Returns equivalent JSON in which characters that a terminal might interpret or hide are escaped.
pub fn escape_json(json: String) -> String {
    if json.is_ascii() && !json.contains(|c: char| c.is_control() && c != '\n') {
        return json;
    }
    let push = |safe: &mut String, c: char| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(safe, "\\u{unit:04x}");
        }
    };
    escape_with(&json, |c| c == '\n', push)
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    if is_printable_ascii(text) {
        return text.to_owned();
    }
    escape_with(text, keep, push_escaped)
}

/// Returns whether a text has only visible ASCII characters and spaces: nothing to escape, one cell each.
pub fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn escape_with(text: &str, keep: impl Fn(char) -> bool, push_escape: impl Fn(&mut String, char)) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = || rest.clone().next();
        let is_visible = !is_invisible(c) || is_joined(before, c, after);
        if keep(c) || !is_unsafe(c) && is_visible {
            safe.push(c);
        } else {
            push_escape(&mut safe, c);
        }
        before = Some(c);
    }
    safe
}

// Right-to-left letters are fine; invisible bidirectional overrides can forge text.
fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

// Two titles that look alike may differ in these. Variation selectors are not included: they select a glyph of the
// preceding character.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Returns whether an invisible character is functional: joiners between emoji and in scripts that need them, and
/// direction marks next to right-to-left letters.
fn is_joined(before: Option<char>, c: char, after: impl Fn() -> Option<char>) -> bool {
    match c {
        '\u{200d}' if before.is_some_and(ends_emoji) => after().is_some_and(is_emoji),
        '\u{200c}' | '\u{200d}' => before.is_some_and(is_of_joining_script),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => [before, after()].into_iter().flatten().any(is_right_to_left),
        _ => false,
    }
}

// Approximately the pictographs; a joiner after anything else has no function.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}'
        | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
}

fn ends_emoji(c: char) -> bool {
    is_emoji(c) || c == '\u{fe0f}'
}

// Arabic to N'Ko, the scripts of India and Southeast Asia, Mongolian, and the later blocks of Arabic.
fn is_of_joining_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{7ff}' | '\u{860}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1700}'..='\u{18af}'
        | '\u{1a00}'..='\u{1cff}' | '\u{a800}'..='\u{a8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn push_escaped(safe: &mut String, c: char) {
    match c {
        '\n' | '\t' | '\r' => safe.extend(c.escape_default()),
        '\u{1b}' => safe.push_str("\\e"),
        _ => safe.extend(c.escape_unicode()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noun_agrees_with_its_number() {
        let counts = [0_u64, 1, 2].map(|n| counted(n, "line"));
        assert_eq!(counts, ["0 lines", "1 line", "2 lines"]);
    }

    #[test]
    fn escapes_and_overrides_become_visible() {
        assert_eq!(escape_line("a\x1b[31mb\u{202e}c\nd"), "a\\e[31mb\\u{202e}c\\nd");
        assert_eq!(escape_block("a\n\tb\r"), "a\n\tb\\r");
        assert_eq!(escape_line("שלום 🎉"), "שלום 🎉");
    }

    #[test]
    fn characters_without_a_shape_become_visible() {
        let check = |text: &str, expected: &str| assert_eq!(escape_line(text), expected, "{text:?}");
        for c in "\u{ad}\u{200b}\u{200c}\u{200d}\u{200e}\u{2060}\u{feff}\u{3164}\u{e0041}\u{1d173}".chars() {
            check(&format!("ad{c}min"), &format!("ad{}min", c.escape_unicode()));
            check(&c.to_string(), &c.escape_unicode().to_string());
        }
        check("👩\u{200d}", "👩\\u{200d}");
        check("a\u{200d}👩", "a\\u{200d}👩");
        for text in ["👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥", "می\u{200c}خواهم", "क्\u{200d}ष", "(א\u{200f})", "naïve – ok"]
        {
            check(text, text);
        }
    }

    #[test]
    fn json_is_made_safe_without_changing_what_it_means() {
        let value = serde_json::json!({"title": "a\u{9b}31m\u{202e}b\u{7f}\u{200b}\u{e0041}"});
        let safe = escape_json(value.to_string());
        assert!(safe.is_ascii());
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }

    #[test]
    fn lines_are_checked() {
        assert_eq!(check_line("title", "  Fix it \n").unwrap(), "Fix it");
        for bad in ["", " \n", "a\nb", "a\0b", &"x".repeat(TITLE_LIMIT + 1)] {
            assert!(check_line("title", bad).is_err());
        }
        assert!(check_label("a,b").is_err());
    }
}
