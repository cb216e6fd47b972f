//! The meaning of a filter: typed, checked and two-valued, ready to be evaluated or compiled.
//!
//! Surface sugar is gone: `!=` is `Not` of an equality, `in` is `Or` of equalities, a day against a
//! moment is a pair of bounds, a relative date is absolute. Nothing here is ever unknown: each comparison
//! is true or false for every item, so a compiler to SQL must make comparisons with NULL false.

use jiff::Timestamp;
use jiff::civil::Date;

use super::field::{DateField, Field, FlagField, InstantField, NumberField, PersonField, ReferenceField, TextField};

/// A condition on one item.
///
/// Expressions made by the parser are canonical: `And` and `Or` have two or more operands, none of which
/// is of the same kind. Use [`Expr::all`] and [`Expr::any`] to keep it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// Holds for every item; an empty filter.
    True,
    /// Holds when every operand does.
    And(Vec<Expr>),
    /// Holds when at least one operand does.
    Or(Vec<Expr>),
    /// Holds when the operand does not.
    Not(Box<Expr>),
    /// One comparison.
    Compare(Comparison),
}

/// A comparison of one field with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// A text against a text; absent text is the empty string.
    Text {
        /// Which text.
        field: TextField,
        /// How they compare.
        test: TextTest,
        /// The text to compare with.
        value: String,
    },
    /// The item's id begins with these lower case hexadecimal digits and dashes.
    IdPrefix {
        /// At least four digits.
        prefix: String,
    },
    /// The status. Equality holds when the value is the status name or the derived state; every other
    /// test looks at the name alone.
    Status {
        /// How they compare.
        test: TextTest,
        /// The name to compare with.
        value: String,
    },
    /// Some label of the item is the value (exactly) or contains it.
    Label {
        /// Which of the two.
        test: MatchTest,
        /// The label, or the part of one.
        value: String,
    },
    /// A number against a number.
    Number {
        /// Which number.
        field: NumberField,
        /// How they compare.
        order: Order,
        /// The number to compare with.
        value: i64,
    },
    /// A moment against a moment.
    Instant {
        /// Which moment.
        field: InstantField,
        /// How they compare.
        order: Order,
        /// The moment to compare with, to the nanosecond.
        value: Timestamp,
    },
    /// A date against a date; false when the item has none.
    Date {
        /// Which date.
        field: DateField,
        /// How they compare.
        order: Order,
        /// The date to compare with.
        value: Date,
    },
    /// A flag has this value.
    Flag {
        /// Which flag.
        field: FlagField,
        /// The value it has.
        value: bool,
    },
    /// A person: [`person_is`](super::person_is) the value, or contains it. The value `""` is "nobody".
    Person {
        /// Which person.
        field: PersonField,
        /// Which of the two.
        test: MatchTest,
        /// The person, or a part of the stored text.
        value: String,
    },
    /// Another item: [`reference_is`](super::reference_is) the value, or its title contains it; false
    /// when there is no such item.
    Reference {
        /// Which reference.
        field: ReferenceField,
        /// Which of the two.
        test: MatchTest,
        /// The number, UUID or title, or a part of the title.
        value: String,
    },
    /// The item has nothing in this field.
    Absent {
        /// Which field.
        field: OptionalField,
    },
}

/// How two values of an ordered type compare.
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

/// How two texts compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// By Unicode code point, which is the order of the UTF-8 bytes.
    Order(Order),
    /// [`contains_folded`](super::contains_folded).
    Contains,
}

/// How a value that has no order compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchTest {
    /// It is the value.
    Is,
    /// [`contains_folded`](super::contains_folded).
    Contains,
}

/// A field whose absence is not the empty text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionalField {
    /// No label at all.
    Labels,
    /// No date.
    Date(DateField),
    /// No such item.
    Reference(ReferenceField),
}

impl Expr {
    /// Joins conditions that must all hold; none is [`Expr::True`].
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

    /// Joins conditions of which one must hold; none is never true.
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

    /// Turns a condition into its opposite.
    pub fn negate(operand: Self) -> Self {
        Self::Not(Box::new(operand))
    }

    /// Says whether the condition mentions a field.
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
    /// Returns the field this is.
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
