//! A saved view: a list of items under a name, which the team shares. It is stored as an entity in the log.

use serde_json::{Map, Value};

/// The entity kind of saved views.
pub const ENTITY_KIND: &str = "view";
/// The field of the entity with the query.
pub const QUERY_FIELD: &str = "query";

/// The query of a saved view. Names are as people write them; they are looked up whenever the view is shown, so that
/// `me` is the reader of the view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewQuery {
    /// Only this kind.
    pub kind: Option<String>,
    /// One of these statuses or states.
    pub statuses: Vec<String>,
    /// All of these labels.
    pub labels: Vec<String>,
    /// A person, `me` or `none`.
    pub assignee: Option<String>,
    /// The id of a milestone.
    pub milestone: Option<String>,
    /// The id of a board.
    pub board: Option<String>,
    /// The id of an epic.
    pub epic: Option<String>,
    /// Blocked, or waiting for an open item.
    pub blocked: bool,
    /// Open, with a due date in the past.
    pub overdue: bool,
    /// With this text.
    pub text: Option<String>,
    /// A filter expression.
    pub filter: Option<String>,
    /// `field[:asc|desc]`, most important first.
    pub sort: Vec<String>,
    /// The columns to show; empty for the usual ones.
    pub columns: Vec<String>,
    /// Include closed items.
    pub all: bool,
}

impl ViewQuery {
    /// Returns the value that is stored: an object with the keys that say something.
    pub fn to_value(&self) -> Value {
        let mut object = Map::new();
        let texts = [
            ("kind", &self.kind),
            ("assignee", &self.assignee),
            ("milestone", &self.milestone),
            ("board", &self.board),
            ("epic", &self.epic),
            ("text", &self.text),
            ("filter", &self.filter),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                object.insert(name.to_owned(), text.as_str().into());
            }
        }
        let lists =
            [("status", &self.statuses), ("label", &self.labels), ("sort", &self.sort), ("columns", &self.columns)];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            object.insert(name.to_owned(), list.clone().into());
        }
        for (name, _) in [("blocked", self.blocked), ("overdue", self.overdue), ("all", self.all)]
            .into_iter()
            .filter(|(_, is_set)| *is_set)
        {
            object.insert(name.to_owned(), true.into());
        }
        Value::Object(object)
    }

    /// Reads the stored value. Keys of a newer version and values of another type are ignored.
    pub fn from_value(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or(false);
        let list = |name: &str| {
            let values = value.get(name).and_then(Value::as_array).into_iter().flatten();
            values.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            kind: text("kind"),
            statuses: list("status"),
            labels: list("label"),
            assignee: text("assignee"),
            milestone: text("milestone"),
            board: text("board"),
            epic: text("epic"),
            blocked: flag("blocked"),
            overdue: flag("overdue"),
            text: text("text"),
            filter: text("filter"),
            sort: list("sort"),
            columns: list("columns"),
            all: flag("all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_keys_that_say_something_are_stored() {
        let query = ViewQuery { assignee: Some("me".into()), overdue: true, ..ViewQuery::default() };
        assert_eq!(query.to_value(), json!({"assignee": "me", "overdue": true}));
        assert_eq!(ViewQuery::from_value(&json!({"status": 3, "mood": "good"})), ViewQuery::default());
    }

    fn texts() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec("[a-z]{1,4}", 0..3)
    }

    proptest! {
        #[test]
        fn a_query_reads_back(
            names in proptest::collection::vec(proptest::option::of("[a-z]{1,4}"), 7),
            lists in proptest::collection::vec(texts(), 4),
            flags in proptest::collection::vec(any::<bool>(), 3),
        ) {
            let query = ViewQuery {
                kind: names[0].clone(),
                assignee: names[1].clone(),
                milestone: names[2].clone(),
                board: names[3].clone(),
                epic: names[4].clone(),
                text: names[5].clone(),
                filter: names[6].clone(),
                statuses: lists[0].clone(),
                labels: lists[1].clone(),
                sort: lists[2].clone(),
                columns: lists[3].clone(),
                blocked: flags[0],
                overdue: flags[1],
                all: flags[2],
            };
            prop_assert_eq!(ViewQuery::from_value(&query.to_value()), query);
        }
    }
}
