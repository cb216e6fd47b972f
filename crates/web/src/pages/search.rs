//! Full-text search, narrowed by a filter.

use app::verb::ListOptions;
use app::{Error, Project};
use axum::http::StatusCode;
use axum::response::Response;
use maud::html;
use model::text::counted;

use super::card;
use super::epics::Epics;
use super::filters::{self, BarOptions, Narrowing};
use super::frame::{Here, Page, PageContext};
use super::request::PageRequest;

/// Items per page.
const PAGE: usize = 50;

/// `/search`.
pub(super) async fn show(request: PageRequest) -> Response {
    request.answer(page).await
}

fn page(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let narrowing = Narrowing::of(look);
    let mistake = narrowing.mistake(project);
    let options = ListOptions {
        words: narrowing.words.clone(),
        filter: narrowing.filter.clone(),
        limit: Some(PAGE),
        cursor: look.query.text("cursor").map(str::to_owned),
        all: narrowing.words.is_some(),
        ..ListOptions::default()
    };
    let found = project.list(&options)?;
    let epics = Epics::read(project)?;
    let body = html! {
        (filters::bar(look, "/search", &narrowing, mistake.as_ref(), &BarOptions { has_cards: true, ..BarOptions::default() }))
        div class="page" {
            p class="nothing" role="status" { (counted(found.total, "item")) @if narrowing.words.is_some() { ", closed ones too" } }
            ol class="cards-list" { @for item in &found.items { (card::row(look, &epics, item)) } }
            @if let Some(cursor) = &found.next_cursor {
                p class="nothing" { a class="link" href=(look.query.with("cursor", Some(cursor)).at("/search")) { "Next page" } }
            }
        }
    };
    let status = if mistake.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(Page { status, ..Page::new("Search", "search", Here::Elsewhere, body) })
}
