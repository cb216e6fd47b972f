//! Sections of a Markdown page that several tasks write: each replaces its own section and keeps the others.

/// Returns the section with this heading (such as `## Tokens`), up to the next one of the same level.
pub fn find<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let heading = format!("\n{heading}\n");
    let start = page.find(&heading)?;
    let after = start + heading.len();
    // The line break before the next heading ends this section; a subsection has one more `#` and does not match.
    let end = page[after - 1..].find("\n## ").map_or(page.len(), |next| after - 1 + next);
    Some(&page[start..end])
}

/// Returns a page with this section instead of its own, or at its end.
pub fn replace(page: &str, heading: &str, section: &str) -> String {
    match find(page, heading) {
        Some(old) => page.replacen(old, section, 1),
        None => format!("{}\n{section}", page.trim_end()),
    }
}

/// Returns a new page with the sections of an old one under these headings, in the order given.
pub fn keep(new: &str, old: &str, headings: &[&str]) -> String {
    headings.iter().fold(new.to_owned(), |page, heading| match find(old, heading) {
        Some(section) => replace(&page, heading, section),
        None => page,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Page\n\n## First\n\ntext\n\n### Part\n\nmore\n\n## Last\n\nend\n";

    #[test]
    fn a_section_ends_at_the_next_one_of_its_level() {
        assert_eq!(find(PAGE, "## First"), Some("\n## First\n\ntext\n\n### Part\n\nmore\n"));
        assert_eq!(find(PAGE, "## Last"), Some("\n## Last\n\nend\n"));
        assert_eq!(find(PAGE, "## Part"), None);
        assert_eq!(find("# Page\n\n## A\n## B\n", "## A"), Some("\n## A"));
    }

    #[test]
    fn a_section_is_replaced_where_it_is_or_added_at_the_end() {
        let replaced = replace(PAGE, "## First", "\n## First\n\nnew\n");
        assert_eq!(replaced, "# Page\n\n## First\n\nnew\n\n## Last\n\nend\n");
        assert_eq!(replace("# Page\n\nend\n", "## A", "\n## A\n\nx\n"), "# Page\n\nend\n\n## A\n\nx\n");
    }

    #[test]
    fn sections_of_others_are_kept() {
        let kept = keep("# Page\n\nnew\n", PAGE, &["## Last", "## First", "## Absent"]);
        assert_eq!(kept, "# Page\n\nnew\n\n## Last\n\nend\n\n## First\n\ntext\n\n### Part\n\nmore\n");
        assert_eq!(keep(&kept, &kept, &["## First", "## Last"]), kept);
    }
}
