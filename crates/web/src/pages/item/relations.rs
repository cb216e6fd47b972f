//! Sub-items with progress, and links to other items.

use app::verb::ListOptions;
use app::view::{ItemView, Reference};
use app::{Error, Project};
use maud::{Markup, html};
use model::workflow::State;

use super::{Adder, Controls, Part, add_button, line};
use crate::pages::epics::bar;
use crate::pages::frame::PageContext;
use crate::pages::icons::icon;
use crate::pages::widgets;

/// Sub-items on the page.
const MAX_SUB_ITEMS: usize = 200;

pub(super) const SUB_ITEM: Adder = Adder { act: "add-sub-item", name: "Add a sub-item", word: "Sub-item" };
const LINK: Adder = Adder { act: "add-link", name: "Add a link", word: "Link" };

/// Renders the sub-items.
pub(super) fn sub_items(
    look: &PageContext,
    project: &Project,
    item: &ItemView,
    controls: Controls,
) -> Result<Part, Error> {
    if !widgets::is_card(item.kind) {
        return Ok(Part::Nothing);
    }
    let found = project.list(&ListOptions {
        filter: Some(format!("parent == \"{}\"", item.id)),
        sort: vec!["rank".to_owned()],
        limit: Some(MAX_SUB_ITEMS),
        all: true,
        ..ListOptions::default()
    })?;
    if found.items.is_empty() {
        return Ok(Part::empty(controls, SUB_ITEM));
    }
    let counts = project.shares_by_parent()?.get(&item.id).copied().unwrap_or_default();
    Ok(Part::Filled(html! {
        section class="section" aria-labelledby="sub-items" {
            header {
                h2 id="sub-items" { "Sub-items" }
                @if counts.total() > 0 { (bar(&counts)) span class="count" { (counts.done) " of " (counts.total()) } }
                @if controls.are_shown() { (add_button(SUB_ITEM)) }
            }
            ul { @for child in &found.items { (line(look, child, &html! {})) } }
            @if controls.are_shown() { (sub_item_form(item)) }
        }
    }))
}

/// Renders the form of a new sub-item; the script shows it.
pub(super) fn sub_item_form(item: &ItemView) -> Markup {
    html! {
        form class="js sub-item-form" id="sub-item-form" hidden data-new="" data-parent=(item.id) data-board=[item.board.as_ref().and_then(|board| board.number)] {
            input class="field" name="title" placeholder="Title of the sub-item" aria-label="Title of a new sub-item" autocomplete="off" required;
        }
    }
}

/// Renders the linked items by kind of link.
pub(super) fn links(look: &PageContext, project: &Project, item: &ItemView, controls: Controls) -> Part {
    let groups: [(&str, &str, &[Reference]); 3] = [
        ("Blocked by", "blocked_by", &item.blocked_by),
        ("Blocking", "blocks", &item.blocks),
        ("Related", "relates", &item.relates),
    ];
    if groups.iter().all(|(.., others)| others.is_empty()) {
        return Part::empty(controls, LINK);
    }
    let mut shown = Vec::new();
    for (title, kind, others) in groups.into_iter().filter(|(.., others)| !others.is_empty()) {
        let is_blocked = kind == "blocked_by" && others.iter().any(|other| other.state != Some(State::Closed));
        shown.push(html! {
            dt class={ @if is_blocked { "late" } } { (title) }
            dd { ul { @for other in others { (linked(look, project, kind, other, controls)) } } }
        });
    }
    Part::Filled(html! {
        section class="section links" aria-labelledby="links" {
            header { h2 id="links" { "Links" } @if controls.are_shown() { (add_button(LINK)) } }
            dl class="relations" { @for group in shown { (group) } }
        }
    })
}

fn linked(look: &PageContext, project: &Project, kind: &str, other: &Reference, controls: Controls) -> Markup {
    let remove = html! {
        @if controls.are_shown() {
            button type="button" class="icon-button small remove js" data-act="unlink" data-kind=(kind) data-to=(other.id) aria-label={ "Remove the link to " (other.name()) } { (icon("close")) }
        }
    };
    if other.number.is_none() {
        return html! { li class="line" { span class="quiet" { "an item that is not in this clone" } (remove) } };
    }
    let item = project.show(&model::item_ref::ItemRef::parse(&other.id));
    match item {
        Ok(item) => line(look, &item, &remove),
        Err(_) => {
            html! { li class="line" { span { (other.name()) " " (other.title) } (remove) } }
        }
    }
}
