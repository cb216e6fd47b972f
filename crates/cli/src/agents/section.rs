//! A marked section of a Markdown file that belongs to the project. All other bytes stay.

const BEGIN: &str = "<!-- cairn agents: begin; `cairn agents remove` takes this section away -->";
const END: &str = "<!-- cairn agents: end -->";

/// Writes the section: in place of an earlier one, else at the end, after one line end.
///
/// Exactly one line end is added, whatever the text ends with, so that removing knows what was there.
pub(super) fn install(text: &str, body: &str) -> String {
    let end = line_end(text);
    let own = format!("{BEGIN}\n{body}{END}\n").replace('\n', end);
    match find(text) {
        Some((start, stop)) => [&text[..start], &own, &text[stop..]].concat(),
        None if text.is_empty() => own,
        None => [text, end, &own].concat(),
    }
}

/// Removes the section and the line end before it.
pub(super) fn remove(text: &str) -> String {
    let Some((start, stop)) = find(text) else { return text.to_owned() };
    let before = &text[..start];
    let before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).unwrap_or(before);
    [before, &text[stop..]].concat()
}

/// Returns the range of the section, with its last line end.
fn find(text: &str) -> Option<(usize, usize)> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let rest = &text[end..];
    let n_end = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    Some((start, end + n_end))
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn section_goes_to_the_end_and_is_replaced_in_place() {
        let text = install("# Project\n", "Do this.\n");
        assert_eq!(text, format!("# Project\n\n{BEGIN}\nDo this.\n{END}\n"));
        let text = format!("{text}\nMore.\n");
        let updated = install(&text, "Do that.\n");
        assert_eq!(updated, format!("# Project\n\n{BEGIN}\nDo that.\n{END}\n\nMore.\n"));
        assert_eq!(remove(&updated), "# Project\n\nMore.\n");
        assert_eq!(install("a\r\n", "b\n"), format!("a\r\n\r\n{BEGIN}\r\nb\r\n{END}\r\n"));
    }

    proptest! {
        #[test]
        fn removing_restores_every_byte(text in "([a-z #-]{0,6}(\n|\r\n)?){0,6}") {
            let installed = install(&text, "One.\n\nTwo.\n");
            prop_assert_eq!(install(&installed, "One.\n\nTwo.\n"), &*installed);
            prop_assert_eq!(remove(&installed), text);
        }
    }
}
