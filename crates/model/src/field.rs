//! The fields that a person can set on an item. Each is declared once; command-line flags, help, checks and docs are
//! made from this table.

use jiff::civil::Date;
use serde_json::Value;

use crate::item::ItemKind;
use crate::text::{check_body, check_line};

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
    /// 0 to 10.
    Priority,
    /// `small`, `medium`, `large` or `xlarge`.
    Size,
    /// Another item, of one kind or of any.
    Reference(Option<ItemKind>),
    /// `YYYY-MM-DD`, `today`, `tomorrow`.
    Date,
    /// `#rrggbb`.
    Colour,
    /// A boolean.
    Flag,
}

/// All fields, in the order of the help.
pub const FIELDS: &[Field] = &[
    field("title", FieldType::Title, "What it is about, in one line"),
    field("description", FieldType::Body, "The whole story, in Markdown"),
    field("status", FieldType::Status, "A status of the kind's workflow"),
    field("assign", FieldType::Person, "Who works on it: a name, an address, `me`"),
    field("priority", FieldType::Priority, "From 0 (none) to 10 (drop everything)"),
    field("size", FieldType::Size, "How big it is: small, medium, large, xlarge"),
    field("severity", FieldType::Line, "How bad it is, in the team's words"),
    field("type", FieldType::Line, "What sort it is: bug, question, …"),
    field("board", FieldType::Reference(Some(ItemKind::Board)), "The board it lies on"),
    field("milestone", FieldType::Reference(Some(ItemKind::Milestone)), "The milestone it leads to"),
    field("parent", FieldType::Reference(None), "The item it is a part of"),
    field("blocked", FieldType::Line, "Why it cannot go on; empty when it can"),
    field("approved", FieldType::Flag, "Whether someone agreed that it should be done"),
    field("started", FieldType::Date, "When work began"),
    field("expected", FieldType::Date, "When it should be finished"),
    field("completed", FieldType::Date, "When it was finished"),
    field("due", FieldType::Date, "When it must be finished"),
    field("colour", FieldType::Colour, "Its colour on boards, as #rrggbb"),
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
            FieldType::Priority => "0..10",
            FieldType::Size => "SIZE",
            FieldType::Reference(_) => "ID",
            FieldType::Date => "DATE",
            FieldType::Colour => "#RRGGBB",
            FieldType::Flag => "YES|NO",
        }
    }

    /// Parses a value that needs only the text and today's date; `None` for those that need the project (statuses,
    /// people, items). An empty text clears an optional field.
    pub fn read(&self, text: &str, today: Date) -> Result<Option<Value>, String> {
        let is_optional = !matches!(self.takes, FieldType::Title | FieldType::Status);
        if text.trim().is_empty() && is_optional {
            return Ok(Some(Value::Null));
        }
        let value = match self.takes {
            FieldType::Title => check_line("title", text)?.into(),
            FieldType::Line => check_line(self.name, text)?.into(),
            FieldType::Body => check_body(self.name, text)?.into(),
            FieldType::Priority => read_priority(text)?.into(),
            FieldType::Size => read_size(text)?.into(),
            FieldType::Date => read_date(self.name, text, today)?.to_string().into(),
            FieldType::Colour => read_colour(text)?.into(),
            FieldType::Flag => read_flag(self.name, text)?.into(),
            FieldType::Status | FieldType::Person | FieldType::Reference(_) => return Ok(None),
        };
        Ok(Some(value))
    }
}

fn read_priority(text: &str) -> Result<u64, String> {
    let wanted = || format!("invalid priority `{text}`; a whole number from 0 (none) to 10 (highest)");
    text.trim().parse().ok().filter(|priority| *priority <= 10).ok_or_else(wanted)
}

fn read_size(text: &str) -> Result<&'static str, String> {
    match text.trim().to_lowercase().as_str() {
        "small" | "s" => Ok("small"),
        "medium" | "m" => Ok("medium"),
        "large" | "l" => Ok("large"),
        "xlarge" | "xl" => Ok("xlarge"),
        _ => Err(format!("unknown size `{text}` (expected: small, medium, large, xlarge)")),
    }
}

fn read_date(name: &str, text: &str, today: Date) -> Result<Date, String> {
    match text.trim() {
        "today" => Ok(today),
        "tomorrow" => today.tomorrow().map_err(|error| error.to_string()),
        "yesterday" => today.yesterday().map_err(|error| error.to_string()),
        other if other.len() == "2026-01-31".len() => {
            other.parse().map_err(|_| format!("invalid date `{text}` for {name}: no such day"))
        }
        _ => Err(format!("invalid date `{text}` for {name}; write YYYY-MM-DD, today or tomorrow")),
    }
}

fn read_colour(text: &str) -> Result<String, String> {
    let digits = text.trim().trim_start_matches('#');
    let is_colour = digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit());
    let colour = format!("#{}", digits.to_lowercase());
    is_colour.then_some(colour).ok_or_else(|| format!("invalid color `{text}`; six hexadecimal digits such as #36b37e"))
}

fn read_flag(name: &str, text: &str) -> Result<bool, String> {
    match text.trim().to_lowercase().as_str() {
        "yes" | "true" | "1" => Ok(true),
        "no" | "false" | "0" => Ok(false),
        _ => Err(format!("invalid value `{text}` for {name} (expected: yes or no)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expect: Result<Value, &str>) {
        let field = Field::try_find(name).unwrap();
        let today = jiff::civil::date(2026, 3, 1);
        match (field.read(text, today), expect) {
            (Ok(value), Ok(expect)) => assert_eq!(value, Some(expect)),
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (got, expect) => panic!("{name} {text:?}: {got:?}, expected {expect:?}"),
        }
    }

    #[test]
    fn values_are_read_or_refused_with_what_is_allowed() {
        check("priority", "10", Ok(10.into()));
        check("priority", "11", Err("from 0 (none) to 10"));
        check("priority", "-1", Err("from 0"));
        check("size", "XL", Ok("xlarge".into()));
        check("size", "huge", Err("small, medium, large, xlarge"));
        check("due", "tomorrow", Ok("2026-03-02".into()));
        check("due", "2026-02-30", Err("no such day"));
        check("due", "soon", Err("YYYY-MM-DD"));
        check("due", "", Ok(Value::Null));
        check("colour", "36B37E", Ok("#36b37e".into()));
        check("colour", "red", Err("hexadecimal"));
        check("approved", "yes", Ok(true.into()));
        check("title", " ", Err("empty"));
    }
}
