//! The start page: boards, ready items, recent activity.

use app::verb::{ColumnsOptions, ListOptions};
use app::view::{ColumnView, EntryView, ItemView};
use app::{Error, Project};
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;

use super::frame::{Here, Page, PageContext, answer};
use super::{columns, mention, widgets, words};
use crate::principal::Principal;
use crate::shared::Shared;

/// Maximum number of boards with their columns; each column costs a query.
const DRAWN: usize = 12;

/// `/`.
pub(super) async fn show(State(shared): State<Shared>, Extension(principal): Extension<Principal>) -> Response {
    answer(shared, principal, page).await
}

fn page(project: &Project, look: &PageContext) -> Result<Page, Error> {
    let all = strip(project, None)?;
    let boards = columns::boards(project)?;
    let ready = project.ready(Some(6))?;
    let body = html! {
        h1 { (project.name()) }
        div class="overview" {
            section aria-labelledby="boards" {
                h2 id="boards" { "Boards" }
                ul class="boards" {
                    li { (board("/backlog", "All work", &all)) }
                    @for one in boards.iter().take(DRAWN) {
                        li { (board(&format!("/board/{}", one.number), &one.title, &strip(project, Some(one))?)) }
                    }
                    @for one in boards.iter().skip(DRAWN) { li { a class="board-link" href={ "/board/" (one.number) } { (one.title) } } }
                }
                @if look.may_write() { (new_board()) }
            }
            section aria-labelledby="ready" {
                h2 id="ready" { "Ready to take" }
                @if ready.items.is_empty() { p class="quiet" { "Nothing waits to be taken." } }
                (widgets::rows(&ready.items))
                @if ready.total > 6 { p class="quiet" { (ready.total - 6) " more can be taken." } }
            }
            section aria-labelledby="milestones" {
                h2 id="milestones" { "Milestones" }
                (milestones(project)?)
            }
            section aria-labelledby="diary" {
                h2 id="diary" { "What happened" }
                (diary(look, &project.log(12)?.entries))
            }
        }
    };
    Ok(Page::new("Overview", Here::Overview, body))
}

fn strip(project: &Project, board: Option<&ItemView>) -> Result<Vec<ColumnView>, Error> {
    let options =
        ColumnsOptions { board: board.map(|board| ItemRef::parse(&board.id)), limit: 0, ..ColumnsOptions::default() };
    Ok(project.columns(&options)?.columns)
}

fn board(address: &str, title: &str, columns: &[ColumnView]) -> Markup {
    let total: u64 = columns.iter().map(|column| column.total).sum();
    let open: u64 = columns.iter().filter(|column| !column.closed).map(|column| column.total).sum();
    html! {
        a class="board-link" href=(address) {
            span class="board-title" { (title) }
            span class="quiet" { (open) " open of " (total) }
            (proportions(columns, total))
        }
    }
}

/// Renders a bar with the share of each status.
fn proportions(columns: &[ColumnView], total: u64) -> Markup {
    let mut start = 0;
    let mut parts = Vec::new();
    for column in columns.iter().filter(|column| column.total > 0) {
        let width = column.total * 1000 / total.max(1);
        parts.push((start, width, column));
        start += width;
    }
    html! {
        svg class="proportions" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            @for (start, width, column) in parts { rect x=(start) y="0" width=(width) height="10" fill=(column.colour) {} }
        }
    }
}

fn new_board() -> Markup {
    html! {
        form class="quick js" id="new-board" data-new="" data-kind="board" {
            input name="title" placeholder="New board" aria-label="Title of a new board" autocomplete="off" required;
            button type="submit" { "Add" }
        }
    }
}

fn milestones(project: &Project) -> Result<Markup, Error> {
    let options = ListOptions {
        kinds: vec![ItemKind::Milestone],
        sort: vec!["due".to_owned(), "number".to_owned()],
        limit: Some(8),
        ..ListOptions::default()
    };
    let list = project.list(&options)?;
    Ok(html! {
        @if list.items.is_empty() { p class="quiet" { "No open milestone." } }
        ul class="rows" {
            @for one in &list.items {
                li class="row" {
                    a href={ "/milestone/" (one.number) } { (one.title) }
                    @if let Some(due) = one.due { span class="facts" { "due " (words::day(due)) } }
                }
            }
        }
    })
}

fn diary(look: &PageContext, entries: &[EntryView]) -> Markup {
    html! {
        @if entries.is_empty() { p class="quiet" { "Nothing yet. " code { "cairn new task 'First steps'" } " begins it." } }
        ol class="diary" {
            @for entry in entries {
                li { (widgets::face(&entry.by)) " " span { (mention::linked(&entry.text)) } " " span class="quiet" { (words::ago(look.now, entry.at)) } }
            }
        }
    }
}
