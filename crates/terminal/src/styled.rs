//! A line of styled text.

use std::fmt;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::markdown::Words;

/// A line: escaped texts, each with its style. `Display` writes it with escape sequences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StyledLine {
    /// The texts, from left to right.
    pub spans: Vec<(String, Style)>,
}

impl StyledLine {
    /// Makes a line of one text, which must be escaped.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { spans: vec![(text.into(), style)] }
    }

    /// Returns the text without styles.
    pub fn plain(&self) -> String {
        self.spans.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// Returns the number of cells it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(text, _)| text.width()).sum()
    }

    pub(crate) fn push(&mut self, text: impl Into<String>, style: Style) {
        self.spans.push((text.into(), style));
    }
}

impl fmt::Display for StyledLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spans.iter().try_for_each(|(text, style)| write!(f, "{style}{text}{style:#}"))
    }
}

/// Wraps an escaped text without Markdown to lines of at most `width` cells.
pub fn wrap(text: &str, style: Style, width: usize) -> Vec<StyledLine> {
    let mut words = Words::default();
    words.push(text, style);
    words.wrap(width)
}
