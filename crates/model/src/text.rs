//! What text may enter the log. Bytes that already are in the log are never refused; they are shown escaped.

/// The longest title, in characters.
pub const TITLE_LIMIT: usize = 1_000;
/// The longest description or comment, in bytes.
pub const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Checks a text of one line, such as a title or a label, and trims it.
pub fn check_line(name: &str, text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("the {name} is empty"));
    }
    refuse_nul(name, text)?;
    if text.contains(['\n', '\r']) {
        return Err(format!("the {name} must be one line; put longer text into the description"));
    }
    let length = text.chars().count();
    if length > TITLE_LIMIT {
        return Err(format!("the {name} has {length} characters; at most {TITLE_LIMIT} are allowed"));
    }
    Ok(text.to_owned())
}

/// Checks a text of many lines.
pub fn check_body(name: &str, text: &str) -> Result<String, String> {
    refuse_nul(name, text)?;
    if text.len() > BODY_LIMIT {
        return Err(format!("the {name} has {} bytes; at most {BODY_LIMIT} are allowed", text.len()));
    }
    Ok(text.to_owned())
}

/// Checks a label: one line without a comma, which separates labels wherever a list of them is typed.
pub fn check_label(text: &str) -> Result<String, String> {
    let label = check_line("label", text)?;
    if label.contains(',') {
        return Err(format!("the label `{label}` contains a comma, which separates labels; give them one by one"));
    }
    Ok(label)
}

fn refuse_nul(name: &str, text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(format!("the {name} contains a NUL character, which no text may"));
    }
    Ok(())
}

/// Returns `text` with every character that could move the cursor, change colours or reorder the line made visible.
pub fn escape_line(text: &str) -> String {
    escape(text, |_| false)
}

/// Returns `text` made safe to print while its line breaks and tabs stay.
pub fn escape_block(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

/// Returns JSON in which the characters a terminal might obey are written as escapes; it means the same.
pub fn escape_json(json: String) -> String {
    if !json.contains(|c: char| is_unsafe(c) && c != '\n') {
        return json;
    }
    let written = |c: char| {
        let escape = format!("\\u{:04x}", u32::from(c));
        if is_unsafe(c) && c != '\n' { escape } else { c.to_string() }
    };
    json.chars().map(written).collect()
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if keep(c) || !is_unsafe(c) {
            safe.push(c);
        } else {
            push_escaped(&mut safe, c);
        }
    }
    safe
}

// Right-to-left letters are fine; the invisible characters that override direction are how text is forged.
fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
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
    fn escapes_and_overrides_become_visible() {
        assert_eq!(escape_line("a\x1b[31mb\u{202e}c\nd"), "a\\e[31mb\\u{202e}c\\nd");
        assert_eq!(escape_block("a\n\tb\r"), "a\n\tb\\r");
        assert_eq!(escape_line("שלום 🎉"), "שלום 🎉");
    }

    #[test]
    fn json_is_made_safe_without_changing_what_it_means() {
        let value = serde_json::json!({"title": "a\u{9b}31m\u{202e}b\u{7f}"});
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
