//! Charts as SVG, rendered by the server, with a text alternative and the numbers in a table. A chart of less than a week
//! says what it needs instead.

mod canvas;

use app::view::{BurndownDayView, FlowDayView, FlowStatusView};
use jiff::ToSpan;
use jiff::civil::Date;
use maud::{Markup, html};
use model::workflow::Category;

use super::{widgets, words};
use canvas::{Canvas, Drawing, anchor, days_between, number};

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

    /// Returns the earliest and the latest likely day.
    pub(super) fn range(&self) -> Option<(Date, Date)> {
        self.early.zip(self.late)
    }
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
    let canvas = Canvas::new(
        first.date,
        end_of(first.date, due, today, forecast),
        days.iter().map(|day| day.total).max().unwrap_or(0),
    );
    let summary = format!(
        "{} of {} open on {}; {} of {} on {}.",
        first.open, first.total, first.date, last.open, last.total, last.date
    );
    let open: Vec<(Date, f64)> = days.iter().map(|day| (day.date, number(day.open))).collect();
    let scope: Vec<(Date, f64)> = steps(days.iter().map(|day| (day.date, number(day.total))));
    let now = (last.date, number(last.open));
    let to_zero = |day: Date| descent(now, day, canvas.last());
    let shapes = html! {
        polygon class="area" points=(canvas.area(&open)) {}
        @if let Some((early, late)) = forecast.and_then(Forecast::range) {
            polygon class="cone" points=(canvas.between(&to_zero(early), &to_zero(late))) {}
        }
        @if let Some(due) = due.filter(|due| *due > first.date) {
            polyline class="even" points=(canvas.line(&descent((first.date, number(first.total)), due, canvas.last()))) {}
        }
        polyline class="scope" points=(canvas.line(&scope)) {}
        polyline class="left" points=(canvas.line(&open)) {}
        @if let Some(likely) = forecast.and_then(|forecast| forecast.likely) {
            polyline class="forecast" points=(canvas.line(&to_zero(likely))) {}
        }
    };
    let told = days.iter().map(|day| (day.date, format!("{} left of {}", day.open, day.total))).collect();
    let drawing = Drawing { shapes, marks: marks(&canvas, last, due, today), days: told };
    html! {
        (canvas.draw("Burn-down", &summary, &drawing))
        (table(&["Day", "Scope", "Left"], days.iter().map(|day| (day.date, vec![day.total, day.open]))))
    }
}

/// Returns the last day of a burndown: the due date and the forecast are shown, but a forecast far in the future would
/// flatten the past.
fn end_of(first: Date, due: Option<Date>, today: Date, forecast: Option<&Forecast>) -> Date {
    let planned = due.map_or(today, |due| due.max(today));
    let ahead = (days_between(first, planned) / 3).max(7);
    let furthest = planned.checked_add(ahead.days()).unwrap_or(planned);
    forecast.and_then(|forecast| forecast.late).map_or(planned, |late| late.clamp(planned, furthest))
}

/// Returns the line from a point to zero on a day, cut at the end of the chart.
fn descent((start, count): (Date, f64), zero: Date, end: Date) -> Vec<(Date, f64)> {
    if zero <= end {
        return vec![(start, count), (zero, 0.0)];
    }
    let share = f64::from(days_between(start, end)) / f64::from(days_between(start, zero).max(1));
    vec![(start, count), (end, count * (1.0 - share))]
}

/// Returns a line that changes at once, as a scope does.
fn steps(values: impl Iterator<Item = (Date, f64)>) -> Vec<(Date, f64)> {
    let mut line: Vec<(Date, f64)> = Vec::new();
    for (day, count) in values {
        if let Some((_, before)) = line.last().copied().filter(|(_, before)| before.total_cmp(&count).is_ne()) {
            line.push((day, before));
        }
        line.push((day, count));
    }
    line
}

