//! The link from an imported item to its source: a field of the item in the log. Ids of items and comments are derived
//! from it, so that a second import, or one in another clone, finds what the first one created.

use serde_json::{Map, Value};

use crate::id::{EntityId, OpId};

/// The field that holds the link.
pub const FIELD: &str = "imported";

/// The tools that items are imported from.
pub const TOOLS: [&str; 13] = [
    "backlog", "beads", "csv", "git-bug", "git-mile", "github", "gitlab", "jira", "jsonl", "linear", "markdown",
    "taiga", "todo",
];

/// Where an item was imported from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSource {
    /// The tool: `github`, `jira`, ….
    pub tool: String,
    /// The item's id in the tool, unique there: `cli/cli#12`, `bd-a1b2`.
    pub id: String,
    /// The address of its page.
    pub url: Option<String>,
    /// Its status in the tool, if the local one has another name.
    pub status: Option<String>,
}

impl ImportSource {
    /// Returns the id of the local item, the same in every clone.
    pub fn entity(tool: &str, id: &str) -> EntityId {
        EntityId::shared(&format!("import:{tool}:{id}"))
    }

    /// Returns the id of a local comment, the same in every clone.
    pub fn comment(tool: &str, item: &str, comment: &str) -> OpId {
        OpId::shared(&format!("import:{tool}:{item}:comment:{comment}"))
    }

    /// Returns the value of the field.
    pub fn to_value(&self) -> Value {
        let Self { tool, id, url, status } = self;
        let texts = [("from", Some(tool)), ("id", Some(id)), ("url", url.as_ref()), ("status", status.as_ref())];
        let given = texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.as_str().into())));
        Value::Object(given.collect::<Map<String, Value>>())
    }

    /// Parses the value of the field; `None` if it has another form.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self { tool: text("from")?, id: text("id")?, url: text("url"), status: text("status") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_is_read_back() {
        for (url, status) in [(None, None), (Some("https://example.com/1".to_owned()), Some("wontfix".to_owned()))] {
            let source = ImportSource { tool: "github".into(), id: "cli/cli#1".into(), url, status };
            assert_eq!(ImportSource::from_value(&source.to_value()), Some(source));
        }
        assert_eq!(ImportSource::from_value(&Value::from("github")), None);
    }
}
