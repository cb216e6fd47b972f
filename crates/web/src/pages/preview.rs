//! Renders Markdown as the pages do, for the editor's preview. It reads and writes nothing.

use axum::extract::Query;
use axum::response::Html;
use serde::Deserialize;

use super::markdown::{self, Tasks};

/// The item whose text is edited.
#[derive(Deserialize)]
pub(super) struct PreviewQuery {
    #[serde(default)]
    item: String,
}

/// `POST /preview?item=ID`, with the text as the body.
pub(super) async fn show(Query(query): Query<PreviewQuery>, text: String) -> Html<String> {
    let is_id = !query.item.is_empty() && query.item.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let shown = if is_id { markdown::of_item(&query.item, &text, Tasks::Fixed) } else { markdown::html(&text) };
    Html(shown.into_string())
}