/// Renders the due date, the scope, and where the milestone stands today.
fn marks(canvas: &Canvas, last: &BurndownDayView, due: Option<Date>, today: Date) -> Markup {
    let (open, at) = (canvas.y(number(last.open)), canvas.percent(last.date));
    // Below the point if there is no room above it, between the line and the scope.
    let label = if open < canvas.y(number(last.total)) + 30.0 { open + 18.0 } else { open - 8.0 };
    let is_right = canvas.share(last.date) > 0.85;
    html! {
        @if let Some(due) = due.filter(|due| canvas.share(*due) >= 0.0) {
            line class="due" x1=(canvas.percent(due)) x2=(canvas.percent(due)) y1="0" y2=(canvas::HEIGHT) {}
            text class="strong" x=(canvas.percent(due)) y="-5" text-anchor=(anchor(canvas.share(due))) { "Due " (words::short_day(today, due)) }
        }
        line class="today" x1=(at) x2=(at) y1=(canvas.y(canvas.most())) y2=(canvas::HEIGHT) {}
        text class="scope-text" x=(at) dx="-8" y=(canvas.y(number(last.total)) - 6.0) text-anchor="end" { "Scope " (last.total) }
        circle class="point" cx=(at) cy=(open) r="4" {}
        text class="strong" x=(at) dx=(if is_right { "-8" } else { "8" }) y=(label) text-anchor=(if is_right { "end" } else { "start" }) { (last.open) " left" }
        svg class="today-tag" x=(at) y=(canvas::HEIGHT - 18.0) {
            rect x="-20" width="40" height="16" rx="3" {}
            text x="0" y="12" text-anchor="middle" { "Today" }
        }
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
    let days = begun_flow(days);
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return needs_history(0) };
    if days.len() < MIN_DAYS {
        return needs_history(days.len());
    }
    let sum = |day: &FlowDayView| day.counts.iter().sum::<u64>();
    let canvas = Canvas::new(first.date, last.date, days.iter().map(sum).max().unwrap_or(0));
    let now: Vec<String> =
        statuses.iter().zip(&last.counts).map(|(status, n)| format!("{n} {}", words::status(&status.name))).collect();
    let summary = format!("On {}: {}.", last.date, now.join(", "));
    let band = |place: usize| -> Vec<(Date, f64)> {
        days.iter().map(|day| (day.date, number(day.counts.iter().skip(place).sum()))).collect()
    };
    let shape = |status: &FlowStatusView| widgets::status_shape(&status.name, category_of(&status.name));
    let shapes = html! {
        // The first status is the tallest; each next one covers the lower part of the previous one.
        @for (place, status) in statuses.iter().enumerate() { polygon class={ "st-" (shape(status)) } points=(canvas.area(&band(place))) {} }
    };
    let names: Vec<String> = statuses.iter().map(|status| words::status(&status.name)).collect();
    let told = |day: &FlowDayView| {
        let parts = day.counts.iter().zip(&names).rev().filter(|(n, _)| **n > 0);
        parts.map(|(n, name)| format!("{n} {}", name.to_lowercase())).collect::<Vec<_>>().join(" · ")
    };
    let told = days.iter().map(|day| (day.date, told(day))).collect();
    let drawing = Drawing { shapes, marks: html! {}, days: told };
    let heads: Vec<&str> = std::iter::once("Day").chain(names.iter().map(String::as_str)).collect();
    html! {
        (canvas.draw("Cumulative flow", &summary, &drawing))
        (table(&heads, days.iter().map(|day| (day.date, day.counts.clone()))))
    }
}

/// Renders the legend of the flow, if there is a chart.
pub(super) fn flow_legend(statuses: &[FlowStatusView], days: &[FlowDayView]) -> Markup {
    if begun_flow(days).len() < MIN_DAYS {
        return html! {};
    }
    html! {
        ul class="legend" {
            @for status in statuses {
                li { span class={ "swatch st-" (widgets::status_shape(&status.name, category_of(&status.name))) } {} (words::status(&status.name)) }
            }
        }
    }
}

fn begun_flow(days: &[FlowDayView]) -> &[FlowDayView] {
    let start = days.iter().position(|day| day.counts.iter().any(|count| *count > 0)).unwrap_or(days.len());
    &days[start..]
}

