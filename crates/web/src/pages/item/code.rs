//! The code that an item touches, and on a separate page its annotations. Finding those runs blame on every line, so
//! the page of the item does not wait for it; its script loads the part later.

use annotations::Annotated as _;
use annotations::view::{AnnotationStatus, RegionView, TouchedPlaceView};
use app::Error;
use app::view::ItemView;
use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use model::item_ref::ItemRef;

use super::{Adder, Controls, Part, add_button};
use crate::pages::address::{Asked, encoded};
use crate::pages::frame::{Here, Page, PageContext};
use crate::pages::icons::{icon, small};
use crate::pages::request::PageRequest;
use crate::pages::{widgets, words};

const PLACE: Adder = Adder { act: "add-code", name: "Add code", word: "Code" };

/// Renders the code references of an item.
pub(super) fn section(item: &ItemView, controls: Controls) -> Part {
    if item.touches.is_empty() {
        return Part::empty(controls, PLACE);
    }
    let address =
        Asked::default().and("of", &item.touches.join(" ")).at(&format!("{}/code", widgets::fields_page(item)));
    Part::Filled(html! {
        section class="section" aria-labelledby="code" {
            header {
                h2 id="code" { "Code it touches" }
                span class="count" { (item.touches.len()) }
                @if controls.are_shown() { (add_button(PLACE)) }
            }
            ul {
                @for place in &item.touches {
                    li class="line" {
                        (icon("code"))
                        a class="title truncate" href={ "/code/" (file_address(place)) } { code { (place) } }
                        @if controls.are_shown() { (remove_button(place)) }
                    }
                }
            }
            div id="known" data-include=(address) { p { a class="link" href=(address) { "Notes on this code" } } }
        }
    })
}

fn remove_button(place: &str) -> Markup {
    html! {
        button type="button" class="icon-button small remove js" data-act="unlink" data-kind="touches" data-to=(place) aria-label={ "Remove the link to " (place) } { (icon("close")) }
    }
}

/// Returns the part of the URL of a file's page; slashes stay.
fn file_address(place: &str) -> String {
    let file = place.split(':').next().unwrap_or(place);
    file.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

/// `/item/{id}/code`.
pub(in crate::pages) async fn show(Path(id): Path<String>, request: PageRequest) -> Response {
    let shared = request.shared.clone();
    let known = shared.read_annotations(move |project| project.annotations().code_of(&ItemRef::parse(&id))).await;
    let make = move |_: &app::Project, look: &PageContext| {
        let known = known.clone()?;
        let name = known.item.name();
        let title = format!("Code of {name}");
        let body = html! {
            div class="page" { div class="pad narrow" {
                p class="crumb" { a href={ "/item/" (known.item.id) } { (name) " " (known.item.title) } }
                div id="included" class="section" {
                    @for place in &known.places { (shown(place, Controls::of(look))) }
                    @if known.total > known.places.len() { p class="quiet" { (known.total - known.places.len()) " more places" } }
                }
            } }
        };
        Ok::<_, Error>(Page::new(title, "code", Here::AllWork, body))
    };
    request.answer(make).await
}

fn shown(place: &TouchedPlaceView, controls: Controls) -> Markup {
    let read = place.read.iter().flat_map(|read| &read.regions);
    let units = place.summary.iter().flat_map(|summary| &summary.units);
    html! {
        div class="codebox" {
            header {
                (icon("code"))
                a class="truncate" href={ "/code/" (file_address(&place.touches)) } { (place.touches) }
                @if controls.are_shown() { (remove_button(&place.touches)) }
            }
            @if let Some(error) = &place.error { p class="nothing" { (error) } }
            @if place.error.is_none() && read.clone().next().is_none() && units.clone().next().is_none() { p class="nothing" { "No note explains this code yet." } }
            @for known in read { (region(known)) }
            @for unit in units { div class="annotation" { (icon("note")) div { code { (unit.anchor.name) } " " (words::with_code(&unit.intent)) } } }
        }
    }
}

/// Renders an annotation.
pub(in crate::pages) fn region(known: &RegionView) -> Markup {
    html! {
        div class="annotation" {
            (icon("note"))
            div {
                p { (words::with_code(&known.intent)) }
                @if let Some(reasoning) = &known.reasoning { p class="secondary" { (words::with_code(reasoning)) } }
                @if !known.constraints.is_empty() { ul { @for constraint in &known.constraints { li { "must stay true: " (words::with_code(&constraint.text)) } } } }
                @if let Some(risk) = &known.risk_notes { p class="secondary" { "Risk: " (words::with_code(risk)) } }
                @for correction in &known.corrections { p class="notice" { (correction.text) } }
                footer { span { "commit " code { (known.commit.get(..8).unwrap_or(&known.commit)) } } (code_state(known.code.status)) }
            }
        }
    }
}

/// Renders whether annotated code is as it was.
pub(in crate::pages) fn code_state(status: AnnotationStatus) -> Markup {
    match status {
        AnnotationStatus::Current => html! { span class="state-tag" { (small("check")) "Current" } },
        AnnotationStatus::Moved => html! { span class="state-tag" { (small("check")) "Moved" } },
        AnnotationStatus::Changed => html! { span class="state-tag stale" { (small("clock")) "Changed since" } },
        AnnotationStatus::Lost => html! { span class="state-tag stale" { (small("clock")) "Not found" } },
    }
}
