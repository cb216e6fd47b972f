//! Styled words, wrapped to a width. Styles never change where a line breaks.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::StyledLine;

/// Text between two blocks, as words.
#[derive(Default)]
pub(crate) struct Words {
    words: Vec<Word>,
    /// Whether the next text continues the last word.
    is_open: bool,
}

enum Word {
    Text(Vec<(String, Style)>),
    Break,
}

impl Words {
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a text; blanks separate words.
    pub(crate) fn push(&mut self, text: &str, style: Style) {
        for (n, part) in text.split(char::is_whitespace).enumerate() {
            if n > 0 {
                self.is_open = false;
            }
            if part.is_empty() {
                continue;
            }
            let piece = (part.to_owned(), style);
            match self.words.last_mut() {
                Some(Word::Text(pieces)) if self.is_open => pieces.push(piece),
                _ => self.words.push(Word::Text(vec![piece])),
            }
            self.is_open = true;
        }
    }

    pub(crate) fn line_break(&mut self) {
        self.words.push(Word::Break);
        self.is_open = false;
    }

    /// Returns the text without styles, in one line.
    pub(crate) fn plain(&self) -> String {
        let text = |word: &Word| match word {
            Word::Text(pieces) => pieces.iter().map(|(text, _)| text.as_str()).collect::<String>(),
            Word::Break => String::new(),
        };
        self.words.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    /// Returns lines of at most `width` cells; a longer word is broken.
    pub(crate) fn wrap(self, width: usize) -> Vec<StyledLine> {
        let mut lines = vec![Line::default()];
        for word in self.words {
            let Word::Text(pieces) = word else {
                lines.push(Line::default());
                continue;
            };
            let length: usize = pieces.iter().map(|(text, _)| text.width()).sum();
            let used = lines.last().map_or(0, |line| line.width);
            if used > 0 && used + 1 + length > width {
                lines.push(Line::default());
            }
            push_word(&mut lines, &pieces, width);
        }
        lines.into_iter().map(|line| line.text).collect()
    }
}

#[derive(Default)]
struct Line {
    text: StyledLine,
    width: usize,
}

fn push_word(lines: &mut Vec<Line>, pieces: &[(String, Style)], width: usize) {
    if let Some(line) = lines.last_mut().filter(|line| line.width > 0) {
        line.text.push(" ", Style::new());
        line.width += 1;
    }
    for (text, style) in pieces {
        for part in chunks(text, width) {
            let cells = part.width();
            if lines.last().is_some_and(|line| line.width > 0 && line.width + cells > width) {
                lines.push(Line::default());
            }
            if let Some(line) = lines.last_mut() {
                line.text.push(part, *style);
                line.width += cells;
            }
        }
    }
}

/// Splits a text that is longer than a line.
fn chunks(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut chunks = vec![String::new()];
    let mut used = 0;
    for c in text.chars() {
        let cells = c.width().unwrap_or(0);
        if used + cells > width && used > 0 {
            chunks.push(String::new());
            used = 0;
        }
        used += cells;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(c);
        }
    }
    chunks
}
