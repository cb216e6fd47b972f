//! Items by status: a board, or all work; as columns, as lanes, or as a list.

mod lanes;
mod list;
mod timeline;

use app::verb::ColumnsOptions;
use app::view::{ColumnView, ColumnsView, ItemView, SavedView, ViewLayout};
use app::{Error, ErrorKind, Project};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::item_ref::ItemRef;

use super::address::encoded;
use super::card::card;
use super::epics::Epics;
use super::filters::{self, BarOptions, Choice, Narrowing};
use super::frame::{Here, Page, PageContext};
use super::icons::{icon, tiny};
use super::request::PageRequest;
use super::{hue, views, widgets, words};

/// Cards in a column at first, and in lanes and lists, which cannot show more on demand.
const DEFAULT_CARDS: usize = 30;
const GROUPED_CARDS: usize = 400;
/// Maximum number of cards in a column; with more, browsers become slow.
const MAX_CARDS: usize = 1600;

const GROUP: Choice = Choice {
    parameter: "group",
    name: "Group",
    icon: "group",
    values: &[("none", "None"), ("epic", "Epic"), ("assignee", "Assignee"), ("milestone", "Milestone")],
};
const LIST_GROUP: Choice = Choice {
    parameter: "group",
    name: "Group",
    icon: "group",
    values: &[("status", "Status"), ("epic", "Epic"), ("assignee", "Assignee"), ("milestone", "Milestone")],
};
const SORT: Choice = Choice {
    parameter: "sort",
    name: "Sort",
    icon: "sort",
    values: &[
        ("rank", "Rank"),
        ("priority", "Priority"),
        ("due", "Due date"),
        ("updated", "Last change"),
        ("created", "Newest"),
        ("title", "Title"),
    ],
};

/// `/all`: all work.
pub(super) async fn all_work(request: PageRequest) -> Response {
    request.answer(|project, look| page(project, look, None, ViewLayout::Board)).await
}

/// `/all/list`.
pub(super) async fn all_work_list(request: PageRequest) -> Response {
    request.answer(|project, look| page(project, look, None, ViewLayout::List)).await
}

/// `/all/timeline`.
pub(super) async fn all_work_timeline(request: PageRequest) -> Response {
    request.answer(|project, look| page(project, look, None, ViewLayout::Timeline)).await
}

/// `/board/{id}/timeline`.
pub(super) async fn one_board_timeline(Path(id): Path<String>, request: PageRequest) -> Response {
    request.answer(move |project, look| page(project, look, Some(&id), ViewLayout::Timeline)).await
}

/// `/board/{id}`: the items of a board.
pub(super) async fn one_board(Path(id): Path<String>, request: PageRequest) -> Response {
    request.answer(move |project, look| page(project, look, Some(&id), ViewLayout::Board)).await
}

/// `/board/{id}/list`.
pub(super) async fn one_board_list(Path(id): Path<String>, request: PageRequest) -> Response {
    request.answer(move |project, look| page(project, look, Some(&id), ViewLayout::List)).await
}

/// `/mine`: the open items of the person who asks.
pub(super) async fn mine(request: PageRequest) -> Response {
    request
        .answer(|project, look| {
            let narrowing = Narrowing { filter: Some("assignee == me".to_owned()), ..Narrowing::default() };
            let view = laid_out(project, look, None, &narrowing, GROUPED_CARDS)?;
            let columns: Vec<ColumnView> = view.columns.into_iter().filter(|column| !column.closed).rev().collect();
            let body = html! {
                div class="page" {
                    @if columns.iter().all(|column| column.items.is_empty()) { (nothing_of_mine()) }
                    (list::by_status(look, &Epics::read(project)?, &columns))
                }
            };
            Ok(Page::new("My work", "user", Here::MyWork, body))
        })
        .await
}

fn nothing_of_mine() -> Markup {
    html! {
        div class="empty" {
            div {
                (super::icons::with_class("logo", "i art"))
                h2 { "Nothing is assigned to you" }
                p { "Pick something that is ready, or write down what you are about to do." }
                a class="button" href="/all/list" { "See all work" }
            }
        }
    }
}

