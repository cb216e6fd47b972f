//! The parameters of a tool: the published JSON Schema and the check of arguments follow from one definition.

use mcp::Schema;
use serde_json::{Value, json};

/// The name in errors that concern no single field.
const ALL: &str = "arguments";
/// Maximum number of errors found; the envelope shows fewer.
const MAX_MISTAKES: usize = 50;

/// A wrong field and the reason: `tags.0`, `Must not be empty`.
pub(super) type Mistake = (String, String);

/// The parameters of a tool.
pub(super) struct Parameters {
    properties: Vec<Parameter>,
    required: Vec<&'static str>,
    rule: Rule,
}

/// A rule for the arguments as a whole.
#[derive(PartialEq, Eq)]
enum Rule {
    None,
    /// At least one argument beside `id`.
    Change,
    /// A project, either by id or by slug.
    Project,
}

/// A parameter by name.
pub(super) struct Parameter {
    name: &'static str,
    type_: ParameterType,
    default: Option<Value>,
    description: Option<&'static str>,
}

/// The values that a parameter takes.
pub(super) enum ParameterType {
    Boolean,
    /// A number of at least 0.
    Number,
    /// A whole number.
    Integer {
        min: u32,
        max: Option<u32>,
    },
    Text {
        is_required: bool,
        max: Option<usize>,
    },
    /// `#36b37e`.
    Color,
    /// A date; its form is checked when it is converted.
    Day,
    /// One of these texts.
    OneOf(Vec<&'static str>),
    List {
        of: Box<ParameterType>,
        max: usize,
    },
    Object {
        properties: Vec<Parameter>,
        required: Vec<&'static str>,
    },
    /// A value or null.
    Nullable(Box<ParameterType>),
}

impl Parameters {
    pub(super) fn new(properties: Vec<Parameter>, required: &[&'static str]) -> Self {
        Self { properties, required: required.to_vec(), rule: Rule::None }
    }

    /// Requires at least one argument beside `id`.
    pub(super) fn of_change(self) -> Self {
        Self { rule: Rule::Change, ..self }
    }

    /// Requires a project, either by id or by slug.
    pub(super) fn of_project(self) -> Self {
        Self { rule: Rule::Project, ..self }
    }

    /// Returns the schema to publish.
    pub(super) fn schema(&self) -> Schema {
        let mut schema = object_schema(&self.properties, &self.required);
        match self.rule {
            Rule::None => {}
            Rule::Change => _ = schema.insert("minProperties".to_owned(), json!(2)),
            Rule::Project => {
                let one_of = json!([{"required": ["projectId"]}, {"required": ["projectSlug"]}]);
                schema.insert("oneOf".to_owned(), one_of);
            }
        }
        schema
    }

    /// Returns the mistakes in arguments. A field may be listed more than once: the first reason counts.
    pub(super) fn mistakes(&self, given: &Value) -> Vec<Mistake> {
        let mut mistakes = object_mistakes(&self.properties, &self.required, ALL, given);
        let has = |name: &str| given.get(name).is_some();
        let mut add = |field: &str, reason: &str| mistakes.push((field.to_owned(), reason.to_owned()));
        match (&self.rule, has("projectId"), has("projectSlug")) {
            (Rule::Project, false, false) => add("projectId", "Required, or projectSlug"),
            (Rule::Project, true, true) => add("projectId", "Must not be given together with projectSlug"),
            (Rule::Change, ..) if given.as_object().is_some_and(|given| given.len() < 2) => {
                add(ALL, "Nothing to change: give at least one field beside id");
            }
            _ => {}
        }
        mistakes
    }

    /// Returns the position of a field among the parameters; unknown ones come last.
    pub(super) fn position(&self, field: &str) -> usize {
        let first = field.split('.').next().unwrap_or_default();
        self.properties.iter().position(|known| known.name == first).unwrap_or(usize::MAX)
    }
}

impl Parameter {
    pub(super) fn new(name: &'static str, type_: ParameterType) -> Self {
        Self { name, type_, default: None, description: None }
    }

    pub(super) fn default(self, value: impl Into<Value>) -> Self {
        Self { default: Some(value.into()), ..self }
    }

    pub(super) fn described(self, description: &'static str) -> Self {
        Self { description: Some(description), ..self }
    }

    fn schema(&self) -> Value {
        let mut schema = self.type_.schema();
        if let Some(default) = &self.default {
            schema["default"] = default.clone();
        }
        if let Some(description) = self.description {
            schema["description"] = json!(description);
        }
        schema
    }
}

impl ParameterType {
    /// An id of something.
    pub(super) const ID: Self = Self::Integer { min: 1, max: None };

