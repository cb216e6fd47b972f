//! A decoded request: principal, headers, path parameters, query and body.

use app::is_external_name;
use axum::RequestPartsExt as _;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Query, RawPathParams};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use model::item_ref::{ItemRef, is_id_prefix};
use serde::de::DeserializeOwned;

use super::route::RequestBody;
use crate::principal::Principal;
use crate::problem::Problem;

/// A request to the API.
pub(super) struct ApiRequest {
    pub(super) principal: Principal,
    pub(super) headers: HeaderMap,
    parameters: Vec<(String, String)>,
    uri: Uri,
    body: Bytes,
}

impl ApiRequest {
    /// Reads a request, and its body if the route has one.
    pub(super) async fn read(
        wanted: RequestBody,
        principal: Principal,
        mut parts: Parts,
        body: Body,
    ) -> Result<Self, Problem> {
        let body = match wanted {
            RequestBody::None => Bytes::new(),
            RequestBody::Json(_) => read(&parts.headers, body).await?,
            RequestBody::Bytes => read_bytes(body).await?,
        };
        let parameters = match parts.extract::<RawPathParams>().await {
            Ok(found) => found.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            Err(_) => return Err(Problem::invalid("the path is not UTF-8")),
        };
        Ok(Self { principal, headers: parts.headers, parameters, uri: parts.uri, body })
    }

    /// Returns a path parameter.
    pub(super) fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// Returns the item that the path names; a text that cannot name one is not found.
    pub(super) fn item(&self) -> Result<ItemRef, Problem> {
        match ItemRef::parse(self.parameter("id")) {
            ItemRef::Text(text) if !is_id_prefix(&text) && !is_external_name(&text) => {
                let shown = model::text::quoted(&text);
                Err(Problem::new(StatusCode::NOT_FOUND, format!("item not found: `{shown}`"))
                    .hint("an item is named by its number (`5`, `milestone/5`), its id, or a prefix of its id"))
            }
            item => Ok(item),
        }
    }

    /// Returns the body of an upload.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// Parses the query. Parameters with an empty value are ignored.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let query = self.uri.query().unwrap_or_default();
        let given: Vec<&str> =
            query.split('&').filter(|pair| pair.split_once('=').is_some_and(|(_, value)| !value.is_empty())).collect();
        let uri: Uri =
            format!("/?{}", given.join("&")).parse().map_err(|_| Problem::invalid("malformed query string"))?;
        let read = Query::<T>::try_from_uri(&uri);
        read.map(|query| query.0).map_err(|error| Problem::invalid(format!("in the query: {}", inner(&error))))
    }

    /// Parses the body, which must be an object: serde would also accept an array with the values in field order.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let is_object = self.body.trim_ascii_start().first().is_none_or(|first| *first == b'{');
        if !is_object {
            return Err(Problem::invalid("in the body: it must be a JSON object"));
        }
        serde_json::from_slice(&self.body).map_err(|error| Problem::invalid(format!("in the body: {error}")))
    }
}

// The innermost cause, without the text that the extractor adds.
fn inner(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body must be JSON")
            .hint("send `Content-Type: application/json`"));
    }
    read_bytes(body).await
}

async fn read_bytes(body: Body) -> Result<Bytes, Problem> {
    // Invariant: `auth::timeouts` has read the whole body within its limits.
    to_bytes(body, usize::MAX).await.map_err(|_| Problem::invalid("the body cannot be read"))
}
