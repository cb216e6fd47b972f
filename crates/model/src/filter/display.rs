//! Prints an expression as canonical infix: parsing it gives an equal expression.
//!
//! This holds for every expression that the parser makes, as long as the text stays within the parser's limits.

use std::fmt::{self, Display, Formatter};

use super::expr::{Comparison, Expr, MatchTest, Order, TextTest};
use super::field::Field;
use super::text::write_quoted;

impl Display for Expr {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => out.write_str("true"),
            Self::And(operands) => write_joined(out, operands, " and ", |operand| matches!(operand, Self::Or(_))),
            Self::Or(operands) => write_joined(out, operands, " or ", |_| false),
            Self::Not(operand) => write_not(out, operand),
            Self::Compare(comparison) => comparison.fmt(out),
        }
    }
}

impl Display for Comparison {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_comparison(out, self, self.symbol())
    }
}

impl Display for Order {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.symbol())
    }
}

impl Comparison {
    fn symbol(&self) -> &'static str {
        match self {
            Self::Text { test, .. } | Self::Status { test, .. } => test.symbol(),
            Self::Label { test, .. } | Self::Person { test, .. } | Self::Reference { test, .. } => test.symbol(),
            Self::Number { order, .. } | Self::Instant { order, .. } | Self::Date { order, .. } => order.symbol(),
            Self::IdPrefix { .. } | Self::Flag { .. } | Self::Absent { .. } => Order::Equal.symbol(),
        }
    }
}

impl Order {
    fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

impl TextTest {
    fn symbol(self) -> &'static str {
        match self {
            Self::Order(order) => order.symbol(),
            Self::Contains => MatchTest::Contains.symbol(),
        }
    }
}

impl MatchTest {
    fn symbol(self) -> &'static str {
        match self {
            Self::Is => Order::Equal.symbol(),
            Self::Contains => "~",
        }
    }
}

fn write_joined(
    out: &mut Formatter<'_>,
    operands: &[Expr],
    separator: &str,
    needs_group: impl Fn(&Expr) -> bool,
) -> fmt::Result {
    for (index, operand) in operands.iter().enumerate() {
        if index > 0 {
            out.write_str(separator)?;
        }
        if needs_group(operand) {
            write!(out, "({operand})")?;
        } else {
            write!(out, "{operand}")?;
        }
    }
    Ok(())
}

fn write_not(out: &mut Formatter<'_>, operand: &Expr) -> fmt::Result {
    match operand {
        Expr::Compare(comparison) if comparison.symbol() == Order::Equal.symbol() => {
            write_comparison(out, comparison, "!=")
        }
        Expr::And(_) | Expr::Or(_) => write!(out, "not ({operand})"),
        _ => write!(out, "not {operand}"),
    }
}

fn write_comparison(out: &mut Formatter<'_>, comparison: &Comparison, symbol: &str) -> fmt::Result {
    let field: Field = comparison.field();
    write!(out, "{} {symbol} ", field.name())?;
    match comparison {
        Comparison::Text { value, .. }
        | Comparison::IdPrefix { prefix: value }
        | Comparison::Status { value, .. }
        | Comparison::Label { value, .. }
        | Comparison::Person { value, .. }
        | Comparison::Reference { value, .. } => write_quoted(out, value),
        Comparison::Number { value, .. } => write!(out, "{value}"),
        Comparison::Instant { value, .. } => write!(out, "{value}"),
        Comparison::Date { value, .. } => write!(out, "{value}"),
        Comparison::Flag { value, .. } => write!(out, "{value}"),
        Comparison::Absent { .. } => out.write_str("none"),
    }
}
