//! From what a person types to what it means: items by number, id or prefix; people; field values.

use jiff::civil::Date;
use model::field::{Field, FieldType};
use model::item::ItemKind;
use model::number::{ItemRef, NumberSpace};
use model::person::Person;
use model::workflow::Workflow;
use serde_json::Value;
use store::index::{Index, Row};

use crate::bridge;
use crate::error::Error;
use crate::people::People;
use crate::project::{PlanContext, mention, shortened};

/// The shortest prefix of an id that is tried.
const MIN_PREFIX: usize = 4;

/// Finds an item by number (`42`, `#42`, `milestone/5`), id, a unique prefix of an id, or what a Taiga calls it (`TG-42`, the
/// address of its page). A number alone is that of a piece of work.
pub(crate) fn item(index: &Index, text: &str) -> Result<Row, Error> {
    item_in(index, NumberSpace::Work, text)
}

/// Finds an item like [`item`]; a number alone is one of the space of `kind`, and another kind is refused.
pub(crate) fn item_of(index: &Index, kind: ItemKind, text: &str) -> Result<Row, Error> {
    let row = item_in(index, kind.space(), text)?;
    if row.item.kind != kind {
        return Err(Error::not_found(format!("{} is not a {kind}", mention(&row)))
            .hint(format!("`cairn list {kind}` shows every {kind}")));
    }
    Ok(row)
}

fn item_in(index: &Index, implied: NumberSpace, text: &str) -> Result<Row, Error> {
    let text = text.trim();
    let reference = ItemRef::parse(text, implied);
    if let Some(reference) = reference
        && let Some(row) = index.item_by_number(reference)?
    {
        return Ok(row);
    }
    if let Ok(id) = text.parse()
        && let Some(row) = index.item(id)?
    {
        return Ok(row);
    }
    if let Some(row) = bridge::name::try_find(index, text)? {
        return Ok(row);
    }
    let is_prefix = text.len() >= MIN_PREFIX && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let mut found = if is_prefix { index.items_by_prefix(&dashed(text))? } else { Vec::new() };
    if found.len() > 1 {
        return Err(ambiguous(text, &found));
    }
    match (found.pop(), reference) {
        (Some(row), _) => Ok(row),
        (None, Some(reference)) => Err(missing_number(index, text, reference)?),
        (None, None) => Err(missing(index, text)),
    }
}

/// Says that nothing has a number, and what the person may have meant: what had it once, or has it in another space.
fn missing_number(index: &Index, text: &str, reference: ItemRef) -> Result<Error, Error> {
    let error = Error::not_found(format!("item not found: `{text}`"));
    if reference.space == NumberSpace::Person {
        return Ok(error.hint("a person is not an item; `cairn member list` shows everyone"));
    }
    if let [row, ..] = index.items_formerly(reference)?.as_slice() {
        return Ok(error.hint(format!("{} had this number before", mention(row))));
    }
    if reference.space != NumberSpace::Work {
        return Ok(error.hint(format!("`cairn list {} --all` shows every one", reference.space.word())));
    }
    for space in [NumberSpace::Milestone, NumberSpace::Board] {
        if let Some(row) = index.item_by_number(ItemRef { space, ..reference })? {
            let title = shortened(&row.item.title);
            return Ok(error.hint(format!("did you mean `{}`, the {} `{title}`?", row.reference(), row.item.kind)));
        }
    }
    Ok(error.hint("`cairn list --all --deleted` shows every item"))
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
    const MAX_SHOWN: usize = 10;
    let mut lines: Vec<String> =
        found.iter().take(MAX_SHOWN).map(|row| format!("  {}  {}", row.item.id, mention(row))).collect();
    if found.len() > MAX_SHOWN {
        lines.push(format!("  and {} more", found.len() - MAX_SHOWN));
    }
    Error::invalid(format!("`{text}` is the beginning of {} ids:\n{}", found.len(), lines.join("\n")))
        .hint("give more of the id, or the number")
}

