//! The backlog: open items in order, by milestone. Items are dragged within a group to rank them, and into another one to
//! plan them.

use app::verb::{ListOptions, SharesById};
use app::view::ItemView;
use app::{Error, Project};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::item::ItemKind;

use super::card::row;
use super::epics::{Epics, bar};
use super::filters::{self, BarOptions, Narrowing};
use super::frame::{Here, Page, PageContext};
use super::icons::icon;
use super::request::PageRequest;
use super::words;

const WORK: [ItemKind; 3] = [ItemKind::Issue, ItemKind::Task, ItemKind::Story];
/// Items of a group.
const MAX_ITEMS: usize = 200;
const MAX_MILESTONES: usize = 20;

/// `/backlog`.
pub(super) async fn show(request: PageRequest) -> Response {
    request.answer(page).await
}

fn page(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let narrowing = Narrowing::of(look);
    let mistake = narrowing.mistake(project);
    let milestones = project.list(&ListOptions {
        kinds: vec![ItemKind::Milestone],
        sort: vec!["due".to_owned(), "number".to_owned()],
        limit: Some(MAX_MILESTONES),
        ..ListOptions::default()
    })?;
    let (epics, shares) = (Epics::read(project)?, project.shares_by_milestone()?);
    let mut groups = Vec::new();
    for milestone in &milestones.items {
        groups.push(group(project, look, &epics, Some(milestone), &narrowing, &shares)?);
    }
    let body = html! {
        (filters::bar(look, "/backlog", &narrowing, mistake.as_ref(), &BarOptions { has_cards: true, ..BarOptions::default() }))
        div class="page" {
            div class="pad columns-of-lanes" data-sort="rank" data-group="milestone" {
                @for shown in groups { (shown) }
                (group(project, look, &epics, None, &narrowing, &shares)?)
            }
        }
    };
    let status = if mistake.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(Page { status, ..Page::new("Backlog", "backlog", Here::Backlog, body) })
}

fn group(
    project: &Project,
    look: &PageContext,
    epics: &Epics,
    milestone: Option<&ItemView>,
    narrowing: &Narrowing,
    shares: &SharesById,
) -> Result<Markup, Error> {
    let condition = milestone.map_or("milestone == none".to_owned(), |one| format!("milestone == \"{}\"", one.id));
    let filter = narrowing.filter.as_ref().map_or(condition.clone(), |filter| format!("({filter}) and {condition}"));
    let found = project.list(&ListOptions {
        kinds: WORK.to_vec(),
        filter: Some(filter),
        words: narrowing.words.clone(),
        sort: vec!["rank".to_owned()],
        limit: Some(MAX_ITEMS),
        ..ListOptions::default()
    })?;
    let title = milestone.map_or("Not planned", |one| &one.title);
    let id = milestone.map_or("plan-none".to_owned(), |one| format!("plan-{}", one.number));
    let counts = milestone.and_then(|one| shares.get(&one.id));
    Ok(html! {
        section class="panel plan-group" id=(id) aria-labelledby={ (id) "-title" } {
            header {
                (icon(if milestone.is_some() { "k-milestone" } else { "backlog" }))
                h2 id={ (id) "-title" } { @if let Some(one) = milestone { a href={ "/milestone/" (one.number) } { (title) } } @else { (title) } }
                span class="count" { (found.total) " open" }
                span class="end" {
                    @if let Some(counts) = counts { (bar(counts)) span { (counts.done) " of " (counts.total()) } }
                    @if let Some(due) = milestone.and_then(|one| one.due) { span { "due " (words::day(look.today, due)) } }
                }
            }
            ol class="cards" data-title=(title) data-lane=(milestone.map_or("", |one| &one.id)) {
                @for item in &found.items { (row(look, epics, item)) }
            }
            @if found.items.is_empty() { p class="nothing hint" { @if milestone.is_some() { "Drag items here to plan them." } @else { "Everything is planned." } } }
            @if found.total > found.items.len() as u64 { p class="nothing" { (found.total - found.items.len() as u64) " more; a filter finds them" } }
        }
    })
}
