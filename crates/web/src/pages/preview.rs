//! Renders Markdown as the pages do, for the editor's preview. It writes nothing.

use app::Project;
use axum::extract::Query;
use axum::response::Html;
use serde::Deserialize;

use super::markdown::{self, Tasks};
use super::people::Handles;
use super::request::PageRequest;

/// The item whose text is edited.
#[derive(Deserialize)]
pub(super) struct PreviewQuery {
    #[serde(default)]
    item: String,
}

/// `POST /preview?item=ID`, with the text as the body.
pub(super) async fn show(Query(query): Query<PreviewQuery>, request: PageRequest, text: String) -> Html<String> {
    let members = request.shared.read_as(&request.principal, Project::members).await;
    let people = Handles::of(&members.unwrap_or_default());
    let is_id = !query.item.is_empty() && query.item.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let shown = if is_id {
        markdown::of_item(&people, &query.item, &text, Tasks::Fixed)
    } else {
        markdown::html(&people, &text)
    };
    Html(shown.into_string())
}
