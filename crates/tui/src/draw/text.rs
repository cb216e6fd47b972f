//! Text in cells: escaping, cutting and wrapping by display width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Escapes a text of the log for one line.
pub(super) fn safe(text: &str) -> String {
    model::text::escape_line(text)
}

/// Cuts a line to a width, with an ellipsis.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// Breaks a line at spaces; a word that is wider than a line is broken anywhere. Indentation stays on the first line.
pub(super) fn wrap(line: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let text = line.trim_start_matches(' ');
    let mut lines = vec![" ".repeat((line.len() - text.len()).min(width / 2))];
    for word in text.split(' ') {
        let used = lines.last().map_or(0, |last| last.width());
        let is_first = lines.last().is_none_or(|last| last.trim().is_empty());
        if !is_first && used + 1 + word.width() > width {
            lines.push(String::new());
        } else if !is_first {
            push_char(&mut lines, ' ', width);
        }
        word.chars().for_each(|c| push_char(&mut lines, c, width));
    }
    lines
}

fn push_char(lines: &mut Vec<String>, c: char, width: usize) {
    let is_full = lines.last().is_none_or(|last| last.width() + c.width().unwrap_or(0) > width);
    if is_full {
        lines.push(String::new());
    }
    if let Some(last) = lines.last_mut() {
        last.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_its_room() {
        let text = "  ログインできない on Safari, العربية and aVeryLongWordWithoutAnySpace 🎉 done";
        for width in 2..40 {
            let lines = wrap(text, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:?}");
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            assert_eq!(letters(&lines.concat()), letters(text), "{width}");
            assert!(cut(text, width).width() <= width, "{width}");
        }
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
