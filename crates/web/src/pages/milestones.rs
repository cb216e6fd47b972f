//! Milestones: the list with progress, and one with its burndown and forecast.

use app::verb::{CategoryCounts, ListOptions};
use app::view::ItemView;
use app::{Error, Project};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use jiff::ToSpan;
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::priority::PriorityLevel;

use super::card::row;
use super::chart::{self, Forecast};
use super::epics::Epics;
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, tiny, with_class};
use super::request::PageRequest;
use super::{home, markdown, widgets, words};

/// Maximum number of milestones in the list, and of items of one milestone.
const MAX_MILESTONES: usize = 200;
const MAX_ITEMS: usize = 100;
/// Maximum number of items that need attention.
const MAX_URGENT: usize = 6;
/// Days in a chart.
const DAYS: u32 = 180;

/// `/milestones`.
pub(super) async fn list(request: PageRequest) -> Response {
    request.answer(all).await
}

/// `/milestone/{id}`.
pub(super) async fn show(Path(id): Path<String>, request: PageRequest) -> Response {
    request.answer(move |project, look| one(project, look, &id)).await
}

fn all(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let options = ListOptions {
        kinds: vec![ItemKind::Milestone],
        sort: vec!["status:desc".to_owned(), "due".to_owned(), "number".to_owned()],
        limit: Some(MAX_MILESTONES),
        all: true,
        ..ListOptions::default()
    };
    let (list, shares) = (project.list(&options)?, project.shares_by_milestone()?);
    let body = html! {
        div class="page" {
            @if list.items.is_empty() { (nothing(look)) } @else {
                div class="pad narrow" {
                    section class="panel" aria-label="Milestones" {
                        @for item in &list.items { (home::milestone_row(look, item, &shares.get(&item.id).copied().unwrap_or_default())) }
                    }
                    @if look.may_write() { p class="choices js" { button type="button" class="button" data-act="new" data-kind="milestone" { (icon("plus")) "New milestone" } } }
                }
            }
        }
    };
    Ok(Page::new("Milestones", "k-milestone", Here::Milestones, body))
}

fn nothing(look: &PageContext) -> Markup {
    html! {
        div class="empty" {
            div {
                (with_class("logo", "i art"))
                h2 { "No milestones yet" }
                p { "A milestone has a date. It shows how much is left, how fast it goes, and whether the date will be met." }
                @if look.may_write() { button type="button" class="button primary js" data-act="new" data-kind="milestone" { (icon("plus")) "New milestone" } }
            }
        }
    }
}

fn one(project: &Project, look: &PageContext, id: &str) -> Result<Page, Error> {
    let item = project.show_of(ItemKind::Milestone, &ItemRef::parse(id))?;
    let history = project.milestone_history(&ItemRef::parse(&item.id), DAYS)?;
    let counts = project.shares_by_milestone()?.get(&item.id).copied().unwrap_or_default();
    let forecast = Forecast::of(&history.burndown, look.today);
    let urgent = needs_attention(project, look, &item)?;
    let open = leading_to(project, &item, "state != closed", &["priority:desc", "rank"])?;
    let closed = leading_to(project, &item, "state == closed", &["completed:desc"])?;
    let epics = Epics::read(project)?;
    let heading = html! {
        span class="crumb" { a href="/milestones" { "Milestones" } (tiny("chev-r")) }
        h1 { span class="title" { (item.title) } }
        (risk(&item, forecast.as_ref()))
    };
    let body = html! {
        div class="page" {
            div class="pad" {
                div class="page-head" {
                    div { h2 { (item.title) } p { (span_of(look, &item)) } }
                    div class="end" {
                        a class="button" href={ "/all?filter=" (super::address::encoded(&format!("milestone == \"{}\"", item.id))) } { (icon("board")) "Show on the board" }
                        a class="button ghost" href=(widgets::fields_page(&item)) { "Edit" }
                    }
                }
                (stats(look, &item, &counts, forecast.as_ref(), &history.burndown))
                div class="two" {
                    section class="panel" aria-labelledby="burndown" {
                        header { h3 id="burndown" { "Burn-down" } span class="end" { (chart::burndown_legend(&history.burndown)) } }
                        div class="in" { (chart::burndown(&history.burndown, item.due, look.today, forecast.as_ref())) }
                    }
                    section class="panel" aria-labelledby="flow" {
                        header { h3 id="flow" { "Flow" } span class="end" { (chart::flow_legend(&history.statuses, &history.flow)) } }
                        div class="in" { (chart::flow(&history.statuses, &history.flow)) }
                    }
                }
                (items(look, &epics, "Needs attention", &urgent))
                @if !item.description.trim().is_empty() { div class="section prose" { (markdown::html(&look.people, &item.description)) } }
                (items(look, &epics, "Open", &open))
                (items(look, &epics, "Closed", &closed))
            }
        }
    };
    Ok(Page { title: item.title.clone(), here: Here::Milestones, status: StatusCode::OK, heading, body })
}

