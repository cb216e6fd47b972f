//! Charts as SVG, rendered by the server, with a text alternative and the numbers in a table. A chart of less than a week
//! says what it needs instead.

mod canvas;

use app::view::{BurndownDayView, FlowDayView, FlowStatusView};
use jiff::ToSpan;
use jiff::civil::Date;
use maud::{Markup, html};
use model::workflow::Category;

use super::{widgets, words};
use canvas::Canvas;

/// Days of history that a chart needs.
const MIN_DAYS: usize = 7;
/// Days over which the pace is measured.
const PACE_DAYS: usize = 21;

/// When the open items of a milestone will be done at the pace of the last weeks.
pub(super) struct Forecast {
    /// Items finished per week.
    pub(super) per_week: f64,
    /// The likely day; `None` if nothing is finished lately.
    pub(super) likely: Option<Date>,
    early: Option<Date>,
    late: Option<Date>,
}

impl Forecast {
    /// Returns the forecast; `None` with less than a week of history.
    pub(super) fn of(days: &[BurndownDayView], today: Date) -> Option<Self> {
        let days = begun_burndown(days);
        if days.len() < MIN_DAYS {
            return None;
        }
        let recent = &days[days.len().saturating_sub(PACE_DAYS)..];
        let (first, last) = (recent.first()?, recent.last()?);
        let done = |day: &BurndownDayView| day.total.saturating_sub(day.open);
        let finished = done(last).saturating_sub(done(first));
        let per_day = number(finished) / number(recent.len() as u64);
        let day_at = |factor: f64| {
            let n_days = number(last.open) / (per_day * factor);
            let n_days = (n_days.is_finite() && n_days < 3650.0).then_some(n_days.ceil())?;
            #[expect(clippy::cast_possible_truncation, reason = "less than ten years of days")]
            today.checked_add((n_days as i64).days()).ok()
        };
        Some(Self { per_week: per_day * 7.0, likely: day_at(1.0), early: day_at(1.25), late: day_at(0.75) })
    }
}

fn number(n: u64) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

fn begun_burndown(days: &[BurndownDayView]) -> &[BurndownDayView] {
    &days[days.iter().position(|day| day.total > 0).unwrap_or(days.len())..]
}

/// Renders the open work per day, the scope, an even pace to the due date, and the forecast.
pub(super) fn burndown(
    days: &[BurndownDayView],
    due: Option<Date>,
    today: Date,
    forecast: Option<&Forecast>,
) -> Markup {
    let days = begun_burndown(days);
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return needs_history(0) };
    if days.len() < MIN_DAYS {
        return needs_history(days.len());
    }
    let ends = [due, forecast.and_then(|forecast| forecast.late)];
    // A forecast far in the future would flatten the past.
    let furthest = today.checked_add(120.days()).unwrap_or(today);
    let end = ends.into_iter().flatten().chain([last.date]).max().unwrap_or(last.date).min(furthest);
    let canvas = Canvas::new(first.date, end, days.iter().map(|day| day.total).max().unwrap_or(0));
    let summary = format!(
        "{} of {} open on {}; {} of {} on {}.",
        first.open, first.total, first.date, last.open, last.total, last.date
    );
    let open: Vec<(Date, u64)> = days.iter().map(|day| (day.date, day.open)).collect();
    let scope: Vec<(Date, u64)> = days.iter().map(|day| (day.date, day.total)).collect();
    let shapes = html! {
        polygon class="area" points=(canvas.area(&open)) {}
        @if let Some((early, late)) = forecast.and_then(|forecast| forecast.early.zip(forecast.late)) {
            polygon class="cone" points=(canvas.line(&[(last.date, last.open), (early.min(end), 0), (late.min(end), 0)])) {}
        }
        @if let Some(due) = due.filter(|due| *due > first.date) {
            polyline class="even" points=(canvas.line(&[(first.date, first.total), (due.min(end), 0)])) {}
            line class="due" x1=(canvas.x(due.min(end))) x2=(canvas.x(due.min(end))) y1=(canvas.y(canvas.most())) y2=(canvas.y(0)) {}
            text class="strong" x=(canvas.x(due.min(end)) - 5.0) y=(canvas.y(canvas.most()) + 10.0) text-anchor="end" { "Due " (words::short_day(today, due)) }
        }
        polyline class="scope" points=(canvas.line(&scope)) {}
        polyline class="left" points=(canvas.line(&open)) {}
        @if let Some(likely) = forecast.and_then(|forecast| forecast.likely) {
            polyline class="forecast" points=(canvas.line(&[(last.date, last.open), (likely.min(end), 0)])) {}
        }
        line class="today" x1=(canvas.x(last.date)) x2=(canvas.x(last.date)) y1=(canvas.y(canvas.most())) y2=(canvas.y(0)) {}
        circle class="point" cx=(canvas.x(last.date)) cy=(canvas.y(last.open)) r="4" {}
        text class="strong" x=(canvas.x(last.date) + 8.0) y=(canvas.y(last.open) - 6.0) { (last.open) " left" }
    };
    html! {
        (canvas.draw("Burn-down", &summary, &shapes))
        (table(&["Day", "Scope", "Left"], days.iter().map(|day| (day.date, vec![day.total, day.open]))))
    }
}