    fn schema(&self) -> Value {
        match self {
            Self::Boolean => json!({"type": "boolean"}),
            Self::Number => json!({"type": "number", "minimum": 0}),
            Self::Integer { min, max: None } => json!({"type": "integer", "minimum": min}),
            Self::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Self::Text { is_required, max } => text_schema(*is_required, *max),
            Self::Color => json!({"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}),
            Self::Day => json!({"type": "string", "format": "date", "description": "YYYY-MM-DD"}),
            Self::OneOf(names) => json!({"enum": names}),
            Self::List { of, max } => json!({"type": "array", "items": of.schema(), "maxItems": max}),
            Self::Object { properties, required } => Value::Object(object_schema(properties, required)),
            Self::Nullable(type_) => json!({"anyOf": [type_.schema(), {"type": "null"}]}),
        }
    }

    /// The type in an error; `None` for a set of texts, whose error lists them.
    fn noun(&self) -> Option<&'static str> {
        Some(match self {
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::Integer { .. } => "a whole number",
            Self::Text { .. } | Self::Color | Self::Day => "a string",
            Self::List { .. } => "an array",
            Self::Object { .. } => "an object",
            Self::OneOf(_) | Self::Nullable(_) => return None,
        })
    }

    fn has_type_of(&self, value: &Value) -> bool {
        match self {
            Self::Boolean => value.is_boolean(),
            Self::Number => value.is_number(),
            // JSON has one number type: `20.0` is an integer.
            Self::Integer { .. } => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Text { .. } | Self::Color | Self::Day => value.is_string(),
            Self::List { .. } => value.is_array(),
            Self::Object { .. } => value.is_object(),
            Self::OneOf(_) | Self::Nullable(_) => true,
        }
    }

    fn mistakes(&self, path: &str, value: &Value) -> Vec<Mistake> {
        if let Self::Nullable(type_) = self {
            return nullable_mistakes(type_, path, value);
        }
        if let Some(noun) = self.noun().filter(|_| !self.has_type_of(value)) {
            return vec![(path.to_owned(), format!("Must be {noun}"))];
        }
        match (self, value) {
            (Self::Object { properties, required }, _) => object_mistakes(properties, required, path, value),
            (Self::List { of, .. }, Value::Array(values)) => {
                let own = self.reason(value).map(|reason| (path.to_owned(), reason));
                let each = values.iter().enumerate().flat_map(|(n, value)| of.mistakes(&format!("{path}.{n}"), value));
                own.into_iter().chain(each.take(MAX_MISTAKES)).collect()
            }
            _ => self.reason(value).map(|reason| (path.to_owned(), reason)).into_iter().collect(),
        }
    }

    /// Returns why a value of the right type is wrong.
    fn reason(&self, value: &Value) -> Option<String> {
        let length = || value.as_str().unwrap_or_default().chars().count();
        match self {
            Self::Number if value.as_f64()? < 0.0 => Some("Must be at least 0".to_owned()),
            Self::Integer { min, .. } if value.as_f64()? < f64::from(*min) => Some(format!("Must be at least {min}")),
            Self::Integer { max: Some(max), .. } if value.as_f64()? > f64::from(*max) => {
                Some(format!("Must be at most {max}"))
            }
            Self::Text { is_required: true, .. } if length() == 0 => Some("Must not be empty".to_owned()),
            Self::Text { max: Some(max), .. } if length() > *max => Some(format!("Too long: at most {max} characters")),
            Self::Color if !is_color(value.as_str()?) => Some("Must be a colour such as #36b37e".to_owned()),
            Self::OneOf(names) if !value.as_str().is_some_and(|text| names.contains(&text)) => {
                Some(format!("Must be one of {}", names.join(", ")))
            }
            Self::List { max, .. } if value.as_array()?.len() > *max => Some(format!("Too many: at most {max}")),
            _ => None,
        }
    }
}

fn nullable_mistakes(type_: &ParameterType, path: &str, value: &Value) -> Vec<Mistake> {
    match type_.noun() {
        _ if value.is_null() => Vec::new(),
        Some(noun) if !type_.has_type_of(value) => vec![(path.to_owned(), format!("Must be {noun} or null"))],
        _ => type_.mistakes(path, value),
    }
}

fn object_mistakes(properties: &[Parameter], required: &[&str], path: &str, value: &Value) -> Vec<Mistake> {
    let within = |name: &str| if path == ALL { name.to_owned() } else { format!("{path}.{name}") };
    let Some(given) = value.as_object() else { return vec![(path.to_owned(), "Must be an object".to_owned())] };
    let wrong = properties.iter().flat_map(|known| {
        let value = given.get(known.name);
        value.map(|value| known.type_.mistakes(&within(known.name), value)).unwrap_or_default()
    });
    let missing = required.iter().filter(|name| !given.contains_key(**name));
    let missing = missing.map(|name| (within(name), "Required".to_owned()));
    let unknown = given.keys().filter(|name| !properties.iter().any(|known| known.name == name.as_str()));
    let unknown = unknown.take(MAX_MISTAKES).map(|name| (within(name), "Unknown property".to_owned()));
    wrong.chain(missing).take(MAX_MISTAKES).chain(unknown).collect()
}

fn object_schema(properties: &[Parameter], required: &[&str]) -> Schema {
    let properties: Schema = properties.iter().map(|known| (known.name.to_owned(), known.schema())).collect();
    let mut schema = Schema::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn text_schema(is_required: bool, max: Option<usize>) -> Value {
    let mut schema = json!({"type": "string"});
    if is_required {
        schema["minLength"] = json!(1);
    }
    if let Some(max) = max {
        schema["maxLength"] = json!(max);
    }
    schema
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
