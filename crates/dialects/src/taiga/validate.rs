//! Validates arguments against the published schema, with errors by field.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use mcp::Tool;
use serde_json::Value;
use tracker::{Answer, Failure};

use super::schemas::Shape;
use super::{TaigaState, texts, tools};

/// Maximum number of reported errors.
const MAX_MISTAKES: usize = 50;
/// The name in errors that concern no single field.
const ALL: &str = "arguments";

/// A compiled schema, and its fields in order.
struct Checker {
    validator: Validator,
    fields: Vec<String>,
}

type Checkers = HashMap<&'static str, Checker>;

static CHECKERS: LazyLock<Checkers> = LazyLock::new(|| checkers(tools::TOOLS));
static EXTENDED_CHECKERS: LazyLock<Checkers> = LazyLock::new(|| checkers(tools::EXTENDED_TOOLS));

fn checkers(tools: &[Tool<TaigaState>]) -> Checkers {
    let checkers = tools.iter().map(|tool| {
        let schema = (tool.input)();
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default();
        let validator = jsonschema::draft202012::new(&Value::Object(schema)).expect("our own schemas are valid");
        (tool.name, Checker { validator, fields })
    });
    checkers.collect()
}

/// Rejects arguments that violate the tool's schema or the rules for texts.
pub(super) fn check(shape: Shape, tool: &'static str, given: &Value) -> Answer<()> {
    let checkers = match shape {
        Shape::Contract => &CHECKERS,
        Shape::Extended => &EXTENDED_CHECKERS,
    };
    let Some(checker) = checkers.get(tool) else { return Ok(()) };
    let mut details: Vec<(String, String)> = Vec::new();
    for error in checker.validator.iter_errors(given).take(MAX_MISTAKES) {
        details.extend(reasons(&error));
    }
    details.extend(texts::mistakes(tool, given));
    if details.is_empty() {
        return Ok(());
    }
    let place = |field: &str| {
        let first = field.split('.').next().unwrap_or_default();
        checker.fields.iter().position(|known| known == first).unwrap_or(usize::MAX)
    };
    details.sort_by(|(a, _), (b, _)| (place(a), a).cmp(&(place(b), b)));
    // Keeps the first error of each field; the sort is stable.
    details.dedup_by(|(later, _), (earlier, _)| later == earlier);
    Err(Failure::fields(details))
}

fn reasons(error: &ValidationError<'_>) -> Vec<(String, String)> {
    let path = path(error);
    let within = |name: &str| if path == ALL { name.to_owned() } else { format!("{path}.{name}") };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![(within(property.as_str().unwrap_or_default()), "Required".to_owned())]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().take(MAX_MISTAKES).map(|name| (within(name), "Unknown property".to_owned())).collect()
        }
        // The only `oneOf`: the reference to a project.
        ValidationErrorKind::OneOfNotValid { .. } => vec![("projectId".to_owned(), NO_PROJECT.to_owned())],
        ValidationErrorKind::OneOfMultipleValid { .. } => vec![("projectId".to_owned(), TWO_PROJECTS.to_owned())],
        kind => vec![(path, words(kind, error))],
    }
}

const NO_PROJECT: &str = "Required, or projectSlug";
const TWO_PROJECTS: &str = "Must not be given together with projectSlug";

fn words(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    match kind {
        ValidationErrorKind::Type { kind } => format!("Must be {}", type_words(kind)),
        ValidationErrorKind::AnyOf { context } => any_of_words(context),
        ValidationErrorKind::Enum { options } => format!("Must be one of {}", listed(options)),
        ValidationErrorKind::Minimum { limit } => format!("Must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("Must be at most {limit}"),
        ValidationErrorKind::MinLength { .. } => "Must not be empty".to_owned(),
        ValidationErrorKind::MaxLength { limit } => format!("Too long: at most {limit} characters"),
        ValidationErrorKind::MaxItems { limit } => format!("Too many: at most {limit}"),
        ValidationErrorKind::MinProperties { .. } => "Nothing to change: give at least one field beside id".to_owned(),
        ValidationErrorKind::Pattern { .. } => "Must be a colour such as #36b37e".to_owned(),
        _ => format!("Fails `{}`", error.kind().keyword()),
    }
}

/// Describes a value that matches none of several schemas: the error of the schema of its own type, else the allowed
/// types.
fn any_of_words(branches: &[Vec<ValidationError<'static>>]) -> String {
    let errors = branches.iter().filter_map(|errors| errors.first());
    let mut names = Vec::new();
    for error in errors {
        match error.kind() {
            ValidationErrorKind::Type { kind } => names.extend(type_names(kind)),
            kind => return words(kind, error),
        }
    }
    format!("Must be {}", alternatives(&names))
}

fn type_words(kind: &TypeKind) -> String {
    alternatives(&type_names(kind))
}

fn type_names(kind: &TypeKind) -> Vec<&'static str> {
    match kind {
        TypeKind::Single(one) => vec![one.as_str()],
        TypeKind::Multiple(several) => several.iter().map(JsonType::as_str).collect(),
    }
}

fn alternatives(names: &[&str]) -> String {
    let article = |name: &&str| match *name {
        "null" => "null".to_owned(),
        "integer" => "a whole number".to_owned(),
        "array" | "object" => format!("an {name}"),
        name => format!("a {name}"),
    };
    let mut words: Vec<String> = names.iter().map(article).collect();
    // `null` last.
    words.sort_by_key(|word| word == "null");
    words.join(" or ")
}

fn listed(options: &Value) -> String {
    let words = options.as_array().into_iter().flatten();
    words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)).collect::<Vec<_>>().join(", ")
}

/// Returns the path of the field: `subject`, `tags.0`, `blocked.reason`.
fn path(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let path = path.trim_start_matches('/').replace('/', ".");
    if path.is_empty() { ALL.to_owned() } else { path }
}
