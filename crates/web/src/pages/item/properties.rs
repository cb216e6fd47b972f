//! The properties of an item: only those with a value; the script opens a picker for each and adds the others.

use app::view::ItemView;
use jiff::civil::Date;
use maud::{Markup, html};
use model::item::ItemKind;
use model::priority::PriorityLevel;
use model::size::Size;

use super::Controls;
use crate::pages::epics::Epics;
use crate::pages::frame::PageContext;
use crate::pages::icons::{icon, small};
use crate::pages::{hue, widgets, words};

/// A property with a value.
struct Property {
    field: &'static str,
    icon: &'static str,
    name: &'static str,
    /// The value as the API takes it.
    value: String,
    shown: Markup,
}

/// Renders the properties.
pub(super) fn aside(look: &PageContext, epics: &Epics, item: &ItemView, board_hue: &str, controls: Controls) -> Markup {
    let properties = all(look, epics, item, board_hue);
    let empty: Vec<&str> = properties.iter().filter(|one| one.value.is_empty()).map(|one| one.field).collect();
    html! {
        aside class="properties" id="fields" tabindex="-1" aria-label="Properties" {
            div class="property-list" {
                @for property in properties.iter().filter(|one| !one.value.is_empty() || is_always_shown(one.field)) { (row(property, controls)) }
                @if controls.are_shown() && !empty.is_empty() {
                    button type="button" class="button ghost small js" data-act="add-property" data-fields=(empty.join(" ")) { (small("plus")) "Add property" }
                }
            }
            footer {
                span { "Created by " (words::name(&item.author)) " " (words::ago(look.now, item.created)) }
                span { "Changed " (words::ago(look.now, item.updated)) }
                @if controls.are_shown() { button type="button" class="button ghost small danger js" data-act="delete" { (icon("trash")) "Delete" } }
            }
        }
    }
}

fn is_always_shown(field: &str) -> bool {
    matches!(field, "status" | "priority" | "assignee")
}

fn row(property: &Property, controls: Controls) -> Markup {
    let content =
        html! { (small(property.icon)) span class="name" { (property.name) } span class="value" { (property.shown) } };
    html! {
        @if controls.are_shown() {
            button type="button" class="property" id={ "property-" (property.field) } data-act="pick" data-field=(property.field) data-value=(property.value) { (content) }
        } @else { div class="property" { (content) } }
    }
}

fn all(look: &PageContext, epics: &Epics, item: &ItemView, board_hue: &str) -> Vec<Property> {
    let is_card = widgets::is_card(item.kind);
    let level = PriorityLevel::of(item.priority);
    let text = |text: Option<&str>| html! { span class="truncate" { (text.unwrap_or_default()) } };
    let mut properties = vec![
        property("status", "s-ready", "Status", &item.status, widgets::status(&item.status, item.category)),
        property("priority", "p-high", "Priority", level.word(), priority(level)),
        property("assignee", "user", "Assignee", item.assignee.as_deref().unwrap_or_default(), assignee(look, item)),
        property(
            "labels",
            "tag",
            "Labels",
            &item.labels.join("\n"),
            html! { @for label in &item.labels { span class={ "label pill " (look.label_hue(label)) } { span { (label) } } } },
        ),
    ];
    if is_card {
        let parent = item.parent.as_ref().and_then(|parent| epics.chip(parent)).unwrap_or_default();
        let milestone = item.milestone.as_ref();
        let board = item.board.as_ref();
        properties.extend([
            property("parent", "k-epic", "Parent", item.parent.as_ref().map_or("", |other| &other.id), parent),
            property(
                "milestone",
                "k-milestone",
                "Milestone",
                milestone.map_or("", |other| &other.id),
                text(milestone.map(|other| other.title.as_str())),
            ),
            property(
                "board",
                "board",
                "Board",
                board.map_or("", |other| &other.id),
                html! { span class={ "square " (board_hue) } {} (text(board.map(|other| other.title.as_str()))) },
            ),
            property(
                "size",
                "size",
                "Size",
                item.size.map_or("", Size::name),
                html! { (words::status(item.size.map_or("", Size::name))) },
            ),
        ]);
    }
    properties.push(date(
        look,
        "due",
        "Due",
        item.due,
        if widgets::is_closed(item) { DateRole::Record } else { DateRole::Deadline },
    ));
    if is_card {
        properties.extend([
            date(look, "started", "Started", item.started, DateRole::Record),
            date(look, "expected", "Expected", item.expected, DateRole::Record),
            date(look, "completed", "Completed", item.completed, DateRole::Record),
            property(
                "blocked",
                "blocked",
                "Blocked",
                blocked(item),
                html! { span class="late" { (item.blocked.reason.as_deref().unwrap_or("Yes")) } },
            ),
            property("type", "note", "Type", item.type_.as_deref().unwrap_or_default(), text(item.type_.as_deref())),
            property(
                "severity",
                "warn",
                "Severity",
                item.severity.as_deref().unwrap_or_default(),
                text(item.severity.as_deref()),
            ),
        ]);
    }
    if matches!(item.kind, ItemKind::Epic | ItemKind::Board) {
        let color = item.color.as_deref().unwrap_or_default();
        properties.push(property(
            "colour",
            "display",
            "Color",
            color,
            html! { span class={ "square " (hue::of(Some(color))) } {} },
        ));
    }
    properties
}

fn property(field: &'static str, icon: &'static str, name: &'static str, value: &str, shown: Markup) -> Property {
    Property { field, icon, name, value: value.to_owned(), shown }
}

fn priority(level: PriorityLevel) -> Markup {
    html! {
        @if level == PriorityLevel::None { span class="quiet" { "None" } } @else {
            span class="status" { (small(widgets::priority_icon(level))) (words::status(level.word())) }
        }
    }
}

fn blocked(item: &ItemView) -> &str {
    if item.blocked.is { item.blocked.reason.as_deref().unwrap_or("yes") } else { "" }
}

fn assignee(look: &PageContext, item: &ItemView) -> Markup {
    html! {
        @if item.assignees.is_empty() { span class="quiet" { "Nobody" } }
        @for who in &item.assignees { (widgets::person(look, who)) }
    }
}

/// What a date means for the reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DateRole {
    /// The day is shown alone.
    Record,
    /// The days that are left are shown too, in a warning color when few.
    Deadline,
}

fn date(look: &PageContext, field: &'static str, name: &'static str, value: Option<Date>, role: DateRole) -> Property {
    let is_deadline = role == DateRole::Deadline;
    let shown = value.map(|day| {
        let urgency = words::Urgency::of(look.today, day);
        html! {
            span class={ @if is_deadline { (urgency.class().trim()) } } {
                (words::day(look.today, day))
                @if is_deadline { " · " (words::until(look.today, day)) }
            }
        }
    });
    property(field, "due", name, &value.map(|day| day.to_string()).unwrap_or_default(), shown.unwrap_or_default())
}
