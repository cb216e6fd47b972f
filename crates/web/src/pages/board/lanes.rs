//! Items in lanes by epic, assignee or milestone, each lane with a cell for each status; and lists by the same groups.

use std::collections::BTreeMap;

use app::verb::SharesById;
use app::view::{ColumnsView, ItemView};
use app::{Error, Project};
use jiff::civil::Date;
use maud::{Markup, html};
use model::item::ItemKind;

use super::list::group_id;
use super::{all_items, column_head};
use crate::pages::address::encoded;
use crate::pages::card::{card, card_without_epic, row};
use crate::pages::epics::{Epics, bar};
use crate::pages::frame::PageContext;
use crate::pages::icons::{icon, small, with_class};
use crate::pages::{hue, widgets, words};

/// A lane: the items with one value of the field by which a board is grouped.
struct Lane<'a> {
    /// The value as the API takes it; empty without one.
    value: String,
    title: String,
    number: Option<u64>,
    hue: &'static str,
    due: Option<Date>,
    items: Vec<&'a ItemView>,
}

/// Renders the lanes of a board.
pub(super) fn lanes(
    project: &Project,
    look: &PageContext,
    epics: &Epics,
    view: &ColumnsView,
    grouping: &str,
) -> Result<Markup, Error> {
    let shares = match grouping {
        "epic" => project.shares_by_parent()?,
        "milestone" => project.shares_by_milestone()?,
        _ => SharesById::new(),
    };
    let lanes = grouped(epics, view, grouping);
    Ok(html! {
        div class="board" tabindex="0" role="group" aria-label="Lanes" {
            div class="lanes columns-of-lanes" data-board=[view.board.as_ref().map(|board| board.number)] data-sort="rank" data-group=(field_of(grouping)) {
                div class="heads" {
                    @for column in &view.columns {
                        div { (column_head(look, column, &format!("head-{}", encoded(&column.status)))) }
                    }
                }
                @for lane in &lanes { (one(look, epics, view, lane, grouping, &shares)) }
            }
        }
    })
}

fn one(
    look: &PageContext,
    epics: &Epics,
    view: &ColumnsView,
    lane: &Lane<'_>,
    grouping: &str,
    shares: &SharesById,
) -> Markup {
    let id = group_id("lane", &lane.value);
    let counts = shares.get(&lane.value).filter(|_| !lane.value.is_empty());
    html! {
        details class="lane" id=(id) open[look.is_unfolded(&id)] data-fold {
            summary class="lane-head" {
                (icon("chev-d"))
                span class={ "glyph " (lane.hue) } { (lane_glyph(look, lane, grouping)) }
                span class="truncate" { (lane.title) }
                @if let Some(number) = lane.number { span class="number" { "#" (number) } }
                @if let Some(counts) = counts {
                    (bar(counts)) span class="count" { (counts.done) " of " (counts.total()) }
                    @if let Some(due) = lane.due { span class="due" { "· due " (words::day(look.today, due)) } }
                } @else { span class="count" { (lane.items.len()) } }
            }
            div class="cells" {
                @for column in &view.columns {
                    @let title = words::status(&column.status);
                    div class="cell" {
                        ol class="cards" data-status=(column.status) data-title=(title) data-lane=(lane.value) aria-label={ (title) ", " (lane.title) } {
                            @for item in lane.items.iter().filter(|item| item.status == column.status) {
                                @if grouping == "epic" { (card_without_epic(look, item)) } @else { (card(look, epics, item)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn lane_glyph(look: &PageContext, lane: &Lane<'_>, grouping: &str) -> Markup {
    match grouping {
        "assignee" if lane.value.is_empty() => widgets::nobody(),
        "assignee" => html! { span aria-hidden="true" { (widgets::face(look, &lane.value, "")) } },
        "milestone" => small("k-milestone"),
        _ => with_class("k-epic", "i"),
    }
}

/// Renders the same groups as a list.
pub(super) fn list(look: &PageContext, epics: &Epics, view: &ColumnsView, grouping: &str) -> Markup {
    html! {
        @for lane in grouped(epics, view, grouping) {
            @let id = group_id("group", &lane.value);
            details class="group" id=(id) open[look.is_unfolded(&id)] data-fold {
                summary class="group-head" {
                    (small("chev-d"))
                    span class={ "glyph " (lane.hue) } { (lane_glyph(look, &lane, grouping)) }
                    h2 { (lane.title) }
                    span class="count" { (lane.items.len()) }
                }
                ol class="cards-list" { @for item in &lane.items { (row(look, epics, item)) } }
            }
        }
    }
}

fn field_of(grouping: &str) -> &'static str {
    match grouping {
        "assignee" => "assignee",
        "milestone" => "milestone",
        _ => "parent",
    }
}

/// Groups the items: epics by rank, other values by name, items without a value last.
fn grouped<'a>(epics: &Epics, view: &'a ColumnsView, grouping: &str) -> Vec<Lane<'a>> {
    let mut lanes: BTreeMap<(bool, String, String, String), Lane<'a>> = BTreeMap::new();
    for item in all_items(view) {
        // An epic is a lane, not a card in one.
        if grouping == "epic" && item.kind == ItemKind::Epic {
            continue;
        }
        let lane = lane_of(epics, item, grouping);
        let rank = epics.try_find(&lane.value).map(|epic| epic.rank.clone()).unwrap_or_default();
        let key = (lane.value.is_empty(), rank, lane.title.to_lowercase(), lane.value.clone());
        lanes.entry(key).or_insert(lane).items.push(item);
    }
    lanes.into_values().collect()
}

fn lane_of<'a>(epics: &Epics, item: &ItemView, grouping: &str) -> Lane<'a> {
    let other = match grouping {
        "epic" => item.parent.as_ref(),
        "milestone" => item.milestone.as_ref(),
        _ => None,
    };
    let (value, title) = match (grouping, other, &item.assignee) {
        ("assignee", _, Some(who)) => (who.clone(), words::name(who)),
        ("assignee", ..) => (String::new(), "Nobody".to_owned()),
        (_, Some(other), _) => (other.id.clone(), other.title.clone()),
        _ => (String::new(), format!("No {grouping}")),
    };
    let epic = other.and_then(|other| epics.try_find(&other.id));
    Lane {
        value,
        title,
        number: other.and_then(|other| other.number).filter(|_| grouping == "epic"),
        hue: epic.map_or(hue::NEUTRAL, |epic| hue::of(epic.color.as_deref())),
        due: epic.and_then(|epic| epic.due),
        items: Vec::new(),
    }
}
