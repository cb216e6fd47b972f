//! The typed expression of a filter, checked and two-valued, ready to be evaluated or compiled.
//!
//! Syntactic sugar is removed: `!=` is `Not` of an equality, `in` is `Or` of equalities, a day compared with an instant
//! is a pair of bounds, relative dates are absolute. There is no unknown value: each comparison is true or false for
//! every item, so a compiler to SQL must make comparisons with NULL false.

use jiff::Timestamp;
use jiff::civil::Date;

use super::field::{DateField, Field, FlagField, InstantField, NumberField, PersonField, ReferenceField, TextField};

/// A condition on one item.
///
/// Expressions made by the parser are canonical: `And` and `Or` have two or more operands, none of the same kind.
/// [`Expr::all`] and [`Expr::any`] keep them so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// True for every item; an empty filter.
    True,
    /// True if all operands are.
    And(Vec<Expr>),
    /// True if at least one operand is.
    Or(Vec<Expr>),
    /// True if the operand is false.
    Not(Box<Expr>),
    /// One comparison.
    Compare(Comparison),
}

/// A comparison of one field with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// A text with a text; a missing text is the empty string.
    Text {
        /// The field.
        field: TextField,
        /// The operator.
        test: TextTest,
        /// The text to compare with.
        value: String,
    },
    /// The item's id has this prefix of lower-case hexadecimal digits and dashes.
    IdPrefix {
        /// At least four digits.
        prefix: String,
    },
    /// The status. Equality compares with the status name and the derived state; other operators only with the name.
    Status {
        /// The operator.
        test: TextTest,
        /// The name to compare with.
        value: String,
    },
    /// A label of the item equals the value, or contains it.
    Label {
        /// Equals or contains.
        test: MatchTest,
        /// The label, or a part of one.
        value: String,
    },
    /// A number with a number.
    Number {
        /// The field.
        field: NumberField,
        /// The operator.
        order: Order,
        /// The number to compare with.
        value: i64,
    },
    /// An instant with an instant.
    Instant {
        /// The field.
        field: InstantField,
        /// The operator.
        order: Order,
        /// The instant to compare with, in nanoseconds.
        value: Timestamp,
    },
    /// A date with a date; false if the item has none.
    Date {
        /// The field.
        field: DateField,
        /// The operator.
        order: Order,
        /// The date to compare with.
        value: Date,
    },
    /// A flag.
    Flag {
        /// The field.
        field: FlagField,
        /// The value.
        value: bool,
    },
    /// A person: [`person_is`](super::person_is) the value, or contains it. The value `""` means "nobody".
    Person {
        /// The field.
        field: PersonField,
        /// Equals or contains.
        test: MatchTest,
        /// The person, or a part of the stored text.
        value: String,
    },
    /// Another item: [`reference_is`](super::reference_is) the value, or its title contains it; false if there is no
    /// such item.
    Reference {
        /// The field.
        field: ReferenceField,
        /// Equals or contains.
        test: MatchTest,
        /// Number, UUID or title, or a part of the title.
        value: String,
    },
    /// The field has no value.
    Absent {
        /// The field.
        field: OptionalField,
    },
}

/// A comparison operator of an ordered type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Equal.
    Equal,
    /// Strictly less.
    Less,
    /// Less or equal.
    LessOrEqual,
    /// Strictly greater.
    Greater,
    /// Greater or equal.
    GreaterOrEqual,
}

/// A comparison operator of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// By Unicode code point, which is the order of the UTF-8 bytes.
    Order(Order),
    /// [`contains_folded`](super::contains_folded).
    Contains,
}

/// A comparison operator of unordered values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchTest {
    /// Equality.
    Is,
    /// [`contains_folded`](super::contains_folded).
    Contains,
}

/// A field whose absence is not the empty text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionalField {
    /// No labels.
    Labels,
    /// No date.
    Date(DateField),
    /// No such item.
    Reference(ReferenceField),
}

impl Expr {
    /// Joins conditions with "and"; no conditions give [`Expr::True`].
    pub fn all(operands: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Vec::new();
        for operand in operands {
            match operand {
                Self::And(inner) => joined.extend(inner),
                other => joined.push(other),
            }
        }
        match joined.len() {
            0 => Self::True,
            1 => joined.remove(0),
            _ => Self::And(joined),
        }
    }

    /// Joins conditions with "or"; no conditions are never true.
    pub fn any(operands: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Vec::new();
        for operand in operands {
            match operand {
                Self::Or(inner) => joined.extend(inner),
                other => joined.push(other),
            }
        }
        match joined.len() {
            0 => Self::negate(Self::True),
            1 => joined.remove(0),
            _ => Self::Or(joined),
        }
    }

    /// Negates a condition.
    pub fn negate(operand: Self) -> Self {
        Self::Not(Box::new(operand))
    }

    /// Returns whether the condition mentions a field.
    pub fn names(&self, field: Field) -> bool {
        match self {
            Self::True => false,
            Self::And(operands) | Self::Or(operands) => operands.iter().any(|operand| operand.names(field)),
            Self::Not(operand) => operand.names(field),
            Self::Compare(comparison) => comparison.field() == field,
        }
    }
}

impl Comparison {
    /// Returns the field that is compared.
    pub fn field(&self) -> Field {
        match *self {
            Self::Text { field, .. } => Field::Text(field),
            Self::IdPrefix { .. } => Field::Text(TextField::Id),
            Self::Status { .. } => Field::Status,
            Self::Label { .. } => Field::Labels,
            Self::Number { field, .. } => Field::Number(field),
            Self::Instant { field, .. } => Field::Instant(field),
            Self::Date { field, .. } => Field::Date(field),
            Self::Flag { field, .. } => Field::Flag(field),
            Self::Person { field, .. } => Field::Person(field),
            Self::Reference { field, .. } => Field::Reference(field),
            Self::Absent { field } => field.field(),
        }
    }
}

impl OptionalField {
    /// Returns the field.
    pub fn field(self) -> Field {
        match self {
            Self::Labels => Field::Labels,
            Self::Date(field) => Field::Date(field),
            Self::Reference(field) => Field::Reference(field),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_nothing_or_one_thing_adds_no_level() {
        let never = Expr::negate(Expr::True);
        assert_eq!(Expr::all([]), Expr::True);
        assert_eq!(Expr::any([]), never);
        assert_eq!(Expr::all([never.clone()]), never);
        assert_eq!(Expr::any([never.clone()]), never);
    }
}
