//! Error recovery: closes unclosed brackets where the indentation suggests that they end.
//!
//! The parser recovers from most errors by itself, but an unclosed bracket can swallow the rest of a file. No line is
//! added or moved, so positions in the repaired text are positions in the original.

use tree_sitter::{Node, Tree};

use crate::grammar::{Grammar, Role};

/// Returns the text with its unclosed brackets closed; `None` if it has none.
pub(crate) fn repair(grammar: &Grammar, tree: &Tree, text: &str) -> Option<String> {
    let tokens = tokens(grammar, tree, text);
    let missing = MissingBrackets::of(&tokens);
    if missing.is_none() {
        return None;
    }
    let mut scan = Scan { open: Vec::new(), missing, closers: Vec::new(), end: 0 };
    for token in &tokens {
        scan.take(token);
    }
    while scan.close_last() {}
    (!scan.closers.is_empty()).then(|| insert(text, &scan.closers))
}

/// A token of the text, other than a comment.
struct Token {
    end: usize,
    /// Indentation of its line, in characters.
    indent: usize,
    is_first_of_line: bool,
    sign: BracketRole,
}

/// The bracket role of a token; the character is the closing bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketRole {
    Opens(char),
    Closes(char),
    Other,
}

impl BracketRole {
    /// Strings and comments are single named tokens, so brackets inside them never get here.
    fn of(node: Node<'_>) -> Self {
        let kind = if node.is_named() { "" } else { node.kind() };
        match kind.chars().next_back() {
            Some('(') => Self::Opens(')'),
            Some('[') => Self::Opens(']'),
            Some('{') => Self::Opens('}'),
            Some(closer @ (')' | ']' | '}')) => Self::Closes(closer),
            _ => Self::Other,
        }
    }
}

fn tokens(grammar: &Grammar, tree: &Tree, text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut last_row = None;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_comment = matches!(grammar.role(node), Role::Comment);
        if !is_comment && cursor.goto_first_child() {
            continue;
        }
        if !is_comment && !node.byte_range().is_empty() {
            let same_line = found.last().filter(|_| last_row == Some(node.start_position().row));
            let indent = same_line.map_or_else(|| indent(node, text), |before| before.indent);
            let is_first_of_line = same_line.is_none();
            found.push(Token { end: node.end_byte(), indent, is_first_of_line, sign: BracketRole::of(node) });
            last_row = Some(node.end_position().row);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

fn indent(node: Node<'_>, text: &str) -> usize {
    let line_start = node.start_byte().saturating_sub(node.start_position().column);
    let line = text.get(line_start..node.start_byte()).unwrap_or_default();
    line.len() - line.trim_start().len()
}

/// The number of missing closing brackets, by kind.
struct MissingBrackets([(char, usize); 3]);

impl MissingBrackets {
    fn of(tokens: &[Token]) -> Self {
        let count = |sign: BracketRole| tokens.iter().filter(|token| token.sign == sign).count();
        let lack = |closer| count(BracketRole::Opens(closer)).saturating_sub(count(BracketRole::Closes(closer)));
        Self([')', ']', '}'].map(|closer| (closer, lack(closer))))
    }

    fn is_none(&self) -> bool {
        self.0.iter().all(|(_, count)| *count == 0)
    }

    /// Takes one, if any is missing.
    fn take(&mut self, closer: char) -> bool {
        let count = self.0.iter_mut().find(|(kind, count)| *kind == closer && *count > 0);
        count.map(|(_, count)| *count -= 1).is_some()
    }
}

struct Scan {
    /// The expected closing bracket, and the indentation of the line that opened it.
    open: Vec<(char, usize)>,
    missing: MissingBrackets,
    closers: Vec<(usize, char)>,
    /// End of the last token.
    end: usize,
}

impl Scan {
    fn take(&mut self, token: &Token) {
        match token.sign {
            BracketRole::Closes(closer) => self.close(closer),
            _ if token.is_first_of_line => self.close_what_ended_before(token.indent),
            _ => {}
        }
        if let BracketRole::Opens(closer) = token.sign {
            self.open.push((closer, token.indent));
        }
        self.end = token.end;
    }

    /// Closes a bracket, and the unclosed ones inside it.
    fn close(&mut self, closer: char) {
        let Some(at) = self.open.iter().rposition(|(open, _)| *open == closer) else {
            return;
        };
        while self.open.len() > at + 1 && self.close_last() {}
        // What could not be closed has a closing bracket elsewhere; the outer one wins.
        self.open.truncate(at);
    }

    /// A line that is not indented further than the line that opened a bracket is outside of it.
    fn close_what_ended_before(&mut self, indent: usize) {
        while self.open.last().is_some_and(|(_, opened)| *opened >= indent) && self.close_last() {}
    }

    /// Closes the innermost bracket, if one of its kind is missing.
    fn close_last(&mut self) -> bool {
        let Some((closer, _)) = self.open.pop_if(|(closer, _)| self.missing.take(*closer)) else {
            return false;
        };
        self.closers.push((self.end, closer));
        true
    }
}

fn insert(text: &str, closers: &[(usize, char)]) -> String {
    let mut repaired = String::with_capacity(text.len() + closers.len());
    let mut from = 0;
    for (at, closer) in closers {
        repaired.push_str(text.get(from..*at).unwrap_or_default());
        repaired.push(*closer);
        from = *at;
    }
    repaired.push_str(text.get(from..).unwrap_or_default());
    repaired
}

#[cfg(test)]
mod tests {
    use crate::Language;
    use crate::parse::parse;

    #[track_caller]
    fn check(language: &str, text: &str, expected: &str) {
        let language = Language::named(language).unwrap();
        let grammar = language.grammar().unwrap();
        let tree = parse(language, grammar, text).unwrap();
        let repaired = super::repair(grammar, &tree, text);
        assert_eq!(repaired.as_deref().unwrap_or("nothing to repair"), expected);
    }

    #[test]
    fn bracket_is_closed_before_the_next_line_of_its_indentation() {
        check(
            "rust",
            "fn a() {\n    if b {\n        c();\n\nfn d() {}\n",
            "fn a() {\n    if b {\n        c();}}\n\nfn d() {}\n",
        );
        check("rust", "fn a() {\n    b(1, [2;\n}\n", "fn a() {\n    b(1, [2;])\n}\n");
        check("python", "def a(b:\n    c = [1,\n\ndef d(): pass\n", "def a(b:\n    c = [1,])\n\ndef d(): pass\n");
    }

    #[test]
    fn bracket_that_is_open_at_the_end_is_closed_there() {
        check("rust", "fn a() { // }\n", "fn a() {} // }\n");
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        check("rust", "fn a() { let b = \"{(\"; } // ([{\nfn c(", "fn a() { let b = \"{(\"; } // ([{\nfn c()");
        check("rust", "fn a() { '{'; \"(\" } } fn fn", "nothing to repair");
    }

    #[test]
    fn lines_that_only_look_unindented_are_left_alone() {
        check("go", "package a\nfunc b() {\n\tswitch c {\n\tcase 1:\n\t}\n}\nfunc func\n", "nothing to repair");
    }
}
