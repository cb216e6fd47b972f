//! Events as sentences: a person, a verb, an item, an object.

use app::view::{EventObject, EventView, Reference};
use maud::{Markup, html};
use model::priority::PriorityLevel;

use super::frame::PageContext;
use super::icons::with_class;
use super::{widgets, words};

/// Renders events of the project.
pub(super) fn activity(look: &PageContext, events: &[EventView]) -> Markup {
    html! {
        @for event in events {
            li class="activity" {
                (widgets::face(look, &event.by, ""))
                span { b { (words::name(&event.by)) } " " (event.verb) " " (named(&event.item)) (tail(event)) }
                (words::ago_short(look.now, event.at))
            }
        }
    }
}

/// Renders the sentence of an event on the page of its item, which needs not be named.
pub(super) fn on_item(event: &EventView) -> Markup {
    let verb = event.verb;
    // "edited the description of this" and "moved this to", but "created this item" at the beginning.
    html! { b { (words::name(&event.by)) } " " (verb) " this" (tail(event)) }
}

/// Returns the icon of an event.
pub(super) fn icon_of(event: &EventView) -> Markup {
    let name = match (event.verb, &event.object) {
        (_, EventObject::Status { name, category }) => {
            let shape = widgets::status_shape(name, *category);
            return with_class(&format!("s-{shape}"), &format!("i s st-{shape}"));
        }
        ("created", _) => "plus",
        ("labeled", _) => "tag",
        ("removed", _) if event.preposition == "from the label" => "tag",
        ("assigned" | "unassigned", _) => "user",
        ("deleted", _) => "trash",
        ("restored", _) => "undo",
        ("blocked" | "unblocked", _) => "blocked",
        ("set the due date of" | "removed the due date of", _) => "due",
        ("renamed" | "edited the description of", _) => "note",
        (_, EventObject::Priority(_)) => "p-medium",
        (_, EventObject::Item(_)) => "link",
        (_, EventObject::Code(_)) => "code",
        _ => "clock",
    };
    with_class(name, "i s")
}

// Boards and milestones are known by their titles, work by its numbers too.
fn named(other: &Reference) -> Markup {
    let Some(number) = other.number else { return widgets::reference(other) };
    let is_page = !other.kind.is_none_or(widgets::is_card);
    html! {
        a href=(widgets::address(other.kind, number)) data-item=[(!is_page).then_some(number)] {
            @if !is_page { span class="number" { "#" (number) } " " }
            (other.title)
        }
    }
}

fn tail(event: &EventView) -> Markup {
    html! {
        @if !event.preposition.is_empty() { " " (event.preposition) }
        @match &event.object {
            EventObject::None => {},
            EventObject::Text(text) => { " " b { (text) } },
            EventObject::Status { name, category } => { " " (widgets::status(name, *category)) },
            EventObject::Priority(priority) => { " " b { (words::status(PriorityLevel::of(*priority).word())) } },
            EventObject::Person(who) => { " " b { (words::name(who)) } },
            EventObject::Item(other) => { " " (named(other)) },
            EventObject::Code(place) => { " " code { (place) } },
        }
    }
}
