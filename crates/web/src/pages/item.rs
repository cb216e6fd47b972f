//! The page of an item: text, sub-items, links, code, comments and activity, properties. The script shows the same
//! markup as a sheet over a board.

mod attachments;
mod code;
mod commits;
mod properties;
mod relations;
mod stream;

use app::view::ItemView;
use app::{Error, Project};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::item_ref::ItemRef;

use super::epics::Epics;
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, small, tiny};
use super::markdown::{self, Tasks};
use super::request::PageRequest;
use super::{hue, widgets, words};
pub(super) use code::{code_state, show as show_code};

/// `/item/{id}`.
pub(super) async fn show(Path(id): Path<String>, request: PageRequest) -> Response {
    request.answer(move |project, look| page(project, look, &id)).await
}

fn page(project: &Project, look: &PageContext, id: &str) -> Result<Page, Error> {
    let item = project.show_with_commits(&ItemRef::parse(id))?;
    let own = ItemRef::parse(&item.id);
    let n_seen = project.log_of(&own)?.total;
    let events = project.events(&own)?;
    let epics = Epics::read(project)?;
    let controls = if item.deleted { Controls::Hidden } else { Controls::of(look) };
    let may_write = controls.are_shown();
    let edit = Edit { item: &item, n_seen, may_write };
    let parts = [
        relations::sub_items(look, project, &item, controls)?,
        relations::links(look, project, &item, controls),
        attachments::section(&item, controls),
        code::section(&item, controls),
    ];
    let body = html! {
        div class="page" {
            article class={ "item" @if may_write { " may-edit" } } data-id=(item.id) data-number=(item.number) data-kind=(item.kind)
                data-revision=(item.revision) data-title=(item.title) {
                div class="item-doc" tabindex="0" role="region" aria-label="Text and activity" {
                    (title(&edit))
                    (notices(look, &item))
                    (description(look, &edit))
                    @for part in &parts { @if let Part::Filled(markup) = part { (markup) } }
                    (commits::section(look, &item))
                    (adders(&parts, &item))
                    (stream::section(look, &edit, &events))
                    @if may_write { (stream::composer()) }
                }
                (properties::aside(look, &epics, &item, board_hue(project, &item), controls))
            }
        }
    };
    let title = format!("{} {}", item.name(), item.title);
    let heading = html! { div class="crumb" id="crumb" { (crumbs(&epics, &item)) } span class="saved" id="saved" { (tiny("check")) "Saved" } };
    Ok(Page { title, here: here(&item), status: StatusCode::OK, heading, body })
}

/// A part of the page with entries of one kind.
enum Part {
    Filled(Markup),
    /// Without entries: the button that adds the first one.
    Empty(Adder),
    /// Without entries, for a reader.
    Nothing,
}

impl Part {
    fn empty(controls: Controls, adder: Adder) -> Self {
        if controls.are_shown() { Self::Empty(adder) } else { Self::Nothing }
    }
}

/// What a button adds.
#[derive(Clone, Copy)]
struct Adder {
    act: &'static str,
    name: &'static str,
    word: &'static str,
}

/// Renders the buttons of the parts without entries in one line: empty headings would fill the page.
fn adders(parts: &[Part], item: &ItemView) -> Markup {
    let empty: Vec<&Adder> =
        parts.iter().filter_map(|part| if let Part::Empty(adder) = part { Some(adder) } else { None }).collect();
    html! {
        @if !empty.is_empty() {
            div class="adders js" role="group" aria-label="Add" {
                @for adder in &empty {
                    button type="button" class="button ghost small" data-act=(adder.act) aria-label=(adder.name) { (small("plus")) (adder.word) }
                }
                @if empty.iter().any(|adder| adder.act == relations::SUB_ITEM.act) { (relations::sub_item_form(item)) }
            }
        }
    }
}

/// Whether parts of the page have buttons and forms that change the item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Controls {
    Shown,
    Hidden,
}

impl Controls {
    fn of(look: &PageContext) -> Self {
        if look.may_write() { Self::Shown } else { Self::Hidden }
    }

    fn are_shown(self) -> bool {
        self == Self::Shown
    }
}

/// What the forms of an item need to detect changes by others.
struct Edit<'a> {
    item: &'a ItemView,
    n_seen: usize,
    may_write: bool,
}

fn here(item: &ItemView) -> Here {
    item.board.as_ref().and_then(|board| board.number).map_or(Here::AllWork, Here::Board)
}

/// Returns the color of the item's board.
fn board_hue(project: &Project, item: &ItemView) -> &'static str {
    let board = item.board.as_ref().and_then(|board| project.show(&ItemRef::parse(&board.id)).ok());
    hue::of(board.and_then(|board| board.color).as_deref())
}

fn crumbs(epics: &Epics, item: &ItemView) -> Markup {
    html! {
        @if let Some((parent, chip)) = item.parent.as_ref().and_then(|parent| Some((parent, epics.chip(parent)?))) {
            a href={ "/item/" (parent.number.unwrap_or_default()) } data-item=[parent.number] { (chip) }
            (tiny("chev-r"))
        }
        (widgets::kind(item.kind, "i s")) span class="number" { (item.name()) }
        @if !widgets::is_card(item.kind) { " " a class="link" href=(widgets::home(item)) { "Open the " (item.kind) } }
        @for other in item.formerly_this_number.iter().flatten() { " · formerly " (widgets::reference(other)) }
    }
}

