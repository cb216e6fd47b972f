//! Type-checks a comparison and removes syntactic sugar.
//!
//! After this all literals are parsed, so evaluating or compiling a filter cannot fail.

use std::ops::Range;

use jiff::Timestamp;

use super::cursor::Literal;
use super::error::FilterError;
use super::expr::{Comparison, Expr, MatchTest, OptionalField, Order, TextTest};
use super::field::{Field, InstantField, NumberField, TextField};
use super::literal::{self, Moment};
use super::token::Relation;
use crate::priority::PriorityLevel;

/// A comparison as written.
pub(super) struct Condition {
    pub(super) field: Field,
    pub(super) relation: Relation,
    pub(super) relation_span: Range<usize>,
    /// One value, or several for `in`.
    pub(super) values: Vec<Literal>,
}

/// Checks a comparison and converts it to an expression.
pub(super) fn lower(source: &str, now: Timestamp, condition: &Condition) -> Result<Expr, FilterError> {
    check_relation(source, condition)?;
    let field = condition.field;
    let lowering = Lowering { source, now, field };
    let mut alternatives = Vec::with_capacity(condition.values.len());
    for value in &condition.values {
        alternatives.push(lowering.lower(condition.relation, value)?);
    }
    Ok(Expr::any(alternatives))
}

/// Refuses an operator that the type of the field does not support.
fn check_relation(source: &str, condition: &Condition) -> Result<(), FilterError> {
    let (orders, contains) = match condition.field {
        Field::Text(_) | Field::Status => (true, true),
        Field::Number(_) | Field::Instant(_) | Field::Date(_) => (true, false),
        Field::Labels | Field::Person(_) | Field::Reference(_) => (false, true),
        Field::Flag(_) => (false, false),
    };
    let is_allowed = match condition.relation {
        Relation::Equal | Relation::NotEqual | Relation::In => true,
        Relation::Contains => contains,
        Relation::Less | Relation::LessOrEqual | Relation::Greater | Relation::GreaterOrEqual => orders,
    };
    if is_allowed {
        return Ok(());
    }
    let allowed = match (orders, contains) {
        (true, _) => "`==`, `!=`, `<`, `<=`, `>`, `>=` or `in`",
        (false, true) => "`==`, `!=`, `~` or `in`",
        (false, false) => "`==`, `!=` or `in`",
    };
    let what = format!("{allowed} for `{}`", condition.field.name());
    Err(FilterError::expected(source, condition.relation_span.clone(), &what))
}

/// The context of lowering one comparison.
struct Lowering<'s> {
    source: &'s str,
    now: Timestamp,
    field: Field,
}

