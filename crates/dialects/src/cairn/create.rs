//! `create`: one item, or a list of items that refer to each other.

use app::verb::{LinkedItem, NewRef};
use app::{NewItem, UnknownNames};
use mcp::{Call, Effect, Fault, Schema, Tool, ToolResult};
use model::field::{self, Field, FieldChange, FieldType, FieldValue};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::{Texts, check_known, without_empty};
use super::items::kinds;
use super::rows::{rows_schema, written_rows};
use super::work::check_touches;
use super::{CairnState, fields};
use crate::caller::actor;

pub(super) const CREATE: Tool<CairnState> = Tool {
    name: "create",
    title: "Create items",
    description: "Creates an item, or with `items` a list, all or nothing; there `$1` refers to the list's first item.",
    input: create_schema,
    output: Some(rows_schema),
    effect: Effect::Writes,
    toolset: "work",
    call: create,
};

/// The arguments of one item apart from its fields.
const OWN: &[&str] = &["kind", "labels", "blocks", "blocked_by", "touches"];

#[derive(Deserialize)]
struct ItemArguments {
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    labels: Texts,
    #[serde(default)]
    blocks: Texts,
    #[serde(default)]
    blocked_by: Texts,
    #[serde(default)]
    touches: Texts,
}

fn create_schema() -> Schema {
    let kinds: Vec<&str> = ItemKind::ALL.iter().map(|kind| kind.name()).collect();
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let own = || {
        vec![
            ("kind", json!({"type": "string", "enum": kinds})),
            ("labels", texts()),
            ("blocked_by", texts()),
            ("touches", json!({"type": "array", "items": {"type": "string"}, "description": "PATH or PATH:NAME"})),
        ]
    };
    let mut single = own();
    single.extend(fields::properties());
    single.push(("fields", fields::others()));
    // In a list only what plans need: every key is paid for by each client.
    let in_list = |name: &str| ["title", "description", "priority", "parent", "milestone"].contains(&name);
    let mut listed = own();
    listed.retain(|(name, _)| *name != "touches");
    let short = |(name, _): (&'static str, Value)| (name, json!({"type": "string"}));
    listed.extend(fields::properties().filter(|(name, _)| in_list(name)).map(short));
    if let Some(kind) = listed.iter_mut().find(|(name, _)| *name == "kind") {
        kind.1 = json!({"type": "string"});
    }
    let listed = Value::Object(fields::object_schema(listed, &["title"]));
    single.push(("items", json!({"type": "array", "items": listed})));
    fields::object_schema(single, &[])
}

fn create(state: &CairnState, given: Value, call: &Call) -> Result<ToolResult, Fault> {
    let given = without_empty(given, &[]);
    let mut items = match given.get("items") {
        None => vec![item(&given)?],
        Some(Value::Array(list)) => {
            if let Some(other) = given.as_object().into_iter().flatten().find(|(name, _)| *name != "items") {
                return Err(Fault::Invalid(format!("`{}` belongs into each of `items`", other.0)));
            }
            let read = |(n, one): (usize, &Value)| item(&without_empty(one.clone(), &[])).map_err(|f| at(n, f));
            list.iter().enumerate().map(read).collect::<Result<_, _>>()?
        }
        Some(_) => return Err(Fault::Undecodable("`items` must be a list of objects".to_owned())),
    };
    for one in &items {
        check_touches(state, &one.touches)?;
    }
    written_rows(state.projects.write(actor(call), |project| {
        for one in &mut items {
            project.check_new_names(&mut one.item, UnknownNames::RefuseWithoutAddress)?;
        }
        project.create_all(&items)
    }))
}

/// Says which item of a list a fault is about.
fn at(n: usize, fault: Fault) -> Fault {
    let located = |message: String| format!("item {}: {message}", n + 1);
    match fault {
        Fault::Undecodable(message) => Fault::Undecodable(located(message)),
        Fault::Invalid(message) => Fault::Invalid(located(message)),
        other => other,
    }
}

fn item(given: &Value) -> Result<LinkedItem, Fault> {
    let known: Vec<&str> = fields::names().into_iter().chain(OWN.iter().copied()).chain(["items"]).collect();
    check_known(&known, given)?;
    let mut changes = fields::read(given)?;
    changes.retain(|change| change.field().name != field::TITLE.name);
    let own: ItemArguments = mcp::arguments(given.clone())?;
    let title = own.title.ok_or_else(|| Fault::Undecodable("in the arguments, missing field `title`".to_owned()))?;
    let kind = kinds(own.kind.as_deref())?.into_iter().next().unwrap_or(ItemKind::Task);
    let (references, plain): (Vec<FieldChange>, Vec<FieldChange>) = changes.into_iter().partition(is_reference);
    let references = references.iter().filter_map(|change| match change.value() {
        FieldValue::Item(item) => Some((change.field(), new_ref(&item.to_string()))),
        _ => None,
    });
    let refs = |texts: &Texts| texts.0.iter().map(|text| new_ref(text)).collect();
    Ok(LinkedItem {
        references: references.collect::<Vec<(&'static Field, NewRef)>>(),
        blocks: refs(&own.blocks),
        blocked_by: refs(&own.blocked_by),
        touches: own.touches.0,
        ..LinkedItem::new(NewItem { fields: plain, labels: own.labels.0, ..NewItem::new(kind, title) })
    })
}

fn is_reference(change: &FieldChange) -> bool {
    matches!(change.field().takes, FieldType::Reference(_))
}

/// Parses a reference: `$2` is the second item of the list.
fn new_ref(text: &str) -> NewRef {
    let place = text.trim().strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok());
    match place.and_then(|place| place.checked_sub(1)) {
        Some(place) => NewRef::New(place),
        None => NewRef::Existing(ItemRef::parse(text)),
    }
}
