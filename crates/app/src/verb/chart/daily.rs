//! Counts items by kind and status at the end of each day, from their courses.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use model::course::{Course, Place};
use model::item::ItemKind;

/// The days of a chart.
pub(super) struct Calendar {
    days: Vec<Date>,
    /// When each day but the first begins: comparing times is cheaper than converting each of them to a date.
    begins: Vec<Timestamp>,
}

impl Calendar {
    /// Returns the days from `first` to `today`, in a time zone.
    pub(super) fn new(zone: &TimeZone, first: Date, today: Date) -> Self {
        let mut days: Vec<Date> = first.series(1.day()).take_while(|day| *day <= today).collect();
        if days.is_empty() {
            days.push(today);
        }
        let begin = |day: &Date| zone.to_timestamp(day.at(0, 0, 0, 0)).unwrap_or(Timestamp::MAX);
        Self { begins: days.iter().skip(1).map(begin).collect(), days }
    }

    /// Returns the day of a time. The future counts as today, since clocks of clones differ; the past before the first
    /// day as the first day.
    fn day(&self, at: Timestamp) -> usize {
        self.begins.partition_point(|begin| *begin <= at)
    }
}

/// The number of items by kind and status, per day.
pub(super) struct DailyCounts<'a> {
    calendar: &'a Calendar,
    columns: Vec<Column>,
    /// The first day with any item.
    first: usize,
}

struct Column {
    kind: ItemKind,
    status: String,
    /// How much the number changes on each day.
    changes: Vec<i64>,
}

/// The numbers of items of a kind in a status, at the end of each day.
pub(super) struct ColumnCounts {
    pub(super) kind: ItemKind,
    pub(super) status: String,
    pub(super) counts: Vec<u64>,
}

impl<'a> DailyCounts<'a> {
    pub(super) fn new(calendar: &'a Calendar) -> Self {
        Self { calendar, columns: Vec::new(), first: calendar.days.len() - 1 }
    }

    /// Counts an item while it is in a place that the chart shows.
    pub(super) fn add(&mut self, course: &Course<&str>, is_shown: impl Fn(&Place<&str>) -> bool) {
        let mut before = None;
        let mut places = course.places.iter().map(|(at, place)| (self.calendar.day(*at), place)).peekable();
        while let Some((day, place)) = places.next() {
            // Only the last place of a day counts.
            if places.peek().is_some_and(|(next, _)| *next == day) {
                continue;
            }
            let shown = place.as_ref().filter(|place| is_shown(place));
            let now = shown.map(|place| column(&mut self.columns, self.calendar, course.kind, place.status));
            if now == before {
                continue;
            }
            if let Some(column) = before {
                self.columns[column].changes[day] -= 1;
            }
            if let Some(column) = now {
                self.columns[column].changes[day] += 1;
                self.first = self.first.min(day);
            }
            before = now;
        }
    }

    /// Returns the days from the first one with an item, and the numbers on them.
    pub(super) fn finish(self) -> (Vec<Date>, Vec<ColumnCounts>) {
        let first = self.first;
        let counts = |column: Column| {
            let mut sum = 0;
            let sums = column.changes.iter().map(|change| {
                sum += change;
                u64::try_from(sum).unwrap_or_default()
            });
            ColumnCounts { kind: column.kind, status: column.status, counts: sums.skip(first).collect() }
        };
        (self.calendar.days[first..].to_vec(), self.columns.into_iter().map(counts).collect())
    }
}

/// Returns the place of a column, which is added if there is none. There are few: a search is faster than a hash.
fn column(columns: &mut Vec<Column>, calendar: &Calendar, kind: ItemKind, status: &str) -> usize {
    let found = columns.iter().position(|column| column.kind == kind && column.status == status);
    found.unwrap_or_else(|| {
        columns.push(Column { kind, status: status.to_owned(), changes: vec![0; calendar.days.len()] });
        columns.len() - 1
    })
}
