//! `cairn`: our own dialect. A small set of tools over all features, cheap in tokens; results have the shapes of the
//! command line's JSON.

mod code;
mod conversation;
mod fields;
mod items;
mod resources;
mod watch;
mod work;

use app::ProjectPool;
use app::inbox::LazyInbox;
use app::{Error, ErrorKind};
use mcp::{Dialect, ErrorPolicy, Fault, HttpPolicy, Resources, Schema, ServerName, ToolAnswer, Versions};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::words::with_hint;

/// The state of the tools.
pub struct CairnState {
    pub(crate) projects: ProjectPool,
    pub(crate) inbox: LazyInbox,
}

/// The dialect's table.
pub static CAIRN: Dialect<CairnState> = Dialect {
    name: "cairn",
    server: ServerName { name: "cairn", title: "The project's memory", version: env!("CARGO_PKG_VERSION") },
    versions: Versions::Negotiated,
    instructions: "The memory of this project: its items, annotations of its code, and review messages. Begin with `ready` to \
                   see what can be started; call `context` before you change code; `inbox` has the review messages of \
                   the person you work with.",
    tools: &[
        code::CONTEXT,
        work::READY,
        items::LIST,
        items::SEARCH,
        items::SHOW,
        work::CREATE,
        work::UPDATE,
        work::COMMENT,
        conversation::INBOX,
        conversation::REPLY,
    ],
    resources: Some(Resources {
        list: resources::list,
        templates: resources::TEMPLATES,
        read: resources::read,
        ends_with_null: false,
    }),
    prompts: resources::PROMPTS,
    watch: Some(watch::WATCH),
    logs: false,
    errors: ErrorPolicy { unknown_resource: -32002, forbidden: -32003, ..ErrorPolicy::TO_THE_MODEL },
    http: HttpPolicy::SESSIONS,
};

/// The table from error kinds to faults.
fn fault(error: &Error) -> Fault {
    let message = with_hint(error);
    match error.kind {
        ErrorKind::Invalid | ErrorKind::Conflict => Fault::Invalid(message),
        ErrorKind::NotFound => Fault::Missing(message),
        ErrorKind::NotARepository | ErrorKind::Unavailable | ErrorKind::IndexDamaged | ErrorKind::Internal => {
            Fault::Failed(message)
        }
    }
}

/// Parses the arguments of a call. An unknown argument is rejected, with the nearest known name: ignored silently, it
/// would seem to have had an effect.
fn arguments<T: DeserializeOwned + JsonSchema>(given: Value) -> Result<T, Fault> {
    check_names(&mcp::schema::<T>(), &given)?;
    mcp::arguments(without_nulls(given))
}

/// Removes null arguments.
fn without_nulls(mut given: Value) -> Value {
    if let Some(given) = given.as_object_mut() {
        given.retain(|_, value| !value.is_null());
    }
    given
}

/// Returns the schema of a tool's arguments.
fn schema<T: JsonSchema>() -> Schema {
    with_nullable_options(mcp::schema::<T>())
}

/// Makes every optional argument nullable. Clients in `OpenAI`'s strict mode make all arguments required: without null
/// a model would have to invent values, and an empty text clears a field.
fn with_nullable_options(mut schema: Schema) -> Schema {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, property) in properties.filter(|(name, _)| !required.contains(&Value::from(name.as_str()))) {
        let Some(mut kind) = property.as_object().cloned() else { continue };
        // Strict mode does not support defaults; the descriptions contain them.
        kind.remove("default");
        let description = kind.remove("description");
        // Not `"type": ["string", "null"]`: the Inspector warns about it, and some clients read only the first type.
        let mut nullable = Schema::from_iter([("anyOf".to_owned(), json!([kind, {"type": "null"}]))]);
        nullable.extend(description.map(|text| ("description".to_owned(), text)));
        *property = Value::Object(nullable);
    }
    schema
}

/// Rejects an argument that is not in the schema.
fn check_names(schema: &Schema, given: &Value) -> Result<(), Fault> {
    let known = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let unknown = given.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    match unknown.into_iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(unknown) => Err(Fault::Undecodable(unknown_name(unknown, &known))),
    }
}

