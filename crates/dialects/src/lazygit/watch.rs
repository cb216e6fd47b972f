//! Notifies clients of new messages.

use std::collections::HashSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use inbox::LazyInbox;
use inbox::view::MessageView;
use mcp::{List, LogLevel, LogMessage, Notifier, Watch};
use serde_json::json;

use super::messages::URI;

pub(super) const WATCH: Watch<LazyInbox> = Watch { run, lists: &[List::Resources] };

/// Interval for checking that the server still runs, and for retrying a failed watch.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

fn run(inbox: &LazyInbox, notifier: &Notifier) {
    while !notifier.is_closed() {
        // There may be no repository yet: calls report that, and this retries.
        if watch(inbox, notifier).is_err() {
            std::thread::sleep(RETRY_INTERVAL);
        }
    }
}

fn watch(inbox: &LazyInbox, notifier: &Notifier) -> Result<(), app::Error> {
    let inbox = inbox.get()?;
    let (sender, changes) = mpsc::channel();
    // Check once at the start: a message may have arrived after a client subscribed and before the watch began.
    let _ = sender.send(());
    let _watch = inbox.watch(move || _ = sender.send(()))?;
    let mut known: HashSet<String> = HashSet::new();
    while !notifier.is_closed() {
        // With a timeout, so that the end of the server is noticed.
        match changes.recv_timeout(RETRY_INTERVAL) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let waiting = inbox.waiting()?.items;
        let now = ids(&waiting);
        if now != known {
            notifier.resource_changed(URI);
            waiting
                .iter()
                .filter(|message| !known.contains(&message.id))
                .for_each(|message| notify_message(notifier, message));
            known = now;
        }
    }
    Ok(())
}

fn notify_message(notifier: &Notifier, message: &MessageView) {
    let line = message.lines.map(|lines| lines.to_string());
    let data = json!({"file": message.file, "line": line});
    let message = LogMessage {
        logger: Some("lazygit".to_owned()),
        message: Some("New message from lazygit".to_owned()),
        ..LogMessage::new(LogLevel::Info, data)
    };
    notifier.log_about(URI, message);
}

fn ids(messages: &[MessageView]) -> HashSet<String> {
    messages.iter().map(|message| message.id.clone()).collect()
}
