//! Items in columns by status: a board, or all work.

use app::verb::{ColumnsOptions, ListOptions};
use app::view::{ColumnView, ColumnsView, ItemView};
use app::{Error, ErrorKind, Project};
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;

use super::address::{Asked, encoded};
use super::card::card;
use super::frame::{Here, Page, PageContext, answer};
use super::{filter_bar, widgets, words};
use crate::principal::Principal;
use crate::shared::Shared;

/// Cards in a column at first.
const DEFAULT_CARDS: usize = 50;
/// Maximum number of cards in a column; with more, browsers become slow.
const MAX_CARDS: usize = 1600;

/// `/backlog`: all work.
pub(super) async fn backlog(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    asked: Asked,
) -> Response {
    answer(shared, principal, move |project, look| page(project, look, None, &asked)).await
}

/// `/board/{id}`: the items of a board.
pub(super) async fn board(
    State(shared): State<Shared>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
    asked: Asked,
) -> Response {
    answer(shared, principal, move |project, look| page(project, look, Some(&id), &asked)).await
}

fn page(project: &Project, look: &PageContext, board: Option<&str>, asked: &Asked) -> Result<Page, Error> {
    let (view, wrong) = laid_out(project, board, asked)?;
    let boards = boards(project)?;
    let path = view.board.as_ref().map_or_else(|| "/backlog".to_owned(), |board| format!("/board/{}", board.number));
    let title = view.board.as_ref().map_or("All work", |board| &board.title);
    let body = html! {
        div class="board-top" {
            h1 { (title) }
            @if let Some(board) = &view.board {
                p class="quiet" {
                    a href=(widgets::fields_page(board)) { "About this board" } " · " a href={ (path) "/flow" } { "Flow" }
                }
            }
            (tabs(&boards, &path))
        }
        (filter_bar::bar(&path, asked, wrong.as_ref()))
        @if look.may_write() { (keys()) }
        div class="columns" data-board=[view.board.as_ref().map(|board| board.number)] tabindex="0" role="group" aria-label="Columns" {
            @for shown in &view.columns { (column(look, shown, &path, asked)) }
        }
        @if look.may_write() { (move_dialog(&view)) }
    };
    let mut page = Page::new(title, Here::Work, body);
    if wrong.is_some() {
        page.status = StatusCode::BAD_REQUEST;
    }
    Ok(page)
}

// With an invalid filter all items are shown, together with the error.
fn laid_out(project: &Project, board: Option<&str>, asked: &Asked) -> Result<(ColumnsView, Option<Error>), Error> {
    let options = ColumnsOptions {
        board: board.map(ItemRef::parse),
        filter: asked.text("filter").map(str::to_owned),
        limit: DEFAULT_CARDS,
        longer: asked.all("more").filter_map(longer).collect(),
    };
    match project.columns(&options) {
        Err(error) if error.kind == ErrorKind::Invalid && options.filter.is_some() => {
            let all = project.columns(&ColumnsOptions { filter: None, ..options })?;
            Ok((all, Some(error)))
        }
        view => Ok((view?, None)),
    }
}

fn longer(text: &str) -> Option<(String, usize)> {
    let (status, n) = text.rsplit_once(':')?;
    Some((status.to_owned(), n.parse::<usize>().ok()?.min(MAX_CARDS)))
}

/// Returns the open boards.
pub(super) fn boards(project: &Project) -> Result<Vec<ItemView>, Error> {
    let sort = vec!["number".to_owned()];
    let options = ListOptions { kinds: vec![ItemKind::Board], sort, limit: Some(100), ..ListOptions::default() };
    Ok(project.list(&options)?.items)
}

fn tabs(boards: &[ItemView], path: &str) -> Markup {
    let own = boards.iter().map(|board| (format!("/board/{}", board.number), board.title.as_str()));
    let all = std::iter::once(("/backlog".to_owned(), "All work")).chain(own);
    html! {
        nav class="tabs" aria-label="Boards" {
            ul { @for (address, title) in all { li { a href=(address) aria-current=[(address == path).then_some("page")] { (title) } } } }
        }
    }
}

fn keys() -> Markup {
    html! {
        p id="keys" class="keys js" {
            "Drag a card to move it. With the keyboard: " kbd { "←" } " " kbd { "→" } " " kbd { "↑" } " " kbd { "↓" } " go from card to card, "
            kbd { "[" } " and " kbd { "]" } " move the card, " kbd { "n" } " begins a new one."
        }
    }
}

fn column(look: &PageContext, column: &ColumnView, path: &str, asked: &Asked) -> Markup {
    let id = format!("column-{}", encoded(&column.status));
    let title = words::status(&column.status);
    html! {
        section class="column" id=(id) aria-labelledby={ (id) "-title" } data-status=(column.status) data-title=(title) {
            h2 id={ (id) "-title" } {
                (widgets::dot(&column.colour)) " " (title) " "
                span class="count" aria-label=(words::count(column.total, "card")) { (column.total) }
            }
            ol class="cards" {
                @for item in &column.items { (card(look, item)) }
            }
            @if column.items.is_empty() { p class="quiet empty" { "Nothing here" } }
            (more(column, path, asked))
            @if look.may_write() { (quick(&id, &column.status, &title)) }
        }
    }
}

fn more(column: &ColumnView, path: &str, asked: &Asked) -> Markup {
    let shown = column.items.len();
    let left = column.total.saturating_sub(shown as u64);
    if left == 0 {
        return html! {};
    }
    if shown >= MAX_CARDS {
        return html! { p class="more quiet" { (left) " more; a filter finds them" } };
    }
    let mut next = asked.with("more", None);
    for other in asked.all("more").filter(|one| longer(one).is_some_and(|(status, _)| status != column.status)) {
        next = next.and("more", other);
    }
    let next = next.and("more", &format!("{}:{}", column.status, (shown * 2).min(MAX_CARDS)));
    html! { p class="more" { a href=(next.at(path)) data-query { "Show more" } " " span class="quiet" { (left) " hidden" } } }
}

fn quick(id: &str, status: &str, title: &str) -> Markup {
    html! {
        form class="quick js" id={ (id) "-new" } data-new=(status) {
            input name="title" placeholder="New card" aria-label={ "Title of a new card in " (title) } autocomplete="off" required;
            select name="kind" aria-label="Kind of the new card" {
                @for kind in ["task", "issue", "story", "epic"] { option { (kind) } }
            }
            button type="submit" aria-label={ "Add the card to " (title) } { "Add" }
        }
    }
}

// An alternative to dragging, for touch screens and for people who prefer a menu.
fn move_dialog(view: &ColumnsView) -> Markup {
    html! {
        dialog id="move" aria-labelledby="move-title" {
            form method="dialog" {
                h2 id="move-title" { "Move to" }
                @for column in &view.columns {
                    button value=(column.status) { (widgets::dot(&column.colour)) " " (words::status(&column.status)) }
                }
                button value="" class="plain" { "Cancel" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_asked_to_be_longer_up_to_a_limit() {
        assert_eq!(longer("in:progress:100"), Some(("in:progress".to_owned(), 100)));
        assert_eq!(longer("done:99999999"), Some(("done".to_owned(), MAX_CARDS)));
        assert_eq!(longer("done:-1"), None);
        assert_eq!(longer("done"), None);
    }
}
