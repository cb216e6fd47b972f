//! The tokens of a text without its layout. Two texts with equal tokens differ only in what formatters change: white
//! space, line breaks, trailing commas and the kind of quotes.

use std::hash::{DefaultHasher, Hash, Hasher};

use tree_sitter::Node;

use crate::grammar::Role;
use crate::parse::parse;
use crate::{Language, ParseRefusal};

/// Languages in which single and double quotes mean the same.
const QUOTES_ARE_EQUAL: &[&str] = &["python", "javascript", "typescript", "tsx", "lua"];

/// Node kinds in which a trailing comma after the only element is significant.
const TUPLES: &[&str] =
    &["tuple", "tuple_expression", "tuple_pattern", "tuple_type", "pattern_list", "expression_list"];

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The line on which it begins; the first line of a text is 1.
    pub line: usize,
    /// Hash of its text: equal tokens have equal hashes.
    pub hash: u64,
}

/// Returns the tokens of a text, in order.
pub fn tokens(language: Language, text: &str) -> Result<Vec<Token>, ParseRefusal> {
    let grammar = language.grammar().ok_or(ParseRefusal::NotBuiltIn { language })?;
    let tree = parse(language, grammar, text)?;
    let mut reader = Reader {
        text,
        quotes_are_equal: QUOTES_ARE_EQUAL.contains(&language.name()),
        blocks_by_indent: language.name() == "python",
        levels: Vec::new(),
        found: Vec::new(),
    };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_comment = matches!(grammar.role(node), Role::Comment);
        if !is_comment && cursor.goto_first_child() {
            reader.enter(node);
            continue;
        }
        if is_comment {
            reader.comment(node);
        } else {
            reader.leaf(node);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(reader.found);
            }
            reader.leave(cursor.node());
        }
    }
}

struct Level {
    is_tuple: bool,
    n_commas: usize,
}

struct Reader<'a> {
    text: &'a str,
    quotes_are_equal: bool,
    /// Indentation is significant.
    blocks_by_indent: bool,
    levels: Vec<Level>,
    found: Vec<Token>,
}

impl Reader<'_> {
    fn enter(&mut self, node: Node<'_>) {
        self.levels.push(Level { is_tuple: TUPLES.contains(&node.kind()), n_commas: 0 });
        self.mark_block(node, node.start_position().row, "indent");
    }

    fn leave(&mut self, node: Node<'_>) {
        self.levels.pop();
        let end = crate::extent::rows(node, self.text).end;
        self.mark_block(node, end, "dedent");
    }

    fn mark_block(&mut self, node: Node<'_>, row: usize, mark: &str) {
        if self.blocks_by_indent && node.kind() == "block" {
            self.push(row, mark);
        }
    }

    fn leaf(&mut self, node: Node<'_>) {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let row = node.start_position().row;
        match text {
            _ if text.trim().is_empty() => {}
            "," => {
                if let Some(level) = self.levels.last_mut() {
                    level.n_commas += 1;
                }
                self.push(row, text);
            }
            ")" | "]" | "}" | ">" => {
                self.drop_trailing_comma();
                self.push(row, text);
            }
            _ if self.quotes_are_equal && text.contains('\'') && is_quote(text) => {
                self.push(row, &text.replace('\'', "\""));
            }
            _ => self.push(row, text),
        }
    }

    /// A comment is split into words, because formatters wrap its lines.
    fn comment(&mut self, node: Node<'_>) {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        for (n, line) in text.lines().enumerate() {
            let words =
                line.trim_start_matches([' ', '\t', '/', '*', '#', '!']).trim_end_matches([' ', '\t', '/', '*']);
            for word in words.split_whitespace() {
                self.push(node.start_position().row + n, word);
            }
        }
    }

    fn drop_trailing_comma(&mut self) {
        let Some(level) = self.levels.last() else { return };
        let is_optional = !level.is_tuple || level.n_commas > 1;
        if is_optional && self.found.last().is_some_and(|token| token.hash == hash(",")) {
            self.found.pop();
        }
    }

    fn push(&mut self, row: usize, text: &str) {
        self.found.push(Token { line: row + 1, hash: hash(text) });
    }
}

/// Returns whether it is only the start or the end of a string, such as `'`, `f"` or `"""`.
fn is_quote(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).chars().all(|c| matches!(c, '\'' | '"'))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: &str, one: &str, other: &str, is_same: bool) {
        let language = Language::named(language).unwrap();
        let words = |text| tokens(language, text).unwrap().iter().map(|token| token.hash).collect::<Vec<_>>();
        assert_eq!(words(one) == words(other), is_same, "{one:?} {other:?}");
    }

    #[test]
    fn layout_is_no_difference() {
        check("rust", "fn a(b:u8,c:u8){d(b,c)}", "fn a(\n    b: u8,\n    c: u8,\n) {\n    d(b, c)\n}\n", true);
        check(
            "python",
            "def a():\n  return f('b', c)\n",
            "def a():\n    return f(\n        \"b\",\n        c,\n    )\n",
            true,
        );
        check("go", "package a\nfunc b() { c() }\n", "package a\n\nfunc b() {\n\tc()\n}\n", true);
        check(
            "java",
            "class A { /** one two\n * three */ int a; }",
            "class A {\n  /** one\n   * two three */\n  int a;\n}",
            true,
        );
    }

    #[test]
    fn words_are_a_difference() {
        check("rust", "fn a() { 1 }", "fn a() { 2 }", false);
        check("rust", "fn a() { b() } // why", "fn a() { b() } // how", false);
        check(
            "python",
            "def a():\n    if b:\n        c()\n        d()\n",
            "def a():\n    if b:\n        c()\n    d()\n",
            false,
        );
        check("python", "a = (1,)\n", "a = (1)\n", false);
        check("rust", "fn a() { f(\"x\") }", "fn a() { f(\"x \") }", false);
    }
}
