//! Charts as SVG, rendered by the server, with a text alternative and the numbers in a table.

mod canvas;

use app::view::{BurndownDayView, FlowDayView, FlowStatusView};
use jiff::civil::Date;
use maud::{Markup, html};

use super::{widgets, words};
use canvas::Canvas;

/// Renders the open work per day, with the ideal line to zero on the due date.
pub(super) fn burndown(days: &[BurndownDayView], due: Option<Date>) -> Markup {
    let days = &days[days.iter().position(|day| day.total > 0).unwrap_or(days.len())..];
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return nothing_yet() };
    let end = due.filter(|due| *due > last.date).unwrap_or(last.date);
    let canvas = Canvas::new(first.date, end, days.iter().map(|day| day.total).max().unwrap_or(0));
    let told = format!(
        "{} of {} open on {}; {} of {} on {}.",
        first.open, first.total, first.date, last.open, last.total, last.date
    );
    let open: Vec<(Date, u64)> = days.iter().map(|day| (day.date, day.open)).collect();
    let total: Vec<(Date, u64)> = days.iter().map(|day| (day.date, day.total)).collect();
    let shapes = html! {
        polygon class="under" points=(canvas.area(&open)) {}
        polyline class="all" points=(canvas.line(&total)) {}
        polyline class="line" points=(canvas.line(&open)) {}
        // A line of a single day would be invisible.
        circle class="last" cx=(canvas.x(last.date)) cy=(canvas.y(last.open)) r="4" {}
        @if let Some(due) = due.filter(|due| *due > first.date) {
            polyline class="ideal" points=(canvas.line(&[(first.date, first.total), (due, 0)])) {}
        }
    };
    html! {
        (canvas.draw("Burn-down", &told, &shapes))
        ul class="legend" aria-hidden="true" { li class="open" { "still open" } li class="all" { "all" } @if due.is_some() { li class="ideal" { "an even pace" } } }
        (table(&["Day", "All", "Open"], days.iter().map(|day| (day.date, vec![day.total, day.open]))))
    }
}

/// Renders the items per status and day as a stacked area chart. Finished items are at the bottom, so that the height
/// of a band is the number of items in its status.
pub(super) fn flow(statuses: &[FlowStatusView], days: &[FlowDayView]) -> Markup {
    let days = begun(days);
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return nothing_yet() };
    let sum = |day: &FlowDayView| day.counts.iter().sum::<u64>();
    let canvas = Canvas::new(first.date, last.date, days.iter().map(sum).max().unwrap_or(0));
    let now: Vec<String> =
        statuses.iter().zip(&last.counts).map(|(status, n)| format!("{n} {}", words::status(&status.name))).collect();
    let told = format!("On {}: {}.", last.date, now.join(", "));
    let band = |place: usize| -> Vec<(Date, u64)> {
        days.iter().map(|day| (day.date, day.counts.iter().skip(place).sum())).collect()
    };
    let shapes = html! {
        // The first status is the tallest; each next one covers the lower part of the previous one.
        @for (place, status) in statuses.iter().enumerate() { polygon fill=(status.colour) points=(canvas.area(&band(place))) {} }
    };
    let names: Vec<String> = statuses.iter().map(|status| words::status(&status.name)).collect();
    let heads: Vec<&str> = std::iter::once("Day").chain(names.iter().map(String::as_str)).collect();
    html! {
        (canvas.draw("Cumulative flow", &told, &shapes))
        ul class="legend" { @for status in statuses { li { (widgets::dot(&status.colour)) " " (words::status(&status.name)) } } }
        (table(&heads, days.iter().map(|day| (day.date, day.counts.clone()))))
    }
}

/// Returns the days from the first nonempty one on, preceded by an empty day, so that there are at least two.
fn begun(days: &[FlowDayView]) -> Vec<FlowDayView> {
    let Some(first) = days.iter().position(|day| day.counts.iter().any(|count| *count > 0)) else { return Vec::new() };
    let empty = |date| FlowDayView { date, counts: vec![0; days[first].counts.len()] };
    let before = days[first].date.yesterday().ok().map(empty);
    before.into_iter().chain(days[first..].iter().cloned()).collect()
}

fn nothing_yet() -> Markup {
    html! { p class="quiet" { "Nothing to draw yet." } }
}

fn table(heads: &[&str], rows: impl DoubleEndedIterator<Item = (Date, Vec<u64>)>) -> Markup {
    html! {
        details {
            summary { "The numbers" }
            table class="data" {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { @for (day, counts) in rows.rev() { tr { th scope="row" { (day) } @for count in counts { td { (count) } } } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn day(day: i8, total: u64, open: u64) -> BurndownDayView {
        BurndownDayView { date: date(2026, 5, day), total, open }
    }

    #[test]
    fn a_burndown_has_words_and_numbers_beside_its_shapes() {
        let html =
            burndown(&[day(1, 0, 0), day(2, 0, 0), day(3, 4, 4), day(4, 4, 1)], Some(date(2026, 5, 9))).into_string();
        for part in [
            "role=\"img\"",
            "<title",
            "4 of 4 open on 2026-05-03; 1 of 4 on 2026-05-04.",
            "class=\"ideal\"",
            "<td>1</td>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("2026-05-02") && !html.contains("style="), "{html}");
        assert!(burndown(&[day(1, 0, 0)], None).into_string().contains("Nothing to draw"));
    }

    #[test]
    fn a_band_of_the_flow_lies_on_those_of_later_statuses() {
        let status = |name: &str| FlowStatusView { name: name.to_owned(), colour: "#112233".to_owned() };
        let days = [
            FlowDayView { date: date(2026, 5, 1), counts: vec![2, 1] },
            FlowDayView { date: date(2026, 5, 2), counts: vec![1, 2] },
        ];
        let html = flow(&[status("ready"), status("done")], &days).into_string();
        assert_eq!(html.matches("fill=\"#112233\" points").count(), 2);
        assert!(html.contains("On 2026-05-02: 1 Ready, 2 Done."), "{html}");
    }
}
