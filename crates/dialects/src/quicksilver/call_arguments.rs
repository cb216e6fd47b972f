//! The arguments of a call. Each error names the argument and the allowed values; unknown arguments are ignored.
//! Integers may be given as text.

use app::tasks::{RequestedId, TaskChange};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use mcp::Fault;
use model::field::{self, Field, FieldChange};
use model::patch::Patch;
use serde_json::{Map, Value};

const SIZES: &[&str] = &["small", "medium", "large", "xlarge"];
const MAX_PRIORITY: i128 = 10;

pub(super) struct CallArguments(Map<String, Value>);

impl CallArguments {
    pub(super) fn new(arguments: Value) -> Self {
        match arguments {
            Value::Object(arguments) => Self(arguments),
            _ => Self(Map::new()),
        }
    }

    /// Returns the task's id.
    pub(super) fn id(&self) -> Result<RequestedId, Fault> {
        let Some(value) = self.value("id") else { return Err(required("id")) };
        whole_number(value).ok_or_else(|| must_be("id", "an integer"))
    }

    /// Returns the title of a new task.
    pub(super) fn title(&self) -> Result<String, Fault> {
        let title = self.text("title")?.filter(|title| !title.trim().is_empty());
        title.ok_or_else(|| required("title"))
    }

    /// Returns an id; null clears it.
    pub(super) fn number(&self, name: &str) -> Result<Patch<RequestedId>, Fault> {
        match self.0.get(name) {
            None => Ok(Patch::Keep),
            Some(Value::Null) => Ok(Patch::Clear),
            Some(value) => {
                whole_number(value).map(Patch::Set).ok_or_else(|| must_be(name, "an integer, the id of one"))
            }
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Fault> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(must_be(name, "true or false")),
        }
    }

    /// Returns a date; empty counts as absent.
    pub(super) fn day(&self, name: &str) -> Result<Option<Date>, Fault> {
        match self.text(name)?.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => day(text).map(Some).ok_or_else(|| must_be(name, "an ISO 8601 date such as 2025-01-14")),
        }
    }

    pub(super) fn limit(&self, usual: usize, most: usize) -> Result<usize, Fault> {
        let Some(value) = self.value("limit") else { return Ok(usual) };
        let limit = whole_number(value).and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.filter(|limit| (1..=most).contains(limit));
        limit.ok_or_else(|| must_be("limit", &format!("a whole number from 1 to {most}")))
    }

    /// Returns a text; null counts as empty.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Null) => Ok(Some(String::new())),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(must_be(name, "a string")),
        }
    }

    /// Returns the fields of a change or a new task, except title and status.
    pub(super) fn change(&self) -> Result<TaskChange, Fault> {
        let description = self.text("description")?.map(|text| parse(&field::DESCRIPTION, &text)).transpose()?;
        let size = self.size()?.map(|text| parse(&field::SIZE, &text)).transpose()?;
        let priority = self.priority()?.map(|text| parse(&field::PRIORITY, &text)).transpose()?;
        let fields = description.into_iter().chain(size).chain(priority).collect();
        Ok(TaskChange { fields, board: self.number("board_id")?, owner: self.number("owner_id")?, status: Patch::Keep })
    }

    /// Returns the changes of an existing task.
    pub(super) fn update(&self) -> Result<TaskChange, Fault> {
        let mut change = self.change()?;
        if self.0.contains_key("title") {
            change.fields.push(parse(&field::TITLE, &self.title()?)?);
        }
        let approved = if self.is_null("approved") { Some(false) } else { self.flag("approved")? };
        change.fields.extend(approved.map(|approved| FieldChange::literal(&field::APPROVED, approved)));
        change.status = match self.text("status")? {
            None => Patch::Keep,
            Some(text) if text.trim().is_empty() => Patch::Clear,
            Some(text) => Patch::Set(text),
        };
        Ok(change)
    }

    fn size(&self) -> Result<Option<String>, Fault> {
        let size = self.text("size")?;
        let is_known = size.as_deref().is_none_or(|size| size.is_empty() || SIZES.contains(&size));
        if is_known { Ok(size) } else { Err(must_be("size", &format!("one of {}", SIZES.join(", ")))) }
    }

    fn priority(&self) -> Result<Option<String>, Fault> {
        if self.is_null("priority") {
            return Ok(Some(String::new()));
        }
        let Some(value) = self.value("priority") else { return Ok(None) };
        let priority = whole_number(value).filter(|priority| (0..=MAX_PRIORITY).contains(priority));
        let allowed = format!("a whole number from 0 to {MAX_PRIORITY}");
        priority.map(|priority| Some(priority.to_string())).ok_or_else(|| must_be("priority", &allowed))
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn is_null(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(Value::is_null)
    }
}

fn parse(field: &'static Field, text: &str) -> Result<FieldChange, Fault> {
    FieldChange::parse(field, text).map_err(|why| Fault::Invalid(why.to_string()))
}

fn required(name: &str) -> Fault {
    Fault::Invalid(format!("{name} is required"))
}

fn must_be(name: &str, what: &str) -> Fault {
    Fault::Invalid(format!("{name} must be {what}"))
}

// JSON has one number type: `2.0` is an integer. Numbers beyond a float's precision are not converted from one.
fn whole_number(value: &Value) -> Option<RequestedId> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_i128().or_else(|| {
            let text = number.to_string();
            text.strip_suffix(".0").and_then(|digits| digits.parse().ok())
        }),
        _ => None,
    }
}

/// Parses a date, or the date part of a timestamp as written.
fn day(text: &str) -> Option<Date> {
    let (date, rest) = (text.get(..10)?, &text[10..]);
    let is_moment = || text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok();
    date.parse().ok().filter(|_| rest.is_empty() || is_moment())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_come_as_numbers_or_text() {
        let read = |value: Value| CallArguments::new(json!({"id": value})).id();
        for value in [json!(42), json!("42"), json!(" 42 "), json!(42.0)] {
            assert_eq!(read(value), Ok(42));
        }
        assert_eq!(read(json!(-1)), Ok(-1));
        assert_eq!(read(json!(u64::MAX)), Ok(u64::MAX.into()));
        assert_eq!(read(json!("18446744073709551616")), Ok(i128::from(u64::MAX) + 1));
        for value in [json!(4.5), json!("four"), json!(""), json!([]), json!(true), json!(1e30)] {
            assert_eq!(read(value.clone()), Err(must_be("id", "an integer")), "{value}");
        }
        assert_eq!(read(json!(null)), Err(required("id")));
    }

    #[test]
    fn days_are_read_from_dates_and_moments() {
        let read = |text: &str| CallArguments::new(json!({"completed_at": text})).day("completed_at");
        let day = jiff::civil::date(2025, 1, 14);
        for text in ["2025-01-14", "2025-01-14T23:30:00Z", "2025-01-14T23:30:00-05:00", "2025-01-14T10:00:00"] {
            assert_eq!(read(text), Ok(Some(day)), "{text}");
        }
        assert_eq!(read(""), Ok(None));
        for text in ["2025-02-30", "14.1.2025", "soon", "2025-01-14 or so", "２０２５-01-14", "20250114"] {
            assert!(matches!(read(text), Err(Fault::Invalid(_))), "{text}");
        }
    }
}
