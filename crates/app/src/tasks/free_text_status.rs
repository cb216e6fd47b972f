//! Maps a free-text status to a workflow, which only has its own names.
//!
//! - A task without a free text reads as its workflow status, and as no status while that is the initial one.
//! - A text that names a status of the workflow (`in_progress`, `In Progress`), or is a common word for its category
//!   (`open`, `doing`, `completed`), moves the task to that status, so that boards and other interfaces show the move.
//! - Any other text leaves the workflow status unchanged.
//! - The text is stored in its own field, together with the workflow status at that time, and is read back exactly. Once
//!   the task is moved to another status, the text is outdated, and the workflow's name is read again.

use model::item::Item;
use model::workflow::{Category, Status, Workflow};
use serde_json::{Value, json};

use crate::resolve;

/// The field that stores the free text.
pub(super) const FIELD: &str = "status_text";

/// Common words for each category, besides the names of the workflow, normalized by [`folded`].
const WORDS: &[(Category, &[&str])] = &[
    (Category::Todo, &["open", "new", "todo", "to_do", "pending", "not_started", "unstarted", "reopened"]),
    (Category::Doing, &["doing", "in_progress", "started", "active", "working", "wip"]),
    (Category::Review, &["review", "in_review", "reviewing"]),
    (Category::Done, &["done", "closed", "complete", "completed", "finished", "resolved"]),
    (Category::Dropped, &["dropped", "cancelled", "canceled", "wontfix", "won't_fix", "abandoned"]),
];

/// Returns the free-text status of a task.
pub(super) fn read(workflow: &Workflow, item: &Item) -> Option<String> {
    let stored_text = || {
        let kept = item.extra.get(FIELD).filter(|kept| kept["in"] == item.status)?;
        kept["text"].as_str().map(str::to_owned)
    };
    let named = || (item.status != workflow.initial().name && !item.status.is_empty()).then(|| item.status.clone());
    stored_text().or_else(named)
}

/// Returns the workflow status for a text, and the text to store. `None` resets it.
pub(super) fn status_and_text(workflow: &Workflow, current: &str, text: Option<&str>) -> (String, Value) {
    let initial = &workflow.initial().name;
    let Some(text) = text else { return (initial.clone(), Value::Null) };
    let meant = resolve::status(workflow, text).ok();
    let meant = meant.or_else(|| by_meaning(workflow, current, text).map(|status| status.name.clone()));
    let status = meant.unwrap_or_else(|| current.to_owned());
    let says_itself = text == status && status != *initial;
    let kept = if says_itself { Value::Null } else { json!({"text": text, "in": status}) };
    (status, kept)
}

fn by_meaning<'a>(workflow: &'a Workflow, current: &str, text: &str) -> Option<&'a Status> {
    let text = folded(text);
    let (category, _) = WORDS.iter().find(|(_, words)| words.contains(&text.as_str()))?;
    // A workflow may have two statuses of one category: a task in either stays.
    let stays = workflow.try_find(current).filter(|status| status.category == *category);
    stays.or_else(|| match category {
        Category::Todo => Some(workflow.initial()),
        Category::Done => workflow.closing(),
        Category::Dropped => workflow.first_in(Category::Dropped).or_else(|| workflow.closing()),
        other => workflow.first_in(*other),
    })
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase().replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use model::item::ItemKind;

    use super::*;

    #[track_caller]
    fn check(current: &str, text: Option<&str>, status: &str, kept: Option<&str>) {
        let workflow = Workflow::built_in(ItemKind::Task);
        let (moved, value) = status_and_text(&workflow, current, text);
        assert_eq!((moved.as_str(), value["text"].as_str()), (status, kept), "{text:?} in {current}");
        if kept.is_some() {
            assert_eq!(value["in"], moved);
        }
    }

    #[test]
    fn names_and_common_words_move_a_task() {
        check("backlog", Some("in_progress"), "in_progress", None);
        check("backlog", Some("In Progress"), "in_progress", Some("In Progress"));
        check("backlog", Some("doing"), "in_progress", Some("doing"));
        check("done", Some("open"), "backlog", Some("open"));
        check("ready", Some("open"), "ready", Some("open"));
        check("review", Some("COMPLETED"), "done", Some("COMPLETED"));
        check("review", Some("cancelled"), "done", Some("cancelled"));
        check("review", Some("done"), "done", None);
    }

    #[test]
    fn initial_status_differs_from_no_text() {
        check("backlog", Some("backlog"), "backlog", Some("backlog"));
        check("review", None, "backlog", None);
    }

    #[test]
    fn any_other_text_moves_nothing() {
        check("review", Some("waiting for the lawyers"), "review", Some("waiting for the lawyers"));
        check("backlog", Some("🙂"), "backlog", Some("🙂"));
    }
}
