//! The infix form: `status == "open" and (labels ~ bug or priority >= 3)`.
//!
//! `not` binds tighter than `and`, and `and` tighter than `or`. Words without an operator are searched for in texts
//! and labels; several in a row must all be found.

use super::cursor::{Cursor, Literal};
use super::error::FilterError;
use super::expr::{Comparison, Expr, MatchTest, TextTest};
use super::field::{Field, TextField};
use super::lower::{Condition, lower};
use super::token::{Kind, Relation};

/// Parses a whole filter.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let expr = parse_or(cursor)?;
    if *cursor.peek() == Kind::End {
        return Ok(expr);
    }
    Err(cursor.expected("`and`, `or` or end of filter"))
}

fn parse_or(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let mut operands = vec![parse_and(cursor)?];
    while cursor.at_connective(&Kind::Or, "or") {
        cursor.advance();
        operands.push(parse_and(cursor)?);
    }
    Ok(Expr::any(operands))
}

fn parse_and(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let mut operands = vec![parse_not(cursor)?];
    while cursor.at_connective(&Kind::And, "and") {
        cursor.advance();
        operands.push(parse_not(cursor)?);
    }
    Ok(Expr::all(operands))
}

fn parse_not(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    if cursor.at_connective(&Kind::Not, "not") {
        cursor.advance();
        return cursor.nested(parse_not).map(Expr::negate);
    }
    if cursor.take(&Kind::OpenGroup) {
        return cursor.nested(parse_group);
    }
    if cursor.at_keyword("true") {
        cursor.advance();
        return Ok(Expr::True);
    }
    match parse_search_words(cursor) {
        Some(words) => Ok(words),
        None => parse_comparison(cursor),
    }
}

fn parse_search_words(cursor: &mut Cursor<'_>) -> Option<Expr> {
    let mut words = Vec::new();
    while let Some(word) = cursor.search_word() {
        words.push(Expr::any([text_contains(word), label_contains(word)]));
    }
    (!words.is_empty()).then(|| Expr::all(words))
}

fn text_contains(word: &str) -> Expr {
    let value = word.to_owned();
    Expr::Compare(Comparison::Text { field: TextField::Text, test: TextTest::Contains, value })
}

fn label_contains(word: &str) -> Expr {
    Expr::Compare(Comparison::Label { test: MatchTest::Contains, value: word.to_owned() })
}

fn parse_group(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let expr = parse_or(cursor)?;
    cursor.require(&Kind::CloseGroup, "`and`, `or` or `)`")?;
    Ok(expr)
}

fn parse_comparison(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let field = cursor.field()?;
    let mut relation_span = cursor.span();
    let is_negated = cursor.at_keyword("not");
    if is_negated {
        cursor.advance();
        if !cursor.at_keyword("in") {
            return Err(cursor.expected("`in`"));
        }
        relation_span.end = cursor.span().end;
    }
    let relation = parse_relation(cursor, field)?;
    let values = match relation {
        Relation::In => parse_list(cursor)?,
        _ => vec![parse_value(cursor)?],
    };
    let condition = Condition { field, relation, relation_span, values };
    let expr = lower(cursor.source, cursor.now, &condition)?;
    Ok(if is_negated { Expr::negate(expr) } else { expr })
}

fn parse_relation(cursor: &mut Cursor<'_>, field: Field) -> Result<Relation, FilterError> {
    let relation = match cursor.peek() {
        Kind::Relation(relation) => *relation,
        _ if cursor.at_keyword("in") => Relation::In,
        _ if cursor.at_keyword("contains") => Relation::Contains,
        _ => {
            let name = field.name();
            let error = cursor.expected(&format!("an operator after `{name}`"));
            return Err(match field {
                Field::Flag(_) => error.with_hint(format!("write `{name} == true`")),
                _ => error,
            });
        }
    };
    cursor.advance();
    Ok(relation)
}

fn parse_value(cursor: &mut Cursor<'_>) -> Result<Literal, FilterError> {
    let is_reserved = ["and", "or", "not", "in"].iter().any(|keyword| cursor.at_keyword(keyword));
    if is_reserved {
        let error = cursor.expected("a value");
        return Err(error.with_hint("put the word in quotes if it is meant as a value"));
    }
    cursor.literal()
}

/// Parses `[a, b]`; parentheses are accepted too, as in SQL.
fn parse_list(cursor: &mut Cursor<'_>) -> Result<Vec<Literal>, FilterError> {
    let (close, close_name) = match cursor.peek() {
        Kind::OpenList => (Kind::CloseList, "`,` or `]`"),
        Kind::OpenGroup => (Kind::CloseGroup, "`,` or `)`"),
        _ => return Err(cursor.expected("a list such as `[a, b]`")),
    };
    cursor.advance();
    let mut values = vec![parse_value(cursor)?];
    while cursor.take(&Kind::Comma) {
        if *cursor.peek() == close {
            break;
        }
        values.push(parse_value(cursor)?);
    }
    cursor.require(&close, close_name)?;
    Ok(values)
}
