//! The filter input, its suggestions and its errors.

use app::Error;
use maud::{Markup, html};

use super::address::Asked;

/// Common filters, as suggestions and examples.
const COMMON_FILTERS: &[(&str, &str)] = &[
    ("Mine", "assignee == me"),
    ("Unassigned", "assignee == none"),
    ("Blocked", "blocked == true"),
    ("Urgent", "priority >= 8"),
    ("No board", "board == none"),
];

/// Renders the filter bar of the page at `path`.
pub(super) fn bar(path: &str, asked: &Asked, wrong: Option<&Error>) -> Markup {
    let filter = asked.text("filter").unwrap_or_default();
    html! {
        form class="filter" action=(path) data-query role="search" aria-label="Filter cards" {
            label for="filter" class="unseen" { "Filter" }
            input id="filter" name="filter" value=(filter) placeholder="Filter, such as: labels == bug and priority >= 5"
                spellcheck="false" autocomplete="off" autocapitalize="off"
                aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "filter-error")];
            @if let Some(words) = asked.text("q") { input type="hidden" name="q" value=(words); }
            button type="submit" { "Filter" }
            @if !filter.is_empty() { a class="button" href=(asked.with("filter", None).at(path)) { "Show all" } }
            ul class="usual" aria-label="Usual filters" {
                @for (name, text) in COMMON_FILTERS {
                    li {
                        a href=(asked.with("filter", Some(text)).at(path)) title=(text)
                            aria-current=[(*text == filter).then_some("true")] { (name) }
                    }
                }
            }
        }
        @if let Some(error) = wrong { (mistake(error)) }
    }
}

fn mistake(error: &Error) -> Markup {
    let (what, place) = error.message.split_once('\n').unwrap_or((&error.message, ""));
    html! {
        div id="filter-error" class="mistake" role="alert" {
            p { (what) }
            @if !place.is_empty() { pre { (place) } }
            @if let Some(hint) = &error.hint { p class="quiet" { (hint) } }
        }
    }
}