fn title(edit: &Edit<'_>) -> Markup {
    let item = edit.item;
    html! {
        div class="editable" id="title" {
            h1 class="item-title shown" data-edit="title" { (item.title) }
            @if edit.may_write {
                form class="edit-form js" id="title-form" hidden data-save="title" data-original=(item.title) data-revision=(item.revision) data-seen=(edit.n_seen) {
                    textarea class="editing-title" name="title" rows="1" aria-label="Title" required { "\n" (item.title) }
                    (save_or_not())
                    (conflict())
                }
            }
        }
    }
}

fn notices(look: &PageContext, item: &ItemView) -> Markup {
    html! {
        @if item.deleted {
            div class="notice danger" id="deleted" {
                (icon("trash")) span { "This item was deleted." }
                @if look.may_write() { button type="button" class="button small js" data-act="restore" { "Restore" } }
            }
        }
        @if item.blocked.is {
            p class="notice danger" { (icon("blocked")) span { "Blocked" @if let Some(reason) = &item.blocked.reason { ": " (reason) } } }
        }
    }
}

fn description(look: &PageContext, edit: &Edit<'_>) -> Markup {
    let item = edit.item;
    let tasks = if edit.may_write { Tasks::Tickable } else { Tasks::Fixed };
    html! {
        section class="description editable" id="description" aria-labelledby="description-title" {
            h2 id="description-title" class="unseen" { "Text" }
            div class="shown prose" data-edit="description" {
                @if item.description.trim().is_empty() { p class="quiet" { @if edit.may_write { "Add a text…" } @else { "No text." } } }
                (markdown::of_item(&look.people, &item.id, &item.description, tasks))
            }
            @if edit.may_write {
                p class="choices js" id="edit-buttons" {
                    button type="button" class="button ghost small" data-act="edit" data-target="title" { "Edit the title" }
                    button type="button" class="button ghost small" data-act="edit" data-target="description" { "Edit the text" }
                }
                form class="editor edit-form js" id="description-form" hidden data-save="description" data-original=(item.description) data-revision=(item.revision) data-seen=(edit.n_seen) {
                    // HTML drops the first line break in a textarea, so one is added.
                    textarea name="description" rows="14" aria-label="Text, in Markdown" { "\n" (item.description) }
                    (tools(&save_or_not()))
                    (conflict())
                }
            }
        }
    }
}

/// Renders the tools of a Markdown editor; the script makes them work.
fn tools(end: &Markup) -> Markup {
    const TOOLS: [(&str, &str, &str); 8] = [
        ("bold", "bold", "Bold"),
        ("italic", "italic", "Italic"),
        ("code", "code", "Code"),
        ("link", "link", "Link"),
        ("list", "list", "List"),
        ("tasks", "checklist", "Task list"),
        ("at", "at", "Mention a person"),
        ("hash", "hash", "Mention an item"),
    ];
    html! {
        div class="tools" {
            @for (name, glyph, words) in TOOLS {
                button type="button" class="icon-button small" data-format=(name) aria-label=(words) title=(words) { (icon(glyph)) }
            }
            button type="button" class="icon-button small" data-act="attach" aria-label="Attach files" title="Attach files; pictures can also be pasted" { (icon("attachment")) }
            span class="end" {
                button type="button" class="icon-button small" data-act="preview" aria-label="Preview" title="Preview" aria-pressed="false" { (icon("eye")) }
                (end)
            }
        }
    }
}

fn save_or_not() -> Markup {
    html! {
        span class="choices" {
            button type="button" class="button ghost small" data-act="cancel" { "Cancel" }
            button type="submit" class="button primary small" { "Save" }
        }
    }
}

/// Renders the place where the script shows a change by someone else to the same text.
fn conflict() -> Markup {
    html! { div class="conflict" role="alert" {} }
}

/// Renders the glyph and name of a linked item as a line.
fn line(look: &PageContext, item: &ItemView, end: &Markup) -> Markup {
    html! {
        li class={ "line" @if widgets::is_closed(item) { " closed" } } {
            (widgets::status_glyph(&item.status, item.category))
            span class="number" { (item.name()) }
            a class="title truncate" href=(widgets::home(item)) data-item=[widgets::opens_sheet(item)] { (item.title) }
            @if let Some(who) = &item.assignee { (widgets::face(look, who, "")) }
            (end)
        }
    }
}

fn add_button(adder: Adder) -> Markup {
    html! { button type="button" class="icon-button small js" data-act=(adder.act) aria-label=(adder.name) title=(adder.name) { (small("plus")) } }
}

fn byline(look: &PageContext, who: &str, at: jiff::Timestamp) -> Markup {
    html! {
        b { (words::name(who)) }
        @if look.is_agent(who) { span class="tag" { "agent" } }
        (words::ago(look.now, at))
    }
}
