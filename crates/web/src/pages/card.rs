//! A card of a board.

use app::view::ItemView;
use maud::{Markup, html};
use model::workflow::State;

use super::frame::PageContext;
use super::{widgets, words};

/// Renders a card.
pub(super) fn card(look: &PageContext, item: &ItemView) -> Markup {
    let n_open = item.blocked_by.iter().filter(|other| other.state != Some(State::Closed)).count() as u64;
    html! {
        li class="card" id={ "card-" (item.number) } draggable=[look.may_write().then_some("true")]
            data-number=(item.number) data-status=(item.status) data-revision=(item.revision) {
            p class="card-head" {
                span class="number" { "#" (item.number) } " " span class="kind" { (item.kind) }
                @if item.priority > 0 { " " (widgets::priority(item.priority)) }
            }
            a class="card-title" href={ "/item/" (item.number) } draggable="false" { (item.title) }
            (marks(look, item, n_open))
            @if look.may_write() {
                button class="move js" type="button" data-move=(item.number) aria-label={ "Move #" (item.number) } { "⋯" }
            }
        }
    }
}

fn marks(look: &PageContext, item: &ItemView, n_open: u64) -> Markup {
    let is_late = item.due.is_some_and(|due| due < look.today) && item.state != State::Closed;
    html! {
        p class="marks" {
            @if item.blocked.is || n_open > 0 {
                span class="blocked" title=[item.blocked.reason.as_deref()] {
                    @if item.blocked.is { "blocked" } @else { "waits for " (words::count(n_open, "item")) }
                }
            }
            @for label in &item.labels { (widgets::label(label)) }
            @if let Some(size) = &item.size { span class="size" title={ "Size: " (size) } { (size) } }
            @if let Some(due) = item.due { span class={ "due" @if is_late { " late" } } { "due " (words::day(due)) } }
            @if item.comment_count > 0 { span class="said" { (words::count(item.comment_count, "comment")) } }
            @if let Some(who) = &item.assignee { (widgets::face(who)) }
        }
    }
}
