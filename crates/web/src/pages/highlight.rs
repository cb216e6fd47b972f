//! Colors source code by tokens: comments, texts, numbers, keywords and calls. It knows families of languages, not
//! grammars: a wrong color in an odd place costs nothing, and a parser for each language would.

use maud::{Markup, html};

/// What a piece of code is; each has a CSS class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
    Call,
    Added,
    Removed,
}

impl Token {
    /// The classes that a reader's browser may see in stored text.
    pub(super) const CLASSES: [&'static str; 7] = ["hl-com", "hl-str", "hl-num", "hl-kw", "hl-fn", "hl-add", "hl-del"];

    /// Returns the CSS class; plain code has none.
    pub(super) fn class(self) -> Option<&'static str> {
        let place = match self {
            Self::Plain => return None,
            Self::Comment => 0,
            Self::Text => 1,
            Self::Number => 2,
            Self::Keyword => 3,
            Self::Call => 4,
            Self::Added => 5,
            Self::Removed => 6,
        };
        Some(Self::CLASSES[place])
    }
}

/// How a family of languages writes comments and texts.
struct Family {
    names: &'static [&'static str],
    /// Starts of comments that end with the line.
    line_comments: &'static [&'static str],
    /// Start and end of comments that may span lines.
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [char],
    /// The quote of single characters, which elsewhere means something else, such as a lifetime of Rust.
    char_quote: Option<char>,
    keywords: &'static [&'static str],
}

const C_LIKE: &[&str] = &[
    "abstract",
    "as",
    "async",
    "await",
    "bool",
    "boolean",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "crate",
    "default",
    "defer",
    "delete",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "go",
    "if",
    "impl",
    "implements",
    "import",
    "in",
    "instanceof",
    "int",
    "interface",
    "let",
    "long",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "namespace",
    "new",
    "nil",
    "null",
    "package",
    "private",
    "protected",
    "pub",
    "public",
    "range",
    "ref",
    "return",
    "select",
    "self",
    "Self",
    "short",
    "static",
    "struct",
    "super",
    "switch",
    "this",
    "throw",
    "throws",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "union",
    "unsafe",
    "unsigned",
    "use",
    "var",
    "void",
    "where",
    "while",
    "yield",
];

const FAMILIES: &[Family] = &[
    Family {
        names: &["rust", "rs"],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: &['"'],
        char_quote: Some('\''),
        keywords: C_LIKE,
    },
    Family {
        names: &[
            "c",
            "cpp",
            "c++",
            "h",
            "cs",
            "csharp",
            "go",
            "java",
            "js",
            "javascript",
            "jsx",
            "ts",
            "typescript",
            "tsx",
            "kotlin",
            "kt",
            "swift",
            "scala",
            "php",
            "dart",
            "zig",
            "json",
            "json5",
            "jsonc",
            "css",
        ],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: &['"', '\'', '`'],
        char_quote: None,
        keywords: C_LIKE,
    },
    Family {
        names: &["python", "py", "ruby", "rb", "elixir", "ex", "r", "perl", "julia"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &['"', '\''],
        char_quote: None,
        keywords: &[
            "and", "as", "assert", "async", "await", "begin", "break", "class", "continue", "def", "del", "do", "elif",
            "else", "elsif", "end", "ensure", "except", "False", "finally", "for", "from", "global", "if", "import",
            "in", "is", "lambda", "module", "next", "nil", "None", "nonlocal", "not", "or", "pass", "raise", "rescue",
            "require", "return", "self", "then", "True", "true", "false", "try", "unless", "until", "when", "while",
            "with", "yield",
        ],
    },
    Family {
        names: &[
            "sh",
            "bash",
            "zsh",
            "shell",
            "fish",
            "toml",
            "yaml",
            "yml",
            "ini",
            "dockerfile",
            "makefile",
            "make",
            "nix",
        ],
        line_comments: &["#"],
        block_comment: None,
        quotes: &['"', '\''],
        char_quote: None,
        keywords: &[
            "case", "do", "done", "elif", "else", "esac", "export", "false", "fi", "for", "function", "if", "in",
            "local", "null", "return", "set", "then", "true", "until", "while",
        ],
    },
    Family {
        names: &["sql", "lua", "haskell", "hs", "ada"],
        line_comments: &["--"],
        block_comment: None,
        quotes: &['"', '\''],
        char_quote: None,
        keywords: &[
            "and", "as", "by", "case", "create", "data", "delete", "do", "else", "end", "false", "for", "from",
            "function", "group", "if", "in", "index", "insert", "instance", "into", "join", "left", "let", "limit",
            "local", "module", "nil", "not", "null", "of", "on", "or", "order", "primary", "return", "select", "set",
            "table", "then", "true", "type", "update", "values", "where", "while", "with",
        ],
    },
];

/// Longer code stays plain: coloring must not slow a page down.
const MAX_CODE: usize = 64 * 1024;

/// Renders a part of code in the color of its token.
pub(super) fn colored(token: Token, text: &str) -> Markup {
    let Some(class) = token.class() else { return html! { (text) } };
    html! { span class=(class) { (text) } }
}

/// Splits code of a language into tokens; code of an unknown language is one plain token.
pub(super) fn tokens<'a>(language: &str, code: &'a str) -> Vec<(Token, &'a str)> {
    // The info string of a fence may go on after the language: `rust,no_run`.
    let name = language.split([',', ' ', '{']).next().unwrap_or_default().to_ascii_lowercase();
    if matches!(name.as_str(), "diff" | "patch") {
        return code.split_inclusive('\n').map(|line| (changed(line), line)).collect();
    }
    let family = FAMILIES.iter().find(|family| family.names.contains(&name.as_str()));
    match family {
        Some(family) if code.len() <= MAX_CODE => Reader { family, code, at: 0, plain: 0, found: Vec::new() }.read(),
        _ => vec![(Token::Plain, code)],
    }
}

