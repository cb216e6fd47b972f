//! From what a person types to what it means: items by number, id or prefix; people; field values.

use jiff::civil::Date;
use model::field::{Field, Takes};
use model::item::ItemKind;
use model::person::Person;
use model::workflow::Workflow;
use serde_json::Value;
use store::index::{Index, Row};

use crate::error::Error;
use crate::project::{Desk, mention};

/// The shortest prefix of an id that is tried.
const SHORTEST_PREFIX: usize = 4;

/// Finds an item by number (`42`, `#42`), id, or a unique prefix of an id.
pub(crate) fn item(index: &Index, text: &str) -> Result<Row, Error> {
    let text = text.trim();
    let digits = text.strip_prefix('#').unwrap_or(text);
    if let Ok(number) = digits.parse::<u64>()
        && let Some(row) = index.item_by_number(number)?
    {
        return Ok(row);
    }
    if let Ok(id) = text.parse()
        && let Some(row) = index.item(id)?
    {
        return Ok(row);
    }
    let is_prefix = text.len() >= SHORTEST_PREFIX && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let mut found = if is_prefix { index.items_by_prefix(&dashed(text))? } else { Vec::new() };
    if found.len() > 1 {
        return Err(ambiguous(text, &found));
    }
    found.pop().ok_or_else(|| missing(index, text))
}

// `0190abcd1234` means `0190abcd-1234`.
fn dashed(text: &str) -> String {
    if text.contains('-') {
        return text.to_owned();
    }
    let mut dashed = String::new();
    for (n, c) in text.chars().enumerate() {
        if matches!(n, 8 | 12 | 16 | 20) {
            dashed.push('-');
        }
        dashed.push(c);
    }
    dashed
}

fn ambiguous(text: &str, found: &[Row]) -> Error {
    const SHOWN: usize = 10;
    let mut lines: Vec<String> =
        found.iter().take(SHOWN).map(|row| format!("  {}  {}", row.item.id, mention(row))).collect();
    if found.len() > SHOWN {
        lines.push(format!("  and {} more", found.len() - SHOWN));
    }
    Error::invalid(format!("`{text}` is the beginning of {} ids:\n{}", found.len(), lines.join("\n")))
        .hint("give more of the id, or the number")
}

fn missing(index: &Index, text: &str) -> Error {
    let shown: String = model::text::escape_line(text).chars().take(80).collect();
    let is_id = text.trim_start_matches('#').parse::<u64>().is_ok()
        || text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && !text.is_empty();
    if is_id {
        return Error::not_found(format!("there is no item `{shown}`"))
            .hint("`cairn list --all --deleted` shows every item");
    }
    let by_title = index.items_by_title(None, text).unwrap_or_default();
    let hint = match by_title.as_slice() {
        [row, ..] => format!("did you mean {}?", mention(row)),
        [] => "an item is named by its number (`42`), its id, or a prefix of its id".to_owned(),
    };
    Error::invalid(format!("`{shown}` names no item")).hint(hint)
}

/// Finds who a person means: `me`, a member, someone seen in the project, or whoever the words name.
pub(crate) fn person(desk: &Desk<'_>, text: &str) -> Result<Person, Error> {
    if text.trim().eq_ignore_ascii_case("me") {
        return Ok(desk.me.clone());
    }
    other_person(desk.index, text)
}

/// Finds who a person means, other than themselves.
pub(crate) fn other_person(index: &Index, text: &str) -> Result<Person, Error> {
    let text = model::text::check_line("name", text).map_err(Error::invalid)?;
    let members = index.members()?;
    if let Some(member) = members.iter().find(|member| member.is_called(&text)) {
        return Ok(member.person.clone());
    }
    let seen = index.people_seen()?;
    let mut called = seen.into_iter().filter(|person| person.is_called(&text));
    Ok(called.next().unwrap_or_else(|| Person::parse(text.trim_start_matches('@'))))
}

/// Reads the value a person gives to a field of an item of this kind.
pub(crate) fn value(desk: &Desk<'_>, kind: ItemKind, field: &Field, text: &str) -> Result<Value, Error> {
    if let Some(value) = field.read(text, desk.today).map_err(Error::invalid)? {
        return Ok(value);
    }
    match field.takes {
        Takes::Person => Ok(person(desk, text)?.to_string().into()),
        Takes::Reference(wanted) => Ok(reference(desk, wanted, text)?.item.id.to_string().into()),
        _ => Ok(status(&desk.index.workflow(kind)?, text)?.into()),
    }
}

fn reference(desk: &Desk<'_>, wanted: Option<ItemKind>, text: &str) -> Result<Row, Error> {
    let found = match item(desk.index, text) {
        Ok(row) => row,
        // A milestone or a board is often known by its title alone.
        Err(error) => match desk.index.items_by_title(wanted, text)?.as_slice() {
            [row] if wanted.is_some() => row.clone(),
            _ => return Err(error),
        },
    };
    let found = desk.find_living(&found.item.id.to_string())?;
    match wanted {
        Some(kind) if found.item.kind != kind => Err(Error::invalid(format!("{} is no {kind}", mention(&found)))
            .hint(format!("`cairn list {kind}` shows every {kind}"))),
        _ => Ok(found),
    }
}

/// Finds a status of a workflow by name.
pub(crate) fn status(workflow: &Workflow, text: &str) -> Result<String, Error> {
    let wanted = text.trim();
    let same =
        |name: &str| name.eq_ignore_ascii_case(&wanted.replace([' ', '-'], "_")) || name.eq_ignore_ascii_case(wanted);
    if let Some(status) = workflow.statuses().iter().find(|status| same(&status.name)) {
        return Ok(status.name.clone());
    }
    let names: Vec<&str> = workflow.statuses().iter().map(|status| status.name.as_str()).collect();
    let shown = model::text::escape_line(wanted);
    Err(Error::invalid(format!("`{shown}` is no status of {}", workflow.kind.with_article()))
        .hint(format!("one of {}; `cairn workflow set` adds one", names.join(", "))))
}

/// Reads `YYYY-MM-DD` or a word for a day.
pub(crate) fn today_as_value(today: Date) -> Value {
    today.to_string().into()
}