fn page(project: &Project, look: &PageContext, board: Option<&str>, layout: ViewLayout) -> Result<Page, Error> {
    let narrowing = Narrowing::of(look);
    let group = if layout == ViewLayout::Board { GROUP } else { LIST_GROUP };
    let grouping = group.chosen(look);
    let is_plain = layout == ViewLayout::Board && grouping == "none";
    let view = laid_out(project, look, board, &narrowing, if is_plain { DEFAULT_CARDS } else { GROUPED_CARDS })?;
    let mistake = narrowing.mistake(project);
    let epics = Epics::read(project)?;
    let home = view.board.as_ref().map_or_else(|| "/all".to_owned(), |board| format!("/board/{}", board.number));
    let path = match layout {
        ViewLayout::Board => home.clone(),
        ViewLayout::List => format!("{home}/list"),
        ViewLayout::Timeline => format!("{home}/timeline"),
    };
    let saved = views::shown(project, look);
    let shown = views::Shown {
        filter: narrowing.as_filter(),
        board: view.board.as_ref().map(|board| board.id.clone()),
        layout,
        group: Some(grouping).filter(|_| group.is_changed(look)),
        sort: sort_keys(SORT.chosen(look)),
    };
    let has_cards = layout != ViewLayout::Timeline;
    let is_empty = view.columns.iter().all(|column| column.total == 0);
    let is_saved = saved.as_ref().is_some_and(|saved| views::is_unchanged(project, look, saved, &path));
    let options = BarOptions {
        menus: if has_cards { &[group, SORT] } else { &[] },
        save: look.may_write().then(|| views::save_button(&shown, is_saved)),
        has_cards,
    };
    let body = html! {
        (filters::bar(look, &path, &narrowing, mistake.as_ref(), &options))
        @match (layout, grouping) {
            _ if is_empty && !narrowing.is_empty() => (filters::nothing_matches(look, &path)),
            // The line of time has its own words: it says how items come there.
            _ if is_empty && has_cards => (nothing_yet(look, &view)),
            (ViewLayout::Board, "none") => (columns(look, &epics, &view, &path)),
            (ViewLayout::Board, _) => (lanes::lanes(project, look, &epics, &view, grouping)?),
            (ViewLayout::Timeline, _) => (timeline::timeline(look, &epics, &view)),
            (ViewLayout::List, "status") => div class="page" id="list" { (list::by_status(look, &epics, &view.columns)) },
            (ViewLayout::List, _) => div class="page" id="list" { (lanes::list(look, &epics, &view, grouping)) },
        }
    };
    let board_title = view.board.as_ref().map_or("All work", |board| &board.title);
    let title = saved.as_ref().map_or(board_title, |saved| &saved.name).to_owned();
    let here = view.board.as_ref().map_or(Here::AllWork, |board| Here::Board(board.number));
    let here = saved.as_ref().map_or(here, |saved| Here::View(saved.name.clone()));
    let status = if mistake.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(Page { title, here, status, heading: heading(look, &view, saved.as_ref(), &home, layout), body })
}

fn nothing_yet(look: &PageContext, view: &ColumnsView) -> Markup {
    let name = view.board.as_ref().map_or("this project", |board| &board.title);
    html! {
        div class="page" data-board=[view.board.as_ref().map(|board| board.number)] { div class="empty" { div {
            (super::icons::with_class("logo", "i art"))
            h2 { "Nothing in " (name) " yet" }
            p { "Items lie here in columns by status, in the order that the team gives them." }
            @if look.may_write() { button type="button" class="button primary js" data-act="new" { (icon("plus")) "New item" } }
            @if view.board.is_some() { p class="more" { "Or put items on this board: " a class="link" href="/all/list" { "all work" } } }
        } } }
    }
}

fn laid_out(
    project: &Project,
    look: &PageContext,
    board: Option<&str>,
    narrowing: &Narrowing,
    limit: usize,
) -> Result<ColumnsView, Error> {
    let options = ColumnsOptions {
        board: board.map(ItemRef::parse),
        filter: narrowing.filter.clone(),
        words: narrowing.words.clone(),
        sort: sort_keys(SORT.chosen(look)),
        limit,
        longer: look.query.all("more").filter_map(longer).collect(),
    };
    match project.columns(&options) {
        // A valid filter may still name something that is not there, such as an unknown item.
        Err(error) if error.kind == ErrorKind::Invalid && options.words.is_some() => {
            project.columns(&ColumnsOptions { words: None, ..options })
        }
        view => view,
    }
}

/// Returns the sort keys of a choice of the menu.
fn sort_keys(chosen: &str) -> Vec<String> {
    match chosen {
        "rank" => Vec::new(),
        "priority" => vec!["priority:desc".to_owned(), "rank".to_owned()],
        field @ ("updated" | "created") => vec![format!("{field}:desc")],
        field => vec![field.to_owned(), "rank".to_owned()],
    }
}

