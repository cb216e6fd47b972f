//! The coordinate system of charts: days on the x axis, counts on the y axis.

use std::fmt::Write as _;

use jiff::civil::Date;
use maud::{Markup, html};

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;

/// A chart area with its two scales.
pub(super) struct Canvas {
    first: Date,
    n_days: f64,
    last: Date,
    step: u64,
    most: u64,
}

impl Canvas {
    pub(super) fn new(first: Date, last: Date, highest: u64) -> Self {
        let step = step(highest);
        let most = highest.max(1).div_ceil(step) * step;
        Self { first, n_days: f64::from(days_between(first, last).max(1)), last, step, most }
    }

    /// Returns the points of a polyline.
    pub(super) fn line(&self, values: &[(Date, u64)]) -> String {
        let mut points = String::new();
        for (day, count) in values {
            let _ = write!(points, "{:.1},{:.1} ", self.x(*day), self.y(*count));
        }
        points.trim_end().to_owned()
    }

    /// Returns the points of the polygon under a line.
    pub(super) fn area(&self, values: &[(Date, u64)]) -> String {
        let ground = self.y(0);
        let (first, last) =
            (values.first().map_or(LEFT, |(day, _)| self.x(*day)), values.last().map_or(LEFT, |(day, _)| self.x(*day)));
        format!("{first:.1},{ground:.1} {} {last:.1},{ground:.1}", self.line(values))
    }

    /// Renders shapes over the grid, with a title and a summary in words.
    pub(super) fn draw(&self, title: &str, summary: &str, shapes: &Markup) -> Markup {
        html! {
            svg class="chart" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (title) ": " (summary) } {
                title { (title) }
                @for count in (0..=self.most).step_by(usize::try_from(self.step).unwrap_or(1)) {
                    line class="grid" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(self.y(count)) y2=(self.y(count)) {}
                    text x=(LEFT - 8.0) y=(self.y(count) + 4.0) text-anchor="end" { (count) }
                }
                (shapes)
                text x=(LEFT) y=(HEIGHT - 8.0) { (self.first.strftime("%-d %b").to_string()) }
                text x=(WIDTH - RIGHT) y=(HEIGHT - 8.0) text-anchor="end" { (self.last.strftime("%-d %b").to_string()) }
            }
        }
    }

    /// Returns the highest count of the scale.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Returns the x coordinate of a day.
    pub(super) fn x(&self, day: Date) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * f64::from(days_between(self.first, day)) / self.n_days
    }

    /// Returns the y coordinate of a count.
    pub(super) fn y(&self, count: u64) -> f64 {
        let share = f64::from(u32::try_from(count).unwrap_or(u32::MAX))
            / f64::from(u32::try_from(self.most).unwrap_or(u32::MAX));
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    }
}

fn days_between(first: Date, last: Date) -> i32 {
    first.until(last).map_or(0, |span| span.get_days())
}

/// Returns a round distance between grid lines (1, 2 or 5 times a power of ten) that gives at most five lines.
fn step(highest: u64) -> u64 {
    let mut ten = 1_u64;
    loop {
        let found =
            [1, 2, 5].into_iter().map(|factor| ten.saturating_mul(factor)).find(|step| highest.div_ceil(*step) <= 5);
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
            [(0, 1), (5, 1), (6, 2), (10, 2), (11, 5), (25, 5), (26, 10), (51, 20), (101, 50), (1000, 200)]
        {
            assert_eq!(step(highest), expect, "{highest}");
        }
        assert!(step(u64::MAX) > 0);
    }

    #[test]
    fn the_corners_are_where_they_belong() {
        let canvas = Canvas::new(date(2026, 1, 31), date(2026, 3, 2), 10);
        assert_eq!(canvas.line(&[(date(2026, 1, 31), 0), (date(2026, 3, 2), 10)]), "40.0,272.0 788.0,12.0");
        let one_day = Canvas::new(date(2026, 1, 1), date(2026, 1, 1), 0);
        assert_eq!(one_day.area(&[(date(2026, 1, 1), 0)]), "40.0,272.0 40.0,272.0 40.0,272.0");
    }
}
