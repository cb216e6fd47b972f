//! Markdown for the terminal: wrapped, with styles instead of marks. Texts from the log are escaped, as everywhere.

mod table;
mod words;

use anstyle::{AnsiColor, Style};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use crate::{FAINT, STRONG, StyledLine};
use model::text::{escape_block, escape_line as safe};
use table::Grid;
pub(crate) use words::Words;

const CODE: Style = AnsiColor::Cyan.on_default();
/// Lists nested deeper than this are not indented further: a forged text may have thousands of levels.
const MAX_DEPTH: usize = 12;

/// Renders a text as lines of at most `width` cells. Code is not wrapped.
pub fn render(text: &str, width: usize) -> Vec<StyledLine> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::new(width);
    for event in Parser::new_ext(text, options) {
        page.event(event);
    }
    page.flush();
    page.lines
}

/// A block that contains others.
enum ContainerKind {
    Quote,
    /// A list item; its marker is printed once.
    Item {
        marker: String,
    },
}

struct Container {
    kind: ContainerKind,
    /// Whether nothing of it was printed yet.
    is_new: bool,
}

impl Container {
    fn new(kind: ContainerKind) -> Self {
        Self { kind, is_new: true }
    }

    fn width(&self) -> usize {
        match &self.kind {
            ContainerKind::Quote => 2,
            ContainerKind::Item { marker } => marker.width(),
        }
    }
}

struct Page {
    width: usize,
    lines: Vec<StyledLine>,
    words: Words,
    styles: Vec<Style>,
    containers: Vec<Container>,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    links: Vec<String>,
    code: Option<String>,
    grid: Option<Grid>,
}

