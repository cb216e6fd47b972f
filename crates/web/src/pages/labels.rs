//! The labels of the project: colors, descriptions, and how many items have them.

use app::view::LabelView;
use app::{Error, Project};
use axum::response::Response;
use maud::{Markup, html};
use model::label::COLOR_NAMES;
use model::text::counted;

use super::address::Asked;
use super::frame::{Here, Page, PageContext};
use super::icons::icon;
use super::request::PageRequest;
use super::{hue, widgets, words};

/// `/labels`.
pub(super) async fn show(request: PageRequest) -> Response {
    request.answer(page).await
}

fn page(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let labels = project.labels()?;
    let body = html! {
        div class="page" {
            div class="pad narrow" {
                @if look.may_write() { (new_label()) }
                @if labels.is_empty() { p class="nothing" { "No label yet. A label says what kind of work an item is, across boards and milestones." } }
                ul class="label-list panel" { @for label in &labels { (entry(look, label)) } }
            }
        }
    };
    Ok(Page::new("Labels", "tag", Here::Labels, body))
}

fn new_label() -> Markup {
    html! {
        form class="label-form js" id="new-label" data-declare {
            input class="field" name="name" placeholder="New label" aria-label="Name of a new label" autocomplete="off" required;
            input class="field" name="about" placeholder="When to use it" aria-label="When to use it" autocomplete="off";
            button type="submit" class="button primary" { "Declare" }
        }
    }
}

fn entry(look: &PageContext, label: &LabelView) -> Markup {
    let found =
        Asked::default().and("filter", &format!("labels == \"{}\"", label.name.replace('"', "\\\""))).at("/all/list");
    html! {
        li id={ "label-" (super::encoded(&label.name)) } data-label=(label.name) data-color=[label.color.as_ref()] data-about=(label.about) {
            (widgets::label(look, &label.name))
            span class="about truncate" { (label.about) @if !label.declared { span class="quiet" { "not declared" } } }
            @if look.may_write() { (colors(label)) }
            a class="link" href=(found) { (counted(label.n_items, "item")) }
            @if look.may_write() && label.declared {
                button type="button" class="icon-button small js" data-act="undeclare" aria-label={ "Remove the declaration of " (label.name) } title="Remove the declaration" { (icon("close")) }
            } @else { span {} }
        }
    }
}

fn colors(label: &LabelView) -> Markup {
    let own = hue::of(label.color.as_deref());
    html! {
        span class="swatches js" role="group" aria-label={ "Color of " (label.name) } {
            @for (name, color) in COLOR_NAMES.iter().filter(|(name, _)| *name != "gray") {
                button type="button" class={ "swatch " (hue::of(Some(color))) } data-act="label-color" data-color=(color)
                    aria-label=(words::status(name)) title=(words::status(name)) aria-pressed=(if hue::of(Some(color)) == own { "true" } else { "false" }) {}
            }
        }
    }
}
