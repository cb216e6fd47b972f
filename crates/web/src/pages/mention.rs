//! Mentions of items and people in text: `#12`, `@grace`.

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text without mentions.
    Text(&'a str),
    /// A mention of an item, such as `#12`.
    Item(&'a str),
    /// What looks like a mention of a person, such as `@grace`.
    Person(&'a str),
}

/// Splits text at its mentions.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    for (start, sign) in text.match_indices(['#', '@']) {
        let end = if sign == "#" { end_of_number(text, start) } else { end_of_handle(text, start) };
        if let Some(end) = end {
            let mention = &text[start..end];
            pieces.push(Piece::Text(&text[from..start]));
            pieces.push(if sign == "#" { Piece::Item(mention) } else { Piece::Person(mention) });
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
fn end_of_number(text: &str, start: usize) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#');
    let digits = text[start + 1..].bytes().take_while(u8::is_ascii_digit).count();
    let end = start + 1 + digits;
    let is_alone = !text[..start].ends_with(is_word) && !text[end..].starts_with(is_word);
    ((1..=9).contains(&digits) && is_alone).then_some(end)
}

// `ada@example.com` is an address. A full stop at the end belongs to the sentence.
fn end_of_handle(text: &str, start: usize) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let rest = &text[start + 1..];
    let handle = rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].trim_end_matches(['.', '-']);
    let is_alone = !text[..start].ends_with(|c: char| is_part(c) || c == '@');
    (!handle.is_empty() && is_alone).then(|| start + 1 + handle.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_found_among_words() {
        assert_eq!(pieces("see #12, ü#3"), [Piece::Text("see "), Piece::Item("#12"), Piece::Text(", ü#3")]);
        assert_eq!(pieces("#1#2"), [Piece::Text("#1#2")]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn people_are_mentioned_but_addresses_are_not() {
        assert_eq!(
            pieces("Ask @ada.l, or @Grace."),
            [
                Piece::Text("Ask "),
                Piece::Person("@ada.l"),
                Piece::Text(", or "),
                Piece::Person("@Grace"),
                Piece::Text(".")
            ]
        );
        for text in ["ada@example.com", "a@b", "@", "@@ada", "mail @ noon"] {
            assert_eq!(pieces(text), [Piece::Text(text)]);
        }
    }
}
