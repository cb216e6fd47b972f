//! The saved views: lists under a name, which the team shares.

use app::view::{BoardLook, ViewGroup, ViewLayout};
use model::saved_view::ViewQuery;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply;
use super::request::ApiRequest;
use super::route::{ApiState, HandlerResult};

/// A view to save, in place of an earlier one of that name; the shape of a saved view, so that one can be sent back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewBody {
    /// Its name.
    name: String,
    /// Only this kind.
    #[serde(default)]
    kind: Option<String>,
    /// One of these statuses or states.
    #[serde(default)]
    statuses: Vec<String>,
    /// All of these labels.
    #[serde(default)]
    labels: Vec<String>,
    /// A person, `me` or `none`.
    #[serde(default)]
    assignee: Option<String>,
    /// A milestone, by number, id or title.
    #[serde(default)]
    milestone: Option<String>,
    /// A board, by number, id or title; all work without one.
    #[serde(default)]
    board: Option<String>,
    /// An epic, by number, id or title.
    #[serde(default)]
    epic: Option<String>,
    /// Only blocked items.
    #[serde(default)]
    blocked: bool,
    /// Only overdue items.
    #[serde(default)]
    overdue: bool,
    /// With this text.
    #[serde(default)]
    text: Option<String>,
    /// Only items that match this filter.
    #[serde(default)]
    filter: Option<String>,
    /// The order, each as `field` or `field:desc`.
    #[serde(default)]
    sort: Vec<String>,
    /// The columns of lists; empty for the usual ones.
    #[serde(default)]
    columns: Vec<String>,
    /// Include closed items.
    #[serde(default)]
    all: bool,
    /// How the board lays it out; a list without it.
    #[serde(default)]
    layout: Option<ViewLayout>,
    /// By which field the board groups it.
    #[serde(default)]
    group: Option<ViewGroup>,
}

/// Another name for a view.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ViewNameBody {
    /// The new name.
    name: String,
}

pub(super) async fn list(served: ApiState, request: ApiRequest) -> HandlerResult {
    reply::tagged(&request.headers, &served.shared.read(app::Project::saved_views).await?)
}

pub(super) async fn save(served: ApiState, request: ApiRequest) -> HandlerResult {
    let body: ViewBody = request.body()?;
    let query = ViewQuery {
        kind: body.kind,
        statuses: body.statuses,
        labels: body.labels,
        assignee: body.assignee,
        milestone: body.milestone,
        board: body.board,
        epic: body.epic,
        blocked: body.blocked,
        overdue: body.overdue,
        text: body.text,
        filter: body.filter,
        sort: body.sort,
        columns: body.columns,
        all: body.all,
    };
    let look = BoardLook { layout: body.layout, group: body.group };
    let name = body.name;
    let saved = served.shared.write(&request.principal, move |project| project.save_board_view(&name, &query, look));
    reply::json(&saved.await?)
}

pub(super) async fn rename(served: ApiState, request: ApiRequest) -> HandlerResult {
    let (name, body) = (request.parameter("name").to_owned(), request.body::<ViewNameBody>()?);
    let renamed = served.shared.write(&request.principal, move |project| project.rename_view(&name, &body.name));
    reply::json(&renamed.await?)
}

pub(super) async fn remove(served: ApiState, request: ApiRequest) -> HandlerResult {
    let name = request.parameter("name").to_owned();
    let removed = served.shared.write(&request.principal, move |project| project.remove_view(&name));
    reply::json(&removed.await?)
}