/// Renders a small line of counts per week, in the color of its surroundings.
pub(super) fn sparkline(weeks: &[u64]) -> Markup {
    const WIDTH: f64 = 74.0;
    const HEIGHT: f64 = 24.0;
    let most = number(weeks.iter().copied().max().unwrap_or(0).max(1));
    let step = WIDTH / number(weeks.len().saturating_sub(1).max(1) as u64);
    let point = |(n, count): (u64, &u64)| {
        format!("{:.1},{:.1}", step * number(n), HEIGHT - 2.0 - (HEIGHT - 4.0) * number(*count) / most)
    };
    let line = (0_u64..).zip(weeks).map(point).collect::<Vec<_>>().join(" ");
    let said: Vec<String> = weeks.iter().map(ToString::to_string).collect();
    html! {
        svg class="spark" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ "Done per week, oldest first: " (said.join(", ")) } {
            polygon points={ "0," (HEIGHT) " " (line) " " (WIDTH) "," (HEIGHT) } {}
            polyline points=(line) {}
        }
    }
}

/// Renders one bar for each week.
pub(super) fn weeks(title: &str, weeks: &[(Date, u64)]) -> Markup {
    let (Some(first), Some(last)) = (weeks.first(), weeks.last()) else { return needs_history(0) };
    let end = last.0.checked_add(7.days()).unwrap_or(last.0);
    let canvas = Canvas::new(first.0, end, weeks.iter().map(|(_, n)| *n).max().unwrap_or(0));
    let summary: Vec<String> = weeks.iter().map(|(week, n)| format!("{n} in the week of {week}")).collect();
    // In percent, so that the corners of a bar stay round.
    let bars = html! {
        @for (week, n) in weeks {
            @let next = week.checked_add(7.days()).unwrap_or(*week);
            @let width = (canvas.share(next) - canvas.share(*week)) * 100.0;
            @let top = canvas.y(number(*n));
            rect class="bars" x=(format!("{:.2}%", canvas.share(*week) * 100.0 + width * 0.12)) y=(top) width=(format!("{:.2}%", width * 0.76)) height=(canvas::HEIGHT - top) rx="2" {
                title { "Week of " (week.strftime("%-d %B").to_string()) ": " (n) }
            }
        }
    };
    html! {
        (canvas.draw(title, &summary.join(", "), &Drawing { shapes: html! {}, marks: bars, days: Vec::new() }))
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
    fn a_burndown_has_text_and_numbers_for_its_shapes() {
        let days: Vec<BurndownDayView> = [day(1, 0, 0), day(2, 0, 0)]
            .into_iter()
            .chain((3..=10).map(|n| day(n, 8, 11 - u64::from(n.unsigned_abs()))))
            .collect();
        let forecast = Forecast::of(&days, date(2026, 5, 10)).unwrap();
        assert_eq!(forecast.likely, Some(date(2026, 5, 12)));
        let html = burndown(&days, Some(date(2026, 5, 19)), date(2026, 5, 10), Some(&forecast)).into_string();
        for part in [
            "role=\"img\"",
            "</tspan> 8 left of 8",
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
        insta::assert_snapshot!(html, @r#"<div class="needs"><p>This chart needs a week of history; there are 2 days so far.</p></div>"#);
        assert!(Forecast::of(&[day(1, 1, 1)], date(2026, 5, 1)).is_none());
        insta::assert_snapshot!(flow(&[], &[]).into_string(), @r#"<div class="needs"><p>This chart needs a week of history.</p></div>"#);
    }

    #[test]
    fn a_band_of_the_flow_lies_on_those_of_later_statuses() {
        let status = |name: &str| FlowStatusView { name: name.to_owned(), color: "#112233".to_owned() };
        let days: Vec<FlowDayView> =
            (1..=8).map(|n| FlowDayView { date: date(2026, 5, n), counts: vec![1, 2] }).collect();
        let html = flow(&[status("ready"), status("done")], &days).into_string();
        assert_eq!(html.matches("<polygon").count(), 2);
        insta::assert_snapshot!(testkit::tags_with(&html, "On 2026-05-08"), @r#"<svg class="chart" role="img" aria-label="Cumulative flow: On 2026-05-08: 1 Ready, 2 Done.">"#);
    }
}
