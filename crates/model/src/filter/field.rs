//! The fields a filter may name: one table of names and aliases, and the type of each field.
//!
//! A field's type is its variant, so code that compiles or evaluates a comparison never meets a field
//! of another type. Nothing here knows how a field is stored.

use crate::number::NumberSpace;

/// A field of an item that a filter may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Text compared by code point.
    Text(TextField),
    /// The workflow status; equality also takes the derived state.
    Status,
    /// The set of labels.
    Labels,
    /// A whole number.
    Number(NumberField),
    /// A moment that is always known.
    Instant(InstantField),
    /// A civil date that may be absent.
    Date(DateField),
    /// A truth value.
    Flag(FlagField),
    /// A person, stored as `Name <email>` or a bare word; the empty text when absent.
    Person(PersonField),
    /// Another item, which may be absent.
    Reference(ReferenceField),
}

/// A field that holds text; absent text is the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextField {
    /// The item's UUID.
    Id,
    /// The title.
    Title,
    /// The description.
    Description,
    /// The derived state: `draft`, `open` or `closed`.
    State,
    /// The kind of item: `issue`, `task`, `milestone` and so on.
    Kind,
    /// The size.
    Size,
    /// The severity.
    Severity,
    /// The type within its kind.
    Type,
    /// Title, description and comments together.
    Text,
}

/// A field that holds a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberField {
    /// The small number of the item in its repository.
    Number,
    /// The priority.
    Priority,
    /// How many comments there are.
    CommentCount,
}

/// A field that holds a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstantField {
    /// When the item was made.
    Created,
    /// When the item last changed.
    Updated,
}

/// A field that holds a civil date or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DateField {
    /// The day work began.
    Started,
    /// The day the end is expected.
    Expected,
    /// The day work ended.
    Completed,
    /// The day it has to be done.
    Due,
}

/// A field that is true or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlagField {
    /// Something else is in the way.
    Blocked,
    /// The work was approved.
    Approved,
    /// At least one comment exists.
    HasComments,
}

/// A field that holds a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PersonField {
    /// Who is to do it.
    Assignee,
    /// Who wrote it.
    Author,
}

/// A field that points at another item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceField {
    /// The milestone it belongs to.
    Milestone,
    /// The board it is on.
    Board,
    /// The item it is a part of.
    Parent,
}

impl ReferenceField {
    /// Returns the space of a number that is compared with this field.
    pub fn space(self) -> NumberSpace {
        match self {
            Self::Milestone => NumberSpace::Milestone,
            Self::Board => NumberSpace::Board,
            Self::Parent => NumberSpace::Work,
        }
    }
}

/// Every field with its names; the first name is the one we print.
const FIELDS: [(Field, &[&str]); 28] = [
    (Field::Text(TextField::Id), &["id"]),
    (Field::Number(NumberField::Number), &["number"]),
    (Field::Text(TextField::Title), &["title"]),
    (Field::Text(TextField::Description), &["description"]),
    (Field::Status, &["status"]),
    (Field::Text(TextField::State), &["state"]),
    (Field::Text(TextField::Kind), &["kind"]),
    (Field::Labels, &["labels", "label"]),
    (Field::Reference(ReferenceField::Milestone), &["milestone"]),
    (Field::Person(PersonField::Assignee), &["assignee"]),
    (Field::Person(PersonField::Author), &["author"]),
    (Field::Number(NumberField::Priority), &["priority"]),
    (Field::Text(TextField::Size), &["size"]),
    (Field::Text(TextField::Severity), &["severity"]),
    (Field::Text(TextField::Type), &["type"]),
    (Field::Reference(ReferenceField::Board), &["board"]),
    (Field::Reference(ReferenceField::Parent), &["parent"]),
    (Field::Flag(FlagField::Blocked), &["blocked"]),
    (Field::Flag(FlagField::Approved), &["approved"]),
    (Field::Instant(InstantField::Created), &["created", "created_at"]),
    (Field::Instant(InstantField::Updated), &["updated", "updated_at"]),
    (Field::Date(DateField::Started), &["started", "started_at"]),
    (Field::Date(DateField::Expected), &["expected", "expected_at"]),
    (Field::Date(DateField::Completed), &["completed", "completed_at"]),
    (Field::Date(DateField::Due), &["due"]),
    (Field::Number(NumberField::CommentCount), &["comment_count"]),
    (Field::Flag(FlagField::HasComments), &["has_comments"]),
    (Field::Text(TextField::Text), &["text"]),
];

/// Below this likeness a suggestion confuses more than it helps.
const LIKENESS: f64 = 0.75;

/// Longer words are no slip of the finger, and comparing them costs time.
const MAX_TYPO_LENGTH: usize = 32;

impl Field {
    /// Lists every field, in the order of the reference.
    pub fn all() -> impl Iterator<Item = Self> {
        FIELDS.iter().map(|&(field, _)| field)
    }

    /// Returns the name we print, then its aliases.
    pub fn names(self) -> &'static [&'static str] {
        FIELDS.iter().find(|&&(field, _)| field == self).map(|&(_, names)| names).expect("every field is in the table")
    }

    /// Returns the name we print.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Finds a field by one of its names, in any case.
    pub fn try_find(name: &str) -> Option<Self> {
        FIELDS
            .iter()
            .find(|(_, names)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
            .map(|&(field, _)| field)
    }

    /// Returns the known name most like an unknown one, if any is like it.
    pub(super) fn nearest(name: &str) -> Option<&'static str> {
        if name.len() > MAX_TYPO_LENGTH {
            return None;
        }
        let name = name.to_lowercase();
        FIELDS
            .iter()
            .flat_map(|(_, names)| names.iter())
            .map(|&known| (strsim::jaro_winkler(known, &name), known))
            .filter(|&(likeness, _)| likeness >= LIKENESS)
            .max_by(|left, right| left.0.total_cmp(&right.0))
            .map(|(_, known)| known)
    }
}

impl TextField {
    /// Says whether the bare word `none` means "no text" here.
    ///
    /// An item always has the other texts, so for them `none` is an ordinary word.
    pub(super) fn is_optional(self) -> bool {
        match self {
            Self::Description | Self::Size | Self::Severity | Self::Type => true,
            Self::Id | Self::Title | Self::State | Self::Kind | Self::Text => false,
        }
    }
}
