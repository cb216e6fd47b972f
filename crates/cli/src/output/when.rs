//! Times and days as people say them: `3h ago`, `tomorrow`, `5d late`.

use anstyle::Style;
use app::local_zone;
use jiff::Timestamp;
use jiff::civil::Date;

use super::cell::Cell;
use super::table::terminal_width;

/// Days within which a date is relative; further away the date itself says more.
const MAX_RELATIVE: i64 = 30;
/// Days within which a date is near.
const SOON: i64 = 7;

/// A day, seen from today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Day {
    /// Days ago, and the date.
    Past((i64, Date)),
    Today,
    /// In so many days, at most a week.
    Soon(i64),
    /// Days from now, and the date.
    Later((i64, Date)),
}

impl Day {
    pub(super) fn until(date: Date, today: Date) -> Self {
        match i64::from((date - today).get_days()) {
            days @ ..0 => Self::Past((-days, date)),
            0 => Self::Today,
            days @ 1..=SOON => Self::Soon(days),
            days => Self::Later((days, date)),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Past((1, _)) => "yesterday".to_owned(),
            Self::Past((days @ ..=MAX_RELATIVE, _)) => format!("{days}d late"),
            Self::Today => "today".to_owned(),
            Self::Soon(1) => "tomorrow".to_owned(),
            Self::Soon(days) | Self::Later((days @ ..=MAX_RELATIVE, _)) => format!("in {days}d"),
            Self::Past((_, date)) | Self::Later((_, date)) => date.to_string(),
        }
    }
}

/// Returns the cell of a day.
pub(super) fn day_cell(day: Day, style: Style) -> Cell {
    Cell::new(&day.text(), style)
}

/// Formats a timestamp in the local time zone.
pub(crate) fn moment(at: Timestamp) -> String {
    at.to_zoned(local_zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Formats a timestamp, on a terminal with its age.
pub(super) fn when(at: Timestamp) -> String {
    match terminal_width() {
        Some(_) => format!("{} ({})", moment(at), ago(at)),
        None => moment(at),
    }
}

/// Formats a date, on a terminal with its distance from today.
pub(super) fn date(date: Date) -> String {
    let relative = Day::until(date, app::today()).text();
    let text = date.to_string();
    if terminal_width().is_none() || relative == text { text } else { format!("{text} ({relative})") }
}

/// Formats the age of a timestamp, abbreviated.
pub(super) fn ago(at: Timestamp) -> String {
    age(app::now(), at)
}

fn age(now: Timestamp, at: Timestamp) -> String {
    let seconds = now.as_second().saturating_sub(at.as_second());
    match seconds {
        ..0 => moment(at),
        0..60 => "now".to_owned(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        86_400..2_592_000 => format!("{}d ago", seconds / 86_400),
        _ => at.to_zoned(local_zone()).strftime("%Y-%m-%d").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_relative_to_today() {
        let today = jiff::civil::date(2026, 3, 10);
        let check = |days: i32, expected: &str| {
            let date = today.saturating_add(jiff::Span::new().days(days));
            assert_eq!(Day::until(date, today).text(), expected, "{days}");
        };
        check(0, "today");
        check(1, "tomorrow");
        check(5, "in 5d");
        check(30, "in 30d");
        check(31, "2026-04-10");
        check(-1, "yesterday");
        check(-12, "12d late");
        check(-400, "2025-02-03");
    }

    #[test]
    fn ages_are_abbreviated() {
        let at = |seconds: i64| Timestamp::from_second(1_700_000_000 + seconds).unwrap();
        let check = |seconds: i64, expected: &str| assert_eq!(age(at(seconds), at(0)), expected);
        check(59, "now");
        check(60, "1m ago");
        check(7_300, "2h ago");
        check(90_000, "1d ago");
    }
}
