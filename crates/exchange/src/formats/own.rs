//! An item as an object with Cairn's own keys: those of `cairn show --json`. Lines of JSON, the front matter of a
//! Markdown file and the row of a table are all read here.

use app::Error;
use jiff::Timestamp;
use model::id::EntityId;
use model::imported::ImportSource;
use model::item::ItemKind;
use model::rank::Rank;
use model::value_error::ValueError;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::times;
use crate::item::{ImportedComment, ImportedItem, ImportedPerson, ImportedStatus, SourceId, Target};

/// Keys of an object up to which they are kept in a list.
const MAX_LISTED: usize = 64;

/// Keys of `cairn show --json` that follow from others.
const DERIVED: &[&str] =
    &["category", "commentCount", "formerNumbers", "revision", "children", "formerlyThisNumber", "commits"];

/// Keys of a comment in `cairn show --json` that are not imported: earlier texts, and how it came there.
const DERIVED_OF_COMMENT: &[&str] = &["former", "imported"];

/// Keys that mean something in other tools, each with the key that is meant here. As a custom field they would look
/// imported and mean nothing.
const FOREIGN: &[(&str, &str)] = &[
    ("assignees_ids", "assignees"),
    ("body", "description"),
    ("closedAt", "closed"),
    ("closed_at", "closed"),
    ("createdAt", "created"),
    ("created_at", "created"),
    ("created_by", "author"),
    ("creator", "author"),
    ("due_date", "due"),
    ("issue_type", "type"),
    ("name", "title"),
    ("reporter", "author"),
    ("state_reason", "status"),
    ("summary", "title"),
    ("tags", "labels"),
    ("updatedAt", "updated"),
    ("updated_at", "updated"),
    ("user", "author"),
];

/// Reads an item; `place` is where it is, for messages.
pub(crate) fn item(place: String, fields: &mut Fields) -> Result<ImportedItem, Error> {
    let id = fields.take("id").and_then(|value| text_of(&value)).map_or(SourceId::None, |id| source_id(&id));
    let kind: ItemKind = fields.text("kind")?.as_deref().unwrap_or("issue").parse()?;
    let title = fields.text("title")?.ok_or_else(|| Error::invalid("the title is missing"))?;
    let mut item = ImportedItem::new(place, id, kind, title);
    read_values(fields, &mut item)?;
    read_links(fields, &mut item)?;
    item.comments = comments(fields.take("comments"))?;
    match fields.take("extra") {
        Some(Value::Object(extra)) => item.extra.extend(extra),
        Some(_) => return Err(Error::invalid("`extra` must be an object")),
        None => {}
    }
    item.imported = fields.take("imported").map(|value| link(&value)).transpose()?;
    let attachments = match fields.take("attachments") {
        Some(Value::Array(attachments)) => attachments,
        Some(_) => return Err(Error::invalid("`attachments` must be a list")),
        None => Vec::new(),
    };
    for attached in attachments {
        let name = attached.get("name").and_then(Value::as_str).unwrap_or_default();
        item.leave_out("attachment", "only an export of operations has its content", model::text::escape_line(name));
    }
    for name in DERIVED {
        fields.take(name);
    }
    for (name, value) in std::mem::take(&mut fields.unread).into_iter().filter(|(_, value)| !value.is_null()) {
        if let Some((foreign, meant)) = FOREIGN.iter().find(|(foreign, _)| *foreign == name) {
            fields.last = Some(foreign);
            return Err(Error::invalid(format!("unknown key `{name}`; write `{meant}`"))
                .hint("a field of your own goes under `extra`"));
        }
        item.extra.insert(name, value);
    }
    Ok(item)
}

