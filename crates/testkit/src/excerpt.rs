//! Excerpts of long output, so that a snapshot shows the lines under test and not a whole page.

use crate::redact::redact;

/// Returns the lines that contain `part`, redacted; empty if there are none.
pub fn lines_with(text: &str, part: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(part)).collect();
    redact(&lines.join("\n"))
}

/// Returns the tags that contain `part`, one per line and each with the text after it, redacted; empty if there are
/// none.
pub fn tags_with(html: &str, part: &str) -> String {
    lines_with(&html.replace('\n', " ").replace('<', "\n<"), part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_the_part_are_left_out() {
        assert_eq!(lines_with("one\ntwo one \nthree", "one"), "one\ntwo one");
        assert_eq!(lines_with("one", "two"), "");
    }

    #[test]
    fn tag_is_shown_with_its_text() {
        assert_eq!(tags_with("<p>a <b class=x>b\nc</b></p>", "x"), "<b class=x>b c");
    }
}
