//! The coordinate system of charts: days on the x axis, counts on the y axis.
//!
//! Shapes are stretched to the width of the page; text, points and vertical lines are placed in percent of it, so that they
//! keep their size on every screen.

use std::fmt::Write as _;

use jiff::ToSpan;
use jiff::civil::Date;
use maud::{Markup, html};

/// Units of the stretched shapes across the plot.
const WIDTH: f64 = 1000.0;
/// Pixels of the plot from top to bottom.
pub(super) const HEIGHT: f64 = 230.0;
/// Maximum number of days with a name below the plot, beside the first one.
const MAX_TICKS: i32 = 6;

/// A chart area with its two scales.
pub(super) struct Canvas {
    first: Date,
    last: Date,
    n_days: i32,
    step: u64,
    most: u64,
}

/// What is drawn on a canvas.
pub(super) struct Drawing {
    /// Lines and areas, in the units of [`Canvas::line`].
    pub(super) shapes: Markup,
    /// Texts, points and vertical lines, placed by [`Canvas::percent`] and [`Canvas::y`].
    pub(super) marks: Markup,
    /// What the pointer reads on a day.
    pub(super) days: Vec<(Date, String)>,
}

impl Canvas {
    pub(super) fn new(first: Date, last: Date, highest: u64) -> Self {
        let step = step(highest);
        let most = highest.max(1).div_ceil(step) * step;
        Self { first, last, n_days: days_between(first, last).max(1), step, most }
    }

    /// Returns the points of a polyline.
    pub(super) fn line(&self, values: &[(Date, f64)]) -> String {
        let mut points = String::new();
        for (day, count) in values {
            let _ = write!(points, "{:.1},{:.1} ", self.share(*day) * WIDTH, self.y(*count));
        }
        points.trim_end().to_owned()
    }

    /// Returns the points of the polygon under a line.
    pub(super) fn area(&self, values: &[(Date, f64)]) -> String {
        let edge = |value: Option<&(Date, f64)>| value.map_or(0.0, |(day, _)| self.share(*day) * WIDTH);
        let (first, last) = (edge(values.first()), edge(values.last()));
        format!("{first:.1},{HEIGHT:.1} {} {last:.1},{HEIGHT:.1}", self.line(values))
    }

    /// Returns the points of the polygon between lines that begin in one point.
    pub(super) fn between(&self, one: &[(Date, f64)], other: &[(Date, f64)]) -> String {
        let back: Vec<(Date, f64)> = other.iter().rev().copied().collect();
        self.line(&[one, &back].concat())
    }

    /// Renders a drawing over the grid, with a title and a summary in words.
    pub(super) fn draw(&self, title: &str, summary: &str, drawing: &Drawing) -> Markup {
        html! {
            svg class="chart" role="img" aria-label={ (title) ": " (summary) } {
                svg class="plot" y="16" width="100%" height=(HEIGHT) {
                    @for count in (0..=self.most).step_by(usize::try_from(self.step).unwrap_or(1)) {
                        line class="grid" x1="0" x2="100%" y1=(self.y(number(count))) y2=(self.y(number(count))) {}
                        text x="-10" y=(self.y(number(count)) + 4.0) text-anchor="end" { (count) }
                    }
                    svg class="shapes" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width="100%" height=(HEIGHT) preserveAspectRatio="none" { (drawing.shapes) }
                    (drawing.marks)
                    @for (n, day) in self.ticks().into_iter().enumerate() {
                        text class={ "tick" @if n % 2 == 1 { " odd" } } x=(self.percent(day)) y=(HEIGHT + 20.0) text-anchor=(anchor(self.share(day))) { (day.strftime("%-d %b").to_string()) }
                    }
                    @for (day, text) in &drawing.days { (self.readout(*day, text)) }
                }
            }
        }
    }

