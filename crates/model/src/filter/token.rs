//! The tokenizer of filters, shared by both surface forms.
//!
//! Keywords are plain words here: only the parsers know where `and` is a connective and where it is a value.

use std::ops::Range;

use super::error::{FilterError, quote};
use super::text::read_quoted;

/// A token and its byte range.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    OpenGroup,
    CloseGroup,
    OpenList,
    CloseList,
    Comma,
    Relation(Relation),
    And,
    Or,
    Not,
    /// A bare word: a field, a keyword or a value.
    Word(String),
    /// A quoted text, without the quotes.
    Text(String),
    /// The end of the filter, so that there is always a next token.
    End,
}

/// A comparison operator, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
    In,
}

/// Operators of other languages, and their equivalents here.
const FOREIGN_OPERATORS: [(&str, &str); 8] =
    [("<>", "!="), ("=>", ">="), ("=<", "<="), ("===", "=="), ("!==", "!="), ("=~", "~"), ("&", "&&"), ("|", "||")];

/// Tokenizes the whole source; the last token is [`Kind::End`].
pub(super) fn tokenize(source: &str) -> Result<Vec<Token>, FilterError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = read_token(source, at, first)?;
        let span = at..at + length;
        at = span.end;
        tokens.push(Token { kind, span });
    }
    tokens.push(Token { kind: Kind::End, span: at..at });
    Ok(tokens)
}

/// Reads the token that begins with `first` at byte `at`; returns it with its length in bytes.
fn read_token(source: &str, at: usize, first: char) -> Result<(Kind, usize), FilterError> {
    let punctuation = match first {
        '(' => Some(Kind::OpenGroup),
        ')' => Some(Kind::CloseGroup),
        '[' => Some(Kind::OpenList),
        ']' => Some(Kind::CloseList),
        ',' => Some(Kind::Comma),
        _ => None,
    };
    if let Some(kind) = punctuation {
        return Ok((kind, 1));
    }
    match first {
        '"' | '\'' => read_quoted(source, at).map(|(text, length)| (Kind::Text(text), length)),
        '=' | '!' | '<' | '>' | '~' | '&' | '|' => read_operator(source, at),
        _ if is_word_character(first) => {
            let word = leading(&source[at..], is_word_character);
            Ok((Kind::Word(word.to_owned()), word.len()))
        }
        _ => Err(unexpected_character(source, at, first)),
    }
}

fn read_operator(source: &str, at: usize) -> Result<(Kind, usize), FilterError> {
    let rest = &source[at..];
    // Only `!` may directly precede another operator: `!!x`, `a==!b`.
    if rest.starts_with('!') && !rest.starts_with("!=") && !rest.starts_with("!~") {
        return Ok((Kind::Not, 1));
    }
    let first = &rest[..1];
    let tail = leading(&rest[1..], |character| "=<>~&|".contains(character));
    let operator = &rest[..first.len() + tail.len()];
    let kind = match operator {
        "=" | "==" => Kind::Relation(Relation::Equal),
        "!=" => Kind::Relation(Relation::NotEqual),
        "<" => Kind::Relation(Relation::Less),
        "<=" => Kind::Relation(Relation::LessOrEqual),
        ">" => Kind::Relation(Relation::Greater),
        ">=" => Kind::Relation(Relation::GreaterOrEqual),
        "~" => Kind::Relation(Relation::Contains),
        "&&" => Kind::And,
        "||" => Kind::Or,
        _ => return Err(unknown_operator(source, at, operator)),
    };
    Ok((kind, operator.len()))
}

/// Returns whether a character may be part of a bare word.
///
/// Outside of ASCII nearly every character may, so that labels in any script, with marks and joiners, need no quotes.
/// Punctuation that looks like ours (curly quotes, wide brackets) may not: as part of a word it would make a filter
/// that silently matches nothing.
pub(super) fn is_word_character(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || "_-.:@#/+".contains(character);
    }
    let is_joiner = matches!(character, '\u{200C}' | '\u{200D}');
    let is_punctuation = matches!(
        character,
        '\u{80}'..='\u{BF}' | '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{FE50}'..='\u{FE6F}'
        | '\u{FEFF}' | '\u{FF00}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}'
        | '\u{FF5B}'..='\u{FF65}'
    );
    character.is_alphanumeric() || is_joiner || !(is_punctuation || character.is_whitespace())
}

fn leading(text: &str, accepts: impl Fn(char) -> bool) -> &str {
    let end = text.find(|character| !accepts(character));
    &text[..end.unwrap_or(text.len())]
}

fn unknown_operator(source: &str, at: usize, operator: &str) -> FilterError {
    let meant = FOREIGN_OPERATORS.iter().find(|(foreign, _)| *foreign == operator);
    let rest = match meant {
        Some((_, ours)) => format!("did you mean `{ours}`?"),
        None => "expected one of `==`, `!=`, `<`, `<=`, `>`, `>=`, `~`, `in`".to_owned(),
    };
    let what = format!("unknown operator {}", quote(operator));
    let error = FilterError::new(source, at..at + operator.len(), &what, &rest);
    match operator {
        "!~" => error.with_hint("write `not field ~ value`"),
        _ => error,
    }
}

fn unexpected_character(source: &str, at: usize, character: char) -> FilterError {
    let span = at..at + character.len_utf8();
    let what = format!("unexpected character {}", quote(&source[span.clone()]));
    let error = FilterError::new(source, span, &what, "");
    match character {
        '“' | '”' | '„' | '‘' | '’' | '«' | '»' => error.with_hint("use straight quotes: `\"` or `'`"),
        _ => error.with_hint("put a value with special characters in quotes"),
    }
}
