//! Small parts of many pages: labels, people, statuses, references.
//!
//! Colors that people choose are attributes of SVG shapes: the content security policy forbids inline styles.

use app::view::{ItemView, Reference};
use maud::{Markup, html};
use model::item::ItemKind;
use model::workflow::State;

use super::words;

/// Length from which a label gets a tooltip, since a card may cut it off.
const LONG: usize = 16;

/// Number of tints in the stylesheet.
const N_TINTS: u32 = 8;

/// Renders a label; the same text always has the same tint.
pub(super) fn label(text: &str) -> Markup {
    html! { span class={ "label tint-" (tint(text)) } title=[(text.chars().count() > LONG).then_some(text)] { (text) } }
}

/// Renders a person as an avatar with initials.
pub(super) fn face(person: &str) -> Markup {
    let name = words::name(person);
    html! {
        span class={ "face tint-" (tint(&name)) } title=(name) {
            span aria-hidden="true" { (words::initials(person)) }
            span class="unseen" { (name) }
        }
    }
}

/// Renders a person as an avatar and a name.
pub(super) fn person(person: &str) -> Markup {
    let name = words::name(person);
    html! {
        span class="person" {
            span class={ "face tint-" (tint(&name)) } aria-hidden="true" { (words::initials(person)) }
            " " (name)
        }
    }
}

/// Renders a color as a dot.
pub(super) fn dot(colour: &str) -> Markup {
    html! {
        svg class="dot" viewBox="0 0 10 10" aria-hidden="true" focusable="false" { circle cx="5" cy="5" r="5" fill=(colour) {} }
    }
}

/// Renders a link to another item.
pub(super) fn reference(other: &Reference) -> Markup {
    let Some(number) = other.number else {
        return html! { span class="ref" { "an item that is not in this clone" } };
    };
    html! {
        a class={ "ref" @if other.state == Some(State::Closed) { " closed" } } href=(address(other.kind, number)) {
            span class="number" { (other.name()) } " " (other.title)
        }
    }
}

/// Renders items as rows: search, milestones, overview.
pub(super) fn rows(items: &[ItemView]) -> Markup {
    html! {
        ol class="rows" {
            @for item in items {
                li class={ "row" @if item.state == State::Closed { " closed" } } {
                    a href={ (home(item)) } { span class="number" { (item.name()) } " " (item.title) }
                    span class="facts" {
                        @for text in &item.labels { (label(text)) }
                        span { (item.kind) }
                        span { (words::status(&item.status)) }
                        @if item.priority > 0 { (priority(item.priority)) }
                        @if let Some(who) = &item.assignee { (face(who)) }
                    }
                }
            }
        }
    }
}

/// Returns the URL of an item's page.
pub(super) fn home(item: &ItemView) -> String {
    address(Some(item.kind), item.number)
}

/// Returns the URL of the page with all fields of an item. Boards and milestones have another page under their number,
/// so theirs is found by id.
pub(super) fn fields_page(item: &ItemView) -> String {
    match item.kind {
        ItemKind::Board | ItemKind::Milestone => format!("/item/{}", item.id),
        _ => format!("/item/{}", item.number),
    }
}

// Numbers are unique only within their space, and each space has its own path.
fn address(kind: Option<ItemKind>, number: u64) -> String {
    match kind {
        Some(ItemKind::Board) => format!("/board/{number}"),
        Some(ItemKind::Milestone) => format!("/milestone/{number}"),
        _ => format!("/item/{number}"),
    }
}

/// Renders a priority.
pub(super) fn priority(priority: u8) -> Markup {
    let level = match priority {
        8.. => "high",
        4..8 => "middle",
        _ => "low",
    };
    html! {
        span class={ "priority " (level) } title={ "Priority " (priority) " of 10" } {
            span class="unseen" { "priority " } span aria-hidden="true" { "P" } (priority)
        }
    }
}

// FNV-1a: short, and stable across versions of the program.
fn tint(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 16)) % N_TINTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_keeps_its_tint_and_is_text() {
        assert_eq!(tint("bug"), tint("bug"));
        assert!((0..100).map(|n| tint(&n.to_string())).all(|tint| tint < N_TINTS));
        assert!(label("<b>").into_string().contains("&lt;b&gt;"));
    }

    #[test]
    fn an_item_that_is_not_here_is_no_link() {
        let absent = Reference { id: "x".into(), kind: None, number: None, title: String::new(), state: None };
        assert!(!reference(&absent).into_string().contains("href"));
    }
}
