//! Converts courses into daily counts.

use jiff::civil::Date;
use model::course::{Course, Place};

use super::Calendar;

/// The values of an item over time: the day of each change, oldest first; consecutive values differ.
pub(super) type Turns<T> = Vec<(Date, Option<T>)>;

/// Returns the values of `read` for an item over time.
///
/// Clocks of clones differ: changes in the future count for today, when they are known.
pub(super) fn turns<T: PartialEq>(
    course: &Course,
    calendar: &Calendar,
    read: impl Fn(&Place) -> Option<T>,
) -> Turns<T> {
    let mut turns: Turns<T> = Vec::new();
    let mut places = course.places.iter().peekable();
    while let Some((at, place)) = places.next() {
        let day = calendar.day(*at);
        // Only the last place of a day counts.
        if places.peek().is_some_and(|(next, _)| calendar.day(*next) == day) {
            continue;
        }
        let now = place.as_ref().and_then(&read);
        let differs = turns.last().map_or(now.is_some(), |(_, before)| *before != now);
        if differs {
            turns.push((day, now));
        }
    }
    turns
}

/// Counts the items in each column per day, from the first day with any.
pub(super) fn daily(all: &[Turns<usize>], n_columns: usize, calendar: &Calendar) -> Vec<(Date, Vec<u64>)> {
    let earliest = all.iter().filter_map(|turns| turns.first()).map(|(day, _)| *day).min();
    let first = earliest.unwrap_or(calendar.today).max(calendar.first);
    let mut days: Vec<Date> =
        first.series(jiff::Span::new().days(1)).take_while(|day| *day <= calendar.today).collect();
    if days.is_empty() {
        days.push(calendar.today);
    }
    let place = |day: Date| days.partition_point(|one| *one < day);
    let mut changes = vec![vec![0_i64; n_columns]; days.len()];
    for turns in all {
        let mut before = None;
        for (day, now) in turns {
            let Some(change) = changes.get_mut(place(*day)) else { continue };
            if let Some(column) = before {
                change[column] -= 1;
            }
            if let Some(column) = *now {
                change[column] += 1;
            }
            before = *now;
        }
    }
    let mut counts = vec![0_i64; n_columns];
    let add = |(day, change): (Date, Vec<i64>)| {
        for (count, change) in counts.iter_mut().zip(change) {
            *count += change;
        }
        (day, counts.iter().map(|count| u64::try_from(*count).unwrap_or_default()).collect())
    };
    days.into_iter().zip(changes).map(add).collect()
}