fn risk(item: &ItemView, forecast: Option<&Forecast>) -> Markup {
    let Some(due) = item.due.filter(|_| !widgets::is_closed(item)) else { return html! {} };
    match forecast.and_then(|forecast| forecast.likely) {
        Some(day) if day > due => html! { span class="tag warning" { (tiny("clock")) "At risk" } },
        Some(_) => html! { span class="tag good" { "On track" } },
        None => html! {},
    }
}

fn span_of(look: &PageContext, item: &ItemView) -> String {
    let due =
        item.due.map(|due| format!("due {}, {}", words::short_day(look.today, due), words::until(look.today, due)));
    let lead = item.assignee.as_deref().map(|who| format!("led by {}", words::name(who)));
    let parts: Vec<String> = [due, lead].into_iter().flatten().collect();
    if parts.is_empty() { "No due date".to_owned() } else { parts.join(" · ") }
}

fn stats(
    look: &PageContext,
    item: &ItemView,
    counts: &CategoryCounts,
    forecast: Option<&Forecast>,
    days: &[app::view::BurndownDayView],
) -> Markup {
    let total = counts.total();
    let first = days.iter().find(|day| day.total > 0).map_or(total, |day| day.total);
    let percent = counts.done * 100 / total.max(1);
    html! {
        dl class="stats" {
            div { dt { "Done" } dd { (counts.done) small { "of " (total) " · " (percent) " %" } } }
            div { dt { "Left" } dd { (counts.open()) small { (counts.doing + counts.review) " in progress" } } }
            div { dt { "Scope" } dd { (total) @if total > first { small { "+" (total - first) " since the start" } } } }
            div { dt { "Pace" } dd { @if let Some(forecast) = forecast { (format!("{:.1}", forecast.per_week)) small { "a week, last 3 weeks" } } @else { "–" small { "needs a week of history" } } } }
            div { dt { "Forecast" } dd { @if let Some(day) = forecast.and_then(|forecast| forecast.likely) { (words::short_day(look.today, day)) (spread(item, forecast)) } @else { "–" small { "needs a week of history" } } } }
        }
    }
}

/// Renders the earliest and the latest likely day, in amber if the due date may be missed.
fn spread(item: &ItemView, forecast: Option<&Forecast>) -> Markup {
    let Some((early, late)) = forecast.and_then(Forecast::range) else { return html! {} };
    let class = if item.due.is_some_and(|due| late > due) { "soon" } else { "" };
    // Beside the likely day, whose year is shown.
    html! { small class=(class) { (early.strftime("%-d %b").to_string()) " – " (late.strftime("%-d %b").to_string()) } }
}

/// Returns the open items that are late, due soon, blocked or urgent.
fn needs_attention(project: &Project, look: &PageContext, item: &ItemView) -> Result<app::view::ListView, Error> {
    let soon = look.today.checked_add(words::Urgency::SOON_DAYS.days()).unwrap_or(look.today);
    let mut found = project.list(&ListOptions {
        filter: Some(format!(
            "milestone == \"{}\" and (due <= {soon} or blocked == true or waiting == true or priority >= {})",
            item.id,
            PriorityLevel::Urgent.number(),
        )),
        limit: Some(MAX_URGENT),
        sort: ["due", "priority:desc", "rank"].map(str::to_owned).to_vec(),
        ..ListOptions::default()
    })?;
    found.items.truncate(MAX_URGENT);
    Ok(found)
}

fn leading_to(
    project: &Project,
    item: &ItemView,
    condition: &str,
    sort: &[&str],
) -> Result<app::view::ListView, Error> {
    project.list(&ListOptions {
        filter: Some(format!("milestone == \"{}\" and {condition}", item.id)),
        all: true,
        limit: Some(MAX_ITEMS),
        sort: sort.iter().map(|key| (*key).to_owned()).collect(),
        ..ListOptions::default()
    })
}

fn items(look: &PageContext, epics: &Epics, title: &str, found: &app::view::ListView) -> Markup {
    if found.items.is_empty() {
        return html! {};
    }
    let id = title.to_lowercase().replace(' ', "-");
    html! {
        section class="panel section" aria-labelledby=(id) {
            header { h3 id=(id) { (title) } span class="count" { (found.total) } }
            ol class="cards-list" { @for item in &found.items { (row(look, epics, item)) } }
            @if found.total > found.items.len() as u64 { p class="nothing" { (found.total - found.items.len() as u64) " more" } }
        }
    }
}
