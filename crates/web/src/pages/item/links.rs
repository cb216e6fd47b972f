//! The links of an item.

use app::view::{ItemView, Reference};
use maud::{Markup, html};

use crate::pages::widgets;

/// Renders the linked items, grouped by link kind.
pub(super) fn section(item: &ItemView, may_write: bool) -> Markup {
    let groups: [(&str, &str, &[Reference]); 4] = [
        ("Parts", "", item.children.as_deref().unwrap_or_default()),
        ("Waits for", "blocked_by", &item.blocked_by),
        ("Holds up", "blocks", &item.blocks),
        ("See also", "relates", &item.relates),
    ];
    html! {
        section class="links" aria-labelledby="links" {
            h2 id="links" { "Links" }
            @if groups.iter().all(|(.., others)| others.is_empty()) { p class="quiet" { "Linked to nothing." } }
            @for (title, kind, others) in groups.into_iter().filter(|(.., others)| !others.is_empty()) {
                h3 { (title) }
                ul class="refs" {
                    @for other in others {
                        li {
                            (widgets::reference(other))
                            @if may_write && !kind.is_empty() { (take_away(kind, other)) }
                        }
                    }
                }
            }
            @if may_write { (add()) }
        }
    }
}

fn take_away(kind: &str, other: &Reference) -> Markup {
    let name = if other.number.is_some() { other.name() } else { other.title.clone() };
    html! {
        button type="button" class="take-away js" data-unlink=(kind) data-to=(other.id) aria-label={ "Remove the link to " (name) } { "×" }
    }
}

fn add() -> Markup {
    html! {
        form class="add js" id="add-link" data-link {
            label for="link-kind" class="unseen" { "Kind of link" }
            select id="link-kind" name="kind" {
                option value="blocked_by" { "waits for" }
                option value="blocks" { "holds up" }
                option value="relates" { "see also" }
                option value="touches" { "touches code" }
            }
            input name="to" placeholder="#12, or src/login.rs" aria-label="Number of the other item, or path of the code" autocomplete="off" required;
            button type="submit" { "Link" }
        }
    }
}
