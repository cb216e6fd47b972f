//! Truncation by display width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Truncates a text to a width, with an ellipsis.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    let mut kept = String::new();
    let mut left = width - 1;
    for c in text.chars() {
        let cells = c.width().unwrap_or(0);
        if cells > left {
            break;
        }
        left -= cells;
        kept.push(c);
    }
    // A joiner at the end would join the ellipsis to half an emoji.
    let kept = kept.trim_end_matches('\u{200d}');
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(cut("日本語テキスト", 7), "日本語…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(cut("👨\u{200d}👩\u{200d}👧 family", 4), "👨…");
    }
}