/// Renders the legend of the burndown, if there is a chart.
pub(super) fn burndown_legend(days: &[BurndownDayView]) -> Markup {
    if begun_burndown(days).len() < MIN_DAYS {
        return html! {};
    }
    html! {
        span class="legend" aria-hidden="true" {
            span { span class="swatch line" {} "Left" } span { span class="swatch line scope" {} "Scope" }
            span { span class="swatch dash" {} "Even pace" } span { span class="swatch area" {} "Forecast" }
        }
    }
}

/// Renders the items per status and day as a stacked area chart. Finished items are at the bottom, so that the height
/// of a band is the number of items in its status.
pub(super) fn flow(statuses: &[FlowStatusView], days: &[FlowDayView]) -> Markup {
    let start = days.iter().position(|day| day.counts.iter().any(|count| *count > 0)).unwrap_or(days.len());
    let days = &days[start..];
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return needs_history(0) };
    if days.len() < MIN_DAYS {
        return needs_history(days.len());
    }
    let sum = |day: &FlowDayView| day.counts.iter().sum::<u64>();
    let canvas = Canvas::new(first.date, last.date, days.iter().map(sum).max().unwrap_or(0));
    let now: Vec<String> =
        statuses.iter().zip(&last.counts).map(|(status, n)| format!("{n} {}", words::status(&status.name))).collect();
    let summary = format!("On {}: {}.", last.date, now.join(", "));
    let band = |place: usize| -> Vec<(Date, u64)> {
        days.iter().map(|day| (day.date, day.counts.iter().skip(place).sum())).collect()
    };
    let shape = |status: &FlowStatusView| widgets::status_shape(&status.name, category_of(&status.name));
    let shapes = html! {
        // The first status is the tallest; each next one covers the lower part of the previous one.
        @for (place, status) in statuses.iter().enumerate() { polygon class={ "st-" (shape(status)) } points=(canvas.area(&band(place))) {} }
    };
    let names: Vec<String> = statuses.iter().map(|status| words::status(&status.name)).collect();
    let heads: Vec<&str> = std::iter::once("Day").chain(names.iter().map(String::as_str)).collect();
    html! {
        (canvas.draw("Cumulative flow", &summary, &shapes))
        ul class="legend" { @for status in statuses { li { span class={ "swatch st-" (shape(status)) } {} (words::status(&status.name)) } } }
        (table(&heads, days.iter().map(|day| (day.date, day.counts.clone()))))
    }
}

