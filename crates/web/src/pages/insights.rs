//! Insights: how much is finished per week and how long it takes, from the dates of items; and the flow of a board.

use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, Project};
use axum::extract::Path;
use axum::response::Response;
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;

use super::frame::{Here, Page, PageContext};
use super::icons::tiny;
use super::request::PageRequest;
use super::{chart, words};

/// Weeks in the charts.
const N_WEEKS: i64 = 12;
/// Maximum number of finished items that are read.
const MAX_ITEMS: usize = 5000;
/// Days in the flow chart.
const DAYS: u32 = 90;

/// `/insights`.
pub(super) async fn show(request: PageRequest) -> Response {
    request.answer(page).await
}

/// `/board/{id}/flow`.
pub(super) async fn flow(Path(id): Path<String>, request: PageRequest) -> Response {
    let make = move |project: &Project, _: &PageContext| {
        let flow = project.flow(&ItemRef::parse(&id), DAYS)?;
        let number = flow.board.number.unwrap_or_default();
        let title = format!("Flow of {}", flow.board.title);
        let body = html! {
            div class="page" { div class="pad" {
                p class="crumb" { a href={ "/board/" (number) } { (flow.board.title) } (tiny("chev-r")) "Flow" }
                section class="panel section" aria-labelledby="flow" {
                    header { h2 id="flow" { "Flow" } span class="count" { "A band that widens is where work waits." } }
                    div class="in" { (chart::flow(&flow.statuses, &flow.days)) }
                }
            } }
        };
        Ok(Page::new(title, "insights", Here::Board(number), body))
    };
    request.answer(make).await
}

fn page(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let this_week = monday(look.today);
    let first = this_week.checked_sub((7 * (N_WEEKS - 1)).days()).unwrap_or(this_week);
    let finished = project.list(&ListOptions {
        kinds: vec![ItemKind::Issue, ItemKind::Task, ItemKind::Story],
        filter: Some(format!("state == closed and completed >= {first}")),
        sort: vec!["completed".to_owned()],
        limit: Some(MAX_ITEMS),
        all: true,
        ..ListOptions::default()
    })?;
    let weeks = per_week(&finished.items, first, this_week);
    let mut durations = durations(&finished.items);
    durations.sort_unstable();
    let boards =
        project.list(&ListOptions { kinds: vec![ItemKind::Board], limit: Some(20), ..ListOptions::default() })?;
    let stats = project.stats()?;
    let has_history = finished
        .items
        .first()
        .and_then(|item| item.completed)
        .is_some_and(|day| words::days_until(day, look.today) >= 7);
    let body = html! {
        div class="page" { div class="pad" {
            dl class="stats" {
                div { dt { "Finished this week" } dd { (stats.closed_last_week) small { "last 7 days" } } }
                div { dt { "Finished this month" } dd { (stats.closed_last_month) small { "last 30 days" } } }
                div { dt { "Typical cycle time" } dd { @match percentile(&durations, 50) { Some(days) => { (days) small { "days, half are faster" } }, None => { "–" small { "needs finished items" } } } } }
                div { dt { "Slow cycle time" } dd { @match percentile(&durations, 85) { Some(days) => { (days) small { "days, 85 % are faster" } }, None => "–" } } }
            }
            div class="two even" {
                section class="panel" aria-labelledby="throughput" {
                    header { h2 id="throughput" { "Finished per week" } }
                    div class="in" { @if has_history { (chart::weeks("Finished per week", &weeks)) } @else { (chart::needs_history(0)) } }
                }
                section class="panel" aria-labelledby="cycle" {
                    header { h2 id="cycle" { "Cycle time" } span class="count" { "from start to completion" } }
                    (cycle_table(&durations))
                }
            }
            section class="panel" aria-labelledby="flows" {
                header { h2 id="flows" { "Flow of a board" } }
                @if boards.items.is_empty() { p class="nothing" { "Create a board to see its flow." } }
                ul class="rows" { @for board in &boards.items { li class="row" { a class="title" href={ "/board/" (board.number) "/flow" } { (board.title) } } } }
            }
        } }
    };
    Ok(Page::new("Insights", "insights", Here::Insights, body))
}

fn monday(day: Date) -> Date {
    let since = i64::from(day.weekday().since(Weekday::Monday));
    day.checked_sub(since.days()).unwrap_or(day)
}

fn per_week(items: &[ItemView], first: Date, last: Date) -> Vec<(Date, u64)> {
    let mut weeks = Vec::new();
    let mut week = first;
    while week <= last {
        let next = week.checked_add(7.days()).unwrap_or(week);
        let n = items.iter().filter(|item| item.completed.is_some_and(|day| day >= week && day < next)).count();
        weeks.push((week, n as u64));
        if next == week {
            break;
        }
        week = next;
    }
    weeks
}

/// Returns the days from start to completion; without a start date an item says nothing.
fn durations(items: &[ItemView]) -> Vec<i32> {
    let days = items.iter().filter_map(|item| Some(words::days_until(item.started?, item.completed?).max(0)));
    days.collect()
}

fn percentile(sorted: &[i32], percent: usize) -> Option<i32> {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied()
}

fn cycle_table(sorted: &[i32]) -> Markup {
    const RANGES: [(&str, i32, i32); 5] = [
        ("same day", 0, 0),
        ("1 to 2 days", 1, 2),
        ("3 to 7 days", 3, 7),
        ("1 to 2 weeks", 8, 14),
        ("longer", 15, i32::MAX),
    ];
    if sorted.is_empty() {
        return html! { div class="needs" { p { "Cycle times need items that were started and finished." } } };
    }
    let count = |low: i32, high: i32| sorted.iter().filter(|days| (low..=high).contains(*days)).count() as u64;
    html! {
        ul class="rows" {
            @for (name, low, high) in RANGES {
                li class="row" {
                    span class="grow" { (name) }
                    span class="count" { (count(low, high)) }
                    span class="bar-cell" { (super::widgets::bar(&[("done", count(low, high))], sorted.len() as u64, name)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(monday(date(2026, 11, 17)), date(2026, 11, 16));
        assert_eq!(monday(date(2026, 11, 16)), date(2026, 11, 16));
        assert_eq!(monday(date(2026, 11, 22)), date(2026, 11, 16));
    }

    #[test]
    fn a_percentile_is_a_value_that_occurs() {
        assert_eq!(percentile(&[1, 2, 3, 10], 50), Some(2));
        assert_eq!(percentile(&[1, 2, 3, 10], 85), Some(10));
        assert_eq!(percentile(&[], 50), None);
    }
}
