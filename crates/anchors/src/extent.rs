//! The extent of a symbol: its node with the comment and the attributes before it.

use tree_sitter::Node;

use crate::LineRange;

/// Row numbers as the parser counts them, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Rows {
    pub(crate) fn lines(self) -> LineRange {
        LineRange { start: self.start + 1, end: self.end + 1 }
    }
}

/// Returns the rows of a node without the trailing blank rows that some grammars include.
pub(crate) fn rows(node: Node<'_>, text: &str) -> Rows {
    let (start, end) = (node.start_position().row, node.end_position().row);
    if start == end {
        return Rows { start, end };
    }
    let content = text.get(node.byte_range()).unwrap_or_default();
    let blank = &content[content.trim_ascii_end().len()..];
    let blank_rows = blank.bytes().filter(|byte| *byte == b'\n').count();
    Rows { start, end: end.saturating_sub(blank_rows).max(start) }
}

/// A symbol's node together with its wrappers, attributes and comment.
pub(crate) struct Extent<'tree> {
    pub(crate) node: Node<'tree>,
    pub(crate) lines: LineRange,
    pub(crate) doc: Option<LineRange>,
}

/// Comments and attributes that wait for the symbol that they belong to.
#[derive(Debug, Default)]
pub(crate) struct Leading {
    comment: Option<Rows>,
    attributes: Option<usize>,
    /// The last row of the latest sibling.
    end: Option<usize>,
    /// A sibling that is neither comment nor attribute was seen, so the next sibling starts over.
    spent: bool,
}

impl Leading {
    pub(crate) fn comment(&mut self, rows: Rows, text: &str) {
        // A comment behind code on the same line is about that code; `#!` is for the system, `//!` about the enclosing
        // item.
        let is_trailing = self.spent && self.end == Some(rows.start);
        let is_elsewhere = ["#!", "//!", "/*!"].iter().any(|start| text.starts_with(start));
        self.renew();
        self.drop_distant(rows.start);
        self.end = Some(rows.end);
        if is_trailing || is_elsewhere {
            self.spent = true;
            return;
        }
        let start = self.comment.map_or(rows.start, |above| above.start);
        self.comment = Some(Rows { start, end: rows.end });
    }

    pub(crate) fn attribute(&mut self, rows: Rows) {
        self.renew();
        self.drop_distant(rows.start);
        self.attributes.get_or_insert(rows.start);
        self.end = Some(rows.end);
    }

    pub(crate) fn other(&mut self, rows: Rows) {
        self.renew();
        self.drop_distant(rows.start);
        self.end = Some(rows.end);
        self.spent = true;
    }

    /// Returns the extent of the latest node.
    pub(crate) fn extent<'tree>(&self, node: Node<'tree>, text: &str) -> Extent<'tree> {
        let mut rows = rows(node, text);
        rows.start = self.attributes.unwrap_or(rows.start).min(rows.start);
        Extent { node, lines: rows.lines(), doc: self.comment.map(Rows::lines) }
    }

    fn renew(&mut self) {
        if self.spent {
            *self = Self::default();
        }
    }

    fn drop_distant(&mut self, row: usize) {
        let is_distant = self.end.is_some_and(|end| end + 1 < row);
        if is_distant {
            self.comment = None;
            self.attributes = None;
        }
    }
}
