//! Resolves references to items, people, statuses and field values.

use model::field::{FieldChange, FieldType, FieldValue, StatusRef};
use model::item::ItemKind;
use model::item_ref::{ItemRef, is_id_prefix};
use model::member::Member;
use model::nearest::nearest;
use model::number::{ItemNumber, NumberSpace};
use model::person::{Person, PersonRef};
use model::sort::DEFAULT;
use model::workflow::{Category, State, Workflow};
use serde_json::Value;
use store::index::{Index, ItemQuery, Row};

use crate::error::Error;
use crate::external_name;
use crate::people::People;
use crate::project::{PlanContext, mention, refuse_deleted, shortened};

/// What a client of tools does next if an item was not found.
const FIND_ITEM: &str = "`list` with `all` shows every item; `search` finds items by words";
/// What a client of tools does next if a person was not found.
const NAME_PERSON: &str = "give the person's e-mail address, or `me`";
/// Maximum number of people that an error names.
const MAX_NAMED: usize = 3;

/// Finds an item. A bare number refers to a work item.
pub(crate) fn item(index: &Index, item: &ItemRef) -> Result<Row, Error> {
    item_in(index, NumberSpace::Work, item)
}

/// Finds an item of a kind. A bare number refers to the kind's number space; an item of another kind is rejected.
pub(crate) fn item_of(index: &Index, kind: ItemKind, item: &ItemRef) -> Result<Row, Error> {
    let row = item_in(index, kind.space(), item)?;
    if row.item.kind != kind {
        return Err(Error::not_found(format!("{} is not a {kind}", mention(&row)))
            .hint(format!("`cairn list {kind}` shows every {kind}"))
            .tool_hint(format!("`list` with `kind` `{kind}` shows every {kind}")));
    }
    Ok(row)
}

fn item_in(index: &Index, implied: NumberSpace, item: &ItemRef) -> Result<Row, Error> {
    if let ItemRef::Id(id) = item {
        return index.item(*id)?.ok_or_else(|| missing(index, &id.to_string()));
    }
    let number = item.number_in(implied);
    if let Some(number) = number
        && let Some(row) = index.item_by_number(number)?
    {
        return Ok(row);
    }
    let text = item.to_string();
    if let Some(row) = external_name::try_find(index, &text)? {
        return Ok(row);
    }
    let mut found = if is_id_prefix(&text) { index.items_by_prefix(&dashed(&text))? } else { Vec::new() };
    if found.len() > 1 {
        return Err(ambiguous(&text, &found));
    }
    match (found.pop(), number) {
        (Some(row), _) => Ok(row),
        (None, Some(number)) => Err(missing_number(index, &text, number)?),
        (None, None) => Err(missing(index, &text)),
    }
}

/// Returns the error for an unknown number, with a suggestion: an item that had it before, or one of another space.
fn missing_number(index: &Index, text: &str, reference: ItemNumber) -> Result<Error, Error> {
    let error = Error::not_found(format!("item not found: `{text}`"));
    if reference.space == NumberSpace::Person {
        return Ok(error
            .hint("a person is not an item; `cairn member list` shows everyone")
            .tool_hint("a person is not an item"));
    }
    if let [row, ..] = index.items_formerly(reference)?.as_slice() {
        return Ok(error.hint(format!("{} had this number before", mention(row))));
    }
    if reference.space != NumberSpace::Work {
        return Ok(error
            .hint(format!("`cairn list {} --all` shows every one", reference.space.word()))
            .tool_hint(format!("`list` with `kind` `{}` and `all` shows every one", reference.space.word())));
    }
    for space in [NumberSpace::Milestone, NumberSpace::Board] {
        if let Some(row) = index.item_by_number(ItemNumber { space, ..reference })? {
            let title = shortened(&row.item.title);
            return Ok(error.hint(format!("did you mean `{}`, the {} `{title}`?", row.reference(), row.item.kind)));
        }
    }
    Ok(error.hint("`cairn list --all --deleted` shows every item").tool_hint(FIND_ITEM))
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
    let shown = model::text::quoted(text);
    let is_id = text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && !text.is_empty();
    if is_id {
        return Error::not_found(format!("item not found: `{shown}`"))
            .hint("`cairn list --all --deleted` shows every item")
            .tool_hint(FIND_ITEM);
    }
    let by_title = index.items_by_title(None, text).unwrap_or_default();
    let hint = match by_title.as_slice() {
        [row, ..] => format!("did you mean {}?", mention(row)),
        [] => {
            "an item is named by its number (`42`, `milestone/5`, `board/1`), its id, or a prefix of its id".to_owned()
        }
    };
    // A name of an item in another tracker is well formed; only a text that cannot be a name is invalid.
    let error = if external_name::is_external_name(text) { Error::not_found } else { Error::invalid };
    error(format!("item not found: `{shown}`")).hint(hint)
}

