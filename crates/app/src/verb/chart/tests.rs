//! Compares charts with a slow and simple implementation: fold everything up to each day.

use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::TimeZone;
use model::entity::Entity;
use model::id::{EntityId, OpId};
use model::op::{Change, Op, Stamp};
use model::person::Person;
use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;

use super::*;

const BOARD: &str = "01900000-0000-7000-8000-000000000001";
const OTHER: &str = "01900000-0000-7000-8000-000000000002";
const STATUSES: [&str; 4] = ["backlog", "in_progress", "done", "long_gone"];
const DAY: i64 = 24 * 60 * 60;

/// A change, and the day of the year of its clock.
type Step = (Move, i64);

#[derive(Debug, Clone)]
enum Move {
    Set(&'static str, &'static str),
    Clear,
    Delete,
    Restore,
    Comment,
}

fn step() -> impl Strategy<Value = Step> {
    let set = prop_oneof![
        proptest::sample::select(&STATUSES[..]).prop_map(|status| Move::Set("status", status)),
        proptest::sample::select(&[BOARD, OTHER][..]).prop_map(|board| Move::Set("board", board)),
        proptest::sample::select(&[BOARD, OTHER][..]).prop_map(|board| Move::Set("milestone", board)),
        Just(Move::Clear),
        Just(Move::Delete),
        Just(Move::Restore),
        Just(Move::Comment),
    ];
    (set, 0..60_i64)
}

fn history(item: u128, kind: &str, steps: &[Step]) -> Vec<Op> {
    let entity = EntityId::new(Uuid::from_u128(item));
    let op = |n: usize, day: i64, change: Change| Op {
        stamp: Stamp { lamport: n as u64, id: OpId::new(Uuid::from_u128(item * 1000 + n as u128)) },
        entity,
        at: start() + jiff::SignedDuration::from_secs(day * DAY + 3_600),
        by: Person::new("Ada", "ada@example.com"),
        imported: None,
        undoes: None,
        change,
    };
    let fields = [("title", "t"), ("status", "backlog"), ("board", BOARD), ("milestone", BOARD)];
    let fields = fields.map(|(name, value)| (name.to_owned(), Value::from(value))).into();
    let creation = steps.iter().map(|(_, day)| *day).min().unwrap_or(0);
    let create = Change::Create { kind: kind.to_owned(), number: Some(1), fields, sets: [].into() };
    let changes = steps.iter().enumerate().map(|(n, (step, day))| {
        let change = match step {
            Move::Set(field, value) => Change::Set { field: (*field).to_owned(), value: (*value).into() },
            Move::Clear => Change::Set { field: "board".to_owned(), value: Value::Null },
            Move::Delete => Change::Delete,
            Move::Restore => Change::Restore,
            Move::Comment => Change::Comment { body: "b".to_owned() },
        };
        op(n + 1, *day, change)
    });
    std::iter::once(op(0, creation, create)).chain(changes).collect()
}

fn counts(histories: &[Vec<Op>], is_shown: impl Fn(&Place<&str>) -> bool) -> (Vec<Date>, Vec<ColumnCounts>) {
    let calendar = Calendar::new(&TimeZone::UTC, FIRST, TODAY);
    let mut counts = DailyCounts::new(&calendar);
    for course in histories.iter().filter_map(|ops| Course::of(ops)) {
        let places = course.places.iter().map(|(at, place)| (*at, place.as_ref().map(borrowed))).collect();
        counts.add(&Course { kind: course.kind, places }, &is_shown);
    }
    counts.finish()
}

fn borrowed(Place { milestone, board, status }: &Place) -> Place<&str> {
    Place { milestone, board, status }
}

fn board_flow(histories: &[Vec<Op>]) -> (Vec<FlowStatusView>, Vec<FlowDayView>) {
    let (days, columns) = counts(histories, |place| place.board == BOARD);
    flow(&days, &columns, &workflows())
}

fn start() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Days 20 to 49 of the year: some operations are older, some in the future.
const FIRST: Date = date(2026, 1, 20);
const TODAY: Date = date(2026, 2, 18);

