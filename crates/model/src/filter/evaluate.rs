//! Decides whether one item meets a filter.
//!
//! The reference for every other engine: what this says is what a compiled query must say.

use std::cmp::Ordering;

use jiff::Timestamp;
use jiff::civil::Date;

use super::compare::{contains_folded, person_is, reference_is};
use super::expr::{Comparison, Expr, MatchTest, OptionalField, Order, TextTest};
use super::field::{DateField, FlagField, InstantField, NumberField, PersonField, ReferenceField, TextField};
use crate::number::ItemNumber;

/// What a filter can see of one item.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The UUID, in lower case with dashes.
    pub id: &'a str,
    /// The small number in the repository.
    pub number: u64,
    /// The title.
    pub title: &'a str,
    /// The description.
    pub description: &'a str,
    /// The workflow status.
    pub status: &'a str,
    /// The derived state: `draft`, `open` or `closed`.
    pub state: &'a str,
    /// The kind of item.
    pub kind: &'a str,
    /// The labels, in any order.
    pub labels: &'a [String],
    /// The milestone it belongs to.
    pub milestone: Option<ReferenceFacts<'a>>,
    /// The board it is on.
    pub board: Option<ReferenceFacts<'a>>,
    /// The item it is a part of.
    pub parent: Option<ReferenceFacts<'a>>,
    /// Everyone who is to do it, each on a line; empty for nobody.
    pub assignee: &'a str,
    /// Who wrote it.
    pub author: &'a str,
    /// The priority.
    pub priority: i64,
    /// The size; empty for none.
    pub size: &'a str,
    /// The severity; empty for none.
    pub severity: &'a str,
    /// The type within its kind; empty for none.
    pub type_: &'a str,
    /// Something else is in the way.
    pub blocked: bool,
    /// The work was approved.
    pub approved: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// The day work began.
    pub started: Option<Date>,
    /// The day the end is expected.
    pub expected: Option<Date>,
    /// The day work ended.
    pub completed: Option<Date>,
    /// The day it has to be done.
    pub due: Option<Date>,
    /// How many comments there are.
    pub comment_count: u64,
    /// Title, description and comments together.
    pub text: &'a str,
}

/// What a filter can see of an item that another one points at.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceFacts<'a> {
    /// The UUID, in lower case with dashes.
    pub id: &'a str,
    /// The number, and the space it counts in.
    pub reference: ItemNumber,
    /// The title.
    pub title: &'a str,
}

impl Expr {
    /// Says whether an item meets the condition.
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
    /// Says whether an item meets the comparison.
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
    /// Says whether two values that compare like `ordering` pass.
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
            // `str` is ordered by its bytes, which for UTF-8 is the order of code points.
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

    /// Wide enough for both signed and unsigned facts.
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
