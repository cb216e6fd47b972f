//! Texts for people: relative times, names, statuses.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use model::person::Person;
use model::text::counted;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Renders a time relative to now, with the exact time as a tooltip.
pub(super) fn ago(now: Timestamp, at: Timestamp) -> Markup {
    let exact = at.strftime("%Y-%m-%d %H:%M UTC").to_string();
    html! { time datetime=(at) title=(exact) { (distance(now, at)) } }
}

fn distance(now: Timestamp, at: Timestamp) -> String {
    let seconds = now.as_second() - at.as_second();
    match seconds {
        ..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{} min ago", seconds / MINUTE),
        HOUR..DAY => format!("{} h ago", seconds / HOUR),
        DAY.. if seconds < 2 * DAY => "yesterday".to_owned(),
        DAY.. if seconds < 30 * DAY => format!("{} days ago", seconds / DAY),
        // The year only if it is another one.
        _ => {
            let date = |at: Timestamp| TimeZone::UTC.to_datetime(at).date();
            short_day(date(now), date(at))
        }
    }
}

/// Renders a time as short as it can be: for feeds.
pub(super) fn ago_short(now: Timestamp, at: Timestamp) -> Markup {
    let exact = at.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let text = distance(now, at);
    html! { time datetime=(at) title=(exact) { (text.strip_suffix(" ago").unwrap_or(&text)) } }
}

/// Renders a date as briefly as the year allows: `17 Nov`, or `17 Nov 2027`.
pub(super) fn day(today: Date, day: Date) -> Markup {
    html! { time datetime=(day) { (short_day(today, day)) } }
}

/// Returns a date as briefly as the year allows.
pub(super) fn short_day(today: Date, day: Date) -> String {
    let format = if day.year() == today.year() { "%-d %b" } else { "%-d %b %Y" };
    day.strftime(format).to_string()
}

/// Returns how far a due date is: `2 days late`, `today`, `in 3 days`.
pub(super) fn until(today: Date, day: Date) -> String {
    match days_until(today, day) {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        days @ ..0 => format!("{} late", counted(days.unsigned_abs(), "day")),
        days => format!("in {days} days"),
    }
}

/// Returns the number of days from one date to another.
pub(super) fn days_until(today: Date, day: Date) -> i32 {
    today.until(day).map_or(0, |span| span.get_days())
}

/// How urgent a due date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    Late,
    Soon,
    Later,
}

impl Urgency {
    /// Days before a due date from which it is soon.
    pub(super) const SOON_DAYS: i32 = 3;

    pub(super) fn of(today: Date, due: Date) -> Self {
        match days_until(today, due) {
            ..0 => Self::Late,
            0..=Self::SOON_DAYS => Self::Soon,
            _ => Self::Later,
        }
    }

    /// Returns the CSS class.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Late => " late",
            Self::Soon => " soon",
            Self::Later => "",
        }
    }
}

/// Returns the name in `Name <email>`.
pub(super) fn name(person: &str) -> String {
    Person::parse(person).short().to_owned()
}

/// Returns the initials of a person.
pub(super) fn initials(person: &str) -> String {
    let name = name(person);
    let mut words = name.split([' ', '.', '@', '-', '_']).filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
    let first = words.next();
    let initials: String = first.into_iter().chain(words.next()).collect();
    if initials.is_empty() { "?".to_owned() } else { initials.to_uppercase() }
}

/// Returns the display form of a status: `in_progress` becomes "In progress".
pub(super) fn status(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Renders a sentence in which backticks set code apart.
pub(super) fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without a second one is a letter.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! { @for (place, part) in parts.iter().enumerate() { @if place % 2 == 1 { code { (part) } } @else { (part) } } }
}

/// Returns a size for people: `812 B`, `3.4 KB`.
pub(super) fn bytes(n: u64) -> String {
    match n {
        0..1000 => format!("{n} B"),
        1000..1_000_000 => format!("{}.{} KB", n / 1000, n % 1000 / 100),
        _ => format!("{}.{} MB", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_has_the_unit_a_person_would_use() {
        let now: Timestamp = "2026-05-20T12:00:00Z".parse().unwrap();
        let check = |at: &str, expect: &str| assert_eq!(distance(now, at.parse().unwrap()), expect, "{at}");
        check("2026-05-20T12:00:30Z", "just now");
        check("2026-05-20T11:59:30Z", "just now");
        check("2026-05-20T11:55:00Z", "5 min ago");
        check("2026-05-20T02:00:00Z", "10 h ago");
        check("2026-05-19T02:00:00Z", "yesterday");
        check("2026-05-10T02:00:00Z", "10 days ago");
        check("2026-03-10T02:00:00Z", "10 Mar");
        check("2025-05-10T02:00:00Z", "10 May 2025");
    }

    #[test]
    fn people_have_initials_for_any_name() {
        assert_eq!(initials("Ada Lovelace <ada@example.com>"), "AL");
        assert_eq!(initials("grace@example.com"), "GE");
        assert_eq!(initials("émile"), "É");
        assert_eq!(initials("<>"), "?");
    }

    #[test]
    fn a_due_date_is_near_or_far() {
        let today = jiff::civil::date(2026, 11, 17);
        let check = |day: i8, text: &str, urgency| {
            let due = jiff::civil::date(2026, 11, day);
            assert_eq!((until(today, due).as_str(), Urgency::of(today, due)), (text, urgency));
        };
        check(15, "2 days late", Urgency::Late);
        check(17, "today", Urgency::Soon);
        check(20, "in 3 days", Urgency::Soon);
        check(21, "in 4 days", Urgency::Later);
        assert_eq!(short_day(today, jiff::civil::date(2027, 1, 2)), "2 Jan 2027");
    }

    #[test]
    fn backticks_set_code_apart_in_pairs() {
        let check = |text: &str, expect: &str| assert_eq!(with_code(text).into_string(), expect);
        check("`a<b>` first, then `c`", "<code>a&lt;b&gt;</code> first, then <code>c</code>");
        check("a ` b", "a ` b");
        check("", "");
    }

    #[test]
    fn statuses_are_words() {
        assert_eq!(status("in_progress"), "In progress");
        assert_eq!(status(""), "");
    }
}
