//! Items with dates on a line of time: from the day of the start to the due date. Items without a date are listed below.

use app::view::{ColumnsView, ItemView};
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use maud::{Markup, html};

use super::all_items;
use crate::pages::epics::Epics;
use crate::pages::frame::PageContext;
use crate::pages::{hue, widgets, words};

/// Width of a day and height of a row, in units of the drawing.
const DAY: i32 = 12;
const ROW: i32 = 32;
const HEAD: i32 = 28;
/// Days that are shown, so that the line fills a screen, and how far before today it begins at the earliest.
const MIN_DAYS: i32 = 12 * 7;
const MAX_DAYS: i32 = 366;
const MAX_PAST_DAYS: i32 = 90;
/// Days after the last date, and the length of a bar without a start.
const MARGIN_DAYS: i32 = 7;
const DEFAULT_DAYS: i32 = 3;

/// An item with its first and last day.
struct Span<'a> {
    item: &'a ItemView,
    from: Date,
    to: Date,
}

/// Renders the timeline.
pub(super) fn timeline(look: &PageContext, epics: &Epics, view: &ColumnsView) -> Markup {
    let mut spans: Vec<Span<'_>> =
        all_items(view).filter(|item| !widgets::is_closed(item)).filter_map(|item| span(item, look.today)).collect();
    spans.sort_by_key(|span| (span.from, span.to, span.item.number));
    let undated: Vec<ItemView> =
        all_items(view).filter(|item| !widgets::is_closed(item) && span(item, look.today).is_none()).cloned().collect();
    let (first, n_days) = range(look.today, &spans);
    html! {
        div class="page" id="list" {
            @if spans.is_empty() {
                div class="empty" { div {
                    (crate::pages::icons::with_class("timeline", "i art"))
                    h2 { "No item has a date" }
                    p { "An item with a start date or a due date appears here as a bar. Press " kbd { "D" } " on a card to set one." }
                } }
            } @else { (drawing(look, epics, &spans, first, n_days)) }
            @if !undated.is_empty() {
                div class="pad" {
                    section class="panel" aria-labelledby="undated" {
                        header { h2 id="undated" { "Without a date" } span class="count" { (undated.len()) } }
                        (widgets::rows(look, &undated))
                    }
                }
            }
        }
    }
}

fn span(item: &ItemView, today: Date) -> Option<Span<'_>> {
    let to = item.due.or(item.expected);
    let from = item.started.or_else(|| to.map(|to| to.saturating_sub((DEFAULT_DAYS - 1).days())))?;
    // What has begun and has no end goes on until today.
    let to = to.unwrap_or_else(|| from.saturating_add((DEFAULT_DAYS - 1).days()).max(today));
    Some(Span { item, from: from.min(to), to: to.max(from) })
}

/// Returns the first day, a Monday, and the number of days.
fn range(today: Date, spans: &[Span<'_>]) -> (Date, i32) {
    let earliest = today.saturating_sub(MAX_PAST_DAYS.days());
    let first = spans.iter().map(|span| span.from).min().unwrap_or(today).min(today).max(earliest);
    let first = first.saturating_sub(i32::from(first.weekday().since(Weekday::Monday)).days());
    let last = spans.iter().map(|span| span.to).max().unwrap_or(today).max(today);
    let n_days = words::days_until(first, last) + MARGIN_DAYS;
    (first, n_days.clamp(MIN_DAYS, MAX_DAYS))
}

fn drawing(look: &PageContext, epics: &Epics, spans: &[Span<'_>], first: Date, n_days: i32) -> Markup {
    let (width, height) = (n_days * DAY, HEAD + ROW * i32::try_from(spans.len()).unwrap_or(i32::MAX / ROW - 1));
    let place = |day: Date| words::days_until(first, day).clamp(0, n_days) * DAY;
    let weeks = (0..n_days).step_by(7).map(|days| first.saturating_add(days.days()));
    let now = place(look.today) + DAY / 2;
    html! {
        div class="timeline" tabindex="0" role="region" aria-label="Timeline" {
            ol class="names" {
                @for span in spans {
                    li {
                        (widgets::status_glyph(&span.item.status, span.item.category))
                        span class="number" { (span.item.name()) }
                        a class="title truncate" href=(widgets::home(span.item)) data-item=[widgets::opens_sheet(span.item)] { (span.item.title) }
                        span class="unseen" { ": " (words::short_day(look.today, span.from)) " to " (words::short_day(look.today, span.to)) }
                    }
                }
            }
            svg aria-hidden="true" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } {
                @for week in weeks {
                    line class="week" x1=(place(week)) x2=(place(week)) y1=(HEAD - 6) y2=(height) {}
                    text x=(place(week) + 4) y="16" { (week.strftime("%-d %b").to_string()) }
                }
                @for (n, span) in spans.iter().enumerate() { (bar(look, epics, span, i32::try_from(n).unwrap_or(0), &place)) }
                line class="today" x1=(now) x2=(now) y1=(HEAD - 6) y2=(height) {}
            }
        }
    }
}

fn bar(look: &PageContext, epics: &Epics, span: &Span<'_>, n: i32, place: &dyn Fn(Date) -> i32) -> Markup {
    let (x, end) = (place(span.from), place(span.to) + DAY);
    let y = HEAD + n * ROW + 8;
    let is_late = span.item.due.is_some_and(|due| due < look.today);
    let epic = span.item.parent.as_ref().and_then(|parent| epics.color(parent));
    html! {
        g class={ "span " (hue::of(epic)) @if is_late { " late" } } {
            title { (span.item.name()) " " (span.item.title) ": " (words::short_day(look.today, span.from)) " – " (words::short_day(look.today, span.to)) }
            rect x=(x + 1) y=(y) width=((end - x - 2).max(4)) height=(ROW - 16) rx="4" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_line_begins_on_a_monday() {
        let today = date(2026, 5, 20);
        let (first, n_days) = range(today, &[]);
        assert_eq!((first, n_days), (date(2026, 5, 18), 84));
        assert_eq!(first.weekday(), Weekday::Monday);
    }
}