impl Page {
    fn new(width: usize) -> Self {
        Self {
            width,
            lines: Vec::new(),
            words: Words::default(),
            styles: vec![Style::new()],
            containers: Vec::new(),
            lists: Vec::new(),
            links: Vec::new(),
            code: None,
            grid: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.words.push(&safe(&code), CODE),
            Event::Html(html) | Event::InlineHtml(html) => self.words.push(&safe(html.trim_end()), FAINT),
            Event::SoftBreak => self.words.push(" ", self.style()),
            Event::HardBreak => self.words.line_break(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => self.words.push(if done { "☑ " } else { "☐ " }, self.style()),
            Event::FootnoteReference(name) => self.words.push(&safe(&format!("[{name}]")), FAINT),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.words.push(&safe(&text), CODE),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.space(),
            Tag::Heading { .. } => {
                self.space();
                self.styles.push(STRONG);
            }
            Tag::BlockQuote(_) => {
                self.space();
                self.containers.push(Container::new(ContainerKind::Quote));
            }
            Tag::CodeBlock(_) => {
                self.space();
                self.code = Some(String::new());
            }
            Tag::List(first) => self.start_list(first),
            Tag::Item => self.start_item(),
            Tag::Table(_) => {
                self.space();
                self.grid = Some(Grid::default());
            }
            Tag::TableHead | Tag::TableRow => self.grid.iter_mut().for_each(Grid::start_row),
            Tag::Emphasis => self.styles.push(self.style().italic()),
            Tag::Strong => self.styles.push(self.style().bold()),
            Tag::Strikethrough => self.styles.push(self.style().strikethrough()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.styles.push(self.style().underline());
                self.links.push(safe(&dest_url));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.containers.pop();
            }
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Table => self.end_table(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.push_str(text),
            None => self.words.push(&safe(text), self.style()),
        }
    }

    fn start_list(&mut self, first: Option<u64>) {
        // A nested list continues the item that contains it.
        if self.words.is_empty() && self.lists.is_empty() {
            self.space();
        }
        self.flush();
        self.lists.push(first);
    }

    fn start_item(&mut self) {
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "• ".to_owned(),
        };
        self.containers.push(Container::new(ContainerKind::Item { marker }));
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in escape_block(code.trim_end_matches('\n')).lines() {
            self.print_line([("    ".to_owned(), Style::new()), (line.to_owned(), CODE)]);
        }
    }

    fn end_cell(&mut self) {
        let words = std::mem::take(&mut self.words);
        self.grid.iter_mut().for_each(|grid| grid.cell(words.plain()));
    }

    fn end_table(&mut self) {
        let Some(grid) = self.grid.take() else { return };
        let width = self.width.saturating_sub(self.indent());
        for line in grid.lines(width) {
            self.print_line(line.spans);
        }
    }

    // The address of a link is shown unless the text is the address.
    fn end_link(&mut self) {
        self.styles.pop();
        let Some(address) = self.links.pop() else { return };
        if !self.words.plain().ends_with(&address) {
            self.words.push(&format!(" ({address})"), FAINT);
        }
    }

    fn rule(&mut self) {
        self.space();
        let width = self.width.saturating_sub(self.indent()).min(40);
        self.print_line([("─".repeat(width), FAINT)]);
    }

    /// Leaves an empty line before a block, except at the start of the text or of a list item.
    fn space(&mut self) {
        self.flush();
        let is_first = self.containers.last().is_some_and(|container| container.is_new);
        if !self.lines.is_empty() && !is_first {
            let mut line = self.prefix();
            // No blanks at the end of an empty line.
            while line.spans.last().is_some_and(|(text, _)| text.trim().is_empty()) {
                line.spans.pop();
            }
            self.lines.push(line);
        }
    }

    /// Prints the collected words.
    fn flush(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let width = self.width.saturating_sub(self.indent()).max(1);
        for line in words.wrap(width) {
            self.print_line(line.spans);
        }
    }

    fn print_line(&mut self, spans: impl IntoIterator<Item = (String, Style)>) {
        let mut line = self.prefix();
        line.spans.extend(spans);
        self.lines.push(line);
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn indent(&self) -> usize {
        self.containers.iter().take(MAX_DEPTH).map(Container::width).sum()
    }

    /// Returns the text before a line: quotation bars, markers of new items, and blanks below markers.
    fn prefix(&mut self) -> StyledLine {
        let mut prefix = StyledLine::default();
        for container in self.containers.iter_mut().take(MAX_DEPTH) {
            let is_new = std::mem::take(&mut container.is_new);
            match &container.kind {
                ContainerKind::Quote => {
                    prefix.push("│", FAINT);
                    prefix.push(" ", Style::new());
                }
                ContainerKind::Item { marker } if is_new => prefix.push(marker.as_str(), Style::new()),
                ContainerKind::Item { marker } => prefix.push(" ".repeat(marker.width()), Style::new()),
            }
        }
        prefix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(text: &str, width: usize) -> String {
        render(text, width).iter().map(|line| line.plain() + "\n").collect()
    }

    #[test]
    fn blocks_are_wrapped_and_indented() {
        let text = "# Login\n\nThe form **fails** on `Safari` when cookies are blocked.\n\n- [x] reproduce\n- [ ] fix it in the \
                    form handler\n  1. first\n  2. second\n\n> Seen by Ada\n\n```rust\nfn main() {}\n```\n";
        insta::assert_snapshot!(plain(text, 30), @"
        Login

        The form fails on Safari when
        cookies are blocked.

        • ☑ reproduce
        • ☐ fix it in the form handler
          1. first
          2. second

        │ Seen by Ada

            fn main() {}
        ");
    }

    #[test]
    fn links_show_their_address() {
        assert_eq!(plain("See [the log](https://example.org/a).", 80), "See the log (https://example.org/a).\n");
        assert_eq!(plain("<https://example.org>", 80), "https://example.org\n");
    }

    #[test]
    fn tables_have_aligned_columns() {
        let text = "| browser | works |\n|---|---|\n| Safari | no |\n| Firefox 日本 | yes |\n";
        insta::assert_snapshot!(plain(text, 60), @"
        browser       works
        ────────────  ─────
        Safari        no
        Firefox 日本  yes
        ");
    }

    #[test]
    fn escapes_are_shown() {
        insta::assert_snapshot!(plain("a\x1b[2Jb `\x1b[31m`", 80), @r"a\e[2Jb \e[31m");
    }

    proptest! {
        #[test]
        fn words_are_kept_and_lines_fit(words in proptest::collection::vec("[a-z日]{1,9}", 1..30), width in 20_usize..90) {
            let rendered = plain(&words.join(" "), width);
            prop_assert_eq!(rendered.split_whitespace().collect::<Vec<_>>(), words);
            prop_assert!(rendered.lines().all(|line| line.width() <= width));
        }
    }
}