/// Returns the choice of the menu that sorts by the same key first; `None` for the usual order and for those that the
/// menu lacks.
pub(super) fn sort_choice(keys: &[String]) -> Option<&'static str> {
    let first = keys.first()?.trim_end_matches(":asc");
    let is_same = |value: &&str| sort_keys(value).first().is_some_and(|key| key == first);
    SORT.values.iter().map(|(value, _)| *value).find(is_same)
}

fn longer(text: &str) -> Option<(String, usize)> {
    let (status, n) = text.rsplit_once(':')?;
    Some((status.to_owned(), n.parse::<usize>().ok()?.min(MAX_CARDS)))
}

fn heading(
    look: &PageContext,
    view: &ColumnsView,
    saved: Option<&SavedView>,
    home: &str,
    layout: ViewLayout,
) -> Markup {
    let kept = look.query.with("group", None).with("more", None);
    let view_link = |path: &str, glyph: &str, name: &str, own: ViewLayout| {
        html! { a href=(kept.at(path)) aria-current=[(own == layout).then_some("true")] { (icon(glyph)) span { (name) } } }
    };
    html! {
        @match (saved, &view.board) {
            (Some(saved), board) => {
                span class="crumb wide" { a href=(home) { (board.as_ref().map_or("All work", |board| &board.title)) } (tiny("chev-r")) }
                (views::heading(look, saved))
            }
            (None, Some(board)) => {
                h1 { span class={ "square " (hue::of(board.color.as_deref())) } {} span class="title" { (board.title) } }
                details class="menu" id="board-menu" {
                    summary class="icon-button small" aria-label="Board menu" { (icon("chev-d")) }
                    div class="menu-list" {
                        a href=(widgets::fields_page(board)) { (icon("note")) "About this board" }
                        a href={ (home) "/flow" } { (icon("insights")) "Flow" }
                    }
                }
            }
            (None, None) => h1 { (icon("board")) span class="title" { "All work" } },
        }
        div class="switch" role="group" aria-label="View" {
            (view_link(home, "board", "Board", ViewLayout::Board))
            (view_link(&format!("{home}/list"), "list", "List", ViewLayout::List))
            (view_link(&format!("{home}/timeline"), "timeline", "Timeline", ViewLayout::Timeline))
        }
    }
}

fn columns(look: &PageContext, epics: &Epics, view: &ColumnsView, path: &str) -> Markup {
    html! {
        div class="board" tabindex="0" role="group" aria-label="Columns" {
            div class="columns" data-board=[view.board.as_ref().map(|board| board.number)] data-sort=(SORT.chosen(look)) data-n=(view.columns.len()) {
                @for shown in &view.columns { (column(look, epics, shown, path)) }
            }
        }
    }
}

fn is_folded(look: &PageContext, column: &ColumnView) -> bool {
    look.query.text("show") != Some(&column.status) && look.preferences.folded.contains(&column.status)
}

fn column(look: &PageContext, epics: &Epics, column: &ColumnView, path: &str) -> Markup {
    let id = format!("column-{}", encoded(&column.status));
    let title = words::status(&column.status);
    if is_folded(look, column) {
        return folded(look, column, &id, path);
    }
    html! {
        section class="column" id=(id) aria-labelledby={ (id) "-title" } data-status=(column.status) data-title=(title) data-closed=[column.closed.then_some("")] {
            (column_head(look, column, &id))
            div class="scroll" {
                @if look.may_write() { (new_card(&id, &column.status, &title)) }
                ol class="cards" data-status=(column.status) data-title=(title) {
                    @for item in &column.items { (card(look, epics, item)) }
                }
                (more(look, column, path))
            }
        }
    }
}

fn column_head(look: &PageContext, column: &ColumnView, id: &str) -> Markup {
    let title = words::status(&column.status);
    html! {
        div class="column-head" {
            (super::icons::with_class(&format!("s-{}", widgets::status_shape(&column.status, column.category)), &format!("i st-{}", widgets::status_shape(&column.status, column.category))))
            h2 id={ (id) "-title" } { (title) }
            (count(column))
            @if look.may_write() {
                button type="button" class="icon-button small js" data-act="new-card" data-status=(column.status) aria-label={ "New item in " (title) } { (icon("plus")) }
            }
            button type="button" class="icon-button small js" data-act="fold" data-status=(column.status) aria-label={ "Fold " (title) } { (icon("fold")) }
        }
    }
}

/// Renders the number of items in a column, and the limit of work in progress.
fn count(column: &ColumnView) -> Markup {
    let Some(limit) = column.limit else {
        return html! { span class="count" { (column.total) span class="unseen" { " items" } } };
    };
    let is_over = column.total > u64::from(limit);
    let title = if is_over {
        format!("{} over the limit of {limit}", column.total - u64::from(limit))
    } else {
        format!("Limit: {limit}")
    };
    html! {
        span class={ "count" @if is_over { " over" } } title=(title) {
            (column.total) " / " (limit) span class="unseen" { @if is_over { " items, over the limit" } @else { " items" } }
        }
    }
}

