//! The signature of a declaration: one line, for comparison and display.

use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::{Grammar, Role};

/// Bytes of a declaration that are examined; a declaration without a body may be as long as the text.
const MAX_HEADER: usize = 4_096;

/// Maximum length of a signature, in characters.
const MAX_SIGNATURE: usize = 300;

/// Tokens that introduce or end a body.
const LEADS: &[&str] = &["=>", " do", " where", " with", " end"];

/// Returns the declaration before its body, without attributes and comments, with single spaces.
pub(crate) fn signature(grammar: &Grammar, node: Node<'_>, body: Option<Node<'_>>, text: &str) -> String {
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let header = node.start_byte()..end.min(node.start_byte() + MAX_HEADER);
    let mut kept = String::new();
    let mut from = header.start;
    for cut in left_out(grammar, node, &header) {
        kept.push_str(slice(text, from..cut.start));
        kept.push(' ');
        from = cut.end;
    }
    kept.push_str(slice(text, from..header.end));
    shorten(tidy(&kept))
}

/// Returns the ranges of attributes and comments in the header.
fn left_out(grammar: &Grammar, node: Node<'_>, header: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        let is_left_out = matches!(grammar.role(node), Role::Comment | Role::Attribute);
        if node.start_byte() >= header.end {
            break;
        }
        if is_left_out {
            found.push(node.byte_range());
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            more = cursor.goto_parent();
            if !more {
                break;
            }
        }
    }
    found
}

/// Normalizes line breaks and removes tokens that only introduce the body.
fn tidy(header: &str) -> String {
    let line = header.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace("( ", "(").replace(" )", ")").replace(",)", ")");
    let mut line = line.as_str();
    loop {
        let shorter = line.trim_end_matches(['{', '=', ':', ';', ',', '\\', ' ']);
        let shorter = LEADS.iter().find_map(|lead| shorter.strip_suffix(lead)).unwrap_or(shorter);
        if shorter.len() == line.len() {
            return line.to_owned();
        }
        line = shorter;
    }
}

fn shorten(line: String) -> String {
    match line.char_indices().nth(MAX_SIGNATURE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns a part of the text, narrowed to whole characters.
fn slice(text: &str, range: Range<usize>) -> &str {
    let start = text.ceil_char_boundary(range.start);
    let end = text.floor_char_boundary(range.end);
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_make_no_difference() {
        assert_eq!(tidy("fn a(\n    b: B,\n    c: C,\n) -> D {"), "fn a(b: B, c: C) -> D");
        assert_eq!(tidy("fn a(b: B, c: C) -> D {"), "fn a(b: B, c: C) -> D");
    }

    #[test]
    fn signature_ends_before_the_body() {
        assert_eq!(tidy("def f(x) do"), "def f(x)");
        assert_eq!(tidy("const f = (x) => {"), "const f = (x)");
        assert_eq!(tidy("let a: A = "), "let a: A");
        assert_eq!(tidy("def f; end"), "def f");
    }

    #[test]
    fn long_declarations_are_cut_between_characters() {
        let cut = shorten("é".repeat(400));
        assert_eq!(cut.chars().count(), MAX_SIGNATURE + 1);
    }
}
