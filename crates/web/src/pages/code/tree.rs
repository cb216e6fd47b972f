//! The tree of folders. A page has the entries of the folders that lead to what it shows; the script fetches those of
//! another folder when it is unfolded, and without it each folder is a link. A repository may have many thousand files.

use std::collections::{BTreeSet, HashMap};

use annotations::view::CoverageView;
use maud::{Markup, html};
use model::text::counted;

use super::address;
use crate::pages::icons::small;

/// Entries of a folder at first.
const DEFAULT_ENTRIES: usize = 300;
/// Maximum number of entries of a folder; with more, browsers become slow.
const MAX_ENTRIES: usize = 5000;

/// The files of a repository, as a tree with notes.
pub(super) struct Tree<'a> {
    files: &'a [String],
    /// The notes of each file and folder that was examined.
    notes: HashMap<&'a str, Notes>,
    /// The file or folder that the page shows.
    shown: &'a str,
    max_entries: usize,
}

#[derive(Clone, Copy, Default)]
struct Notes {
    n: usize,
    n_stale: usize,
}

/// A folder or file in a folder; folders come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Entry<'a> {
    is_file: bool,
    name: &'a str,
}

impl<'a> Tree<'a> {
    pub(super) fn new(files: &'a [String], coverage: &'a CoverageView, shown: &'a str, entries: Option<&str>) -> Self {
        let mut notes: HashMap<&str, Notes> = HashMap::new();
        for file in &coverage.files {
            for path in ancestors(&file.file) {
                let own = notes.entry(path).or_default();
                own.n += file.totals.current + file.totals.stale;
                own.n_stale += file.totals.stale;
            }
        }
        let asked = entries.and_then(|n| n.parse().ok()).unwrap_or(DEFAULT_ENTRIES);
        Self { files, notes, shown, max_entries: asked.min(MAX_ENTRIES) }
    }

    pub(super) fn render(&self) -> Markup {
        html! { nav class="tree" aria-label="Files" { ul { (self.entries("")) } } }
    }

    /// Renders the entries of a folder alone, for the script.
    pub(super) fn part(&self, folder: &str) -> Markup {
        html! { nav class="tree" aria-label="Files" { ul id="included" { (self.entries(folder)) } } }
    }

    fn entries(&self, folder: &str) -> Markup {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let entries = entries(self.files, &prefix);
        let n_left = entries.len().saturating_sub(self.max_entries);
        let path = |entry: &Entry<'_>| format!("{prefix}{}", entry.name);
        // What the page shows is never left out.
        let shown =
            entries.iter().enumerate().filter(|(n, entry)| *n < self.max_entries || self.leads_to(&path(entry)));
        html! {
            @for (_, entry) in shown {
                @if entry.is_file { (self.file(&path(entry), entry.name)) } @else { (self.folder(&path(entry), entry.name)) }
            }
            @if n_left > 0 {
                li {
                    a class="more" href={ "/code" @if !folder.is_empty() { "/" (address(folder)) } "?entries=" (self.max_entries * 4) } {
                        "Show more" span class="n" { (n_left) " hidden" }
                    }
                }
            }
        }
    }

    /// Returns whether a path is what the page shows, or a folder around it.
    fn leads_to(&self, path: &str) -> bool {
        self.shown.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn folder(&self, path: &str, name: &str) -> Markup {
        let is_open = self.leads_to(path);
        html! {
            li {
                (self.link(path, name, "chev-r"))
                // Over the glyph of the link, which is all there is without the script.
                button type="button" class="twist js" data-act="tree" aria-expanded=(is_open) aria-label={ "Folder " (name) } {}
                ul data-include={ "/code/" (address(path)) "?part=tree" } data-included=(if is_open { "yes" } else { "no" }) hidden[!is_open] {
                    @if is_open { (self.entries(path)) }
                }
            }
        }
    }

    fn file(&self, path: &str, name: &str) -> Markup {
        html! { li { (self.link(path, name, "file")) } }
    }

    fn link(&self, path: &str, name: &str, glyph: &str) -> Markup {
        let notes = self.notes.get(path).copied().unwrap_or_default();
        html! {
            a href={ "/code/" (address(path)) } aria-current=[(path == self.shown).then_some("page")] title=(path) {
                (small(glyph)) span class="truncate" { (name) }
                @if notes.n_stale > 0 { span class="n soon" { (notes.n_stale) " stale" } }
                @else if notes.n > 0 { span class="n" title=(counted(notes.n, "note")) { (notes.n) } }
            }
        }
    }
}

/// Returns the paths of a file and of all folders around it.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder))
}

fn entries<'a>(files: &'a [String], prefix: &str) -> BTreeSet<Entry<'a>> {
    let rests = files.iter().filter_map(|file| file.strip_prefix(prefix));
    rests
        .map(|rest| match rest.split_once('/') {
            Some((name, _)) => Entry { is_file: false, name },
            None => Entry { is_file: true, name: rest },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use annotations::view::{CoverageFileView, CoverageTotalsView};

    use super::*;

    fn coverage(files: &[(&str, usize, usize)]) -> CoverageView {
        let file = |(file, current, stale): &(&str, usize, usize)| CoverageFileView {
            file: (*file).to_owned(),
            totals: CoverageTotalsView { current: *current, stale: *stale, ..CoverageTotalsView::default() },
        };
        CoverageView {
            path: ".".to_owned(),
            total: CoverageTotalsView::default(),
            files: files.iter().map(file).collect(),
            warnings: Vec::new(),
        }
    }

    fn links(html: &str) -> String {
        let tags = testkit::tags_with(html, "href=\"/code");
        tags.lines().filter_map(|tag| tag.split('"').nth(1)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_the_parent_folders_are_unfolded() {
        let files = ["a/b/c.rs", "a/d.rs", "a-b.rs", "e/f.rs"].map(str::to_owned);
        let coverage = coverage(&[("a/b/c.rs", 2, 0), ("a/d.rs", 1, 1)]);
        let html = Tree::new(&files, &coverage, "a/d.rs", None).render().into_string();
        assert_eq!(links(&html), "/code/a /code/a/b /code/a/d.rs /code/e /code/a-b.rs");
        insta::assert_snapshot!(testkit::tags_with(&html, "data-include="), @r#"
        <ul data-include="/code/a?part=tree" data-included="yes">
        <ul data-include="/code/a/b?part=tree" data-included="no" hidden>
        <ul data-include="/code/e?part=tree" data-included="no" hidden>
        "#);
        assert_eq!(html.matches("1 stale").count(), 2, "the file and its folder: {html}");
    }

    #[test]
    fn a_large_folder_is_shown_in_parts_with_the_current_file() {
        let files: Vec<String> = (0..2000).map(|n| format!("src/<{n:04}>.rs")).collect();
        let coverage = coverage(&[]);
        let html = Tree::new(&files, &coverage, "src/<1999>.rs", None).render().into_string();
        assert_eq!(html.matches("<li>").count(), 1 + DEFAULT_ENTRIES + 2);
        assert!(html.contains("1700 hidden") && html.contains("&lt;1999&gt;") && !html.contains("<1999>"), "{html}");
        insta::assert_snapshot!(testkit::tags_with(&html, "entries="), @r#"<a class="more" href="/code/src?entries=1200">Show more"#);
    }
}