fn folded(look: &PageContext, column: &ColumnView, id: &str, path: &str) -> Markup {
    let title = words::status(&column.status);
    html! {
        section class="column folded" id=(id) aria-labelledby={ (id) "-title" } data-status=(column.status) data-title=(title) {
            (super::icons::with_class(&format!("s-{}", widgets::status_shape(&column.status, column.category)), &format!("i st-{}", widgets::status_shape(&column.status, column.category))))
            span class="count" { (column.total) }
            h2 id={ (id) "-title" } {
                a href=(look.query.with("show", Some(&column.status)).at(path)) data-act="unfold" data-status=(column.status) aria-label={ "Unfold " (title) } { (title) }
            }
        }
    }
}

fn more(look: &PageContext, column: &ColumnView, path: &str) -> Markup {
    let shown = column.items.len();
    let left = column.total.saturating_sub(shown as u64);
    if left == 0 {
        return html! {};
    }
    if shown >= MAX_CARDS {
        return html! { p class="more quiet" { (left) " more; a filter finds them" } };
    }
    let mut next = look.query.with("more", None);
    for other in look.query.all("more").filter(|one| longer(one).is_some_and(|(status, _)| status != column.status)) {
        next = next.and("more", other);
    }
    let next = next.and("more", &format!("{}:{}", column.status, (shown * 2).min(MAX_CARDS)));
    html! { p class="more" { a class="link" href=(next.at(path)) data-query { "Show more" } " " span class="quiet" { (left) " hidden" } } }
}

fn new_card(id: &str, status: &str, title: &str) -> Markup {
    html! {
        form class="new-card js" id={ (id) "-new" } data-new=(status) {
            textarea name="title" rows="2" placeholder="What needs to be done?" aria-label={ "Title of a new item in " (title) } required {}
            div {
                div class="kinds" role="radiogroup" aria-label="Kind" {
                    @for (place, kind) in ["task", "issue", "story", "epic"].into_iter().enumerate() {
                        label title=(words::status(kind)) {
                            input type="radio" name="kind" value=(kind) checked[place == 0] aria-label=(words::status(kind));
                            span { (icon(&format!("k-{kind}"))) }
                        }
                    }
                }
                button type="submit" class="button primary small" aria-label={ "Add to " (title) } { "Add" }
            }
        }
    }
}

/// Returns the items of all columns.
fn all_items(view: &ColumnsView) -> impl Iterator<Item = &ItemView> {
    view.columns.iter().flat_map(|column| &column.items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_shows_the_limit_and_an_excess() {
        let column = |total, limit| ColumnView {
            status: "doing".into(),
            category: model::workflow::Category::Doing,
            color: String::new(),
            closed: false,
            limit,
            items: Vec::new(),
            total,
        };
        let shown = |total, limit| count(&column(total, limit)).into_string();
        insta::assert_snapshot!(shown(4, Some(3)), @r#"<span class="count over" title="1 over the limit of 3">4 / 3<span class="unseen"> items, over the limit</span></span>"#);
        insta::assert_snapshot!(shown(3, Some(3)), @r#"<span class="count" title="Limit: 3">3 / 3<span class="unseen"> items</span></span>"#);
        insta::assert_snapshot!(shown(3, None), @r#"<span class="count">3<span class="unseen"> items</span></span>"#);
    }

    #[test]
    fn every_order_of_the_menu_is_found_again_by_its_keys() {
        for (value, _) in SORT.values.iter().skip(1) {
            assert_eq!(sort_choice(&sort_keys(value)), Some(*value));
        }
        assert_eq!(sort_choice(&sort_keys("rank")), None);
        assert_eq!(sort_choice(&["due:asc".to_owned(), "number".to_owned()]), Some("due"));
        assert_eq!(sort_choice(&["due:desc".to_owned()]), None);
        assert_eq!(sort_choice(&["size".to_owned()]), None);
    }

    #[test]
    fn a_column_is_asked_to_be_longer_up_to_a_limit() {
        assert_eq!(longer("in:progress:100"), Some(("in:progress".to_owned(), 100)));
        assert_eq!(longer("done:99999999"), Some(("done".to_owned(), MAX_CARDS)));
        assert_eq!(longer("done:-1"), None);
        assert_eq!(longer("done"), None);
    }
}
