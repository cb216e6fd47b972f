//! A field and its new value, parsed where a request is decoded. References that need the project (a status by name, a
//! person, another item) are resolved when the write is planned.

use jiff::civil::Date;
use serde_json::Value;

use super::{Field, FieldType, read_flag, read_hex_color, read_priority};
use crate::item_ref::ItemRef;
use crate::person::{Person, PersonRef};
use crate::size::Size;
use crate::text::{check_body, check_line};
use crate::value_error::ValueError;

/// A field and its new value.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    field: &'static Field,
    value: FieldValue,
}

/// The new value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// No value.
    Clear,
    /// A value that is stored unchanged.
    Literal(Value),
    /// A date.
    Day(Day),
    /// A status.
    Status(StatusRef),
    /// A person.
    Person(PersonRef),
    /// Another item.
    Item(ItemRef),
}

/// A date, absolute or relative to the day of the write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// This date.
    On(Date),
    /// The number of days from today; negative for the past.
    FromToday(i32),
}

/// The status to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusRef {
    /// The status with this name.
    Named(String),
    /// The status with this name, else the state `open` or `closed`.
    NamedOrState(String),
    /// The first status of the category `doing`.
    Doing,
    /// The closed status with this name; by default the current status if it is closed, else the workflow's default
    /// one.
    Closed(Option<String>),
    /// The initial status if the item is closed; otherwise unchanged.
    Reopened,
}

impl FieldChange {
    /// Parses the text of a field; an empty text clears an optional one.
    pub fn parse(field: &'static Field, text: &str) -> Result<Self, ValueError> {
        let is_optional = !matches!(field.takes, FieldType::Title | FieldType::Status);
        if text.trim().is_empty() && is_optional {
            return Ok(Self::clear(field));
        }
        let value = match field.takes {
            FieldType::Title | FieldType::Line => FieldValue::Literal(check_line(field.name, text)?.into()),
            FieldType::Body => FieldValue::Literal(check_body(field.name, text)?.into()),
            FieldType::Priority => FieldValue::Literal(read_priority(text)?.into()),
            FieldType::Size => FieldValue::Literal(Size::parse(text)?.name().into()),
            FieldType::Color => FieldValue::Literal(read_hex_color(text)?.into()),
            FieldType::Flag => FieldValue::Literal(read_flag(field.name, text)?.into()),
            FieldType::Date => FieldValue::Day(Day::parse(field.name, text)?),
            FieldType::Status => FieldValue::Status(StatusRef::Named(text.to_owned())),
            FieldType::Person => FieldValue::Person(PersonRef::parse(text)?),
            FieldType::Reference(_) => FieldValue::Item(ItemRef::parse(text)),
        };
        Ok(Self { field, value })
    }

    /// Clears a field.
    pub fn clear(field: &'static Field) -> Self {
        Self { field, value: FieldValue::Clear }
    }

    /// Sets a field to a validated number, flag or text.
    pub fn literal(field: &'static Field, value: impl Into<Value>) -> Self {
        Self { field, value: FieldValue::Literal(value.into()) }
    }

    /// Sets a field to a date.
    pub fn day(field: &'static Field, day: Date) -> Self {
        Self { field, value: FieldValue::Day(Day::On(day)) }
    }

    /// Sets a field to the day of the write.
    pub fn today(field: &'static Field) -> Self {
        Self { field, value: FieldValue::Day(Day::FromToday(0)) }
    }

    /// Sets the status.
    pub fn status(status: StatusRef) -> Self {
        Self { field: &super::STATUS, value: FieldValue::Status(status) }
    }

    /// Sets the assignee.
    pub fn assignee(person: impl Into<PersonRef>) -> Self {
        Self { field: &super::ASSIGN, value: FieldValue::Person(person.into()) }
    }

    /// Sets a field to another item.
    pub fn item(field: &'static Field, item: impl Into<ItemRef>) -> Self {
        Self { field, value: FieldValue::Item(item.into()) }
    }

    /// Returns the field.
    pub fn field(&self) -> &'static Field {
        self.field
    }

    /// Returns the value.
    pub fn value(&self) -> &FieldValue {
        &self.value
    }
}

