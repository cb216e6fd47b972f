//! A saved view as JSON.

use model::saved_view::ViewQuery;
use schemars::JsonSchema;
use serde::Serialize;

/// A saved view: a list under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SavedView {
    /// Its name.
    pub name: String,
    /// Only this kind, or null.
    pub kind: Option<String>,
    /// One of these statuses or states.
    pub statuses: Vec<String>,
    /// All of these labels.
    pub labels: Vec<String>,
    /// A person, `me` or `none`; or null.
    pub assignee: Option<String>,
    /// The id of a milestone, or null.
    pub milestone: Option<String>,
    /// The id of a board, or null.
    pub board: Option<String>,
    /// The id of an epic, or null.
    pub epic: Option<String>,
    /// Only blocked items.
    pub blocked: bool,
    /// Only overdue items.
    pub overdue: bool,
    /// With this text, or null.
    pub text: Option<String>,
    /// A filter expression, or null.
    pub filter: Option<String>,
    /// The order.
    pub sort: Vec<String>,
    /// The columns; empty for the usual ones.
    pub columns: Vec<String>,
    /// Whether it includes closed items.
    pub all: bool,
}

impl SavedView {
    pub(crate) fn new(name: String, query: &ViewQuery) -> Self {
        let query = query.clone();
        Self {
            name,
            kind: query.kind,
            statuses: query.statuses,
            labels: query.labels,
            assignee: query.assignee,
            milestone: query.milestone,
            board: query.board,
            epic: query.epic,
            blocked: query.blocked,
            overdue: query.overdue,
            text: query.text,
            filter: query.filter,
            sort: query.sort,
            columns: query.columns,
            all: query.all,
        }
    }

    /// Returns the query.
    pub fn query(&self) -> ViewQuery {
        let view = self.clone();
        ViewQuery {
            kind: view.kind,
            statuses: view.statuses,
            labels: view.labels,
            assignee: view.assignee,
            milestone: view.milestone,
            board: view.board,
            epic: view.epic,
            blocked: view.blocked,
            overdue: view.overdue,
            text: view.text,
            filter: view.filter,
            sort: view.sort,
            columns: view.columns,
            all: view.all,
        }
    }
}
