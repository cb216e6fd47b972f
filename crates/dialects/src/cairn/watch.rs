//! Telling clients that work has changed, whoever changed it.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use app::Project;
use app::verb::ListOptions;
use mcp::{List, Notifier, Watch};

use super::Whole;

pub(super) const WATCH: Watch<Whole> = Watch { run, lists: &[List::Resources] };

/// How often to look. Looking costs one read of a ref while nothing has changed.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What was seen: a name of the state of all work, and of each open item by its number.
#[derive(Default)]
struct Seen {
    state: String,
    items: HashMap<u64, String>,
}

fn run(whole: &Whole, notifier: &Notifier) {
    let mut seen = look(whole, &Seen::default());
    while !notifier.is_closed() {
        thread::sleep(LOOK_EVERY);
        let before = seen.unwrap_or_default();
        seen = look(whole, &before).inspect(|now| tell(notifier, &before, now)).or(Some(before));
    }
}

fn tell(notifier: &Notifier, before: &Seen, now: &Seen) {
    for (number, revision) in &now.items {
        if before.items.get(number).is_some_and(|known| known != revision) {
            notifier.resource_changed(format!("cairn://item/{number}"));
        }
    }
    // An item that is no longer open has changed, too.
    let closed: Vec<&u64> = before.items.keys().filter(|number| !now.items.contains_key(number)).collect();
    for number in &closed {
        notifier.resource_changed(format!("cairn://item/{number}"));
    }
    if !closed.is_empty() || now.items.keys().any(|number| !before.items.contains_key(number)) {
        notifier.list_changed(List::Resources);
    }
}

/// Looks at the open items; `None` when nothing was written since, or there is no project to look at.
fn look(whole: &Whole, before: &Seen) -> Option<Seen> {
    let state = whole.projects.read(Project::state_name).ok().filter(|state| *state != before.state)?;
    let page = whole.projects.read(|project| project.list(&ListOptions::default())).ok()?;
    Some(Seen { state, items: page.items.into_iter().map(|item| (item.number, item.revision)).collect() })
}
