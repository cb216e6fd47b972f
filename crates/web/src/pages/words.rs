//! Texts for people: relative times, names, statuses.

use jiff::Timestamp;
use jiff::civil::Date;
use maud::{Markup, html};
use model::person::Person;

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
        _ => at.strftime("%Y-%m-%d").to_string(),
    }
}

/// Renders a date.
pub(super) fn day(day: Date) -> Markup {
    html! { time datetime=(day) { (day.strftime("%-d %b %Y").to_string()) } }
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

/// Returns `1 card`, `2 cards`.
pub(super) fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
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
        check("2025-05-10T02:00:00Z", "2025-05-10");
    }

    #[test]
    fn people_have_initials_whatever_they_are_called() {
        assert_eq!(initials("Ada Lovelace <ada@example.com>"), "AL");
        assert_eq!(initials("grace@example.com"), "GE");
        assert_eq!(initials("émile"), "É");
        assert_eq!(initials("<>"), "?");
    }

    #[test]
    fn statuses_are_words() {
        assert_eq!(status("in_progress"), "In progress");
        assert_eq!(status(""), "");
        assert_eq!(count(1, "card"), "1 card");
        assert_eq!(count(0, "card"), "0 cards");
    }
}
