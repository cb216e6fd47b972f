//! Random filters as a person writes them, in both forms, with their expected result.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A filter before it is printed in one of the forms.
#[derive(Clone, Debug)]
pub(super) enum Written {
    And(Vec<Written>),
    Or(Vec<Written>),
    Not(Box<Written>),
    Compare(&'static str, &'static str, &'static str),
    In(&'static str, Vec<&'static str>),
}

/// Comparisons that are well formed in both forms, by field.
const FIELDS: [(&str, &[&str], &[&str]); 9] = [
    ("status", &["=", "!=", "<", ">=", "~"], &["open", "'In Progress'", "draft"]),
    ("labels", &["=", "!=", "~"], &["bug", "BUG", "none", "''"]),
    ("priority", &["=", "!=", "<", "<=", ">", ">="], &["0", "1", "-2"]),
    ("created", &["=", "!=", "<", "<=", ">", ">="], &["today", "-1d", "2026-03-09", "2026-03-10T00:00:00Z"]),
    ("due", &["=", "!=", "<", "<=", ">", ">="], &["today", "-1d", "2026-03-09"]),
    ("blocked", &["=", "!="], &["yes", "false"]),
    ("assignee", &["=", "!=", "~"], &["ada", "ada@example.org", "none"]),
    ("milestone", &["=", "!=", "~"], &["12", "#12", "none", "open"]),
    ("id", &["=", "!=", "<", "~"], &["0189", "01890a5d", "x"]),
];

fn written_leaf() -> impl Strategy<Value = Written> {
    select(&FIELDS[..]).prop_flat_map(|(field, operators, values)| {
        let compare = (select(operators), select(values))
            .prop_map(move |(operator, value)| Written::Compare(field, operator, value));
        let within = prop::collection::vec(select(values), 1..3).prop_map(move |values| Written::In(field, values));
        prop_oneof![3 => compare, 1 => within]
    })
}

pub(super) fn written() -> impl Strategy<Value = Written> {
    written_leaf().prop_recursive(5, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Written::And),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Written::Or),
            inner.prop_map(|operand| Written::Not(Box::new(operand))),
        ]
    })
}

impl Written {
    /// Prints infix with the fewest parentheses.
    pub(super) fn infix(&self) -> String {
        let grouped = |operand: &Self, needs: bool| {
            if needs { format!("({})", operand.infix()) } else { operand.infix() }
        };
        match self {
            Self::And(operands) => {
                let texts: Vec<_> =
                    operands.iter().map(|operand| grouped(operand, matches!(operand, Self::Or(_)))).collect();
                texts.join(" && ")
            }
            Self::Or(operands) => operands.iter().map(Self::infix).collect::<Vec<_>>().join(" or "),
            Self::Not(operand) => {
                format!("not {}", grouped(operand, matches!(**operand, Self::And(_) | Self::Or(_))))
            }
            Self::Compare(field, operator, value) => format!("{field}{operator}{value}"),
            Self::In(field, values) => format!("{field} in [{}]", values.join(",")),
        }
    }

    /// Prints an s-expression.
    pub(super) fn prefix(&self) -> String {
        let joined = |operands: &[Self]| operands.iter().map(Self::prefix).collect::<Vec<_>>().join(" ");
        match self {
            Self::And(operands) => format!("(and {})", joined(operands)),
            Self::Or(operands) => format!("(or {})", joined(operands)),
            Self::Not(operand) => format!("(not {})", operand.prefix()),
            Self::Compare(field, operator, value) => format!("({operator} {field} {value})"),
            Self::In(field, values) => format!("(in {field} {})", values.join(" ")),
        }
    }

    /// Evaluates by the rules of logic, using the evaluator only for single comparisons.
    pub(super) fn holds(&self, facts: &Facts<'_>) -> bool {
        match self {
            Self::And(operands) => operands.iter().all(|operand| operand.holds(facts)),
            Self::Or(operands) => operands.iter().any(|operand| operand.holds(facts)),
            Self::Not(operand) => !operand.holds(facts),
            Self::Compare(field, "!=", value) => !Self::Compare(field, "=", value).holds(facts),
            Self::Compare(..) => parse(&self.infix()).matches(facts),
            Self::In(field, values) => values.iter().any(|value| Self::Compare(field, "=", value).holds(facts)),
        }
    }
}