/// Finds a person: the caller, a member, someone seen in the project, or a new person named by the text.
pub(crate) fn person(context: &PlanContext<'_>, person: &PersonRef) -> Result<Person, Error> {
    match person {
        PersonRef::Me => Ok(context.me.clone()),
        PersonRef::Known(person) => Ok(person.clone()),
        PersonRef::Text(text) => other_person(context.index, text),
    }
}

/// Finds a person by name, address, user name or number; an unknown name is a new person.
pub(crate) fn other_person(index: &Index, text: &str) -> Result<Person, Error> {
    let text = model::text::check_line("name", text)?;
    Ok(try_person(index, &text)?.unwrap_or_else(|| Person::parse(text.trim_start_matches('@'))))
}

/// Finds a person as [`other_person`], or by a first name that only one has; an unknown name is an error with the
/// nearest one. `me` is known, whether the log names them or not.
pub(crate) fn known_person(index: &Index, me: Option<&Person>, text: &str) -> Result<Person, Error> {
    if let Some(person) = try_person(index, text)? {
        return Ok(person);
    }
    if let Some(me) = me.filter(|me| me.is_called(text.trim_start_matches('@'))) {
        return Ok(me.clone());
    }
    let mut people: Vec<Person> = index.members()?.into_iter().map(|member| member.person).collect();
    people.extend(index.people_seen()?);
    people.extend(me.cloned());
    let mut ids = std::collections::HashSet::new();
    people.retain(|person| !person.short().is_empty() && ids.insert(Member::id_of(person)));
    let called: Vec<&Person> = people.iter().filter(|person| is_first_name(person, text)).collect();
    if let [person] = called.as_slice() {
        return Ok((*person).clone());
    }
    let asked = Person::parse(text.trim_start_matches('@'));
    if index.person_numbers()?.contains_key(&Member::id_of(&asked)) {
        return Ok(asked);
    }
    let error = Error::not_found(format!("person not found: `{}`", shortened(text)));
    // A first name that several people have is its own nearest name, so they are named in full.
    let meant: Vec<String> = match called.as_slice() {
        [] => nearest(text, people.iter().flat_map(names)).map(shortened).into_iter().collect(),
        called => called.iter().take(MAX_NAMED).map(|person| shortened(&person.to_string())).collect(),
    };
    if meant.is_empty() {
        return Err(error.hint("`cairn member list` shows everyone").tool_hint(NAME_PERSON));
    }
    let hint = format!("did you mean `{}`?", meant.join("` or `"));
    Err(error.tool_hint(format!("{hint} if not, {NAME_PERSON}")).hint(hint))
}

fn is_first_name(person: &Person, text: &str) -> bool {
    let wanted = text.trim().trim_start_matches('@');
    let first = person.name().split_whitespace().next();
    let account = person.email().split_once('@').map(|(account, _)| account);
    !wanted.is_empty() && [first, account].into_iter().flatten().any(|own| own.to_lowercase() == wanted.to_lowercase())
}

/// The names a person may be misspelled by: the whole name, its first word, the address.
fn names(person: &Person) -> impl Iterator<Item = &str> {
    let first = person.name().split_whitespace().next();
    [Some(person.name()), first, Some(person.email())].into_iter().flatten().filter(|name| !name.is_empty())
}

fn try_person(index: &Index, text: &str) -> Result<Option<Person>, Error> {
    if let Some(person) = numbered_person(index, text)? {
        return Ok(Some(person));
    }
    let members = index.members()?;
    if let Some(member) = members.iter().find(|member| member.is_called(text)) {
        return Ok(Some(member.person.clone()));
    }
    Ok(index.people_seen()?.into_iter().find(|person| person.is_called(text)))
}

/// Finds the person for `person/3`; `None` for any other text.
fn numbered_person(index: &Index, text: &str) -> Result<Option<Person>, Error> {
    let Some(number) = text.split_once('/').and(text.parse::<ItemNumber>().ok()) else { return Ok(None) };
    if number.space != NumberSpace::Person {
        return Err(Error::invalid(format!("`{number}` is not a person"))
            .hint("`cairn member list` shows everyone")
            .tool_hint(NAME_PERSON));
    }
    let found = People::at(index, None)?.try_find(number.number);
    let missing = || Error::not_found(format!("person not found: `{number}`"));
    found.map(Some).ok_or_else(|| missing().hint("`cairn member list` shows everyone").tool_hint(NAME_PERSON))
}

/// Returns the stored value of a changed field.
pub(crate) fn value(
    context: &PlanContext<'_>,
    workflow: &Workflow,
    row: &Row,
    change: &FieldChange,
) -> Result<Value, Error> {
    match change.value() {
        FieldValue::Status(wanted) => Ok(status_of(workflow, row, wanted)?.into()),
        _ => new_value(context, workflow, change),
    }
}