impl Lowering<'_> {
    fn lower(&self, relation: Relation, value: &Literal) -> Result<Expr, FilterError> {
        match relation {
            Relation::Equal | Relation::In => self.equal(value),
            Relation::NotEqual => self.equal(value).map(Expr::negate),
            Relation::Less => self.ordered(Order::Less, value),
            Relation::LessOrEqual => self.ordered(Order::LessOrEqual, value),
            Relation::Greater => self.ordered(Order::Greater, value),
            Relation::GreaterOrEqual => self.ordered(Order::GreaterOrEqual, value),
            Relation::Contains => self.contains(value),
        }
    }

    fn equal(&self, literal: &Literal) -> Result<Expr, FilterError> {
        let is_none = is_none(literal);
        let is_absent = is_none || literal.text.is_empty();
        let test = MatchTest::Is;
        let value = if is_none { String::new() } else { literal.text.clone() };
        let comparison = match self.field {
            Field::Labels if is_absent => absent(OptionalField::Labels),
            Field::Date(field) if is_absent => absent(OptionalField::Date(field)),
            Field::Reference(field) if is_absent => absent(OptionalField::Reference(field)),
            Field::Labels => Comparison::Label { test, value },
            Field::Reference(field) => Comparison::Reference { field, test, value },
            Field::Person(field) => Comparison::Person { field, test, value },
            Field::Flag(field) => {
                let value =
                    literal::read_flag(&value).ok_or_else(|| self.expected_value("`true` or `false`", literal))?;
                Comparison::Flag { field, value }
            }
            Field::Text(field) if is_none && field.is_optional() => {
                let test = TextTest::Order(Order::Equal);
                Comparison::Text { field, test, value }
            }
            Field::Text(TextField::Id) => equal_id(literal.text.clone()),
            _ => return self.ordered(Order::Equal, literal),
        };
        Ok(Expr::Compare(comparison))
    }

    fn ordered(&self, order: Order, literal: &Literal) -> Result<Expr, FilterError> {
        let test = TextTest::Order(order);
        let value = literal.text.clone();
        let comparison = match self.field {
            Field::Text(field) => Comparison::Text { field, test, value },
            Field::Status => Comparison::Status { test, value },
            Field::Number(field) => {
                if let (NumberField::Priority, Some(level)) = (field, PriorityLevel::try_parse(&value)) {
                    return Ok(compare_priority(order, level));
                }
                let value = literal::read_number(field, &value)
                    .ok_or_else(|| self.expected_value(number_form(field), literal))?;
                Comparison::Number { field, order, value }
            }
            Field::Instant(field) => {
                let moment = literal::read_moment(&value, self.now).ok_or_else(|| self.expected_moment(literal))?;
                return Ok(compare_moment(field, order, moment));
            }
            Field::Date(field) => {
                let value = literal::read_date(&value, self.now).ok_or_else(|| self.expected_date(literal))?;
                Comparison::Date { field, order, value }
            }
            // Invariant: `check_relation` has refused an order for these, and `equal` reads them.
            Field::Labels | Field::Flag(_) | Field::Person(_) | Field::Reference(_) => {
                return Err(self.expected_value("a value with an order", literal));
            }
        };
        Ok(Expr::Compare(comparison))
    }

    fn contains(&self, literal: &Literal) -> Result<Expr, FilterError> {
        let test = MatchTest::Contains;
        let value = literal.text.clone();
        let comparison = match self.field {
            Field::Text(field) => Comparison::Text { field, test: TextTest::Contains, value },
            Field::Status => Comparison::Status { test: TextTest::Contains, value },
            Field::Labels => Comparison::Label { test, value },
            Field::Person(field) => Comparison::Person { field, test, value },
            Field::Reference(field) => Comparison::Reference { field, test, value },
            // Invariant: `check_relation` has refused `~` for these.
            Field::Number(_) | Field::Instant(_) | Field::Date(_) | Field::Flag(_) => {
                return Err(self.expected_value("a text", literal));
            }
        };
        Ok(Expr::Compare(comparison))
    }

    fn expected_value(&self, what: &str, value: &Literal) -> FilterError {
        let what = format!("{what} for `{}`", self.field.name());
        FilterError::expected(self.source, value.span.clone(), &what)
    }

    fn expected_moment(&self, value: &Literal) -> FilterError {
        self.expected_value("a date or time", value).with_hint(
            "write `2026-01-31`, `2026-01-31T12:00:00Z`, `-7d` (also `m`, `h`, `w`), `today`, `yesterday` or `now`",
        )
    }

    fn expected_date(&self, value: &Literal) -> FilterError {
        self.expected_value("a date", value)
            .with_hint("write `2026-01-31`, `-7d` or `+7d` (also `m`, `h`, `w`), `today`, `yesterday` or `none`")
    }
}

/// Returns whether a value is the bare word `none`; in quotes it is an ordinary text.
fn is_none(value: &Literal) -> bool {
    value.is_bare && value.text.eq_ignore_ascii_case("none")
}

fn absent(field: OptionalField) -> Comparison {
    Comparison::Absent { field }
}

/// A prefix of an id matches the id, as elsewhere.
fn equal_id(text: String) -> Comparison {
    match literal::read_id_prefix(&text) {
        Some(prefix) => Comparison::IdPrefix { prefix },
        None => Comparison::Text { field: TextField::Id, test: TextTest::Order(Order::Equal), value: text },
    }
}

fn number_form(field: NumberField) -> &'static str {
    match field {
        NumberField::Priority => "a whole number, `urgent`, `high`, `medium`, `low` or `none`",
        NumberField::Number | NumberField::CommentCount => "a whole number",
    }
}

/// Compares with a level of priority, which is a range of numbers.
fn compare_priority(order: Order, level: PriorityLevel) -> Expr {
    let (first, last) = level.numbers().into_inner();
    let compare = |order, value: u8| {
        Expr::Compare(Comparison::Number { field: NumberField::Priority, order, value: value.into() })
    };
    match order {
        Order::Equal => Expr::all([compare(Order::GreaterOrEqual, first), compare(Order::LessOrEqual, last)]),
        Order::Less | Order::GreaterOrEqual => compare(order, first),
        Order::LessOrEqual | Order::Greater => compare(order, last),
    }
}

/// Compares with an instant, or with a whole UTC day: before its start, after its end or within.
fn compare_moment(field: InstantField, order: Order, moment: Moment) -> Expr {
    let compare = |order, value| Expr::Compare(Comparison::Instant { field, order, value });
    let (start, end) = match moment {
        Moment::Exact(at) => return compare(order, at),
        Moment::Day { start, end } => (start, end),
    };
    match order {
        Order::Equal => Expr::all([compare(Order::GreaterOrEqual, start), compare(Order::Less, end)]),
        Order::Less => compare(Order::Less, start),
        Order::LessOrEqual => compare(Order::Less, end),
        Order::Greater => compare(Order::GreaterOrEqual, end),
        Order::GreaterOrEqual => compare(Order::GreaterOrEqual, start),
    }
}