/// Renders one bar for each week.
pub(super) fn weeks(title: &str, weeks: &[(Date, u64)]) -> Markup {
    let (Some(first), Some(last)) = (weeks.first(), weeks.last()) else { return needs_history(0) };
    let end = last.0.checked_add(7.days()).unwrap_or(last.0);
    let canvas = Canvas::new(first.0, end, weeks.iter().map(|(_, n)| *n).max().unwrap_or(0));
    let summary: Vec<String> = weeks.iter().map(|(week, n)| format!("{n} in the week of {week}")).collect();
    let shapes = html! {
        @for (week, n) in weeks {
            @let next = week.checked_add(7.days()).unwrap_or(*week);
            rect class="bars" x=(canvas.x(*week) + 3.0) y=(canvas.y(*n)) width=((canvas.x(next) - canvas.x(*week) - 6.0).max(1.0)) height=(canvas.y(0) - canvas.y(*n)) rx="2" {}
        }
    };
    html! {
        (canvas.draw(title, &summary.join(", "), &shapes))
        (table(&["Week of", "Items"], weeks.iter().map(|(week, n)| (*week, vec![*n]))))
    }
}

// The views of charts know the name of a status only; the built-in names have a known shape.
fn category_of(status: &str) -> Category {
    match status {
        "in_progress" => Category::Doing,
        "review" => Category::Review,
        "done" | "closed" => Category::Done,
        _ => Category::Todo,
    }
}

/// Says what a chart needs.
pub(super) fn needs_history(n_days: usize) -> Markup {
    html! {
        div class="needs" {
            p { "This chart needs a week of history" @if n_days > 0 { "; there " @if n_days == 1 { "is 1 day" } @else { "are " (n_days) " days" } " so far" } "." }
        }
    }
}

fn table(heads: &[&str], rows: impl DoubleEndedIterator<Item = (Date, Vec<u64>)>) -> Markup {
    html! {
        details class="table" {
            summary { "Show as table" }
            table class="data" tabindex="0" {
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
        let days: Vec<BurndownDayView> = [day(1, 0, 0), day(2, 0, 0)]
            .into_iter()
            .chain((3..=10).map(|n| day(n, 8, 11 - u64::from(n.unsigned_abs()))))
            .collect();
        let forecast = Forecast::of(&days, date(2026, 5, 10)).unwrap();
        assert_eq!(forecast.likely, Some(date(2026, 5, 12)));
        let html = burndown(&days, Some(date(2026, 5, 19)), date(2026, 5, 10), Some(&forecast)).into_string();
        for part in [
            "role=\"img\"",
            "<title",
            "8 of 8 open on 2026-05-03; 1 of 8 on 2026-05-10.",
            "class=\"even\"",
            "<td>1</td>",
            "class=\"cone\"",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("2026-05-02") && !html.contains("style="), "{html}");
    }

    #[test]
    fn less_than_a_week_makes_no_chart() {
        let html = burndown(&[day(1, 1, 1), day(2, 1, 0)], None, date(2026, 5, 2), None).into_string();
        assert!(html.contains("needs a week of history; there are 2 days so far"), "{html}");
        assert!(Forecast::of(&[day(1, 1, 1)], date(2026, 5, 1)).is_none());
        assert!(flow(&[], &[]).into_string().contains("needs a week"));
    }

    #[test]
    fn a_band_of_the_flow_lies_on_those_of_later_statuses() {
        let status = |name: &str| FlowStatusView { name: name.to_owned(), colour: "#112233".to_owned() };
        let days: Vec<FlowDayView> =
            (1..=8).map(|n| FlowDayView { date: date(2026, 5, n), counts: vec![1, 2] }).collect();
        let html = flow(&[status("ready"), status("done")], &days).into_string();
        assert_eq!(html.matches("<polygon").count(), 2);
        assert!(html.contains("On 2026-05-08: 1 Ready, 2 Done."), "{html}");
    }
}
