//! Turns the HTML of texts into Markdown: paragraphs, headings, lists, code, quotes, tables, links and pictures. All other
//! tags are dropped, never their text.

use std::fmt::Write as _;

/// What of a list an item belongs to.
#[derive(Clone, Copy)]
enum List {
    Bullets,
    /// With the number of the last item.
    Numbers(usize),
}

/// Maximum depth of lists that is shown.
const MAX_LISTS: usize = 16;

/// The text so far, and what is open.
#[derive(Default)]
struct Writer {
    text: String,
    lists: Vec<List>,
    link: Option<String>,
    /// Where each open quote begins.
    quotes: Vec<usize>,
    is_code: bool,
    /// Cells of the current row of a table.
    n_cells: usize,
    n_rows: usize,
}

/// Returns Markdown for a text in HTML.
pub(super) fn markdown(html: &str) -> String {
    let mut writer = Writer::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        writer.text(&rest[..at]);
        let after = &rest[at + 1..];
        let end =
            after.find('>').filter(|_| after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'));
        // A sign, not a tag.
        let Some(end) = end else {
            writer.text("<");
            rest = after;
            continue;
        };
        writer.tag(&after[..end]);
        rest = &after[end + 1..];
    }
    writer.text(rest);
    writer.finish()
}

impl Writer {
    fn text(&mut self, text: &str) {
        let text = unescape(text);
        if self.is_code {
            self.text.push_str(&text);
            return;
        }
        // Line breaks in HTML are spaces; those between two blocks are nothing.
        let is_start = self.text.is_empty() || self.text.ends_with(['\n', ' ']);
        let begins_with_space = text.starts_with(char::is_whitespace) && !is_start;
        let is_blank = text.trim().is_empty();
        if begins_with_space {
            self.text.push(' ');
        }
        if is_blank {
            return;
        }
        let mut is_first = true;
        for line in text.trim().lines() {
            if !is_first {
                self.text.push('\n');
            }
            self.text.push_str(line.trim_end());
            is_first = false;
        }
        if text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn tag(&mut self, tag: &str) {
        let is_end = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let name = name.to_ascii_lowercase();
        if self.is_code && name != "pre" {
            return;
        }
        match (name.as_str(), is_end) {
            ("br", _) => self.line(),
            ("hr", _) => {
                self.block();
                self.text.push_str("---");
                self.block();
            }
            ("p" | "div" | "section", _) | ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) => self.block(),
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.block();
                let level = name[1..].parse().unwrap_or(1);
                self.text.push_str(&"#".repeat(level));
                self.text.push(' ');
            }
            ("b" | "strong", _) => self.mark("**", is_end),
            ("i" | "em" | "cite", _) => self.mark("*", is_end),
            ("del" | "s" | "strike", _) => self.mark("~~", is_end),
            ("tt" | "code" | "kbd", _) => self.mark("`", is_end),
            ("pre", _) => self.code(is_end),
            ("ul" | "ol" | "li", _) => self.list(&name, is_end),
            ("blockquote", _) => self.quote(is_end),
            ("a", _) => self.anchor(tag, is_end),
            ("img", false) => self.picture(tag),
            ("table" | "tr" | "th" | "td", _) => self.table(&name, is_end),
            _ => {}
        }
    }

    fn line(&mut self) {
        self.trim_end();
        self.text.push('\n');
    }

    /// Begins a paragraph.
    fn block(&mut self) {
        self.trim_end();
        // In a list or a cell a paragraph goes on with its line.
        let is_inline = self.n_cells > 0 || self.text.ends_with("- ") || self.ends_with_number();
        if is_inline || self.text.is_empty() || !self.lists.is_empty() {
            return;
        }
        while !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn ends_with_number(&self) -> bool {
        self.text.strip_suffix(". ").is_some_and(|text| text.ends_with(|c: char| c.is_ascii_digit()))
    }

    // The sign of a list item keeps its space.
    fn trim_end(&mut self) {
        if !self.text.ends_with("- ") && !self.ends_with_number() {
            let length = self.text.trim_end_matches(' ').len();
            self.text.truncate(length);
        }
    }

    fn mark(&mut self, mark: &str, is_end: bool) {
        if is_end {
            // A space before the end of emphasis would make it no emphasis.
            let length = self.text.trim_end_matches(' ').len();
            let had_space = length < self.text.len();
            self.text.truncate(length);
            self.text.push_str(mark);
            if had_space {
                self.text.push(' ');
            }
        } else {
            self.text.push_str(mark);
        }
    }

    fn code(&mut self, is_end: bool) {
        if is_end && self.is_code {
            let length = self.text.trim_end().len();
            self.text.truncate(length);
            self.text.push_str("\n```");
            self.is_code = false;
            self.block();
        } else if !is_end && !self.is_code {
            self.block();
            self.text.push_str("```\n");
            self.is_code = true;
        }
    }

    fn list(&mut self, name: &str, is_end: bool) {
        match (name, is_end) {
            ("li", false) => {
                self.trim_end();
                if !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
                let depth = self.lists.len().saturating_sub(1).min(MAX_LISTS);
                self.text.push_str(&"  ".repeat(depth));
                match self.lists.last_mut() {
                    Some(List::Numbers(n)) => {
                        *n += 1;
                        let sign = format!("{n}. ");
                        self.text.push_str(&sign);
                    }
                    _ => self.text.push_str("- "),
                }
            }
            ("li", true) => self.trim_end(),
            (_, false) => {
                self.block();
                self.lists.push(if name == "ol" { List::Numbers(0) } else { List::Bullets });
            }
            (_, true) => {
                self.lists.pop();
                self.block();
            }
        }
    }

    fn quote(&mut self, is_end: bool) {
        self.block();
        if !is_end {
            self.quotes.push(self.text.len());
        } else if let Some(start) = self.quotes.pop() {
            let quoted = self.text.split_off(start);
            let lines =
                quoted.trim().lines().map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") });
            self.text.push_str(&lines.collect::<Vec<_>>().join("\n"));
            self.block();
        }
    }

    fn anchor(&mut self, tag: &str, is_end: bool) {
        if is_end {
            if let Some(link) = self.link.take() {
                self.text.push_str("](");
                self.text.push_str(&link);
                self.text.push(')');
            }
            return;
        }
        // An anchor with a name only is a place on the page.
        self.link = attribute(tag, "href").filter(|link| !link.is_empty());
        if self.link.is_some() {
            self.text.push('[');
        }
    }

    fn picture(&mut self, tag: &str) {
        let Some(source) = attribute(tag, "src") else { return };
        let text = attribute(tag, "alt").unwrap_or_default().replace(['[', ']'], "");
        let _ = write!(self.text, "![{text}]({source})");
    }

    fn table(&mut self, name: &str, is_end: bool) {
        match (name, is_end) {
            ("table", _) => {
                (self.n_cells, self.n_rows) = (0, 0);
                self.block();
            }
            ("tr", false) => self.n_cells = 0,
            ("tr", true) => {
                if self.n_cells > 0 {
                    self.text.push_str(" |");
                    // Markdown wants a heading.
                    if self.n_rows == 0 {
                        let _ = write!(self.text, "\n|{}", " --- |".repeat(self.n_cells));
                    }
                    self.text.push('\n');
                    self.n_rows += 1;
                }
                self.n_cells = 0;
            }
            (_, false) => {
                self.text.push_str(if self.n_cells == 0 { "| " } else { " | " });
                self.n_cells += 1;
            }
            (_, true) => self.trim_end(),
        }
    }

    fn finish(mut self) -> String {
        if self.is_code {
            self.code(true);
        }
        let mut lines: Vec<&str> = Vec::new();
        let mut is_code = false;
        for line in self.text.lines() {
            let line = if is_code { line } else { line.trim_end() };
            is_code ^= line.trim_start().starts_with("```");
            if is_code || !(line.is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
                lines.push(line);
            }
        }
        lines.join("\n").trim().to_owned()
    }
}

/// Returns the value of an attribute.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!("{name}=\""))? + name.len() + 2;
    Some(unescape(tag[start..].split('"').next()?))
}

/// Replaces the entities of HTML that editors write; unknown ones stay as they are.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        // The longest name that is known has eight letters.
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        if let Some((c, end)) = end.and_then(|end| Some((character(&rest[1..end])?, end))) {
            plain.push(c);
            rest = &rest[end + 1..];
        } else {
            plain.push('&');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    plain
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(number).filter(|c| *c != '\0');
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "egrave" => 'è',
        "agrave" => 'à',
        "ccedil" => 'ç',
        "ntilde" => 'ñ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "laquo" => '«',
        "raquo" => '»',
        "ldquo" => '“',
        "rdquo" => '”',
        "bdquo" => '„',
        "lsquo" => '‘',
        "rsquo" => '’',
        "bull" => '•',
        "middot" => '·',
        "copy" => '©',
        "reg" => '®',
        "trade" => '™',
        "deg" => '°',
        "euro" => '€',
        "pound" => '£',
        "sect" => '§',
        "times" => '×',
        "rarr" => '→',
        "larr" => '←',
        _ => return None,
    })
}