    /// Renders what the pointer reads on a day: a line through the plot and a text above it.
    fn readout(&self, day: Date, text: &str) -> Markup {
        // The pointer is nearest to the day in the middle of its strip.
        let (width, x) = (100.0 / f64::from(self.n_days), self.share(day) * 100.0);
        html! {
            g class="day" {
                rect class="hit" x=(format!("{:.3}%", x - width / 2.0)) y="0" width=(format!("{width:.3}%")) height=(HEIGHT) {}
                line class="cursor" x1=(self.percent(day)) x2=(self.percent(day)) y1="0" y2=(HEIGHT) {}
                text class="read" x="0" y="-5" { tspan class="strong" { (day.strftime("%-d %B").to_string()) } " " (text) }
            }
        }
    }

    /// Returns the days with a name: weeks from the first one, or single days of a short time.
    fn ticks(&self) -> Vec<Date> {
        let unit = if self.n_days < 14 { 1 } else { 7 };
        let distance = (self.n_days / unit + MAX_TICKS).div_euclid(MAX_TICKS).max(1) * unit;
        self.first.series(distance.days()).take_while(|day| *day <= self.last).collect()
    }

    /// Returns the highest count of the scale.
    pub(super) fn most(&self) -> f64 {
        number(self.most)
    }

    /// Returns the last day of the scale.
    pub(super) fn last(&self) -> Date {
        self.last
    }

    /// Returns the share of the width that lies before a day.
    pub(super) fn share(&self, day: Date) -> f64 {
        f64::from(days_between(self.first, day)) / f64::from(self.n_days)
    }

    /// Returns the x coordinate of a day in percent.
    pub(super) fn percent(&self, day: Date) -> String {
        format!("{:.2}%", self.share(day) * 100.0)
    }

    /// Returns the y coordinate of a count in pixels.
    pub(super) fn y(&self, count: f64) -> f64 {
        let y = HEIGHT - HEIGHT * count / self.most();
        (y * 10.0).round() / 10.0
    }
}

/// Returns where a text begins, so that it stays inside the plot.
pub(super) fn anchor(share: f64) -> &'static str {
    match share {
        share if share < 0.05 => "start",
        share if share > 0.95 => "end",
        _ => "middle",
    }
}

/// Returns a count as a coordinate.
pub(super) fn number(n: u64) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// Returns the number of days from one to another.
pub(super) fn days_between(first: Date, last: Date) -> i32 {
    first.until(last).map_or(0, |span| span.get_days())
}

/// Returns a round distance between grid lines (1, 2 or 5 times a power of ten) that gives at most six lines above zero.
fn step(highest: u64) -> u64 {
    let mut ten = 1_u64;
    loop {
        let found =
            [1, 2, 5].into_iter().map(|factor| ten.saturating_mul(factor)).find(|step| highest.div_ceil(*step) <= 6);
        if let Some(step) = found {
            return step;
        }
        ten = ten.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn steps_are_round() {
        for (highest, expect) in
            [(0, 1), (6, 1), (7, 2), (12, 2), (13, 5), (30, 5), (31, 10), (61, 20), (101, 20), (121, 50), (1000, 200)]
        {
            assert_eq!(step(highest), expect, "{highest}");
        }
        assert!(step(u64::MAX) > 0);
    }

    #[test]
    fn the_corners_are_where_they_belong() {
        let canvas = Canvas::new(date(2026, 1, 31), date(2026, 3, 2), 10);
        let (first, last) = (date(2026, 1, 31), date(2026, 3, 2));
        assert_eq!(canvas.line(&[(first, 0.0), (last, 10.0)]), "0.0,230.0 1000.0,0.0");
        assert_eq!((canvas.percent(first), canvas.percent(last)), ("0.00%".to_owned(), "100.00%".to_owned()));
        let one_day = Canvas::new(date(2026, 1, 1), date(2026, 1, 1), 0);
        assert_eq!(one_day.area(&[(date(2026, 1, 1), 0.0)]), "0.0,230.0 0.0,230.0 0.0,230.0");
    }

    #[test]
    fn at_most_seven_days_have_a_name() {
        for (n_days, expect) in [(1, 2), (6, 4), (13, 5), (14, 3), (41, 6), (90, 5), (180, 6), (365, 6)] {
            let first = date(2026, 1, 1);
            let ticks = Canvas::new(first, first.checked_add(n_days.days()).unwrap(), 1).ticks();
            assert_eq!((ticks.len(), ticks[0]), (expect, first), "{n_days}: {ticks:?}");
        }
    }
}