fn missing(index: &Index, text: &str) -> Error {
    let shown: String = model::text::escape_line(text).chars().take(80).collect();
    let is_id = text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && !text.is_empty();
    if is_id {
        return Error::not_found(format!("item not found: `{shown}`"))
            .hint("`cairn list --all --deleted` shows every item");
    }
    let by_title = index.items_by_title(None, text).unwrap_or_default();
    let hint = match by_title.as_slice() {
        [row, ..] => format!("did you mean {}?", mention(row)),
        [] => {
            "an item is named by its number (`42`, `milestone/5`, `board/1`), its id, or a prefix of its id".to_owned()
        }
    };
    Error::invalid(format!("item not found: `{shown}`")).hint(hint)
}

/// Finds who a person means: `me`, a member, someone seen in the project, or whoever the words name.
pub(crate) fn person(context: &PlanContext<'_>, text: &str) -> Result<Person, Error> {
    if text.trim().eq_ignore_ascii_case("me") {
        return Ok(context.me.clone());
    }
    other_person(context.index, text)
}

/// Finds who a person means, other than themselves.
pub(crate) fn other_person(index: &Index, text: &str) -> Result<Person, Error> {
    let text = model::text::check_line("name", text).map_err(Error::invalid)?;
    if let Some(person) = numbered_person(index, &text)? {
        return Ok(person);
    }
    let members = index.members()?;
    if let Some(member) = members.iter().find(|member| member.is_called(&text)) {
        return Ok(member.person.clone());
    }
    let seen = index.people_seen()?;
    let mut called = seen.into_iter().filter(|person| person.is_called(&text));
    Ok(called.next().unwrap_or_else(|| Person::parse(text.trim_start_matches('@'))))
}

/// Finds the person that `person/3` names; `None` for any other text.
fn numbered_person(index: &Index, text: &str) -> Result<Option<Person>, Error> {
    let Some(number) = text.split_once('/').and(text.parse::<ItemRef>().ok()) else { return Ok(None) };
    if number.space != NumberSpace::Person {
        return Err(Error::invalid(format!("`{number}` is not a person")).hint("`cairn member list` shows everyone"));
    }
    let found = People::at(index, None)?.try_find_number(number.number);
    let missing = || Error::not_found(format!("person not found: `{number}`"));
    found.map(Some).ok_or_else(|| missing().hint("`cairn member list` shows everyone"))
}

/// Reads the value a person gives to a field of an item of this kind.
pub(crate) fn value(context: &PlanContext<'_>, kind: ItemKind, field: &Field, text: &str) -> Result<Value, Error> {
    if let Some(value) = field.read(text, context.today).map_err(Error::invalid)? {
        return Ok(value);
    }
    match field.takes {
        FieldType::Person => Ok(person(context, text)?.to_string().into()),
        FieldType::Reference(wanted) => Ok(reference(context, wanted, text)?.item.id.to_string().into()),
        _ => Ok(status(&context.index.workflow(kind)?, text)?.into()),
    }
}

fn reference(context: &PlanContext<'_>, wanted: Option<ItemKind>, text: &str) -> Result<Row, Error> {
    let found = match item_in(context.index, wanted.map_or(NumberSpace::Work, ItemKind::space), text) {
        Ok(row) => row,
        // A milestone or a board is often known by its title alone.
        Err(error) => match context.index.items_by_title(wanted, text)?.as_slice() {
            [row] if wanted.is_some() => row.clone(),
            _ => return Err(error),
        },
    };
    let found = context.find_living(&found.item.id.to_string())?;
    match wanted {
        Some(kind) if found.item.kind != kind => {
            Err(Error::invalid(format!("{} is not {}", mention(&found), kind.with_article()))
                .hint(format!("`cairn list {kind}` shows every {kind}")))
        }
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
    Err(Error::invalid(format!("`{shown}` is not a status of {}", workflow.kind.with_article()))
        .hint(format!("one of {}; `cairn workflow set` adds one", names.join(", "))))
}

/// Reads `YYYY-MM-DD` or a word for a day.
pub(crate) fn today_as_value(today: Date) -> Value {
    today.to_string().into()
}
