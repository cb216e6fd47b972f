//! A route: its parameters, body and response, and the checks before its handler runs.

use std::pin::Pin;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::ALLOW;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::events::Events;
use super::request::ApiRequest;
use crate::principal::Principal;
use crate::problem::Problem;
use crate::shared::Shared;

/// The state of all handlers; cheap to clone.
#[derive(Clone)]
pub(super) struct ApiState {
    pub(super) shared: Shared,
    pub(super) events: Events,
}

/// The result of a handler.
pub(super) type HandlerResult = Result<Response, Problem>;

pub(super) type Handler = fn(ApiState, ApiRequest) -> Pin<Box<dyn Future<Output = HandlerResult> + Send>>;

/// A function that returns a JSON Schema.
pub(super) type Shape = fn(&mut SchemaGenerator) -> Schema;

/// Returns the schema function of a type.
pub(super) const fn shape<T: JsonSchema>() -> Shape {
    SchemaGenerator::subschema_for::<T>
}

/// A route of the API.
#[derive(Clone, Copy)]
pub(super) struct Route {
    pub(super) method: Verb,
    /// Path in the notation of routers and `OpenAPI`: `/api/items/{id}`.
    pub(super) path: &'static str,
    /// The `operationId` in the description, from which clients generate function names.
    pub(super) name: &'static str,
    /// Summary, one line.
    pub(super) about: &'static str,
    /// Schema of the query.
    pub(super) query: Option<Shape>,
    /// The body that it takes.
    pub(super) body: RequestBody,
    /// The successful response.
    pub(super) answer: SuccessResponse,
    /// The conditional header that the route supports.
    pub(super) condition: Condition,
    pub(super) handle: Handler,
}

/// HTTP methods of routes; HEAD is served with GET.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
    Patch,
    Delete,
}

/// The body of a request.
#[derive(Clone, Copy)]
pub(super) enum RequestBody {
    /// None; one that is sent is ignored.
    None,
    Json(Shape),
    /// The content of a file, of any media type.
    Bytes,
}

impl RequestBody {
    pub(super) fn is_some(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// The successful response of a route.
#[derive(Clone, Copy)]
pub(super) enum SuccessResponse {
    /// 200 with a value.
    Value(Shape),
    /// 200 with an item and its revision as `ETag`.
    Item(Shape),
    /// 201 with a new value.
    Made(Shape),
    /// 201 with an item, its revision as `ETag`, and its `Location`.
    MadeItem(Shape),
    /// 200 with the content of a file.
    Content,
    /// 200 with an event stream.
    Events,
}

/// The conditional header that a route supports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// No conditional header.
    No,
    /// `If-None-Match`: 304 if the item is unchanged.
    Changed,
    /// `If-Match`: 412 if the item has changed.
    Unchanged,
    /// `Last-Event-ID`: missed changes are sent first.
    Heard,
}

impl Route {
    pub(super) const fn new(
        (method, path): (Verb, &'static str),
        name: &'static str,
        about: &'static str,
        answer: SuccessResponse,
        handle: Handler,
    ) -> Self {
        Self {
            method,
            path,
            name,
            about,
            query: None,
            body: RequestBody::None,
            answer,
            condition: Condition::No,
            handle,
        }
    }

    pub(super) const fn query(self, shape: Shape) -> Self {
        Self { query: Some(shape), ..self }
    }

    pub(super) const fn body(self, shape: Shape) -> Self {
        Self { body: RequestBody::Json(shape), ..self }
    }

    pub(super) const fn upload(self) -> Self {
        Self { body: RequestBody::Bytes, ..self }
    }

    pub(super) const fn condition(self, condition: Condition) -> Self {
        Self { condition, ..self }
    }
}

impl Verb {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Answers a request for a path with these routes.
pub(super) async fn answer(served: ApiState, routes: Vec<&'static Route>, request: Request) -> Response {
    respond(served, &routes, request).await.unwrap_or_else(IntoResponse::into_response)
}

async fn respond(served: ApiState, routes: &[&'static Route], request: Request) -> HandlerResult {
    let (mut parts, body) = request.into_parts();
    let is_head = parts.method == Method::HEAD;
    let method = if is_head { "GET" } else { parts.method.as_str() };
    let route =
        routes.iter().find(|route| route.method.name() == method).ok_or_else(|| wrong_method(method, routes))?;
    // Invariant: `auth` adds a principal to every request.
    let principal = parts.extensions.remove::<Principal>().ok_or_else(|| forbidden("the request has no principal"))?;
    if route.method != Verb::Get && !principal.role.may_write() {
        return Err(forbidden("this token is read-only; this request needs write access")
            .hint("ask for a token with the role `writer`"));
    }
    let request = ApiRequest::read(route.body, principal, parts, body).await?;
    let mut response = (route.handle)(served, request).await?;
    if is_head {
        *response.body_mut() = Body::empty();
    }
    Ok(response)
}

fn forbidden(detail: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, detail)
}

fn wrong_method(method: &str, routes: &[&Route]) -> Problem {
    let mut allowed: Vec<&str> = routes.iter().map(|route| route.method.name()).collect();
    if allowed.contains(&"GET") {
        allowed.push("HEAD");
    }
    let allowed = allowed.join(", ");
    let problem = Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("`{method}` is not allowed for this path (allowed: {allowed})"),
    );
    match HeaderValue::from_str(&allowed) {
        Ok(allowed) => problem.header(ALLOW, allowed),
        Err(_) => problem,
    }
}
