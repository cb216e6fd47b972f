//! Evaluates a filter on an item.
//!
//! The reference for other engines: a compiled query must give the same result.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::Date;

use super::compare::{contains_folded, person_is, reference_is};
use super::expr::{Comparison, Expr, MatchTest, OptionalField, Order, TextTest};
use super::field::{DateField, FlagField, InstantField, NumberField, PersonField, ReferenceField, TextField};
use crate::number::ItemNumber;

/// The fields of an item that a filter can see.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// UUID, in lower case with dashes.
    pub id: &'a str,
    /// Number in its space.
    pub number: u64,
    /// Title.
    pub title: &'a str,
    /// Description.
    pub description: &'a str,
    /// Workflow status.
    pub status: &'a str,
    /// Derived state: `draft`, `open` or `closed`.
    pub state: &'a str,
    /// Kind of item.
    pub kind: &'a str,
    /// Labels, in any order.
    pub labels: &'a [String],
    /// Its milestone.
    pub milestone: Option<ReferenceFacts<'a>>,
    /// Its board.
    pub board: Option<ReferenceFacts<'a>>,
    /// Its parent.
    pub parent: Option<ReferenceFacts<'a>>,
    /// All assignees, one per line; empty for nobody.
    pub assignee: &'a str,
    /// Author.
    pub author: &'a str,
    /// Priority.
    pub priority: i64,
    /// Size; empty for none.
    pub size: &'a str,
    /// Severity; empty for none.
    pub severity: &'a str,
    /// Type within its kind; empty for none.
    pub type_: &'a str,
    /// Marked as blocked.
    pub blocked: bool,
    /// Waits for an open item that blocks it.
    pub waiting: bool,
    /// Approved.
    pub approved: bool,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Start date.
    pub started: Option<Date>,
    /// Expected completion date.
    pub expected: Option<Date>,
    /// Completion date.
    pub completed: Option<Date>,
    /// Due date.
    pub due: Option<Date>,
    /// Number of comments.
    pub comment_count: u64,
    /// Title, description and comments together.
    pub text: &'a str,
}

/// The fields of a referenced item that a filter can see.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceFacts<'a> {
    /// UUID, in lower case with dashes.
    pub id: &'a str,
    /// Number and space.
    pub reference: ItemNumber,
    /// Title.
    pub title: &'a str,
}

impl Expr {
    /// Returns whether an item matches the expression.
    pub fn matches(&self, facts: &Facts<'_>) -> bool {
        match self {
            Self::True => true,
            Self::And(operands) => operands.iter().all(|operand| operand.matches(facts)),
            Self::Or(operands) => operands.iter().any(|operand| operand.matches(facts)),
            Self::Not(operand) => !operand.matches(facts),
            Self::Compare(comparison) => comparison.matches(facts),
        }
    }
}

impl Comparison {
    /// Returns whether an item matches the comparison.
    pub fn matches(&self, facts: &Facts<'_>) -> bool {
        match self {
            Self::Text { field, test, value } => test.holds(facts.text(*field), value),
            Self::IdPrefix { prefix } => starts_with_ignoring_case(facts.id, prefix),
            Self::Status { test: TextTest::Order(Order::Equal), value } => {
                facts.status == value || facts.state == value
            }
            Self::Status { test, value } => test.holds(facts.status, value),
            Self::Label { test, value } => facts.labels.iter().any(|label| match test {
                MatchTest::Is => label == value,
                MatchTest::Contains => contains_folded(label, value),
            }),
            Self::Number { field, order, value } => order.holds(facts.number(*field).cmp(&i128::from(*value))),
            Self::Instant { field, order, value } => order.holds(facts.instant(*field).cmp(value)),
            Self::Date { field, order, value } => facts.date(*field).is_some_and(|date| order.holds(date.cmp(value))),
            Self::Flag { field, value } => facts.flag(*field) == *value,
            Self::Person { field, test, value } => match test {
                MatchTest::Is => person_is(facts.person(*field), value),
                MatchTest::Contains => contains_folded(facts.person(*field), value),
            },
            Self::Reference { field, test, value } => {
                facts.reference(*field).is_some_and(|item| item.passes(*field, *test, value))
            }
            Self::Absent { field } => match field {
                OptionalField::Labels => facts.labels.is_empty(),
                OptionalField::Date(field) => facts.date(*field).is_none(),
                OptionalField::Reference(field) => facts.reference(*field).is_none(),
            },
        }
    }
}

impl Order {
    /// Returns whether two values that compare as `ordering` satisfy the operator.
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

impl TextTest {
    fn holds(self, stored: &str, value: &str) -> bool {
        match self {
            // `str` is ordered by bytes, which for UTF-8 is the order of code points.
            Self::Order(order) => order.holds(stored.cmp(value)),
            Self::Contains => contains_folded(stored, value),
        }
    }
}

impl ReferenceFacts<'_> {
    fn passes(&self, field: ReferenceField, test: MatchTest, value: &str) -> bool {
        match test {
            MatchTest::Is => reference_is(self.id, self.reference, self.title, field.space(), value),
            MatchTest::Contains => contains_folded(self.title, value),
        }
    }
}

impl<'a> Facts<'a> {
    fn text(&self, field: TextField) -> &'a str {
        match field {
            TextField::Id => self.id,
            TextField::Title => self.title,
            TextField::Description => self.description,
            TextField::State => self.state,
            TextField::Kind => self.kind,
            TextField::Size => self.size,
            TextField::Severity => self.severity,
            TextField::Type => self.type_,
            TextField::Text => self.text,
        }
    }

    /// i128, for both signed and unsigned values.
    fn number(&self, field: NumberField) -> i128 {
        match field {
            NumberField::Number => self.number.into(),
            NumberField::Priority => self.priority.into(),
            NumberField::CommentCount => self.comment_count.into(),
        }
    }

    fn instant(&self, field: InstantField) -> Timestamp {
        match field {
            InstantField::Created => self.created,
            InstantField::Updated => self.updated,
        }
    }

    fn date(&self, field: DateField) -> Option<Date> {
        match field {
            DateField::Started => self.started,
            DateField::Expected => self.expected,
            DateField::Completed => self.completed,
            DateField::Due => self.due,
        }
    }

    fn flag(&self, field: FlagField) -> bool {
        match field {
            FlagField::Blocked => self.blocked,
            FlagField::Waiting => self.waiting,
            FlagField::Approved => self.approved,
            FlagField::HasComments => self.comment_count > 0,
        }
    }

    fn person(&self, field: PersonField) -> &'a str {
        match field {
            PersonField::Assignee => self.assignee,
            PersonField::Author => self.author,
        }
    }

    fn reference(&self, field: ReferenceField) -> Option<ReferenceFacts<'a>> {
        match field {
            ReferenceField::Milestone => self.milestone,
            ReferenceField::Board => self.board,
            ReferenceField::Parent => self.parent,
        }
    }
}

fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
