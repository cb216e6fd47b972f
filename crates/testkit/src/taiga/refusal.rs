//! Error responses of a Taiga, word for word and in all their shapes.

use serde_json::{Map, Value, json};

use super::http::Answer;

/// The result of a handler: a response in both cases.
pub(super) type Reply = Result<Answer, Answer>;

fn message(status: u16, text: &str, kind: &str) -> Answer {
    Answer::json(status, &json!({"_error_message": text, "_error_type": format!("taiga.base.exceptions.{kind}")}))
}

pub(super) fn denied() -> Answer {
    message(403, "You do not have permission to perform this action.", "PermissionDenied")
}

pub(super) fn archived() -> Answer {
    message(403, "Archived element", "PermissionDenied")
}

pub(super) fn blocked() -> Answer {
    message(451, "Blocked element", "Blocked")
}

pub(super) fn not_authenticated() -> Answer {
    message(401, "Authentication credentials were not provided.", "NotAuthenticated")
}

pub(super) fn bad_application_token() -> Answer {
    message(401, "Invalid token", "NotAuthenticated")
}

pub(super) fn bad_access_token(why: &str) -> Answer {
    let messages = json!([{"token_class": "AccessToken", "token_type": "access", "message": why}]);
    let detail = "Given token not valid for any token type";
    Answer::json(401, &json!({"detail": detail, "code": "token_not_valid", "messages": messages}))
}

pub(super) fn detail(status: u16, text: &str, code: &str) -> Answer {
    Answer::json(status, &json!({"detail": text, "code": code}))
}

pub(super) fn bad_request(text: &str) -> Answer {
    message(400, text, "BadRequest")
}

pub(super) fn wrong_arguments(text: &str) -> Answer {
    message(400, text, "WrongArguments")
}

pub(super) fn forbidden_value(text: &str) -> Answer {
    message(403, text, "PermissionDenied")
}

pub(super) fn parse_error() -> Answer {
    message(400, "JSON parse error - Expecting value: line 1 column 1 (char 0)", "ParseError")
}

pub(super) fn unsupported(media_type: &str) -> Answer {
    message(415, &format!("Unsupported media type '{media_type}' in request."), "UnsupportedMediaType")
}

pub(super) fn not_acceptable() -> Answer {
    message(406, "Could not satisfy the request's Accept header", "NotAcceptable")
}

pub(super) fn not_allowed(method: &str) -> Answer {
    message(405, &format!("Method '{method}' not allowed."), "MethodNotAllowed")
}

pub(super) fn throttled(seconds: u64) -> Answer {
    let text = format!("Request was throttled.Expected available in {seconds} seconds.");
    message(429, &text, "Throttled").header("X-Throttle-Wait-Seconds", seconds)
}

/// 404 with `No UserStory matches the given query.`, or without a text.
pub(super) fn not_found(what: &str) -> Answer {
    let text = if what.is_empty() { String::new() } else { format!("No {what} matches the given query.") };
    Answer::json(404, &json!({"_error_message": text}))
}

pub(super) fn no_such_page() -> Answer {
    Answer::json(404, &json!({"_error_message": "Page is not 'last', nor can it be converted to an int."}))
}

pub(super) fn no_such_route() -> Answer {
    Answer::html(404, "Not Found")
}

/// A server error on bad input: JSON declared as HTML.
pub(super) fn server_error() -> Answer {
    let body = json!({"error": "Server application error"}).to_string();
    Answer::with_type(500, "text/html; charset=utf-8", body.into_bytes())
}

pub(super) fn server_error_page() -> Answer {
    Answer::html(500, "Server Error (500)")
}

/// One invalid field, as a list of texts.
pub(super) fn field(name: &str, text: &str) -> Answer {
    Answer::json(400, &json!({ name: [text] }))
}

/// One invalid field, as a text: used for `version` and `points`.
pub(super) fn field_text(name: &str, text: &str) -> Answer {
    Answer::json(400, &json!({ name: text }))
}

pub(super) fn error_text(text: &str) -> Answer {
    Answer::json(400, &json!({ "error": text }))
}

/// Invalid fields, collected while a body is parsed.
#[derive(Debug, Default)]
pub(super) struct FieldErrors(Map<String, Value>);

impl FieldErrors {
    pub(super) fn add(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_owned(), json!([text]));
    }

    pub(super) fn check(self) -> Result<(), Answer> {
        if self.0.is_empty() { Ok(()) } else { Err(Answer::json(400, &Value::Object(self.0))) }
    }
}

pub(super) const REQUIRED: &str = "This field is required.";

pub(super) fn invalid_pk(id: &Value) -> String {
    format!("Invalid pk '{id}' - object does not exist.")
}
