//! A cell of a table: one text in several lengths, of which the longest that fits is shown.

use std::borrow::Cow;

use anstyle::Style;
use model::text::is_printable_ascii;
use terminal::cut;
use unicode_width::UnicodeWidthStr;

use super::safe;

/// Maximum width of a cell, also in a pipe: a forged title may have megabytes. Valid ones have at most 1,000
/// characters.
const MAX_WIDTH: usize = 2_000;
/// Labels of one item that are considered; a forged item may have thousands.
const MAX_LABELS: usize = 30;
/// Ends a text written from right to left, so that a terminal does not move the digits after it in front of it.
const LEFT_TO_RIGHT_MARK: char = '\u{200e}';

/// A cell. Texts are escaped when it is made.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// The same text in several lengths, longest first; at least one.
    forms: Vec<Form>,
    pub(super) style: Style,
}

/// A text of a cell, measured once.
#[derive(Debug, Clone, Default)]
pub(super) struct Form {
    pub(super) text: String,
    pub(super) width: usize,
}

impl Form {
    fn new(text: String) -> Self {
        if is_printable_ascii(&text) {
            return Self { width: text.len(), text };
        }
        let text = marked(text);
        Self { width: text.width(), text }
    }

    fn cut(&self, width: usize) -> Self {
        if self.width <= width { self.clone() } else { Self::new(cut(&self.text, width)) }
    }
}

impl Cell {
    /// Makes a cell from a text.
    pub(crate) fn new(text: &str, style: Style) -> Self {
        Self::with_forms([text.to_owned()], style)
    }

    /// Makes a cell from one text in several lengths, longest first.
    pub(crate) fn with_forms(forms: impl IntoIterator<Item = String>, style: Style) -> Self {
        let mut forms: Vec<Form> = forms.into_iter().map(|form| Form::new(safe(&form)).cut(MAX_WIDTH)).collect();
        if forms.is_empty() {
            forms.push(Form::default());
        }
        Self { forms, style }
    }

    /// Makes a cell of labels. If not all fit, the rest is counted: `bug, login +2`.
    pub(crate) fn labels(labels: &[String], style: Style) -> Self {
        let shown = &labels[..labels.len().min(MAX_LABELS)];
        let form = |n_shown: usize| match labels.len() - n_shown {
            0 => labels.join(", "),
            n_hidden => format!("{} +{n_hidden}", shown[..n_shown].join(", ")),
        };
        Self::with_forms((1..=shown.len()).rev().map(form), style)
    }

    /// Makes a cell of a person: the name, or its first word.
    pub(crate) fn person(name: &str, style: Style) -> Self {
        let first = name.split_whitespace().next().unwrap_or_default();
        Self::with_forms([name.to_owned(), first.to_owned()], style)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.forms.iter().all(|form| form.text.is_empty())
    }

    /// Returns the width of the longest form.
    pub(super) fn width(&self) -> usize {
        self.forms.first().map_or(0, |form| form.width)
    }

    /// Returns the longest form that fits; the shortest one is truncated if none does.
    pub(super) fn fit(&self, width: usize) -> Cow<'_, Form> {
        let fitting = self.forms.iter().find(|form| form.width <= width);
        let cut = || self.forms.last().map(|form| form.cut(width)).unwrap_or_default();
        fitting.map_or_else(|| Cow::Owned(cut()), Cow::Borrowed)
    }
}

fn marked(mut text: String) -> String {
    if text.chars().any(is_right_to_left) && !text.ends_with(LEFT_TO_RIGHT_MARK) {
        text.push(LEFT_TO_RIGHT_MARK);
    }
    text
}

/// Hebrew, Arabic, Syriac, Thaana, `N'Ko` and their presentation forms.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[&str], width: usize) -> String {
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        Cell::labels(&labels, Style::new()).fit(width).text.clone()
    }

    #[test]
    fn labels_that_do_not_fit_are_counted() {
        assert_eq!(labels(&["bug", "login", "safari"], 18), "bug, login, safari");
        assert_eq!(labels(&["bug", "login", "safari"], 17), "bug, login +1");
        assert_eq!(labels(&["bug", "login", "safari"], 12), "bug +2");
        assert_eq!(labels(&["accessibility", "login"], 8), "accessi…");
        assert_eq!(labels(&[], 8), "");
    }

    #[test]
    fn a_long_name_becomes_its_first_word() {
        let person = Cell::person("Grace Brewster Hopper", Style::new());
        assert_eq!(person.fit(21).text, "Grace Brewster Hopper");
        assert_eq!(person.fit(12).text, "Grace");
        assert_eq!(person.fit(3).text, "Gr…");
    }

    #[test]
    fn text_from_right_to_left_ends_with_a_mark() {
        let cell = Cell::new("تسجيل الدخول", Style::new());
        assert!(cell.fit(40).text.ends_with(LEFT_TO_RIGHT_MARK));
        assert!(cell.fit(5).text.ends_with("…\u{200e}"));
        assert!(!Cell::new("login", Style::new()).fit(40).text.contains(LEFT_TO_RIGHT_MARK));
    }

    #[test]
    fn escapes_are_shown() {
        assert_eq!(Cell::new("\x1b[2Jboo", Style::new()).fit(20).text, "\\e[2Jboo");
    }
}