impl Day {
    fn parse(name: &str, text: &str) -> Result<Self, ValueError> {
        match text.trim() {
            "today" => Ok(Self::FromToday(0)),
            "tomorrow" => Ok(Self::FromToday(1)),
            "yesterday" => Ok(Self::FromToday(-1)),
            other if other.len() == "2026-01-31".len() => {
                let (name, text) = (name.to_owned(), text.to_owned());
                other.parse().map(Self::On).map_err(|_| ValueError::NoSuchDay { name, text })
            }
            _ => Err(ValueError::Date { name: name.to_owned(), text: text.to_owned() }),
        }
    }

    /// Returns the date if today is `today`; saturates at the last day of the calendar.
    pub fn resolve(self, today: Date) -> Date {
        match self {
            Self::On(day) => day,
            Self::FromToday(days) => today.saturating_add(jiff::Span::new().days(days)),
        }
    }
}

impl From<Person> for PersonRef {
    fn from(person: Person) -> Self {
        Self::Known(person)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &FieldValue) {
        let field = Field::try_find(name).unwrap();
        let change = FieldChange::parse(field, text).unwrap();
        assert_eq!((change.field(), change.value()), (field, expected), "{name} {text:?}");
    }

    #[track_caller]
    fn refused(name: &str, text: &str) -> String {
        FieldChange::parse(Field::try_find(name).unwrap(), text).unwrap_err().to_string()
    }

    fn literal(value: impl Into<Value>) -> FieldValue {
        FieldValue::Literal(value.into())
    }

    #[test]
    fn values_are_parsed() {
        check("priority", "10", &literal(10));
        check("priority", "0", &literal(0));
        check("priority", "urgent", &literal(9));
        check("priority", "Low ", &literal(3));
        check("size", "XL", &literal("xlarge"));
        check("due", "2026-02-28", &FieldValue::Day(Day::On(jiff::civil::date(2026, 2, 28))));
        check("due", "", &FieldValue::Clear);
        check("colour", "36B37E", &literal("#36b37e"));
        check("approved", "yes", &literal(true));
        check("description", "a\nb", &literal("a\nb"));
        check("severity", " ", &FieldValue::Clear);
        check("status", "doing", &FieldValue::Status(StatusRef::Named("doing".to_owned())));
        check("assign", "ME", &FieldValue::Person(PersonRef::Me));
        check("assign", "ada", &FieldValue::Person(PersonRef::Text("ada".to_owned())));
        check("parent", "#5", &FieldValue::Item(ItemRef::Number { space: None, number: 5 }));
    }

    #[test]
    fn invalid_values_are_refused_with_the_allowed_ones() {
        insta::assert_snapshot!(refused("priority", "11"), @"unknown priority `11` (expected: urgent, high, medium, low, none, or 0 to 10)");
        insta::assert_snapshot!(refused("priority", "-1"), @"unknown priority `-1` (expected: urgent, high, medium, low, none, or 0 to 10)");
        insta::assert_snapshot!(refused("size", "huge"), @"unknown size `huge` (expected: small, medium, large, xlarge)");
        insta::assert_snapshot!(refused("due", "2026-02-30"), @"invalid date `2026-02-30` for due: no such day");
        insta::assert_snapshot!(refused("due", "soon"), @"invalid date `soon` for due; write YYYY-MM-DD, today or tomorrow");
        insta::assert_snapshot!(refused("colour", "red"), @"invalid color `red`; six hexadecimal digits such as #36b37e");
        insta::assert_snapshot!(refused("approved", "perhaps"), @"invalid value `perhaps` for approved (expected: yes or no)");
        insta::assert_snapshot!(refused("title", " "), @"the title is empty");
    }

    #[test]
    fn days_are_counted_from_today() {
        let today = jiff::civil::date(2026, 3, 1);
        let day = |text: &str| Day::parse("due", text).unwrap().resolve(today).to_string();
        assert_eq!([day("today"), day("tomorrow"), day("yesterday")], ["2026-03-01", "2026-03-02", "2026-02-28"]);
        assert_eq!(day("2026-12-24"), "2026-12-24");
        assert_eq!(Day::FromToday(1).resolve(Date::MAX), Date::MAX);
    }
}
