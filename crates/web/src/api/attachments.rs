//! Files of items: upload, content, removal. Anyone who may write can attach any bytes, so a browser never runs or
//! renders them in the context of the site: only images are shown, everything else is downloaded.

use app::verb::NewAttachment;
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model::attachment::Attachment;
use schemars::JsonSchema;
use serde::Deserialize;

use super::precondition::ExpectedRevisions;
use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};
use crate::pages::encoded;

/// The name of an uploaded file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UploadQuery {
    /// Its file name.
    name: String,
}

/// A document of its own without any rights, in case a browser renders the content all the same.
const POLICY: &str = "default-src 'none'; sandbox";
/// An attachment never changes; only the client may cache it.
const CACHED: &str = "private, max-age=31536000, immutable";

pub(super) async fn upload(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let UploadQuery { name } = request.query()?;
    let file = NewAttachment { name, content: request.bytes().to_vec() };
    let attached = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.attach(&id, &[file], revision.as_deref())
    });
    reply::created(&attached.await?)
}

pub(super) async fn content(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, name) = (request.item()?, request.parameter("attachmentId").to_owned());
    let (view, content) = served.shared.read(move |project| project.attachment(&id, &name)).await?;
    Ok(response(&view.name, &view.media_type, content))
}

pub(super) async fn remove(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (id, wanted) = (request.item()?, ExpectedRevisions::of(&request.headers)?);
    let name = request.parameter("attachmentId").to_owned();
    let removed = served.shared.write(&request.principal, move |project| {
        let revision = wanted.revision(project, &id)?;
        project.detach(&id, &name, revision.as_deref())
    });
    reply::item(&removed.await?)
}

fn response(name: &str, media_type: &str, content: Vec<u8>) -> Response {
    let is_image = Attachment::is_image_type(media_type);
    // The client that attached the file chose the type; only known image types are sent.
    let media_type = if is_image { media_type } else { "application/octet-stream" };
    let disposition = if is_image { "inline" } else { "attachment" };
    let disposition = format!("{disposition}; filename*=UTF-8''{}", encoded(name));
    let length = content.len();
    let mut response = (StatusCode::OK, Body::from(content)).into_response();
    let headers = response.headers_mut();
    let text = |text: &str| HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("attachment"));
    headers.insert(CONTENT_TYPE, text(media_type));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(CONTENT_DISPOSITION, text(&disposition));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(CACHED));
    response
}
