//! The `OpenAPI` 3.1 description, made from the table of routes and the request and response types.

use axum::http::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::events::ChangeView;
use super::route::{Condition, RequestBody, Route, SuccessResponse, Verb};
use super::table::ROUTES;
use crate::problem::{MIME, ProblemView};

/// Returns the `OpenAPI` document.
pub fn document() -> Value {
    let mut writer = Writer {
        given: settings().for_deserialize().into_generator(),
        answered: settings().for_serialize().into_generator(),
    };
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.name().to_lowercase()] = writer.operation(route);
    }
    // The payload of events appears in no response, so its schema is added by hand.
    writer.answered.subschema_for::<ChangeView>();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cairn",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The memory of a project: its work, the reasons for its code, and what people said about it. \
                Shapes are those of the command line's JSON.",
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"cookie": []}],
        "paths": paths,
        "components": {
            "securitySchemes": security_schemes(),
            "responses": writer.problems(),
            "schemas": writer.schemas(),
        },
    });
    shorten_references(&mut document);
    document
}

fn security_schemes() -> Value {
    json!({
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token, made with `cairn token create`.",
        },
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": "cairn_session_8931",
            "description": "The session cookie, set by the login; its name ends with the port of the server.",
        },
    })
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

/// Collects the schemas that operations refer to: of requests and of responses.
struct Writer {
    given: SchemaGenerator,
    answered: SchemaGenerator,
}

impl Writer {
    fn operation(&mut self, route: &Route) -> Value {
        let mut operation = json!({
            "operationId": route.name,
            "summary": route.about,
            "parameters": self.parameters(route),
            "responses": self.responses(route),
        });
        let (media_type, schema) = match route.body {
            RequestBody::None => return operation,
            RequestBody::Json(shape) => ("application/json", shape(&mut self.given).to_value()),
            RequestBody::Bytes => ("*/*", json!({"type": "string", "format": "binary"})),
        };
        operation["requestBody"] = json!({"required": true, "content": {media_type: {"schema": schema}}});
        operation
    }

    fn parameters(&mut self, route: &Route) -> Vec<Value> {
        let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let mut parameters: Vec<Value> = in_path.map(in_path_parameter).collect();
        if let Some(shape) = route.query {
            let schema = shape(&mut self.given);
            parameters.extend(in_query(&self.resolve(&schema)));
        }
        parameters.extend(in_header(route.condition));
        parameters
    }

    /// Returns the properties of a referenced schema, and removes it from the named schemas.
    fn resolve(&mut self, schema: &Schema) -> Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
        let found = name.and_then(|name| self.given.definitions_mut().remove(name));
        found.unwrap_or_else(|| schema.clone().to_value())
    }

    fn responses(&mut self, route: &Route) -> Value {
        let mut responses = Map::new();
        let (status, answer) = self.answer(route);
        responses.insert(status.to_owned(), answer);
        if route.condition == Condition::Changed {
            responses.insert("304".to_owned(), json!({"description": "Nothing has changed", "headers": tag_header()}));
        }
        for problem in PROBLEMS.iter().filter(|problem| (problem.is_possible)(route)) {
            let reference = format!("#/components/responses/{}", problem.name());
            responses.insert(problem.status.as_str().to_owned(), json!({"$ref": reference}));
        }
        responses.into()
    }

    fn problems(&mut self) -> Map<String, Value> {
        let schema = self.answered.subschema_for::<ProblemView>().to_value();
        let answer = |problem: &PossibleProblem| {
            let content = json!({(MIME): {"schema": schema}});
            (problem.name(), json!({"description": problem.about, "content": content}))
        };
        PROBLEMS.iter().map(answer).collect()
    }

    fn answer(&mut self, route: &Route) -> (&'static str, Value) {
        let is_tagged = route.condition == Condition::Changed;
        let (status, shape, about, headers) = match route.answer {
            SuccessResponse::Value(shape) if is_tagged => ("200", shape, "The answer", tag_header()),
            SuccessResponse::Value(shape) => ("200", shape, "The answer", json!({})),
            SuccessResponse::Item(shape) => ("200", shape, "The item", tag_header()),
            SuccessResponse::Made(shape) => ("201", shape, "What was made", json!({})),
            SuccessResponse::MadeItem(shape) => {
                let mut headers = tag_header();
                headers["Location"] = json!({"description": "The URL of the item", "schema": {"type": "string"}});
                ("201", shape, "The item", headers)
            }
            SuccessResponse::Content => {
                let content = json!({"*/*": {"schema": {"type": "string", "format": "binary"}}});
                return ("200", json!({"description": "The content of the file", "content": content}));
            }
            SuccessResponse::Events => {
                let content = json!({"text/event-stream": {"schema": {"type": "string"}}});
                let about = "Events; the data of `change` has the shape `Change`";
                return ("200", json!({"description": about, "content": content}));
            }
        };
        let content = json!({"application/json": {"schema": shape(&mut self.answered)}});
        (status, json!({"description": about, "headers": headers, "content": content}))
    }

    fn schemas(mut self) -> Map<String, Value> {
        let answered = self.answered.take_definitions(true);
        let all = answered.into_iter().chain(self.given.take_definitions(true));
        let mut schemas: Map<String, Value> = all.map(|(name, schema)| (short(&name).to_owned(), schema)).collect();
        schemas.sort_keys();
        schemas
    }
}

/// Returns the schema name without the suffix `View`.
fn short(name: &str) -> &str {
    name.strip_suffix("View").unwrap_or(name)
}

fn shorten_references(value: &mut Value) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref") {
                *reference = short(reference).to_owned();
            }
            for member in members.values_mut() {
                shorten_references(member);
            }
        }
        Value::Array(values) => {
            for value in values {
                shorten_references(value);
            }
        }
        _ => {}
    }
}