fn changed(line: &str) -> Token {
    match line.as_bytes().first() {
        Some(b'+') => Token::Added,
        Some(b'-') => Token::Removed,
        Some(b'@') => Token::Comment,
        _ => Token::Plain,
    }
}

struct Reader<'a> {
    family: &'static Family,
    code: &'a str,
    at: usize,
    /// Where the plain piece before `at` begins.
    plain: usize,
    found: Vec<(Token, &'a str)>,
}

impl<'a> Reader<'a> {
    fn read(mut self) -> Vec<(Token, &'a str)> {
        while self.at < self.code.len() {
            match self.next() {
                Some((token, length)) => self.push(token, length),
                None => self.at += self.rest().chars().next().map_or(1, char::len_utf8),
            }
        }
        self.push_plain();
        self.found
    }

    fn rest(&self) -> &'a str {
        &self.code[self.at..]
    }

    fn push_plain(&mut self) {
        if self.plain < self.at {
            self.found.push((Token::Plain, &self.code[self.plain..self.at]));
        }
    }

    fn push(&mut self, token: Token, length: usize) {
        if token != Token::Plain {
            self.push_plain();
            self.found.push((token, &self.code[self.at..self.at + length]));
            self.plain = self.at + length;
        }
        self.at += length;
    }

    /// Returns the token that begins here and its length in bytes.
    fn next(&self) -> Option<(Token, usize)> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        self.comment().or_else(|| {
            if self.family.quotes.contains(&first) {
                Some(self.text(first))
            } else if self.family.char_quote == Some(first) {
                Some(self.character(first))
            } else if first.is_ascii_digit() {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
                Some((Token::Number, rest.find(|c| !is_part(c)).unwrap_or(rest.len())))
            } else if is_word(first) {
                Some(self.word())
            } else {
                None
            }
        })
    }

    fn comment(&self) -> Option<(Token, usize)> {
        let rest = self.rest();
        if let Some((open, close)) = self.family.block_comment.filter(|(open, _)| rest.starts_with(open)) {
            let end = rest[open.len()..].find(close).map_or(rest.len(), |end| open.len() + end + close.len());
            return Some((Token::Comment, end));
        }
        let is_comment = self.family.line_comments.iter().any(|start| rest.starts_with(start));
        // `#` inside a word, such as `a#b` or `${x#y}`, begins no comment.
        let is_inside = rest.starts_with('#') && self.code[..self.at].ends_with(|c: char| !c.is_whitespace());
        (is_comment && !is_inside).then(|| (Token::Comment, rest.find('\n').unwrap_or(rest.len())))
    }

    // A text that is not closed on its line is none, such as an apostrophe or a lifetime of Rust.
    fn text(&self, quote: char) -> (Token, usize) {
        let rest = self.rest();
        let mut is_escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '\n' if quote != '`' => break,
                c if c == quote => return (Token::Text, at + c.len_utf8()),
                _ => {}
            }
        }
        (Token::Plain, quote.len_utf8())
    }

    fn character(&self, quote: char) -> (Token, usize) {
        let (token, length) = self.text(quote);
        let inside = self.rest().get(1..length.saturating_sub(1)).unwrap_or_default();
        let is_one = inside.starts_with('\\') || inside.chars().count() == 1;
        if token == Token::Text && is_one { (token, length) } else { (Token::Plain, quote.len_utf8()) }
    }

    fn word(&self) -> (Token, usize) {
        let rest = self.rest();
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let token = if self.family.keywords.contains(&&rest[..end]) {
            Token::Keyword
        } else if rest[end..].starts_with('(') {
            Token::Call
        } else {
            Token::Plain
        };
        (token, end)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(language: &str, code: &str) -> String {
        let mark = |(token, text): &(Token, &str)| match token.class() {
            Some(class) => format!("<{}:{text}>", class.trim_start_matches("hl-")),
            None => (*text).to_owned(),
        };
        tokens(language, code).iter().map(mark).collect()
    }

    #[test]
    fn tokens_are_classified() {
        assert_eq!(
            shown("rust", "fn open(n: u8) -> bool { n == 0x1f // why\n}"),
            "<kw:fn> <fn:open>(n: u8) -> <kw:bool> { n == <num:0x1f> <com:// why>\n}"
        );
        assert_eq!(
            shown("rs", "a<'a>(\"x\\\"y\", 'c') /* z\n */"),
            "a<'a>(<str:\"x\\\"y\">, <str:'c'>) <com:/* z\n */>"
        );
        assert_eq!(shown("sh", "echo ${a#b} # no"), "echo ${a#b} <com:# no>");
        assert_eq!(shown("diff", "@@ -1 @@\n-a\n+b\n c"), "<com:@@ -1 @@\n><del:-a\n><add:+b\n> c");
        assert_eq!(shown("", "fn x"), "fn x");
    }

    proptest! {
        #[test]
        fn no_byte_is_lost(code in "\\PC{0,80}", language in proptest::sample::select(vec!["rust", "py", "sh", "sql", "diff", "?"])) {
            let joined: String = tokens(language, &code).iter().map(|(_, text)| *text).collect();
            prop_assert_eq!(joined, code);
        }
    }
}