fn unknown_name(unknown: &str, known: &[&str]) -> String {
    let shown: String = model::text::escape_line(unknown).chars().take(80).collect();
    let likeness = |name: &&&str| ordered(strsim::jaro_winkler(name, unknown));
    match known.iter().max_by_key(likeness).filter(|name| strsim::jaro_winkler(name, unknown) > 0.75) {
        Some(nearest) => format!("unknown argument `{shown}`; did you mean `{nearest}`?"),
        None if known.is_empty() => format!("unknown argument `{shown}`; this tool takes none"),
        None => format!("unknown argument `{shown}`; expected: {}", known.join(", ")),
    }
}

// A similarity is a number from 0 to 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a thousandth of 0 to 1")]
fn ordered(likeness: f64) -> u32 {
    (likeness * 1000.0) as u32
}

/// Returns a value as text and as structured content.
fn answer(done: Result<impl serde::Serialize, Error>) -> Result<ToolAnswer, Fault> {
    ToolAnswer::structured(&done.map_err(|error| fault(&error))?)
}

/// Returns the schema of an object with at least these keys.
fn object(keys: &[(&str, Value)]) -> Schema {
    let properties: Schema = keys.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())).collect();
    let required: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
    let schema = json!({"type": "object", "properties": properties, "required": required});
    schema.as_object().cloned().unwrap_or_default()
}

/// The schema of a list.
fn list_schema() -> Schema {
    object(&[("items", json!({"type": "array", "items": {"type": "object"}})), ("total", json!({"type": "integer"}))])
}

/// The schema of an item.
fn item_schema() -> Schema {
    let text = || json!({"type": "string"});
    object(&[
        ("id", text()),
        ("number", json!({"type": "integer"})),
        ("kind", text()),
        ("title", text()),
        ("status", text()),
        ("state", text()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Schema keywords that `OpenAI`'s strict mode supports.
    const KEYWORDS: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
        "description",
        "minimum",
        "maximum",
    ];

    /// Checks the requirements of strict mode for every object in a schema: named properties only, and no unsupported
    /// keyword. Strict mode also requires all properties; clients add that, and [`with_nullable_options`] makes it
    /// possible.
    fn check_strict(tool: &str, schema: &Value) {
        if schema["type"] == "object" {
            assert!(schema["properties"].is_object(), "{tool}: {schema}");
            assert_eq!(schema["additionalProperties"], false, "{tool}: {schema}");
        }
        let keys = schema.as_object().unwrap_or_else(|| panic!("{tool}: {schema}")).keys();
        for key in keys {
            assert!(KEYWORDS.contains(&key.as_str()), "{tool}: {key} in {schema}");
        }
        assert_ne!(schema["type"].is_string(), schema["anyOf"].is_array(), "{tool}: {schema}");
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
        let alternatives = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        for below in properties.chain(alternatives).chain(schema.get("items")) {
            check_strict(tool, below);
        }
    }

    #[test]
    fn every_schema_can_be_made_strict() {
        for tool in CAIRN.tools {
            let schema = Value::Object((tool.input)());
            check_strict(tool.name, &schema);
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let is_null = |kind: &Value| kind["type"] == "null";
                let takes_null = property["anyOf"].as_array().is_some_and(|kinds| kinds.iter().any(is_null));
                let is_required = required.contains(&json!(name));
                assert_ne!(takes_null, is_required, "{}: {name}: {property}", tool.name);
            }
        }
    }

    #[test]
    fn an_unknown_argument_is_refused_with_the_nearest_name() {
        let schema = (work::UPDATE.input)();
        let refused = |given: Value| check_names(&schema, &given).expect_err("it is not known").message().to_owned();
        assert_eq!(
            refused(json!({"id": "1", "descriptions": "x"})),
            "unknown argument `descriptions`; did you mean `description`?"
        );
        assert_eq!(refused(json!({"labels": []})), "unknown argument `labels`; did you mean `add_labels`?");
        assert!(refused(json!({"xyzzy": 1})).starts_with("unknown argument `xyzzy`; expected: id, "));
        assert_eq!(check_names(&schema, &json!({"id": "1", "status": "done"})), Ok(()));
    }
}