fn read_values(fields: &mut Fields, item: &mut ImportedItem) -> Result<(), Error> {
    item.number = fields.parsed("number", |text| text.parse().map_err(|_| format!("invalid number `{text}`")))?;
    item.description = fields.text("description")?.unwrap_or_default();
    let closed = fields.text("state")?.map(|state| state.eq_ignore_ascii_case("closed"));
    let name = fields.text("status")?.unwrap_or_default();
    item.status = ImportedStatus { name, closed, meaning: String::new() };
    item.priority = fields.parsed("priority", priority)?;
    item.size = fields.text("size")?;
    item.severity = fields.text("severity")?;
    item.type_ = fields.text("type")?;
    item.labels = fields.texts("labels")?;
    item.author = fields.text("author")?.and_then(|text| ImportedPerson::parse(&text).known());
    let assignee = fields.text("assignee")?.or(fields.text("assign")?);
    let people = assignee.into_iter().chain(fields.texts("assignees")?);
    item.assignees = people.filter_map(|text| ImportedPerson::parse(&text).known()).collect();
    item.created = fields.parsed("created", times::time)?;
    item.updated = fields.parsed("updated", times::time)?;
    item.closed = fields.parsed("closed", times::time)?;
    item.started = fields.parsed("started", times::day)?;
    item.expected = fields.parsed("expected", times::day)?;
    item.completed = fields.parsed("completed", times::day)?;
    item.due = fields.parsed("due", times::day)?;
    item.color = fields.text("color")?.or(fields.text("colour")?);
    item.approved = fields.flag("approved")?;
    item.deleted = fields.flag("deleted")?;
    item.blocked = fields.take("blocked").map(|value| blocked(&value)).transpose()?.flatten();
    let rank = fields.text("rank")?;
    // An item without a rank gets the default rank of its number.
    item.rank = rank.filter(|rank| item.number.is_none_or(|number| Rank::of_number(number).to_string() != *rank));
    Ok(())
}

fn read_links(fields: &mut Fields, item: &mut ImportedItem) -> Result<(), Error> {
    item.milestone = fields.take("milestone").map(|value| target("milestone", &value)).transpose()?;
    item.board = fields.take("board").map(|value| target("board", &value)).transpose()?;
    item.parent = fields.take("parent").map(|value| target("parent", &value)).transpose()?;
    item.blocks = fields.targets("blocks")?;
    item.blocked_by = fields.targets("blockedBy")?;
    item.blocked_by.extend(fields.targets("blocked_by")?);
    item.relates = fields.targets("relates")?;
    item.touches = fields.texts("touches")?;
    Ok(())
}

/// Parses an id: the UUID of an item of Cairn, or any other text.
pub(crate) fn source_id(text: &str) -> SourceId {
    text.parse::<EntityId>().map_or_else(|_| SourceId::Of(text.to_owned()), SourceId::Own)
}

/// Reads a priority: 0 to 10, or a word.
fn priority(text: &str) -> Result<u8, String> {
    let number = text.trim().parse::<u8>().ok().filter(|number| *number <= 10);
    let wrong = || ValueError::Priority(model::text::escape_line(text)).to_string();
    number.or_else(|| super::priority_word(text)).ok_or_else(wrong)
}

/// Reads the link of an item to the tool that it was imported from before.
fn link(value: &Value) -> Result<Value, Error> {
    let link = ImportSource::from_value(value);
    let link = link.ok_or_else(|| Error::invalid("`imported` must be an object with the texts `from` and `id`"))?;
    Ok(link.to_value())
}

fn blocked(value: &Value) -> Result<Option<String>, Error> {
    let wrong = || Error::invalid("`blocked` must be true, false, a reason, or an object with `is` and `reason`");
    match value {
        Value::Bool(is) => Ok(is.then(String::new)),
        Value::Object(fields) => {
            let is = fields.get("is").and_then(Value::as_bool).ok_or_else(wrong)?;
            let reason = match fields.get("reason") {
                None | Some(Value::Null) => String::new(),
                Some(reason) => text_of(reason).ok_or_else(wrong)?,
            };
            Ok(is.then_some(reason))
        }
        value => Ok(Some(text_of(value).ok_or_else(wrong)?).filter(|text| !text.is_empty())),
    }
}

// A reference as `cairn show --json` prints it, or what a person writes.
fn target(name: &str, value: &Value) -> Result<Target, Error> {
    if let Value::Object(fields) = value
        && let Some(id) = fields.get("id").and_then(Value::as_str)
    {
        return Ok(id.parse().map_or_else(|_| Target::Id(id.to_owned()), Target::Own));
    }
    let text = text_of(value).ok_or_else(|| {
        Error::invalid(format!("`{name}` must be text, a number, or an object with an `id`"))
            .hint("write it as you would on the command line: a board by its title or number, for one")
    })?;
    Ok(text.parse().map_or_else(|_| Target::Text(text), Target::Own))
}

fn comments(value: Option<Value>) -> Result<Vec<ImportedComment>, Error> {
    let values = match value {
        Some(Value::Array(values)) => values,
        Some(_) => return Err(Error::invalid("`comments` must be an array")),
        None => Vec::new(),
    };
    values.into_iter().map(comment).collect()
}

