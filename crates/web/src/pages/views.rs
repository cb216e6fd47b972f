//! Saved views on the board: their addresses, and the controls that save, rename and remove them.

use app::view::{SavedView, ViewGroup, ViewLayout};
use app::{Error, Project};
use axum::extract::Path;
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use model::item::ItemKind;
use model::item_ref::ItemRef;
use model::saved_view::ViewQuery;
use serde::Serialize;
use serde_json::json;

use super::address::{Asked, encoded};
use super::board;
use super::frame::PageContext;
use super::icons::{icon, small};
use super::request::PageRequest;

/// `/view/{name}`: leads to the page that shows a saved view.
pub(super) async fn open(Path(name): Path<String>, request: PageRequest) -> Response {
    let find = move |project: &Project| address(project, &project.saved_view(&name)?);
    match request.shared.read_as(&request.principal, find).await {
        Ok(address) => Redirect::to(&address).into_response(),
        Err(error) => request.answer(move |_, _| Err(error.clone())).await,
    }
}

/// Returns the short URL of a view, which stays the same when the view is changed.
pub(super) fn short_address(name: &str) -> String {
    format!("/view/{}", encoded(name))
}

/// Returns the URL of the page that shows a view. The view is a parameter of it, so that the page knows whose filter it
/// shows even after a change.
fn address(project: &Project, view: &SavedView) -> Result<String, Error> {
    let query = view.query();
    let board = query.board.as_deref().map(|id| project.show_of(ItemKind::Board, &ItemRef::parse(id))).transpose()?;
    let home = board.map_or_else(|| "/all".to_owned(), |board| format!("/board/{}", board.number));
    let sort = board::sort_choice(&query.sort);
    let filter = project.view_filter(&ViewQuery { board: None, ..query })?;
    let parameters = Asked::default()
        .with("filter", Some(filter.as_str()).filter(|filter| !filter.is_empty()))
        .with("group", view.look.group.map(ViewGroup::name))
        .with("sort", sort)
        .with("view", Some(&view.name));
    Ok(match view.look.layout {
        Some(ViewLayout::Board) => parameters.at(&home),
        Some(ViewLayout::Timeline) => parameters.at(&format!("{home}/timeline")),
        Some(ViewLayout::List) | None => parameters.at(&format!("{home}/list")),
    })
}

/// Finds the view that a page shows; one that was removed meanwhile is none.
pub(super) fn shown(project: &Project, look: &PageContext) -> Option<SavedView> {
    project.saved_view(look.query.text("view")?).ok()
}

/// Returns whether the page at `path` shows a view as it was saved.
pub(super) fn is_unchanged(project: &Project, look: &PageContext, view: &SavedView, path: &str) -> bool {
    let is_narrowed = ["q", "find"].iter().any(|name| look.query.text(name).is_some());
    let parameters = ["filter", "group", "sort", "view"];
    let shown = parameters.iter().fold(Asked::default(), |query, name| query.with(name, look.query.text(name)));
    !is_narrowed && address(project, view).is_ok_and(|saved| saved == shown.at(path))
}

/// What a page shows, in the shape of the request that saves it as a view.
#[derive(Serialize)]
pub(super) struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) filter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) board: Option<String>,
    pub(super) layout: ViewLayout,
    /// Absent for the usual grouping of the layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<&'static str>,
    pub(super) sort: Vec<String>,
}

impl Shown {
    fn is_everything(&self) -> bool {
        self.filter.is_none() && self.group.is_none() && self.sort.is_empty()
    }
}

/// Renders the button that saves what a page shows. Styles hide it if that is everything or already saved; the script reads
/// what to save from it in any case, and leaves `hidden` alone when it refreshes a page.
pub(super) fn save_button(shown: &Shown, is_saved: bool) -> Markup {
    html! {
        button type="button" class="button ghost js" id="save-view" data-act="save-view" data-view=(json!(shown)) data-saved[is_saved || shown.is_everything()] { "Save view" }
    }
}

/// Renders the name of a view and the menu of what can be done with it.
pub(super) fn heading(look: &PageContext, view: &SavedView) -> Markup {
    html! {
        h1 { (icon("pin")) span class="title" { (view.name) } }
        @if look.may_write() {
            details class="menu js" id="view-menu" data-name=(view.name) {
                summary class="icon-button small" aria-label="View menu" { (icon("chev-d")) }
                div class="menu-list" {
                    button type="button" data-act="update-view" { (small("check")) "Save what is shown" }
                    button type="button" data-act="rename-view" { (small("note")) "Rename" }
                    button type="button" data-act="remove-view" { (small("trash")) "Remove" }
                }
            }
        }
    }
}
