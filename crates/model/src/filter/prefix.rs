//! The s-expression form: `(and (= status "open") (contains labels bug))`.
//!
//! A filter that begins with `(` may have either form; [`is_prefix_form`] decides by lookahead, so that an error is
//! reported in terms of the form that the author meant.

use super::cursor::{Cursor, Literal, is_keyword};
use super::error::{FilterError, quote};
use super::expr::Expr;
use super::field::Field;
use super::lower::{Condition, lower};
use super::token::{Kind, Relation, Token};

/// The first element of a group.
enum GroupHead {
    And,
    Or,
    Not,
    Relation(Relation),
}

/// Returns whether the tokens are an s-expression.
///
/// Only `not` may come first in a group of either form; then the group after it decides.
pub(super) fn is_prefix_form(tokens: &[Token]) -> bool {
    let kind_at = |index: usize| tokens.get(index).map_or(&Kind::End, |token| &token.kind);
    let mut at = 0;
    while *kind_at(at) == Kind::OpenGroup {
        match read_head(kind_at(at + 1)) {
            Some(GroupHead::Not) => at += 2,
            Some(_) => return true,
            None => return is_misspelled_head(kind_at(at + 1), kind_at(at + 2)),
        }
    }
    false
}

/// Returns whether a word that is neither field nor operator is where only an s-expression allows one: an infix
/// comparison would continue with an operator.
fn is_misspelled_head(first: &Kind, second: &Kind) -> bool {
    let Kind::Word(word) = first else {
        return false;
    };
    let is_operand = matches!(second, Kind::Word(_) | Kind::Text(_) | Kind::OpenGroup);
    let is_infix_keyword = ["and", "or", "not", "in", "contains"].iter().any(|keyword| is_keyword(second, keyword));
    Field::try_find(word).is_none() && !is_keyword(first, "true") && is_operand && !is_infix_keyword
}

fn read_head(kind: &Kind) -> Option<GroupHead> {
    match kind {
        Kind::And => Some(GroupHead::And),
        Kind::Or => Some(GroupHead::Or),
        Kind::Not => Some(GroupHead::Not),
        Kind::Relation(relation) => Some(GroupHead::Relation(*relation)),
        Kind::Word(word) => match word.to_ascii_lowercase().as_str() {
            "and" => Some(GroupHead::And),
            "or" => Some(GroupHead::Or),
            "not" => Some(GroupHead::Not),
            "in" => Some(GroupHead::Relation(Relation::In)),
            "contains" => Some(GroupHead::Relation(Relation::Contains)),
            _ => None,
        },
        _ => None,
    }
}

/// Parses a whole filter.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let expr = parse_expr(cursor)?;
    if *cursor.peek() == Kind::End {
        return Ok(expr);
    }
    let error = cursor.expected("end of filter");
    Err(error.with_hint("join s-expressions with `(and … …)` or `(or … …)`"))
}

fn parse_expr(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    if cursor.at_keyword("true") {
        cursor.advance();
        return Ok(Expr::True);
    }
    cursor.require(&Kind::OpenGroup, "`(`")?;
    cursor.nested(parse_group)
}

/// Parses the rest of a group after `(`.
fn parse_group(cursor: &mut Cursor<'_>) -> Result<Expr, FilterError> {
    let Some(head) = read_head(cursor.peek()) else {
        return Err(unknown_head(cursor));
    };
    let head_span = cursor.span();
    cursor.advance();
    match head {
        GroupHead::And => parse_operands(cursor).map(Expr::all),
        GroupHead::Or => parse_operands(cursor).map(Expr::any),
        GroupHead::Not => {
            let operand = parse_expr(cursor)?;
            cursor.require(&Kind::CloseGroup, "`)`")?;
            Ok(Expr::negate(operand))
        }
        GroupHead::Relation(relation) => {
            let field = cursor.field()?;
            let values = parse_values(cursor, relation)?;
            let condition = Condition { field, relation, relation_span: head_span, values };
            lower(cursor.source, cursor.now, &condition)
        }
    }
}

fn parse_operands(cursor: &mut Cursor<'_>) -> Result<Vec<Expr>, FilterError> {
    let mut operands = vec![parse_expr(cursor)?];
    while !cursor.take(&Kind::CloseGroup) {
        if !matches!(cursor.peek(), Kind::OpenGroup | Kind::Word(_)) {
            return Err(cursor.expected("`(` or `)`"));
        }
        operands.push(parse_expr(cursor)?);
    }
    Ok(operands)
}

/// Parses the values of a comparison and the closing `)`.
fn parse_values(cursor: &mut Cursor<'_>, relation: Relation) -> Result<Vec<Literal>, FilterError> {
    let values = match (relation, cursor.peek()) {
        (Relation::In, Kind::OpenGroup) => parse_list(cursor, &Kind::CloseGroup)?,
        (Relation::In, Kind::OpenList) => parse_list(cursor, &Kind::CloseList)?,
        (Relation::In, _) => parse_sequence(cursor, &Kind::CloseGroup)?,
        _ => vec![cursor.literal()?],
    };
    cursor.require(&Kind::CloseGroup, "`)`")?;
    Ok(values)
}

/// Parses a list with its brackets.
fn parse_list(cursor: &mut Cursor<'_>, close: &Kind) -> Result<Vec<Literal>, FilterError> {
    cursor.advance();
    let values = parse_sequence(cursor, close)?;
    cursor.advance();
    Ok(values)
}

/// Parses one or more values up to `close`, which is not consumed; commas are optional.
fn parse_sequence(cursor: &mut Cursor<'_>, close: &Kind) -> Result<Vec<Literal>, FilterError> {
    let mut values = vec![cursor.literal()?];
    loop {
        cursor.take(&Kind::Comma);
        if cursor.peek() == close {
            return Ok(values);
        }
        values.push(cursor.literal()?);
    }
}

fn unknown_head(cursor: &Cursor<'_>) -> FilterError {
    let known = "expected one of `and`, `or`, `not`, `=`, `!=`, `<`, `<=`, `>`, `>=`, `contains`, `in`";
    match cursor.peek() {
        Kind::Word(word) => {
            let what = format!("unknown operator {}", quote(word));
            FilterError::new(cursor.source, cursor.span(), &what, known)
        }
        _ => cursor.expected("an operator such as `and` or `=`"),
    }
}
