//! Notifies clients of changed items and of a changed inbox, also when other processes changed them.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use app::Project;
use app::verb::ListOptions;
use mcp::{List, Notifier, Watch};

use super::CairnState;
use super::resources::{INBOX, address};

pub(super) const WATCH: Watch<CairnState> = Watch { run, lists: &[List::Resources] };

/// Poll interval. A poll without changes costs one read of a ref.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// A snapshot: the names of the states of items and inbox, and the revision of each open item by URI.
#[derive(Default, Clone)]
struct WatchSnapshot {
    state: String,
    inbox: String,
    items: HashMap<String, String>,
}

fn run(cairn: &CairnState, notifier: &Notifier) {
    let mut seen = take_snapshot(cairn, &WatchSnapshot::default());
    while !notifier.is_closed() {
        thread::sleep(POLL_INTERVAL);
        let before = seen.unwrap_or_default();
        seen = take_snapshot(cairn, &before).inspect(|now| notify_changes(notifier, &before, now)).or(Some(before));
    }
}

fn notify_changes(notifier: &Notifier, before: &WatchSnapshot, now: &WatchSnapshot) {
    if before.inbox != now.inbox {
        notifier.resource_changed(INBOX);
    }
    for (address, revision) in &now.items {
        if before.items.get(address).is_some_and(|known| known != revision) {
            notifier.resource_changed(address.clone());
        }
    }
    // An item that is no longer open has changed too.
    let closed: Vec<&String> = before.items.keys().filter(|address| !now.items.contains_key(*address)).collect();
    for address in &closed {
        notifier.resource_changed((*address).clone());
    }
    if !closed.is_empty() || now.items.keys().any(|address| !before.items.contains_key(address)) {
        notifier.list_changed(List::Resources);
    }
}

/// Takes a snapshot; `None` if nothing changed since, or if there is no project.
fn take_snapshot(cairn: &CairnState, before: &WatchSnapshot) -> Option<WatchSnapshot> {
    let inbox = cairn.inbox.get().and_then(|inbox| inbox.state_name()).unwrap_or_else(|_| before.inbox.clone());
    // The state is compared first: listing all items is the expensive part.
    let state = cairn.projects.read(Project::state_name).ok()?;
    if state == before.state {
        return (inbox != before.inbox).then(|| WatchSnapshot { inbox, ..before.clone() });
    }
    let page = cairn.projects.read(|project| project.list(&ListOptions::default())).ok()?;
    let items = page.items.into_iter().map(|item| (address(&item), item.revision)).collect();
    Some(WatchSnapshot { state, inbox, items })
}
