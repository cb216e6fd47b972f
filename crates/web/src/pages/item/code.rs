//! The code that an item touches, and on a separate page its annotations. Finding those runs blame on every line, so
//! the page of the item does not wait for it; its script loads the part later.

use annotations::Annotated as _;
use annotations::view::{RegionView, TouchedPlaceView};
use app::Error;
use app::view::ItemView;
use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use model::item_ref::ItemRef;

use crate::pages::address::Asked;
use crate::pages::frame::{Here, Page, answer};
use crate::pages::widgets;
use crate::principal::Principal;
use crate::shared::Shared;

/// Renders the code references of an item.
pub(super) fn section(item: &ItemView, may_write: bool) -> Markup {
    if item.touches.is_empty() {
        return html! {};
    }
    let address =
        Asked::default().and("of", &item.touches.join(" ")).at(&format!("{}/code", widgets::fields_page(item)));
    html! {
        section class="code-section" aria-labelledby="code" {
            h2 id="code" { "Code" }
            ul class="refs" {
                @for place in &item.touches {
                    li {
                        code { (place) }
                        @if may_write {
                            button type="button" class="take-away js" data-unlink="touches" data-to=(place) aria-label={ "Remove the link to " (place) } { "×" }
                        }
                    }
                }
            }
            div id="known" data-include=(address) { p { a href=(address) { "What is known about this code" } } }
        }
    }
}

/// `/item/{id}/code`.
pub(in crate::pages) async fn show(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> Response {
    let known = shared.read_annotations(move |project| project.annotations().code_of(&ItemRef::parse(&id))).await;
    let make = move |_: &app::Project, _: &_| {
        let known = known.clone()?;
        let name = known.item.name();
        let title = format!("Code of {name}");
        let body = html! {
            section class="narrow" {
                p class="crumbs" { a href={ "/item/" (known.item.id) } { (name) " " (known.item.title) } }
                h1 { "Code" }
                h2 class="unseen" { "What is known about it" }
                div id="included" {
                    @for place in &known.places { (shown(place)) }
                    @if known.total > known.places.len() { p class="quiet" { (known.total - known.places.len()) " more places" } }
                }
            }
        };
        Ok::<_, Error>(Page::new(title, Here::Work, body))
    };
    answer(shared, principal, make).await
}

fn shown(place: &TouchedPlaceView) -> Markup {
    html! {
        div class="code" {
            h3 { code { (place.touches) } }
            @if let Some(error) = &place.error { p class="quiet" { (error) } }
            @if let Some(read) = &place.read {
                @if read.regions.is_empty() { p class="quiet" { "Nobody has said why it is so." } }
                @for known in &read.regions { (region(known)) }
            }
            @if let Some(summary) = &place.summary {
                @if summary.units.is_empty() { p class="quiet" { "Nobody has said why it is so." } }
                ul { @for unit in &summary.units { li { code { (unit.anchor.name) } " " (unit.intent) } } }
            }
        }
    }
}

fn region(known: &RegionView) -> Markup {
    html! {
        p { (known.intent) }
        @if let Some(reasoning) = &known.reasoning { p class="quiet" { (reasoning) } }
        @if !known.constraints.is_empty() {
            ul class="prose" { @for constraint in &known.constraints { li { "must stay true: " (constraint.text) } } }
        }
        @if let Some(risk) = &known.risk_notes { p class="quiet" { "Risk: " (risk) } }
        @for correction in &known.corrections { p class="mistake" { (correction.text) } }
        p class="quiet" { "said of " code { (known.commit.get(..10).unwrap_or(&known.commit)) } ", " (known.code.status) }
    }
}
