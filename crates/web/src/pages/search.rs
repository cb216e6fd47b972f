//! Full-text search, narrowed by a filter.

use app::verb::ListOptions;
use app::{Error, ErrorKind, Project};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;

use super::address::Asked;
use super::frame::{Here, Page, answer};
use super::{filter_bar, widgets, words};
use crate::principal::Principal;
use crate::shared::Shared;

/// Items per page.
const PAGE: usize = 50;

/// `/search`.
pub(super) async fn show(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    asked: Asked,
) -> Response {
    answer(shared, principal, move |project, _| page(project, &asked)).await
}

fn page(project: &Project, asked: &Asked) -> Result<Page, Error> {
    let options = ListOptions {
        words: asked.text("q").map(str::to_owned),
        filter: asked.text("filter").map(str::to_owned),
        limit: Some(PAGE),
        cursor: asked.text("cursor").map(str::to_owned),
        all: asked.text("q").is_some(),
        ..ListOptions::default()
    };
    let (found, wrong) = match project.list(&options) {
        Err(error) if error.kind == ErrorKind::Invalid && options.filter.is_some() => (None, Some(error)),
        found => (Some(found?), None),
    };
    let body = html! {
        section class="panel" {
        h1 { "Search" }
        form class="search" action="/search" role="search" aria-label="Search" {
            label for="q" class="unseen" { "Words to find" }
            input id="q" type="search" name="q" value=[asked.text("q")] placeholder="Words in titles, descriptions and comments" autocomplete="off";
            @if let Some(filter) = asked.text("filter") { input type="hidden" name="filter" value=(filter); }
            button type="submit" { "Search" }
        }
        (filter_bar::bar("/search", &asked.with("cursor", None), wrong.as_ref()))
        @if let Some(found) = &found {
            p class="quiet" role="status" { (words::count(found.total, "item")) }
            (widgets::rows(&found.items))
            @if let Some(cursor) = &found.next_cursor {
                p class="more" { a href=(asked.with("cursor", Some(cursor)).at("/search")) { "Next page" } }
            }
        }
        }
    };
    let mut page = Page::new("Search", Here::Elsewhere, body);
    if wrong.is_some() {
        page.status = StatusCode::BAD_REQUEST;
    }
    Ok(page)
}
