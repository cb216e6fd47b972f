//! A saved view as JSON.

use model::saved_view::ViewQuery;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    /// How the board shows it.
    #[serde(flatten)]
    pub look: BoardLook,
}

/// How the board in the browser shows a saved view; other interfaces show a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BoardLook {
    /// A list if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<ViewLayout>,
    /// The usual grouping of the layout if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<ViewGroup>,
}

/// How the items of a saved view are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViewLayout {
    /// Columns by status, or lanes.
    Board,
    /// Rows.
    List,
    /// Bars on a line of time.
    Timeline,
}

/// The field by which the items of a saved view are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViewGroup {
    /// Not grouped.
    None,
    /// By status.
    Status,
    /// By epic.
    Epic,
    /// By assignee.
    Assignee,
    /// By milestone.
    Milestone,
}

impl ViewGroup {
    /// Returns the name in the stored value and in URLs.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Status => "status",
            Self::Epic => "epic",
            Self::Assignee => "assignee",
            Self::Milestone => "milestone",
        }
    }
}

impl BoardLook {
    /// Reads the stored value of a view. Values of a newer version are ignored.
    pub(crate) fn from_value(value: &Value) -> Self {
        Self { layout: parse_key(value, "layout"), group: parse_key(value, "group") }
    }

    /// Adds the keys that are present to the stored value of a view.
    pub(crate) fn add_to(self, value: &mut Value) {
        let keys =
            [("layout", self.layout.map(|layout| json!(layout))), ("group", self.group.map(|group| json!(group)))];
        for (name, key) in keys {
            if let Some(key) = key {
                value[name] = key;
            }
        }
    }
}

fn parse_key<T: DeserializeOwned>(value: &Value, name: &str) -> Option<T> {
    T::deserialize(value.get(name)?).ok()
}

impl SavedView {
    pub(crate) fn new(name: String, query: &ViewQuery, look: BoardLook) -> Self {
        let query = query.clone();
        Self {
            name,
            look,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_is_stored_with_the_query_and_read_back() {
        let mut value = json!({"filter": "priority >= high"});
        let look = BoardLook { layout: Some(ViewLayout::Timeline), group: Some(ViewGroup::Epic) };
        look.add_to(&mut value);
        assert_eq!(value, json!({"filter": "priority >= high", "layout": "timeline", "group": "epic"}));
        assert_eq!(BoardLook::from_value(&value), look);
        let newer = json!({"layout": "calendar", "group": 3});
        assert_eq!(BoardLook::from_value(&newer), BoardLook::default());
    }

    #[test]
    fn group_has_one_name_in_urls_and_in_the_log() {
        for group in [ViewGroup::None, ViewGroup::Status, ViewGroup::Epic, ViewGroup::Assignee, ViewGroup::Milestone] {
            assert_eq!(json!(group), group.name());
        }
    }
}
