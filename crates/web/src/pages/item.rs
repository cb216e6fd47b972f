//! The page of an item: description, comments, links, history, fields.

mod code;
mod fields;
mod links;
mod talk;

use app::view::{ItemView, LogView};
use app::{Error, Project};
use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;

use super::frame::{Here, Page, PageContext, answer};
use super::{markdown, widgets, words};
use crate::principal::Principal;
use crate::shared::Shared;
pub(super) use code::show as show_code;

/// `/item/{id}`.
pub(super) async fn show(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> Response {
    answer(shared, principal, move |project, look| page(project, look, &id)).await
}

fn page(project: &Project, look: &PageContext, id: &str) -> Result<Page, Error> {
    let item = project.show(&ItemRef::parse(id))?;
    let log = project.log_of(&ItemRef::parse(&item.id))?;
    let may_write = look.may_write() && !item.deleted;
    let body = html! {
        article class="item" data-id=(item.id) data-number=(item.number) data-revision=(item.revision) data-seen=(log.total) {
            header class="item-top" {
                (crumbs(&item))
                (title(&item, &log, may_write))
                @if item.deleted { p class="mistake" { "This item was deleted. " code { "cairn reopen " (item.name().trim_start_matches('#')) } " brings it back." } }
                @if item.blocked.is {
                    p class="mistake" { "Blocked" @if let Some(reason) = &item.blocked.reason { ": " (reason) } }
                }
            }
            div class="item-body" {
                (description(&item, &log, may_write))
                (links::section(&item, may_write))
                (code::section(&item, may_write))
                (talk::comments(look, &item, &log, may_write))
                (talk::history(look, &log))
            }
            (fields::aside(project, look, &item, may_write)?)
        }
    };
    Ok(Page::new(format!("{} {}", item.name(), item.title), Here::Work, body))
}

fn crumbs(item: &ItemView) -> Markup {
    html! {
        p class="crumbs" {
            span class="kind" { (item.kind) } " " span class="number" { "#" (item.number) }
            " · " span { (words::status(&item.status)) }
            @if let Some(who) = &item.assignee { " · " span { (words::name(who)) } }
            @if let Some(parent) = &item.parent { " · part of " (widgets::reference(parent)) }
            @if matches!(item.kind, ItemKind::Board | ItemKind::Milestone) { " · " a href=(widgets::home(item)) { "Open the " (item.kind) } }
            @for other in item.formerly_this_number.iter().flatten() { " · formerly " (widgets::reference(other)) }
            span class="on-phones" { " · " a href="#fields" { "All fields" } }
        }
    }
}

fn title(item: &ItemView, log: &LogView, may_write: bool) -> Markup {
    html! {
        div class="editable" id="title" {
            h1 class="shown" { (item.title) }
            @if may_write {
                details class="edit js" {
                    summary aria-label="Edit the title" { "Edit" }
                    form id="title-form" data-save="title" data-original=(item.title) data-revision=(item.revision) data-seen=(log.total) {
                        input name="title" value=(item.title) aria-label="Title" autocomplete="off" required;
                        (save_or_not())
                    }
                }
            }
        }
    }
}

fn description(item: &ItemView, log: &LogView, may_write: bool) -> Markup {
    html! {
        section class="editable" id="description" aria-labelledby="description-title" {
            h2 id="description-title" class="unseen" { "Description" }
            div class="shown prose" {
                @if item.description.trim().is_empty() { p class="quiet" { "No description." } }
                (markdown::html(&item.description))
            }
            @if may_write {
                details class="edit js" {
                    summary aria-label="Edit the description" { "Edit" }
                    form id="description-form" data-save="description" data-original=(item.description) data-revision=(item.revision) data-seen=(log.total) {
                        label for="description-text" { "Description, in Markdown" }
                        // HTML drops the first line break in a textarea, so one is added.
                        textarea id="description-text" name="description" rows="14" { "\n" (item.description) }
                        (save_or_not())
                    }
                }
            }
        }
    }
}

fn save_or_not() -> Markup {
    html! {
        div class="choices" {
            button type="submit" class="primary" { "Save" }
            button type="button" data-cancel { "Cancel" }
        }
        div class="conflict" role="alert" {}
    }
}

/// Renders the author and the time of something.
fn byline(look: &PageContext, who: &str, at: jiff::Timestamp) -> Markup {
    html! { p class="byline" { (widgets::person(who)) " " span class="quiet" { (words::ago(look.now, at)) } } }
}
