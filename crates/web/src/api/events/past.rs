//! What happened lately, so that whoever comes back hears what they missed.

use std::collections::{BTreeSet, VecDeque};

use app::verb::StateSnapshot;
use axum::response::sse::Event;
use schemars::JsonSchema;
use serde::Serialize;

/// How many changes are remembered: some minutes of a busy team.
const MAX_EVENTS: usize = 256;

/// How many items a change names. One that touches more, such as an import, says that everything may have changed.
const MAX_ITEMS: usize = 500;

/// Something that changed, as listeners hear it in an event `change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub(crate) struct ChangeView {
    /// Names exactly the state of all the work from now on.
    pub(super) state: String,
    /// The items that changed: `#5`, `milestone/5`.
    pub(super) items: Vec<String>,
    /// Whether messages of the inbox changed.
    pub(super) inbox: bool,
    /// Whether more may have changed than is named here: read everything anew.
    pub(super) missed: bool,
}

/// Where things stand: the name of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    state: String,
    inbox: String,
}

/// Something that changed, between two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    before: Moment,
    after: Moment,
    view: ChangeView,
}

/// The latest changes, each beginning where the one before it ends.
#[derive(Debug)]
pub(super) struct Past {
    now: Moment,
    changes: VecDeque<Change>,
}

impl Moment {
    fn name(&self) -> String {
        format!("{}.{}", self.state, self.inbox)
    }

    /// Says where things stand to someone who missed nothing.
    pub(super) fn greeting(&self) -> Event {
        let data = serde_json::json!({"state": self.state});
        Event::default().event("state").id(self.name()).data(data.to_string())
    }

    /// Says that anything may have changed.
    pub(super) fn missed(&self) -> Change {
        let view = ChangeView { state: self.state.clone(), items: Vec::new(), inbox: true, missed: true };
        Change { before: self.clone(), after: self.clone(), view }
    }
}

impl Change {
    /// Compares two looks at the work and at the inbox.
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

impl Past {
    pub(super) fn new(state: &str, inbox: &str) -> Self {
        let now = Moment { state: state.to_owned(), inbox: inbox.to_owned() };
        Self { now, changes: VecDeque::new() }
    }

    /// Returns where things stand.
    pub(super) fn now(&self) -> &Moment {
        &self.now
    }

    /// Takes one more change in.
    pub(super) fn push(&mut self, change: Change) {
        if self.changes.len() == MAX_EVENTS {
            self.changes.pop_front();
        }
        self.now = change.after.clone();
        self.changes.push_back(change);
    }

    /// Returns all that changed since an event, as one; `None` when nothing did.
    pub(super) fn since(&self, event: &str) -> Option<Change> {
        if event == self.now.name() {
            return None;
        }
        // Things may have stood like this more than once: the last time is when the listener heard of it.
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

    fn past() -> Past {
        let mut past = Past::new("a", "i");
        past.push(change("a", "b", &[1, 2]));
        past.push(change("b", "c", &[2, 3]));
        past
    }

    #[test]
    fn who_comes_back_hears_what_they_missed() {
        assert_eq!(past().since("c.i"), None);
        assert_eq!(past().since("b.i").map(|change| change.view.items), Some(names(&[2, 3])));
        assert_eq!(past().since("a.i").map(|change| change.view.items), Some(names(&[1, 2, 3])));
    }

    #[test]
    fn who_was_away_too_long_is_told_to_read_everything() {
        for unknown in ["", "z.i", "c.other"] {
            assert_eq!(past().since(unknown).map(|change| change.view.missed), Some(true), "{unknown}");
        }
        let mut long = past();
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