fn workflows() -> Vec<Workflow> {
    ItemKind::ALL.map(Workflow::built_in).to_vec()
}

/// Returns every item at the end of a day.
fn on(day: Date, histories: &[Vec<Op>]) -> Vec<Entity> {
    let is_known = |op: &&Op| TimeZone::UTC.to_datetime(op.at).date() <= day || day == TODAY;
    histories.iter().map(|ops| Entity::fold(ops[0].entity, ops.iter().filter(is_known))).collect()
}

fn is_at(entity: &Entity, field: &str) -> bool {
    entity.creation().is_some() && !entity.is_deleted() && entity.text(field) == BOARD
}

fn histories() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let item = (proptest::sample::select(&["issue", "task", "epic"][..]), prop::collection::vec(step(), 0..8));
    prop::collection::vec(item, 0..8).prop_map(|items| {
        items.iter().enumerate().map(|(n, (kind, steps))| history(n as u128 + 1, kind, steps)).collect()
    })
}

proptest! {
    #[test]
    fn each_day_shows_the_items_on_the_board_that_day(histories in histories()) {
        let (statuses, days) = board_flow(&histories);
        prop_assert_eq!(days.last().map(|day| day.date), Some(TODAY));
        for day in &days {
            let items = on(day.date, &histories);
            let there: Vec<&Entity> = items.iter().filter(|item| is_at(item, "board")).collect();
            prop_assert_eq!(day.counts.iter().sum::<u64>(), there.len() as u64);
            for (status, count) in statuses.iter().zip(&day.counts) {
                let own = there.iter().filter(|item| item.text("status") == status.name).count();
                prop_assert_eq!(*count, own as u64, "{} on {}", status.name, day.date);
            }
        }
    }

    #[test]
    fn each_day_shows_the_total_and_open_items(histories in histories()) {
        let (days, columns) = counts(&histories, |place| place.milestone == BOARD);
        for day in burndown(&days, &columns, &workflows()) {
            let items = on(day.date, &histories);
            let there = || items.iter().filter(|item| is_at(item, "milestone"));
            let open = there().filter(|item| item.text("status") != "done").count();
            prop_assert_eq!((day.total, day.open), (there().count() as u64, open as u64), "{}", day.date);
        }
    }

    #[test]
    fn days_follow_each_other_without_a_gap(histories in histories()) {
        let (_, days) = board_flow(&histories);
        prop_assert!(days[0].date >= FIRST);
        for pair in days.windows(2) {
            prop_assert_eq!(pair[0].date.tomorrow().ok(), Some(pair[1].date));
        }
    }
}

#[test]
fn an_empty_board_has_one_day_and_no_item() {
    let (statuses, days) = board_flow(&[]);
    assert_eq!((statuses, days), (vec![], vec![FlowDayView { date: TODAY, counts: vec![] }]));
}

#[test]
fn statuses_are_in_board_order_and_removed_ones_last() {
    let histories = [history(1, "issue", &[(Move::Set("status", "long_gone"), 3)])];
    let (statuses, _) = board_flow(&histories);
    let names: Vec<&str> = statuses.iter().map(|status| status.name.as_str()).collect();
    assert_eq!(names, ["backlog", "ready", "in_progress", "review", "done", "long_gone"]);
}

#[test]
fn ten_thousand_items_take_a_moment() {
    let moves = [("status", "in_progress", 5), ("status", "review", 20), ("status", "done", 30)];
    let steps: Vec<Step> = moves.iter().map(|(field, value, day)| (Move::Set(field, value), *day)).collect();
    let histories: Vec<Vec<Op>> = (1..=10_000).map(|n| history(n, "issue", &steps)).collect();
    let begun = std::time::Instant::now();
    let (_, days) = board_flow(&histories);
    assert_eq!(days.last().map(|day| day.counts.clone()), Some(vec![0, 0, 0, 0, 10_000]));
    // A hundred times the usual time: only a blow-up fails here.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
