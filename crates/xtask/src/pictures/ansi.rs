//! Parses the escape sequences for colors and weights (SGR) that our program prints; other sequences are dropped.

use std::fmt::Write as _;

/// The sixteen colors of a terminal, on a dark background.
const PALETTE: [&str; 16] = [
    "#3f4448", "#f87171", "#4ade80", "#fbbf24", "#60a5fa", "#c084fc", "#22d3ee", "#d6d6d2", "#7c8288", "#fca5a5",
    "#86efac", "#fde68a", "#93c5fd", "#d8b4fe", "#67e8f9", "#ffffff",
];

/// Text with one style.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
}

impl Span {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), style: Style::default() }
    }

    pub(super) fn prompt() -> Self {
        Self { text: "$ ".to_owned(), style: Style { color: Some("#2dd4bf"), ..Style::default() } }
    }
}

/// Color and weight of a span.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    color: Option<&'static str>,
    weight: Weight,
    underline: Underline,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Weight {
    #[default]
    Normal,
    Bold,
    Faint,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Underline {
    #[default]
    Off,
    On,
}

impl Style {
    /// Returns the attributes of an SVG element, each with a leading space.
    pub(super) fn attributes(self) -> String {
        let mut text = String::new();
        if let Some(color) = self.color {
            let _ = write!(text, " fill=\"{color}\"");
        }
        match self.weight {
            Weight::Normal => {}
            Weight::Bold => text.push_str(" font-weight=\"600\""),
            Weight::Faint => text.push_str(" opacity=\"0.65\""),
        }
        if self.underline == Underline::On {
            text.push_str(" text-decoration=\"underline\"");
        }
        text
    }

    fn apply(&mut self, codes: &str) {
        let mut codes = codes.split(';').map(|code| code.parse::<usize>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Self::default(),
                1 => self.weight = Weight::Bold,
                2 => self.weight = Weight::Faint,
                4 => self.underline = Underline::On,
                22 => self.weight = Weight::Normal,
                24 => self.underline = Underline::Off,
                30..=37 => self.color = PALETTE.get(code - 30).copied(),
                39 => self.color = None,
                90..=97 => self.color = PALETTE.get(code - 82).copied(),
                // `38;5;N`: of the 256 colors only the first sixteen have names here.
                38 if codes.next() == Some(5) => self.color = codes.next().and_then(|n| PALETTE.get(n).copied()),
                _ => {}
            }
        }
    }
}

/// Splits a line into spans of one style.
pub(super) fn spans(line: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut style = Style::default();
    let mut rest = line;
    while let Some((text, sequence)) = rest.split_once('\u{1b}') {
        push(&mut spans, text, style);
        let end = sequence.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(sequence.len());
        let (codes, after) = sequence.split_at(end);
        if after.starts_with('m') {
            style.apply(codes.trim_start_matches('['));
        }
        rest = after.get(1..).unwrap_or_default();
    }
    push(&mut spans, rest, style);
    spans
}

fn push(spans: &mut Vec<Span>, text: &str, style: Style) {
    if !text.is_empty() {
        spans.push(Span { text: text.to_owned(), style });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(line: &str) -> Vec<(String, String)> {
        spans(line).into_iter().map(|span| (span.text, span.style.attributes())).collect()
    }

    #[test]
    fn colors_and_weights_are_read() {
        let expected = [("a", ""), ("b", " fill=\"#f87171\" font-weight=\"600\""), ("c", " opacity=\"0.65\"")];
        let expected = expected.map(|(text, style)| (text.to_owned(), style.to_owned()));
        assert_eq!(drawn("a\u{1b}[1;31mb\u{1b}[0m\u{1b}[2mc"), expected);
        assert_eq!(drawn("\u{1b}[38;5;4mx\u{1b}[39m"), [("x".to_owned(), " fill=\"#60a5fa\"".to_owned())]);
    }

    #[test]
    fn other_sequences_are_dropped() {
        assert_eq!(drawn("a\u{1b}[2Kb"), [("a".to_owned(), String::new()), ("b".to_owned(), String::new())]);
    }
}
