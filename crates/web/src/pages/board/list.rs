//! Items as a dense list with a group for each status.

use app::view::ColumnView;
use maud::{Markup, html};

use crate::pages::address::encoded;
use crate::pages::card::row;
use crate::pages::epics::Epics;
use crate::pages::frame::PageContext;
use crate::pages::icons::{icon, small};
use crate::pages::{widgets, words};

/// Returns the id of a group's element. It has no full stop, which separates the ids in the cookie of folded groups.
pub(super) fn group_id(kind: &str, value: &str) -> String {
    format!("{kind}-{}", encoded(value).replace('.', "%2E"))
}

/// Renders a group for each status that has items.
pub(super) fn by_status(look: &PageContext, epics: &Epics, columns: &[ColumnView]) -> Markup {
    html! {
        @for column in columns.iter().filter(|column| column.total > 0) {
            @let title = words::status(&column.status);
            @let id = group_id("group", &column.status);
            section class="group-section" id={ (id) "-section" } {
                details class="group" id=(id) open[look.is_unfolded(&id)] data-fold {
                    summary class="group-head" {
                        (small("chev-d"))
                        (widgets::status_glyph(&column.status, column.category))
                        h2 { (title) }
                        (super::count(column))
                        @if let Some(n_over) = column.limit.and_then(|limit| column.total.checked_sub(u64::from(limit))).filter(|n| *n > 0) {
                            span class="tag danger" { (n_over) " over the limit" }
                        }
                    }
                    ol class="cards-list" data-status=(column.status) { @for item in &column.items { (row(look, epics, item)) } }
                    @if column.total > column.items.len() as u64 {
                        p class="nothing" { (column.total - column.items.len() as u64) " more; a filter finds them" }
                    }
                }
                // Over the heading, not in it: a control in a control cannot be reached by all.
                @if look.may_write() {
                    button type="button" class="icon-button small js" data-act="new" data-status=(column.status) aria-label={ "New item in " (title) } { (icon("plus")) }
                }
            }
        }
    }
}
