//! Milestones: the list with progress, and one with its burndown chart.

use app::verb::ListOptions;
use app::view::ItemView;
use app::{Error, Project};
use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::workflow::State as ItemState;

use super::frame::{Here, Page, PageContext, answer};
use super::{chart, markdown, widgets, words};
use crate::principal::Principal;
use crate::shared::Shared;

/// Maximum number of milestones in the list, and of items of one milestone.
const SHOWN: usize = 200;
/// Days in a chart.
const DAYS: u32 = 180;

/// `/milestones`.
pub(super) async fn list(State(shared): State<Shared>, Extension(principal): Extension<Principal>) -> Response {
    answer(shared, principal, all).await
}

/// `/milestone/{id}`.
pub(super) async fn show(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> Response {
    answer(shared, principal, move |project, look| one(project, look, &id)).await
}

fn all(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let options = ListOptions {
        kinds: vec![ItemKind::Milestone],
        sort: vec!["status:desc".to_owned(), "due".to_owned(), "number".to_owned()],
        limit: Some(SHOWN),
        all: true,
        ..ListOptions::default()
    };
    let list = project.list(&options)?;
    let body = html! {
        section class="panel" {
            h1 { "Milestones" }
            @if list.items.is_empty() { p class="quiet" { "There is none yet." } }
            ul class="rows" {
                @for item in &list.items {
                    li class={ "row" @if item.state == ItemState::Closed { " closed" } } {
                        a href={ "/milestone/" (item.number) } { span class="number" { (item.name()) } " " (item.title) }
                        span class="facts" { (due(look, item)) (progress(&Progress::of(project, item)?)) }
                    }
                }
            }
            @if look.may_write() {
                form class="quick js" id="new-milestone" data-new="" data-kind="milestone" {
                    input name="title" placeholder="New milestone" aria-label="Title of a new milestone" autocomplete="off" required;
                    button type="submit" { "Add" }
                }
            }
        }
    };
    Ok(Page::new("Milestones", Here::Milestones, body))
}

fn one(project: &Project, look: &PageContext, id: &str) -> Result<Page, Error> {
    let item = project.show_of(ItemKind::Milestone, &ItemRef::parse(id))?;
    let burndown = project.burndown(&ItemRef::parse(&item.id), DAYS)?;
    let options = ListOptions {
        limit: Some(SHOWN),
        sort: vec!["priority:desc".to_owned(), "number".to_owned()],
        ..leading_to(&item, None)
    };
    let open =
        project.list(&ListOptions { filter: leading_to(&item, Some("state != closed")).filter, ..options.clone() })?;
    let closed = project.list(&ListOptions { filter: leading_to(&item, Some("state == closed")).filter, ..options })?;
    let body = html! {
        div class="item" {
            header class="item-top" {
                p class="crumbs" { span class="kind" { "milestone" } " " a href=(widgets::fields_page(&item)) { "#" (item.number) } }
                h1 { (item.title) }
                p class="facts" { (due(look, &item)) (progress(&Progress { open: open.total, total: open.total + closed.total })) }
            }
            div class="item-body" {
                @if !item.description.trim().is_empty() { section class="prose" { (markdown::html(&item.description)) } }
                section class="panel" aria-labelledby="burndown" { h2 id="burndown" { "Burn-down" } (chart::burndown(&burndown.days, item.due)) }
                (items("Open", &open.items, open.total))
                (items("Closed", &closed.items, closed.total))
            }
        }
    };
    Ok(Page::new(item.title.clone(), Here::Milestones, body))
}

/// Progress of a milestone.
struct Progress {
    open: u64,
    total: u64,
}

impl Progress {
    fn of(project: &Project, item: &ItemView) -> Result<Self, Error> {
        let count = |condition| {
            Ok::<_, Error>(project.list(&ListOptions { limit: Some(0), ..leading_to(item, condition) })?.total)
        };
        Ok(Self { open: count(Some("state != closed"))?, total: count(None)? })
    }
}

fn leading_to(item: &ItemView, condition: Option<&str>) -> ListOptions {
    let rest = condition.map(|condition| format!(" and {condition}")).unwrap_or_default();
    ListOptions { filter: Some(format!("milestone == \"{}\"{rest}", item.id)), all: true, ..ListOptions::default() }
}

fn progress(progress: &Progress) -> Markup {
    let done = progress.total - progress.open.min(progress.total);
    html! {
        progress max=(progress.total.max(1)) value=(done) aria-label="Done" {}
        span { (done) " of " (progress.total) " done" }
    }
}

fn due(look: &PageContext, item: &ItemView) -> Markup {
    let is_late = item.due.is_some_and(|due| due < look.today) && item.state != ItemState::Closed;
    html! { @if let Some(day) = item.due { span class={ "due" @if is_late { " late" } } { "due " (words::day(day)) } } }
}

fn items(title: &str, items: &[ItemView], total: u64) -> Markup {
    html! {
        section {
            h2 { (title) " " span class="count" { (total) } }
            (widgets::rows(items))
            @if total > items.len() as u64 { p class="quiet" { (total - items.len() as u64) " more" } }
        }
    }
}
