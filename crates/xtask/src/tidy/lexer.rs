//! Splits Rust source into code and comments, line by line, with the content of strings removed.
//!
//! Just enough of a lexer that a check for `gix` does not match a comment or a string. It never fails: on source that
//! does not compile, the result is only less exact.

/// One line of a source file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// The code, with `""` for each string and `''` for each character.
    pub(super) code: String,
    /// The comments, with their slashes.
    pub(super) comment: String,
}

/// Splits a whole file.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lexer = Lexer { rest: text, state: State::Code, done: Vec::new(), line: Line::default() };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    if lexer.line != Line::default() {
        lexer.done.push(lexer.line);
    }
    lexer.done
}

/// Returns the identifiers and keywords of a piece of code.
pub(super) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// Returns whether a character can be part of an identifier.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[derive(Clone, Copy)]
enum State {
    Code,
    LineComment,
    BlockComment { depth: usize },
    Text,
    RawText { n_hashes: usize },
}

struct Lexer<'a> {
    rest: &'a str,
    state: State,
    done: Vec<Line>,
    line: Line,
}

impl Lexer<'_> {
    fn step(&mut self) {
        if self.rest.starts_with('\n') {
            self.end_line();
            return;
        }
        match self.state {
            State::Code => self.code(),
            State::LineComment => self.keep_comment(1),
            State::BlockComment { depth } => self.block_comment(depth),
            State::Text => self.text(),
            State::RawText { n_hashes } => self.raw_text(n_hashes),
        }
    }

    fn end_line(&mut self) {
        self.skip(1);
        self.done.push(std::mem::take(&mut self.line));
        if let State::LineComment = self.state {
            self.state = State::Code;
        }
    }

    fn code(&mut self) {
        if self.rest.starts_with("//") {
            self.state = State::LineComment;
            self.keep_comment(2);
        } else if self.rest.starts_with("/*") {
            self.state = State::BlockComment { depth: 1 };
            self.keep_comment(2);
        } else if self.rest.starts_with('"') {
            self.state = opened_text(&self.line.code);
            self.keep_code(1);
        } else if let Some(length) = character_literal(self.rest) {
            self.skip(length);
            self.line.code.push_str("''");
        } else {
            self.keep_code(1);
        }
    }

    fn block_comment(&mut self, depth: usize) {
        if self.rest.starts_with("/*") {
            self.state = State::BlockComment { depth: depth + 1 };
            self.keep_comment(2);
        } else if self.rest.starts_with("*/") {
            self.state = match depth {
                1 => State::Code,
                _ => State::BlockComment { depth: depth - 1 },
            };
            self.keep_comment(2);
        } else {
            self.keep_comment(1);
        }
    }

    fn text(&mut self) {
        if self.rest.starts_with('"') {
            self.state = State::Code;
            self.keep_code(1);
        } else if self.rest.starts_with(r"\\") || self.rest.starts_with(r#"\""#) {
            self.skip(2);
        } else {
            self.skip(1);
        }
    }

    fn raw_text(&mut self, n_hashes: usize) {
        let Some(after) = self.rest.strip_prefix('"') else {
            self.skip(1);
            return;
        };
        let closes = after.chars().take_while(|&c| c == '#').count() >= n_hashes;
        if closes {
            self.state = State::Code;
            self.keep_code(1 + n_hashes);
        } else {
            self.skip(1);
        }
    }

    fn keep_code(&mut self, n_chars: usize) {
        let taken = self.skip(n_chars);
        self.line.code.push_str(taken);
    }

    fn keep_comment(&mut self, n_chars: usize) {
        let taken = self.skip(n_chars);
        self.line.comment.push_str(taken);
    }
}

impl<'a> Lexer<'a> {
    fn skip(&mut self, n_chars: usize) -> &'a str {
        let end = self.rest.char_indices().nth(n_chars).map_or(self.rest.len(), |(index, _)| index);
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

/// Determines from the code before a quote whether it opens a plain or a raw string.
fn opened_text(before: &str) -> State {
    let prefix = before.trim_end_matches('#');
    let n_hashes = before.len() - prefix.len();
    let last_word = prefix.rsplit(|c| !is_word(c)).next();
    match last_word.unwrap_or_default() {
        "r" | "br" | "cr" => State::RawText { n_hashes },
        _ => State::Text,
    }
}

/// Returns the length in characters of the character literal at the start; `None` for a lifetime.
fn character_literal(rest: &str) -> Option<usize> {
    let mut chars = rest.chars();
    if chars.next()? != '\'' {
        return None;
    }
    if chars.next()? == '\\' {
        // The escaped character may itself be a quote, so the search starts after it.
        let tail = chars.skip(1).position(|c| c == '\'')?;
        return Some(tail + 4);
    }
    (chars.next()? == '\'').then_some(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &[&str], comments: &[&str]) {
        let lines = lines(text);
        let found: Vec<&str> = lines.iter().map(|line| line.code.trim()).collect();
        assert_eq!(found, code);
        let found: Vec<&str> = lines.iter().map(|line| line.comment.as_str()).collect();
        assert_eq!(found, comments);
    }

    #[test]
    fn comments_are_separated() {
        check("a(); // b\nc", &["a();", "c"], &["// b", ""]);
        check("a /* b /* c */\nd */ e", &["a", "e"], &["/* b /* c */", "d */"]);
    }

    #[test]
    fn strings_are_emptied() {
        check(r#"a("b // c", d)"#, &[r#"a("", d)"#], &[""]);
        check(r#"a("b \" c \\"); // d"#, &[r#"a("");"#], &["// d"]);
        check("a(\"b\nc\")", &["a(\"", "\")"], &["", ""]);
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        check(r##"(r#"a " b \"#, c)"##, &["(r#\"\"#, c)"], &[""]);
        check(r#"(br"a\", c)"#, &[r#"(br"", c)"#], &[""]);
        check(r#"bar"a\" b""#, &[r#"bar"""#], &[""]);
    }

    #[test]
    fn characters_are_distinguished_from_lifetimes() {
        check(r#"f('"', '\'', '\u{1F}', &'a b, 'é') // c"#, &["f('', '', '', &'a b, '')"], &["// c"]);
    }

    #[test]
    fn words_are_whole_identifiers() {
        let found: Vec<&str> = words("use gix::Id; my_gix(gix2)").collect();
        assert_eq!(found, ["use", "gix", "Id", "my_gix", "gix2"]);
    }
}
