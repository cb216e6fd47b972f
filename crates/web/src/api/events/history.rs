//! Recent changes, so that a reconnecting listener gets the events that it missed.

use std::collections::{BTreeSet, VecDeque};

use app::verb::StateSnapshot;
use axum::response::sse::Event;
use schemars::JsonSchema;
use serde::Serialize;

/// Changes that are kept: some minutes of a busy team.
const MAX_EVENTS: usize = 256;

/// Maximum number of items in one change. A larger change, such as an import, says that everything may have changed.
const MAX_ITEMS: usize = 500;

/// A change, sent to listeners as an event `change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub(crate) struct ChangeView {
    /// Identifies the state of all work items after the change.
    pub(super) state: String,
    /// The items that changed: `#5`, `milestone/5`.
    pub(super) items: Vec<String>,
    /// Whether messages of the inbox changed.
    pub(super) inbox: bool,
    /// Whether more may have changed than is listed here: reload everything.
    pub(super) missed: bool,
}

/// A state of work and inbox; its name is the event id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    state: String,
    inbox: String,
}

/// A change between two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    before: Moment,
    after: Moment,
    view: ChangeView,
}

/// The latest changes; each begins where the previous one ends.
#[derive(Debug)]
pub(super) struct EventHistory {
    now: Moment,
    changes: VecDeque<Change>,
}

impl Moment {
    fn name(&self) -> String {
        format!("{}.{}", self.state, self.inbox)
    }

    /// The first event for a listener that missed nothing.
    pub(super) fn greeting(&self) -> Event {
        let data = serde_json::json!({"state": self.state});
        Event::default().event("state").id(self.name()).data(data.to_string())
    }

    /// A change that says that everything may have changed.
    pub(super) fn missed(&self) -> Change {
        let view = ChangeView { state: self.state.clone(), items: Vec::new(), inbox: true, missed: true };
        Change { before: self.clone(), after: self.clone(), view }
    }
}

impl Change {
    /// Compares two snapshots of the work and the inbox.
    pub(super) fn between(before: &StateSnapshot, now: &StateSnapshot, inbox_before: &str, inbox: &str) -> Self {
        let moment = |state_snapshot: &StateSnapshot, inbox: &str| Moment {
            state: state_snapshot.state.clone(),
            inbox: inbox.to_owned(),
        };
        let (items, missed) = bounded(now.changed_since(before).iter().map(ToString::to_string).collect());
        Self {
            before: moment(before, inbox_before),
            after: moment(now, inbox),
            view: ChangeView { state: now.state.clone(), items, inbox: inbox != inbox_before, missed },
        }
    }

    pub(super) fn event(&self) -> Event {
        let data = serde_json::to_string(&self.view).unwrap_or_default();
        Event::default().event("change").id(self.after.name()).data(data)
    }
}

impl EventHistory {
    pub(super) fn new(state: &str, inbox: &str) -> Self {
        let now = Moment { state: state.to_owned(), inbox: inbox.to_owned() };
        Self { now, changes: VecDeque::new() }
    }

    /// Returns the current moment.
    pub(super) fn now(&self) -> &Moment {
        &self.now
    }

    /// Appends a change; drops the oldest if the limit is reached.
    pub(super) fn push(&mut self, change: Change) {
        if self.changes.len() == MAX_EVENTS {
            self.changes.pop_front();
        }
        self.now = change.after.clone();
        self.changes.push_back(change);
    }

    /// Returns all changes since an event, merged into one; `None` if there are none.
    pub(super) fn since(&self, event: &str) -> Option<Change> {
        if event == self.now.name() {
            return None;
        }
        // The same state may occur more than once; the last occurrence is the one that the listener saw.
        let Some(first) = self.changes.iter().rposition(|change| change.before.name() == event) else {
            return Some(self.now.missed());
        };
        let missed: Vec<&Change> = self.changes.iter().skip(first).collect();
        let items: BTreeSet<String> = missed.iter().flat_map(|change| &change.view.items).cloned().collect();
        let (items, too_many) = bounded(items.into_iter().collect());
        let view = ChangeView {
            state: self.now.state.clone(),
            items,
            inbox: missed.iter().any(|change| change.view.inbox),
            missed: too_many || missed.iter().any(|change| change.view.missed),
        };
        Some(Change { before: missed[0].before.clone(), after: self.now.clone(), view })
    }
}

fn bounded(items: Vec<String>) -> (Vec<String>, bool) {
    if items.len() > MAX_ITEMS { (Vec::new(), true) } else { (items, false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: &str, after: &str, items: &[u64]) -> Change {
        let moment = |state: &str| Moment { state: state.to_owned(), inbox: "i".to_owned() };
        let view = ChangeView { state: after.to_owned(), items: names(items), inbox: false, missed: false };
        Change { before: moment(before), after: moment(after), view }
    }

    fn names(numbers: &[u64]) -> Vec<String> {
        numbers.iter().map(|number| format!("#{number}")).collect()
    }

    fn history() -> EventHistory {
        let mut history = EventHistory::new("a", "i");
        history.push(change("a", "b", &[1, 2]));
        history.push(change("b", "c", &[2, 3]));
        history
    }

    #[test]
    fn reconnecting_listener_gets_missed_events() {
        assert_eq!(history().since("c.i"), None);
        assert_eq!(history().since("b.i").map(|change| change.view.items), Some(names(&[2, 3])));
        assert_eq!(history().since("a.i").map(|change| change.view.items), Some(names(&[1, 2, 3])));
    }

    #[test]
    fn listener_that_was_away_too_long_reloads_everything() {
        for unknown in ["", "z.i", "c.other"] {
            assert_eq!(history().since(unknown).map(|change| change.view.missed), Some(true), "{unknown}");
        }
        let mut long = history();
        for n in 0..MAX_EVENTS {
            long.push(change(&format!("c{n}"), &format!("c{}", n + 1), &[1]));
        }
        assert_eq!(long.changes.len(), MAX_EVENTS);
        assert_eq!(long.since("a.i").map(|change| change.view.missed), Some(true));
    }

    #[test]
    fn a_change_of_very_many_names_none() {
        let many: Vec<u64> = (0..=MAX_ITEMS as u64).collect();
        assert_eq!(bounded(names(&many)), (Vec::new(), true));
    }
}
