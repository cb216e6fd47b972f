//! The fields of the filter language: names, aliases and types.
//!
//! The type of a field is its variant, so code that compiles or evaluates a comparison never gets a field of another
//! type. Nothing here depends on how a field is stored.

use crate::number::NumberSpace;

/// A field of the filter language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// Text, compared by code point.
    Text(TextField),
    /// Workflow status; equality also matches the derived state.
    Status,
    /// The set of labels.
    Labels,
    /// An integer.
    Number(NumberField),
    /// An instant that is always present.
    Instant(InstantField),
    /// A civil date that may be absent.
    Date(DateField),
    /// A boolean.
    Flag(FlagField),
    /// A person, stored as `Name <email>` or a bare word; the empty text if absent.
    Person(PersonField),
    /// Another item, which may be absent.
    Reference(ReferenceField),
}

/// A text field; a missing text is the empty string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextField {
    /// UUID of the item.
    Id,
    /// The title.
    Title,
    /// The description.
    Description,
    /// Derived state: `draft`, `open` or `closed`.
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

/// A number field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberField {
    /// Number of the item in its space.
    Number,
    /// The priority.
    Priority,
    /// Number of comments.
    CommentCount,
}

/// An instant field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InstantField {
    /// Time of creation.
    Created,
    /// Time of the last change.
    Updated,
}

/// A date field, which may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DateField {
    /// Start date.
    Started,
    /// Expected completion date.
    Expected,
    /// Completion date.
    Completed,
    /// Due date.
    Due,
}

/// A boolean field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlagField {
    /// Marked as blocked.
    Blocked,
    /// Waits for an open item that blocks it.
    Waiting,
    /// Approved.
    Approved,
    /// Has at least one comment.
    HasComments,
}

/// A person field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PersonField {
    /// Any of its assignees.
    Assignee,
    /// Author.
    Author,
}

/// A field that refers to another item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceField {
    /// Its milestone.
    Milestone,
    /// Its board.
    Board,
    /// Its parent.
    Parent,
}

impl ReferenceField {
    /// Returns the number space of this field's values.
    pub fn space(self) -> NumberSpace {
        match self {
            Self::Milestone => NumberSpace::Milestone,
            Self::Board => NumberSpace::Board,
            Self::Parent => NumberSpace::Work,
        }
    }
}

/// All fields with their names; the first name is the canonical one.
const FIELDS: [(Field, &[&str]); 29] = [
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
    (Field::Flag(FlagField::Waiting), &["waiting"]),
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

/// Minimum similarity of a suggestion; below it, suggestions confuse more than they help.
const MIN_SIMILARITY: f64 = 0.75;

/// Maximum length of a word for which a suggestion is made; longer ones are not typos, and comparing them costs time.
const MAX_TYPO_LENGTH: usize = 32;

impl Field {
    /// Returns all fields, in the order of the reference.
    pub fn all() -> impl Iterator<Item = Self> {
        FIELDS.iter().map(|&(field, _)| field)
    }

    /// Returns the canonical name, then the aliases.
    pub fn names(self) -> &'static [&'static str] {
        FIELDS.iter().find(|&&(field, _)| field == self).map(|&(_, names)| names).expect("every field is in the table")
    }

    /// Returns the canonical name.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Finds a field by one of its names, ignoring case.
    pub fn try_find(name: &str) -> Option<Self> {
        FIELDS
            .iter()
            .find(|(_, names)| names.iter().any(|known| known.eq_ignore_ascii_case(name)))
            .map(|&(field, _)| field)
    }

    /// Returns the most similar known name, if one is similar enough.
    pub(super) fn nearest(name: &str) -> Option<&'static str> {
        if name.len() > MAX_TYPO_LENGTH {
            return None;
        }
        let name = name.to_lowercase();
        FIELDS
            .iter()
            .flat_map(|(_, names)| names.iter())
            .map(|&known| (strsim::jaro_winkler(known, &name), known))
            .filter(|&(likeness, _)| likeness >= MIN_SIMILARITY)
            .max_by(|left, right| left.0.total_cmp(&right.0))
            .map(|(_, known)| known)
    }
}

impl TextField {
    /// Returns whether the bare word `none` means "no text" for this field.
    ///
    /// An item always has the other texts, so for them `none` is an ordinary word.
    pub(super) fn is_optional(self) -> bool {
        match self {
            Self::Description | Self::Size | Self::Severity | Self::Type => true,
            Self::Id | Self::Title | Self::State | Self::Kind | Self::Text => false,
        }
    }
}