fn comment(value: Value) -> Result<ImportedComment, Error> {
    let mut fields: Fields = match value {
        Value::String(body) => return Ok(ImportedComment { id: SourceId::None, author: None, created: None, body }),
        Value::Object(fields) => fields.into(),
        _ => return Err(Error::invalid("a comment must be text, or an object with a `body`")),
    };
    let body = fields.text("body")?.ok_or_else(|| Error::invalid("a comment has no `body`"))?;
    let id = fields.text("id")?.map_or(SourceId::None, |id| source_id(&id));
    let author = fields.text("author")?.and_then(|text| ImportedPerson::parse(&text).known());
    let created: Option<Timestamp> = fields.parsed("created", times::time)?;
    for name in DERIVED_OF_COMMENT {
        fields.take(name);
    }
    if let Some((name, _)) = fields.unread.iter().find(|(_, value)| !value.is_null()) {
        let name = model::text::quoted(name);
        return Err(Error::invalid(format!("unknown key `{name}` of a comment (expected: author, body, created, id)")));
    }
    model::text::refuse_bad_body("comment", &body)?;
    Ok(ImportedComment { id, author, created, body })
}

/// The keys of an object that were not read yet, each once. A list, not a map: an item has about ten keys, and comparing
/// them costs a tenth of hashing the forty names that are looked up.
#[derive(Debug)]
pub(crate) struct Fields {
    unread: Vec<(String, Value)>,
    /// The key that was read last, if it was there, so that an error can say where its value is.
    last: Option<&'static str>,
}

impl From<Map<String, Value>> for Fields {
    fn from(object: Map<String, Value>) -> Self {
        Self { unread: object.into_iter().collect(), last: None }
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Fields, A::Error> {
        let mut fields: Vec<(String, Value)> = Vec::with_capacity(16);
        while let Some((name, value)) = members.next_entry::<String, Value>()? {
            if fields.len() >= MAX_LISTED {
                // Not for an item, and comparing all of them with each other would take hours.
                let mut rest: Map<String, Value> = fields.into_iter().collect();
                rest.insert(name, value);
                while let Some((name, value)) = members.next_entry()? {
                    rest.insert(name, value);
                }
                return Ok(rest.into());
            }
            // The last value of a key counts, as in a map.
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => fields.push((name, value)),
            }
        }
        Ok(Fields { unread: fields, last: None })
    }
}

impl Fields {
    /// Returns the keys.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.unread.iter().map(|(name, _)| name.as_str())
    }

    /// Returns whether the id is the UUID of an item of Cairn.
    pub(crate) fn has_own_id(&self) -> bool {
        let id = self.unread.iter().find(|(name, _)| name == "id").and_then(|(_, id)| id.as_str());
        id.is_some_and(|id| id.parse::<EntityId>().is_ok())
    }

    /// Returns whether there is a key, also one without a value.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.unread.iter().any(|(known, _)| known == name)
    }

    /// Returns the key whose value was read last.
    pub(crate) fn last(&self) -> Option<&'static str> {
        self.last
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        let place = self.unread.iter().position(|(known, _)| known == name);
        self.last = place.map(|_| name);
        Some(self.unread.swap_remove(place?).1).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &'static str) -> Result<Option<String>, Error> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let text = into_text(value)
            .ok_or_else(|| Error::invalid(format!("`{name}` must be text, a number, true or false")))?;
        model::text::refuse_bad_body(name, &text)?;
        Ok((!text.is_empty() || name == "title").then_some(text))
    }

    fn parsed<T>(&mut self, name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, Error> {
        self.text(name)?.map(|text| parse(&text)).transpose().map_err(Error::invalid)
    }

    fn flag(&mut self, name: &'static str) -> Result<bool, Error> {
        match self.text(name)?.map(|text| text.to_lowercase()).as_deref() {
            None | Some("false" | "no" | "0") => Ok(false),
            Some("true" | "yes" | "1") => Ok(true),
            Some(_) => Err(Error::invalid(format!("`{name}` must be true or false"))),
        }
    }

    /// A list, or a text with commas.
    fn texts(&mut self, name: &'static str) -> Result<Vec<String>, Error> {
        let wrong = || Error::invalid(format!("`{name}` must be a list of texts"));
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => values.into_iter().map(|value| into_text(value).ok_or_else(wrong)).collect(),
            Some(value) => {
                let text = text_of(&value).ok_or_else(wrong)?;
                Ok(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
            }
        }
    }

    fn targets(&mut self, name: &'static str) -> Result<Vec<Target>, Error> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => values.iter().map(|value| target(name, value)).collect(),
            Some(value @ Value::Object(_)) => Ok(vec![target(name, &value)?]),
            Some(value) => {
                let text = text_of(&value).unwrap_or_default();
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                parts.map(|part| target(name, &part.into())).collect()
            }
        }
    }
}

fn text_of(value: &Value) -> Option<String> {
    into_text(value.clone())
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