/// An error status in the description.
struct PossibleProblem {
    status: StatusCode,
    about: &'static str,
    /// The routes that may respond with it.
    is_possible: fn(&Route) -> bool,
}

impl PossibleProblem {
    /// Returns the name of the response in the description, such as `NotFound`.
    fn name(&self) -> String {
        self.status.canonical_reason().unwrap_or_default().split(' ').collect()
    }
}

const fn possible(status: StatusCode, about: &'static str, is_possible: fn(&Route) -> bool) -> PossibleProblem {
    PossibleProblem { status, about, is_possible }
}

const PROBLEMS: &[PossibleProblem] = &[
    possible(StatusCode::BAD_REQUEST, "Invalid request; see `detail`", |route| {
        names_something(route) || route.query.is_some()
    }),
    possible(StatusCode::UNAUTHORIZED, "Missing or unknown token", |_| true),
    possible(StatusCode::FORBIDDEN, "The role lacks the permission, or the request came from another site", |_| true),
    possible(StatusCode::NOT_FOUND, "Not found", names_something),
    possible(StatusCode::REQUEST_TIMEOUT, "The body was not received in time", |route| route.body.is_some()),
    possible(StatusCode::CONFLICT, "Conflict with the current state", names_something),
    possible(StatusCode::PRECONDITION_FAILED, "The item was changed; `revision` is the current revision", |route| {
        route.condition == Condition::Unchanged
    }),
    possible(StatusCode::PAYLOAD_TOO_LARGE, "The body is too long", |route| route.body.is_some()),
    possible(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not JSON", |route| {
        matches!(route.body, RequestBody::Json(_))
    }),
    possible(StatusCode::TOO_MANY_REQUESTS, "Too many requests; `Retry-After` says how long to wait", |_| true),
    possible(StatusCode::INTERNAL_SERVER_ERROR, "Internal error", |_| true),
    possible(
        StatusCode::SERVICE_UNAVAILABLE,
        "Temporarily unavailable: disk, lock, database or too many connections",
        |_| true,
    ),
];

/// Returns whether a request refers to items or carries values.
fn names_something(route: &Route) -> bool {
    route.path.contains('{') || route.method != Verb::Get
}

fn in_path_parameter(name: &str) -> Value {
    let about = match name {
        "name" => "The name of the label or view",
        "attachmentId" => "The attachment's id, a beginning of it, or its file name",
        "commentId" => "The comment's id, or a unique beginning or end of it",
        "messageId" => "The message's id, or four or more characters of its beginning or end",
        _ => "The number (`5`; `milestone%2F5`, `board%2F1`), the UUID, or a unique beginning of the UUID",
    };
    json!({"name": name, "in": "path", "required": true, "description": about, "schema": {"type": "string", "minLength": 1}})
}

fn in_query(shape: &Value) -> Vec<Value> {
    let required =
        |name: &String| shape["required"].as_array().is_some_and(|names| names.iter().any(|own| own == name));
    let properties = shape["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, mut schema): (String, Value)| {
        let about = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        // An optional query parameter is absent, never null.
        let kind = schema["type"].as_array().and_then(|kinds| kinds.first()).cloned();
        if let Some(kind) = kind {
            schema["type"] = kind;
        }
        json!({"name": name, "in": "query", "required": required(&name), "description": about, "schema": schema})
    };
    properties.into_iter().map(parameter).collect()
}

fn in_header(condition: Condition) -> Option<Value> {
    let (name, about) = match condition {
        Condition::No => return None,
        Condition::Changed => ("If-None-Match", "The `ETag` of the cached response; 304 if it is still current"),
        Condition::Unchanged => ("If-Match", "The `ETag` of the item that was read; 412 if the item was changed since"),
        Condition::Heard => ("Last-Event-ID", "The `id` of the last received event; missed events are sent first"),
    };
    Some(json!({"name": name, "in": "header", "required": false, "description": about, "schema": {"type": "string"}}))
}

fn tag_header() -> Value {
    json!({"ETag": {"description": "Revision of the response", "schema": {"type": "string"}}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let text = document.to_string();
        let names: Vec<&str> =
            text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(names.len() > 20);
        for name in names {
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
        for rest in text.split("\"#/components/responses/").skip(1) {
            let name = rest.split('"').next().unwrap();
            assert!(document["components"]["responses"][name]["content"].is_object(), "{name}");
        }
    }

    #[test]
    fn every_route_has_request_and_response_shapes() {
        let document = document();
        for route in ROUTES {
            let operation = &document["paths"][route.path][route.method.name().to_lowercase()];
            assert_eq!(operation["operationId"], route.name);
            assert_eq!(operation["requestBody"].is_object(), route.body.is_some(), "{}", route.name);
            let n_in_path = route.path.matches('{').count();
            let parameters = operation["parameters"].as_array().unwrap();
            assert_eq!(parameters.iter().filter(|one| one["in"] == "path").count(), n_in_path, "{}", route.name);
        }
    }

    #[test]
    fn schemas_have_required_keys_and_forbid_unknown_ones() {
        let document = document();
        let item = &document["components"]["schemas"]["Item"];
        assert!(item["required"].as_array().unwrap().contains(&json!("assignee")), "{item}");
        assert!(!item["required"].as_array().unwrap().contains(&json!("comments")), "{item}");
        let body = &document["components"]["schemas"]["NewItemBody"];
        assert_eq!(body["required"], json!(["kind", "title"]));
        assert_eq!(body["additionalProperties"], json!(false));
        // Schemas of requests and of responses must not share a name.
        let required = |name: &str| document["components"]["schemas"][name]["required"].as_array().map_or(0, Vec::len);
        assert_eq!((required("Comment"), required("CommentBody")), (6, 1));
    }
}
