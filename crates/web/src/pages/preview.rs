//! Renders Markdown as the pages do, for the editor's preview. It reads and writes nothing.

use axum::response::Html;

use super::markdown;

/// `POST /preview`, with the text as the body.
pub(super) async fn show(text: String) -> Html<String> {
    Html(markdown::html(&text).into_string())
}
