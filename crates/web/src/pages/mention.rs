//! Mentions of items in text: `#12`.

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text without mentions.
    Text(&'a str),
    /// A mention, such as `#12`.
    Mention(&'a str),
}

/// Splits text at its mentions.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (start, _) in text.match_indices('#') {
        if let Some(end) = end_of_mention(text, start) {
            pieces.push(Piece::Text(&text[from..start]));
            pieces.push(Piece::Mention(&text[start..end]));
            from = end;
        }
    }
    pieces.push(Piece::Text(&text[from..]));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

/// Returns the URL of a mentioned item.
pub(super) fn address(mention: &str) -> String {
    format!("/item/{}", mention.trim_start_matches('#'))
}

// `a#1`, `##1` and `#1a` are not mentions. Nine digits are enough for any project.
fn end_of_mention(text: &str, start: usize) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#');
    let digits = text[start + 1..].bytes().take_while(u8::is_ascii_digit).count();
    let end = start + 1 + digits;
    let is_alone = !text[..start].ends_with(is_word) && !text[end..].starts_with(is_word);
    ((1..=9).contains(&digits) && is_alone).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_found_among_words() {
        assert_eq!(pieces("see #12, ü#3"), [Piece::Text("see "), Piece::Mention("#12"), Piece::Text(", ü#3")]);
        assert_eq!(pieces("#1#2"), [Piece::Text("#1#2")]);
        assert_eq!(pieces(""), []);
    }
}
