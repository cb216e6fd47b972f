//! The fields that a person can set on an item. Each is declared once; command-line flags, help, checks and docs are
//! made from this table.

mod change;

use crate::item::ItemKind;
use crate::priority::PriorityLevel;
use crate::value_error::ValueError;
pub use change::{Day, FieldChange, FieldValue, StatusRef};

/// A field of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Name as a flag and in JSON; [`Field::stored`] is its name in the log.
    pub name: &'static str,
    /// Type of its values.
    pub takes: FieldType,
    /// One line for help and docs.
    pub about: &'static str,
}

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A nonempty line.
    Title,
    /// One line.
    Line,
    /// Many lines of Markdown.
    Body,
    /// A status of the item's workflow.
    Status,
    /// A person, by name, address or user name.
    Person,
    /// A word (`urgent`, `high`, `medium`, `low`, `none`) or a number from 0 to 10.
    Priority,
    /// `small`, `medium`, `large` or `xlarge`.
    Size,
    /// Another item, of one kind or of any.
    Reference(Option<ItemKind>),
    /// `YYYY-MM-DD`, `today`, `tomorrow`.
    Date,
    /// `#rrggbb`.
    Color,
    /// A boolean.
    Flag,
}

/// The title, in one line.
pub const TITLE: Field = field("title", FieldType::Title, "The title, in one line");
/// The description, in Markdown.
pub const DESCRIPTION: Field = field("description", FieldType::Body, "The description, in Markdown");
/// A status of the kind's workflow.
pub const STATUS: Field = field("status", FieldType::Status, "A status of the kind's workflow");
/// The assignee: a name, an address or `me`.
pub const ASSIGN: Field = field("assign", FieldType::Person, "The assignee: a name, an address or `me`");
/// The priority.
pub const PRIORITY: Field =
    field("priority", FieldType::Priority, "The priority: urgent, high, medium, low, none, or 0 to 10");
/// The size: small, medium, large or xlarge.
pub const SIZE: Field = field("size", FieldType::Size, "The size: small, medium, large or xlarge");
/// The severity, in the team's words.
pub const SEVERITY: Field = field("severity", FieldType::Line, "The severity, in the team's words");
/// The type: bug, question, ….
pub const TYPE: Field = field("type", FieldType::Line, "The type: bug, question, …");
/// The board.
pub const BOARD: Field = field("board", FieldType::Reference(Some(ItemKind::Board)), "The board");
/// The milestone.
pub const MILESTONE: Field = field("milestone", FieldType::Reference(Some(ItemKind::Milestone)), "The milestone");
/// The parent item.
pub const PARENT: Field = field("parent", FieldType::Reference(None), "The parent item");
/// The reason why it is blocked; empty if it is not.
pub const BLOCKED: Field = field("blocked", FieldType::Line, "The reason why it is blocked; empty if it is not");
/// Whether it is approved.
pub const APPROVED: Field = field("approved", FieldType::Flag, "Whether it is approved");
/// The date work started.
pub const STARTED: Field = field("started", FieldType::Date, "The date work started");
/// The expected date of completion.
pub const EXPECTED: Field = field("expected", FieldType::Date, "The expected date of completion");
/// The date of completion.
pub const COMPLETED: Field = field("completed", FieldType::Date, "The date of completion");
/// The due date.
pub const DUE: Field = field("due", FieldType::Date, "The due date");
/// The color on boards, as #rrggbb.
pub const COLOR: Field = field("colour", FieldType::Color, "The color on boards, as #rrggbb");

/// Every field, in the order help shows them.
pub const FIELDS: &[Field] = &[
    TITLE,
    DESCRIPTION,
    STATUS,
    ASSIGN,
    PRIORITY,
    SIZE,
    SEVERITY,
    TYPE,
    BOARD,
    MILESTONE,
    PARENT,
    BLOCKED,
    APPROVED,
    STARTED,
    EXPECTED,
    COMPLETED,
    DUE,
    COLOR,
];

const fn field(name: &'static str, takes: FieldType, about: &'static str) -> Field {
    Field { name, takes, about }
}

impl Field {
    /// Returns the name in the log, which differs where the flag is a verb (`assign`).
    pub fn stored(&self) -> &'static str {
        if self.name == "assign" { "assignee" } else { self.name }
    }

    /// Returns the field with this name or stored name.
    pub fn try_find(name: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.name == name || field.stored() == name)
    }

    /// Returns the placeholder of the value in help.
    pub fn placeholder(&self) -> &'static str {
        match self.takes {
            FieldType::Title | FieldType::Line | FieldType::Body => "TEXT",
            FieldType::Status => "STATUS",
            FieldType::Person => "WHO",
            FieldType::Priority => "LEVEL",
            FieldType::Size => "SIZE",
            FieldType::Reference(_) => "ID",
            FieldType::Date => "DATE",
            FieldType::Color => "#RRGGBB",
            FieldType::Flag => "YES|NO",
        }
    }
}

fn read_priority(text: &str) -> Result<u8, ValueError> {
    let word = || PriorityLevel::try_parse(text).map(PriorityLevel::number);
    let number = text.trim().parse().ok().filter(|priority| *priority <= 10);
    number.or_else(word).ok_or_else(|| ValueError::Priority(text.to_owned()))
}

pub(crate) fn read_hex_color(text: &str) -> Result<String, ValueError> {
    let digits = text.trim().trim_start_matches('#');
    let is_hex = digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
    let color = format!("#{}", digits.to_lowercase());
    is_hex.then_some(color).ok_or_else(|| ValueError::Color(text.to_owned()))
}

fn read_flag(name: &str, text: &str) -> Result<bool, ValueError> {
    match text.trim().to_lowercase().as_str() {
        "yes" | "true" | "1" => Ok(true),
        "no" | "false" | "0" => Ok(false),
        _ => Err(ValueError::Flag { name: name.to_owned(), text: text.to_owned() }),
    }
}