/// Returns the stored value of a field of a new item.
pub(crate) fn new_value(context: &PlanContext<'_>, workflow: &Workflow, change: &FieldChange) -> Result<Value, Error> {
    Ok(match change.value() {
        FieldValue::Clear => Value::Null,
        FieldValue::Literal(value) => value.clone(),
        FieldValue::Day(day) => day.resolve(context.today).to_string().into(),
        FieldValue::Person(wanted) => person(context, wanted)?.to_string().into(),
        FieldValue::Status(wanted) => new_status(workflow, wanted)?.into(),
        FieldValue::Item(item) => {
            let wanted = if let FieldType::Reference(kind) = change.field().takes { kind } else { None };
            reference(context, wanted, item)?.item.id.to_string().into()
        }
    })
}

/// Returns the name of the requested status for an item.
pub(crate) fn status_of(workflow: &Workflow, row: &Row, wanted: &StatusRef) -> Result<String, Error> {
    let is_closed = row.state == State::Closed;
    let wanted = &without_state(workflow, wanted);
    match wanted {
        StatusRef::Closed(None) if is_closed => Ok(row.item.status.clone()),
        StatusRef::Reopened if !is_closed => Ok(row.item.status.clone()),
        _ => new_status(workflow, wanted),
    }
}

/// Replaces a name that may be a state by what it means in this workflow.
pub(crate) fn without_state(workflow: &Workflow, wanted: &StatusRef) -> StatusRef {
    let StatusRef::NamedOrState(name) = wanted else { return wanted.clone() };
    match name.trim().to_ascii_lowercase().as_str() {
        _ if status(workflow, name).is_ok() => StatusRef::Named(name.clone()),
        "closed" => StatusRef::Closed(None),
        "open" => StatusRef::Reopened,
        _ => StatusRef::Named(name.clone()),
    }
}

fn new_status(workflow: &Workflow, wanted: &StatusRef) -> Result<String, Error> {
    let wanted = &without_state(workflow, wanted);
    let found = match wanted {
        StatusRef::Named(name) | StatusRef::NamedOrState(name) => return status(workflow, name),
        StatusRef::Closed(Some(name)) => return closed_status(workflow, name),
        StatusRef::Reopened => Some(workflow.initial()),
        StatusRef::Doing => workflow.first_in(Category::Doing),
        StatusRef::Closed(None) => workflow.closing(),
    };
    let category = if *wanted == StatusRef::Doing { "doing" } else { "done" };
    found.map(|status| status.name.clone()).ok_or_else(|| {
        Error::conflict(format!("{} has no status of the category {category}", workflow.kind.with_article()))
            .hint(format!("`cairn workflow set {} NAME --category {category}` adds one", workflow.kind))
    })
}

fn closed_status(workflow: &Workflow, wanted: &str) -> Result<String, Error> {
    let name = status(workflow, wanted)?;
    if workflow.try_find(&name).is_some_and(|status| status.closed) {
        return Ok(name);
    }
    Err(Error::invalid(format!("`{name}` is not a closed status"))
        .hint("`cairn workflow` shows which statuses are closed"))
}

/// Finds an item of a kind by number, id or title; the error for an unknown title has the nearest one.
pub(crate) fn item_or_title(index: &Index, kind: ItemKind, item: &ItemRef) -> Result<Row, Error> {
    item_in(index, kind.space(), item).or_else(|error| {
        let text = item.to_string();
        match index.items_by_title(Some(kind), &text)?.as_slice() {
            [row] => Ok(row.clone()),
            [] if kind != ItemKind::Epic && item.number_in(kind.space()).is_none() => {
                nearest_title(index, kind, &text, error)
            }
            _ => Err(error),
        }
    })
}

/// Adds the nearest title of a kind to an error. There are few milestones and boards, so all are looked at.
fn nearest_title(index: &Index, kind: ItemKind, text: &str, error: Error) -> Result<Row, Error> {
    let kinds = [kind];
    let page = index.list(&ItemQuery { kinds: &kinds, sort: DEFAULT, limit: Some(1_000), ..ItemQuery::default() })?;
    Err(match nearest(text, page.rows.iter().map(|row| row.item.title.as_str())) {
        Some(title) => error.hint(format!("did you mean the {kind} `{}`?", shortened(title))),
        None => error.hint(format!("`cairn list {kind}` shows every {kind}")),
    })
}

pub(crate) fn reference(context: &PlanContext<'_>, wanted: Option<ItemKind>, item: &ItemRef) -> Result<Row, Error> {
    let found = match wanted {
        Some(kind) => item_or_title(context.index, kind, item)?,
        None => item_in(context.index, NumberSpace::Work, item)?,
    };
    refuse_deleted(&found)?;
    match wanted {
        Some(kind) if found.item.kind != kind => {
            Err(Error::invalid(format!("{} is not {}", mention(&found), kind.with_article()))
                .hint(format!("`cairn list {kind}` shows every {kind}"))
                .tool_hint(format!("`list` with `kind` `{kind}` shows every {kind}")))
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
    let expected = names.join(", ");
    Err(Error::invalid(format!("unknown status `{shown}` for {} (expected: {expected})", workflow.kind.with_article()))
        .hint(format!("`cairn workflow set {} NAME` adds one", workflow.kind)))
}
