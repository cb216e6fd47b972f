//! Converts operations into daily counts.

use jiff::civil::Date;
use model::entity::Entity;
use model::op::{Change, Op};

use super::Calendar;

/// The values of an item over time: the day of each change, oldest first; consecutive values differ.
pub(super) type Turns<T> = Vec<(Date, Option<T>)>;

/// Returns the values of `read` for an item over time.
///
/// Clocks of clones differ: operations in the future count for today, when they are known.
pub(super) fn turns<T: PartialEq>(ops: &[Op], calendar: &Calendar, read: impl Fn(&Entity) -> Option<T>) -> Turns<T> {
    let day = |op: &Op| calendar.zone.to_datetime(op.at).date().min(calendar.today);
    let mut dated: Vec<(Date, &Op)> = ops.iter().filter(|op| may_move(op)).map(|op| (day(op), op)).collect();
    dated.sort_by_key(|(day, op)| (*day, op.stamp));
    let mut turns: Turns<T> = Vec::new();
    let Some((_, first)) = dated.first() else { return turns };
    let mut entity = Entity::new(first.entity);
    for today in dated.chunk_by(|(one, _), (other, _)| one == other) {
        for (_, op) in today {
            entity.apply(op);
        }
        let now = read(&entity);
        let differs = turns.last().map_or(now.is_some(), |(_, before)| *before != now);
        if differs {
            turns.push((today[0].0, now));
        }
    }
    turns
}

// Comments and descriptions do not affect the charts.
fn may_move(op: &Op) -> bool {
    match &op.change {
        Change::Create { .. } | Change::Delete | Change::Restore => true,
        Change::Set { field, .. } => matches!(field.as_str(), "status" | "board" | "milestone"),
        _ => false,
    }
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
