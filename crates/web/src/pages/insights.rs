//! Insights: how much is finished per week and how long it takes, from the dates of items; and the flow of a board.

use app::verb::{FinishedWork, ListOptions};
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
            div class="page" tabindex="0" role="region" aria-label="Charts" { div class="pad" {
                p class="crumb" { a href={ "/board/" (number) } { (flow.board.title) } (tiny("chev-r")) "Flow" }
                section class="panel section" aria-labelledby="flow" {
                    header { h2 id="flow" { "Flow" } span class="count" { "A band that widens is where work waits." } span class="end" { (chart::flow_legend(&flow.statuses, &flow.days)) } }
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
    let finished = project.finished_since(first)?;
    let weeks = per_week(&finished, first, this_week);
    let mut durations = durations(&finished);
    durations.sort_unstable();
    let boards =
        project.list(&ListOptions { kinds: vec![ItemKind::Board], limit: Some(20), ..ListOptions::default() })?;
    let has_history = finished.first().is_some_and(|item| words::days_until(item.completed, look.today) >= 7);
    let finished_in =
        |n_days: i32| finished.iter().filter(|item| words::days_until(item.completed, look.today) <= n_days).count();
    // One board at a time: its flow is read from the whole history of its items.
    let board = look.query.text("board").and_then(|number| number.parse().ok());
    let board = boards.items.iter().find(|one| Some(one.number) == board).or(boards.items.first());
    let flow = board.map(|one| project.flow(&ItemRef::parse(&one.id), DAYS)).transpose()?;
    let body = html! {
        div class="page" tabindex="0" role="region" aria-label="Charts" { div class="pad" {
            dl class="stats" {
                div { dt { "Finished this week" } dd { (finished_in(7)) small { "last 7 days" } } }
                div { dt { "Finished this month" } dd { (finished_in(30)) small { "last 30 days" } } }
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
                header {
                    h2 id="flows" { "Flow of a board" }
                    @if let Some(flow) = &flow { span class="end" { (chart::flow_legend(&flow.statuses, &flow.days)) } }
                }
                @if let Some(flow) = &flow {
                    @if boards.items.len() > 1 { (board_switch(&boards.items, board)) }
                    div class="in" { (chart::flow(&flow.statuses, &flow.days)) }
                } @else { p class="nothing" { "Create a board to see its flow." } }
            }
        } }
    };
    Ok(Page::new("Insights", "insights", Here::Insights, body))
}

fn board_switch(boards: &[ItemView], shown: Option<&ItemView>) -> Markup {
    html! {
        div class="in" {
            div class="switch" role="group" aria-label="Board" {
                @for board in boards {
                    a href={ "/insights?board=" (board.number) } aria-current=[shown.is_some_and(|one| one.number == board.number).then_some("true")] { (board.title) }
                }
            }
        }
    }
}

fn monday(day: Date) -> Date {
    let since = i64::from(day.weekday().since(Weekday::Monday));
    day.checked_sub(since.days()).unwrap_or(day)
}

fn per_week(items: &[FinishedWork], first: Date, last: Date) -> Vec<(Date, u64)> {
    let mut weeks = Vec::new();
    let mut week = first;
    while week <= last {
        let next = week.checked_add(7.days()).unwrap_or(week);
        let n = items.iter().filter(|item| item.completed >= week && item.completed < next).count();
        weeks.push((week, n as u64));
        if next == week {
            break;
        }
        week = next;
    }
    weeks
}

/// Returns the days from start to completion; without a start date an item says nothing.
fn durations(items: &[FinishedWork]) -> Vec<i32> {
    let days = items.iter().filter_map(|item| Some(words::days_until(item.started?, item.completed).max(0)));
    days.collect()
}

fn percentile(sorted: &[i32], percent: usize) -> Option<i32> {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied()
}

fn cycle_table(sorted: &[i32]) -> Markup {
    const RANGES: [(&str, i32, i32); 5] = [
        ("Same day", 0, 0),
        ("1 to 2 days", 1, 2),
        ("3 to 7 days", 3, 7),
        ("1 to 2 weeks", 8, 14),
        ("Longer", 15, i32::MAX),
    ];
    if sorted.is_empty() {
        return html! { div class="needs" { p { "Cycle times need items that were started and finished." } } };
    }
    let count = |low: i32, high: i32| sorted.iter().filter(|days| (low..=high).contains(*days)).count() as u64;
    html! {
        ul class="rows" {
            @for (name, low, high) in RANGES {
                li class="row range" {
                    span { (name) }
                    span class="bar-cell" { (super::widgets::bar(&[("done", count(low, high))], sorted.len() as u64, name)) }
                    span class="count" { (count(low, high)) }
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
